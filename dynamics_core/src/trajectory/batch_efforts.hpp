// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "dynamics_core/batch.hpp"
#include "dynamics_core/model.hpp"

namespace dynamics {

/// tau = M qdd + C qd + g of every state. Throws StateError, its element name(k), if state k has no
/// solution or overflows.
void frictionless_efforts(const Model& model, BatchWorkspace& workspace, ConstVector q,
                          ConstVector qd, ConstVector qdd, std::vector<double>& tau,
                          const std::function<std::string(std::size_t)>& name);

}  // namespace dynamics
