// SPDX-License-Identifier: Apache-2.0
#pragma once

// The memory and the steps of RealTimeSimulation: construction and states from outside in
// real_time_state.cpp, the step in real_time_step.cpp.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dynamics_core/closed_loops.hpp"
#include "dynamics_core/real_time_simulation.hpp"
#include "dynamics_core/sensors.hpp"
#include "ode/make_integrator.hpp"
#include "simulation/implicit_inertia.hpp"
#include "simulation/impulse_step.hpp"
#include "simulation/joint_constraints.hpp"
#include "simulation/joint_drives.hpp"

namespace dynamics {

class RealTimeSimulation::Implementation {
 public:
  using Input = std::span<const double>;
  using Output = std::span<double>;

  Implementation(std::unique_ptr<Plant> given, const RealTimeOptions& given_options);

  void reset(ConstVector q, ConstVector qd);
  void set_wrenches(std::span<const LinkWrench> given);
  bool continue_from(const Implementation& other);
  void step();
  void evaluate();

  std::size_t size() const { return accelerations_.size(); }
  Output q(std::vector<double>& y) const { return Output(y).first(size()); }
  Output qd(std::vector<double>& y) const { return Output(y).last(size()); }

  // referenced by the integrator and the constraints, which need a callable of their own
  struct FreeAccelerations {
    Implementation* self;
    void operator()(const double& t, Input q, Input qd, Input forces, Output qdd) const;
  };
  struct NetForces {
    Implementation* self;
    void operator()(const double& t, Input q, Input qd, Input forces, Output h) const;
  };
  struct PrescribedMotion {
    Implementation* self;
    void operator()(const double& t, Input q, Input qd, Input joint_qdd, Output qdd,
                    Output forces) const;
  };
  struct Accelerations {
    Implementation* self;
    void operator()(const double& time, Input q, Input qd, Output qdd) const;
  };
  struct PrepareImplicit {
    Implementation* self;
    bool operator()(const double& time, Input y, const double& c) const;
  };
  struct SolveImplicit {
    Implementation* self;
    void operator()(Output r) const;
  };

  RealTimeOptions options;
  std::unique_ptr<Plant> plant;
  JointDrives drives;
  bool implicit = false;
  std::size_t substeps = 1;
  std::vector<double> y_, old_y_;  // [q; qd]
  std::vector<double> accelerations_, efforts_;
  std::vector<LinkWrench> wrenches;
  std::optional<Sensors> sensors;
  RealTimeStatistics statistics;
  double time = 0.0;
  std::string fault;

 private:
  void select_integrator();
  void close_loops_of(ConstVector given_q, ConstVector given_qd);
  void project_state(double t);
  void advance();
  void feed_forward(std::vector<double>& y);
  void compute_forces(double t, Input q, Input forces);
  void evaluate_accelerations(double at, Input q, Input qd, Output qdd);
  void try_step(double length);
  double locate_change(double length);
  void advance_with_impulses(double start);
  void require_finite() const;
  const std::string& name_of(std::size_t coordinate) const { return names_[coordinate]; }

  FreeAccelerations free_{this};
  NetForces net_forces_{this};
  PrescribedMotion prescribed_motion_{this};
  Accelerations acceleration_{this};
  PrepareImplicit prepare_{this};
  SolveImplicit solve_{this};
  const Mechanism* mechanism_;               // null: no closed loops
  std::optional<MechanismWorkspace> loops_;  // of its closure
  std::vector<std::string> names_;           // of the coordinates
  JointConstraints constraints_;
  ImplicitInertia implicit_inertia_;
  ImpulseStep impulse_step_;
  std::unique_ptr<ode::FixedStepIntegrator<double>> integrator_;
  bool evaluated_ = false;         // evaluate() was called in this state
  bool starts_evaluated_ = false;  // the step starts in such a state, with the same commands
  // current part of a step
  double start_ = 0.0;        // since the start of the step
  bool has_inertia_ = false;  // of its start
  double start_holding_margin_ = 1.0;
  std::vector<double> start_qdd_, last_qdd_;  // of the first and the last evaluation
  struct End {                                // of a part that was tried
    std::vector<double> y, qdd;
    double holding_margin = 1.0, margin = 1.0;
  };
  JointConstraints::StepEnd end_of(End& end) const {
    return {q(end.y), qd(end.y), end.qdd, end.holding_margin};
  }
  End trial_, before_, after_;
  std::vector<std::size_t> free_coordinates_;
  std::vector<double> tau_, no_forces_, fed_accelerations_;
};

}  // namespace dynamics
