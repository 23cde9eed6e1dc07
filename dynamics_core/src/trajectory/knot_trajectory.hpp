// SPDX-License-Identifier: Apache-2.0
#pragma once

// A trajectory through given points, evaluated with any scalar type.

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "dynamics_core/trajectory.hpp"
#include "trajectory/check_spans.hpp"

namespace dynamics {

/// Coefficients c_k of a segment: q(s) = sum_k c_k s^k, s the time since its start.
using Quintic = std::array<double, 6>;

/// Cubic or quintic polynomials between knots, at rest before the first and after the last.
class KnotTrajectory final : public Trajectory {
 public:
  explicit KnotTrajectory(const Knots& knots);

  std::size_t size() const override { return size_; }
  std::vector<double> breakpoints() const override { return t_; }
  void at(double t, std::span<double> q, std::span<double> qd,
          std::span<double> qdd) const override {
    check_spans(size(), q, qd, qdd);
    evaluate(t, q, qd, qdd);
  }

  template <class S>
  void evaluate(const S& t, std::span<S> q, std::span<S> qd, std::span<S> qdd) const {
    if (t < S(t_.front()) || t > S(t_.back()) || t_.size() == 1) {
      const auto& rest = t > S(t_.front()) ? last_ : first_;
      std::copy(rest.begin(), rest.end(), q.begin());
      std::fill(qd.begin(), qd.end(), S(0.0));
      std::fill(qdd.begin(), qdd.end(), S(0.0));
      return;
    }
    const auto next = std::upper_bound(t_.begin() + 1, t_.end() - 1, static_cast<double>(t));
    const auto segment = static_cast<std::size_t>(next - t_.begin()) - 1;
    const S s = t - S(t_[segment]);
    for (std::size_t j = 0; j < size_; ++j) {
      const Quintic& k = segments_[segment * size_ + j];
      const S c[] = {S(k[0]), S(k[1]), S(k[2]), S(k[3]), S(k[4]), S(k[5])};
      q[j] = c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * (c[4] + s * c[5]))));
      qd[j] = c[1] +
              s * (S(2.0) * c[2] + s * (S(3.0) * c[3] + s * (S(4.0) * c[4] + s * S(5.0) * c[5])));
      qdd[j] = S(2.0) * c[2] + s * (S(6.0) * c[3] + s * (S(12.0) * c[4] + s * S(20.0) * c[5]));
    }
  }

 private:
  std::vector<double> t_;
  std::size_t size_;
  std::vector<double> first_, last_;
  std::vector<Quintic> segments_;
};

}  // namespace dynamics
