// SPDX-License-Identifier: Apache-2.0
// Constraints of DH tables: the fields of the URDF's <constraint> by name.

#include <fmt/format.h>

#include <optional>

#include "readers/dh_values.hpp"

namespace dynamics::dh {
namespace {

ConstraintType read_type(const Cursor& at) {
  const std::string given = at.text();
  for (const ConstraintType type :
       {ConstraintType::fixed, ConstraintType::revolute, ConstraintType::prismatic,
        ConstraintType::spherical, ConstraintType::universal, ConstraintType::planar,
        ConstraintType::distance}) {
    if (given == to_string(type)) return type;
  }
  at.fail(fmt::format(
      "must be fixed, revolute, prismatic, spherical, universal, planar or distance; found '{}'",
      given));
}

std::string read_link(const Cursor& at, const std::set<std::string>& links) {
  std::string name = one_line(at);
  if (!links.contains(name)) at.fail(fmt::format("link '{}' does not exist", name));
  return name;
}

Pose read_origin(const Cursor& row, const char* key) {
  Pose pose;
  const auto at = row.find(key);
  if (!at) return pose;
  at->allow_keys({"xyz", "rpy", "rpy_deg"});
  if (const auto xyz = at->find("xyz")) pose.translation = vector3(*xyz);
  const auto rpy = at->find("rpy"), degrees = at->find("rpy_deg");
  if (rpy && degrees) degrees->fail("give rpy or rpy_deg, not both");
  if (rpy) pose.rotation = rotation_from_rpy(vector3(*rpy));
  if (degrees) pose.rotation = rotation_from_rpy(vector3(*degrees).unaryExpr(&radians));
  return pose;
}

std::optional<Eigen::Vector3d> read_axis(const Cursor& row, const char* key, bool required) {
  const auto at = row.find(key);
  if (!at) {
    if (required) row.fail(fmt::format("key '{}' is missing", key));
    return std::nullopt;
  }
  const Eigen::Vector3d axis = vector3(*at);
  if (axis.norm() < 1e-9) at->fail("is zero: give a direction such as [0, 0, 1]");
  return axis;
}

}  // namespace

ConstraintDescription read_constraint(const Cursor& row, const std::set<std::string>& links,
                                      std::set<std::string>& names) {
  row.allow_keys({"name", "type", "parent", "parent_origin", "parent_axis", "child", "child_origin",
                  "child_axis", "value"});
  ConstraintDescription constraint;
  constraint.name = one_line(row.at("name"));
  if (!names.insert(constraint.name).second) {
    row.at("name").fail(
        fmt::format("name '{}' is used twice, by joints or constraints", constraint.name));
  }
  constraint.line = row.at("name").line();
  constraint.type = read_type(row.at("type"));
  constraint.parent = read_link(row.at("parent"), links);
  constraint.child = read_link(row.at("child"), links);
  if (constraint.parent == constraint.child) {
    row.at("child").fail(
        fmt::format("parent and child are the same link '{}': a constraint connects two links",
                    constraint.child));
  }
  constraint.parent_origin = read_origin(row, "parent_origin");
  constraint.child_origin = read_origin(row, "child_origin");
  const bool distance = constraint.type == ConstraintType::distance;
  const bool has_axis = !distance && constraint.type != ConstraintType::fixed &&
                        constraint.type != ConstraintType::spherical;
  const bool universal = constraint.type == ConstraintType::universal;
  if (const auto axis = read_axis(row, "parent_axis", has_axis)) constraint.parent_axis = *axis;
  constraint.child_axis = read_axis(row, "child_axis", universal).value_or(constraint.parent_axis);
  if (distance) {
    constraint.distance = positive(row.at("value"), "m; for zero use type spherical");
  } else if (const auto value = row.find("value")) {
    value->fail("only type distance has a value");
  }
  return constraint;
}

}  // namespace dynamics::dh
