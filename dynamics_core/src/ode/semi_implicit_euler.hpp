// SPDX-License-Identifier: Apache-2.0
//
// SemiImplicitEuler: q'_1 = q' + h a(t, q, q'), q_1 = q + h q'_1. Order 1, one evaluation per step,
// symplectic for q'' = a(q) with constant masses: the energy error stays O(h) for exponentially
// long times (Hairer, Lubich, Wanner, Geometric Numerical Integration, section VI.3).
//
//   SemiImplicitEuler<double> integrator(System<double>::second_order(1, pendulum), options);
//   integrator.step(t, 0.001, y);
#pragma once

#include <utility>
#include <vector>

#include "dynamics_core/error.hpp"
#include "ode/fixed_step.hpp"

namespace dynamics::ode {

template <class Scalar>
class SemiImplicitEuler final : public HermiteFixedStep<Scalar> {
 public:
  using typename Integrator<Scalar>::Real;

  SemiImplicitEuler(const System<Scalar>& system, Options<Real> options)
      : HermiteFixedStep<Scalar>("semi_implicit_euler", 1, system, std::move(options)),
        acceleration_(system.degrees_of_freedom(), Scalar(0)) {
    if (!system.is_second_order()) {
      throw ArgumentError(
          "semi_implicit_euler needs a second-order system q'' = a(t, q, q'): make it with "
          "System::second_order");
    }
  }

  Status step(const Real& t, const Real& h, Output<Scalar> y) override {
    const std::size_t half = acceleration_.size();
    ++this->statistics_.evaluations;
    this->system_.acceleration(t, y.first(half), y.last(half), acceleration_);
    for (std::size_t i = 0; i < half; ++i) {
      y[half + i] += h * acceleration_[i];
      y[i] += h * y[half + i];
    }
    return Status::ok;
  }

 private:
  std::vector<Scalar> acceleration_;
};

}  // namespace dynamics::ode
