// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "control/stock_controllers.hpp"

namespace dynamics {
namespace {

class TorqueHistory final : public Controller {
 public:
  using Interpolation = ControllerOptions::Interpolation;

  TorqueHistory(const Knots& torques, Interpolation interpolation)
      : t_(torques.t), tau_(torques.q), interpolation_(interpolation) {
    if (t_.empty())
      throw ArgumentError("controller torques needs a torque history: it has no points");
    if (!torques.qd.empty() || !torques.qdd.empty())
      throw ArgumentError("a torque history has q only: qd and qdd of the knots must be empty");
    spline_ = knot_trajectory(torques);  // also checks the knots
    rate_.resize(spline_->size());
    curvature_.resize(spline_->size());
  }

  void start(Plant& plant, std::span<const double>, std::span<const double>) override {
    if (spline_->size() == plant.joints()) return;
    throw ArgumentError(fmt::format("the torque history has {} joints; '{}' has {}",
                                    spline_->size(), plant.model().name(), plant.joints()));
  }

  void torques(const ControlInput& now, std::span<double> tau) override {
    if (interpolation_ == Interpolation::cubic) {
      spline_->at(now.t, tau, rate_, curvature_);
      return;
    }
    const auto next = std::upper_bound(t_.begin(), t_.end(), now.t);
    const std::size_t k = next == t_.begin() ? 0 : static_cast<std::size_t>(next - t_.begin()) - 1;
    const bool between = next != t_.begin() && next != t_.end();
    const double part = between && interpolation_ == Interpolation::linear
                            ? (now.t - t_[k]) / (t_[k + 1] - t_[k])
                            : 0.0;
    for (std::size_t i = 0; i < tau.size(); ++i)
      tau[i] = part == 0.0 ? tau_[k][i] : tau_[k][i] + part * (tau_[k + 1][i] - tau_[k][i]);
  }

  std::vector<double> breakpoints() const override { return t_; }
  std::string name() const override { return "torques"; }
  bool follows_reference() const override { return false; }

 private:
  std::vector<double> t_;
  std::vector<std::vector<double>> tau_;
  Interpolation interpolation_;
  std::unique_ptr<Trajectory> spline_;
  std::vector<double> rate_, curvature_;
};

}  // namespace

std::unique_ptr<Controller> torque_history(const Knots& torques,
                                           ControllerOptions::Interpolation interpolation) {
  return std::make_unique<TorqueHistory>(torques, interpolation);
}

}  // namespace dynamics
