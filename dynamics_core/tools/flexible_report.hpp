// SPDX-License-Identifier: Apache-2.0
#pragma once

// The commands for robots with flexible links. Vectors are joints, then amplitudes; the amplitudes
// may be left out and are zero then.

#include <optional>
#include <string>
#include <vector>

#include "dynamics_core/flexible_model.hpp"
#include "dynamics_core/recording.hpp"
#include "robot.hpp"

namespace dynamics::tools {

inline constexpr const char* rigid_flag_help = "treat flexible links as rigid";

/// The robot with its bending links, its warnings reported; nothing where it has none or `rigid`
/// asks for none.
std::optional<FlexibleModel> flexible_model(Robot& robot, bool rigid);

/// Joints, or joints and amplitudes; `otherwise` (joints) where the text is empty.
std::vector<double> parse_state(const std::string& option, const std::string& text,
                                const FlexibleModel& model, const std::vector<double>& otherwise);

struct FlexibleRequest {
  std::string q, qd, qdd, tau, algorithm;
  bool friction = true, json = false;
};
/// `algorithm`: udut (the recursion) or cholesky.
void report_forward(const FlexibleModel& model, const Robot& robot, const FlexibleRequest& request);
/// qdd of the joints alone: their torques, and how the beams accelerate; of all coordinates: all
/// generalized forces.
void report_inverse(const FlexibleModel& model, const Robot& robot, const FlexibleRequest& request);
void report_terms(const FlexibleModel& model, const Robot& robot, const FlexibleRequest& request);

/// Largest deflections of the links' tips in a run.
void print_tips(const Recording& run);

}  // namespace dynamics::tools
