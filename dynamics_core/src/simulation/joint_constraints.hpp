// SPDX-License-Identifier: Apache-2.0
#pragma once

// JointConstraints: dry friction, rigid stops and drives of the joints, as complementarity
// conditions.
//
// A joint with dry friction F slides, with the constant force F against its velocity, or is held at
// rest by a force of at most F. A joint at a stop is held by a force of any size away from the
// stop, or of at most F towards it. So every held joint has a force within an interval:
//
//   between the stops [-F, F]      at the lower stop [-F, infinity)      at the upper stop
//   (-infinity, F]
//
// Inside the interval its acceleration is zero; at an end of the interval it may accelerate in the
// direction opposite to the force. A drive (JointDrives) exerts a force of at most its limit to
// give the joint its desired acceleration. All these laws are nonincreasing staircases (ForceLaw).
// Which joints are held and which drives saturate follows for all joints together from one problem,
// which has one solution because M is positive definite (ComplementarityProblem). While no joint
// changes between sliding and held, the equations of motion are smooth; the changes are events of
// the integration: a sliding joint comes to rest, a held joint's force reaches the end of its
// interval, or a joint reaches a stop (impact).
//
// Impact: the impulses of all stops in contact are found together. A joint that hits its stop
// rebounds with `restitution` times its speed; dry friction has no impulse.
//
// Closed loops: the same with the responses of the loops to unit forces in place of M
// (joint_constraints_loops.cpp). Held joints may then hold each other.
//
// Nothing allocates after construction. Not thread-safe.

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dynamics_core/plant.hpp"
#include "ode/function_ref.hpp"
#include "simulation/complementarity.hpp"
#include "simulation/joint_drives.hpp"

namespace dynamics {

class JointConstraints {
 public:
  using Input = std::span<const double>;
  using Output = std::span<double>;
  /// Accelerations without held joints: f(t, q, qd, forces, qdd), where `forces` are those of the
  /// sliding joints' dry friction and of saturated drives.
  using FreeAccelerations = ode::FunctionRef<void(const double&, Input, Input, Input, Output)>;
  /// The same times the inertia matrix: h(t, q, qd, forces, h), the sum of all forces.
  using NetForces = FreeAccelerations;
  /// f(t, q, qd, joint_qdd, qdd, forces): the accelerations of all coordinates where those of the
  /// joints are given, and the joint forces that this takes beyond those of the system.
  using PrescribedMotion =
      ode::FunctionRef<void(const double&, Input, Input, Input, Output, Output)>;

  /// Drives, and what they need.
  struct Drives {
    const JointDrives* drives = nullptr;
    NetForces net_forces = {};
    PrescribedMotion prescribed_motion = {};
  };

  /// A joint slower than this (rad/s or m/s) has come to rest.
  static constexpr double speed_tolerance = 1e-10;
  /// A rebound slower than this (rad/s or m/s) counts as rest.
  static constexpr double resting_speed = 1e-3;
  /// An impact slower than this brings all joints in contact to rest, and joints that friction
  /// holds stay at rest: otherwise two joints that push each other off their stops, or a joint that
  /// shakes others loose, could hit the stops infinitely often in a finite time.
  static constexpr double gentle_speed = 1e-4;

  /// `stops`: whether the limits of the joints' positions are stops.
  JointConstraints(Plant& plant, bool stops, double restitution, FreeAccelerations free,
                   Drives drives);
  JointConstraints(Plant& plant, bool stops, double restitution, FreeAccelerations free)
      : JointConstraints(plant, stops, restitution, free, Drives()) {}

  /// Continues with another plant that has the same joints.
  void replace_plant(Plant& plant) { plant_ = &plant; }

  /// Modes of the joints in a new state. Throws ArgumentError naming a joint beyond its stops.
  void start(double t, Output q, Output qd);
  /// The parts of start() before resume(): throws ArgumentError for a joint beyond its stops, with
  /// the name of q; sets the scale of the forces for the tolerance of holding forces.
  void check_positions(const char* name, Input q) const;
  void prepare(double t, Input q);
  /// Modes of the joints in a state, from positions and velocities only. Joints slower than the
  /// tolerance come to rest, and joints that have reached a stop have their impact. `time`: since
  /// the start of the drives' step.
  void resume(double t, double time, Output q, Output qd);

  /// Locks a joint by a brake, which stops it at once and holds it with any force, or unlocks it.
  void lock(double t, std::size_t joint, bool locked, Output q, Output qd);
  /// The joint is locked when start() is called.
  void lock_at_start(std::size_t joint) {
    locked_[joint] = 1;
    changes_modes_ = true;
  }
  /// There is dry friction, a stop or a lock: joints slide, are held and have impacts.
  bool changes_modes() const { return changes_modes_; }

  /// Accelerations in the present modes.
  void accelerations(double t, Input q, Input qd, Output qdd) { accelerations(t, 0.0, q, qd, qdd); }
  void accelerations(double t, double time, Input q, Input qd, Output qdd);

  /// Accelerations in the state in which the modes were determined, if that has computed them.
  bool has_initial_accelerations() const { return has_initial_; }
  Input initial_accelerations() const { return acceleration_; }
  /// The inertia matrix in that state; null if it was not needed.
  const Eigen::MatrixXd* initial_inertia() const { return has_inertia_ ? &problem_.M : nullptr; }

  // Positive until an event: a sliding joint comes to rest, the force of a held joint leaves its
  // interval, a joint reaches a stop.
  double sliding_margin(Input qd) const;
  double holding_margin(double t, Input q, Input qd);
  double gap_margin(std::size_t joint, int side, Input q) const;
  /// The state at one end of a step, with the margin of the holding forces there.
  struct StepEnd {
    Input q, qd, qdd;
    double holding_margin;
  };
  /// The margin with the forces of the last call of resume() or accelerations().
  double last_holding_margin() const;
  /// The least of all margins.
  double margin(const StepEnd& at) const;
  /// Estimate of the time at which the margin becomes negative between two times, from the first of
  /// them on, by cubic interpolation of positions and velocities.
  double estimate_change(double length, const StepEnd& before, const StepEnd& after) const;

  /// Determines the modes after a sliding joint came to rest or a force left its interval.
  void update(double t, Output q, Output qd);
  /// Impact of the joints that have reached a stop.
  void impact(double t, Output q, Output qd);
  /// Sets the velocities of sliding joints that have come to rest to zero.
  void stop_sliding(Output qd) const;
  /// After a state was moved onto the loops: moves it along the loops such that held joints are at
  /// rest where they were. Returns false if no joint is held.
  bool restore_held(double t, Output q, Output qd);
  /// Moves joints that are beyond a stop by the tolerance back to it.
  void clamp_to_stops(Output q) const;

  bool has_stop(std::size_t joint, int side) const;
  double stop(std::size_t joint, int side) const {
    return side < 0 ? lower_[joint] : upper_[joint];
  }
  double dry_friction(std::size_t joint) const { return dry_friction_[joint]; }
  bool held(std::size_t joint) const { return held_[joint] != 0; }
  /// The acceleration is prescribed: zero (held) or that of the drive.
  bool prescribed(std::size_t joint) const { return held_[joint] != 0 || tracks_[joint] != 0; }
  /// By joint: -1 in contact with the lower stop, 1 with the upper stop, 0 with none.
  std::span<const int> contacts() const { return contact_; }
  /// The joint would pass its stop: 1 the upper, -1 the lower, 0 none.
  int reaches(std::size_t joint, Input q, Input qd) const;

  /// Number of problems since the last call whose solution was not found
  /// (ComplementarityProblem::converged).
  std::uint64_t take_unsolved() { return std::exchange(unsolved_, 0); }

  /// Efforts of the drives after resume(), by joint; zero for joints without.
  void drive_efforts(double t, Input q, Input qd, Output efforts);

 private:
  static constexpr double drive_tolerance = 1e-7;  ///< of drives at rest (rad/s^2 or m/s^2)
  static constexpr double gap_tolerance = 1e-12;   ///< relative to the position of the stop

  static int sign(double x) { return x > 0.0 ? 1 : -1; }
  bool has_drives() const { return drives_ != nullptr; }
  bool driven(std::size_t joint) const { return has_drives() && drives_->driven(joint); }
  /// At rest it can be held by a stop, friction or a brake.
  bool can_be_held(std::size_t joint) const {
    return !ideal(joint) &&
           (contact_[joint] != 0 || dry_friction_[joint] > 0.0 || locked_[joint] != 0);
  }
  bool ideal(std::size_t joint) const { return has_drives() && drives_->ideal(joint); }
  void find_contacts(double t, double time, Output q, Output qd);
  bool touches(std::size_t joint, int side, Input q) const;
  /// Which of the joints at rest (held_) are held and which drives saturate, from the forces that
  /// this takes.
  void choose_modes(double t, double time, Input q, Input qd);
  bool follow_drives(double t, double time, Input q, Input qd);
  void set_law(std::size_t joint);
  /// The mode of a joint from its place on the staircase.
  void set_mode(std::size_t joint);
  bool choose_by_hybrid_dynamics(double t, Input q, Input qd);
  void solve_by_hybrid_dynamics(double t, Input q, Input qd, Output qdd);
  /// Velocities after the impact of the joints that have reached a stop.
  void collide(double t, Output q, Output qd);
  void solve_problem();
  /// M and h of the problem.
  void fill_problem(double t, Input q, Input qd);
  void fill_responses(double t, Input q);
  /// Velocities along the loops with those joints at rest that have come to rest.
  void settle(double t, Input q, Output qd);
  /// The problem's accelerations.
  void copy_accelerations(Output qdd) const;
  void slide(std::size_t joint, int direction);

  Plant* plant_;
  double restitution_;
  FreeAccelerations free_;
  const JointDrives* drives_;
  NetForces net_forces_;
  PrescribedMotion prescribed_motion_;
  std::vector<double> dry_friction_, lower_, upper_;
  bool changes_modes_ = false;
  bool was_constrained_ = true;  ///< the last time by friction, stops or drives
  // modes
  std::vector<char> locked_;         ///< by a brake
  std::vector<char> held_, tracks_;  ///< tracks_: moves with the acceleration of its drive
  std::vector<int> contact_, sliding_;
  /// Where a drive's joint was on its staircase, the first guess for the next time.
  enum class Guess : char { tracks, held, saturated_up, saturated_down };
  std::vector<Guess> guess_;
  std::vector<double> friction_;                 ///< forces of sliding joints
  std::vector<double> saturated_;                ///< forces of saturated drives
  std::vector<double> applied_;                  ///< sum of both
  std::vector<double> hold_lower_, hold_upper_;  ///< interval of the holding force
  bool has_loops_;
  std::vector<double> held_at_;  ///< positions of held joints
  Eigen::MatrixXd responses_;
  std::vector<std::size_t> forced_;  ///< joints with forces
  // the last problem
  ComplementarityProblem problem_;
  std::vector<char> given_;  ///< coordinates whose acceleration is given
  bool has_forces_ = false;  ///< the problem's forces are those of the last accelerations
  bool has_initial_ = false;
  bool has_inertia_ = false;
  std::size_t prescribed_count_ = 0;
  bool follows_drives_ = false;  ///< all joints move with the accelerations of their drives
  std::vector<double> acceleration_, desired_, target_, forces_, zero_;
  double force_scale_ = 1.0;
  std::uint64_t unsolved_ = 0;
};

}  // namespace dynamics
