// SPDX-License-Identifier: Apache-2.0
#pragma once

// Findings about a robot that a Model accepts: numbers that are unlikely to be meant, and what only
// the dynamics show. They need validate() first.

#include "dynamics_core/check.hpp"
#include "dynamics_core/model.hpp"
#include "model/parsed_robot.hpp"

namespace dynamics::check {

using Severity = Finding::Severity;
using Kind = Finding::Kind;

/// Masses and tensors against the link's size; beams.
void check_links(ParsedRobot& robot);
/// Axes, ranges, mimic ranges; joints that move no mass.
void check_joints(ParsedRobot& robot);

/// Forward dynamics and conditioning of the inertia matrix.
void check_dynamics(const Model& model, const CheckOptions& options, ParsedRobot& robot,
                    CheckReport& report);
/// Whether a DH table can describe the same robot, and why not.
void check_dh_expressible(const RobotDescription& description, ParsedRobot& robot);

}  // namespace dynamics::check
