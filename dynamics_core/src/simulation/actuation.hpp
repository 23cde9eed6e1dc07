// SPDX-License-Identifier: Apache-2.0
#pragma once

// Actuation: the joint torques that a scenario applies at time t in the state q, qd. Templates: any
// scalar type.

#include <algorithm>
#include <span>
#include <vector>

#include "dynamics_core/simulate.hpp"

namespace dynamics {

/// Evaluates the desired trajectory at time t. Specialized for scalars other than double.
template <class Scalar>
void evaluate_trajectory(const Trajectory& trajectory, const Scalar& t, std::span<Scalar> q,
                         std::span<Scalar> qd, std::span<Scalar> qdd);
template <>
inline void evaluate_trajectory<double>(const Trajectory& trajectory, const double& t,
                                        std::span<double> q, std::span<double> qd,
                                        std::span<double> qdd) {
  trajectory.at(t, q, qd, qdd);
}

template <class Scalar>
class Actuation {
 public:
  Actuation(const Model& model, const SimulationOptions& options, std::span<const double> q0)
      : options_(options),
        hold_q_(q0.begin(), q0.begin() + static_cast<std::ptrdiff_t>(model.size())),
        q_(model.size()),
        qd_(model.size()),
        qdd_(model.size()) {
    for (const Coordinate& coordinate : model.coordinates())
      effort_limits_.push_back(coordinate.effort);
  }

  /// Torques of the scenario, clamped to the effort limits if SimulationOptions::limits is set.
  void torques(EquationsOfMotion<Scalar>& plant, const Scalar& t, std::span<const Scalar> q,
               std::span<const Scalar> qd, std::span<Scalar> tau) {
    unlimited_torques(plant, t, q, qd, tau);
    if (!options_.limits) return;
    for (std::size_t i = 0; i < tau.size(); ++i) {
      tau[i] = std::clamp(tau[i], Scalar(-effort_limits_[i]), Scalar(effort_limits_[i]));
    }
  }

 private:
  void unlimited_torques(EquationsOfMotion<Scalar>& plant, const Scalar& t,
                         std::span<const Scalar> q, std::span<const Scalar> qd,
                         std::span<Scalar> tau) {
    switch (options_.scenario) {
      case Scenario::free_fall: std::fill(tau.begin(), tau.end(), Scalar(0.0)); return;
      case Scenario::forced:
        evaluate_trajectory<Scalar>(*options_.trajectory, t, q_, qd_, qdd_);
        plant.feedforward_torques(t, q_, qd_, qdd_, tau);
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
    plant.computed_torques(t, q, qd, qdd_, tau);
  }

  const SimulationOptions& options_;
  std::vector<double> effort_limits_, hold_q_;
  std::vector<Scalar> q_, qd_, qdd_;
};

}  // namespace dynamics
