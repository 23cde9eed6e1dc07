// SPDX-License-Identifier: Apache-2.0
#include "papers/formulations/make_dynamics_input.hpp"

#include "rigid/workspace_memory.hpp"

namespace dynamics::formulations {

DynamicsInput<double> make_dynamics_input(const Model& model, Workspace& workspace, ConstVector q,
                                          ConstVector qd, const ExternalInputs& external) {
  Workspace::Memory& memory = workspace.memory();
  dynamics::require(check_workspace(model, memory)
                        .vector("q", q, memory.size)
                        .vector("qd", qd, memory.size)
                        .external_inputs(model, external)
                        .status(),
                    memory.problem, model);
  DynamicsInput<double> input;
  input.tree = &model.tree();
  const double* positions = body_positions(model, q, memory.q);
  const double* rates = body_rates(model, qd, memory.qd);
  input.q.assign(positions, positions + memory.body_count);
  input.qd.assign(rates, rates + memory.body_count);
  input.base = base_state(model, external.base);
  if (input.base.not_rotating) {
    input.base.angular_velocity = input.base.angular_acceleration = {0.0, 0.0, 0.0};
  }
  if (const auto* wrenches =
          body_wrenches(model, memory, positions, external.wrenches, external.base)) {
    input.wrenches.assign(wrenches, wrenches + memory.body_count);
  }
  return input;
}

}  // namespace dynamics::formulations
