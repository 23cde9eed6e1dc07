// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics_core/model/description.hpp"
#include "dynamics_core/model/dh_table.hpp"
#include "dynamics_core/model/model.hpp"

namespace dynamics {

/// The links and joints of a table. The frame of link i is frame i of the table moved by joint i:
/// its origin is on the joint's axis.
RobotDescription describe(const DhTable& table);

/// The model of a table, under the table's gravity.
Model model_from_dh(const DhTable& table);

}  // namespace dynamics
