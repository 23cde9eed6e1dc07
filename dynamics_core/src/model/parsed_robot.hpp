// SPDX-License-Identifier: Apache-2.0
#pragma once

// A robot description with its findings, complete or not. Values that are missing or cannot be read
// are reported and left empty, so that one error does not cause further findings. Readers fill it,
// validate() reports the errors for which no Model can be built, and check/ reports implausible
// values. Positions in the text are kept for repairs.

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

/// Positions [begin, end) in the text.
struct TextRange {
  std::size_t begin = 0, end = 0;
};

/// Replacement of the text at [begin, end).
struct Edit {
  std::size_t begin, end;
  std::string text;
};

/// Axis-aligned bounding box of points.
struct BoundingBox {
  Eigen::Vector3d low = Eigen::Vector3d::Constant(1e300), high = -low;
  bool empty() const { return low.x() > high.x(); }
  double diagonal() const { return empty() ? 0.0 : (high - low).norm(); }
  void add(const Eigen::Vector3d& point) {
    low = low.cwiseMin(point);
    high = high.cwiseMax(point);
  }
  /// Distance from the box to a point outside it, 0 inside.
  double distance(const Eigen::Vector3d& point) const {
    return (low - point).cwiseMax(point - high).cwiseMax(0.0).norm();
  }
};

struct ParsedLink {
  std::string name;
  std::size_t line = 0, inertial_line = 0;
  bool has_inertial = false;
  std::optional<double> mass;
  std::optional<Eigen::Vector3d> center;
  std::optional<Eigen::Matrix3d> tensor;   ///< as given, in the axes of <inertial>'s <origin>
  std::optional<Eigen::Matrix3d> inertia;  ///< in link axes
  std::vector<Visual> visuals;
  std::vector<MeshVisual> meshes;
  std::optional<BeamDescription> flexible;

  BoundingBox geometry;     ///< of all visual and collision shapes except meshes
  double volume = 0.0;      ///< of the collision shapes, or of the visual shapes if none (m^3)
  bool has_meshes = false;  ///< visual or collision
  std::array<std::optional<TextRange>, 6>
      tensor_places;  ///< positions of the values ixx ixy ixz iyy iyz izz
};

struct ParsedJoint {
  std::string name;
  std::size_t line = 0, axis_line = 0, limit_line = 0;
  std::optional<JointType> type;
  std::string parent, child;
  std::optional<Eigen::Vector3d> position = Eigen::Vector3d::Zero();
  std::optional<Eigen::Matrix3d> rotation = Eigen::Matrix3d::Identity();
  bool axis_element = false;  ///< has an <axis>
  bool has_axis = false;      ///< its <axis> has a value
  std::optional<Eigen::Vector3d> axis;
  bool has_limit = false;
  std::optional<double> lower, upper, velocity, effort;
  JointLimits extra_limits;  ///< acceleration, deceleration and jerk
  double damping = 0.0, friction = 0.0, rotor_inertia = 0.0;
  std::optional<Mimic> mimic;
  std::optional<bool> actuated;
  bool in_ros2_control = false;

  std::optional<TextRange> axis_place, lower_place, upper_place, mimic_place;
  std::optional<Edit> axis_insertion;  ///< inserts the default axis if there is no <axis>

  bool moves() const { return type && *type != JointType::fixed; }
  bool is_multi_dof() const {
    return type && (*type == JointType::planar || *type == JointType::floating);
  }
  bool has_position_limits() const {
    return type && (*type == JointType::revolute || *type == JointType::prismatic);
  }
};

struct ParsedConstraint {
  std::string name;
  std::size_t line = 0;
  std::optional<ConstraintType> type;
  std::string parent, child;
  std::optional<Pose> parent_origin = Pose{}, child_origin = Pose{};
  bool has_parent_axis = false, has_child_axis = false;
  std::optional<Eigen::Vector3d> parent_axis, child_axis;
  bool has_distance = false;
  std::optional<double> distance;

  bool has_axis() const {
    return type && *type != ConstraintType::fixed && *type != ConstraintType::spherical &&
           *type != ConstraintType::distance;
  }
};

struct ParsedRobot {
  std::string name, source;
  std::string_view text;         ///< of the file, empty if there is none
  bool limits_required = false;  ///< for revolute and prismatic joints, as in URDF
  std::vector<ParsedLink> links;
  std::vector<ParsedJoint> joints;
  std::vector<ParsedConstraint> constraints;
  std::vector<Finding> findings;
  std::vector<Edit> repairs;  ///< for the fixable findings

  // filled by validate()
  std::unordered_map<std::string, std::size_t> link_index,
      joint_index;                                 ///< first element with the name
  std::vector<std::vector<std::size_t>> children;  ///< joints, by parent link
  std::vector<int> parent_joint;                   ///< by link, -1 for a root

  Finding& report(Finding::Severity severity, Finding::Kind kind, const std::string& element,
                  const char* code, std::string message, std::string repair, std::size_t line = 0);
  /// Takes kind, name and line from the link or joint.
  Finding& report(Finding::Severity severity, const ParsedLink& link, const char* code,
                  std::string message, std::string repair);
  Finding& report(Finding::Severity severity, const ParsedJoint& joint, const char* code,
                  std::string message, std::string repair);
  Finding& report(Finding::Severity severity, const ParsedConstraint& constraint, const char* code,
                  std::string message, std::string repair);
  /// Marks the finding as fixable by the edit.
  void fix(Finding& finding, Edit edit);

  const Finding* first_error() const;  ///< null if there is none
};

/// Converts a complete description, for validate() and the checks.
ParsedRobot to_parsed(const RobotDescription& description);

/// Converts a robot without errors. The findings are not copied.
RobotDescription to_description(ParsedRobot robot);

/// Reports all errors for which no Model can be built, and warnings. Fills the indices, children
/// and parents.
void validate(ParsedRobot& robot);
void validate_tree(ParsedRobot& robot);
void validate_links(ParsedRobot& robot);
void validate_joints(ParsedRobot& robot);
void validate_constraints(ParsedRobot& robot);

/// The element and the message of an exception for an error finding.
struct ErrorText {
  std::string element, message;
};
ErrorText error_text(const Finding& finding, const std::string& source);

/// An error finding as an exception: "arm.urdf:12: link 'upper': its mass is -2 kg: ...".
template <class SomeError>
SomeError to_error(const Finding& finding, const std::string& source) {
  ErrorText text = error_text(finding, source);
  return {std::move(text.element), text.message};
}

/// Bounding box of a link's origin and of the origins of its child joints; needs validate_tree().
BoundingBox joint_bounding_box(const ParsedRobot& robot, std::size_t link);
/// Text that suggests an inertia tensor for the size and mass of a link.
std::string suggest_tensor(const ParsedRobot& robot, std::size_t link);

}  // namespace dynamics
