// SPDX-License-Identifier: Apache-2.0
#include "processes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>

#include "../command.hpp"
#include "mpi_functions.hpp"
#include "plugin.hpp"

namespace dynamics::tools {
namespace {

constexpr const char* plugin_name = "dynamics_study_mpi.so";

class ThisProcess : public Processes {
 public:
  std::uint64_t take(std::uint64_t count) override { return next_.fetch_add(count); }

 private:
  std::atomic<std::uint64_t> next_ = 0;
};

/// The number in an environment variable, 0 if there is none.
int number_in(const char* variable) {
  const char* text = std::getenv(variable);      // NOLINT(concurrency-mt-unsafe)
  return text == nullptr ? 0 : std::atoi(text);  // NOLINT(cert-err34-c)
}

/// The number of ranks that mpirun started; 0: none. srun starts MPI programs with PMIX_RANK or
/// PMI_SIZE.
int started_ranks() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"}) {
    if (const int size = number_in(variable); size > 0) return size;
  }
  const bool pmix = std::getenv("PMIX_RANK") != nullptr;  // NOLINT(concurrency-mt-unsafe)
  return pmix ? std::max(1, number_in("SLURM_NTASKS")) : 0;
}

class MpiRanks : public Processes {
 public:
  explicit MpiRanks(const DynamicsMpiFunctions& functions, int expected) : mpi_(functions) {
    if (const int error = mpi_.start(&rank_, &size_); error != 0)
      throw std::runtime_error(fmt::format("MPI cannot be started (error {})", error));
    if (size_ == expected) return;
    mpi_.finish();
    throw InputError(
        fmt::format("mpirun started {} processes, MPI sees {}: the mpirun must be "
                    "that of the MPI that {} was built with (OpenMPI)",
                    expected, size_, plugin_name));
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;
  ~MpiRanks() override { mpi_.finish(); }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::uint64_t take(std::uint64_t count) override {
    const std::lock_guard lock(mutex_);  // MPI_THREAD_SERIALIZED
    return mpi_.take(count);
  }
  int largest(int value) override { return mpi_.largest(value); }
  std::vector<std::uint64_t> gather(std::span<const std::uint64_t> numbers) override {
    std::vector<std::uint64_t> all(rank_ == 0 ? numbers.size() * static_cast<std::size_t>(size_)
                                              : 0);
    mpi_.gather(numbers.data(), static_cast<int>(numbers.size()), all.data());
    return all;
  }
  void abort(int code) override { mpi_.abort(code); }

 private:
  const DynamicsMpiFunctions& mpi_;
  std::mutex mutex_;
  int rank_ = 0, size_ = 1;
};

}  // namespace

std::unique_ptr<Processes> find_processes() {
  const int ranks = started_ranks();
  if (ranks == 0) return std::make_unique<ThisProcess>();
  const auto path = find_plugin(plugin_name, "DYNAMICS_STUDY_MPI");
  if (path.empty() && ranks == 1) return std::make_unique<ThisProcess>();
  if (path.empty()) {
    throw InputError(fmt::format(
        "{} processes were started by mpirun, but this program was built without MPI "
        "({} is missing; it is built where libopenmpi-dev is installed): each process would run "
        "the whole study. Use --threads, or --part K/N in a job array",
        ranks, plugin_name));
  }
  const auto& functions =
      *static_cast<const DynamicsMpiFunctions*>(plugin_symbol(path, "dynamics_mpi_functions"));
  if (functions.version != dynamics_mpi_version)
    throw InputError(path.string() + " is of another version of this program");
  return std::make_unique<MpiRanks>(functions, ranks);
}

}  // namespace dynamics::tools
