// SPDX-License-Identifier: Apache-2.0
#pragma once

// Joint stops: rigid ends of the joints' ranges.
//
// A joint that reaches its stop is hit by an impulse p through the inertia matrix, qd+ = qd- +
// M^-1 e p, such that its own speed afterwards is -restitution times the one before. A joint that
// does not leave again rests: a contact force keeps its acceleration at zero, and it is released
// when that force would have to pull. Several joints may rest at once; impulses and forces are then
// those of all, solved together, and a contact that would pull is given up.

#include <span>
#include <vector>

#include "dynamics_core/plant.hpp"
#include "ode/function_ref.hpp"
#include "ode/small_lu.hpp"

namespace dynamics {

class JointStops {
 public:
  using Input = std::span<const double>;
  using Output = std::span<double>;
  /// Accelerations without contact forces.
  using Free = ode::FunctionRef<void(const double&, Input, Input, Output)>;

  enum class Side { lower, upper };

  /// A bounce slower than this (rad/s or m/s) is taken for rest.
  static constexpr double resting_speed = 1e-3;

  JointStops(Plant& plant, double restitution, Free free);

  /// From here on with another plant of the same joints.
  void replace_plant(Plant& plant) { plant_ = &plant; }

  /// Throws ArgumentError naming a joint that starts beyond its stops. Joints at a stop come to
  /// rest there.
  void start(double t, Output q, Output qd);

  /// Adds what the contact forces do to the accelerations of free().
  void hold(double t, Input q, Output qdd);

  bool has_stop(std::size_t joint, Side side) const;
  bool resting(std::size_t joint) const { return contact_[joint] != 0; }

  /// The way to the stop, positive within the range; 1 while the joint rests.
  double gap(std::size_t joint, Side side, Input q) const;
  /// What presses the joint to its stop (N m or N); 1 while it does not rest.
  double press(double t, Input q, Input qd, std::size_t joint);

  /// The joint has reached its stop; true if it stays.
  bool hit(double t, Output q, Output qd, std::size_t joint, Side side);
  void release(Output q, std::size_t joint);

 private:
  double stop_of(std::size_t joint, int side) const;
  /// Forces (or impulses) of the resting joints such that each gets its `wanted` change.
  void solve(double t, Input q, Input wanted);
  void add_response(Output x) const;
  /// Gives up the contacts that would pull.
  void settle(double t, Output q, Output qd);

  Plant* plant_;
  double restitution_;
  Free free_;
  std::vector<int> contact_;  ///< -1: rests at the lower stop, 1: at the upper, 0: not at all
  std::vector<double> force_, wanted_, acceleration_;
  std::vector<std::vector<double>> response_;  ///< M^-1 e_i of the resting joints
  ode::SmallLu<double> lu_;
};

}  // namespace dynamics
