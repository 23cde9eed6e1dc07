// SPDX-License-Identifier: Apache-2.0
// Origins, axes, limits, friction and mimics that a joint can have.

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
      report(Severity::error, "number", "its origin is not finite", "give xyz as finite numbers");
    }
    if (joint_.rotation && !is_rotation(*joint_.rotation)) {
      report(Severity::error, "number", "its origin's rotation is not a rotation matrix",
             "its columns must be orthogonal unit vectors, right-handed");
    }
  }

  void check_axis() {
    if (!joint_.moves() || joint_.type == JointType::floating) return;
    if (!joint_.has_axis) {
      if (joint_.axis_element) {
        report(Severity::error, "axis-zero", "its <axis> has no xyz",
               "give a direction such as xyz=\"0 0 1\"", joint_.axis_line);
      }
      return;
    }
    if (!joint_.axis) return;  // already reported
    if (!joint_.axis->allFinite()) {
      report(Severity::error, "number", "its axis is not finite", "give three finite numbers",
             joint_.axis_line);
    } else if (joint_.axis->norm() < 1e-9) {
      report(Severity::error, "axis-zero", "its axis is zero", "give a direction such as \"0 0 1\"",
             joint_.axis_line);
    }
  }

  void check_limits() {
    if (!joint_.moves() || joint_.type == JointType::floating) return;
    if (!joint_.has_limit) {
      if (joint_.has_stops() && robot_.limits_required) {
        report(Severity::error, "limit-missing",
               fmt::format("is {} and has no <limit>", to_string(*joint_.type)),
               joint_.type == JointType::revolute
                   ? "give lower, upper, effort and velocity, or make it continuous"
                   : "give lower, upper, effort and velocity");
      }
      return;
    }
    check_amount("effort", joint_.effort, "exert no effort");
    check_amount("velocity", joint_.velocity, "never move");
    check_amount("acceleration", joint_.more.acceleration, "never move");
    check_amount("deceleration", joint_.more.deceleration, "never stop");
    check_amount("jerk", joint_.more.jerk, "never move");
    if (!joint_.has_stops()) return;
    const double lower = joint_.lower.value_or(0.0), upper = joint_.upper.value_or(0.0);
    if (!std::isfinite(lower) || !std::isfinite(upper)) {
      report(Severity::error, "limit-not-finite", "its stops are not finite",
             "use type continuous for a joint without stops", joint_.limit_line);
    } else if (lower > upper) {
      Finding& finding =
          report(Severity::error, "limit-order",
                 fmt::format("its lower limit {} is above its upper limit {}", lower, upper),
                 "exchange them", joint_.limit_line);
      // only where that gives a range around zero is it certain to be what was meant
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
             fmt::format("its {} limit is {}", name, *value), "it must be zero or more",
             joint_.limit_line);
    } else if (*value == 0.0) {
      report(Severity::warning, (name + "-zero").c_str(),
             fmt::format("has {} {} limit of 0: it can {}",
                         name == "effort" || name == "acceleration" ? "an" : "a", name, effect),
             "give the drive's; a large number where it is unknown", joint_.limit_line);
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
      report(Severity::error, code, fmt::format("its {} is {}", name, value),
             "it must be zero or more");
    }
    if (joint_.composed() && (joint_.friction > 0.0 || joint_.rotor_inertia > 0.0)) {
      report(Severity::warning, "friction-ignored",
             fmt::format("is {}: its Coulomb friction and rotor inertia are ignored",
                         to_string(*joint_.type)),
             "leave them out, or use single joints");
    }
  }

  void check_mimic() {
    if (!joint_.mimic) return;
    const Mimic& mimic = *joint_.mimic;
    if (joint_.type == JointType::fixed) {
      Finding& finding =
          report(Severity::warning, "mimic-unused",
                 "is fixed: that it mimics '" + mimic.joint + "' has no effect", "remove <mimic>");
      if (joint_.mimic_place) {
        robot_.fix(finding, {joint_.mimic_place->begin, joint_.mimic_place->end, ""});
      }
      return;
    }
    if (!std::isfinite(mimic.multiplier) || !std::isfinite(mimic.offset)) {
      report(Severity::error, "number", "its mimic multiplier or offset is not finite",
             "give finite numbers");
    }
    if (joint_.composed()) {
      report(Severity::error, "mimic-composed",
             fmt::format("is {} and mimics another joint", to_string(*joint_.type)),
             "only revolute, continuous and prismatic joints can");
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
    if (leader.type == JointType::fixed || leader.composed()) {
      report(Severity::error, "mimic-of-fixed",
             fmt::format("mimics joint '{}', which is {}", mimic.joint, to_string(*leader.type)),
             "only a revolute, continuous or prismatic joint can be mimicked");
    }
  }

  ParsedRobot& robot_;
  const ParsedJoint& joint_;
};

/// Mimic joints that follow each other in a ring; every joint is visited once.
void check_rings(ParsedRobot& robot) {
  enum class State { unseen, open, done };
  std::vector<State> state(robot.joints.size(), State::unseen);
  for (std::size_t start = 0; start < robot.joints.size(); ++start) {
    std::vector<std::size_t> path;
    std::size_t at = start;
    while (state[at] == State::unseen) {
      state[at] = State::open;
      path.push_back(at);
      const auto& mimic = robot.joints[at].mimic;
      if (!mimic || !robot.joints[at].moves()) break;
      const auto found = robot.joint_index.find(mimic->joint);
      if (found == robot.joint_index.end()) break;
      at = found->second;
      if (state[at] == State::open) {
        robot.report(Severity::error, robot.joints[at], "mimic-ring",
                     path.size() == 1 && path[0] == at ? "mimics itself"
                                                       : "mimics itself through other mimic joints",
                     "one joint of the ring must be free");
      }
    }
    for (const std::size_t joint : path) state[joint] = State::done;
  }
}

}  // namespace

void validate_joints(ParsedRobot& robot) {
  for (const ParsedJoint& joint : robot.joints) JointValidation(robot, joint).run();
  check_rings(robot);
}

}  // namespace dynamics
