// SPDX-License-Identifier: Apache-2.0
// Masses and inertia tensors that a body can have.

#include <fmt/format.h>

#include <cmath>

#include "model/parsed_robot.hpp"
#include "spatial/decompositions.hpp"

namespace dynamics {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Severity = Finding::Severity;

constexpr double rounding = 5e-3;  ///< of a tensor, relative

/// tr J/2 - J is positive semidefinite for every body: the smallest change that makes it so.
Matrix3d nearest_possible(const Matrix3d& inertia) {
  const PrincipalAxes principal =
      principal_axes(0.5 * inertia.trace() * Matrix3d::Identity() - inertia);
  const Matrix3d second =
      principal.axes * principal.moments.cwiseMax(0.0).asDiagonal() * principal.axes.transpose();
  return second.trace() * Matrix3d::Identity() - second;
}

Matrix3d parallel_axis(double mass, const Vector3d& c) {
  return mass * (c.squaredNorm() * Matrix3d::Identity() - c * c.transpose());
}

/// The link and everything that fixed joints connect to it below the next moving joint, as one
/// body. The base does not move: its own moments do not matter.
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
    if (mass_ > 0.0) inertia -= parallel_axis(mass_, moment_ / mass_);
    // the tensor about the origin was larger by the shift: its round-off may remain
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
      if (link.mass && link.centre && link.inertia) {
        const Vector3d centre = at.pose * *link.centre;
        mass_ += *link.mass;
        moment_ += *link.mass * centre;
        inertia_ += at.pose.rotation * *link.inertia * at.pose.rotation.transpose() +
                    parallel_axis(*link.mass, centre);
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
  Vector3d moment_ = Vector3d::Zero();
  Matrix3d inertia_ = Matrix3d::Zero();
};

class LinkValidation {
 public:
  LinkValidation(ParsedRobot& robot, std::size_t index)
      : robot_(robot), index_(index), link_(robot.links[index]) {}

  void run() {
    if (!link_.has_inertial) return;
    if (link_.centre && !link_.centre->allFinite()) {
      report(Severity::error, "number", "its mass centre is not finite",
             "give three finite coordinates");
    }
    if (link_.mass && !(*link_.mass >= 0.0 && std::isfinite(*link_.mass))) {
      report(Severity::error, std::isnan(*link_.mass) ? "number" : "mass-negative",
             fmt::format("its mass is {} kg", *link_.mass), "a mass is finite, and zero or more");
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
      report(Severity::error, "inertia-not-finite", "its inertia is not finite",
             "give six finite moments");
      return;
    }
    if (!inertia.isApprox(inertia.transpose(), 1e-9)) {
      report(Severity::error, "inertia-asymmetric", "its inertia is not symmetric",
             "ixy, ixz and iyz stand on both sides");
      return;
    }
    const double mass = *link_.mass;
    if (inertia.isZero(0.0)) {
      if (mass > 0.0) {
        report(Severity::warning, "inertia-zero",
               fmt::format("has a mass of {} kg but no inertia: treated as a point", mass),
               suggest_tensor(robot_, index_));
      }
      return;
    }
    if (mass == 0.0) {
      report(Severity::warning, "inertia-without-mass", "has an inertia but no mass",
             "give the mass that goes with it");
    }
    const Vector3d moments = principal_moments(inertia);
    const double largest = moments.cwiseAbs().maxCoeff();
    if (moments[0] < -1e-9 * largest) {
      const bool refused = MergedBody(robot_, index_).has_negative_moment();
      report(refused ? Severity::error : Severity::warning, "inertia-not-positive",
             fmt::format("has the negative principal moment of inertia {:.6g} kg m^2{}", moments[0],
                         refused ? "" : ", for which the links that are fixed to it make up"),
             "all three must be positive: are signs or products of inertia wrong? " +
                 suggest_tensor(robot_, index_));
    } else if (moments[0] + moments[1] < moments[2] - 1e-6 * largest) {
      report_triangle(moments);
    }
  }

  void report_triangle(const Vector3d& moments) {
    const double miss = (moments[2] - moments[0] - moments[1]) / moments[2];
    Finding& finding = report(
        Severity::warning, "inertia-triangle",
        fmt::format("violates the triangle inequality by {:.2g} %: principal moments {:.6g}, "
                    "{:.6g}, {:.6g} kg m^2, but no body has one larger than the sum of the others",
                    100.0 * miss, moments[0], moments[1], moments[2]),
        miss <= rounding ? "it is rounded: raise the two smaller moments by the difference"
                         : "compute the tensor again; " + suggest_tensor(robot_, index_));
    if (miss > rounding) return;
    const Matrix3d repaired = nearest_possible(*link_.tensor);
    constexpr Eigen::Index entries[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
    for (const auto& place : link_.tensor_places) {
      if (!place) return;  // left to the repair of what is missing
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
