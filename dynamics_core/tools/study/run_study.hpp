// SPDX-License-Identifier: Apache-2.0
#pragma once

// Computes the missing cases of a range with threads, chunk by chunk.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dynamics_core/study.hpp"
#include "processes.hpp"

namespace dynamics::tools {

struct StudyWork {
  const Study& study;
  const StudyFolder& folder;
  StudyRange range;
  const std::vector<bool>& done;  ///< of the range
  std::size_t threads = 1;
  std::string part;  ///< name of the logs
};

struct StudyCount {
  std::uint64_t computed = 0, failed = 0;
  bool complete = true;  ///< false: interrupted
};

/// Throws the first error of a thread, after all threads have ended. `progress(taken)`: called
/// about ten times per second with the number of cases that all processes have taken; returning
/// false interrupts.
StudyCount run_study(const StudyWork& work, Processes& processes,
                     const std::function<bool(std::uint64_t taken)>& progress);

/// Path of the samples of a case.
std::string run_file(const StudyFolder& folder, const Study& study, std::uint64_t number);

}  // namespace dynamics::tools
