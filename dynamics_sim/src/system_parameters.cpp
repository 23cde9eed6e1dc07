// SPDX-License-Identifier: Apache-2.0
#include "dynamics_sim/system_parameters.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <dynamics_core/flexible_dynamics.hpp>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace dynamics_sim {
namespace {

[[noreturn]] void fail(const std::string& message) { throw std::invalid_argument(message); }

std::string in_quotes(const std::string& text) { return std::string("'") + text + "'"; }

double number(const std::string& text, const std::string& what) {
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || last != end || !std::isfinite(value)) {
    fail(what + " is " + in_quotes(text) + ": must be a finite number");
  }
  return value;
}

Unclaimed unclaimed_from(const std::string& text, const std::string& what) {
  if (text == "free") return Unclaimed::free;
  if (text == "brake") return Unclaimed::brake;
  if (text == "hold") return Unclaimed::hold;
  fail(what + " is " + in_quotes(text) + ": must be free, brake or hold");
}

bool ideal_from(const std::string& text, const std::string& what) {
  if (text == "ideal") return true;
  if (text == "drive") return false;
  fail(what + " is " + in_quotes(text) + ": must be drive or ideal");
}

bool boolean(const std::string& text, const std::string& what) {
  if (text == "true" || text == "True" || text == "1") return true;
  if (text == "false" || text == "False" || text == "0") return false;
  fail(what + " is " + in_quotes(text) + ": must be true or false");
}

Eigen::Vector3d three(const std::string& text, const std::string& what) {
  std::istringstream words(text);
  std::vector<double> values;
  for (std::string word; words >> word;) values.push_back(number(word, what));
  if (values.size() != 3) fail(what + " is " + in_quotes(text) + ": must be three numbers");
  return Eigen::Vector3d::Map(values.data());
}

std::size_t whole(const std::string& text, const std::string& what) {
  const double value = number(text, what);
  if (value < 0.0 || value > 1000.0 || value != std::floor(value)) {
    fail(what + " is " + in_quotes(text) + ": must be an integer from 0 to 1000");
  }
  return static_cast<std::size_t>(value);
}

/// Joints that may be commanded.
std::string actuated_joints(const dynamics::Plant& plant) {
  std::string list;
  for (std::size_t i = 0; i < plant.joints(); ++i) {
    if (plant.actuated(i)) list += (list.empty() ? "" : ", ") + plant.model().coordinates()[i].name;
  }
  return list;
}

bool deflection_from(const std::string& text, const std::string& what) {
  if (text == "static") return true;
  if (text == "none") return false;
  fail(what + " is " + in_quotes(text) + ": must be none or static");
}

}  // namespace

SystemParameters read_parameters(const hardware_interface::HardwareInfo& info) {
  SystemParameters read;
  using Setter = std::function<void(const std::string& text, const std::string& what)>;
  const std::map<std::string, Setter> setters = {
      {"step", [&](auto& text, auto& what) { read.simulation.step = number(text, what); }},
      {"bandwidth",
       [&](auto& text, auto& what) { read.simulation.bandwidth = number(text, what); }},
      {"limits", [&](auto& text, auto& what) { read.simulation.limits = boolean(text, what); }},
      {"substeps", [&](auto& text, auto& what) { read.simulation.substeps = whole(text, what); }},
      {"largest_period", [&](auto& text, auto& what) { read.largest_period = number(text, what); }},
      {"gravity", [&](auto& text, auto& what) { read.model.gravity = three(text, what); }},
      {"initial_deflection",
       [&](auto& text, auto& what) { read.static_deflection = deflection_from(text, what); }},
      {"payload_topic", [&](auto& text, auto&) { read.payload_topic = text; }},
      // checked here; applied in read_joints, where joints can override them
      {"tracking", [&](auto& text, auto& what) { ideal_from(text, what); }},
      {"unclaimed", [&](auto& text, auto& what) { unclaimed_from(text, what); }}};
  for (const auto& [name, text] : info.hardware_parameters) {
    const auto setter = setters.find(name);
    if (setter == setters.end()) {
      read.ignored.push_back(name);
    } else {
      setter->second(text, "parameter " + in_quotes(name));
    }
  }
  const double step = read.simulation.step;
  if (!(step >= 1e-6 && step <= 1.0)) {
    fail("parameter 'step' is " + std::to_string(step) + " s: must be from 0.000001 to 1");
  }
  // whole nanoseconds, so that no time is lost by rounding
  read.simulation.step = 1e-9 * static_cast<double>(std::llround(step * 1e9));
  if (!(read.largest_period >= read.simulation.step && read.largest_period <= 3600.0)) {
    fail("parameter 'largest_period' is " + std::to_string(read.largest_period) +
         " s: must be at least the step and at most 3600");
  }
  return read;
}

std::vector<SystemJoint> read_joints(const hardware_interface::HardwareInfo& info,
                                     const dynamics::Plant& plant, SystemParameters& parameters) {
  const dynamics::Model& model = plant.model();
  const auto all = [&](const char* name) -> std::string {
    const auto given = info.hardware_parameters.find(name);
    return given == info.hardware_parameters.end() ? "" : given->second;
  };
  const std::string tracking = all("tracking"), unclaimed = all("unclaimed");
  parameters.simulation.ideal.assign(model.size(),
                                     !tracking.empty() && ideal_from(tracking, "tracking"));
  parameters.unclaimed.assign(
      model.size(), unclaimed.empty() ? Unclaimed::hold : unclaimed_from(unclaimed, "unclaimed"));
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (plant.actuated(i)) continue;
    parameters.simulation.ideal[i] = false;
    parameters.unclaimed[i] = Unclaimed::free;
  }
  std::vector<SystemJoint> joints;
  for (const auto& one : info.joints) {
    const auto bodies = model.bodies();
    const auto body = std::find_if(bodies.begin(), bodies.end(),
                                   [&](const auto& each) { return each.joint == one.name; });
    if (body == bodies.end()) {
      fail("joint " + in_quotes(one.name) + " is not a moving joint of the robot");
    }
    SystemJoint joint;
    joint.name = one.name;
    joint.coordinate = body->coordinate;
    joint.multiplier = body->multiplier;
    joint.offset = body->offset;
    joint.mimic = model.is_mimic(static_cast<std::size_t>(body - bodies.begin()));
    for (const auto* interfaces : {&one.command_interfaces, &one.state_interfaces}) {
      for (const auto& interface : *interfaces) {
        if (interface.data_type.empty() || interface.data_type == "double") continue;
        fail("interface " + in_quotes(one.name + "/" + interface.name) + " is of type " +
             in_quotes(interface.data_type) + ": must be double");
      }
    }
    const auto require_actuator = [&](const std::string& what) {
      if (plant.actuated(joint.coordinate)) return;
      fail("joint " + in_quotes(one.name) + " has " + what +
           ", but no actuator: it follows from the closed loops of " + in_quotes(model.name()) +
           "; joints with an actuator: " + actuated_joints(plant));
    };
    for (const auto& interface : one.command_interfaces) {
      const auto kind = std::find(kind_names.begin(), kind_names.begin() + 3, interface.name);
      if (kind == kind_names.begin() + 3) {
        fail("joint " + in_quotes(one.name) + " has a command interface " +
             in_quotes(interface.name) + "; supported are position, velocity and effort");
      }
      if (joint.mimic) {
        fail("joint " + in_quotes(one.name) +
             " is a mimic joint and cannot have command interfaces");
      }
      require_actuator("a command interface " + in_quotes(interface.name));
      joint.commands[static_cast<std::size_t>(kind - kind_names.begin())] =
          one.name + "/" + interface.name;
    }
    for (const auto& interface : one.state_interfaces) {
      if (std::find(kind_names.begin(), kind_names.end(), interface.name) == kind_names.end()) {
        fail("joint " + in_quotes(one.name) + " has a state interface " +
             in_quotes(interface.name) +
             "; supported are position, velocity, effort and acceleration");
      }
    }
    const auto of_joint = " of joint " + in_quotes(one.name);
    if (const auto given = one.parameters.find("unclaimed"); given != one.parameters.end()) {
      require_actuator("a parameter 'unclaimed'");
      parameters.unclaimed[joint.coordinate] =
          unclaimed_from(given->second, "parameter 'unclaimed'" + of_joint);
    }
    if (const auto given = one.parameters.find("tracking"); given != one.parameters.end()) {
      require_actuator("a parameter 'tracking'");
      parameters.simulation.ideal[joint.coordinate] =
          ideal_from(given->second, "parameter 'tracking'" + of_joint);
    }
    joints.push_back(std::move(joint));
  }
  return joints;
}

SystemState read_initial_values(const hardware_interface::HardwareInfo& info,
                                dynamics::RealTimeSimulation& robot,
                                const std::vector<SystemJoint>& joints,
                                const SystemParameters& parameters) {
  const auto coordinates = robot.model().coordinates();
  SystemState start = {std::vector<double>(robot.size(), 0.0),
                       std::vector<double>(robot.size(), 0.0)};
  if (const dynamics::Mechanism* mechanism = robot.plant().mechanism()) {
    start.q.assign(mechanism->start().begin(), mechanism->start().end());
  } else if (parameters.simulation.limits) {
    for (std::size_t i = 0; i < robot.joints(); ++i) {
      start.q[i] = std::clamp(0.0, coordinates[i].lower, coordinates[i].upper);
    }
  }
  std::vector<bool> has_q(robot.size(), false), has_qd(robot.size(), false);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const SystemJoint& joint = joints[j];
    const auto& described = info.joints[j];
    const auto initial = [&](Kind kind) -> std::optional<double> {
      for (const auto* interfaces : {&described.state_interfaces, &described.command_interfaces}) {
        for (const auto& interface : *interfaces) {
          if (interface.name != kind_names[kind] || interface.initial_value.empty()) continue;
          return number(interface.initial_value,
                        "initial_value of " + in_quotes(joint.name + "/" + interface.name));
        }
      }
      return std::nullopt;
    };
    if (joint.mimic) continue;  // its position follows from the mimicked joint
    if (const auto q = initial(position)) {
      const auto& limits = coordinates[joint.coordinate];
      if (parameters.simulation.limits && (*q < limits.lower || *q > limits.upper)) {
        fail("joint " + in_quotes(joint.name) + ": initial position " + std::to_string(*q) +
             " is outside the limits " + std::to_string(limits.lower) + " and " +
             std::to_string(limits.upper));
      }
      start.q[joint.coordinate] = *q;
      has_q[joint.coordinate] = true;
    }
    if (const auto qd = initial(velocity)) {
      start.qd[joint.coordinate] = *qd;
      has_qd[joint.coordinate] = true;
    }
  }
  if (parameters.static_deflection && robot.size() > robot.joints()) {
    const dynamics::FlexibleModel flexible(robot.model());
    const Eigen::VectorXd bent = dynamics::static_deflection(flexible, start.q);
    start.q.assign(bent.begin(), bent.end());
  }
  return closed_state(robot, start, has_q, has_qd);
}

}  // namespace dynamics_sim
