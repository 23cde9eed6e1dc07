// SPDX-License-Identifier: Apache-2.0
#pragma once

// The dynamic model of a robot: immutable, cheap to copy, shared between threads.
//
//   dynamics::Model model = dynamics::model_from_urdf_file("arm.urdf");
//   dynamics::Workspace workspace(model);
//   dynamics::inverse_dynamics(model, workspace, q, qd, qdd, tau);
//
// Coordinates come in the order of the URDF tree: depth first from the root, the joints of one link
// in the order of the file. A revolute, continuous or prismatic joint is one coordinate of the
// joint's name; a planar joint is NAME/x, NAME/y, NAME/yaw; a floating one NAME/x, /y, /z, /roll,
// /pitch, /yaw with the rotation Rz(yaw) Ry(pitch) Rx(roll). A mimic joint has no coordinate.

#include <Eigen/Core>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dynamics_core/description.hpp"
#include "dynamics_core/error.hpp"
#include "dynamics_core/export.hpp"
#include "dynamics_core/pose.hpp"
#include "dynamics_core/view.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

struct TreeBody;

/// One independent coordinate of the robot.
struct Coordinate {
  std::string name;   ///< the joint's name, or JOINT/x ... of a planar or floating joint
  std::string joint;  ///< the URDF joint
  bool prismatic;     ///< metres and newtons instead of radians and newton metres
  double lower;       ///< -infinity where there is no stop
  double upper;       ///< +infinity where there is no stop
  double velocity;    ///< largest speed, infinity where none is given
  double effort;      ///< largest torque or force, infinity where none is given
};

/// One single-axis joint and the body it moves; mimic joints and the parts of planar and floating
/// joints are bodies too. Body i of the list is body i of Model::tree().
struct Body {
  std::string joint;       ///< the coordinate's name, or the mimic joint's
  std::string link;        ///< the URDF link that moves with it, empty between parts of a joint
  std::size_t coordinate;  ///< whose coordinate moves it:
  double multiplier;       ///< joint position = multiplier * coordinate + offset
  double offset;
  Eigen::Matrix3d axes;   ///< the body's frame seen from the link's: same origin, Z along the axis
  double damping = 0.0;   ///< viscous (N m s/rad or N s/m)
  double friction = 0.0;  ///< Coulomb (N m or N)
  double rotor_inertia = 0.0;  ///< reflected to the joint (kg m^2 or kg)
};

/// A named frame, fixed to a body. Every URDF link is one.
struct Frame {
  std::string name;
  int body;   ///< -1: the base
  Pose pose;  ///< in the body's frame (see TreeBody), or in the base link's frame
};

/// Something that the reader of the model should know: what was merged, is suspicious, or ignored.
struct Note {
  enum class Severity { information, warning };
  Severity severity;
  std::string element;  ///< link or joint
  std::string message;
};

/// A load fixed to a frame; centre and inertia (about the centre) in that frame's axes.
struct Payload {
  std::string frame;
  double mass = 0.0;
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
};

struct ModelOptions {
  Eigen::Vector3d gravity = {0.0, 0.0, -9.81};  ///< in the world's frame (m/s^2)
  /// Coulomb friction is friction * v / sqrt(v^2 + friction_velocity^2), smooth through zero.
  double friction_velocity = 0.01;  ///< (rad/s or m/s)
};

class Model {
 public:
  struct Data;

  /// Throws ModelError naming the link or joint that cannot be.
  explicit Model(RobotDescription description, const ModelOptions& options = {});

  const std::string& name() const;

  std::size_t size() const;        ///< number of independent coordinates
  std::size_t body_count() const;  ///< number of single-axis joints, mimic ones included
  std::span<const Coordinate> coordinates() const;
  std::vector<std::string> coordinate_names() const;
  std::span<const Body> bodies() const;
  std::span<const Frame> frames() const;
  std::span<const Note> notes() const;
  /// The bodies as the recursions use them (model/tree.hpp, not installed), parents first.
  const std::vector<TreeBody>& tree() const;

  /// The index of a name. Throws ArgumentError, listing the known ones.
  std::size_t coordinate(std::string_view name) const;
  std::size_t frame(std::string_view name) const;
  std::optional<std::size_t> find_coordinate(std::string_view name) const;
  std::optional<std::size_t> find_frame(std::string_view name) const;

  const std::string& base_link() const;
  /// The frame at the end of the longest chain of moving joints (the first one of several).
  std::size_t end_effector() const;
  double total_mass() const;  ///< of everything, the base included (kg)

  const Eigen::Vector3d& gravity() const;
  double friction_velocity() const;
  const std::optional<Payload>& payload() const;
  const RobotDescription& description() const;

  /// Joint positions of bodies are the coordinates one to one, in order.
  bool plain() const;

  bool is_mimic(std::size_t body) const;

  /// Why forward dynamics cannot be computed for this model, empty where it can.
  const std::string& singular_reason() const;
  /// A mimic joint, or one that is mimicked, moves no mass by itself: the matrix over bodies is
  /// singular, that over coordinates is not, and forward dynamics goes by the latter.
  bool has_massless_mimic() const;
  /// The pitch coordinates of floating joints: at +-90 degrees roll and yaw are one.
  std::span<const std::size_t> pitch_coordinates() const;

  /// The same robot under another gravity, with another payload, or with none.
  Model with_gravity(const Eigen::Vector3d& gravity) const;
  Model with_payload(const Payload& payload) const;
  Model without_payload() const;

  const Data& data() const { return *data_; }  ///< for the library's own code

 private:
  explicit Model(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

}  // namespace dynamics
