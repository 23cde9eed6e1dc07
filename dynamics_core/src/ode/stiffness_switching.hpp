// SPDX-License-Identifier: Apache-2.0
//
// StiffnessSwitching: dop853 where the equations are not stiff, radau5 where they are.
//
//   StiffnessSwitching<double> integrator(system, options);
//   integrator.start(0.0, y0);
//   integrator.advance(1.0);
//   integrator.method();             // "dop853" or "radau5"
//
// Stiff: the stability of dop853, not its error, limits its steps: |h| times the spectral radius of
// df/dy is at the boundary of its stability region (Hairer, Wanner, Solving ODEs II, section IV.2).
// While nothing is stiff every number is that of dop853. Back to dop853: its stability would allow
// longer steps than the error of radau5 does.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ode/embedded_runge_kutta.hpp"
#include "ode/radau5.hpp"
#include "ode/tableau_dop853.hpp"

namespace dynamics::ode {

template <class Scalar>
class StiffnessSwitching final : public Integrator<Scalar> {
  using Base = Integrator<Scalar>;

 public:
  using typename Base::Real;

  StiffnessSwitching(const System<Scalar>& system, Options<Real> options)
      : Base("auto", 8, system, options),
        explicit_(dop853_tableau<Real>(), system, options),
        implicit_(system, std::move(options), Radau5Tolerance::dense_output),
        active_(&explicit_),
        stepped_(&explicit_),
        y_new_(system.size(), Scalar(0)) {}

  const std::string& method() const override { return stepped_->name(); }

 protected:
  void on_start() override {
    active_ = stepped_ = &explicit_;
    votes_ = against_ = 0;
    active_->start(this->time_, this->y_);
  }

  // events and breakpoints do not change whether the equations are stiff
  void on_restart() override {
    stepped_ = active_;
    active_->restart(this->time_, this->y_);
  }

  Status on_advance(const Real& limit) override {
    stepped_ = active_;
    const Status status = active_->advance(limit);
    update_statistics();
    if (status != Status::ok) return status;
    std::copy(active_->state().begin(), active_->state().end(), y_new_.begin());
    this->accept(active_->time(), y_new_);
    if (should_switch()) {
      active_ = is_explicit() ? static_cast<Base*>(&implicit_) : &explicit_;
      active_->start(this->time_, this->y_);
      votes_ = 0;
    }
    return status;
  }

  void on_interpolate(const Real& t, Output<Scalar> y) override {
    stepped_->interpolate(t, y);
    update_statistics();
  }

 private:
  // Hairer's DOP853: 15 steps beyond the boundary, not interrupted by 6 within it
  static constexpr int votes_needed = 15;
  static constexpr int contrary_votes = 6;
  static constexpr double stability_boundary = 6.1;

  bool is_explicit() const { return active_ == &explicit_; }

  /// Counts the steps that speak for the other method.
  bool should_switch() {
    const Real boundary = is_explicit() ? Real(stability_boundary) : Real(stability_boundary / 2);
    const Real size =
        is_explicit() ? explicit_.scaled_spectral_radius() : implicit_.scaled_spectral_radius();
    const bool for_switch = is_explicit() ? size > boundary : size < boundary;
    if (for_switch) {
      against_ = 0;
      return ++votes_ >= votes_needed;
    }
    // one long step of radau5 shows that the equations are stiff still
    if (!is_explicit() || ++against_ >= contrary_votes) votes_ = against_ = 0;
    return false;
  }

  void update_statistics() {
    const Statistics &a = explicit_.statistics(), &b = implicit_.statistics();
    Statistics& sum = this->statistics_;
    sum.rejections = a.rejections + b.rejections;
    sum.evaluations = a.evaluations + b.evaluations;
    sum.jacobians = a.jacobians + b.jacobians;
    sum.decompositions = a.decompositions + b.decompositions;
    sum.linear_solves = a.linear_solves + b.linear_solves;
    sum.iterations = a.iterations + b.iterations;
  }

  EmbeddedRungeKutta<Scalar> explicit_;
  Radau5<Scalar> implicit_;
  Base* active_;   // takes the next step
  Base* stepped_;  // has taken the last step
  std::vector<Scalar> y_new_;
  int votes_ = 0;
  int against_ = 0;
};

}  // namespace dynamics::ode
