// SPDX-License-Identifier: Apache-2.0
#pragma once

// The commands inverse, forward and terms for robots with flexible links. Vectors contain the
// joints, then the modal amplitudes; the amplitudes may be omitted and are then zero.

#include <optional>
#include <string>
#include <vector>

#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/flexible_links.hpp"
#include "dynamics_core/recording.hpp"
#include "robot.hpp"

namespace dynamics::tools {

/// The model with flexible links, its warnings reported; std::nullopt if the robot has none or
/// `rigid` is set.
std::optional<FlexibleModel> flexible_model(Robot& robot, bool rigid);

/// Parses joints, or joints and amplitudes; returns `fallback` (joints) if the text is empty.
/// Throws InputError.
std::vector<double> parse_state(const std::string& option, const std::string& text,
                                const FlexibleModel& model, const std::vector<double>& fallback);

struct FlexibleRequest {
  std::string q, qd, qdd = {}, tau = {}, algorithm = {};
  bool friction = true, json = false;
  std::vector<LinkWrench> wrenches = {};
};
/// Prints qdd; `algorithm`: udut (recursive) or cholesky.
void report_forward(const FlexibleModel& model, const Robot& robot, const FlexibleRequest& request);
/// Prints tau. If `qdd` has the joints only: the joint torques and the resulting accelerations of
/// the amplitudes. If it has all coordinates: all generalized forces.
void report_inverse(const FlexibleModel& model, const Robot& robot, const FlexibleRequest& request);
void report_terms(const FlexibleModel& model, const Robot& robot, const FlexibleRequest& request);

/// Prints the largest tip deflection of every flexible link in the run.
void print_tips(const Recording& run);

}  // namespace dynamics::tools
