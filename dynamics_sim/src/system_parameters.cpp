// SPDX-License-Identifier: Apache-2.0
#include "dynamics_sim/system_parameters.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <dynamics_core/flexible_links.hpp>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace dynamics_sim {
namespace {

[[noreturn]] void fail(const std::string& message) { throw std::invalid_argument(message); }

std::string in_quotes(const std::string& text) { return std::string("'") + text + "'"; }

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
  const std::vector<double> values = numbers_from(text, what);
  if (values.size() != 3) fail(what + " is " + in_quotes(text) + ": must be three numbers");
  return Eigen::Vector3d::Map(values.data());
}

std::size_t whole(const std::string& text, const std::string& what) {
  const double value = number_from(text, what);
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

/// A parameter's value in a block, or null.
const std::string* parameter_of(const hardware_interface::HardwareInfo& info,
                                const std::string& name) {
  const auto given = info.hardware_parameters.find(name);
  return given == info.hardware_parameters.end() ? nullptr : &given->second;
}

/// Whether two texts are the same words or numbers.
bool same_value(const std::string& a, const std::string& b) {
  std::istringstream first(a), second(b);
  for (;;) {
    std::string x, y;
    const bool more = static_cast<bool>(first >> x);
    if (more != static_cast<bool>(second >> y)) return false;
    if (!more) return true;
    if (x == y) continue;
    try {
      if (number_from(x, "") != number_from(y, "")) return false;
    } catch (const std::invalid_argument&) {
      return false;
    }
  }
}

using Setter = std::function<void(const std::string& text, const std::string& what)>;

/// The parameters of a robot.
std::map<std::string, Setter> setters(SystemParameters& read) {
  return {
      {"step", [&](auto& text, auto& what) { read.simulation.step = number_from(text, what); }},
      {"bandwidth",
       [&](auto& text, auto& what) { read.simulation.bandwidth = number_from(text, what); }},
      {"limits", [&](auto& text, auto& what) { read.simulation.limits = boolean(text, what); }},
      {"substeps", [&](auto& text, auto& what) { read.simulation.substeps = whole(text, what); }},
      {"largest_period",
       [&](auto& text, auto& what) { read.largest_period = number_from(text, what); }},
      {"gravity", [&](auto& text, auto& what) { read.model.gravity = three(text, what); }},
      {"initial_deflection",
       [&](auto& text, auto& what) { read.static_deflection = deflection_from(text, what); }},
      {"wrench_duration",
       [&](auto& text, auto& what) { read.wrench_duration = number_from(text, what); }},
      {"payload_topic", [&](auto& text, auto&) { read.payload_topic = text; }}};
}

/// Parameters of the joints of a block.
const std::map<std::string, Setter>& joint_setters() {
  static const std::map<std::string, Setter> all = {
      {"tracking", [](auto& text, auto& what) { ideal_from(text, what); }},
      {"unclaimed", [](auto& text, auto& what) { unclaimed_from(text, what); }}};
  return all;
}

/// The value that all blocks give, empty if they differ or one gives none.
std::string common_value(std::span<const SystemBlock> blocks, const std::string& name) {
  const std::string* first = parameter_of(blocks.front().info, name);
  if (first == nullptr) return "";
  for (const SystemBlock& block : blocks) {
    const std::string* other = parameter_of(block.info, name);
    if (other == nullptr || *other != *first) return "";
  }
  return *first;
}

}  // namespace

double number_from(const std::string& text, const std::string& what) {
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || last != end || !std::isfinite(value)) {
    fail(what + " is " + in_quotes(text) + ": must be a finite number");
  }
  return value;
}

std::vector<double> numbers_from(const std::string& text, const std::string& what) {
  std::istringstream words(text);
  std::vector<double> values;
  for (std::string word; words >> word;) values.push_back(number_from(word, what));
  return values;
}

std::vector<std::string> unknown_parameters(const hardware_interface::HardwareInfo& info) {
  SystemParameters ignored;
  const auto known = setters(ignored);
  std::vector<std::string> names;
  for (const auto& [name, text] : info.hardware_parameters) {
    if (!known.contains(name) && !joint_setters().contains(name)) names.push_back(name);
  }
  return names;
}

SystemParameters read_parameters(std::span<const SystemBlock> blocks) {
  SystemParameters read;
  for (const auto& [name, set] : setters(read)) {
    const SystemBlock* first = nullptr;
    for (const SystemBlock& block : blocks) {
      const std::string* text = parameter_of(block.info, name);
      if (text == nullptr) continue;
      set(*text, "parameter " + in_quotes(name));
      if (first == nullptr) first = &block;
      const std::string& before = *parameter_of(first->info, name);
      if (same_value(before, *text)) continue;
      fail("parameter " + in_quotes(name) + " is " + in_quotes(before) + " in block " +
           in_quotes(first->info.name) + " and " + in_quotes(*text) + " in block " +
           in_quotes(block.info.name) +
           ": the blocks share one simulation; give the same value, or give it once");
    }
  }
  for (const auto& [name, check] : joint_setters()) {
    for (const SystemBlock& block : blocks) {
      if (const std::string* text = parameter_of(block.info, name))
        check(*text, "parameter " + in_quotes(name));
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
  if (!(read.wrench_duration > 0.0 && read.wrench_duration <= 3600.0)) {
    fail("parameter 'wrench_duration' is " + std::to_string(read.wrench_duration) +
         " s: must be greater than 0 and at most 3600");
  }
  return read;
}

namespace {

/// One joint of a block, and its effect on the parameters.
SystemJoint read_joint(const SystemBlock& block, const hardware_interface::ComponentInfo& one,
                       const dynamics::Plant& plant, SystemParameters& parameters) {
  const dynamics::Model& model = plant.model();
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
  const auto kind_of = [](const std::string& name) {
    return static_cast<std::size_t>(std::find(kind_names.begin(), kind_names.end(), name) -
                                    kind_names.begin());
  };
  for (const auto* interfaces : {&one.command_interfaces, &one.state_interfaces}) {
    for (const auto& interface : *interfaces) {
      if (kind_of(interface.name) == kind_names.size()) continue;
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
    const std::size_t kind = kind_of(interface.name);
    if (kind == kind_names.size()) continue;  // mirrored
    if (joint.mimic) {
      fail("joint " + in_quotes(one.name) + " is a mimic joint and cannot have command interfaces");
    }
    require_actuator("a command interface " + in_quotes(interface.name));
    joint.commands[kind] = one.name + "/" + interface.name;
  }
  const auto apply = [&](const std::string& name, const std::string& text,
                         const std::string& what) {
    if (name == "unclaimed") {
      parameters.unclaimed[joint.coordinate] = unclaimed_from(text, what);
    } else {
      parameters.simulation.ideal[joint.coordinate] = ideal_from(text, what);
    }
  };
  for (const std::string name : {"unclaimed", "tracking"}) {
    const std::string what = "parameter " + in_quotes(name);
    const std::string* of_block = parameter_of(block.info, name);
    if (of_block != nullptr && !joint.mimic && plant.actuated(joint.coordinate))
      apply(name, *of_block, what);
    const auto given = one.parameters.find(name);
    if (given == one.parameters.end()) continue;
    require_actuator("a " + what);
    apply(name, given->second, what + " of joint " + in_quotes(one.name));
  }
  return joint;
}

}  // namespace

void read_joints(std::span<SystemBlock> blocks, const dynamics::Plant& plant,
                 SystemParameters& parameters) {
  const std::size_t count = plant.model().size();
  const std::string tracking = common_value(blocks, "tracking");
  const std::string unclaimed = common_value(blocks, "unclaimed");
  parameters.simulation.ideal.assign(count, !tracking.empty() && ideal_from(tracking, "tracking"));
  parameters.unclaimed.assign(
      count, unclaimed.empty() ? Unclaimed::hold : unclaimed_from(unclaimed, "unclaimed"));
  for (std::size_t i = 0; i < count; ++i) {
    if (plant.actuated(i)) continue;
    parameters.simulation.ideal[i] = false;
    parameters.unclaimed[i] = Unclaimed::free;
  }
  std::map<std::string, std::string> block_of;
  for (SystemBlock& block : blocks) {
    block.joints.clear();
    for (const auto& one : block.info.joints) {
      const auto [other, is_new] = block_of.emplace(one.name, block.info.name);
      if (!is_new) {
        fail("joint " + in_quotes(one.name) + " is in block " + in_quotes(other->second) +
             " and in block " + in_quotes(block.info.name) + ": must be in one");
      }
      block.joints.push_back(read_joint(block, one, plant, parameters));
    }
  }
}

namespace {

/// The values that a block prescribes.
struct Prescribed {
  SystemState state;
  std::vector<bool> has_q, has_qd;
};

void read_initial_values(const SystemBlock& block,
                         std::span<const dynamics::Coordinate> coordinates, bool limited,
                         Prescribed& to) {
  for (std::size_t j = 0; j < block.joints.size(); ++j) {
    const SystemJoint& joint = block.joints[j];
    const auto& described = block.info.joints[j];
    const auto initial = [&](Kind kind) -> std::optional<double> {
      for (const auto* interfaces : {&described.state_interfaces, &described.command_interfaces}) {
        for (const auto& interface : *interfaces) {
          if (interface.name != kind_names[kind] || interface.initial_value.empty()) continue;
          return number_from(interface.initial_value,
                             "initial_value of " + in_quotes(joint.name + "/" + interface.name));
        }
      }
      return std::nullopt;
    };
    if (joint.mimic) continue;  // its position follows from the mimicked joint
    if (const auto q = initial(position)) {
      const auto& limits = coordinates[joint.coordinate];
      if (limited && (*q < limits.lower || *q > limits.upper)) {
        fail("joint " + in_quotes(joint.name) + ": initial position " + std::to_string(*q) +
             " is outside the limits " + std::to_string(limits.lower) + " and " +
             std::to_string(limits.upper));
      }
      to.state.q[joint.coordinate] = *q;
      to.has_q[joint.coordinate] = true;
    }
    if (const auto qd = initial(velocity)) {
      to.state.qd[joint.coordinate] = *qd;
      to.has_qd[joint.coordinate] = true;
    }
  }
}

}  // namespace

SystemState read_initial_values(std::span<const SystemBlock> blocks,
                                dynamics::RealTimeSimulation& robot,
                                const SystemParameters& parameters) {
  const auto coordinates = robot.model().coordinates();
  const std::vector<double> zeros(robot.size(), 0.0);
  const std::vector<bool> none(robot.size(), false);
  Prescribed prescribed = {{zeros, zeros}, none, none};
  SystemState& start = prescribed.state;
  if (const dynamics::Mechanism* mechanism = robot.plant().mechanism()) {
    start.q.assign(mechanism->start().begin(), mechanism->start().end());
  } else if (parameters.simulation.limits) {
    for (std::size_t i = 0; i < robot.joints(); ++i) {
      start.q[i] = std::clamp(0.0, coordinates[i].lower, coordinates[i].upper);
    }
  }
  for (const SystemBlock& block : blocks)
    read_initial_values(block, coordinates, parameters.simulation.limits, prescribed);
  if (parameters.static_deflection && robot.size() > robot.joints()) {
    const dynamics::FlexibleModel flexible(robot.model());
    const Eigen::VectorXd bent = dynamics::static_deflection(flexible, start.q);
    start.q.assign(bent.begin(), bent.end());
  }
  return closed_state(robot, start, prescribed.has_q, prescribed.has_qd);
}

}  // namespace dynamics_sim
