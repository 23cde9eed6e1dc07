// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/trajectory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "dynamics_core/view.hpp"
#include "trajectory/closed_form_trajectories.hpp"

namespace dynamics {
namespace {

void require_size(const char* name, std::size_t size, std::size_t expected) {
  if (size != expected) {
    throw ArgumentError(fmt::format("{} has {} entries; {} are needed", name, size, expected));
  }
}

void require_positive(const char* name, double value) {
  if (!(value > 0.0) || !std::isfinite(value)) {
    throw ArgumentError(fmt::format("{} is {}; it must be positive", name, value));
  }
}

void require_finite(const char* name, const std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]))
      throw ArgumentError(fmt::format("{}[{}] is {}; it must be finite", name, i, values[i]));
  }
}

class HoldTrajectory final : public Trajectory {
 public:
  explicit HoldTrajectory(std::vector<double> q) : q_(std::move(q)) { require_finite("q", q_); }
  std::size_t size() const override { return q_.size(); }
  void at(double, std::span<double> q, std::span<double> qd, std::span<double> qdd) const override {
    check_spans(size(), q, qd, qdd);
    std::copy(q_.begin(), q_.end(), q.begin());
    std::fill(qd.begin(), qd.end(), 0.0);
    std::fill(qdd.begin(), qdd.end(), 0.0);
  }

 private:
  std::vector<double> q_;
};

class FunctionTrajectory final : public Trajectory {
 public:
  using Function =
      std::function<void(double, std::span<double>, std::span<double>, std::span<double>)>;
  FunctionTrajectory(std::size_t size, Function function, std::vector<double> breakpoints)
      : size_(size), function_(std::move(function)), breakpoints_(std::move(breakpoints)) {
    if (!function_) throw ArgumentError("the function of the trajectory is empty");
    require_finite("breakpoints", breakpoints_);
  }
  std::size_t size() const override { return size_; }
  std::vector<double> breakpoints() const override { return breakpoints_; }
  void at(double t, std::span<double> q, std::span<double> qd,
          std::span<double> qdd) const override {
    check_spans(size(), q, qd, qdd);
    function_(t, q, qd, qdd);
  }

 private:
  std::size_t size_;
  Function function_;
  std::vector<double> breakpoints_;
};

}  // namespace

void check_spans(std::size_t size, std::span<const double> q, std::span<const double> qd,
                 std::span<const double> qdd) {
  if (q.size() == size && qd.size() == size && qdd.size() == size) return;
  const bool q_fits = q.size() == size, qd_fits = qd.size() == size;
  throw ArgumentError(fmt::format("{} has room for {} entries; {} are needed",
                                  !q_fits    ? "q"
                                  : !qd_fits ? "qd"
                                             : "qdd",
                                  (!q_fits    ? q
                                   : !qd_fits ? qd
                                              : qdd)
                                      .size(),
                                  size));
}

CycloidTrajectory::CycloidTrajectory(std::vector<double> q0, std::vector<double> q1, double period)
    : q0_(std::move(q0)), q1_(std::move(q1)), period_(period) {
  require_size("the end point", q1_.size(), q0_.size());
  require_finite("q0", q0_);
  require_finite("q1", q1_);
  require_positive("the period", period_);
}

MohanSahaTrajectory::MohanSahaTrajectory(std::vector<double> q0, std::vector<double> k,
                                         std::vector<double> T)
    : q0_(std::move(q0)), k_(std::move(k)), period_(std::move(T)) {
  require_size("k", k_.size(), q0_.size());
  require_size("T", period_.size(), q0_.size());
  require_finite("q0", q0_);
  require_finite("k", k_);
  for (const double period : period_) require_positive("T", period);
}

std::unique_ptr<Trajectory> cycloid_trajectory(std::vector<double> q0, std::vector<double> q1,
                                               double period) {
  return std::make_unique<CycloidTrajectory>(std::move(q0), std::move(q1), period);
}

std::unique_ptr<Trajectory> mohan_saha_trajectory(std::vector<double> q0, std::vector<double> k,
                                                  std::vector<double> T) {
  return std::make_unique<MohanSahaTrajectory>(std::move(q0), std::move(k), std::move(T));
}

std::unique_ptr<Trajectory> hold_trajectory(std::vector<double> q) {
  return std::make_unique<HoldTrajectory>(std::move(q));
}

std::unique_ptr<Trajectory> function_trajectory(
    std::size_t size,
    std::function<void(double, std::span<double>, std::span<double>, std::span<double>)> function,
    std::vector<double> breakpoints) {
  return std::make_unique<FunctionTrajectory>(size, std::move(function), std::move(breakpoints));
}

std::unique_ptr<Trajectory> forced_trajectory(const ForcedMotion& forced, std::vector<double> q0) {
  if (forced.kind == ForcedMotion::Kind::mohan_saha) {
    return mohan_saha_trajectory(std::move(q0), forced.k, forced.T);
  }
  return cycloid_trajectory(std::move(q0), forced.q1, forced.period);
}

}  // namespace dynamics
