// SPDX-License-Identifier: Apache-2.0
#pragma once

// The processes that share a study: this one alone, or the ranks that mpirun started. MPI is in a
// plugin, dynamics_study_mpi.so, which is built where OpenMPI is installed; the program itself does
// not link MPI.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace dynamics::tools {

class Processes {
 public:
  virtual ~Processes() = default;
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  virtual int rank() const { return 0; }
  virtual int size() const { return 1; }
  /// Adds to the counter that all processes share and returns its value before.
  virtual std::uint64_t take(std::uint64_t count) = 0;
  /// Waits for all processes; returns the largest of their values.
  virtual int largest(int value) { return value; }
  /// The numbers of all processes, one after the other, on rank 0.
  virtual std::vector<std::uint64_t> gather(std::span<const std::uint64_t> numbers) {
    return {numbers.begin(), numbers.end()};
  }
  /// Ends all processes after an error that this one has reported.
  virtual void abort(int /*code*/) {}

 protected:
  Processes() = default;
};

/// The ranks if mpirun or srun started several; otherwise this process. Throws InputError where
/// several were started and the plugin is missing.
std::unique_ptr<Processes> find_processes();

}  // namespace dynamics::tools
