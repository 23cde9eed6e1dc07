// SPDX-License-Identifier: Apache-2.0
#pragma once

// Checks of robots for which a Model can be built: implausible values, and properties of the
// dynamics. validate() must have run before.

#include "dynamics_core/check.hpp"
#include "dynamics_core/model.hpp"
#include "model/parsed_robot.hpp"

namespace dynamics::check {

using Severity = Finding::Severity;
using Kind = Finding::Kind;

/// Sum of the distances between the joints: an upper bound of the robot's size (m).
double reach(const ParsedRobot& robot);

/// Masses and inertia tensors compared with the size of the link; flexible links.
void check_links(ParsedRobot& robot);
/// Axes, limits, ranges of mimic joints, joints that move no mass.
void check_joints(ParsedRobot& robot);

/// Whether forward dynamics is possible; condition number of the inertia matrix.
void check_dynamics(const Model& model, const CheckOptions& options, ParsedRobot& robot,
                    CheckReport& report);
/// Reports why a DH table cannot describe the same robot.
void check_dh_expressible(const RobotDescription& description, ParsedRobot& robot);

}  // namespace dynamics::check
