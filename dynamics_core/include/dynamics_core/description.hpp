// SPDX-License-Identifier: Apache-2.0
#pragma once

// A robot as its file describes it: links, joints, and what is wrong with them. It depends on no
// file format: every reader (URDF, DH table) returns one, and Model is built from it.

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dynamics_core/export.hpp"
#include "dynamics_core/pose.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

/// Something wrong or noteworthy in a description, with its place.
struct Finding {
  enum class Severity {
    information,  ///< worth knowing
    warning,      ///< suspicious, or ignored by the dynamics
    error         ///< the model is refused, or has no forward dynamics
  };
  enum class Kind { file, robot, link, joint };

  Severity severity;
  Kind kind;
  std::string name;     ///< of the link or joint, or of the robot or file
  std::string code;     ///< stable, like "mass-negative"
  std::string message;  ///< what is wrong, with the numbers
  std::string repair;   ///< what would be right; empty where there is nothing to do
  bool fixable = false;
  std::size_t line = 0;  ///< in the file's text, 0: unknown
};

const char* to_string(Finding::Severity severity);
const char* to_string(Finding::Kind kind);

struct Inertial {
  double mass = 0.0;                                  ///< (kg)
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();   ///< in the link's frame (m)
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  ///< about the centre, link's axes (kg m^2)
};

/// A colored primitive solid, for showing the robot. It has no part in the dynamics.
struct Visual {
  struct Box {
    Eigen::Vector3d size;  ///< edges along x, y, z (m)
  };
  struct Cylinder {
    double radius;  ///< (m)
    double length;  ///< along its own z, the origin in the middle (m)
  };
  struct Sphere {
    double radius;  ///< (m)
  };
  /// A cylinder with a hemisphere at each end (URDF 1.1).
  struct Capsule {
    double radius;  ///< of the cylinder and of the hemispheres (m)
    double length;  ///< of the cylinder alone, along its own z, the origin in the middle (m)
  };

  std::variant<Box, Cylinder, Sphere, Capsule> geometry;
  Eigen::Vector3d xyz = Eigen::Vector3d::Zero();  ///< where its center is (m)
  Eigen::Vector3d rpy = Eigen::Vector3d::Zero();  ///< Rz(yaw) Ry(pitch) Rx(roll) (rad)
  std::string colour;                             ///< name, empty: the viewer's default
  std::array<double, 4> rgba = {0.5, 0.5, 0.5, 1.0};
};

/// A mesh is kept by name only: it is shown, never used.
struct MeshVisual {
  std::string filename;
  Eigen::Vector3d scale = Eigen::Vector3d::Ones();
  Eigen::Vector3d xyz = Eigen::Vector3d::Zero();
  Eigen::Vector3d rpy = Eigen::Vector3d::Zero();
};

/// A slender beam along the link's x, clamped at the joint (Mohan and Saha, section 2).
struct BeamDescription {
  double length = 0.0;                                    ///< from the joint to the tip (m)
  double mass_per_length = 0.0;                           ///< (kg/m)
  double rigidity_y = 0.0;                                ///< EI of bending along y (N m^2)
  double rigidity_z = 0.0;                                ///< EI of bending along z (N m^2)
  int modes_y = 0;                                        ///< assumed modes of bending along y
  int modes_z = 0;                                        ///< assumed modes of bending along z
  double damping = 0.0;                                   ///< damping ratio of every mode
  double tip_mass = 0.0;                                  ///< a point at the tip (kg)
  double hub_mass = 0.0;                                  ///< a point at the root (kg)
  Eigen::Vector3d hub_inertia = Eigen::Vector3d::Zero();  ///< about the root, link's axes (kg m^2)
  bool stiffening = false;                                ///< foreshortening, Eq. (1b)
  std::string basis = "clamped-free";                     ///< see flexible/beam_basis.hpp
};

struct LinkDescription {
  std::string name;
  std::optional<Inertial> inertial;
  std::vector<Visual> visuals;
  std::vector<MeshVisual> meshes;
  std::optional<BeamDescription> flexible;
  std::size_t line = 0;  ///< in the file, 0: unknown
};

enum class JointType { revolute, continuous, prismatic, fixed, planar, floating };

/// "revolute", "continuous"...
const char* to_string(JointType type);

struct JointLimits {
  double lower = 0.0;     ///< (rad or m)
  double upper = 0.0;     ///< (rad or m)
  double velocity = 0.0;  ///< (rad/s or m/s)
  double effort = 0.0;    ///< (N m or N)
  /// URDF 1.2; infinity where none is given. Deceleration: where the speed decreases.
  double acceleration = std::numeric_limits<double>::infinity();  ///< (rad/s^2 or m/s^2)
  double deceleration = std::numeric_limits<double>::infinity();  ///< (rad/s^2 or m/s^2)
  double jerk = std::numeric_limits<double>::infinity();          ///< (rad/s^3 or m/s^3)
};

/// q = multiplier * q_of(joint) + offset
struct Mimic {
  std::string joint;
  double multiplier = 1.0;
  double offset = 0.0;
};

struct JointDescription {
  std::string name;
  JointType type = JointType::fixed;
  std::string parent;
  std::string child;
  Pose origin;  ///< of the child's frame at q = 0, in the parent's
  Eigen::Vector3d axis = Eigen::Vector3d::UnitX();  ///< in the child's frame
  std::optional<JointLimits> limits;                ///< of a continuous joint: velocity and effort
  double damping = 0.0;                             ///< viscous (N m s/rad or N s/m)
  double friction = 0.0;                            ///< Coulomb (N m or N)
  double rotor_inertia = 0.0;                       ///< reflected to the joint (kg m^2 or kg)
  std::optional<Mimic> mimic;
  std::size_t line = 0;  ///< in the file, 0: unknown
};

struct RobotDescription {
  std::string name;
  std::string source;  ///< where it was read from, for messages
  std::vector<LinkDescription> links;
  std::vector<JointDescription> joints;  ///< in the order of the file
  std::vector<Finding> findings;         ///< the reader's warnings; Model::notes() lists them
};

}  // namespace dynamics
