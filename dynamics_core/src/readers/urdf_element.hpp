// SPDX-License-Identifier: Apache-2.0
#pragma once

// Values of URDF elements. A value that cannot be read is reported as a finding, and reading
// continues.

#include <Eigen/Core>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/parsed_robot.hpp"
#include "readers/xml_tree.hpp"

namespace dynamics::urdf_reader {

/// The link or joint that an element belongs to, for findings.
struct Owner {
  Finding::Kind kind;
  std::string name;
};

/// Numbers separated by white space; nothing if one of them is not a finite number.
std::optional<std::vector<double>> parse_numbers(std::string_view text);

/// At most 60 characters, control characters replaced by spaces, for messages.
std::string shortened(std::string_view text);

/// URDF version 1.`minor`; supported are 1.0, 1.1 and 1.2.
struct Version {
  int minor = 0;
};

class ElementReader {
 public:
  /// `edits_to_1_0` collects the edits that convert the text to URDF 1.0.
  ElementReader(const xml::Document& document, ParsedRobot& robot, std::vector<Edit>& edits_to_1_0)
      : xml_(document), robot_(robot), edits_to_1_0_(edits_to_1_0) {}

  const xml::Document& xml() const { return xml_; }
  ParsedRobot& robot() { return robot_; }
  std::vector<Edit>& edits_to_1_0() { return edits_to_1_0_; }

  Version version;
  /// Severity of a number that cannot be read; a warning inside shapes, which are for display only.
  Finding::Severity severity = Finding::Severity::error;

  /// The attribute's text, empty if the attribute or the element (-1) is missing.
  std::string text(int element, std::string_view attribute) const;
  bool has(int element, std::string_view attribute) const;
  std::size_t line(int element) const { return xml_.at(element).line; }
  std::optional<TextRange> place(int element, std::string_view attribute) const;

  /// The attribute's numbers; nothing if it is missing or invalid. Invalid values are reported.
  std::optional<std::vector<double>> numbers(int element, const char* attribute, std::size_t count,
                                             const Owner& owner);
  std::optional<double> number(int element, const char* attribute, const Owner& owner);
  std::optional<Eigen::Vector3d> vector(int element, const char* attribute, const Owner& owner);
  /// The attribute's number, or `otherwise` if it is missing (recorded as a default) or invalid
  /// (reported).
  double number_or(int element, const char* attribute, double otherwise, const Owner& owner);

  struct Origin {
    std::optional<Eigen::Vector3d> xyz = Eigen::Vector3d::Zero();
    std::optional<Eigen::Matrix3d> rotation = Eigen::Matrix3d::Identity();
    Eigen::Vector3d rpy = Eigen::Vector3d::Zero();
    std::optional<Pose> pose() const;
  };
  /// The <origin> (or element `name`) inside `parent`; the identity if there is none.
  Origin origin(int parent, const Owner& owner, const char* name = "origin");

  /// Warns about an element of a later URDF version than the file's.
  void needs_version(int minor, int element, const std::string& what, const Owner& owner);

  /// Records that a default value is used; report_defaults() reports all of them in one finding.
  void record_default(int element, const std::string& what);
  void report_defaults();

 private:
  void read_quaternion(int element, Origin& origin, const Owner& owner);

  const xml::Document& xml_;
  ParsedRobot& robot_;
  std::vector<Edit>& edits_to_1_0_;
  std::map<std::string, std::vector<std::size_t>>
      defaults_;  ///< lines, by missing element or attribute
};

/// Reads <visual> and <collision> of a link: shapes, bounding box and volume.
void read_shapes(ElementReader& reader, int link_element, ParsedLink& link);
/// Colors of the <material> elements, by name.
using Colors = std::map<std::string, std::array<double, 4>>;
Colors read_materials(ElementReader& reader);
void color_shapes(ParsedRobot& robot, const Colors& colors);

/// Reads <constraint> elements.
void read_constraints(ElementReader& reader);

/// Marks joints with a command interface in <ros2_control>, and reads rotor inertias from
/// <transmission> and <ros2_control>, reflected to the joint.
void read_rotor_inertias(ElementReader& reader);

/// Reports attributes and elements that are neither URDF nor extensions known to this reader.
void report_unknown_names(const xml::Document& document, ParsedRobot& robot);

/// The link or joint that contains an element, or the robot.
Owner owner_of(const xml::Document& document, int element, const ParsedRobot& robot);

}  // namespace dynamics::urdf_reader
