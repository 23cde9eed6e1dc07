// SPDX-License-Identifier: Apache-2.0
#include "control_arguments.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "command.hpp"
#include "log_file.hpp"

namespace dynamics::tools {
namespace {

double number(const std::string& option, const std::string& whole, std::string_view text) {
  double value = 0.0;
  const char* const end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc{} || next != end || !std::isfinite(value)) {
    throw InputError(fmt::format("{} {}: '{}' is not a finite number", option, whole, text));
  }
  return value;
}

/// Numbers separated by commas; none if the text is empty.
std::vector<double> numbers(const std::string& option, const std::string& text) {
  std::vector<double> values;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    values.push_back(number(option, text, std::string_view(text).substr(begin, comma - begin)));
    begin = comma + 1;
    if (begin == text.size())
      throw InputError(fmt::format("{} {} ends with a comma", option, text));
  }
  return values;
}

/// "WHAT@T" or "WHAT@T:DURATION".
struct Timed {
  std::string what;
  double start = 0.0;
  double duration = std::numeric_limits<double>::infinity();
};

Timed timed(const std::string& option, const std::string& text, const char* form) {
  const std::size_t at = text.rfind('@');
  if (at == std::string::npos || at == 0) {
    throw InputError(fmt::format("{} {}: it must have the form {}", option, text, form));
  }
  Timed result;
  result.what = text.substr(0, at);
  const std::string_view times = std::string_view(text).substr(at + 1);
  const std::size_t colon = times.find(':');
  result.start = number(option, text, times.substr(0, colon));
  if (colon != std::string_view::npos)
    result.duration = number(option, text, times.substr(colon + 1));
  if (result.start < 0.0 || !(result.duration > 0.0)) {
    throw InputError(fmt::format(
        "{} {}: the time must not be negative and the duration must be positive", option, text));
  }
  return result;
}

constexpr const char* push_form = "LINK:fx,fy,fz@T:DURATION or LINK:FILE.csv";
constexpr const char* payload_form = "MASS[,X,Y,Z]@T";
constexpr const char* lock_form = "JOINT@T[:DURATION]";

LinkWrenchHistory parse_push(const std::string& text, const Robot& robot) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || colon == 0)
    throw InputError(fmt::format("--push {}: it must have the form {}", text, push_form));
  const std::string link = text.substr(0, colon), rest = text.substr(colon + 1);
  robot.model.frame(link);  // an unknown link is reported before a file is read
  if (rest.ends_with(".csv")) return read_wrench_csv(link, read_file(rest), rest);
  const Timed push_at = timed("--push", text, push_form);
  const auto force = numbers("--push", push_at.what.substr(colon + 1));
  if (force.size() != 3) {
    throw InputError(fmt::format("--push {}: the force has {} components; 3 are needed ({})", text,
                                 force.size(), push_form));
  }
  return push(link, {force[0], force[1], force[2]}, push_at.start, push_at.duration);
}

}  // namespace

void ControlArguments::add_to(CLI::App& command) {
  std::string names;
  for (const ControllerName& known : controller_names())
    names += (names.empty() ? "" : ", ") + std::string(known.name);
  command.add_option("--scenario", scenario, "free-fall (default), forced, hold, computed-torque");
  const auto control = [](CLI::Option* option) { option->group("Controller"); };
  control(command.add_option("--controller", controller, names));
  control(command.add_option("--kp", kp, "proportional gain, one for all joints or one per joint"));
  control(command.add_option("--kd", kd, "derivative gain, likewise"));
  control(command.add_option("--bandwidth", bandwidth,
                             "instead of --kp and --kd: bandwidth in rad/s (default 10)"));
  control(command.add_option("--damping", damping, "instead of --kd: damping ratio (default 1)"));
  control(command.add_option("--frame", frame,
                             "of operational-space-impedance (default: the end effector)"));
  control(command.add_option("--stiffness", stiffness,
                             "of operational-space-impedance: N/m, or N/m,Nm/rad, or 6 numbers, "
                             "angular first"));
  control(
      command.add_option("--reference", reference,
                         "hold (default), cycloid, a CSV file, a JointTrajectory in YAML, or an "
                         "MCAP file with joint states or trajectories"));
  control(command.add_option("--trajectory", trajectory, "the same as --reference"));
  control(command.add_option("--q1", q1, "end of the cycloid (default: from the DH table)"));
  control(command.add_option("--period", period,
                             "period of the cycloid in s (default: from the DH table, otherwise "
                             "10)"));
  control(command.add_option("--torques", torques,
                             "joint torques over time: a CSV file with t and tau_JOINT columns, a "
                             "JointTrajectory in YAML with effort, or an MCAP file"));
  control(command.add_option("--topic", topic, topic_option_help));
  control(command.add_option("--interpolation", interpolation,
                             "of --torques: zero, linear (default) or cubic"));
  control(command.add_option("--control-rate", control_rate,
                             "sampled controller with zero-order hold, Hz (default: continuous)"));
  control(command.add_option("--control-delay", control_delay,
                             "from the measurement to the new torque, s"));
  control(command.add_option("--position-resolution", position_resolution,
                             "measured positions are rounded to multiples of this, rad or m"));
  control(command.add_option("--velocity-resolution", velocity_resolution,
                             "the same for velocities, rad/s or m/s"));
  control(command.add_option("--torque-resolution", torque_resolution,
                             "the same for the torques, N m or N"));
  const auto input = [](CLI::Option* option) {
    option->group("Inputs over time");
    return option;
  };
  input(command.add_option("--push", pushes,
                           std::string(push_form) +
                               ": force in world axes at the link's mass center, N, s; the CSV has "
                               "t and any of fx, fy, fz, mx, my, mz; may be repeated"))
      ->take_all();
  input(command.add_option("--drop-payload", drop_payload,
                           "time in s at which the payload is released"));
  input(command.add_option("--change-payload", payload_changes,
                           std::string(payload_form) +
                               ": another payload from time T; mass 0: none; may be repeated"))
      ->take_all();
  input(command.add_option("--lock", locks,
                           std::string(lock_form) + ": a brake stops and holds the joint; may be "
                                                    "repeated"))
      ->take_all();
}

bool ControlArguments::follows_cycloid() const {
  return given_reference() == "cycloid" ||
         (given_reference().empty() && (scenario == "forced" || scenario == "computed-torque"));
}

void ControlArguments::check() const {
  const auto refuse = [](bool given, const char* option, const std::string& reason) {
    if (given) throw InputError(fmt::format("{} has no effect {}", option, reason));
  };
  if (!reference.empty() && !trajectory.empty())
    throw InputError("--reference and --trajectory are the same option: give one of them");
  if (uses_controller() && !scenario.empty()) {
    throw InputError(fmt::format(
        "--scenario and {} exclude each other: a scenario is a short form of a controller",
        controller.empty() ? "--torques" : "--controller"));
  }
  if (!torques.empty() && !controller.empty() && controller != "torques") {
    throw InputError(fmt::format("--torques has no effect with --controller {}: remove one of them",
                                 controller));
  }
  if (controller == "torques" && torques.empty())
    throw InputError("--controller torques needs --torques F.csv, F.yaml or F.mcap");
  refuse(torques.empty() && !interpolation.empty(), "--interpolation", "without --torques");
  const bool no_file =
      given_reference().empty() || given_reference() == "hold" || given_reference() == "cycloid";
  refuse(torques.empty() && no_file && !topic.empty(), "--topic", "without an MCAP file");
  const std::string short_form = scenario.empty() ? "free-fall" : scenario;
  if (!uses_controller()) {
    const Scenario known = scenario_from_name(short_form);
    const bool desired = known == Scenario::forced || known == Scenario::computed_torque;
    const bool feedback = known == Scenario::hold || known == Scenario::computed_torque;
    const std::string others = "in scenario " + short_form + ": give --scenario ";
    const std::string follows = others + "forced or computed-torque, or --controller";
    refuse(!desired && !trajectory.empty(), "--trajectory", follows);
    refuse(!desired && !reference.empty(), "--reference", follows);
    refuse(!desired && !q1.empty(), "--q1", follows);
    refuse(!desired && period, "--period", follows);
    refuse(!feedback && !bandwidth.empty(), "--bandwidth",
           others + "hold or computed-torque, or --controller");
    const std::string only = "in scenario " + short_form + ": give --controller";
    refuse(!kp.empty(), "--kp", only);
    refuse(!kd.empty(), "--kd", only);
    refuse(!damping.empty(), "--damping", only);
    refuse(!stiffness.empty(), "--stiffness", only);
    refuse(!frame.empty(), "--frame", only);
  } else if (controller_name() == "none" || controller_name() == "torques") {
    const std::string reason =
        "on controller " + controller_name() + ", which follows no reference";
    refuse(!trajectory.empty(), "--trajectory", reason);
    refuse(!reference.empty(), "--reference", reason);
  }
  const std::string no_cycloid = given_reference().empty() || given_reference() == "hold"
                                     ? "without --reference cycloid"
                                     : "on the trajectory of a file: remove it";
  refuse(!follows_cycloid() && !q1.empty(), "--q1", no_cycloid);
  refuse(!follows_cycloid() && period, "--period", no_cycloid);
  const bool passive = uses_controller() ? controller == "none" : short_form == "free-fall";
  refuse(passive && control_rate, "--control-rate", "without a controller");
  if (control_rate && !(*control_rate > 0.0 && std::isfinite(*control_rate))) {
    throw InputError(
        fmt::format("--control-rate is {} Hz; it must be positive and finite", *control_rate));
  }
  const std::string sampled = "without --control-rate: a continuous controller has no samples";
  refuse(!control_rate && control_delay, "--control-delay", sampled);
  refuse(!control_rate && position_resolution, "--position-resolution", sampled);
  refuse(!control_rate && velocity_resolution, "--velocity-resolution", sampled);
  refuse(!control_rate && torque_resolution, "--torque-resolution", sampled);
}

std::unique_ptr<Controller> ControlArguments::make(Robot& robot) const {
  if (!uses_controller()) return nullptr;
  ControllerOptions options;
  options.gains = {numbers("--kp", kp), numbers("--kd", kd), numbers("--bandwidth", bandwidth),
                   numbers("--damping", damping)};
  options.frame = frame;
  options.stiffness = numbers("--stiffness", stiffness);
  if (controller == "operational-space-impedance" && stiffness.empty()) {
    throw InputError(
        "--controller operational-space-impedance needs --stiffness N/m[,Nm/rad], for example "
        "1000,100");
  }
  if (!torques.empty()) {
    check_topic(topic, torques);
    if (is_log_file(torques)) {
      options.torques =
          read_log(robot, torques, topic, JointLogOptions::Required::efforts).torques();
    } else {
      const std::string text = read_file(torques);
      const bool yaml = torques.ends_with(".yaml") || torques.ends_with(".yml");
      options.torques = yaml ? read_torques_yaml(text, torques, robot.model)
                             : read_torques_csv(text, torques, robot.model);
    }
  }
  if (!interpolation.empty()) options.interpolation = interpolation_from_name(interpolation);
  return make_controller(controller_name(), options);
}

void ControlArguments::apply(Robot& robot, const std::vector<double>& start,
                             SimulationOptions& options) const {
  if (!uses_controller()) {
    options.scenario = scenario_from_name(scenario.empty() ? "free-fall" : scenario);
    const auto given = numbers("--bandwidth", bandwidth);
    if (given.size() > 1) {
      throw InputError(fmt::format(
          "--bandwidth has {} entries; a scenario takes one for all joints, --controller "
          "computed-torque one per joint",
          given.size()));
    }
    if (!given.empty()) options.bandwidth = given[0];
  }
  if (follows_cycloid() || (!given_reference().empty() && given_reference() != "hold"))
    options.trajectory = desired_motion(robot, given_reference(), start, q1, period, topic);
  if (control_rate) {
    options.sampling = {.period = 1.0 / *control_rate,
                        .delay = control_delay.value_or(0.0),
                        .position_resolution = position_resolution.value_or(0.0),
                        .velocity_resolution = velocity_resolution.value_or(0.0),
                        .torque_resolution = torque_resolution.value_or(0.0)};
  }
  for (const std::string& text : pushes) options.wrenches.push_back(parse_push(text, robot));
  if (drop_payload) options.payload_changes.push_back({*drop_payload, std::nullopt});
  for (const std::string& text : payload_changes) {
    const Timed change = timed("--change-payload", text, payload_form);
    if (std::isfinite(change.duration))
      throw InputError(
          fmt::format("--change-payload {}: it must have the form {}", text, payload_form));
    PayloadChange next{change.start, payload(change.what, robot)};
    if (next.payload->mass == 0.0) next.payload.reset();
    options.payload_changes.push_back(next);
  }
  for (const std::string& text : locks) {
    const Timed lock = timed("--lock", text, lock_form);
    options.locks.push_back({lock.what, lock.start, lock.start + lock.duration});
  }
}

std::string ControlArguments::reference_name() const {
  if (!given_reference().empty()) return given_reference();
  if (follows_cycloid()) return "cycloid";
  const bool follows = uses_controller()
                           ? controller_name() != "none" && controller_name() != "torques"
                           : scenario == "hold";
  return follows ? "hold" : "";
}

}  // namespace dynamics::tools
