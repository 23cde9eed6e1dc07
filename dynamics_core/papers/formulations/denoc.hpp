// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics_core/model.hpp"
#include "papers/formulations/denoc_matrices.hpp"

namespace dynamics::formulations {

/// The DeNOC matrices of a model in the state (q, qd) with a fixed base. Rows and columns are in
/// the order of Model::bodies(), mimic joints included. Throws ArgumentError for bad arguments.
DenocMatrices<double> denoc_matrices(const Model& model, ConstVector q, ConstVector qd);

}  // namespace dynamics::formulations
