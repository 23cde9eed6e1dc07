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

Recording simulate(const Model& model, const SimulationOptions& options, const Progress& progress) {
  check_options(model, options);
  const auto plant = rigid_plant(model, {.friction = options.friction, .base = options.base});
  return Run<double>(*plant, *plant, options, progress).run();
}

Recording simulate(Plant& plant, const SimulationOptions& options, const Progress& progress) {
  check_options(plant.model(), options);
  if (options.base) {
    throw ArgumentError(
        "options.base is set: the plant defines the motion of its base, for example "
        "RigidPlantOptions::base");
  }
  return Run<double>(plant, plant, options, progress).run();
}

}  // namespace dynamics
