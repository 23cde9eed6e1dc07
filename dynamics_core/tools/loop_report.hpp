// SPDX-License-Identifier: Apache-2.0
#pragma once

// Results for robots with closed loops: M, C, g, tau and qdd of the independent joints.

#include <string>
#include <vector>

#include "external_arguments.hpp"
#include "robot.hpp"

namespace dynamics::tools {

/// A state that closes the loops, from --q and --qd: all joints, or the independent ones.
struct LoopState {
  std::vector<double> q, qd;
};
LoopState loop_state(const Robot& robot, const std::string& q, const std::string& qd);

/// The arguments of the commands.
struct LoopArguments {
  const StateArguments& state;
  std::string input;      ///< --qdd or --tau
  std::string algorithm;  ///< must be the default
  const ExternalArguments* external = nullptr;
};

void report_loop_inverse(const Robot& robot, const LoopArguments& args);
void report_loop_forward(const Robot& robot, const LoopArguments& args);
void report_loop_terms(const Robot& robot, const LoopArguments& args);

}  // namespace dynamics::tools
