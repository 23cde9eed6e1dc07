// SPDX-License-Identifier: Apache-2.0
// The initial state of mechanisms with closed loops.

#include <fmt/format.h>

#include <cmath>

#include "loops/closed_branch.hpp"
#include "simulation/run.hpp"

namespace dynamics {
namespace {

void check_vector(const Mechanism& mechanism, const char* name, const std::vector<double>& given) {
  const std::size_t joints = mechanism.tree().size(), independent = mechanism.size();
  if (given.size() != joints && given.size() != independent) {
    throw ArgumentError(
        fmt::format("{} has {} entries; {} (independent joints) or {} (all joints) are needed",
                    name, given.size(), independent, joints));
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!std::isfinite(given[i])) throw ArgumentError(fmt::format("{}[{}] is not finite", name, i));
  }
}

}  // namespace

InitialState closed_state(const Mechanism& mechanism, const std::vector<double>& q0,
                          const std::vector<double>& qd0) {
  const std::size_t joints = mechanism.tree().size();
  MechanismWorkspace workspace(mechanism);
  InitialState state{{mechanism.start().begin(), mechanism.start().end()},
                     std::vector<double>(joints, 0.0)};
  if (!q0.empty()) {
    check_vector(mechanism, "q0", q0);
    if (q0.size() == joints) {
      const double error = loop_error(mechanism, workspace, q0);
      if (!(error <= 1e-6)) {
        throw ArgumentError(
            fmt::format("q0 does not close the loops: the error is {:.3g} of the mechanism's size "
                        "and 1e-6 is allowed; give the independent joints only",
                        error));
      }
      state.q = q0;
      // with velocities of all joints a position may be singular: they give the branch
      if (qd0.size() != joints) project_on_loops(mechanism, workspace, state.q);
    } else {
      close_loops(mechanism, workspace, mechanism.start(), q0, state.q);
    }
  }
  if (!qd0.empty()) {
    check_vector(mechanism, "qd0", qd0);
    if (qd0.size() == joints) {
      state.qd = qd0;
      ClosedBranch(mechanism).project(workspace, state.q, state.qd);
      double change = 0.0, size = 0.0;
      for (std::size_t i = 0; i < joints; ++i) {
        change = std::max(change, std::abs(state.qd[i] - qd0[i]));
        size = std::max(size, std::abs(qd0[i]));
      }
      if (change > 1e-6 * size) {
        throw ArgumentError(
            fmt::format("qd0 does not keep the loops closed: it must change by {:.3g}; give the "
                        "independent joints only",
                        change));
      }
    } else {
      for (std::size_t i = 0; i < qd0.size(); ++i) state.qd[mechanism.independent()[i]] = qd0[i];
      close_velocities(mechanism, workspace, state.q, state.qd);
    }
  }
  return state;
}

}  // namespace dynamics
