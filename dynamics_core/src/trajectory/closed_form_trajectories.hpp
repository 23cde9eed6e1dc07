// SPDX-License-Identifier: Apache-2.0
#pragma once

// The papers' desired trajectories in closed form, evaluated with any scalar type.

#include <cmath>
#include <span>
#include <vector>

#include "dynamics_core/trajectory.hpp"
#include "spatial/pi.hpp"
#include "trajectory/check_spans.hpp"

namespace dynamics {

/// A trajectory with a template `evaluate` for any scalar; at() evaluates it with doubles.
template <class Derived>
class ClosedFormTrajectory : public Trajectory {
 public:
  void at(double t, std::span<double> q, std::span<double> qd,
          std::span<double> qdd) const override {
    check_spans(this->size(), q, qd, qdd);
    static_cast<const Derived*>(this)->evaluate(t, q, qd, qdd);
  }
};

/// See cycloid_trajectory().
class CycloidTrajectory final : public ClosedFormTrajectory<CycloidTrajectory> {
 public:
  CycloidTrajectory(std::vector<double> q0, std::vector<double> q1, double period);
  std::size_t size() const override { return q0_.size(); }
  std::vector<double> breakpoints() const override { return {period_}; }

  template <class S>
  void evaluate(const S& t, std::span<S> q, std::span<S> qd, std::span<S> qdd) const {
    using std::cos;
    using std::sin;
    const S two_pi = S(2.0) * pi_of<S>();
    const S rate = two_pi / S(period_);
    const S phase = rate * t;
    for (std::size_t i = 0; i < q0_.size(); ++i) {
      const S distance = S(q1_[i]) - S(q0_[i]);
      if (t <= S(0.0) || t >= S(period_)) {
        q[i] = t <= S(0.0) ? S(q0_[i]) : S(q1_[i]);
        qd[i] = qdd[i] = S(0.0);
      } else {
        q[i] = S(q0_[i]) + distance / two_pi * (phase - sin(phase));
        qd[i] = distance / S(period_) * (S(1.0) - cos(phase));
        qdd[i] = distance / S(period_) * rate * sin(phase);
      }
    }
  }

 private:
  std::vector<double> q0_, q1_;
  double period_;
};

/// See mohan_saha_trajectory().
class MohanSahaTrajectory final : public ClosedFormTrajectory<MohanSahaTrajectory> {
 public:
  MohanSahaTrajectory(std::vector<double> q0, std::vector<double> k, std::vector<double> T);
  std::size_t size() const override { return q0_.size(); }

  template <class S>
  void evaluate(const S& t, std::span<S> q, std::span<S> qd, std::span<S> qdd) const {
    using std::cos;
    using std::sin;
    for (std::size_t i = 0; i < q0_.size(); ++i) {
      const S rate = pi_of<S>() / S(period_[i]), k = S(k_[i]);
      q[i] = S(q0_[i]) + k * (t - sin(rate * t) / rate);
      qd[i] = k * (S(1.0) - cos(rate * t));
      qdd[i] = k * rate * sin(rate * t);
    }
  }

 private:
  std::vector<double> q0_, k_, period_;
};

}  // namespace dynamics
