// SPDX-License-Identifier: Apache-2.0
#pragma once

// Registry of the published algorithms, by name. They serve comparisons and follow the notation of
// the papers; the fast functions are in rigid_dynamics.hpp.
//
//   using namespace dynamics::formulations;
//   Eigen::VectorXd tau = inverse_dynamics(find("newton-euler"), model, q, qd, qdd);
//
// They are a library of their own, which contains dynamics_core:
//
//   find_package(dynamics_core REQUIRED COMPONENTS papers)
//   target_link_libraries(my_program dynamics_core::papers)   # instead of dynamics_core
//
// Vectors are in the order of Model::coordinates(). All formulations support friction, rotor
// inertia, revolute and prismatic joints; Coverage lists the rest. Every call allocates.

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/plant.hpp"

namespace dynamics::formulations {

/// What a formulation computes.
enum class Task { inverse, forward };

/// The robots and inputs that a formulation supports.
struct Coverage {
  bool branches = false;       ///< trees, not only serial chains
  bool rotating_base = false;  ///< a rotating base; a translating base is always supported
  bool wrenches = false;       ///< wrenches on links
  bool mimic = false;          ///< mimic joints
};

/// A published algorithm.
struct Formulation {
  std::string_view name;                     ///< "newton-euler"
  std::string_view source;                   ///< "Turney 1980, section 3"
  std::optional<Coverage> inverse, forward;  ///< empty if the task is not supported
};

/// All formulations, in the order of the papers.
std::span<const Formulation> all();

/// Throws ArgumentError with the list of names if there is no formulation of that name.
const Formulation& find(std::string_view name);

/// The reason why the formulation does not cover this robot under these conditions, or "" if it
/// does.
std::string not_covered(const Formulation& formulation, Task task, const Model& model,
                        const ExternalInputs& external = {});

/// Joint torques, as dynamics::inverse_dynamics(). Throws ArgumentError for bad arguments, and with
/// the reason if the formulation does not cover the case.
Eigen::VectorXd inverse_dynamics(const Formulation& formulation, const Model& model, ConstVector q,
                                 ConstVector qd, ConstVector qdd,
                                 const ExternalInputs& external = {});

/// Joint accelerations, as dynamics::forward_dynamics(). Throws as above, and StateError if the
/// inertia matrix is singular.
Eigen::VectorXd forward_dynamics(const Formulation& formulation, const Model& model, ConstVector q,
                                 ConstVector qd, ConstVector tau,
                                 const ExternalInputs& external = {});

/// The formulation of that name with forward dynamics. Throws ArgumentError with the list of those
/// that have it.
const Formulation& find_forward(std::string_view name);

/// The rigid plant with accelerations by forward_dynamics() of the formulation, for simulate().
/// Energies, power and feedforward torques are those of rigid_plant(): the energy drift and the
/// power balance of a run check the algorithm independently. Throws ArgumentError with the reason
/// if the formulation has no forward dynamics or does not cover the model.
std::unique_ptr<Plant> formulation_plant(const Model& model, const Formulation& formulation,
                                         const RigidPlantOptions& options = {});

}  // namespace dynamics::formulations
