// SPDX-License-Identifier: Apache-2.0
#pragma once

// An arm with flexible links for simulate():
//
//   auto plant = dynamics::flexible_plant(model);
//   dynamics::Recording run = dynamics::simulate(*plant, options);
//
// The forced run's torques are those of the rigid arm along the desired motion (Mohan and Saha,
// section 7); computed torque and hold make the joints follow, the beams swing as they will.

#include <memory>

#include "dynamics_core/flexible/flexible_model.hpp"
#include "dynamics_core/simulation/plant.hpp"

namespace dynamics {

struct FlexiblePlantOptions {
  bool friction = true;   ///< damping and Coulomb friction of the joints
  bool cholesky = false;  ///< accelerations by the whole matrix instead of the recursion
};

std::unique_ptr<Plant> flexible_plant(const FlexibleModel& model,
                                      const FlexiblePlantOptions& options = {});

}  // namespace dynamics
