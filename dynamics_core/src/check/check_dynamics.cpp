// SPDX-License-Identifier: Apache-2.0
// Checks of the complete model: forward dynamics, conditioning, and whether a DH table can say it.

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

/// The k-th number of the additive sequence of coordinate i, whose step is a square root that is no
/// whole number: spread evenly, and the same on every machine.
double spread(std::size_t k, std::size_t i) {
  const double step = std::sqrt(static_cast<double>(4 * i * i + 4 * i + 3));
  const double x = 0.5 + static_cast<double>(k) * step;
  return x - std::floor(x);
}

void sample_positions(const Model& model, std::size_t k, VectorXd& q) {
  for (std::size_t i = 0; i < model.size(); ++i) {
    const Coordinate& coordinate = model.coordinates()[i];
    const double free = coordinate.prismatic ? 1.0 : std::numbers::pi;
    double low = std::max(coordinate.lower, -free), high = std::min(coordinate.upper, free);
    if (!(low <= high)) low = coordinate.lower, high = coordinate.upper;
    if (!std::isfinite(low) || !std::isfinite(high)) low = high = 0.0;
    q[static_cast<Eigen::Index>(i)] = low + spread(k, i) * (high - low);
  }
  // at +-90 degrees a floating joint's roll and yaw are one, which is not the robot's fault
  for (const std::size_t pitch : model.pitch_coordinates())
    q[static_cast<Eigen::Index>(pitch)] *= 0.3;
}

ConditionRange sample_condition(const Model& model, std::size_t samples) {
  const auto n = static_cast<Eigen::Index>(model.size());
  Workspace workspace(model);
  VectorXd q(n);
  MatrixXd M(n, n);
  ConditionRange range;
  std::vector<double> conditions;
  for (std::size_t k = 0; k < samples; ++k) {
    sample_positions(model, k, q);
    inertia_matrix(model, workspace, q, M);
    const auto condition_of = [](const VectorXd& values) {
      const double least = values[0], most = values[values.size() - 1];
      return least > 0.0 ? most / least : std::numeric_limits<double>::infinity();
    };
    conditions.push_back(condition_of(symmetric_eigenvalues(M)));
    const VectorXd scale = M.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
    const SymmetricModes scaled = symmetric_modes(scale.asDiagonal() * M * scale.asDiagonal());
    const double condition = condition_of(scaled.values);
    if (k == 0 || condition > range.largest_scaled) {
      range.largest_scaled = condition;
      range.worst_position.assign(q.begin(), q.end());
      Eigen::Index weakest = 0;
      scaled.vectors.col(0).cwiseAbs().maxCoeff(&weakest);
      range.weakest = model.coordinates()[static_cast<std::size_t>(weakest)].name;
    }
  }
  std::sort(conditions.begin(), conditions.end());
  range.samples = conditions.size();
  range.smallest = conditions.front();
  range.median = conditions[conditions.size() / 2];
  range.largest = conditions.back();
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
                   "forward dynamics needs an inertia about every axis");
    }
    return;
  }
  if (!options.condition || model.size() == 0) return;
  if (model.size() > options.condition_coordinates) {
    robot.report(Severity::information, Kind::robot, robot.name, "condition-not-sampled",
                 fmt::format("has {} coordinates: the condition of its inertia matrix was not "
                             "sampled",
                             model.size()),
                 "");
    return;
  }
  const std::size_t fewer = 6'000'000 / (model.size() * model.size() * model.size() + 1) + 4;
  report.condition =
      sample_condition(model, std::clamp<std::size_t>(fewer, 1, options.condition_samples));
  const ConditionRange& range = *report.condition;
  if (!(range.largest_scaled < 1e8) || !(range.largest < 1e12)) {
    robot.report(
        Severity::warning, Kind::robot, robot.name, "condition",
        fmt::format("the condition number of its inertia matrix reaches {:.2g} ({:.2g} with a unit "
                    "diagonal): forward dynamics loses {:.0f} of 16 digits, most for joint '{}'",
                    range.largest, range.largest_scaled,
                    std::min(16.0, std::log10(range.largest_scaled)), range.weakest),
        "light links that carry heavy ones, or masses that are too small: check the bodies that "
        "joint moves, or give it a rotor inertia");
  }
}

void check_dh_expressible(const RobotDescription& description, ParsedRobot& robot) {
  std::string reasons;
  const auto because = [&](const std::string& reason) {
    reasons += (reasons.empty() ? "" : "; ") + reason;
  };
  // what moves with a link by fixed joints only is part of its body; a branch has a joint that
  // moves
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
      because(fmt::format("it branches at link '{}'", robot.links[i].name));
      break;
    }
  }
  std::size_t mimics = 0, composed = 0, moving = 0;
  const JointDescription* first = nullptr;
  for (const JointDescription& joint : description.joints) {
    if (joint.type == JointType::fixed) continue;
    ++moving;
    if (joint.mimic) ++mimics;
    if (joint.type == JointType::planar || joint.type == JointType::floating) ++composed;
    const auto parent = robot.link_index.find(joint.parent);
    if (first == nullptr && parent != robot.link_index.end() &&
        robot.parent_joint[parent->second] < 0) {
      first = &joint;
    }
  }
  if (moving == 0) because("it has no moving joint");
  if (mimics > 0) because(fmt::format("{} joints mimic others", mimics));
  if (composed > 0) because(fmt::format("{} joints are planar or floating", composed));
  if (first != nullptr && reasons.empty()) {
    const Eigen::Vector3d axis = (first->origin.rotation * first->axis).normalized();
    const Eigen::Vector3d& at = first->origin.translation;
    const bool along = std::hypot(axis.x(), axis.y()) < 1e-6 && axis.z() > 0.0;
    const bool through = first->type == JointType::prismatic || std::hypot(at.x(), at.y()) < 1e-6;
    if (!along || !through) {
      because(fmt::format("joint '{}' is not about the base's z, where a table's first one is",
                          first->name));
    }
  }
  if (reasons.empty()) return;
  robot.report(Severity::information, Kind::robot, robot.name, "dh-impossible",
               "a DH table cannot say the same: " + reasons, "");
}

}  // namespace dynamics::check
