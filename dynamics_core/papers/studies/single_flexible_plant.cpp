// SPDX-License-Identifier: Apache-2.0
#include "papers/studies/single_flexible_plant.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "flexible/recursions/forward_dynamics.hpp"
#include "flexible/recursions/inertia_matrix.hpp"
#include "flexible/recursions/inverse_dynamics.hpp"
#include "papers/studies/single.hpp"

namespace dynamics {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

float single(const Single& x) { return static_cast<float>(static_cast<double>(x)); }

bool finite(ConstVector vector) {
  return std::all_of(vector.begin(), vector.end(), [](double x) { return std::isfinite(x); });
}

class SingleFlexiblePlant final : public Plant {
 public:
  SingleFlexiblePlant(const FlexibleModel& model, bool cholesky)
      : model_(model),
        plant_(flexible_plant(model, {.friction = false})),
        cholesky_(cholesky),
        scratch_(model.tree()),
        q_(model.size()),
        qd_(model.size()),
        result_(model.size()),
        tau_(model.joint_count()),
        projected_forces_(model.size()) {
    const auto n = static_cast<Eigen::Index>(model.size());
    inertia_.resize(n, n);
    rhs_.resize(n);
    const Eigen::Vector3d up = -model.rigid().gravity();
    base_.acceleration = {Single(up.x()), Single(up.y()), Single(up.z())};
  }

  void accelerations(const double&, ConstVector q, ConstVector qd, ConstVector tau,
                     MutableVector qdd) override {
    for (std::size_t i = 0; i < q_.size(); ++i) {
      q_[i] = Single(q[i]);
      qd_[i] = Single(qd[i]);
    }
    for (std::size_t i = 0; i < tau_.size(); ++i) tau_[i] = Single(tau[i]);
    if (cholesky_) {
      solve_by_cholesky();
    } else {
      const std::size_t n = tau_.size();
      flexible::forward_dynamics<Single>(
          model_.tree(), scratch_, base_, flexible::Known::joint_torques, q_.data(), q_.data() + n,
          qd_.data(), qd_.data() + n, nullptr, tau_.data(), result_.data(), result_.data() + n);
    }
    for (std::size_t i = 0; i < result_.size(); ++i) qdd[i] = static_cast<double>(result_[i]);
  }

  const Model& model() const override { return plant_->model(); }
  std::size_t size() const override { return plant_->size(); }
  void feedforward_torques(const double& t, ConstVector q, ConstVector qd, ConstVector qdd,
                           MutableVector tau) override {
    plant_->feedforward_torques(t, q, qd, qdd, tau);
  }
  void computed_torques(const double& t, ConstVector q, ConstVector qd, ConstVector qdd,
                        MutableVector tau) override {
    plant_->computed_torques(t, q, qd, qdd, tau);
  }
  bool exchanges_energy() const override { return plant_->exchanges_energy(); }
  double power(const double& t, ConstVector q, ConstVector qd, ConstVector qdd,
               ConstVector tau) override {
    return finite(qd) ? plant_->power(t, q, qd, qdd, tau) : not_a_number;
  }
  double energy_rate(double t, ConstVector q, ConstVector qd, ConstVector qdd) override {
    return finite(qdd) ? plant_->energy_rate(t, q, qd, qdd) : not_a_number;
  }
  PlantEnergy energy(double t, ConstVector q, ConstVector qd) override {
    return plant_->energy(t, q, qd);
  }
  Pose frame_pose(double t, ConstVector q, std::size_t frame) override {
    return plant_->frame_pose(t, q, frame);
  }
  Eigen::Vector3d center_of_mass(double t, ConstVector q, ConstVector qd) override {
    return plant_->center_of_mass(t, q, qd);
  }
  std::vector<std::string> amplitude_names() const override { return plant_->amplitude_names(); }
  std::vector<BeamShapes> beams() const override { return plant_->beams(); }
  Eigen::Vector3d tip_deflection(ConstVector q, std::size_t beam) override {
    return plant_->tip_deflection(q, beam);
  }

 private:
  void solve_by_cholesky() {
    const std::size_t n = tau_.size();
    flexible::inverse_dynamics<Single>(model_.tree(), scratch_, base_, true, false, q_.data(),
                                       q_.data() + n, qd_.data(), qd_.data() + n, nullptr, nullptr,
                                       result_.data(), result_.data() + n);
    for (std::size_t i = 0; i < result_.size(); ++i) {
      const Single force = (i < n ? tau_[i] : Single(0.0)) - result_[i];
      rhs_[static_cast<Eigen::Index>(i)] = single(force);
    }
    inertia_.setZero();
    const auto set = [this](std::size_t row, std::size_t column, const Single& value) {
      const auto i = static_cast<Eigen::Index>(row), j = static_cast<Eigen::Index>(column);
      inertia_(i, j) = inertia_(j, i) = single(value);
    };
    flexible::inertia_matrix<Single>(model_.tree(), scratch_, n, q_.data(), q_.data() + n,
                                     projected_forces_.data(), set);
    factors_.compute(inertia_);
    factors_.solveInPlace(rhs_);
    const bool fails = factors_.info() != Eigen::Success;
    for (std::size_t i = 0; i < result_.size(); ++i)
      result_[i] = fails ? not_a_number : static_cast<double>(rhs_[static_cast<Eigen::Index>(i)]);
  }

  FlexibleModel model_;
  std::unique_ptr<Plant> plant_;  ///< in double
  bool cholesky_;
  flexible::Scratch<Single> scratch_;
  flexible::BaseState<Single> base_{};
  std::vector<Single> q_, qd_, result_, tau_, projected_forces_;
  Eigen::MatrixXf inertia_;
  Eigen::VectorXf rhs_;
  Eigen::LLT<Eigen::MatrixXf> factors_;
};

}  // namespace

std::unique_ptr<Plant> single_flexible_plant(const FlexibleModel& model, bool cholesky) {
  return std::make_unique<SingleFlexiblePlant>(model, cholesky);
}

}  // namespace dynamics
