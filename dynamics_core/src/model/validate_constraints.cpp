// SPDX-License-Identifier: Apache-2.0
// Errors of constraints that close loops: names, links, origins, axes and distances. Whether a loop
// can close needs kinematics: see loops/.

#include <fmt/format.h>

#include <cmath>
#include <unordered_set>

#include "model/parsed_robot.hpp"

namespace dynamics {
namespace {

class ConstraintValidation {
 public:
  ConstraintValidation(ParsedRobot& robot, const ParsedConstraint& constraint)
      : robot_(robot), constraint_(constraint) {}

  void run() {
    check_links();
    check_origin(constraint_.parent_origin, "parent_origin");
    check_origin(constraint_.child_origin, "child_origin");
    check_distance();
    if (!constraint_.has_axis()) return;
    check_axis(constraint_.has_parent_axis, constraint_.parent_axis, "parent_axis");
    const bool universal = *constraint_.type == ConstraintType::universal;
    if (universal || constraint_.has_child_axis)
      check_axis(constraint_.has_child_axis, constraint_.child_axis, "child_axis");
    if (*constraint_.type == ConstraintType::prismatic) check_same_axis();
  }

 private:
  void report(const char* code, std::string message, std::string repair) {
    robot_.report(Finding::Severity::error, constraint_, code, std::move(message),
                  std::move(repair));
  }

  void check_links() {
    const auto exists = [&](const std::string& link, const char* which) {
      if (link.empty()) {
        report("end-missing", fmt::format("<{} link=\"...\"/> is missing", which),
               "give the name of the link");
      } else if (!robot_.link_index.contains(link)) {
        report("end-unknown", fmt::format("{} link '{}' does not exist", which, link),
               "correct the name or add the link");
      } else {
        return true;
      }
      return false;
    };
    const bool parent = exists(constraint_.parent, "parent");
    const bool child = exists(constraint_.child, "child");
    if (parent && child && constraint_.parent == constraint_.child) {
      report("constraint-same-link",
             fmt::format("parent and child are the same link '{}'", constraint_.parent),
             "a constraint connects two links");
    }
  }

  void check_origin(const std::optional<Pose>& origin, const char* name) {
    if (!origin) return;  // already reported
    if (!origin->translation.allFinite())
      report("number", fmt::format("<{}> is not finite", name), "give xyz as finite numbers");
    if (!is_rotation(origin->rotation)) {
      report("number", fmt::format("rotation of <{}> is not a rotation matrix", name),
             "the columns must be orthogonal unit vectors and right-handed");
    }
  }

  void check_axis(bool given, const std::optional<Eigen::Vector3d>& axis, const char* name) {
    if (!given) {
      report("axis-missing",
             fmt::format("<{} xyz=\"...\"/> is missing (required for type {})", name,
                         to_string(*constraint_.type)),
             "give a direction such as xyz=\"0 0 1\"");
      return;
    }
    if (!axis) return;  // already reported
    if (!axis->allFinite()) {
      report("number", fmt::format("<{}> is not finite", name), "give three finite numbers");
    } else if (axis->norm() < 1e-9) {
      report("axis-zero", fmt::format("<{}> is zero", name),
             "give a direction such as xyz=\"0 0 1\"");
    }
  }

  /// The frames of a prismatic constraint have the same orientation.
  void check_same_axis() {
    const auto &a = constraint_.parent_axis, &b = constraint_.child_axis;
    if (!a || !b || !a->allFinite() || !b->allFinite()) return;
    if (a->norm() < 1e-9 || b->norm() < 1e-9) return;
    if ((a->normalized() - b->normalized()).norm() < 1e-6) return;
    report("constraint-axes",
           "<parent_axis> and <child_axis> differ, but the two frames of a prismatic constraint "
           "have the same orientation",
           "give the same axis twice, or leave out <child_axis>");
  }

  void check_distance() {
    if (constraint_.type != ConstraintType::distance) return;
    if (!constraint_.has_distance) {
      report("distance-missing", "value=\"...\" is missing (required for type distance)",
             "give the distance in m");
    } else if (constraint_.distance &&
               !(*constraint_.distance > 0.0 && std::isfinite(*constraint_.distance))) {
      report("distance-value", fmt::format("the distance is {} m", *constraint_.distance),
             "must be greater than zero; for zero use type spherical");
    }
  }

  ParsedRobot& robot_;
  const ParsedConstraint& constraint_;
};

}  // namespace

void validate_constraints(ParsedRobot& robot) {
  std::unordered_set<std::string> names;
  for (std::size_t i = 0; i < robot.constraints.size(); ++i) {
    const ParsedConstraint& constraint = robot.constraints[i];
    if (constraint.name.empty()) {
      robot.report(Finding::Severity::error, constraint, "name-missing",
                   fmt::format("constraint {} has no name", i + 1),
                   "write <constraint name=\"...\" type=\"...\">");
    } else if (!names.insert(constraint.name).second) {
      robot.report(Finding::Severity::error, constraint, "name-twice", "name is used twice",
                   "constraint names must be unique");
    } else if (robot.joint_index.contains(constraint.name)) {
      robot.report(Finding::Severity::error, constraint, "name-twice", "a joint has the same name",
                   "names of joints and constraints must differ");
    }
    ConstraintValidation(robot, constraint).run();
  }
}

}  // namespace dynamics
