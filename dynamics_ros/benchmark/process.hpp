// SPDX-License-Identifier: Apache-2.0
#pragma once

// A program beside this one, and how much memory it holds.

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

namespace dynamics_ros::benchmark {

class Process {
 public:
  /// Starts it. To be called before there are threads. Throws std::runtime_error.
  explicit Process(const std::vector<std::string>& command);
  /// Interrupts it and waits; kills what does not end.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t id() const { return id_; }
  bool running() const;
  /// Resident memory (bytes), 0 where it has ended.
  std::size_t memory() const;

 private:
  pid_t id_;
  mutable bool ended_ = false;
};

/// The folder of this program.
std::string own_folder();

}  // namespace dynamics_ros::benchmark
