// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/simulation/motion.hpp"

#include <fmt/format.h>

#include <cmath>

#include "dynamics_core/view.hpp"

namespace dynamics {
namespace {

void require_size(const char* name, std::size_t size, std::size_t expected) {
  if (size != expected) {
    throw ArgumentError(fmt::format("{} has {} entries; {} are needed", name, size, expected));
  }
}

void require_positive(const char* name, double value) {
  if (!(value > 0.0) || !std::isfinite(value)) {
    throw ArgumentError(fmt::format("{} is {}; it must be above zero", name, value));
  }
}

class Cycloid : public MotionOf<Cycloid> {
 public:
  Cycloid(std::vector<double> q0, std::vector<double> q1, double period)
      : q0_(std::move(q0)), q1_(std::move(q1)), period_(period) {
    require_size("the end point", q1_.size(), q0_.size());
    require_positive("the period", period_);
  }
  std::size_t size() const override { return q0_.size(); }
  std::vector<double> breakpoints() const override { return {period_}; }

  template <class S>
  void evaluate(const S& t, std::span<S> q, std::span<S> qd, std::span<S> qdd) const {
    using std::cos;
    using std::sin;
    const S turn = S(2.0) * pi_of<S>();
    const S rate = turn / S(period_);
    const S phase = rate * t;
    for (std::size_t i = 0; i < q0_.size(); ++i) {
      const S way = S(q1_[i]) - S(q0_[i]);
      if (t >= S(period_)) {
        q[i] = S(q1_[i]);
        qd[i] = qdd[i] = S(0.0);
      } else {
        q[i] = S(q0_[i]) + way / turn * (phase - sin(phase));
        qd[i] = way / S(period_) * (S(1.0) - cos(phase));
        qdd[i] = way / S(period_) * rate * sin(phase);
      }
    }
  }

 private:
  std::vector<double> q0_, q1_;
  double period_;
};

class MohanSaha : public MotionOf<MohanSaha> {
 public:
  MohanSaha(std::vector<double> q0, std::vector<double> k, std::vector<double> T)
      : q0_(std::move(q0)), k_(std::move(k)), period_(std::move(T)) {
    require_size("k", k_.size(), q0_.size());
    require_size("T", period_.size(), q0_.size());
    for (const double period : period_) require_positive("T", period);
  }
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

}  // namespace

void Motion::at(const DoubleDouble& t, std::span<DoubleDouble> q, std::span<DoubleDouble> qd,
                std::span<DoubleDouble> qdd) const {
  std::vector<double> values(3 * size());
  const std::span<double> all(values);
  at(static_cast<double>(t), all.first(size()), all.subspan(size(), size()), all.last(size()));
  for (std::size_t i = 0; i < size(); ++i) {
    q[i] = values[i];
    qd[i] = values[size() + i];
    qdd[i] = values[2 * size() + i];
  }
}

std::unique_ptr<Motion> cycloid_motion(std::vector<double> q0, std::vector<double> q1,
                                       double period) {
  return std::make_unique<Cycloid>(std::move(q0), std::move(q1), period);
}

std::unique_ptr<Motion> mohan_saha_motion(std::vector<double> q0, std::vector<double> k,
                                          std::vector<double> T) {
  return std::make_unique<MohanSaha>(std::move(q0), std::move(k), std::move(T));
}

std::unique_ptr<Motion> forced_motion(const Forced& forced, std::vector<double> q0) {
  if (forced.kind == Forced::Kind::mohan_saha) {
    return mohan_saha_motion(std::move(q0), forced.k, forced.T);
  }
  return cycloid_motion(std::move(q0), forced.q1, forced.period);
}

}  // namespace dynamics
