// SPDX-License-Identifier: Apache-2.0
// Checks of the model: forward dynamics, condition number of the inertia matrix, expressible as a
// DH table.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "check/plausibility.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "spatial/decompositions.hpp"

namespace dynamics::check {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Number k of a low-discrepancy (Kronecker) sequence in [0, 1) for coordinate i, with an
/// irrational step per coordinate. The same on every machine.
double kronecker(std::size_t k, std::size_t i) {
  const double step = std::sqrt(static_cast<double>(4 * i * i + 4 * i + 3));
  const double x = 0.5 + static_cast<double>(k) * step;
  return x - std::floor(x);
}

void sample_positions(const Model& model, std::size_t k, VectorXd& q) {
  for (std::size_t i = 0; i < model.size(); ++i) {
    const Coordinate& coordinate = model.coordinates()[i];
    const double range = coordinate.prismatic ? 1.0 : std::numbers::pi;
    double low = std::max(coordinate.lower, -range), high = std::min(coordinate.upper, range);
    if (!(low <= high)) low = coordinate.lower, high = coordinate.upper;
    if (!std::isfinite(low) || !std::isfinite(high)) low = high = 0.0;
    q[static_cast<Eigen::Index>(i)] = low + kronecker(k, i) * (high - low);
  }
  // away from the singularity of floating joints at +-90 degrees
  for (const std::size_t pitch : model.pitch_coordinates())
    q[static_cast<Eigen::Index>(pitch)] *= 0.3;
}

ConditionRange sample_condition(const Model& model, std::size_t samples) {
  const auto n = static_cast<Eigen::Index>(model.size());
  Workspace workspace(model);
  VectorXd q(n);
  MatrixXd M(n, n);
  ConditionRange range;
  std::vector<double> external;
  for (std::size_t k = 0; k < samples; ++k) {
    sample_positions(model, k, q);
    inertia_matrix(model, workspace, q, M);
    const auto condition_of = [](const VectorXd& values) {
      const double smallest = values[0], largest = values[values.size() - 1];
      return smallest > 0.0 ? largest / smallest : std::numeric_limits<double>::infinity();
    };
    external.push_back(condition_of(symmetric_eigenvalues(M)));
    const VectorXd scale = M.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
    const Eigenpairs scaled = symmetric_eigenpairs(scale.asDiagonal() * M * scale.asDiagonal());
    const double condition = condition_of(scaled.values);
    if (k == 0 || condition > range.largest_scaled) {
      range.largest_scaled = condition;
      range.worst_position.assign(q.begin(), q.end());
      Eigen::Index weakest = 0;
      scaled.vectors.col(0).cwiseAbs().maxCoeff(&weakest);
      range.weakest = model.coordinates()[static_cast<std::size_t>(weakest)].name;
    }
  }
  std::sort(external.begin(), external.end());
  range.samples = external.size();
  range.smallest = external.front();
  range.median = external[external.size() / 2];
  range.largest = external.back();
  return range;
}

}  // namespace

void check_dynamics(const Model& model, const CheckOptions& options, ParsedRobot& robot,
                    CheckReport& report) {
  if (!model.singular_reason().empty()) {
    const bool known = std::any_of(robot.findings.begin(), robot.findings.end(),
                                   [](const Finding& f) { return f.code == "massless-leaf"; });
    if (!known) {
      robot.report(Severity::error, Kind::robot, robot.name, "singular", model.singular_reason(),
                   "every joint must move some mass or have a rotor inertia");
    }
    return;
  }
  if (!options.condition || model.size() == 0) return;
  if (model.size() > options.condition_coordinates) {
    robot.report(Severity::information, Kind::robot, robot.name, "condition-not-sampled",
                 fmt::format("the condition number of the inertia matrix is not sampled for {} "
                             "coordinates",
                             model.size()),
                 "");
    return;
  }
  const std::size_t affordable = 6'000'000 / (model.size() * model.size() * model.size() + 1) + 4;
  report.condition =
      sample_condition(model, std::clamp<std::size_t>(affordable, 1, options.condition_samples));
  const ConditionRange& range = *report.condition;
  if (!(range.largest_scaled < 1e8) || !(range.largest < 1e12)) {
    robot.report(
        Severity::warning, Kind::robot, robot.name, "condition",
        fmt::format(
            "condition number of the inertia matrix reaches {:.2g} ({:.2g} scaled to a unit "
            "diagonal): forward dynamics loses up to {:.0f} of 16 digits, most for joint '{}'",
            range.largest, range.largest_scaled, std::min(16.0, std::log10(range.largest_scaled)),
            range.weakest),
        "check the masses of the links that this joint moves (light links that carry heavy ones), "
        "or "
        "give it a rotor inertia");
  }
}

void check_dh_expressible(const RobotDescription& description, ParsedRobot& robot) {
  std::string reasons;
  const auto add_reason = [&](const std::string& reason) {
    reasons += (reasons.empty() ? "" : "; ") + reason;
  };
  // links that are moved by a joint, or carry such a link
  std::vector<bool> moves(robot.links.size(), false);
  for (const ParsedJoint& joint : robot.joints) {
    if (!joint.moves()) continue;
    auto at = robot.link_index.find(joint.child);
    while (at != robot.link_index.end() && !moves[at->second]) {
      moves[at->second] = true;
      const int above = robot.parent_joint[at->second];
      if (above < 0) break;
      at = robot.link_index.find(robot.joints[static_cast<std::size_t>(above)].parent);
    }
  }
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    const auto branches =
        std::count_if(robot.children[i].begin(), robot.children[i].end(), [&](std::size_t joint) {
          const auto child = robot.link_index.find(robot.joints[joint].child);
          return child != robot.link_index.end() && moves[child->second];
        });
    if (branches > 1) {
      add_reason(fmt::format("it branches at link '{}'", robot.links[i].name));
      break;
    }
  }
  std::size_t mimics = 0, multi_dof = 0, moving = 0;
  const JointDescription* first = nullptr;
  for (const JointDescription& joint : description.joints) {
    if (joint.type == JointType::fixed) continue;
    ++moving;
    if (joint.mimic) ++mimics;
    if (joint.type == JointType::planar || joint.type == JointType::floating) ++multi_dof;
    const auto parent = robot.link_index.find(joint.parent);
    if (first == nullptr && parent != robot.link_index.end() &&
        robot.parent_joint[parent->second] < 0) {
      first = &joint;
    }
  }
  if (moving == 0) add_reason("it has no moving joint");
  if (mimics > 0) add_reason(fmt::format("{} joints mimic others", mimics));
  if (multi_dof > 0) add_reason(fmt::format("{} joints are planar or floating", multi_dof));
  if (first != nullptr && reasons.empty()) {
    const Eigen::Vector3d axis = (first->origin.rotation * first->axis).normalized();
    const Eigen::Vector3d& at = first->origin.translation;
    const bool along = std::hypot(axis.x(), axis.y()) < 1e-6 && axis.z() > 0.0;
    const bool through = first->type == JointType::prismatic || std::hypot(at.x(), at.y()) < 1e-6;
    if (!along || !through) {
      add_reason(fmt::format(
          "the axis of joint '{}' is not the z axis of the base, as that of the first joint of a "
          "table",
          first->name));
    }
  }
  if (reasons.empty()) return;
  robot.report(Severity::information, Kind::robot, robot.name, "dh-impossible",
               "cannot be written as a DH table: " + reasons, "");
}

}  // namespace dynamics::check
