// SPDX-License-Identifier: Apache-2.0
#pragma once

// The controllers as plugins of pluginlib.

#include <controller_interface/chainable_controller_interface.hpp>
#include <controller_interface/controller_interface.hpp>
#include <memory>
#include <pluginlib/class_loader.hpp>
#include <string>
#include <vector>

namespace dynamics_controllers::test {

/// Names of all controllers.
inline std::vector<std::string> all() {
  return {"GravityCompensationController", "ComputedTorqueController",  "JointImpedanceController",
          "CartesianImpedanceController",  "ExternalTorqueBroadcaster", "DynamicsStateBroadcaster"};
}

/// Loads a controller; the caller owns it.
inline std::unique_ptr<controller_interface::ControllerInterfaceBase> load(
    const std::string& name) {
  using controller_interface::ChainableControllerInterface;
  using controller_interface::ControllerInterface;
  // never destroyed: class_loader's own static objects end before those of this file
  static auto& chainable = *new pluginlib::ClassLoader<ChainableControllerInterface>(
      "controller_interface", "controller_interface::ChainableControllerInterface");
  static auto& plain = *new pluginlib::ClassLoader<ControllerInterface>(
      "controller_interface", "controller_interface::ControllerInterface");
  const std::string type = "dynamics_controllers/" + name;
  if (name == "DynamicsStateBroadcaster")
    return std::unique_ptr<ControllerInterface>(plain.createUnmanagedInstance(type));
  return std::unique_ptr<ChainableControllerInterface>(chainable.createUnmanagedInstance(type));
}

}  // namespace dynamics_controllers::test
