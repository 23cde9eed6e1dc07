// SPDX-License-Identifier: Apache-2.0
#pragma once

// JointStops: rigid stops at the ends of the joints' ranges.
//
// Impact: a joint that reaches its stop receives an impulse p, qd+ = qd- + M^-1 e p, with p such
// that its velocity after the impact is -restitution times the velocity before. Contact: a joint
// that does not rebound stays at the stop. A contact force keeps its acceleration at zero; the
// contact is released when that force would have to pull. With several joints in contact, impulses
// and forces are solved for simultaneously, and contacts that would pull are released one by one.
//
// Nothing allocates after construction. Not thread-safe.

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
  /// Accelerations without contact forces: f(t, q, qd, qdd).
  using FreeAccelerations = ode::FunctionRef<void(const double&, Input, Input, Output)>;

  enum class Side { lower, upper };

  /// A rebound slower than this (rad/s or m/s) counts as resting contact.
  static constexpr double resting_speed = 1e-3;

  JointStops(Plant& plant, double restitution, FreeAccelerations free);

  /// Continues with another plant that has the same joints.
  void replace_plant(Plant& plant) { plant_ = &plant; }

  /// Initial contacts: joints at a stop that do not move away from it come into contact. Throws
  /// ArgumentError naming a joint that starts beyond its stops.
  void start(double t, Output q, Output qd);

  /// Adds the effect of the contact forces to the free accelerations qdd.
  void apply_contact_forces(double t, Input q, Output qdd);

  bool has_stop(std::size_t joint, Side side) const;
  bool in_contact(std::size_t joint) const { return contact_[joint] != 0; }

  /// Distance to the stop, positive within the range; 1 while the joint is in contact.
  double gap(std::size_t joint, Side side, Input q) const;
  /// Compressive contact force at the stop (N m or N); 1 while the joint is not in contact.
  double contact_force(double t, Input q, Input qd, std::size_t joint);

  /// Impact of a joint that has reached its stop. Returns true if it stays in contact.
  bool impact(double t, Output q, Output qd, std::size_t joint, Side side);
  /// Ends a contact.
  void release(Output q, std::size_t joint);

 private:
  double stop_position(std::size_t joint, int side) const;
  /// Solves for the contact forces (or impulses) that change each acceleration (or velocity) in
  /// contact by `change`.
  void solve(double t, Input q, Input change);
  /// x += M^-1 (contact forces)
  void add_response(Output x) const;
  /// Releases contacts until none would pull.
  void release_pulling_contacts(double t, Output q, Output qd);

  Plant* plant_;
  double restitution_;
  FreeAccelerations free_;
  std::vector<int> contact_;  ///< by joint: -1 at the lower stop, 1 at the upper, 0 none
  std::vector<double> force_, change_, acceleration_;
  std::vector<std::vector<double>> response_;  ///< M^-1 e_i of the joints in contact
  ode::SmallLu<double> lu_;
};

}  // namespace dynamics
