// SPDX-License-Identifier: Apache-2.0
#pragma once

// The dynamic model of a robot: immutable, cheap to copy, shared between threads.
//
//   dynamics::Model model = dynamics::model_from_urdf_file("arm.urdf");
//   dynamics::Workspace workspace(model);
//   dynamics::inverse_dynamics(model, workspace, q, qd, qdd, tau);
//
// Order of the coordinates: depth first from the root of the URDF tree, the joints of one link in
// file order. A revolute, continuous or prismatic joint has one coordinate with the joint's name; a
// planar joint has NAME/x, NAME/y, NAME/yaw; a floating joint has NAME/x, /y, /z, /roll, /pitch,
// /yaw with the rotation Rz(yaw) Ry(pitch) Rx(roll). A mimic joint has no coordinate.
//
// SI units and radians. Building a Model allocates; all queries but coordinate_names() do not.

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
#include "dynamics_core/pose.hpp"
#include "dynamics_core/view.hpp"

#pragma GCC visibility push(default)
namespace dynamics {

struct TreeBody;

/// One independent coordinate of the robot.
struct Coordinate {
  std::string name;   ///< the joint's name, or JOINT/x ... for a planar or floating joint
  std::string joint;  ///< name of the URDF joint
  bool prismatic;     ///< true: m and N; false: rad and N m
  double lower;       ///< position limit, -infinity if there is none
  double upper;       ///< position limit, +infinity if there is none
  double velocity;    ///< velocity limit, infinity if not given
  double effort;      ///< torque or force limit, infinity if not given
};

/// One single-axis joint and the body it moves. A mimic joint and each axis of a planar or floating
/// joint are bodies as well. Body i of the list is body i of Model::tree().
struct Body {
  std::string joint;       ///< name of the coordinate or of the mimic joint
  std::string link;        ///< URDF link, empty between the axes of a planar or floating joint
  std::size_t coordinate;  ///< index of the coordinate that moves the body
  double multiplier;       ///< joint position = multiplier * coordinate + offset
  double offset;
  Eigen::Matrix3d axes;   ///< body frame in the link frame: same origin, Z along the joint axis
  double damping = 0.0;   ///< viscous (N m s/rad or N s/m)
  double friction = 0.0;  ///< Coulomb (N m or N)
  double rotor_inertia = 0.0;  ///< reflected to the joint (kg m^2 or kg)
};

/// A named frame fixed to a body. Every URDF link has one.
struct Frame {
  std::string name;
  int body;   ///< index of the body, -1: the base
  Pose pose;  ///< in the body frame (see Body::axes); for the base, in the base link frame
};

/// A remark or warning about a model: links merged, suspicious values, ignored elements.
struct Note {
  /// How serious it is.
  enum class Severity { information, warning };
  Severity severity;
  std::string element;  ///< link or joint
  std::string message;
};

/// A load fixed to a frame.
struct Payload {
  std::string frame;                                  ///< frame name
  double mass = 0.0;                                  ///< (kg)
  Eigen::Vector3d center = Eigen::Vector3d::Zero();   ///< center of mass in the frame (m)
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  ///< about it, frame axes (kg m^2)
};

/// Options of a Model.
struct ModelOptions {
  Eigen::Vector3d gravity = {0.0, 0.0, -9.81};  ///< in the world frame (m/s^2)
  /// Coulomb friction is friction * v / sqrt(v^2 + friction_velocity^2), smooth at v = 0.
  double friction_velocity = 0.01;  ///< (rad/s or m/s)
};

/// The dynamic model of a robot: immutable, shared by threads. See the example above.
class Model {
 public:
  struct [[gnu::visibility("hidden")]] Data;

  /// Throws ModelError for the first error, naming the link or joint, and ArgumentError for invalid
  /// options.
  explicit Model(RobotDescription description, const ModelOptions& options = {});

  // References and views refer to the model's data: they live as long as any copy of the model. On
  // a temporary they do not compile:
  //
  //   for (const Coordinate& c : model_from_urdf(text).coordinates())     // error
  //   const Model model = model_from_urdf(text);                          // name it first

  /// Name of the robot.
  const std::string& name() const&;
  /// The independent coordinates, in order.
  std::span<const Coordinate> coordinates() const&;
  /// The single-axis joints with their bodies, parents first.
  std::span<const Body> bodies() const&;
  /// The frames of all links.
  std::span<const Frame> frames() const&;
  /// Remarks and warnings about the model.
  std::span<const Note> notes() const&;
  /// The bodies as the recursions use them (model/tree.hpp, not installed), parents first.
  const std::vector<TreeBody>& tree() const&;
  /// Name of the robot.
  const std::string& name() const&& = delete;
  /// The independent coordinates, in order.
  std::span<const Coordinate> coordinates() const&& = delete;
  /// The single-axis joints with their bodies, parents first.
  std::span<const Body> bodies() const&& = delete;
  /// The frames of all links.
  std::span<const Frame> frames() const&& = delete;
  /// Remarks and warnings about the model.
  std::span<const Note> notes() const&& = delete;
  const std::vector<TreeBody>& tree() const&& = delete;

  std::size_t size() const;        ///< number of independent coordinates
  std::size_t body_count() const;  ///< number of single-axis joints, including mimic joints
  /// Their names, in order.
  std::vector<std::string> coordinate_names() const;

  /// Index of a name. Throws ArgumentError, listing the names, if there is none.
  std::size_t coordinate(std::string_view name) const;
  std::size_t frame(std::string_view name) const;
  std::optional<std::size_t> find_coordinate(std::string_view name) const;
  std::optional<std::size_t> find_frame(std::string_view name) const;

  /// Name of the root link.
  const std::string& base_link() const&;
  /// Name of the root link.
  const std::string& base_link() const&& = delete;
  /// Frame at the end of the longest chain of moving joints; the first if several are as long.
  std::size_t end_effector() const;
  double total_mass() const;  ///< of all links, including base and payload (kg)

  /// Gravity in the world frame (m/s^2).
  const Eigen::Vector3d& gravity() const&;
  /// Gravity in the world frame (m/s^2).
  const Eigen::Vector3d& gravity() const&& = delete;
  /// See ModelOptions.
  double friction_velocity() const;
  /// The payload, if there is one.
  const std::optional<Payload>& payload() const&;
  /// The payload, if there is one.
  const std::optional<Payload>& payload() const&& = delete;
  /// The description that the model was built from.
  const RobotDescription& description() const&;
  /// The description that the model was built from.
  const RobotDescription& description() const&& = delete;

  /// True if body i is moved by coordinate i for every i: no mimic joint, no floating joint.
  bool coordinates_are_bodies() const;

  /// True if the joint of this body follows another joint.
  bool is_mimic(std::size_t body) const;

  /// Why forward dynamics cannot be computed for this model; empty where it can.
  const std::string& singular_reason() const&;
  const std::string& singular_reason() const&& = delete;
  /// A mimic joint, or one that is mimicked, moves no mass by itself: the matrix over bodies is
  /// singular, that over coordinates is not, and forward dynamics uses the latter.
  bool has_massless_mimic() const;
  /// The pitch coordinates of floating joints: at +-90 degrees roll and yaw are the same rotation.
  std::span<const std::size_t> pitch_coordinates() const&;
  std::span<const std::size_t> pitch_coordinates() const&& = delete;

  /// Copies with another gravity (m/s^2), with another payload, or without payload. The robot can
  /// have one payload. They throw ArgumentError for invalid values.
  Model with_gravity(const Eigen::Vector3d& gravity) const;
  Model with_payload(const Payload& payload) const;
  Model without_payload() const;

  const Data& data() const& { return *data_; }  ///< for the library's own code
  const Data& data() const&& = delete;

 private:
  explicit Model(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

}  // namespace dynamics
#pragma GCC visibility pop
