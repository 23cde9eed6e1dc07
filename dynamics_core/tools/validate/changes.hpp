// SPDX-License-Identifier: Apache-2.0
#pragma once

// Changes of the papers' robots and scenarios. The page is written without changes; tests change a
// sign or a mass, and expect another verdict:
//
//   PaperChanges changes;
//   changes.robot = [](DhTable& table) { table.gravity *= -1.0; };
//   validate_planar(report, changes);

#include <functional>
#include <optional>

#include "dynamics_core/readers.hpp"
#include "dynamics_core/simulate.hpp"
#include "papers/counting/algorithms.hpp"

namespace dynamics::tools {

struct PaperChanges {
  std::function<void(DhTable&)> robot = {};
  /// Of the runs in double with the papers' methods.
  std::function<void(SimulationOptions&)> run = {};
  /// Of the forced runs: the torques are tabulated with this step (s), linear in between.
  std::optional<double> torque_table = {};
  /// Of the flexible arm: forward dynamics in single precision.
  bool single_precision = false;
  /// Of the arms whose operations are counted.
  counting::ArmOptions counted_arm = {};
};

}  // namespace dynamics::tools
