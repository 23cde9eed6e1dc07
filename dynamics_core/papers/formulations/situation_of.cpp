// SPDX-License-Identifier: Apache-2.0
#include "papers/formulations/situation_of.hpp"

#include "rigid/workspace_memory.hpp"

namespace dynamics::formulations {

Situation<double> situation_of(const Model& model, Workspace& workspace, ConstVector q,
                               ConstVector qd, const Conditions& conditions) {
  Workspace::Memory& memory = memory_for(model, workspace);
  check_vector("q", q, memory.size);
  check_vector("qd", qd, memory.size);
  check_base(conditions.base);
  check_wrenches(model, conditions.wrenches);
  Situation<double> situation;
  situation.tree = &model.tree();
  const double* positions = body_positions(model, q, memory.q);
  const double* rates = body_rates(model, qd, memory.qd);
  situation.q.assign(positions, positions + memory.body_count);
  situation.qd.assign(rates, rates + memory.body_count);
  situation.base = base_state(model, conditions.base);
  if (situation.base.not_rotating) {
    situation.base.angular_velocity = situation.base.angular_acceleration = {0.0, 0.0, 0.0};
  }
  if (const auto* wrenches =
          body_wrenches(model, memory, positions, conditions.wrenches, conditions.base)) {
    situation.wrenches.assign(wrenches, wrenches + memory.body_count);
  }
  return situation;
}

}  // namespace dynamics::formulations
