// SPDX-License-Identifier: Apache-2.0
// Axes, ranges and mimics that are unlikely to be meant, and joints that move no mass.

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "check/plausibility.hpp"

namespace dynamics::check {
namespace {

using Eigen::Vector3d;

class JointChecks {
 public:
  explicit JointChecks(ParsedRobot& robot) : robot_(robot) {
    for (const ParsedJoint& joint : robot.joints) {
      if (joint.position) reach_ += joint.position->norm();
    }
  }

  void run() {
    for (const ParsedJoint& joint : robot_.joints) {
      check_axis(joint);
      check_limits(joint);
      check_mimic(joint);
      if (joint.composed()) {
        robot_.report(Severity::information, joint, "joint-composed",
                      fmt::format("is {}: {} coordinates {}/x ...", to_string(*joint.type),
                                  joint.type == JointType::planar ? 3 : 6, joint.name),
                      "");
      }
    }
    check_masses();
    if (reach_ > 100.0) {
      robot_.report(Severity::warning, Kind::robot, robot_.name, "reach",
                    fmt::format("its joints are {:.3g} m from each other in all", reach_),
                    "lengths are metres: were millimetres meant?");
    }
  }

 private:
  void check_axis(const ParsedJoint& joint) {
    if (!joint.moves() || joint.type == JointType::floating) return;
    if (!joint.axis_element) {
      Finding& finding =
          robot_.report(Severity::warning, joint, "axis-missing", "has no <axis>: URDF takes 1 0 0",
                        "write the axis out; most joints turn about z");
      if (joint.axis_insertion) robot_.fix(finding, *joint.axis_insertion);
      return;
    }
    if (!joint.axis || !joint.axis->allFinite()) return;
    const double norm = joint.axis->norm();
    if (norm < 1e-9 || std::abs(norm - 1.0) <= 1e-3) return;
    Finding& finding = robot_.report(
        Severity::warning, joint, "axis-not-unit",
        fmt::format("its axis has the length {:.6g}: other programs scale the motion by it", norm),
        "make it a unit vector");
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
    if (!joint.has_stops()) {
      if (lower != 0.0 || upper != 0.0) {
        report(Severity::information, "limit-ignored",
               fmt::format("is {}: its stops {} and {} are ignored", to_string(*joint.type), lower,
                           upper),
               joint.type == JointType::continuous ? "make it revolute, or leave them out" : "");
      }
      return;
    }
    if (!(lower <= upper)) return;  // validate() reports it
    if (lower == upper && !joint.mimic) {
      report(Severity::warning, "limit-range-zero",
             fmt::format("its lower and upper limit are both {}: it can never move", lower),
             "give its range, or make the joint fixed");
    }
    const double largest = std::max(std::abs(lower), std::abs(upper));
    if (joint.type == JointType::revolute && largest > 8.0 * std::numbers::pi) {
      report(Severity::warning, "limit-degrees",
             fmt::format("its stops {} and {} look like degrees", lower, upper),
             fmt::format("in radians they are {:.6g} and {:.6g}", lower / 180.0 * std::numbers::pi,
                         upper / 180.0 * std::numbers::pi));
    } else if (joint.type == JointType::prismatic && upper - lower < 1e6 &&
               upper - lower > 20.0 * std::max(1.0, reach_)) {
      report(Severity::warning, "limit-length",
             fmt::format("it slides over {:.4g} m", upper - lower),
             "limits are metres: were millimetres meant?");
    }
  }

  void check_mimic(const ParsedJoint& joint) {
    if (!joint.mimic || !joint.moves()) return;
    const Mimic& mimic = *joint.mimic;
    const auto found = robot_.joint_index.find(mimic.joint);
    if (found == robot_.joint_index.end()) return;
    const ParsedJoint& leader = robot_.joints[found->second];
    if (mimic.multiplier == 0.0) {
      robot_.report(Severity::warning, joint, "mimic-unused", "its multiplier is 0: it never moves",
                    "make it fixed");
    }
    if (joint.has_stops() && leader.has_stops() && joint.lower && joint.upper && leader.lower &&
        leader.upper) {
      double low = mimic.multiplier * *leader.lower + mimic.offset;
      double high = mimic.multiplier * *leader.upper + mimic.offset;
      if (low > high) std::swap(low, high);
      const double slack = 0.01 * std::max(high - low, 1e-6);
      if (low < *joint.lower - slack || high > *joint.upper + slack) {
        robot_.report(Severity::warning, joint, "mimic-range",
                      fmt::format("follows '{}' from {:.4g} to {:.4g}, beyond its own limits {} "
                                  "and {}",
                                  mimic.joint, low, high, *joint.lower, *joint.upper),
                      "widen its limits, or correct multiplier and offset");
      }
    }
  }

  /// Joints that move nothing at all.
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
    std::vector<bool> heavy(robot_.links.size(), false);
    for (std::size_t k = order.size(); k-- > 0;) {
      const ParsedLink& link = robot_.links[order[k]];
      const bool own =
          link.mass.value_or(0.0) > 0.0 || (link.inertia && !link.inertia->isZero(0.0));
      // what could not be read is not held against the joint as well
      const bool unknown = link.has_inertial && (!link.mass || !link.inertia);
      if (own || unknown) heavy[order[k]] = true;
      const int above = robot_.parent_joint[order[k]];
      if (above < 0) continue;
      const ParsedJoint& joint = robot_.joints[static_cast<std::size_t>(above)];
      if (heavy[order[k]] || joint.rotor_inertia > 0.0) {
        const auto parent = robot_.link_index.find(joint.parent);
        if (parent != robot_.link_index.end()) heavy[parent->second] = true;
      } else if (joint.moves() && !joint.mimic) {
        robot_.report(Severity::error, joint, "massless-leaf",
                      fmt::format("moves no mass (link '{}' and what hangs on it): forward "
                                  "dynamics is impossible",
                                  joint.child),
                      "give the link an <inertial>, the joint a rotor inertia, or make it fixed");
      }
    }
  }

  ParsedRobot& robot_;
  double reach_ = 0.0;
};

}  // namespace

void check_joints(ParsedRobot& robot) { JointChecks(robot).run(); }

}  // namespace dynamics::check
