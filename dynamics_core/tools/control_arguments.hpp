// SPDX-License-Identifier: Apache-2.0
#pragma once

// The options of `dynamics simulate` that choose the controller, its reference and sampling, and
// what else acts on the robot: pushes, payload changes, locked joints.

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dynamics_core/controllers.hpp"
#include "dynamics_core/simulate.hpp"
#include "robot.hpp"

namespace dynamics::tools {

struct ControlArguments {
  std::string scenario, controller, kp, kd, bandwidth, damping, stiffness, frame, torques;
  std::string interpolation, reference, trajectory, q1, topic;
  std::optional<double> period, control_rate, control_delay, position_resolution,
      velocity_resolution, torque_resolution, drop_payload;
  std::vector<std::string> pushes, payload_changes, locks;

  void add_to(CLI::App& command);

  /// Throws InputError for combinations of options in which one has no effect.
  void check() const;

  /// The controller of --controller or --torques; null: the scenario of `options` drives the robot.
  std::unique_ptr<Controller> make(Robot& robot) const;

  /// Sets scenario, reference, sampling and inputs. `start`: initial joint positions.
  void apply(Robot& robot, const std::vector<double>& start, SimulationOptions& options) const;

  /// The reference as the user gave it; empty without one.
  std::string reference_name() const;

 private:
  bool uses_controller() const { return !controller.empty() || !torques.empty(); }
  std::string controller_name() const { return controller.empty() ? "torques" : controller; }
  const std::string& given_reference() const { return reference.empty() ? trajectory : reference; }
  bool follows_cycloid() const;
};

}  // namespace dynamics::tools
