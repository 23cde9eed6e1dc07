// SPDX-License-Identifier: Apache-2.0
// Controllers in joint space.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>

#include "control/gains.hpp"
#include "control/stock_controllers.hpp"
#include "dynamics_core/inertia_matrix.hpp"

namespace dynamics {
namespace {

/// The diagonal of M(q) of the rigid robot.
class InertiaDiagonal {
 public:
  explicit InertiaDiagonal(const Model& model)
      : model_(model),
        workspace_(model),
        M_(static_cast<Eigen::Index>(model.size()), static_cast<Eigen::Index>(model.size())),
        values_(model.size()) {}

  std::span<const double> at(std::span<const double> q) {
    inertia_matrix(model_, workspace_, q.first(model_.size()), M_);
    for (std::size_t i = 0; i < values_.size(); ++i)
      values_[i] = M_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i));
    return values_;
  }

 private:
  Model model_;
  Workspace workspace_;
  Eigen::MatrixXd M_;
  std::vector<double> values_;
};

class Feedforward final : public Controller {
 public:
  void torques(const ControlInput& now, std::span<double> tau) override {
    now.plant.feedforward_torques(now.t, now.q_ref, now.qd_ref, now.qdd_ref, tau);
  }
  std::string name() const override { return "feedforward"; }
};

/// A controller with gains; m of Gains is M_ii(q0).
class JointFeedback : public Controller {
 public:
  explicit JointFeedback(Gains gains) : user_gains_(std::move(gains)) {}

  void start(Plant& plant, std::span<const double> q0, std::span<const double>) override {
    gains_ = JointGains(user_gains_, InertiaDiagonal(plant.model()).at(q0));
    work_.assign(plant.joints(), 0.0);
  }
  std::string gains() const override { return to_string(user_gains_); }

 protected:
  void add_feedback(const ControlInput& now, std::span<double> tau) const {
    for (std::size_t i = 0; i < tau.size(); ++i) tau[i] += gains_.feedback(i, now);
  }

  Gains user_gains_;
  JointGains gains_;
  std::vector<double> work_;
};

class Pd final : public JointFeedback {
 public:
  using JointFeedback::JointFeedback;
  void torques(const ControlInput& now, std::span<double> tau) override {
    std::fill(tau.begin(), tau.end(), 0.0);
    add_feedback(now, tau);
  }
  std::string name() const override { return "pd"; }
};

class PdGravity final : public JointFeedback {
 public:
  using JointFeedback::JointFeedback;
  void torques(const ControlInput& now, std::span<double> tau) override {
    // work_ is zero: no velocity, no acceleration
    now.plant.feedforward_torques(now.t, now.q.first(tau.size()), work_, work_, tau);
    add_feedback(now, tau);
  }
  std::string name() const override { return "pd-gravity"; }
};

class FeedforwardPd final : public JointFeedback {
 public:
  using JointFeedback::JointFeedback;
  void torques(const ControlInput& now, std::span<double> tau) override {
    now.plant.feedforward_torques(now.t, now.q_ref, now.qd_ref, now.qdd_ref, tau);
    add_feedback(now, tau);
  }
  std::string name() const override { return "feedforward-pd"; }
};

class ComputedTorque final : public JointFeedback {
 public:
  using JointFeedback::JointFeedback;
  void start(Plant& plant, std::span<const double>, std::span<const double>) override {
    work_.assign(plant.joints(), 1.0);
    gains_ = JointGains(user_gains_, work_);
  }
  void torques(const ControlInput& now, std::span<double> tau) override {
    for (std::size_t i = 0; i < work_.size(); ++i)
      work_[i] = now.qdd_ref[i] + gains_.feedback(i, now);
    now.plant.computed_torques(now.t, now.q, now.qd, work_, tau);
  }
  std::string name() const override { return "computed-torque"; }
};

class JointImpedance final : public JointFeedback {
 public:
  using JointFeedback::JointFeedback;
  void start(Plant& plant, std::span<const double> q0, std::span<const double> qd0) override {
    JointFeedback::start(plant, q0, qd0);
    if (!user_gains_.kd.empty()) return;
    inertia_ = std::make_unique<InertiaDiagonal>(plant.model());
    damping_ = per_joint("damping", user_gains_.damping, plant.joints(), 1.0);
  }
  void torques(const ControlInput& now, std::span<double> tau) override {
    const std::size_t n = tau.size();
    now.plant.feedforward_torques(now.t, now.q.first(n), now.qd.first(n), now.qdd_ref, tau);
    if (inertia_) {
      const auto M = inertia_->at(now.q);
      for (std::size_t i = 0; i < n; ++i)
        gains_.kd[i] = 2.0 * damping_[i] * std::sqrt(gains_.kp[i] * M[i]);
    }
    add_feedback(now, tau);
  }
  std::string name() const override { return "joint-impedance"; }

 private:
  std::unique_ptr<InertiaDiagonal> inertia_;  ///< if kd follows from the damping ratio
  std::vector<double> damping_;
};

}  // namespace

std::unique_ptr<Controller> feedforward() { return std::make_unique<Feedforward>(); }
std::unique_ptr<Controller> pd(const Gains& gains) { return std::make_unique<Pd>(gains); }
std::unique_ptr<Controller> pd_gravity(const Gains& gains) {
  return std::make_unique<PdGravity>(gains);
}
std::unique_ptr<Controller> feedforward_pd(const Gains& gains) {
  return std::make_unique<FeedforwardPd>(gains);
}
std::unique_ptr<Controller> computed_torque(const Gains& gains) {
  return std::make_unique<ComputedTorque>(gains);
}
std::unique_ptr<Controller> joint_impedance(const Gains& gains) {
  return std::make_unique<JointImpedance>(gains);
}

}  // namespace dynamics
