// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a request changes for itself: the model, and the wrenches on its links. The functions throw
// Fault naming the field.

#include <dynamics_core/model.hpp>
#include <dynamics_msgs/msg/link_wrench.hpp>
#include <dynamics_msgs/msg/model_overrides.hpp>
#include <memory>
#include <vector>

#include "robot.hpp"

namespace dynamics_ros {

/// Whether a request changes the model. Throws for values that are given but not switched on.
bool changes_model(const dynamics_msgs::msg::ModelOverrides& overrides);

/// The robot with another payload, gravity and limits. Costs as much as a new description.
std::shared_ptr<const Robot> with_overrides(const Robot& robot,
                                            const dynamics_msgs::msg::ModelOverrides& overrides);

/// The wrenches of a request.
std::vector<dynamics::LinkWrench> read_wrenches(
    const dynamics::Model& model, const std::vector<dynamics_msgs::msg::LinkWrench>& wrenches);

}  // namespace dynamics_ros
