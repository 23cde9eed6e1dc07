// SPDX-License-Identifier: Apache-2.0
#pragma once

// A robot arm as a table of Denavit-Hartenberg parameters, the way Saha's papers print it.
//
// Frame i is fixed to link i-1 and joint i moves about or along its Z; frame i to frame i+1 is
//
//   Rz(theta_i) Tz(b_i) Tx(a_i) Rx(alpha_i),
//
// where the joint coordinate q_i is added to theta_i (revolute) or to b_i (prismatic). The mass
// centre of link i, its inertia and its looks are expressed in frame i+1. Frame 1 is the base.

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dynamics_core/description.hpp"
#include "dynamics_core/error.hpp"
#include "dynamics_core/export.hpp"
#include "dynamics_core/model.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

struct DhLink {
  enum class JointType { revolute, prismatic };

  std::string joint;
  std::string link;
  JointType type = JointType::revolute;

  double a = 0.0;      ///< along X_{i+1} (m)
  double b = 0.0;      ///< along Z_i (m); of a prismatic joint: at q = 0
  double alpha = 0.0;  ///< about X_{i+1} (rad)
  double theta = 0.0;  ///< about Z_i (rad); of a revolute joint: at q = 0

  double mass = 0.0;                                  ///< (kg)
  Eigen::Vector3d r = Eigen::Vector3d::Zero();        ///< mass centre to O_{i+1} (m)
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  ///< about the mass centre (kg m^2)

  std::optional<double> lower, upper;  ///< range of q (rad or m), both or none
  std::optional<double> velocity;      ///< largest speed (rad/s or m/s)
  std::optional<double> effort;        ///< largest torque or force (N m or N)

  double damping = 0.0;        ///< viscous (N m s/rad or N s/m)
  double friction = 0.0;       ///< Coulomb (N m or N)
  double rotor_inertia = 0.0;  ///< seen at the joint (kg m^2 or kg)

  std::optional<BeamDescription> flexible;
  std::vector<Visual> visuals;
};

/// The motion that the forced run is asked to follow.
struct Forced {
  enum class Kind {
    cycloid,    ///< q0 + (q1 - q0)/(2 pi) (2 pi t/T - sin(2 pi t/T)), Saha 2003, Eq. (18)
    mohan_saha  ///< q0 + k (t - T/pi sin(pi t/T)), joint by joint, Mohan and Saha, Eq. (44)
  };
  Kind kind = Kind::cycloid;
  std::vector<double> q1;  ///< cycloid: the end (rad or m)
  double period = 10.0;    ///< cycloid: T (s)
  std::vector<double> k;   ///< mohan_saha: mean rates (rad/s or m/s)
  std::vector<double> T;   ///< mohan_saha: (s)
};

struct DhTable {
  std::string name;
  std::string source;       ///< paper and table
  std::string description;  ///< remarks, may be empty
  std::string base_link = "base_link";
  std::string tip_link = "tool0";                              ///< the name of frame n+1
  Eigen::Vector3d gravity = Eigen::Vector3d(0.0, 0.0, -9.81);  ///< in the base frame (m/s^2)
  std::vector<DhLink> links;                                   ///< from the base outwards
  std::vector<Visual> base_visuals;                            ///< in frame 1
  std::vector<double> q0, qd0;                                 ///< start, one entry a joint
  std::optional<Forced> forced;
};

/// No table may have more links than this.
inline constexpr std::size_t max_dh_links = 10'000;

/// Reads a table from YAML. The file name is only used in messages.
/// The format is described in robots/README.md.
/// Throws ModelError naming file, line and key, and what would be right.
DhTable read_dh_table(std::string_view yaml_text, std::string_view file_name);

/// The links and joints of a table. The frame of link i is frame i of the table moved by joint i:
/// its origin is on the joint's axis.
RobotDescription describe(const DhTable& table);

/// The model of a table, under the table's gravity.
Model model_from_dh(const DhTable& table);

// The papers' robots, compiled in from robots/*.yaml.

/// Their names, in the order of the papers.
std::span<const std::string_view> built_in_robots();

/// The YAML text of a robot, or nothing when there is none of that name.
std::optional<std::string_view> built_in_table(std::string_view name);

/// The table of a robot. Throws ModelError, listing the names, when there is none of that name.
DhTable built_in_robot(std::string_view name);

/// Writes a DH table as a URDF.
///
/// The frame of link i in the URDF is frame i moved by the joint coordinate: joint i turns about
/// or slides along its z, and at q = 0 the two frames coincide. Frame n+1 becomes the link
/// `tip_link`, fixed to the last one. Every number of the table that a URDF can hold is written in
/// the shortest decimal form that reads back as the same double. Start, forced motion and gravity
/// have no place in a URDF and are given in a comment.
///
/// Throws ModelError where a URDF cannot say what the table says (names used twice, a flexible
/// link whose beam is not along its x).
std::string to_urdf(const DhTable& table);

}  // namespace dynamics
