// SPDX-License-Identifier: Apache-2.0
// RealTimeSimulation: one step. It ends early at each mode change, which is located first.

#include <algorithm>
#include <cmath>
#include <utility>

#include "dynamics_core/error.hpp"
#include "simulation/real_time_implementation.hpp"

namespace dynamics {

void RealTimeSimulation::Implementation::FreeAccelerations::operator()(const double& t, Input q,
                                                                       Input qd, Input forces,
                                                                       Output qdd) const {
  self->compute_forces(t, q, forces);
  self->plant->accelerations(t, q, qd, self->tau_, qdd);
}

void RealTimeSimulation::Implementation::NetForces::operator()(const double& t, Input q, Input qd,
                                                               Input forces, Output h) const {
  self->compute_forces(t, q, forces);
  self->plant->bias_forces(t, q, qd, h);
  for (double& force : h) force = -force;
  for (std::size_t i = 0; i < h.size(); ++i) h[i] += self->tau_[i];
}

void RealTimeSimulation::Implementation::PrescribedMotion::operator()(const double& t, Input q,
                                                                      Input qd, Input joint_qdd,
                                                                      Output qdd,
                                                                      Output forces) const {
  self->compute_forces(t, q, self->no_forces_);
  self->plant->hybrid_dynamics(t, q, qd, joint_qdd, self->tau_, qdd, forces);
}

/// Sets tau_ to the efforts, the forces of the wrenches and `forces` (of the joints).
void RealTimeSimulation::Implementation::compute_forces(double t, Input q, Input forces) {
  const Input efforts = drives.efforts();
  std::fill(tau_.begin(), tau_.end(), 0.0);
  for (std::size_t i = 0; i < forces.size(); ++i) tau_[i] = efforts[i] + forces[i];
  if (!wrenches.empty()) plant->add_wrenches(t, q, wrenches, tau_);
}

/// `at`: time since the start of the step.
void RealTimeSimulation::Implementation::Accelerations::operator()(const double& at, Input q,
                                                                   Input qd, Output qdd) const {
  ++self->statistics.evaluations;
  self->evaluate_accelerations(at, q, qd, qdd);
  if (!self->constraints_.changes_modes()) return;
  std::copy(qdd.begin(), qdd.end(), self->last_qdd_.begin());
  if (at == self->start_) self->start_qdd_ = self->last_qdd_;
}

void RealTimeSimulation::Implementation::evaluate_accelerations(double at, Input q, Input qd,
                                                                Output qdd) {
  if (at == start_) {
    const bool evaluated = at == 0.0 && starts_evaluated_;
    if (evaluated || constraints_.has_initial_accelerations()) {
      const Input initial =
          evaluated ? Input(accelerations_) : constraints_.initial_accelerations();
      std::copy(initial.begin(), initial.end(), qdd.begin());
      return;
    }
  }
  constraints_.accelerations(time + at, at, q, qd, qdd);
}

bool RealTimeSimulation::Implementation::PrepareImplicit::operator()(const double& at, Input y,
                                                                     const double& c) const {
  if (!self->has_inertia_) {
    Eigen::MatrixXd& inertia = self->implicit_inertia_.inertia();
    if (const Eigen::MatrixXd* known = self->constraints_.initial_inertia()) {
      inertia = *known;
    } else {
      self->plant->inertia_matrix(self->time + at, y.first(self->size()), inertia);
    }
    self->has_inertia_ = true;
    self->free_coordinates_.clear();
    for (std::size_t i = 0; i < self->size(); ++i) {
      if (i >= self->drives.size() || !self->constraints_.prescribed(i))
        self->free_coordinates_.push_back(i);
    }
  }
  return self->implicit_inertia_.decompose(c, self->free_coordinates_);
}

void RealTimeSimulation::Implementation::SolveImplicit::operator()(Output r) const {
  self->implicit_inertia_.solve_stage(r.first(self->size()), r.last(self->size()));
}

/// One step of the integrator from y_, of this length, to trial_.
void RealTimeSimulation::Implementation::try_step(double length) {
  trial_.y = y_;
  if (integrator_->step(start_, length, trial_.y) != ode::Status::ok) {
    throw StateError("robot '" + plant->model().name() + "'",
                     "a joint moves no mass at this position");
  }
  if (!constraints_.changes_modes()) return;
  trial_.qdd = last_qdd_;
  trial_.holding_margin = constraints_.last_holding_margin();
  trial_.margin = constraints_.margin(end_of(trial_));
}

/// Locates the first mode change in the part of the step that ends with trial_, whose margin is
/// negative. Returns its time since start_; trial_ is the state there.
double RealTimeSimulation::Implementation::locate_change(double length) {
  constexpr double tolerance = 1e-9;  // of the margin
  constexpr int steps = 10;
  before_.y = y_;
  before_.qdd = start_qdd_;
  before_.holding_margin = start_holding_margin_;
  std::swap(trial_, after_);
  double from = 0.0, to = length;
  for (int i = 0; i < steps && after_.margin < -tolerance; ++i) {
    // bisection in between, should the interpolation not be accurate
    const double part =
        i % 4 == 3 ? 0.5 * (to - from)
                   : constraints_.estimate_change(to - from, end_of(before_), end_of(after_));
    const double middle = from + part;
    if (!(middle > from && middle < to)) break;
    try_step(middle);
    const bool before = trial_.margin > 0.0;
    std::swap(trial_, before ? before_ : after_);
    (before ? from : to) = middle;
  }
  std::swap(trial_, after_);
  return to;
}

void RealTimeSimulation::Implementation::advance() {
  std::size_t changes = 0;
  for (std::size_t k = 0; k < substeps; ++k) {
    const auto at = [&](std::size_t i) {
      return options.step * static_cast<double>(i) / static_cast<double>(substeps);
    };
    const double end = at(k + 1);
    for (start_ = at(k); start_ < end;) {
      const bool known = start_ == 0.0 && changes == 0 && starts_evaluated_;
      if (!known) constraints_.resume(time + start_, start_, q(y_), qd(y_));
      has_inertia_ = false;
      if (changes == max_mode_changes) {
        advance_with_impulses(start_);
        return;
      }
      start_holding_margin_ = constraints_.last_holding_margin();
      double next = end;
      try_step(end - start_);
      if (!(trial_.margin > 0.0)) {
        next = std::min(end, start_ + locate_change(end - start_));
        ++changes;
        ++statistics.mode_changes;
      }
      y_.swap(trial_.y);
      start_ = next;
      if (constraints_.changes_modes()) {
        constraints_.stop_sliding(qd(y_));
        constraints_.clamp_to_stops(q(y_));
      }
      if (mechanism_ != nullptr) project_state(time + start_);
    }
  }
}

/// Computes what the feed-forward efforts add to the drives for the next step.
void RealTimeSimulation::Implementation::feed_forward(std::vector<double>& y) {
  if (!drives.any_fed()) return;
  ++statistics.evaluations;
  drives.release_fed();
  start_ = 0.0;
  constraints_.resume(time, 0.0, q(y), qd(y));
  if (constraints_.has_initial_accelerations()) {
    const Input initial = constraints_.initial_accelerations();
    std::copy(initial.begin(), initial.end(), fed_accelerations_.begin());
  } else {
    constraints_.accelerations(time, 0.0, q(y), qd(y), fed_accelerations_);
  }
  drives.feed(fed_accelerations_);
}

/// The rest of a step with more mode changes than are located.
void RealTimeSimulation::Implementation::advance_with_impulses(double start) {
  ++statistics.impulse_steps;
  ++statistics.evaluations;
  compute_forces(time + start, q(y_), no_forces_);
  const Output acceleration = q(trial_.y);  // scratch
  plant->accelerations(time + start, q(y_), qd(y_), tau_, acceleration);
  impulse_step_.advance(*plant, drives, constraints_, implicit_inertia_, time + start, start,
                        options.step - start, acceleration, q(y_), qd(y_));
  if (mechanism_ != nullptr) plant->project(q(y_), qd(y_));
}

/// Moves y_ onto the loops, with the held joints where they are.
void RealTimeSimulation::Implementation::project_state(double t) {
  plant->project(q(y_), qd(y_));
  if (constraints_.changes_modes() && constraints_.restore_held(t, q(y_), qd(y_)))
    plant->project(q(y_), qd(y_));
}

void RealTimeSimulation::Implementation::require_finite() const {
  for (std::size_t i = 0; i < size(); ++i) {
    if (std::isfinite(y_[i]) && std::isfinite(y_[size() + i])) continue;
    throw StateError("", "the motion of '" + name_of(i) +
                             "' is not finite any more: use a smaller step or smaller commands");
  }
}

void RealTimeSimulation::Implementation::step() {
  const bool changed = drives.read_commands();
  starts_evaluated_ = std::exchange(evaluated_, false) && !changed && !drives.any_ideal();
  drives.begin_step(q(y_), qd(y_));
  if (!starts_evaluated_) feed_forward(y_);
  advance();
  drives.end_step(q(y_), qd(y_));
  require_finite();
  ++statistics.steps;
  statistics.unsolved += constraints_.take_unsolved() + impulse_step_.take_unsolved();
  time = static_cast<double>(statistics.steps) * options.step;
}

void RealTimeSimulation::Implementation::evaluate() {
  evaluated_ = false;
  drives.read_commands();
  trial_.y = y_;  // an impact changes the velocities
  feed_forward(trial_.y);
  constraints_.resume(time, 0.0, q(trial_.y), qd(trial_.y));
  if (constraints_.has_initial_accelerations()) {
    const Input initial = constraints_.initial_accelerations();
    std::copy(initial.begin(), initial.end(), accelerations_.begin());
  } else {
    constraints_.accelerations(time, 0.0, q(trial_.y), qd(trial_.y), accelerations_);
  }
  constraints_.drive_efforts(time, q(trial_.y), qd(trial_.y), efforts_);
  for (std::size_t i = 0; i < efforts_.size(); ++i) efforts_[i] += drives.efforts()[i];
  evaluated_ = !constraints_.changes_modes() || trial_.y == y_;  // no impact
}

}  // namespace dynamics
