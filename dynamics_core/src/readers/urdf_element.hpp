// SPDX-License-Identifier: Apache-2.0
#pragma once

// Values of a URDF's elements. What cannot be read is reported, and reading goes on.

#include <Eigen/Core>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/parsed_robot.hpp"
#include "readers/xml_tree.hpp"

namespace dynamics::urdf_reader {

/// A link or joint, for messages.
struct Owner {
  Finding::Kind kind;
  std::string name;
};

/// Numbers separated by white space; nothing where one of them is not a finite number.
std::optional<std::vector<double>> parse_numbers(std::string_view text);

/// At most 60 printable characters.
std::string shortened(std::string_view text);

/// The URDF versions that are read: 1.0, 1.1 and 1.2.
struct Version {
  int minor = 0;
};

class ElementReader {
 public:
  /// `twin` collects the edits that turn the text into URDF 1.0.
  ElementReader(const xml::Document& document, ParsedRobot& robot, std::vector<Edit>& twin)
      : xml_(document), robot_(robot), twin_(twin) {}

  const xml::Document& xml() const { return xml_; }
  ParsedRobot& robot() { return robot_; }
  std::vector<Edit>& twin() { return twin_; }

  Version version;
  /// Severity of a number that cannot be read: a shape is only drawn, its faults are warnings.
  Finding::Severity severity = Finding::Severity::error;

  /// The attribute's text, empty where it is missing; `element` -1: empty.
  std::string text(int element, std::string_view attribute) const;
  bool has(int element, std::string_view attribute) const;
  std::size_t line(int element) const { return xml_.at(element).line; }
  std::optional<TextRange> place(int element, std::string_view attribute) const;

  /// The attribute's numbers. Nothing where it is missing, or wrong, which is reported.
  std::optional<std::vector<double>> numbers(int element, const char* attribute, std::size_t count,
                                             const Owner& owner);
  std::optional<double> number(int element, const char* attribute, const Owner& owner);
  std::optional<Eigen::Vector3d> vector(int element, const char* attribute, const Owner& owner);
  /// `otherwise` where the attribute is missing, which is counted, or wrong, which is reported.
  double number_or(int element, const char* attribute, double otherwise, const Owner& owner);

  struct Origin {
    std::optional<Eigen::Vector3d> xyz = Eigen::Vector3d::Zero();
    std::optional<Eigen::Matrix3d> rotation = Eigen::Matrix3d::Identity();
    Eigen::Vector3d rpy = Eigen::Vector3d::Zero();
    std::optional<Pose> pose() const;
  };
  /// The <origin> inside `parent`; the identity where there is none.
  Origin origin(int parent, const Owner& owner);

  /// Reports what a later version of URDF than the file's introduced.
  void needs_version(int minor, int element, const std::string& what, const Owner& owner);

  /// Notes that a default was taken; report_defaults() reports all of them as one finding.
  void take_default(int element, const std::string& what);
  void report_defaults();

 private:
  void read_quaternion(int element, Origin& origin, const Owner& owner);

  const xml::Document& xml_;
  ParsedRobot& robot_;
  std::vector<Edit>& twin_;
  std::map<std::string, std::vector<std::size_t>> defaults_;  ///< lines by what was left out
};

/// <visual> and <collision> of a link: its looks, extent and volume.
void read_shapes(ElementReader& reader, int link_element, ParsedLink& link);
/// <material> elements of the robot, by name.
using Colors = std::map<std::string, std::array<double, 4>>;
Colors read_materials(ElementReader& reader);
void color_shapes(ParsedRobot& robot, const Colors& colors);

/// Rotor inertias in <transmission> and <ros2_control>, reflected to the joint.
void read_drives(ElementReader& reader);

/// Attributes and elements that are neither URDF, nor ours, nor known to belong to other programs.
void report_unknown_names(const xml::Document& document, ParsedRobot& robot);

/// The link or joint around an element, or the robot.
Owner owner_of(const xml::Document& document, int element, const ParsedRobot& robot);

}  // namespace dynamics::urdf_reader
