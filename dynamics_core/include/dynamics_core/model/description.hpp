// SPDX-License-Identifier: Apache-2.0
#pragma once

// A robot as it was described, before anything is made of it: links, joints, and what the
// description says of them. URDFs and DH tables both become this; Model is built from it.

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "dynamics_core/model/dh_table.hpp"
#include "dynamics_core/spatial/pose.hpp"

namespace dynamics {

struct Inertial {
  double mass = 0.0;                                  ///< (kg)
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();   ///< in the link's frame (m)
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  ///< about the centre, link's axes (kg m^2)
};

/// A mesh is kept by name only: it is shown, never used.
struct MeshVisual {
  std::string filename;
  Eigen::Vector3d scale = Eigen::Vector3d::Ones();
  Eigen::Vector3d xyz = Eigen::Vector3d::Zero();
  Eigen::Vector3d rpy = Eigen::Vector3d::Zero();
};

struct LinkDescription {
  std::string name;
  std::optional<Inertial> inertial;
  std::vector<Visual> visuals;
  std::vector<MeshVisual> meshes;
  std::optional<DhFlexible> flexible;
};

enum class JointType { revolute, continuous, prismatic, fixed, planar, floating };

/// "revolute", "continuous"...
const char* to_string(JointType type);

struct JointLimits {
  double lower = 0.0;     ///< (rad or m)
  double upper = 0.0;     ///< (rad or m)
  double velocity = 0.0;  ///< (rad/s or m/s)
  double effort = 0.0;    ///< (N m or N)
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
};

struct RobotDescription {
  std::string name;
  std::string source;  ///< where it was read from, for messages
  std::vector<LinkDescription> links;
  std::vector<JointDescription> joints;  ///< in the order of the file
};

}  // namespace dynamics
