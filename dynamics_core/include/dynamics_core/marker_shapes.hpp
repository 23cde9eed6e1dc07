// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shapes that show the dynamics of a robot in one state: center of mass and its trail, joint
// efforts, inertias, energies, payload, bent links. The page, RViz or a plot draws them.
//
//   dynamics::RobotState state(model);
//   for (std::size_t i = 0; i < q.size(); ++i) state.set_position(i, q[i]);
//   for (const dynamics::Shape& shape : dynamics::marker_shapes(state)) draw(shape);
//
// Poses and points are in the base link's frame (m). Sizes are proportional to the reach of the
// robot. The functions allocate. A RobotState belongs to one thread at a time.

#include <Eigen/Core>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dynamics_core/flexible_links.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/workspace.hpp"

#pragma GCC visibility push(default)
namespace dynamics {

/// A model with what is known of its state, and the quantities that follow from it. Links with
/// modes are flexible, all others rigid.
class RobotState {
 public:
  /// Throws ModelError if the flexible links are not valid (see FlexibleModel).
  explicit RobotState(const Model& model);

  /// The model, with its payload.
  const Model& model() const { return model_; }
  /// Null for a robot without flexible links.
  const FlexibleModel* flexible() const { return flexible_ ? &*flexible_ : nullptr; }
  /// The same joints with another payload: the state stays. Throws as the constructor does, and
  /// then changes nothing.
  void set_model(const Model& model);

  /// Coordinates are joints, then amplitudes, as FlexibleModel orders them; efforts are those of
  /// joints. An index out of range throws ArgumentError.
  void set_position(std::size_t coordinate, double value);
  void set_velocity(std::size_t coordinate, double value);
  void set_effort(std::size_t joint, double value);
  void clear_velocity(std::size_t joint);
  void clear_effort(std::size_t joint);

  bool has_positions() const;   ///< of all joints
  bool has_velocities() const;  ///< and the velocities of all joints
  std::span<const double> positions() const { return position_; }   ///< 0 where unknown
  std::span<const double> velocities() const { return velocity_; }  ///< 0 where unknown
  std::span<const double> efforts() const { return effort_; }       ///< NaN where unknown

  // All below use 0 for unknown positions and velocities.

  /// Poses of model().frames(), in their order.
  std::span<const Pose> poses();
  /// The pose of a link. An unknown name throws as Model::frame() does.
  const Pose& pose(const std::string& link);
  /// Whether the pose of a joint's child link in the parent link's frame depends on the state: by
  /// the joint, or because the parent bends.
  bool moves_in_parent(const JointDescription& joint) const;
  /// Of the moving links and the payload.
  Eigen::Vector3d center_of_mass();
  /// The kinetic energy is NaN unless has_velocities().
  FlexibleEnergy energy();
  /// Points along the axis of a flexible link, root and tip included. `link` is the index in
  /// flexible()->links(); `points` is 2 or more. Otherwise throws ArgumentError.
  std::vector<Eigen::Vector3d> beam(std::size_t link, std::size_t points);

 private:
  void build(const Model& model);

  Model model_;
  std::optional<FlexibleModel> flexible_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<FlexibleWorkspace> flexible_workspace_;
  std::vector<double> position_, velocity_, effort_;
  std::vector<bool> has_position_, has_velocity_;  // by joint
  std::vector<Pose> poses_;
  bool poses_valid_ = false;
};

/// One shape to draw.
struct Shape {
  /// What the shape shows.
  enum class Subject { center_of_mass, trail, effort, inertia, energy, payload, flexible_link };
  /// The geometry of the shape.
  enum class Kind { sphere, box, line_strip, arrow, text };

  Subject subject = Subject::center_of_mass;
  std::size_t id = 0;  ///< unique among the shapes of a subject, the same in every state
  Kind kind = Kind::sphere;
  Pose pose;  ///< of a sphere or box; position of a text. Identity for lines and arrows.
  /// sphere, box: extents along its axes; line_strip: width in x; arrow: diameters of shaft and
  /// head, length of the head; text: height of the letters in z.
  Eigen::Vector3d size = Eigen::Vector3d::Zero();
  std::vector<Eigen::Vector3d> points;  ///< of a line_strip; start and tip of an arrow
  std::string text;
  bool exceeds_limit = false;  ///< of an effort
};

/// What is drawn, and how large.
struct ShapeOptions {
  bool center_of_mass = true;
  bool trail = true;  ///< of the center of mass
  bool efforts = true;
  bool inertias = false;
  bool energies = true;
  bool payload = true;
  bool flexible_links = true;

  double scale = 1.0;             ///< multiplies all sizes but those of bodies
  bool efforts_by_limits = true;  ///< full size is the joint's effort limit, if it has one
  double full_torque = 100.0;     ///< full size of the others (N m)
  double full_force = 100.0;      ///< (N)
  Eigen::Vector3d energy_place = {0.0, 0.0, 0.75};  ///< in units of the robot's reach
};

/// Past positions of the center of mass.
class Trail {
 public:
  /// Adds a point unless it is closer than `step` to the last one, and forgets all but the last
  /// `length` points. A time before that of the last call starts a new trail.
  void add(double time, const Eigen::Vector3d& point, double step, std::size_t length);
  void clear();
  const std::deque<Eigen::Vector3d>& points() const { return points_; }

 private:
  std::deque<Eigen::Vector3d> points_;
  double time_ = 0.0;
};

/// The shapes of a state that has_positions(). Joint torques are arcs about the axis, by the right
/// hand, of 300 degrees at full size; forces are arrows along the axis; inertias are the uniform
/// boxes of the same mass and moments; a point mass as payload is a sphere of 1000 kg/m^3.
std::vector<Shape> marker_shapes(RobotState& state, const ShapeOptions& options = {},
                                 const Trail& trail = {});

/// Sides of the uniform box of this mass and these principal moments of inertia, from
/// I_x = m (b^2 + c^2)/12 and so on; 0 where the moments leave no extent (m).
Eigen::Vector3d box_sides(double mass, const Eigen::Vector3d& moments);

/// Longest distance from the base along the joints' origins, with the stroke of prismatic joints
/// and the last center of mass; 1 if there is none (m).
double reach(const Model& model);

}  // namespace dynamics
#pragma GCC visibility pop
