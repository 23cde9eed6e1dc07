// SPDX-License-Identifier: Apache-2.0
// Constraints that close loops: the element proposed for URDF in urdfdom pull request 264.

#include <fmt/format.h>

#include "readers/urdf_element.hpp"

namespace dynamics::urdf_reader {
namespace {

using Kind = Finding::Kind;
using Severity = Finding::Severity;

void read_type(ElementReader& reader, int element, ParsedConstraint& constraint) {
  const std::string given = reader.text(element, "type");
  for (const ConstraintType type :
       {ConstraintType::fixed, ConstraintType::revolute, ConstraintType::prismatic,
        ConstraintType::spherical, ConstraintType::universal, ConstraintType::planar,
        ConstraintType::distance}) {
    if (given == to_string(type)) constraint.type = type;
  }
  if (constraint.type) return;
  reader.robot().report(Severity::error, constraint, "constraint-type",
                        given.empty() ? "type is missing"
                                      : fmt::format("type '{}' is not supported", shortened(given)),
                        "use fixed, revolute, prismatic, spherical, universal, planar or distance");
}

void read_constraint(ElementReader& reader, int element) {
  const xml::Document& xml = reader.xml();
  ParsedConstraint constraint;
  constraint.line = reader.line(element);
  constraint.name = reader.text(element, "name");
  const Owner owner{Kind::constraint, constraint.name};
  read_type(reader, element, constraint);
  constraint.parent = reader.text(xml.child(element, "parent"), "link");
  constraint.child = reader.text(xml.child(element, "child"), "link");
  constraint.parent_origin = reader.origin(element, owner, "parent_origin").pose();
  constraint.child_origin = reader.origin(element, owner, "child_origin").pose();
  if (const int axis = xml.child(element, "parent_axis"); axis >= 0) {
    constraint.has_parent_axis = reader.has(axis, "xyz");
    constraint.parent_axis = reader.vector(axis, "xyz", owner);
  }
  if (const int axis = xml.child(element, "child_axis"); axis >= 0) {
    constraint.has_child_axis = reader.has(axis, "xyz");
    constraint.child_axis = reader.vector(axis, "xyz", owner);
  }
  constraint.has_distance = reader.has(element, "value");
  if (constraint.has_distance) {
    constraint.distance = reader.number(element, "value", owner);
    if (constraint.type && *constraint.type != ConstraintType::distance) {
      reader.robot().report(Severity::warning, constraint, "distance-ignored",
                            "value is ignored: only type distance has one", "remove it");
    }
  }
  reader.robot().constraints.push_back(std::move(constraint));
}

}  // namespace

void read_constraints(ElementReader& reader) {
  for (const int element : reader.xml().children(0, "constraint")) read_constraint(reader, element);
  for (const int element : reader.xml().children(0, "loop_joint")) {
    reader.robot().report(
        Severity::error, Kind::robot, reader.robot().name, "constraint",
        fmt::format("<loop_joint{}> closes a loop and is not supported",
                    reader.has(element, "name")
                        ? fmt::format(" name=\"{}\"", shortened(reader.text(element, "name")))
                        : ""),
        "write it as <constraint>", reader.line(element));
  }
}

}  // namespace dynamics::urdf_reader
