// SPDX-License-Identifier: Apache-2.0
#pragma once

// A robot's description as far as it could be read. Where RobotDescription is complete, values that
// are missing or cannot be read stay empty here and are reported, so that one fault does not cause
// follow-up findings. Readers fill it, validate() finds what a Model refuses, and the checks of
// check/ find what is implausible. Places in the text are kept for repairs.

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dynamics_core/description.hpp"
#include "dynamics_core/error.hpp"

namespace dynamics {

/// A piece of the text, [begin, end).
struct TextRange {
  std::size_t begin = 0, end = 0;
};

/// A piece of the text and what replaces it.
struct Edit {
  std::size_t begin, end;
  std::string text;
};

/// An axis-aligned box that grows.
struct Extent {
  Eigen::Vector3d low = Eigen::Vector3d::Constant(1e300), high = -low;
  bool empty() const { return low.x() > high.x(); }
  double diagonal() const { return empty() ? 0.0 : (high - low).norm(); }
  void add(const Eigen::Vector3d& point) {
    low = low.cwiseMin(point);
    high = high.cwiseMax(point);
  }
  /// Distance of a point outside the box, 0 inside.
  double distance(const Eigen::Vector3d& point) const {
    return (low - point).cwiseMax(point - high).cwiseMax(0.0).norm();
  }
};

struct ParsedLink {
  std::string name;
  std::size_t line = 0, inertial_line = 0;
  bool has_inertial = false;
  std::optional<double> mass;
  std::optional<Eigen::Vector3d> centre;
  std::optional<Eigen::Matrix3d> tensor;   ///< as given, in the axes of the inertial's origin
  std::optional<Eigen::Matrix3d> inertia;  ///< in the link's axes
  std::vector<Visual> visuals;
  std::vector<MeshVisual> meshes;
  std::optional<BeamDescription> flexible;

  Extent geometry;          ///< of all shapes but meshes, visual and collision
  double volume = 0.0;      ///< of the collision shapes, otherwise of the visual ones (m^3)
  bool has_meshes = false;  ///< visual or collision
  std::array<std::optional<TextRange>, 6> tensor_places;  ///< values of ixx ixy ixz iyy iyz izz
};

struct ParsedJoint {
  std::string name;
  std::size_t line = 0, axis_line = 0, limit_line = 0;
  std::optional<JointType> type;
  std::string parent, child;
  std::optional<Eigen::Vector3d> position = Eigen::Vector3d::Zero();
  std::optional<Eigen::Matrix3d> rotation = Eigen::Matrix3d::Identity();
  bool axis_element = false;  ///< there is an <axis>
  bool has_axis = false;      ///< it has a value
  std::optional<Eigen::Vector3d> axis;
  bool has_limit = false;
  std::optional<double> lower, upper, velocity, effort;
  JointLimits more;  ///< acceleration, deceleration and jerk
  double damping = 0.0, friction = 0.0, rotor_inertia = 0.0;
  std::optional<Mimic> mimic;

  std::optional<TextRange> axis_place, lower_place, upper_place, mimic_place;
  std::optional<Edit> axis_insertion;  ///< writes the default axis where there is none

  bool moves() const { return type && *type != JointType::fixed; }
  bool composed() const {
    return type && (*type == JointType::planar || *type == JointType::floating);
  }
  bool has_stops() const {
    return type && (*type == JointType::revolute || *type == JointType::prismatic);
  }
};

struct ParsedRobot {
  std::string name, source;
  std::string_view text;         ///< of the file; empty: it was no file
  bool limits_required = false;  ///< of revolute and prismatic joints, as in a URDF
  std::vector<ParsedLink> links;
  std::vector<ParsedJoint> joints;
  std::vector<Finding> findings;
  std::vector<Edit> repairs;  ///< of the findings that are fixable

  // filled by validate()
  std::unordered_map<std::string, std::size_t> link_index, joint_index;  ///< the first of a name
  std::vector<std::vector<std::size_t>> children;                        ///< joints by parent link
  std::vector<int> parent_joint;                                         ///< by link, -1: none

  Finding& report(Finding::Severity severity, Finding::Kind kind, const std::string& element,
                  const char* code, std::string message, std::string repair, std::size_t line = 0);
  /// Kind, name and line are the link's or joint's own.
  Finding& report(Finding::Severity severity, const ParsedLink& link, const char* code,
                  std::string message, std::string repair);
  Finding& report(Finding::Severity severity, const ParsedJoint& joint, const char* code,
                  std::string message, std::string repair);
  void fix(Finding& finding, Edit edit);

  const Finding* first_error() const;
};

/// A complete description as a parsed one, for validate() and the checks.
ParsedRobot parsed(const RobotDescription& description);

/// The description of a robot without errors. Its findings are empty.
RobotDescription to_description(ParsedRobot robot);

/// Reports everything a Model refuses, and what it warns of. Fills indices, children and parents.
void validate(ParsedRobot& robot);
void validate_tree(ParsedRobot& robot);
void validate_links(ParsedRobot& robot);
void validate_joints(ParsedRobot& robot);

/// An error finding as an exception: "arm.urdf:12: link 'upper': its mass is -2 kg: ...".
ModelError to_error(const Finding& finding, const std::string& source);

/// The box around a link's shapes, or around its joints where it has none; needs validate_tree().
Extent joint_extent(const ParsedRobot& robot, std::size_t link);
/// A sentence that proposes a tensor for a link of this size and mass.
std::string suggest_tensor(const ParsedRobot& robot, std::size_t link);

}  // namespace dynamics
