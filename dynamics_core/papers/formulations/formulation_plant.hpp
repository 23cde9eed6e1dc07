// SPDX-License-Identifier: Apache-2.0
#pragma once

// Plants whose accelerations come from a published algorithm (Turney 1980, section 7):
//
//   const auto plant = formulations::formulation_plant(model, formulations::find("strobing"));
//   const Recording run = simulate(*plant, options);
//
// Energies, power and feedforward torques are those of rigid_plant(): the energy drift and the
// power balance of a run check the algorithm independently.

#include <functional>
#include <memory>

#include "dynamics_core/plant.hpp"
#include "papers/formulations/registry.hpp"

namespace dynamics::formulations {

/// qdd for q, qd and the joint torques, without friction.
using ForwardDynamics = std::function<Eigen::VectorXd(
    const Model& model, ConstVector q, ConstVector qd, ConstVector tau, const ExternalInputs&)>;

/// The rigid plant with accelerations by `forward_dynamics`. Responses to impulses follow from its
/// accelerations too. Every call may allocate.
std::unique_ptr<Plant> plant_with(ForwardDynamics forward_dynamics, const Model& model,
                                  const RigidPlantOptions& options = {});

/// The same with forward_dynamics() of the formulation. Throws ArgumentError with the reason if the
/// formulation has no forward dynamics or does not cover the model.
std::unique_ptr<Plant> formulation_plant(const Model& model, const Formulation& formulation,
                                         const RigidPlantOptions& options = {});

/// The formulation of that name with forward dynamics. Throws ArgumentError with the list of those
/// that have it.
const Formulation& find_forward(std::string_view name);

}  // namespace dynamics::formulations
