// SPDX-License-Identifier: Apache-2.0
#pragma once

// The joint forces of a scenario, over any scalar.

#include <algorithm>
#include <span>
#include <vector>

#include "dynamics_core/simulate.hpp"

namespace dynamics {

/// The desired motion at time t. Specialized for scalars other than double.
template <class Scalar>
void evaluate_motion(const Motion& motion, const Scalar& t, std::span<Scalar> q,
                     std::span<Scalar> qd, std::span<Scalar> qdd);
template <>
inline void evaluate_motion<double>(const Motion& motion, const double& t, std::span<double> q,
                                    std::span<double> qd, std::span<double> qdd) {
  motion.at(t, q, qd, qdd);
}

template <class Scalar>
class Actuation {
 public:
  Actuation(const Model& model, const SimulationOptions& options, std::span<const double> q0)
      : options_(options),
        hold_(q0.begin(), q0.begin() + static_cast<std::ptrdiff_t>(model.size())),
        q_(model.size()),
        qd_(model.size()),
        qdd_(model.size()) {
    for (const Coordinate& coordinate : model.coordinates()) effort_.push_back(coordinate.effort);
  }

  void forces(EquationsOfMotion<Scalar>& plant, const Scalar& t, std::span<const Scalar> q,
              std::span<const Scalar> qd, std::span<Scalar> tau) {
    command(plant, t, q, qd, tau);
    if (!options_.limits) return;
    // an actuator gives what it can
    for (std::size_t i = 0; i < tau.size(); ++i) {
      tau[i] = std::clamp(tau[i], Scalar(-effort_[i]), Scalar(effort_[i]));
    }
  }

 private:
  void command(EquationsOfMotion<Scalar>& plant, const Scalar& t, std::span<const Scalar> q,
               std::span<const Scalar> qd, std::span<Scalar> tau) {
    switch (options_.scenario) {
      case Scenario::free_fall: std::fill(tau.begin(), tau.end(), Scalar(0.0)); return;
      case Scenario::forced:
        evaluate_motion<Scalar>(*options_.motion, t, q_, qd_, qdd_);
        plant.motion_forces(t, q_, qd_, qdd_, tau);
        return;
      case Scenario::computed_torque:
        evaluate_motion<Scalar>(*options_.motion, t, q_, qd_, qdd_);
        break;
      case Scenario::hold:
        std::copy(hold_.begin(), hold_.end(), q_.begin());
        std::fill(qd_.begin(), qd_.end(), Scalar(0.0));
        std::fill(qdd_.begin(), qdd_.end(), Scalar(0.0));
        break;
    }
    // critically damped error dynamics
    const Scalar w(options_.bandwidth);
    for (std::size_t i = 0; i < qdd_.size(); ++i) {
      qdd_[i] += w * w * (q_[i] - q[i]) + Scalar(2.0) * w * (qd_[i] - qd[i]);
    }
    plant.control_forces(t, q, qd, qdd_, tau);
  }

  const SimulationOptions& options_;
  std::vector<double> effort_, hold_;
  std::vector<Scalar> q_, qd_, qdd_;
};

}  // namespace dynamics
