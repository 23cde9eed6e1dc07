// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>

#include "control/gains.hpp"
#include "control/stock_controllers.hpp"
#include "dynamics_core/control_laws.hpp"

namespace dynamics {
namespace {

class OperationalSpaceImpedance final : public Controller {
 public:
  explicit OperationalSpaceImpedance(const ControllerOptions& options) : options_(options) {
    check_stiffness(options.stiffness);
  }

  void start(Plant& plant, std::span<const double>, std::span<const double>) override {
    const Model& model = plant.model();
    if (plant.base_motion(0.0)) {
      throw ArgumentError(
          "operational-space-impedance needs a base at rest: use joint-impedance on a moving base");
    }
    const std::vector<double> unit(model.size(), 1.0);
    posture_ = JointGains(options_.gains, unit);
    law_.emplace(model, OperationalSpaceOptions{
                            options_.frame, options_.stiffness,
                            options_.gains.damping.empty() ? 1.0 : options_.gains.damping[0]});
    acceleration_.assign(model.size(), 0.0);
  }

  void torques(const ControlInput& now, std::span<double> tau) override {
    const std::size_t n = tau.size();
    const auto q = now.q.first(n), qd = now.qd.first(n);
    for (std::size_t i = 0; i < n; ++i) acceleration_[i] = posture_.feedback(i, now);
    now.plant.feedforward_torques(now.t, q, qd, acceleration_, tau);
    law_->add_torques(q, qd, law_->target(now.q_ref, now.qd_ref, now.qdd_ref), acceleration_, tau);
  }

  std::string name() const override { return "operational-space-impedance"; }
  std::string gains() const override {
    return fmt::format("stiffness {:.6g}; {}", fmt::join(options_.stiffness, ", "),
                       to_string(options_.gains));
  }

 private:
  ControllerOptions options_;
  JointGains posture_;
  std::optional<OperationalSpaceLaw> law_;
  std::vector<double> acceleration_;
};

}  // namespace

std::unique_ptr<Controller> operational_space_impedance(const ControllerOptions& options) {
  return std::make_unique<OperationalSpaceImpedance>(options);
}

}  // namespace dynamics
