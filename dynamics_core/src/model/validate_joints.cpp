// SPDX-License-Identifier: Apache-2.0
// Errors of joints: origin, axis, limits, friction and mimic.

#include <fmt/format.h>

#include <cmath>

#include "model/parsed_robot.hpp"

namespace dynamics {
namespace {

using Eigen::Vector3d;
using Severity = Finding::Severity;

class JointValidation {
 public:
  JointValidation(ParsedRobot& robot, const ParsedJoint& joint) : robot_(robot), joint_(joint) {}

  void run() {
    check_origin();
    check_axis();
    check_limits();
    check_friction();
    check_mimic();
  }

 private:
  Finding& report(Severity severity, const char* code, std::string message, std::string repair,
                  std::size_t line = 0) {
    Finding& finding = robot_.report(severity, joint_, code, std::move(message), std::move(repair));
    if (line > 0) finding.line = line;
    return finding;
  }

  void check_origin() {
    if (joint_.position && !joint_.position->allFinite()) {
      report(Severity::error, "number", "origin is not finite", "give xyz as finite numbers");
    }
    if (joint_.rotation && !is_rotation(*joint_.rotation)) {
      report(Severity::error, "number", "rotation of the origin is not a rotation matrix",
             "the columns must be orthogonal unit vectors and right-handed");
    }
  }

  void check_axis() {
    if (!joint_.moves() || joint_.type == JointType::floating) return;
    if (!joint_.has_axis) {
      if (joint_.axis_element) {
        report(Severity::error, "axis-zero", "<axis> has no xyz",
               "give a direction such as xyz=\"0 0 1\"", joint_.axis_line);
      }
      return;
    }
    if (!joint_.axis) return;  // already reported
    if (!joint_.axis->allFinite()) {
      report(Severity::error, "number", "axis is not finite", "give three finite numbers",
             joint_.axis_line);
    } else if (joint_.axis->norm() < 1e-9) {
      report(Severity::error, "axis-zero", "axis is zero", "give a direction such as \"0 0 1\"",
             joint_.axis_line);
    }
  }

  void check_limits() {
    if (!joint_.moves() || joint_.type == JointType::floating) return;
    if (!joint_.has_limit) {
      if (joint_.has_position_limits() && robot_.limits_required) {
        report(Severity::error, "limit-missing",
               fmt::format("<limit> is missing (required for {} joints)", to_string(*joint_.type)),
               joint_.type == JointType::revolute
                   ? "give lower, upper, effort and velocity, or make the joint continuous"
                   : "give lower, upper, effort and velocity");
      }
      return;
    }
    check_amount("effort", joint_.effort, "exert no effort");
    check_amount("velocity", joint_.velocity, "never move");
    check_amount("acceleration", joint_.extra_limits.acceleration, "never move");
    check_amount("deceleration", joint_.extra_limits.deceleration, "never stop");
    check_amount("jerk", joint_.extra_limits.jerk, "never move");
    if (!joint_.has_position_limits()) return;
    const double lower = joint_.lower.value_or(0.0), upper = joint_.upper.value_or(0.0);
    if (!std::isfinite(lower) || !std::isfinite(upper)) {
      report(Severity::error, "limit-not-finite", "position limits are not finite",
             "use type continuous for a joint without position limits", joint_.limit_line);
    } else if (lower > upper) {
      Finding& finding =
          report(Severity::error, "limit-order",
                 fmt::format("lower limit {} is above the upper limit {}", lower, upper),
                 "exchange them", joint_.limit_line);
      // the exchange is the only plausible repair if the range then contains zero
      if (lower < 0.0 || upper > 0.0 || !joint_.lower_place || !joint_.upper_place) return;
      const TextRange low = *joint_.lower_place, high = *joint_.upper_place;
      const auto text = [&](const TextRange& range) {
        return std::string(robot_.text.substr(range.begin, range.end - range.begin));
      };
      robot_.fix(finding, {low.begin, low.end, text(high)});
      robot_.fix(finding, {high.begin, high.end, text(low)});
    }
  }

  void check_amount(const std::string& name, std::optional<double> value, const char* effect) {
    if (!value) return;
    if (*value < 0.0 || std::isnan(*value)) {
      report(Severity::error, (name + "-negative").c_str(),
             fmt::format("{} limit is {}", name, *value), "must not be negative",
             joint_.limit_line);
    } else if (*value == 0.0) {
      report(Severity::warning, (name + "-zero").c_str(),
             fmt::format("{} limit is 0: the joint can {}", name, effect),
             "give the limit of the drive, or a large number if it is unknown", joint_.limit_line);
    }
  }

  void check_friction() {
    if (!joint_.moves()) return;
    const std::tuple<const char*, const char*, double> values[] = {
        {"damping", "damping-negative", joint_.damping},
        {"friction", "friction-negative", joint_.friction},
        {"rotor inertia", "rotor-negative", joint_.rotor_inertia}};
    for (const auto& [name, code, value] : values) {
      if (value >= 0.0 && std::isfinite(value)) continue;
      report(Severity::error, code, fmt::format("{} is {}", name, value),
             "must be finite and not negative");
    }
    if (joint_.is_multi_dof() && (joint_.friction > 0.0 || joint_.rotor_inertia > 0.0)) {
      report(Severity::warning, "friction-ignored",
             fmt::format("Coulomb friction and rotor inertia of a {} joint are ignored",
                         to_string(*joint_.type)),
             "remove them, or use several single-axis joints");
    }
  }

  void check_mimic() {
    if (!joint_.mimic) return;
    const Mimic& mimic = *joint_.mimic;
    if (joint_.type == JointType::fixed) {
      Finding& finding = report(
          Severity::warning, "mimic-unused",
          "<mimic joint=\"" + mimic.joint + "\"> of a fixed joint has no effect", "remove <mimic>");
      if (joint_.mimic_place) {
        robot_.fix(finding, {joint_.mimic_place->begin, joint_.mimic_place->end, ""});
      }
      return;
    }
    if (!std::isfinite(mimic.multiplier) || !std::isfinite(mimic.offset)) {
      report(Severity::error, "number", "mimic multiplier or offset is not finite",
             "give finite numbers");
    }
    if (joint_.is_multi_dof()) {
      report(Severity::error, "mimic-composed",
             fmt::format("a {} joint cannot mimic another joint", to_string(*joint_.type)),
             "use a revolute, continuous or prismatic joint");
    }
    const auto found = robot_.joint_index.find(mimic.joint);
    if (found == robot_.joint_index.end()) {
      report(Severity::error, "mimic-unknown",
             mimic.joint.empty() ? "<mimic> has no joint=\"...\""
                                 : "mimics joint '" + mimic.joint + "', which does not exist",
             "name a joint of this robot");
      return;
    }
    const ParsedJoint& leader = robot_.joints[found->second];
    if (leader.type == JointType::fixed || leader.is_multi_dof()) {
      report(Severity::error, "mimic-of-fixed",
             fmt::format("mimics joint '{}', which is {}", mimic.joint, to_string(*leader.type)),
             "only a revolute, continuous or prismatic joint can be mimicked");
    }
  }

  ParsedRobot& robot_;
  const ParsedJoint& joint_;
};

/// Reports cycles of mimic joints. Visits every joint once.
void check_mimic_cycles(ParsedRobot& robot) {
  enum class State { unvisited, on_path, done };
  std::vector<State> state(robot.joints.size(), State::unvisited);
  for (std::size_t start = 0; start < robot.joints.size(); ++start) {
    std::vector<std::size_t> path;
    std::size_t at = start;
    while (state[at] == State::unvisited) {
      state[at] = State::on_path;
      path.push_back(at);
      const auto& mimic = robot.joints[at].mimic;
      if (!mimic || !robot.joints[at].moves()) break;
      const auto found = robot.joint_index.find(mimic->joint);
      if (found == robot.joint_index.end()) break;
      at = found->second;
      if (state[at] == State::on_path) {
        robot.report(Severity::error, robot.joints[at], "mimic-ring",
                     path.size() == 1 && path[0] == at ? "mimics itself"
                                                       : "mimics itself through other mimic joints",
                     "one joint of the cycle must be independent");
      }
    }
    for (const std::size_t joint : path) state[joint] = State::done;
  }
}

/// A planar or floating joint NAME has coordinates NAME/x, NAME/y, ...: no joint may have the same
/// name.
void check_coordinate_names(ParsedRobot& robot) {
  for (const ParsedJoint& joint : robot.joints) {
    if (!joint.is_multi_dof()) continue;
    for (const char* axis : {"/x", "/y", "/z", "/roll", "/pitch", "/yaw"}) {
      const auto found = robot.joint_index.find(joint.name + axis);
      if (found == robot.joint_index.end()) continue;
      robot.report(Severity::error, robot.joints[found->second], "coordinate-name",
                   fmt::format("has the name of a coordinate of the {} joint '{}'",
                               to_string(*joint.type), joint.name),
                   "rename one of the joints");
    }
  }
}

}  // namespace

void validate_joints(ParsedRobot& robot) {
  for (const ParsedJoint& joint : robot.joints) JointValidation(robot, joint).run();
  check_mimic_cycles(robot);
  check_coordinate_names(robot);
}

}  // namespace dynamics
