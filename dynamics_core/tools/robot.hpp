// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads the robot, vectors, trajectories, payload and base motion given on the command line.
//
//   const Robot robot = load_robot("puma");
//   const auto q = parse_vector("--q", "0,0.1,0,0,0,0", robot.model.size(), robot.q0);

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dynamics_core/closed_loops.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/trajectory.hpp"

namespace dynamics::tools {

/// Help of flags that several commands have.
inline constexpr const char* rigid_flag_help = "treat flexible links as rigid";
inline constexpr const char* no_friction_flag_help = "ignore damping and friction";

struct Robot {
  Model model;
  std::string argument;          ///< ROBOT as given on the command line
  std::optional<DhTable> table;  ///< if the robot was read from a DH table
  std::vector<double> q0, qd0;   ///< start values of the table, otherwise zero
  /// Warnings of the reader, printed on stderr and stored under "warnings" of every JSON object.
  std::vector<std::string> warnings = {};
  std::string urdf = {};  ///< text of the URDF; of a DH table: empty, see urdf_text()
  /// A robot with closed loops: `model` is its tree, `q0` its start.
  std::optional<Mechanism> mechanism = std::nullopt;
};

/// The URDF of the robot, for files that contain it; empty for a table that no URDF can express.
std::string urdf_text(const Robot& robot);

/// Appends the warnings among `notes` to robot.warnings and prints them on stderr.
void report_warnings(Robot& robot, std::span<const Note> notes);

/// Loads a built-in robot, a DH table (.yaml, .yml) or a URDF file and reports its warnings. Throws
/// InputError or an Error of the library. A robot with closed loops is refused by load_robot().
Robot load_robot(const std::string& argument);
Robot load_robot_or_mechanism(const std::string& argument);
/// The same without reporting warnings, for one of several processes that load the same robot.
Robot load_robot_silently(const std::string& argument);

/// Contents of a file. Throws InputError with the path if it cannot be read.
std::string read_file(const std::string& path);

/// The argument ROBOT and the option --gravity, common to all commands on a robot.
struct RobotArgument {
  std::string name;
  std::string gravity;
  void add_to(CLI::App& command);
  /// Without --gravity, for commands that it has no effect on.
  void add_name_to(CLI::App& command);
  Robot load() const;                     ///< refuses closed loops
  Robot load_robot_or_mechanism() const;  ///< for commands that know them
};

/// The options of the commands on one state of a robot.
struct StateArguments {
  RobotArgument robot;
  std::string q, qd;
  bool rigid = false, no_friction = false, json = false;
  /// ROBOT, --gravity (if it enters the result), --q and --qd.
  void add_state_to(CLI::App& command, bool gravity = true);
  /// --rigid, --no-friction (if friction enters the result) and --json.
  void add_flags_to(CLI::App& command, bool friction);
};

/// Parses "1,2.5,-3e-2". Throws InputError for an entry that is not a finite number.
std::vector<double> parse_numbers(const std::string& option, const std::string& text);

/// Parses "1,2.5,-3e-2" into `size` finite numbers; returns `fallback` if the text is empty.
/// `meaning` explains the expected numbers in the error message. Throws InputError.
std::vector<double> parse_vector(const std::string& option, const std::string& text,
                                 std::size_t size, const std::vector<double>& fallback,
                                 const char* meaning = "one per joint, in joint order");

/// Reports joint positions outside of their limits as warnings, for example angles in degrees.
/// `text` is the value of `option`, one number per joint first; empty: not given.
void warn_outside_limits(Robot& robot, const std::string& option, const std::string& text);

/// The desired trajectory. "cycloid" or "": the forced motion of the robot's table, or a cycloid
/// from `q0` to `q1` in `period` seconds. Otherwise the path of a file, CSV or YAML by its
/// extension, or MCAP; `q1` and `period` must then be empty. `topic`: of an MCAP file, may be
/// empty. Reports what was skipped in an MCAP file as warnings of the robot.
std::unique_ptr<Trajectory> desired_motion(Robot& robot, const std::string& trajectory,
                                           const std::vector<double>& q0, const std::string& q1,
                                           std::optional<double> period, const std::string& topic);

/// Parses "2.5" or "2.5,0,0,0.1" (mass; position): a point mass fixed to the end effector.
Payload payload(const std::string& text, const Robot& robot);

/// Parses "z:0.05:2,pitch:0.1:0.5" (axis, amplitude, frequency in Hz), or reads a CSV file.
std::unique_ptr<BaseTrajectory> base_motion(const std::string& text);

}  // namespace dynamics::tools
