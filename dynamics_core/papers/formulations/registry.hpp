// SPDX-License-Identifier: Apache-2.0
#pragma once

// The papers' roads to the same numbers, by name. They are for comparing and for reading beside the
// papers; rigid/ has the fast ones.
//
//   const auto& road = dynamics::formulations::find("newton-euler");
//   Eigen::VectorXd tau = dynamics::formulations::inverse_dynamics(road, model, q, qd, qdd);
//
// Vectors are in the order of Model::coordinates(). Friction, rotor inertia and both kinds of
// joints are covered by all; what else is, Coverage says.

#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/model.hpp"

namespace dynamics::formulations {

enum class Task { inverse, forward };

struct Coverage {
  bool branches = false;      ///< trees, not only serial chains
  bool turning_base = false;  ///< a base that turns; one that is only pushed along always is
  bool wrenches = false;      ///< wrenches on links
  bool mimic = false;         ///< mimic joints
};

struct Formulation {
  std::string_view name;                     ///< "newton-euler"
  std::string_view source;                   ///< "Turney 1980, section 3"
  std::optional<Coverage> inverse, forward;  ///< nothing where it does not do that task
};

/// All of them, in the order of the papers.
std::span<const Formulation> all();

/// Throws ArgumentError, listing the names, when there is none of that name.
const Formulation& find(std::string_view name);

/// Why a formulation does not cover this robot under these conditions; empty where it does.
std::string not_covered(const Formulation& formulation, Task task, const Model& model,
                        const Conditions& conditions = {});

/// tau as dynamics::inverse_dynamics(). Throws ArgumentError for bad arguments and, with the
/// reason, for what the formulation does not cover.
Eigen::VectorXd inverse_dynamics(const Formulation& formulation, const Model& model, ConstVector q,
                                 ConstVector qd, ConstVector qdd,
                                 const Conditions& conditions = {});

/// qdd as dynamics::forward_dynamics(). Throws as above, and ModelError where there is no answer.
Eigen::VectorXd forward_dynamics(const Formulation& formulation, const Model& model, ConstVector q,
                                 ConstVector qd, ConstVector tau,
                                 const Conditions& conditions = {});

}  // namespace dynamics::formulations
