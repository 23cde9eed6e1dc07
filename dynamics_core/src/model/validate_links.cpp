// SPDX-License-Identifier: Apache-2.0
// Errors of links: mass, center of mass and inertia tensor.

#include <fmt/format.h>

#include <cmath>

#include "model/parsed_robot.hpp"
#include "spatial/decompositions.hpp"

namespace dynamics {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Severity = Finding::Severity;

constexpr double rounding = 5e-3;  ///< relative violation that is attributed to rounding

/// The nearest tensor of a real body: tr J/2 - J is projected on the positive semidefinite
/// matrices.
Matrix3d nearest_physical_inertia(const Matrix3d& inertia) {
  const PrincipalAxes principal =
      principal_axes(0.5 * inertia.trace() * Matrix3d::Identity() - inertia);
  const Matrix3d pseudo_inertia =
      principal.axes * principal.moments.cwiseMax(0.0).asDiagonal() * principal.axes.transpose();
  return pseudo_inertia.trace() * Matrix3d::Identity() - pseudo_inertia;
}

Matrix3d parallel_axis(double mass, const Vector3d& c) {
  return mass * (c.squaredNorm() * Matrix3d::Identity() - c * c.transpose());
}

/// Mass properties of the body that a link belongs to: all links connected by fixed joints. The
/// inertia of the base is not checked, since it does not move.
class MergedBody {
 public:
  MergedBody(const ParsedRobot& robot, std::size_t link) : robot_(robot) {
    std::size_t top = link;
    for (std::size_t steps = 0; steps < robot.links.size(); ++steps) {
      const int above = robot.parent_joint[top];
      if (above < 0) {
        on_base_ = true;
        return;
      }
      const ParsedJoint& joint = robot.joints[static_cast<std::size_t>(above)];
      if (joint.moves()) break;
      const auto parent = robot.link_index.find(joint.parent);
      if (parent == robot.link_index.end()) break;
      top = parent->second;
    }
    add(top);
  }

  bool has_negative_moment() const {
    if (on_base_) return false;
    Matrix3d inertia = inertia_;
    if (mass_ > 0.0) inertia -= parallel_axis(mass_, first_moment_ / mass_);
    // tolerance relative to the tensor about the origin, whose round-off remains
    return principal_moments(inertia)[0] < -1e-9 * inertia_.cwiseAbs().maxCoeff();
  }

 private:
  struct Placed {
    std::size_t link;
    Pose pose;
  };

  void add(std::size_t top) {
    std::vector<Placed> stack = {{top, Pose{}}};
    for (std::size_t steps = 0; !stack.empty() && steps <= robot_.links.size(); ++steps) {
      const Placed at = stack.back();
      stack.pop_back();
      const ParsedLink& link = robot_.links[at.link];
      if (link.mass && link.center && link.inertia) {
        const Vector3d center = at.pose * *link.center;
        mass_ += *link.mass;
        first_moment_ += *link.mass * center;
        inertia_ += at.pose.rotation * *link.inertia * at.pose.rotation.transpose() +
                    parallel_axis(*link.mass, center);
      }
      for (const std::size_t index : robot_.children[at.link]) {
        const ParsedJoint& joint = robot_.joints[index];
        const auto child = robot_.link_index.find(joint.child);
        if (joint.moves() || !joint.position || !joint.rotation ||
            child == robot_.link_index.end()) {
          continue;
        }
        stack.push_back({child->second, at.pose * Pose{*joint.rotation, *joint.position}});
      }
    }
  }

  const ParsedRobot& robot_;
  bool on_base_ = false;
  double mass_ = 0.0;
  Vector3d first_moment_ = Vector3d::Zero();
  Matrix3d inertia_ = Matrix3d::Zero();
};

class LinkValidation {
 public:
  LinkValidation(ParsedRobot& robot, std::size_t index)
      : robot_(robot), index_(index), link_(robot.links[index]) {}

  void run() {
    if (!link_.has_inertial) return;
    if (link_.center && !link_.center->allFinite()) {
      report(Severity::error, "number", "center of mass is not finite",
             "give three finite coordinates");
    }
    if (link_.mass && !(*link_.mass >= 0.0 && std::isfinite(*link_.mass))) {
      report(Severity::error, std::isnan(*link_.mass) ? "number" : "mass-negative",
             fmt::format("mass is {} kg", *link_.mass), "must be finite and not negative");
    }
    if (link_.inertia && link_.mass) check_tensor();
  }

 private:
  Finding& report(Severity severity, const char* code, std::string message, std::string repair) {
    Finding& finding = robot_.report(severity, link_, code, std::move(message), std::move(repair));
    if (link_.inertial_line > 0) finding.line = link_.inertial_line;
    return finding;
  }

  void check_tensor() {
    const Matrix3d& inertia = *link_.inertia;
    if (!inertia.allFinite()) {
      report(Severity::error, "inertia-not-finite", "inertia is not finite",
             "give six finite numbers");
      return;
    }
    if (!inertia.isApprox(inertia.transpose(), 1e-9)) {
      report(Severity::error, "inertia-asymmetric", "inertia is not symmetric",
             "entries (i, j) and (j, i) must be equal");
      return;
    }
    const double mass = *link_.mass;
    if (inertia.isZero(0.0)) {
      if (mass > 0.0) {
        report(Severity::warning, "inertia-zero",
               fmt::format("mass is {} kg but inertia is zero: treated as a point mass", mass),
               suggest_tensor(robot_, index_));
      }
      return;
    }
    if (mass == 0.0) {
      report(Severity::warning, "inertia-without-mass", "has an inertia but no mass",
             "give the mass");
    }
    const Vector3d moments = principal_moments(inertia);
    const double largest = moments.cwiseAbs().maxCoeff();
    if (moments[0] < -1e-9 * largest) {
      const bool refused = MergedBody(robot_, index_).has_negative_moment();
      report(refused ? Severity::error : Severity::warning, "inertia-not-positive",
             fmt::format("inertia has the negative principal moment {:.6g} kg m^2{}", moments[0],
                         refused ? "" : "; with the links fixed to it, it is positive"),
             "all three must be positive: check signs and products of inertia; " +
                 suggest_tensor(robot_, index_));
    } else if (moments[0] + moments[1] < moments[2] - 1e-6 * largest) {
      report_triangle(moments);
    }
  }

  void report_triangle(const Vector3d& moments) {
    const double violation = (moments[2] - moments[0] - moments[1]) / moments[2];
    Finding& finding = report(
        Severity::warning, "inertia-triangle",
        fmt::format(
            "inertia violates the triangle inequality by {:.2g} %: of the principal moments "
            "{:.6g}, {:.6g}, {:.6g} kg m^2 the largest exceeds the sum of the others",
            100.0 * violation, moments[0], moments[1], moments[2]),
        violation <= rounding ? "rounding error: increase the two smaller moments by the difference"
                              : "recompute the tensor; " + suggest_tensor(robot_, index_));
    if (violation > rounding) return;
    const Matrix3d repaired = nearest_physical_inertia(*link_.tensor);
    constexpr Eigen::Index entries[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
    for (const auto& place : link_.tensor_places) {
      if (!place) return;  // the repair of missing entries comes first
    }
    for (std::size_t i = 0; i < 6; ++i) {
      const double value = repaired(entries[i][0], entries[i][1]);
      const double old = (*link_.tensor)(entries[i][0], entries[i][1]);
      if (std::abs(value - old) <= 1e-15 * moments[2]) continue;
      const TextRange& place = *link_.tensor_places[i];
      robot_.fix(finding, {place.begin, place.end, fmt::format("{:.12g}", value)});
    }
  }

  ParsedRobot& robot_;
  std::size_t index_;
  const ParsedLink& link_;
};

}  // namespace

void validate_links(ParsedRobot& robot) {
  for (std::size_t i = 0; i < robot.links.size(); ++i) LinkValidation(robot, i).run();
}

}  // namespace dynamics
