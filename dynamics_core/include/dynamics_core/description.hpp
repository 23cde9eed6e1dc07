// SPDX-License-Identifier: Apache-2.0
#pragma once

// Robot description: links, joints and the reader's findings, independent of any file format.
// Readers (URDF, DH table) return a RobotDescription, and Model is built from one:
//
//   dynamics::RobotDescription robot = dynamics::read_urdf(text, "arm.urdf");
//   robot.joints[2].damping = 0.5;
//   const dynamics::Model model(robot);  // throws ModelError for an invalid description
//
// SI units and radians. Plain data: values are checked when a Model is built, or by check_model().

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dynamics_core/pose.hpp"

#pragma GCC visibility push(default)
namespace dynamics {

/// An error, warning or remark about a description, with its location.
struct Finding {
  /// How serious the finding is.
  enum class Severity {
    information,  ///< no action needed
    warning,      ///< suspicious, or ignored by the dynamics
    error         ///< no Model can be built, or it has no forward dynamics
  };
  /// The kind of element that the finding is about.
  enum class Kind { file, robot, link, joint, constraint };

  Severity severity;
  Kind kind;
  std::string name;      ///< of the link, joint, constraint, robot or file
  std::string code;      ///< stable identifier such as "mass-negative"
  std::string message;   ///< what is wrong, with values
  std::string repair;    ///< what would be right; empty if no action is needed
  bool fixable = false;  ///< repair_urdf() can repair it
  std::size_t line = 0;  ///< line in the file, 0 if unknown
};

/// Name of an enumerator, for example "warning" or "joint".
const char* to_string(Finding::Severity severity);
const char* to_string(Finding::Kind kind);

/// Mass properties of a link.
struct Inertial {
  double mass = 0.0;                                  ///< (kg)
  Eigen::Vector3d center = Eigen::Vector3d::Zero();   ///< center of mass in the link frame (m)
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  ///< about `center`, link axes (kg m^2)
};

/// A colored primitive shape for display. The dynamics do not use it.
struct Visual {
  /// A box, its center at the origin.
  struct Box {
    Eigen::Vector3d size;  ///< edges along x, y, z (m)
  };
  /// A cylinder.
  struct Cylinder {
    double radius;  ///< (m)
    double length;  ///< along z, origin at the center (m)
  };
  /// A sphere, its center at the origin.
  struct Sphere {
    double radius;  ///< (m)
  };
  /// A cylinder with a hemisphere at each end (URDF 1.1).
  struct Capsule {
    double radius;  ///< of the cylinder and of the hemispheres (m)
    double length;  ///< of the cylinder without the hemispheres, along z, origin at the center (m)
  };

  std::variant<Box, Cylinder, Sphere, Capsule> geometry;
  Eigen::Vector3d xyz = Eigen::Vector3d::Zero();  ///< origin of the shape in the link frame (m)
  Eigen::Vector3d rpy = Eigen::Vector3d::Zero();  ///< Rz(yaw) Ry(pitch) Rx(roll) (rad)
  std::string color;                              ///< material name, empty: default color
  std::array<double, 4> rgba = {0.5, 0.5, 0.5, 1.0};
};

/// A mesh for display, by file name. The file is not read.
struct MeshVisual {
  std::string filename;
  Eigen::Vector3d scale = Eigen::Vector3d::Ones();
  Eigen::Vector3d xyz = Eigen::Vector3d::Zero();
  Eigen::Vector3d rpy = Eigen::Vector3d::Zero();
  std::string color;                          ///< material name; may be empty
  std::optional<std::array<double, 4>> rgba;  ///< its color, for meshes without colors of their own
};

/// A flexible link: a slender beam along the link's x axis, clamped at the joint (Mohan and Saha,
/// section 2).
struct BeamDescription {
  double length = 0.0;                                    ///< from the joint to the tip (m)
  double mass_per_length = 0.0;                           ///< (kg/m)
  double rigidity_y = 0.0;                                ///< EI of bending along y (N m^2)
  double rigidity_z = 0.0;                                ///< EI of bending along z (N m^2)
  int modes_y = 0;                                        ///< assumed modes of bending along y
  int modes_z = 0;                                        ///< assumed modes of bending along z
  double damping = 0.0;                                   ///< damping ratio of every mode
  double tip_mass = 0.0;                                  ///< point mass at the tip (kg)
  double hub_mass = 0.0;                                  ///< of a rigid part at the root (kg)
  Eigen::Vector3d hub_center = Eigen::Vector3d::Zero();   ///< its center of mass (m)
  Eigen::Vector3d hub_inertia = Eigen::Vector3d::Zero();  ///< about the root, link axes (kg m^2)
  bool stiffening = false;                                ///< model foreshortening, Eq. (1b)
  std::string basis = "clamped-free";  ///< mode shapes: "clamped-free" or "polynomial"
};

/// A link as described by a file.
struct LinkDescription {
  std::string name;
  std::optional<Inertial> inertial;
  std::vector<Visual> visuals;
  std::vector<MeshVisual> meshes;
  std::optional<BeamDescription> flexible;
  std::size_t line = 0;  ///< line in the file, 0 if unknown
};

/// The joint types of URDF.
enum class JointType { revolute, continuous, prismatic, fixed, planar, floating };

/// Name used in URDF: "revolute", "continuous", ...
const char* to_string(JointType type);

/// Limits of a joint's motion and effort.
struct JointLimits {
  double lower = 0.0;     ///< (rad or m)
  double upper = 0.0;     ///< (rad or m)
  double velocity = 0.0;  ///< (rad/s or m/s)
  double effort = 0.0;    ///< (N m or N)
  /// URDF 1.2, infinity if not given. `deceleration` applies while the speed decreases.
  double acceleration = std::numeric_limits<double>::infinity();  ///< (rad/s^2 or m/s^2)
  double deceleration = std::numeric_limits<double>::infinity();  ///< (rad/s^2 or m/s^2)
  double jerk = std::numeric_limits<double>::infinity();          ///< (rad/s^3 or m/s^3)
};

/// The joint follows another one: q = multiplier * q(joint) + offset.
struct Mimic {
  std::string joint;
  double multiplier = 1.0;
  double offset = 0.0;
};

/// A joint as described by a file.
struct JointDescription {
  std::string name;
  JointType type = JointType::fixed;
  std::string parent;                               ///< link name
  std::string child;                                ///< link name
  Pose origin;                                      ///< child frame at q = 0 in the parent frame
  Eigen::Vector3d axis = Eigen::Vector3d::UnitX();  ///< in the child frame, of any length
  std::optional<JointLimits> limits;                ///< continuous joints: only velocity and effort
  double damping = 0.0;                             ///< viscous (N m s/rad or N s/m)
  double friction = 0.0;                            ///< Coulomb (N m or N)
  double rotor_inertia = 0.0;                       ///< reflected to the joint (kg m^2 or kg)
  std::optional<Mimic> mimic;
  std::size_t line = 0;  ///< line in the file, 0 if unknown
  /// Whether an actuator moves a joint of a closed loop; nothing: not stated.
  std::optional<bool> actuated;
  bool in_ros2_control = false;  ///< a ros2_control block has a command interface for it
};

/// What a constraint between two links leaves free.
enum class ConstraintType {
  fixed,      ///< nothing
  revolute,   ///< the rotation about the axis
  prismatic,  ///< the translation along the axis
  spherical,  ///< the rotation
  universal,  ///< the rotations about the axis of the parent and about that of the child
  planar,     ///< the translations perpendicular to the axis, and the rotation about it
  distance    ///< all but the distance of the two origins
};

/// Name used in URDF: "fixed", "revolute", ...
const char* to_string(ConstraintType type);

/// A constraint that closes a loop of the tree: a joint that was cut. See closed_loops.hpp.
struct ConstraintDescription {
  std::string name;
  ConstraintType type = ConstraintType::fixed;
  std::string parent;                                      ///< link name
  std::string child;                                       ///< link name
  Pose parent_origin;                                      ///< in the frame of the parent link
  Pose child_origin;                                       ///< in the frame of the child link
  Eigen::Vector3d parent_axis = Eigen::Vector3d::UnitX();  ///< in the frame of parent_origin
  Eigen::Vector3d child_axis = Eigen::Vector3d::UnitX();   ///< in the frame of child_origin
  double distance = 0.0;                                   ///< of type distance (m)
  std::size_t line = 0;                                    ///< line in the file, 0 if unknown
};

/// Links and joints as described by a file, with the findings of its reader.
struct RobotDescription {
  std::string name;
  std::string source;  ///< file name, for messages
  std::vector<LinkDescription> links;
  std::vector<JointDescription> joints;  ///< in file order
  std::vector<Finding> findings;         ///< warnings of the reader, also in Model::notes()
  /// Constraints that close loops. A Model takes none; a Mechanism (closed_loops.hpp) does.
  std::vector<ConstraintDescription> constraints;
};

}  // namespace dynamics
#pragma GCC visibility pop
