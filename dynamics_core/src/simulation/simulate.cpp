// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/simulate.hpp"

#include <fmt/format.h>

#include "base/find_by_name.hpp"
#include "simulation/run.hpp"

namespace dynamics {
namespace {

struct NamedScenario {
  const char* name;
  Scenario scenario;
};
constexpr NamedScenario scenarios[] = {{"free-fall", Scenario::free_fall},
                                       {"forced", Scenario::forced},
                                       {"hold", Scenario::hold},
                                       {"computed-torque", Scenario::computed_torque}};

}  // namespace

Scenario scenario_from_name(std::string_view name) {
  return find_by_name(scenarios, "scenario", name).scenario;
}

const char* to_string(Scenario scenario) {
  for (const NamedScenario& known : scenarios) {
    if (scenario == known.scenario) return known.name;
  }
  return "unknown";
}

namespace {

/// The controller of a scenario.
std::unique_ptr<Controller> scenario_controller(const SimulationOptions& options) {
  switch (options.scenario) {
    case Scenario::free_fall: return make_controller("none");
    case Scenario::forced: return make_controller("feedforward");
    case Scenario::hold:
    case Scenario::computed_torque: break;
  }
  return make_controller("computed-torque", {.gains = {.bandwidth = {options.bandwidth}}});
}

Recording run_with(Plant& plant, Controller& controller, const SimulationOptions& options,
                   const Progress& progress) {
  std::vector<double> q0, qd0;
  if (const Mechanism* mechanism = plant.mechanism()) {
    InitialState start = closed_state(*mechanism, options.q0, options.qd0);
    q0 = std::move(start.q);
    qd0 = std::move(start.qd);
  } else {
    q0 = initial_state("q0", options.q0.empty() ? default_start(plant.model()) : options.q0, plant);
    qd0 = initial_state("qd0", options.qd0, plant);
  }
  ControlLoop loop(controller, plant, options, q0, qd0);
  Recording run =
      Run<double>(plant, plant, loop, &loop, std::move(q0), std::move(qd0), options, progress)
          .run();
  run.settings.controller = controller.name();
  run.settings.gains = controller.gains();
  return run;
}

void refuse_scenario(const SimulationOptions& options) {
  const SimulationOptions defaults;
  if (options.scenario == defaults.scenario && options.bandwidth == defaults.bandwidth) return;
  throw ArgumentError(
      "options.scenario and options.bandwidth are for simulate() without a controller: the "
      "controller has gains of its own");
}

void refuse_base(const SimulationOptions& options) {
  if (!options.base) return;
  throw ArgumentError(
      "options.base is set: the plant defines the motion of its base, for example "
      "RigidPlantOptions::base");
}

std::unique_ptr<Plant> plant_of(const Model& model, const SimulationOptions& options) {
  return rigid_plant(model, {.friction = options.friction, .base = options.base});
}

}  // namespace

Recording simulate(const Model& model, const SimulationOptions& options, const Progress& progress) {
  check_options(model, options);
  return run_with(*plant_of(model, options), *scenario_controller(options), options, progress);
}

Recording simulate(const Model& model, Controller& controller, const SimulationOptions& options,
                   const Progress& progress) {
  check_options(model, options);
  refuse_scenario(options);
  Recording run = run_with(*plant_of(model, options), controller, options, progress);
  run.settings.scenario = "control";
  return run;
}

Recording simulate(Plant& plant, const SimulationOptions& options, const Progress& progress) {
  check_options(plant.model(), options, plant.mechanism());
  refuse_base(options);
  return run_with(plant, *scenario_controller(options), options, progress);
}

Recording simulate(Plant& plant, Controller& controller, const SimulationOptions& options,
                   const Progress& progress) {
  check_options(plant.model(), options, plant.mechanism());
  refuse_base(options);
  refuse_scenario(options);
  Recording run = run_with(plant, controller, options, progress);
  run.settings.scenario = "control";
  return run;
}

}  // namespace dynamics
