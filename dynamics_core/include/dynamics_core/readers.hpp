// SPDX-License-Identifier: Apache-2.0
#pragma once

// Robots from files: URDF, versions 1.0, 1.1 and 1.2, and tables of Denavit-Hartenberg parameters
// in the convention of Saha's papers.
//
//   const dynamics::Model arm = dynamics::model_from_urdf_file("arm.urdf");
//   for (const dynamics::Note& note : arm.notes()) std::puts(note.message.c_str());
//
//   const dynamics::Model puma = dynamics::model_from_dh(dynamics::built_in_robot("puma"));
//   const dynamics::DhTable table = dynamics::read_dh_table(yaml_text, "arm.yaml");
//
// Extensions of URDF that are read in addition to the standard elements:
//   rotor inertia    <dynamics rotor_inertia="..."/> of the joint, <param name="rotor_inertia"> of
//                    the joint in <ros2_control>, or the actuator of a <transmission>
//                    (rotorInertia or rotor_inertia, times mechanicalReduction squared)
//   flexible links   <flexible .../> in <link>, see BeamDescription
//   closed loops     <constraint>, see closed_loops.hpp
//
// DH tables: frame i is fixed to link i-1; joint i moves about or along its Z axis. The transform
// from frame i to frame i+1 is
//
//   Rz(theta_i) Tz(b_i) Tx(a_i) Rx(alpha_i),
//
// where the joint coordinate q_i is added to theta_i (revolute) or to b_i (prismatic). The center
// of mass, inertia and shapes of link i are expressed in frame i+1. Frame 1 is the base.

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dynamics_core/description.hpp"
#include "dynamics_core/error.hpp"
#include "dynamics_core/model.hpp"

#pragma GCC visibility push(default)
namespace dynamics {

/// Reads a URDF. `source` is only used in messages. Warnings, such as unknown attributes, are
/// returned in the findings of the description and become notes of a Model built from it. Throws
/// ParseError for text that cannot be read and ModelError for a robot that cannot exist, for the
/// first error, with line, link or joint, and what would be right.
RobotDescription read_urdf(std::string_view text, std::string_view source = "URDF");

/// read_urdf() and Model() in one call.
Model model_from_urdf(std::string_view text, const ModelOptions& options = {},
                      std::string_view source = "URDF");

/// Reads the file. Throws ParseError also if it cannot be opened.
Model model_from_urdf_file(const std::string& path, const ModelOptions& options = {});

/// One row of a table: a joint and the link that it moves.
struct DhLink {
  /// Revolute: theta is variable; prismatic: b is.
  enum class JointType { revolute, prismatic };

  std::string joint;
  std::string link;
  JointType type = JointType::revolute;

  double a = 0.0;      ///< along X_{i+1} (m)
  double b = 0.0;      ///< along Z_i (m); prismatic joint: at q = 0
  double alpha = 0.0;  ///< about X_{i+1} (rad)
  double theta = 0.0;  ///< about Z_i (rad); revolute joint: at q = 0

  double mass = 0.0;                                  ///< (kg)
  Eigen::Vector3d r = Eigen::Vector3d::Zero();        ///< from the center of mass to O_{i+1} (m)
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  ///< about the center of mass (kg m^2)

  std::optional<double> lower, upper;  ///< position limits (rad or m), both or neither
  std::optional<double> velocity;      ///< velocity limit (rad/s or m/s)
  std::optional<double> effort;        ///< torque or force limit (N m or N)

  double damping = 0.0;        ///< viscous (N m s/rad or N s/m)
  double friction = 0.0;       ///< Coulomb (N m or N)
  double rotor_inertia = 0.0;  ///< reflected to the joint (kg m^2 or kg)
  std::optional<Mimic> mimic;  ///< the joint follows another joint of the table
  /// Whether an actuator moves the joint of a closed loop; nothing: not stated.
  std::optional<bool> actuated = std::nullopt;

  /// The beam from O'_i, at b on Z_i, along X_{i+1}; length a. The hub includes the rod from O_i to
  /// O'_i, in the frame at O'_i with the axes Rz(theta).
  std::optional<BeamDescription> flexible;
  std::vector<Visual> visuals;
};

/// Desired motion of the papers' forced simulation.
struct ForcedMotion {
  /// The form of the trajectory.
  enum class Kind {
    cycloid,    ///< q0 + (q1 - q0)/(2 pi) (2 pi t/T - sin(2 pi t/T)), Saha 2003, Eq. (18)
    mohan_saha  ///< q0 + k (t - T/pi sin(pi t/T)) for each joint, Mohan and Saha, Eq. (44)
  };
  Kind kind = Kind::cycloid;
  std::vector<double> q1;  ///< cycloid: final position (rad or m)
  double period = 10.0;    ///< cycloid: T (s)
  std::vector<double> k;   ///< mohan_saha: mean velocities (rad/s or m/s)
  std::vector<double> T;   ///< mohan_saha: durations (s)
};

/// A serial robot by its Denavit-Hartenberg parameters.
struct DhTable {
  std::string name;
  std::string source;       ///< reference: paper and table
  std::string description;  ///< free text, may be empty
  std::string base_link = "base_link";
  std::string tip_link = "tool0";                              ///< name of frame n+1
  Eigen::Vector3d gravity = Eigen::Vector3d(0.0, 0.0, -9.81);  ///< in the base frame (m/s^2)
  std::vector<DhLink> links;                                   ///< from the base to the tip
  std::vector<Visual> base_visuals;                            ///< in frame 1
  std::vector<double> q0, qd0;  ///< initial state, one entry per joint that is not a mimic joint
  std::optional<ForcedMotion> forced;
  /// Constraints that close loops. Origins are given in frame i+1 for link i, in frame 1 for the
  /// base and in frame n+1 for the tip.
  std::vector<ConstraintDescription> constraints = {};
};

/// Maximum number of links of a table.
inline constexpr std::size_t max_dh_links = 10'000;

/// Reads a table from YAML (format: robots/README.md). The file name is only used in messages.
/// Throws ParseError for the first error, with file, line and key, and what would be right.
DhTable read_dh_table(std::string_view yaml_text, std::string_view file_name);

/// Links and joints of a table. The frame of link i is frame i of the table moved by joint i: its
/// origin is on the joint axis. The frame of a flexible link is moved by Rz(theta) Tz(b) in
/// addition, to the root of its beam.
RobotDescription describe(const DhTable& table);

/// Model of a table, with the table's gravity. A table with constraints: mechanism_from_dh()
/// (closed_loops.hpp).
Model model_from_dh(const DhTable& table);

// The papers' robots, compiled in from robots/*.yaml.

/// Names of the built-in robots.
std::span<const std::string_view> built_in_robots();

/// YAML text of a built-in robot; empty if there is none with this name.
std::optional<std::string_view> built_in_table(std::string_view name);

/// Table of a built-in robot. Throws ArgumentError, listing the names, if there is none with this
/// name.
DhTable built_in_robot(std::string_view name);

/// Writes a DH table as a URDF.
///
/// The frame of link i in the URDF is that of describe(): joint i rotates about or moves along its
/// z axis. Frame n+1 becomes the link `tip_link`, fixed to the last link. Numbers are written in
/// the shortest decimal form that reads back as the same double. Initial state, forced motion and
/// gravity cannot be expressed in URDF and are written as a comment.
///
/// Throws ModelError if the table cannot be expressed as a URDF (duplicate names, a flexible link
/// whose beam does not have the length a).
std::string to_urdf(const DhTable& table);

}  // namespace dynamics
#pragma GCC visibility pop
