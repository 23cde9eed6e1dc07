// SPDX-License-Identifier: Apache-2.0
// Implausible axes, limits and mimic joints, and joints that move no mass.

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "check/plausibility.hpp"

namespace dynamics::check {
namespace {

using Eigen::Vector3d;

class JointChecks {
 public:
  explicit JointChecks(ParsedRobot& robot) : robot_(robot), reach_(reach(robot)) {}

  void run() {
    for (const ParsedJoint& joint : robot_.joints) {
      check_axis(joint);
      check_limits(joint);
      check_mimic(joint);
      if (joint.is_multi_dof()) {
        robot_.report(Severity::information, joint, "joint-composed",
                      fmt::format("a {} joint has {} coordinates: {}/x ...", to_string(*joint.type),
                                  joint.type == JointType::planar ? 3 : 6, joint.name),
                      "");
      }
    }
    check_masses();
    if (reach_ > 100.0) {
      robot_.report(Severity::warning, Kind::robot, robot_.name, "reach",
                    fmt::format("distances between joints add up to {:.3g} m", reach_),
                    "lengths must be in meters, not millimeters");
    }
  }

 private:
  void check_axis(const ParsedJoint& joint) {
    if (!joint.moves() || joint.type == JointType::floating) return;
    if (!joint.axis_element) {
      Finding& finding = robot_.report(Severity::warning, joint, "axis-missing",
                                       "<axis> is missing: the default is 1 0 0",
                                       "write the axis explicitly (most joints rotate about z)");
      if (joint.axis_insertion) robot_.fix(finding, *joint.axis_insertion);
      return;
    }
    if (!joint.axis || !joint.axis->allFinite()) return;
    const double norm = joint.axis->norm();
    if (norm < 1e-9 || std::abs(norm - 1.0) <= 1e-3) return;
    Finding& finding = robot_.report(
        Severity::warning, joint, "axis-not-unit",
        fmt::format("axis has norm {:.6g}: other programs scale the motion by it", norm),
        "normalize the axis");
    if (joint.axis_line > 0) finding.line = joint.axis_line;
    if (!joint.axis_place) return;
    const Vector3d unit = *joint.axis / norm;
    robot_.fix(finding, {joint.axis_place->begin, joint.axis_place->end,
                         fmt::format("{:.16g} {:.16g} {:.16g}", unit.x(), unit.y(), unit.z())});
  }

  void check_limits(const ParsedJoint& joint) {
    if (!joint.moves() || joint.type == JointType::floating || !joint.has_limit) return;
    check_range(joint,
                [&](Severity severity, const char* code, std::string message, std::string repair) {
                  Finding& finding =
                      robot_.report(severity, joint, code, std::move(message), std::move(repair));
                  if (joint.limit_line > 0) finding.line = joint.limit_line;
                });
  }

  template <class Report>
  void check_range(const ParsedJoint& joint, const Report& report) {
    const double lower = joint.lower.value_or(0.0), upper = joint.upper.value_or(0.0);
    if (!joint.has_position_limits()) {
      if (lower != 0.0 || upper != 0.0) {
        report(Severity::information, "limit-ignored",
               fmt::format("position limits {1} and {2} of a {0} joint are ignored",
                           to_string(*joint.type), lower, upper),
               joint.type == JointType::continuous ? "make the joint revolute or remove them" : "");
      }
      return;
    }
    if (!(lower <= upper)) return;  // validate() reports it
    if (lower == upper && !joint.mimic) {
      report(Severity::warning, "limit-range-zero",
             fmt::format("lower and upper limit are both {}: the joint cannot move", lower),
             "give its range or make the joint fixed");
    }
    const double largest = std::max(std::abs(lower), std::abs(upper));
    if (joint.type == JointType::revolute && largest > 8.0 * std::numbers::pi) {
      report(Severity::warning, "limit-degrees",
             fmt::format("position limits {} and {} look like degrees", lower, upper),
             fmt::format("in radians they would be {:.6g} and {:.6g}",
                         lower / 180.0 * std::numbers::pi, upper / 180.0 * std::numbers::pi));
    } else if (joint.type == JointType::prismatic && upper - lower < 1e6 &&
               upper - lower > 20.0 * std::max(1.0, reach_)) {
      report(Severity::warning, "limit-length", fmt::format("range is {:.4g} m", upper - lower),
             "limits must be in meters, not millimeters");
    }
  }

  void check_mimic(const ParsedJoint& joint) {
    if (!joint.mimic || !joint.moves()) return;
    const Mimic& mimic = *joint.mimic;
    const auto found = robot_.joint_index.find(mimic.joint);
    if (found == robot_.joint_index.end()) return;
    const ParsedJoint& leader = robot_.joints[found->second];
    if (mimic.multiplier == 0.0) {
      robot_.report(Severity::warning, joint, "mimic-unused",
                    "mimic multiplier is 0: the joint cannot move", "make the joint fixed");
    }
    if (joint.has_position_limits() && leader.has_position_limits() && joint.lower && joint.upper &&
        leader.lower && leader.upper) {
      double low = mimic.multiplier * *leader.lower + mimic.offset;
      double high = mimic.multiplier * *leader.upper + mimic.offset;
      if (low > high) std::swap(low, high);
      const double slack = 0.01 * std::max(high - low, 1e-6);
      if (low < *joint.lower - slack || high > *joint.upper + slack) {
        robot_.report(Severity::warning, joint, "mimic-range",
                      fmt::format("follows '{}' from {:.4g} to {:.4g}, outside its limits {} and "
                                  "{}",
                                  mimic.joint, low, high, *joint.lower, *joint.upper),
                      "widen the limits or correct multiplier and offset");
      }
    }
  }

  /// Reports joints that move no mass.
  void check_masses() {
    std::vector<std::size_t> order;  // links, parents first
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      if (robot_.parent_joint[i] < 0) order.push_back(i);
    }
    for (std::size_t k = 0; k < order.size(); ++k) {
      for (const std::size_t joint : robot_.children[order[k]]) {
        const auto child = robot_.link_index.find(robot_.joints[joint].child);
        if (child == robot_.link_index.end()) continue;
        if (robot_.parent_joint[child->second] != static_cast<int>(joint)) continue;
        order.push_back(child->second);
      }
    }
    std::vector<bool> has_mass(robot_.links.size(), false);
    for (std::size_t k = order.size(); k-- > 0;) {
      const ParsedLink& link = robot_.links[order[k]];
      const bool own =
          link.mass.value_or(0.0) > 0.0 || (link.inertia && !link.inertia->isZero(0.0));
      // a mass that could not be read is already reported
      const bool unknown = link.has_inertial && (!link.mass || !link.inertia);
      if (own || unknown) has_mass[order[k]] = true;
      const int above = robot_.parent_joint[order[k]];
      if (above < 0) continue;
      const ParsedJoint& joint = robot_.joints[static_cast<std::size_t>(above)];
      if (has_mass[order[k]] || joint.rotor_inertia > 0.0) {
        const auto parent = robot_.link_index.find(joint.parent);
        if (parent != robot_.link_index.end()) has_mass[parent->second] = true;
      } else if (joint.moves() && !joint.mimic) {
        robot_.report(Severity::error, joint, "massless-leaf",
                      fmt::format("moves no mass (link '{}' and its descendants): forward dynamics "
                                  "is not defined",
                                  joint.child),
                      "give the link an <inertial> or the joint a rotor inertia, or make it fixed");
      }
    }
  }

  ParsedRobot& robot_;
  double reach_;
};

}  // namespace

double reach(const ParsedRobot& robot) {
  double sum = 0.0;
  for (const ParsedJoint& joint : robot.joints) {
    if (joint.position) sum += joint.position->norm();
  }
  return sum;
}

void check_joints(ParsedRobot& robot) { JointChecks(robot).run(); }

}  // namespace dynamics::check
