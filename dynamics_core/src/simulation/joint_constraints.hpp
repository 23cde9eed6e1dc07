// SPDX-License-Identifier: Apache-2.0
#pragma once

// JointConstraints: dry friction and rigid stops of the joints, as complementarity conditions.
//
// A joint with dry friction F slides, with the constant force F against its velocity, or is held at
// rest by a force of at most F. A joint at a stop is held by a force of any size away from the
// stop, or of at most F towards it. So every held joint has a force within an interval:
//
//   between the stops [-F, F]      at the lower stop [-F, infinity)      at the upper stop
//   (-infinity, F]
//
// Inside the interval its acceleration is zero; at an end of the interval it may accelerate in the
// direction opposite to the force. Which joints are held follows for all joints at rest together
// from this boxed linear complementarity problem, which has one solution because M is positive
// definite. While no joint changes between sliding and held, the equations of motion are smooth;
// the changes are events of the integration: a sliding joint comes to rest, a held joint's force
// reaches the end of its interval, or a joint reaches a stop (impact).
//
// Impact: the impulses of all stops in contact are found together. A joint that hits its stop
// rebounds with `restitution` times its speed; dry friction has no impulse.
//
// Nothing allocates after construction. Not thread-safe.

#include <Eigen/Core>
#include <span>
#include <vector>

#include "dynamics_core/plant.hpp"
#include "ode/function_ref.hpp"

namespace dynamics {

/// lambda with w = b + A lambda such that for each i: w = 0 and lower <= lambda <= upper, or lambda
/// = lower and w >= 0, or lambda = upper and w <= 0. A symmetric positive definite. The result says
/// in `ends` for each i: 0 within the interval, -1 at its lower end, 1 at its upper end. Returns
/// false if A is not positive definite.
class BoxedComplementarity {
 public:
  explicit BoxedComplementarity(std::size_t largest);

  Eigen::MatrixXd A;
  Eigen::VectorXd b, lower, upper, lambda;
  std::vector<int> ends;

  /// Solves for the leading `size` rows and columns.
  [[nodiscard]] bool solve(std::size_t size);

 private:
  bool solve_within(Eigen::Index size);

  Eigen::MatrixXd factor_;
  Eigen::VectorXd part_;
  std::vector<Eigen::Index> within_;
};

class JointConstraints {
 public:
  using Input = std::span<const double>;
  using Output = std::span<double>;
  /// Accelerations without held joints: f(t, q, qd, friction, qdd), where `friction` are the forces
  /// of the sliding joints' dry friction.
  using FreeAccelerations = ode::FunctionRef<void(const double&, Input, Input, Input, Output)>;

  /// A rebound slower than this (rad/s or m/s) counts as rest.
  static constexpr double resting_speed = 1e-3;
  /// An impact slower than this brings all joints in contact to rest: otherwise two joints that
  /// push each other off their stops could hit them infinitely often in a finite time.
  static constexpr double gentle_speed = 1e-4;

  /// `stops`: whether the limits of the joints' positions are stops.
  JointConstraints(Plant& plant, bool stops, double restitution, FreeAccelerations free);

  /// Continues with another plant that has the same joints.
  void replace_plant(Plant& plant) { plant_ = &plant; }

  /// Modes of the joints in a new state. Throws ArgumentError naming a joint beyond its stops.
  void start(double t, Output q, Output qd);

  /// Accelerations in the present modes.
  void accelerations(double t, Input q, Input qd, Output qdd);
  /// Forces of the dry friction of sliding joints, by joint.
  Input sliding_friction() const { return friction_; }

  // Positive until an event: a sliding joint comes to rest, the force of a held joint leaves its
  // interval, a joint reaches a stop.
  double sliding_margin(Input qd) const;
  double holding_margin(double t, Input q, Input qd);
  double gap_margin(std::size_t joint, int side, Input q) const;

  /// Determines the modes after a sliding joint came to rest or a force left its interval.
  void update(double t, Output q, Output qd);
  /// Impact of the joints that have reached a stop.
  void impact(double t, Output q, Output qd);

  bool has_stop(std::size_t joint, int side) const;
  bool held(std::size_t joint) const { return held_[joint] != 0; }
  /// By joint: -1 in contact with the lower stop, 1 with the upper stop, 0 with none.
  std::span<const int> contacts() const { return contact_; }
  /// The joint would pass its stop: 1 the upper, -1 the lower, 0 none.
  int reaches(std::size_t joint, Input q, Input qd) const;

 private:
  /// Decides which of the joints at rest (held_) are held, from the forces that this takes.
  void choose_modes(double t, Input q, Input qd);
  /// Fills the problem's matrix for the joints in joints_.
  void fill_responses(double t, Input q);
  void slide(std::size_t joint, int direction);

  Plant* plant_;
  double restitution_;
  FreeAccelerations free_;
  std::vector<double> dry_friction_, lower_, upper_;
  std::vector<char> held_;
  std::vector<int> contact_, sliding_;
  std::vector<double> friction_, acceleration_, target_;
  std::vector<std::size_t> joints_;  ///< of the problem's rows
  Eigen::MatrixXd responses_;        ///< M^-1 e_j of joints_
  BoxedComplementarity problem_;
  double force_scale_ = 1.0;
};

}  // namespace dynamics
