// SPDX-License-Identifier: Apache-2.0
#include "dynamics_sim/arm.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <dynamics_core/energy.hpp>
#include <dynamics_core/flexible_dynamics.hpp>
#include <numbers>
#include <random>
#include <stdexcept>
#include <utility>

namespace dynamics_sim {
namespace {

void require(bool holds, const std::string& message) {
  if (!holds) throw std::invalid_argument(message);
}

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

}  // namespace

Arm::Arm(dynamics::Model model, const ArmOptions& options)
    : model_(std::move(model)), options_(options), workspace_(model_) {
  require(std::isfinite(options_.step) && options_.step > 0.0,
          "step is " + std::to_string(options_.step) + " s: must be greater than zero");
  require(
      std::isfinite(options_.bandwidth) && options_.bandwidth > 0.0,
      "bandwidth is " + std::to_string(options_.bandwidth) + " rad/s: must be greater than zero");
  require(options_.bandwidth * options_.step <= 1.0,
          "bandwidth " + std::to_string(options_.bandwidth) + " rad/s times step " +
              std::to_string(options_.step) + " s is greater than 1: the drives would be unstable");
  if (!model_.singular_reason().empty()) {
    throw dynamics::StateError("robot '" + model_.name() + "'", model_.singular_reason());
  }
  const std::size_t joints = model_.size();
  require(joints > 0, "robot '" + model_.name() + "' has no moving joint");
  require(options_.ideal.empty() || options_.ideal.size() == joints,
          "ideal has " + std::to_string(options_.ideal.size()) +
              " entries: " + std::to_string(joints) + " or 0 are required");
  std::size_t n = joints;
  if (dynamics::FlexibleModel::has_modes(model_)) {
    flexible_.emplace(model_);
    flexible_workspace_.emplace(*flexible_);
    n = flexible_->size();
    Eigen::MatrixXd matrix(index(n), index(n));
    const auto collect = [&](std::vector<Entry>& entries) {
      for (std::size_t row = 0; row < n; ++row) {
        for (std::size_t column = 0; column < n; ++column) {
          const double value = matrix(index(row), index(column));
          if (value != 0.0) entries.push_back({row, column, value});
        }
      }
    };
    dynamics::stiffness_matrix(*flexible_, matrix);
    collect(stiffness_);
    dynamics::damping_matrix(*flexible_, matrix);
    collect(damping_);
  }
  commands_.resize(joints);
  tracks_.resize(joints);
  tau_.assign(joints, 0.0);
  for (Vector* vector :
       {&q_, &qd_, &qdd_, &effort_, &bias_, &old_q_, &old_qd_, &stage_q_, &stage_qd_, &stage_qdd_,
        &first_q_, &first_qdd_, &sum_q_, &sum_qd_, &right_hand_side_, &coefficient_, &all_tau_}) {
    vector->assign(n, 0.0);
  }
  matrix_.assign(n * n, 0.0);
  driven_.assign(n, 0);
  free_.reserve(n);
  inertia_.resize(index(n), index(n));
  start_inertia_.resize(index(n), index(n));
  select_integrator();
}

/// Estimates the fastest rate over sampled poses: sqrt(lambda) of K x = lambda M x and lambda of
/// C x = lambda M x. Driven joints are constraints, which only lower it (Rayleigh's principle).
void Arm::select_integrator() {
  const std::size_t n = size();
  compute_friction_coefficients(
      qd_);  // at zero velocity, where the slope of Coulomb friction is largest
  Eigen::MatrixXd stiffness = Eigen::MatrixXd::Zero(index(n), index(n)), friction = stiffness;
  for (const auto& entry : stiffness_) {
    stiffness(index(entry.row), index(entry.column)) += entry.value;
  }
  for (const auto& entry : damping_) {
    friction(index(entry.row), index(entry.column)) += entry.value;
  }
  for (std::size_t i = 0; i < n; ++i) friction(index(i), index(i)) += coefficient_[i];
  if (stiffness.isZero(0.0) && friction.isZero(0.0)) return;

  std::mt19937 random(1);  // fixed seed: repeatable
  std::uniform_real_distribution<double> uniform(-std::numbers::pi, std::numbers::pi);
  double vibration = 0.0, decay = 0.0;
  Vector q(n, 0.0);
  for (int pose = 0; pose < 32; ++pose) {
    for (std::size_t i = 0; pose > 0 && i < joints(); ++i) {
      const auto& joint = model_.coordinates()[i];
      q[i] =
          joint.prismatic ? std::clamp(uniform(random), joint.lower, joint.upper) : uniform(random);
    }
    compute_inertia(q);
    using Solver = Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>;
    const auto largest = [&](const Eigen::MatrixXd& matrix) {
      return Solver(matrix, inertia_, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff();
    };
    if (!stiffness.isZero(0.0)) vibration = std::max(vibration, std::sqrt(largest(stiffness)));
    if (!friction.isZero(0.0)) decay = std::max(decay, largest(friction));
  }
  const double required = std::ceil(options_.step * std::max(vibration, decay) / 0.5);
  implicit_ = !(required <= static_cast<double>(options_.substeps));
  substeps_ = implicit_ ? 1 : std::max<std::size_t>(1, static_cast<std::size_t>(required));
  // with the larger root friction never reverses a joint's velocity; the smaller root has the
  // smaller error for vibrations
  gamma_ = decay > vibration ? 1.0 + std::sqrt(0.5) : 1.0 - std::sqrt(0.5);
}

void Arm::reset(std::span<const double> q, std::span<const double> qd) {
  for (const auto& [name, values] : {std::pair{"q", q}, std::pair{"qd", qd}}) {
    if (values.size() != joints() && values.size() != size()) {
      throw std::invalid_argument(
          std::string(name) + " has " + std::to_string(values.size()) +
          " entries: " + std::to_string(joints()) + " are required" +
          (flexible_ ? ", or " + std::to_string(size()) + " with amplitudes" : ""));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isfinite(values[i])) continue;
      throw std::invalid_argument(std::string(name) + " of '" + coordinate_name(i) +
                                  "' is not finite");
    }
  }
  std::fill(std::copy(q.begin(), q.end(), q_.begin()), q_.end(), 0.0);
  std::fill(std::copy(qd.begin(), qd.end(), qd_.begin()), qd_.end(), 0.0);
  std::fill(commands_.begin(), commands_.end(), Command());
  std::fill(tracks_.begin(), tracks_.end(), Track());
  period_ = done_ = 0;
  statistics_ = {};
  fault_.clear();
}

bool Arm::continue_from(const Arm& other) noexcept {
  if (other.size() != size() || other.joints() != joints()) return false;
  q_ = other.q_;
  qd_ = other.qd_;
  qdd_ = other.qdd_;
  tau_ = other.tau_;
  commands_ = other.commands_;
  tracks_ = other.tracks_;
  period_ = other.period_;
  done_ = other.done_;
  statistics_ = other.statistics_;
  return true;
}

void Arm::begin(std::size_t steps) noexcept {
  period_ = steps;
  done_ = 0;
}

const std::string& Arm::coordinate_name(std::size_t i) const {
  return i < joints() ? model_.coordinates()[i].name : flexible_->amplitude_names()[i - joints()];
}

void Arm::require_finite() const {
  for (std::size_t i = 0; i < size(); ++i) {
    if (std::isfinite(q_[i]) && std::isfinite(qd_[i])) continue;
    throw std::runtime_error("the motion of '" + coordinate_name(i) +
                             "' is not finite any more: use a smaller step or smaller commands");
  }
}

bool Arm::step() noexcept {
  old_q_ = q_;
  old_qd_ = qd_;
  try {
    if (done_ >= period_) begin(1);
    if (done_ == 0) {
      for (std::size_t i = 0; i < joints(); ++i) {
        if (ideal(i)) start_track(i, static_cast<double>(period_) * options_.step);
      }
    }
    select_driven_joints();
    if (implicit_) {
      rosenbrock();
    } else {
      const double h = options_.step / static_cast<double>(substeps_);
      for (std::size_t k = 0; k < substeps_; ++k) runge_kutta(static_cast<double>(k) * h, h);
    }
    ++done_;
    if (done_ == period_) finish_tracks();
    if (options_.limits) stop_at_limits();
    require_finite();
    ++statistics_.steps;
    return true;
  } catch (const dynamics::ArgumentError& error) {  // in an intermediate stage
    fault_ = std::string("the motion is not finite any more (") + error.what() +
             "): use a smaller step or smaller commands";
  } catch (const std::exception& error) {
    fault_ = error.what();
  }
  q_ = old_q_;
  qd_ = old_qd_;
  return false;
}

bool Arm::evaluate() noexcept {
  const ArmStatistics saved = statistics_;
  try {
    select_driven_joints();
    accelerate(q_, qd_, 0.0, qdd_, &tau_);
    statistics_ = saved;
    return true;
  } catch (const std::exception& error) {
    fault_ = error.what();
    return false;
  }
}

ArmEnergy Arm::energy() noexcept {
  try {
    if (flexible_) {
      const auto now = dynamics::energy(*flexible_, *flexible_workspace_, q_, qd_);
      return {now.kinetic, now.potential, now.strain};
    }
    const auto now = dynamics::energy(model_, workspace_, q_, qd_);
    return {now.kinetic, now.potential, 0.0};
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace dynamics_sim
