// SPDX-License-Identifier: Apache-2.0
#include "papers/formulations/denoc.hpp"

#include "papers/formulations/situation_of.hpp"

namespace dynamics::formulations {

DenocMatrices<double> denoc_matrices(const Model& model, ConstVector q, ConstVector qd) {
  Workspace workspace(model);
  return denoc_matrices(situation_of(model, workspace, q, qd, {}));
}

}  // namespace dynamics::formulations
