// SPDX-License-Identifier: Apache-2.0
#pragma once

// ScenarioLaw: the joint torques of a scenario with any scalar type, for reference solutions. With
// double the scenarios are controllers (simulation/simulate.cpp).

#include <algorithm>
#include <span>
#include <vector>

#include "dynamics_core/simulate.hpp"
#include "simulation/torque_law.hpp"

namespace dynamics {

/// Evaluates the desired trajectory at time t. Specialized for scalars other than double.
template <class Scalar>
void evaluate_trajectory(const Trajectory& trajectory, const Scalar& t, std::span<Scalar> q,
                         std::span<Scalar> qd, std::span<Scalar> qdd);

template <class Scalar>
class ScenarioLaw final : public TorqueLaw<Scalar> {
 public:
  ScenarioLaw(EquationsOfMotion<Scalar>& plant, const SimulationOptions& options,
              std::span<const double> q0)
      : plant_(plant),
        options_(options),
        hold_q_(q0.begin(), q0.begin() + static_cast<std::ptrdiff_t>(plant.joints())),
        q_(plant.joints()),
        qd_(plant.joints()),
        qdd_(plant.joints()) {}

  bool is_passive() const override { return options_.scenario == Scenario::free_fall; }

  void torques(const Scalar& t, std::span<const Scalar> q, std::span<const Scalar> qd,
               std::span<Scalar> tau) override {
    switch (options_.scenario) {
      case Scenario::free_fall: std::fill(tau.begin(), tau.end(), Scalar(0.0)); return;
      case Scenario::forced:
        evaluate_trajectory<Scalar>(*options_.trajectory, t, q_, qd_, qdd_);
        plant_.feedforward_torques(t, q_, qd_, qdd_, tau);
        return;
      case Scenario::computed_torque:
        evaluate_trajectory<Scalar>(*options_.trajectory, t, q_, qd_, qdd_);
        break;
      case Scenario::hold:
        std::copy(hold_q_.begin(), hold_q_.end(), q_.begin());
        std::fill(qd_.begin(), qd_.end(), Scalar(0.0));
        std::fill(qdd_.begin(), qdd_.end(), Scalar(0.0));
        break;
    }
    // computed torque with critically damped error dynamics: e'' + 2 w e' + w^2 e = 0
    const Scalar w(options_.bandwidth);
    for (std::size_t i = 0; i < qdd_.size(); ++i) {
      qdd_[i] += w * w * (q_[i] - q[i]) + Scalar(2.0) * w * (qd_[i] - qd[i]);
    }
    plant_.computed_torques(t, q, qd, qdd_, tau);
  }

 private:
  EquationsOfMotion<Scalar>& plant_;
  const SimulationOptions& options_;
  std::vector<double> hold_q_;
  std::vector<Scalar> q_, qd_, qdd_;
};

}  // namespace dynamics
