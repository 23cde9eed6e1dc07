// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/simulation/motion.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "dynamics_core/view.hpp"

namespace dynamics {
namespace {

using std::numbers::pi;

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

class Cycloid : public Motion {
 public:
  Cycloid(std::vector<double> q0, std::vector<double> q1, double period)
      : q0_(std::move(q0)), q1_(std::move(q1)), period_(period) {
    require_size("the end point", q1_.size(), q0_.size());
    require_positive("the period", period_);
  }
  std::size_t size() const override { return q0_.size(); }

  void at(double t, std::span<double> q, std::span<double> qd,
          std::span<double> qdd) const override {
    const double rate = 2.0 * pi / period_;
    const double phase = rate * t;
    for (std::size_t i = 0; i < q0_.size(); ++i) {
      const double way = q1_[i] - q0_[i];
      if (t >= period_) {
        q[i] = q1_[i];
        qd[i] = qdd[i] = 0.0;
      } else {
        q[i] = q0_[i] + way / (2.0 * pi) * (phase - std::sin(phase));
        qd[i] = way / period_ * (1.0 - std::cos(phase));
        qdd[i] = way / period_ * rate * std::sin(phase);
      }
    }
  }

 private:
  std::vector<double> q0_, q1_;
  double period_;
};

class MohanSaha : public Motion {
 public:
  MohanSaha(std::vector<double> q0, std::vector<double> k, std::vector<double> T)
      : q0_(std::move(q0)), k_(std::move(k)), period_(std::move(T)) {
    require_size("k", k_.size(), q0_.size());
    require_size("T", period_.size(), q0_.size());
    for (const double period : period_) require_positive("T", period);
  }
  std::size_t size() const override { return q0_.size(); }

  void at(double t, std::span<double> q, std::span<double> qd,
          std::span<double> qdd) const override {
    for (std::size_t i = 0; i < q0_.size(); ++i) {
      const double rate = pi / period_[i];
      q[i] = q0_[i] + k_[i] * (t - std::sin(rate * t) / rate);
      qd[i] = k_[i] * (1.0 - std::cos(rate * t));
      qdd[i] = k_[i] * rate * std::sin(rate * t);
    }
  }

 private:
  std::vector<double> q0_, k_, period_;
};

}  // namespace

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
