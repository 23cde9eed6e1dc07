// SPDX-License-Identifier: Apache-2.0
#pragma once

// The robot and the vectors that a command is given.

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dynamics_core/dh_table.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/trajectory.hpp"

namespace dynamics::tools {

struct Robot {
  Model model;
  std::string asked;             ///< what the user wrote
  std::optional<DhTable> table;  ///< where it came from one
  std::vector<double> q0, qd0;   ///< start: the table's, else zero
  /// Of reading the model: on stderr when it is loaded, and "warnings" of every JSON object.
  std::vector<std::string> warnings = {};
};

/// Keeps the warnings among the notes for the JSON object and prints them on stderr.
void report_warnings(Robot& robot, std::span<const Note> notes);

/// A built-in name, a .yaml or .yml table, or a URDF file; reports the model's warnings. Throws
/// InputError or ModelError.
Robot load_robot(const std::string& asked);

/// The text of a file. Throws InputError naming it.
std::string read_file(const std::string& path);

/// The option ROBOT and those that change the model, common to all commands.
struct RobotArgument {
  std::string name;
  std::string gravity;
  void add_to(CLI::App& command);
  Robot load() const;
};

/// "1,2.5,-3e-2" as `size` finite numbers; `otherwise` where the text is empty.
std::vector<double> parse_vector(const std::string& option, const std::string& text,
                                 std::size_t size, const std::vector<double>& otherwise);

/// A desired motion from the command line: "cycloid" (or empty) is the table's forced run, or a
/// cycloid to `q1` in `period`; anything else a file, CSV or YAML by its ending.
std::unique_ptr<Trajectory> desired_motion(const Robot& robot, const std::string& trajectory,
                                           const std::vector<double>& q0, const std::string& q1,
                                           std::optional<double> period);

/// "2.5" or "2.5,0,0,0.1": a point mass fixed to the end effector.
Payload payload(const std::string& text, const Robot& robot);

/// "z:0.05:2,pitch:0.1:0.5" (axis, amplitude, frequency), or a CSV file.
std::unique_ptr<BaseTrajectory> base_motion(const std::string& text);

}  // namespace dynamics::tools
