// SPDX-License-Identifier: Apache-2.0
// Rigid dynamics over DoubleDouble by the recursion of forward dynamics. The model constants are
// the same doubles, so that both precisions solve the same problem.
//
// The recursion of inverse dynamics uses other constants of the model (pseudo-inertias instead of
// inertias) that agree only to the round-off of double. To be consistent to 32 digits, inverse
// dynamics is computed here from forward dynamics: column j of M^-1 is qdd(e_j) - qdd(0).

#include <algorithm>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "ode/small_lu.hpp"
#include "papers/wide/wide_simulate.hpp"
#include "rigid/recursions/forward_dynamics.hpp"
#include "rigid/recursions/friction.hpp"

namespace dynamics {
namespace {

using Wide = DoubleDouble;

class WideRigid final : public EquationsOfMotion<Wide> {
 public:
  WideRigid(const Model& model, const RigidPlantOptions& options)
      : model_(model),
        friction_(options.friction),
        forward_(model.body_count()),
        forces_(model.size()),
        free_(model.size()),
        column_(model.size()),
        inverse_(model.size()) {
    const auto& g = model.gravity();
    base_.acceleration = {Wide(-g.x()), Wide(-g.y()), Wide(-g.z())};
  }

  std::size_t joints() const override { return model_.size(); }
  std::size_t size() const override { return model_.size(); }

  void accelerations(const Wide&, Input q, Input qd, Input tau, Output qdd) override {
    check({{"q", q}, {"qd", qd}, {"tau", tau}, {"qdd", qdd}});
    for (std::size_t i = 0; i < q.size(); ++i) forces_[i] = tau[i] - friction(i, qd[i]);
    run(q, qd, qdd);
  }
  void feedforward_torques(const Wide&, Input q, Input qd, Input qdd, Output tau) override {
    check({{"q", q}, {"qd", qd}, {"qdd", qdd}, {"tau", tau}});
    const std::size_t n = q.size();
    std::fill(forces_.begin(), forces_.end(), Wide(0.0));
    run(q, qd, free_);
    for (std::size_t j = 0; j < n; ++j) {
      forces_[j] = Wide(1.0);
      run(q, qd, column_);
      forces_[j] = Wide(0.0);
      for (std::size_t i = 0; i < n; ++i) inverse_(i, j) = column_[i] - free_[i];
    }
    for (std::size_t i = 0; i < n; ++i) tau[i] = qdd[i] - free_[i];
    if (!inverse_.decompose()) throw StateError("", "the inertia matrix is singular");
    inverse_.solve(std::span<Wide>(tau.data(), n));
    for (std::size_t i = 0; i < n; ++i) tau[i] += friction(i, qd[i]);
  }
  void computed_torques(const Wide& t, Input q, Input qd, Input qdd, Output tau) override {
    feedforward_torques(t, q, qd, qdd, tau);
  }
  bool exchanges_energy() const override {
    for (const TreeBody& body : model_.tree()) {
      if (friction_ && (body.damping > 0.0 || body.friction > 0.0)) return true;
    }
    return false;
  }
  Wide power(const Wide&, Input, Input qd, Input, Input tau) override {
    check({{"qd", qd}, {"tau", tau}});
    Wide sum(0.0);
    for (std::size_t i = 0; i < qd.size(); ++i) sum += qd[i] * (tau[i] - friction(i, qd[i]));
    return sum;
  }

 private:
  void check(std::initializer_list<std::pair<const char*, Input>> vectors) const {
    for (const auto& [name, vector] : vectors) {
      if (vector.checked_size() == model_.size()) continue;
      throw ArgumentError(vector.checked_size().problem(name, model_.size()));
    }
  }
  void run(Input q, Input qd, Output qdd) {
    kernel::forward_dynamics<Wide>(model_.tree(), forward_.data(), base_, nullptr, q.data(),
                                   qd.data(), forces_.data(), qdd.data());
  }

  Wide friction(std::size_t i, const Wide& rate) const {
    const TreeBody& body = model_.tree()[i];
    if (!friction_ || (body.damping == 0.0 && body.friction == 0.0)) return {0.0};
    return kernel::joint_friction(body, rate, model_.friction_velocity());
  }

  Model model_;
  bool friction_;
  kernel::BaseState<Wide> base_;
  std::vector<kernel::ForwardScratch<Wide>> forward_;
  std::vector<Wide> forces_, free_, column_;
  ode::SmallLu<Wide> inverse_;
};

}  // namespace

std::unique_ptr<EquationsOfMotion<DoubleDouble>> wide_rigid_equations(
    const Model& model, const RigidPlantOptions& options) {
  if (!model.coordinates_are_bodies()) {
    throw ArgumentError("'" + model.name() +
                        "' has mimic joints, which double-double does not support: use double");
  }
  if (!model.singular_reason().empty()) throw StateError("", model.singular_reason());
  return std::make_unique<WideRigid>(model, options);
}

}  // namespace dynamics
