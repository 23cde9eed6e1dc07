// SPDX-License-Identifier: Apache-2.0
#pragma once

// BasePower: the power of a moving base.

#include <vector>

#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/view.hpp"
#include "dynamics_core/workspace.hpp"

namespace dynamics {

class BasePower {
 public:
  /// Allocates for this model.
  explicit BasePower(const Model& model) : forces_(model.size()), wrenches_(model.body_count()) {}

  /// The wrench of the base on the root bodies times its velocity (W); `external` has the motion of
  /// the base. For closed loops too: the sum of the wrenches at the roots and at cuts on the base
  /// follows from the motion alone.
  double operator()(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                    ConstVector qdd, const ExternalInputs& external);

 private:
  std::vector<double> forces_;
  std::vector<Wrench> wrenches_;
};

}  // namespace dynamics
