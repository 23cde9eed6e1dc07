// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/controllers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/find_by_name.hpp"
#include "control/gains.hpp"
#include "control/stock_controllers.hpp"

namespace dynamics {
namespace {

class FunctionController final : public Controller {
 public:
  using Function = std::function<void(const ControlInput&, std::span<double>)>;
  FunctionController(Function function, std::string name)
      : function_(std::move(function)), name_(std::move(name)) {
    if (!function_) throw ArgumentError("the function of the controller is empty");
  }
  void torques(const ControlInput& now, std::span<double> tau) override { function_(now, tau); }
  std::string name() const override { return name_; }

 private:
  Function function_;
  std::string name_;
};

class NoController final : public Controller {
 public:
  void torques(const ControlInput&, std::span<double> tau) override {
    std::fill(tau.begin(), tau.end(), 0.0);
  }
  std::string name() const override { return "none"; }
  bool is_passive() const override { return true; }
  bool follows_reference() const override { return false; }
};

constexpr ControllerName names[] = {
    {"none", "tau = 0"},
    {"torques", "tau(t) of a time history"},
    {"feedforward", "tau = ID(q_ref, qd_ref, qdd_ref), open loop"},
    {"pd", "tau = kp e + kd e'"},
    {"pd-gravity", "tau = g(q) + kp e + kd e'"},
    {"feedforward-pd", "tau = ID(q_ref, qd_ref, qdd_ref) + kp e + kd e'"},
    {"computed-torque", "tau = ID(q, qd, qdd_ref + kp e + kd e')"},
    {"joint-impedance", "tau = ID(q, qd, qdd_ref) + kp e + kd e'"},
    {"operational-space-impedance", "stiffness and damping of a frame, posture in the null space"},
};

struct NamedInterpolation {
  std::string_view name;
  ControllerOptions::Interpolation interpolation;
};
constexpr NamedInterpolation interpolations[] = {
    {"zero", ControllerOptions::Interpolation::zero},
    {"linear", ControllerOptions::Interpolation::linear},
    {"cubic", ControllerOptions::Interpolation::cubic},
};

void refuse_options_without_effect(std::string_view name, const ControllerOptions& options) {
  const auto refuse = [&](bool given, const char* option, const char* user) {
    if (given) {
      throw ArgumentError(
          fmt::format("{} has no effect on controller {}: it belongs to {}", option, name, user));
    }
  };
  const bool has_gains = name != "none" && name != "torques" && name != "feedforward";
  const bool torques = name == "torques", space = name == "operational-space-impedance";
  constexpr const char* with_gains = "the controllers with feedback";
  refuse(!has_gains && !options.gains.kp.empty(), "kp", with_gains);
  refuse(!has_gains && !options.gains.kd.empty(), "kd", with_gains);
  refuse(!has_gains && !options.gains.bandwidth.empty(), "bandwidth", with_gains);
  refuse(!has_gains && !options.gains.damping.empty(), "damping", with_gains);
  refuse(!torques && !options.torques.t.empty(), "a torque history", "torques");
  refuse(!space && !options.frame.empty(), "frame", "operational-space-impedance");
  refuse(!space && !options.stiffness.empty(), "stiffness", "operational-space-impedance");
}

}  // namespace

Status Controller::try_torques(const ControlInput& now, std::span<double> tau) noexcept {
  for (const auto values : {now.q, now.qd, now.q_ref, now.qd_ref, now.qdd_ref}) {
    for (const double x : values) {
      if (!std::isfinite(x)) return Status::not_finite;
    }
  }
  try {
    torques(now, tau);
  } catch (const StateError&) {
    return Status::singular;
  } catch (...) {
    return Status::wrong_size;
  }
  for (const double x : tau) {
    if (!std::isfinite(x)) return Status::not_finite;
  }
  return Status::ok;
}

std::unique_ptr<Controller> function_controller(
    std::function<void(const ControlInput&, std::span<double>)> function, std::string name) {
  return std::make_unique<FunctionController>(std::move(function), std::move(name));
}

std::unique_ptr<Controller> no_controller() { return std::make_unique<NoController>(); }

ControllerOptions::Interpolation interpolation_from_name(std::string_view name) {
  return find_by_name(interpolations, "interpolation", name).interpolation;
}

std::span<const ControllerName> controller_names() { return names; }

std::unique_ptr<Controller> make_controller(std::string_view name,
                                            const ControllerOptions& options) {
  find_by_name(names, "controller", name);
  refuse_options_without_effect(name, options);
  check_gains(options.gains);
  if (name == "none") return no_controller();
  if (name == "torques") return torque_history(options.torques, options.interpolation);
  if (name == "feedforward") return feedforward();
  if (name == "pd") return pd(options.gains);
  if (name == "pd-gravity") return pd_gravity(options.gains);
  if (name == "feedforward-pd") return feedforward_pd(options.gains);
  if (name == "computed-torque") return computed_torque(options.gains);
  if (name == "joint-impedance") return joint_impedance(options.gains);
  return operational_space_impedance(options);
}

}  // namespace dynamics
