// SPDX-License-Identifier: Apache-2.0
#pragma once

// Command line of simulation_node:
//
//   simulation_node [--namespaces NAME...] [--ros-args ...]

#include <string>
#include <vector>

namespace dynamics_sim {

struct CommandLine {
  std::vector<std::string> namespaces;  ///< of the controller managers; empty: one manager
  /// That of the process if `namespaces` are given: empty or "/..." without slash at the end.
  std::string name_space;
  /// --ros-args and what follows. With `namespaces` without the namespace of the process, which
  /// would replace those of the managers, their controllers and hardware.
  std::vector<std::string> ros_arguments;
  /// The loop sets the clocks of the managers, which must not subscribe to /clock, where older
  /// times may be queued.
  std::string clock_remapping;
};

/// `words`: begins with the name of the program. Throws std::invalid_argument for names that are
/// invalid, given twice or missing, and for other arguments.
CommandLine read_command_line(const std::vector<std::string>& words);

}  // namespace dynamics_sim
