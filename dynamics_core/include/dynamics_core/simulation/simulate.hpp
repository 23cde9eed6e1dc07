// SPDX-License-Identifier: Apache-2.0
#pragma once

// Simulation: forward dynamics and integration (Saha 2003, section 4).
//
//   dynamics::SimulationOptions options;
//   options.duration = 2.0;
//   dynamics::Recording fall = dynamics::simulate(model, options);

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dynamics_core/model/model.hpp"
#include "dynamics_core/simulation/motion.hpp"
#include "dynamics_core/simulation/plant.hpp"
#include "dynamics_core/simulation/recording.hpp"

namespace dynamics {

enum class Scenario {
  free_fall,       ///< no joint forces
  forced,          ///< the inverse dynamics of the desired motion, open loop
  hold,            ///< computed torque, staying at the start
  computed_torque  ///< computed torque, along the desired motion
};
/// "free-fall", "forced", "hold", "computed-torque"; throws ArgumentError listing them.
Scenario scenario_from_name(std::string_view name);
const char* to_string(Scenario scenario);

struct SimulationOptions {
  Scenario scenario = Scenario::free_fall;
  double duration = 10.0;  ///< (s)
  std::string integrator = "dop853";
  double rtol = 1e-9;
  std::optional<double> atol;   ///< as rtol
  std::optional<double> step;   ///< of fixed-step methods (s)
  double sample = 0.01;         ///< (s)
  std::vector<double> q0, qd0;  ///< zero where empty
  bool friction = true;
  std::shared_ptr<const Motion> motion;  ///< for forced and computed torque
  double bandwidth = 10.0;               ///< of the closed loops (rad/s)
};

/// Called now and then with the time reached; returning false ends the run with what there is.
using Progress = std::function<bool(double time)>;

/// Throws ArgumentError or std::invalid_argument for options that cannot be, naming them, and
/// ModelError where the robot has no forward dynamics. A run that the integrator cannot finish, or
/// that `progress` ends, is returned as far as it came, with the reason in its statistics.
Recording simulate(const Model& model, const SimulationOptions& options,
                   const Progress& progress = {});

/// The same for any plant; `options.friction` is then the plant's own affair. q0 and qd0 are given
/// for the joints alone, or for all coordinates of the plant.
Recording simulate(Plant& plant, const SimulationOptions& options, const Progress& progress = {});

/// Torques along a motion (the papers' RIDIM): inverse dynamics at every sample of the duration.
Recording torques_along(const Model& model, const Motion& motion, double duration, double sample,
                        bool friction = true);

}  // namespace dynamics
