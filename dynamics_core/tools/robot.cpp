// SPDX-License-Identifier: Apache-2.0
#include "robot.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <sstream>

#include "command.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/trajectory.hpp"
#include "log_file.hpp"
#include "report.hpp"

namespace dynamics::tools {
namespace {

constexpr double degree = std::numbers::pi / 180.0;  // rad

/// The start of a table if it has one, moved onto the loops, otherwise that of the mechanism.
std::vector<double> start_of(const Mechanism& mechanism, const DhTable& table) {
  const auto is_zero = [](double x) { return x == 0.0; };
  if (std::all_of(table.q0.begin(), table.q0.end(), is_zero))
    return {mechanism.start().begin(), mechanism.start().end()};
  MechanismWorkspace workspace(mechanism);
  const double error = loop_error(mechanism, workspace, table.q0);
  if (!(error <= 1e-6)) {
    throw InputError(
        fmt::format("the start q of '{}' does not close the loops: the error is {:.3g} of the "
                    "mechanism's size and 1e-6 is allowed",
                    table.name, error));
  }
  std::vector<double> q = table.q0;
  project_on_loops(mechanism, workspace, q);
  return q;
}

Robot from_table(const std::string& argument, DhTable table) {
  if (!table.constraints.empty()) {
    const Mechanism mechanism = mechanism_from_dh(table);
    auto q0 = start_of(mechanism, table), qd0 = table.qd0;
    Robot robot = {mechanism.tree(), argument, std::move(table), std::move(q0), std::move(qd0)};
    robot.mechanism = mechanism;
    return robot;
  }
  Model model = model_from_dh(table);
  auto q0 = table.q0, qd0 = table.qd0;
  q0.resize(model.size(), 0.0);
  qd0.resize(model.size(), 0.0);
  return {std::move(model), argument, std::move(table), std::move(q0), std::move(qd0), {}, {}};
}

Robot from_mechanism(const std::string& argument, const Mechanism& mechanism) {
  const std::vector<double> zero(mechanism.tree().size(), 0.0);
  Robot robot = {mechanism.tree(), argument, std::nullopt,
                 std::vector<double>(mechanism.start().begin(), mechanism.start().end()), zero};
  robot.mechanism = mechanism;
  return robot;
}

bool has_suffix(const std::string& path, std::initializer_list<const char*> suffixes) {
  const std::string suffix = std::filesystem::path(path).extension().string();
  return std::any_of(suffixes.begin(), suffixes.end(), [&](const char* s) { return suffix == s; });
}

Robot read_robot(const std::string& argument) {
  if (built_in_table(argument)) return from_table(argument, built_in_robot(argument));
  std::error_code error;
  if (!std::filesystem::exists(argument, error)) {
    std::string names;
    for (const auto name : built_in_robots())
      names += (names.empty() ? "" : ", ") + std::string(name);
    throw InputError(fmt::format("no robot '{}': neither a file nor one of {}", argument, names));
  }
  std::string text = read_file(argument);
  if (has_suffix(argument, {".yaml", ".yml"}))
    return from_table(argument, read_dh_table(text, argument));
  RobotDescription description = read_urdf(text, argument);
  if (!description.constraints.empty()) {
    Robot robot = from_mechanism(argument, Mechanism(description));
    robot.urdf = std::move(text);
    return robot;
  }
  Model model(std::move(description));
  const std::vector<double> zero(model.size(), 0.0);
  return {std::move(model), argument, std::nullopt, zero, zero, {}, std::move(text)};
}

}  // namespace

std::string read_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw InputError(path + ": is a folder, not a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(path + ": cannot be read: no such file, or permission denied");
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad()) throw InputError(path + ": read error before the end of the file");
  return text.str();
}

std::string urdf_text(const Robot& robot) {
  if (!robot.table) return robot.urdf;
  try {
    return to_urdf(*robot.table);
  } catch (const ModelError&) {
    return "";
  }
}

void report_warnings(Robot& robot, std::span<const Note> notes) {
  for (const Note& note : notes) {
    if (note.severity != Note::Severity::warning) continue;
    robot.warnings.push_back(note.element + " " + note.message);
    fmt::print(stderr, "warning: {}\n", printable(robot.warnings.back()));
  }
}

Robot load_robot_silently(const std::string& argument) { return read_robot(argument); }

Robot load_robot_or_mechanism(const std::string& argument) {
  Robot robot = read_robot(argument);
  report_warnings(robot, robot.model.notes());
  if (robot.mechanism) report_warnings(robot, robot.mechanism->notes());
  return robot;
}

Robot load_robot(const std::string& argument) {
  Robot robot = load_robot_or_mechanism(argument);
  if (robot.mechanism) {
    throw InputError(fmt::format(
        "{}: constraint '{}' closes a loop; this command takes robots without closed loops "
        "(inverse, forward, terms, kinematics, simulate and check take them)",
        argument, robot.mechanism->description().constraints.front().name));
  }
  return robot;
}

void RobotArgument::add_name_to(CLI::App& command) {
  command
      .add_option("ROBOT", name,
                  "planar3, stanford, puma, canadarm, a URDF file or a DH table (YAML)")
      ->required();
}

void RobotArgument::add_to(CLI::App& command) {
  add_name_to(command);
  command.add_option("--gravity", gravity,
                     "gravity x,y,z in m/s^2 (default: from the DH table, otherwise 0,0,-9.81)");
}

namespace {

void set_gravity(Robot& robot, const std::string& gravity) {
  if (gravity.empty()) return;
  const auto g = parse_vector("--gravity", gravity, 3, {}, "x,y,z in m/s^2");
  robot.model = robot.model.with_gravity({g[0], g[1], g[2]});
  if (robot.mechanism) robot.mechanism = robot.mechanism->with_gravity({g[0], g[1], g[2]});
}

}  // namespace

Robot RobotArgument::load() const {
  Robot robot = load_robot(name);
  set_gravity(robot, gravity);
  return robot;
}

Robot RobotArgument::load_robot_or_mechanism() const {
  Robot robot = tools::load_robot_or_mechanism(name);
  set_gravity(robot, gravity);
  return robot;
}

std::vector<double> parse_numbers(const std::string& option, const std::string& text) {
  std::vector<double> numbers;
  std::size_t at = 0;
  while (true) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    std::size_t first = at, last = comma;
    while (first < last && text[first] == ' ') ++first;
    if (first + 1 < last && text[first] == '+' && text[first + 1] != '-') ++first;
    while (last > first && text[last - 1] == ' ') --last;
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data() + first, text.data() + last, value);
    if (error != std::errc{} || end != text.data() + last || !std::isfinite(value)) {
      throw InputError(
          fmt::format("{}: entry {} is '{}'; expected finite numbers separated by commas", option,
                      numbers.size() + 1, text.substr(at, comma - at)));
    }
    numbers.push_back(value);
    if (comma == text.size()) break;
    at = comma + 1;
  }
  return numbers;
}

void StateArguments::add_state_to(CLI::App& command, bool gravity) {
  if (gravity) {
    robot.add_to(command);
  } else {
    robot.add_name_to(command);
  }
  command.add_option("--q", q, "joint positions, comma separated (default: start position)");
  command.add_option("--qd", qd, "joint velocities (default: 0)");
}

void StateArguments::add_flags_to(CLI::App& command, bool friction) {
  command.add_flag("--rigid", rigid, rigid_flag_help);
  if (friction) command.add_flag("--no-friction", no_friction, no_friction_flag_help);
  command.add_flag("--json", json, json_flag_help);
}

std::vector<double> parse_vector(const std::string& option, const std::string& text,
                                 std::size_t size, const std::vector<double>& fallback,
                                 const char* meaning) {
  if (text.empty()) return fallback;
  std::vector<double> numbers = parse_numbers(option, text);
  if (numbers.size() != size) {
    throw InputError(fmt::format("{}: {} numbers given, {} required ({})", option, numbers.size(),
                                 size, meaning));
  }
  return numbers;
}

void warn_outside_limits(Robot& robot, const std::string& option, const std::string& text) {
  if (text.empty()) return;
  const auto q = parse_numbers(option, text);
  if (q.size() < robot.model.size()) return;  // reported by parse_vector()
  for (std::size_t i = 0; i < robot.model.size(); ++i) {
    const Coordinate& joint = robot.model.coordinates()[i];
    if (q[i] >= joint.lower && q[i] <= joint.upper) continue;
    const char* unit = joint.prismatic ? "m" : "rad";
    std::string hint = joint.prismatic ? "lengths are in meters" : "angles are in radians";
    if (!joint.prismatic) hint += fmt::format("; {:g} degrees are {:.6g} rad", q[i], q[i] * degree);
    robot.warnings.push_back(
        fmt::format("{}: joint '{}' at {:g} {} is outside of its limits {:g} "
                    "and {:g} {} ({})",
                    option, joint.name, q[i], unit, joint.lower, joint.upper, unit, hint));
    fmt::print(stderr, "warning: {}\n", printable(robot.warnings.back()));
  }
}

namespace {

/// --q1 for all joints; with closed loops it may list the independent ones, the only ones that
/// count.
std::vector<double> end_position(const Robot& robot, const std::string& q1,
                                 const std::vector<double>& q0) {
  if (!robot.mechanism) return parse_vector("--q1", q1, robot.model.size(), {});
  std::vector<double> given = parse_numbers("--q1", q1);
  if (given.size() == robot.model.size()) return given;
  const auto independent = robot.mechanism->independent();
  std::vector<double> end = q0;
  const auto some = parse_vector("--q1", q1, independent.size(), {},
                                 "one per independent joint, or one per joint");
  for (std::size_t k = 0; k < some.size(); ++k) end[independent[k]] = some[k];
  return end;
}

}  // namespace

std::unique_ptr<Trajectory> desired_motion(Robot& robot, const std::string& trajectory,
                                           const std::vector<double>& q0, const std::string& q1,
                                           std::optional<double> period, const std::string& topic) {
  if (!trajectory.empty() && trajectory != "cycloid") {
    check_topic(topic, trajectory);
    if (!q1.empty()) throw InputError("--q1 has no effect on the trajectory of a file: remove it");
    if (period) throw InputError("--period has no effect on the trajectory of a file: remove it");
    try {
      if (is_log_file(trajectory)) {
        return knot_trajectory(
            read_log(robot, trajectory, topic, JointLogOptions::Required::positions).motion());
      }
      const std::string text = read_file(trajectory);
      const bool yaml = has_suffix(trajectory, {".yaml", ".yml"});
      const auto needed =
          robot.mechanism ? robot.mechanism->independent() : std::span<const std::size_t>();
      return knot_trajectory(yaml ? read_trajectory_yaml(text, trajectory, robot.model, needed)
                                  : read_trajectory_csv(text, trajectory, robot.model, needed));
    } catch (const ArgumentError& error) {
      throw InputError(fmt::format("{}: {}", trajectory, error.what()));
    }
  }
  if (!topic.empty()) throw InputError("--topic has no effect on the cycloid: remove it");
  std::optional<ForcedMotion> forced = robot.table ? robot.table->forced : std::nullopt;
  if (!q1.empty()) {
    if (!forced || forced->kind != ForcedMotion::Kind::cycloid) forced = ForcedMotion{};
    forced->q1 = end_position(robot, q1, q0);
  }
  if (!forced) {
    throw InputError(fmt::format("robot '{}' defines no end position for the cycloid: give --q1",
                                 robot.argument));
  }
  if (period) {
    if (forced->kind != ForcedMotion::Kind::cycloid) {
      throw InputError(
          "--period: the forced motion of this robot has one period per joint; give --q1 too for a "
          "cycloid with a single period");
    }
    forced->period = *period;
  }
  return forced_trajectory(*forced, q0);
}

Payload payload(const std::string& text, const Robot& robot) {
  const auto numbers = parse_numbers("--payload", text);
  if ((numbers.size() != 1 && numbers.size() != 4) || !(numbers[0] > 0.0)) {
    throw InputError(
        fmt::format("--payload {}: expected MASS or MASS,X,Y,Z with MASS > 0 (kg, m)", text));
  }
  Payload load;
  load.frame = robot.model.frames()[robot.model.end_effector()].name;
  load.mass = numbers[0];
  if (numbers.size() == 4) load.center = {numbers[1], numbers[2], numbers[3]};
  return load;
}

std::unique_ptr<BaseTrajectory> base_motion(const std::string& text) {
  if (has_suffix(text, {".csv"})) return read_base_trajectory_csv(read_file(text), text);
  std::vector<BaseHarmonic> harmonics;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto first = part.find(':'), second = part.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos || second == first + 1 ||
        second + 1 == part.size()) {
      throw InputError(fmt::format(
          "--base-motion: '{}' is neither AXIS:AMPLITUDE:HZ (for example z:0.05:2) nor a .csv file",
          part));
    }
    const auto amplitude = parse_vector("--base-motion", part.substr(first + 1, second - first - 1),
                                        1, {0.0}, "the amplitude in m or rad");
    const auto frequency =
        parse_vector("--base-motion", part.substr(second + 1), 1, {0.0}, "the frequency in Hz");
    harmonics.push_back({base_axis_from_name(part.substr(0, first)), amplitude[0], frequency[0]});
  }
  return harmonic_base_trajectory(harmonics);
}

}  // namespace dynamics::tools
