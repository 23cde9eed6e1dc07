// SPDX-License-Identifier: Apache-2.0
#include "papers/formulations/denoc.hpp"

#include "papers/formulations/make_dynamics_input.hpp"

namespace dynamics::formulations {

DenocMatrices<double> denoc_matrices(const Model& model, ConstVector q, ConstVector qd) {
  Workspace workspace(model);
  return denoc_matrices(make_dynamics_input(model, workspace, q, qd, {}));
}

}  // namespace dynamics::formulations
