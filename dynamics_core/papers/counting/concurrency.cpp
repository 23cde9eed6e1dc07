// SPDX-License-Identifier: Apache-2.0
#include "papers/counting/concurrency.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "model/tree.hpp"
#include "papers/counting/generic_state.hpp"
#include "papers/counting/paper_tables.hpp"
#include "papers/counting/scheduled.hpp"
#include "papers/formulations/modified_newton_euler.hpp"

namespace dynamics::counting {
namespace {

/// Cost of a row of Turney's Table 4 per link.
struct LineCost {
  std::int64_t multiplications = 0, additions = 0;
};
LineCost per_link(std::string_view line) {
  const PaperRow& row = paper_row("Turney 1980", "Table 4", line);
  return {row.multiplications(2) - row.multiplications(1), row.additions(2) - row.additions(1)};
}

/// Duration of a stage: that of its longest quantity.
LineCost longest(std::initializer_list<LineCost> quantities) {
  LineCost result;
  for (const LineCost& quantity : quantities) {
    result.multiplications = std::max(result.multiplications, quantity.multiplications);
    result.additions = std::max(result.additions, quantity.additions);
  }
  return result;
}

}  // namespace

Schedule turney_schedule() {
  const LineCost omega = per_link("omega_i"), alpha = per_link("alpha_i"), A = per_link("A_i");
  LineCost start;
  for (const LineCost& quantity : {omega, alpha, A, omega, alpha}) {
    start.multiplications += quantity.multiplications;
    start.additions += quantity.additions;
  }
  constexpr std::int64_t one_sum = 3;
  LineCost moment = per_link("m (r_i + r_bar_i) x a_bar_i"), sum = per_link("add n");
  moment.additions += one_sum;
  sum.additions -= one_sum;
  const LineCost outbound = longest({omega, alpha, A, per_link("a_i"), per_link("m_i a_bar_i"),
                                     per_link("Tr{A_i K_i sigma^t}"), moment});
  const LineCost inbound =
      longest({per_link("f_i"), sum, per_link("r_i x R f_{i+1}"), per_link("R n_{i+1}")});
  return {
      Polynomial::linear(outbound.multiplications + inbound.multiplications, start.multiplications),
      Polynomial::linear(outbound.additions + inbound.additions, start.additions)};
}

CriticalPath critical_path(const Model& arm) {
  const auto inputs = [&](double phase) {
    std::vector<Scheduled> values;
    for (const Counted& value : generic_numbers(arm.body_count(), phase)) {
      values.emplace_back(value.value());
    }
    return values;
  };
  const Eigen::Vector3d up = -arm.gravity();
  const Scheduled zero(0.0);
  formulations::DynamicsInput<Scheduled> input;
  input.tree = &arm.tree();
  input.q = inputs(0.3);
  input.qd = inputs(0.9);
  input.base.angular_velocity = input.base.angular_acceleration = {zero, zero, zero};
  input.base.acceleration = {Scheduled(up.x()), Scheduled(up.y()), Scheduled(up.z())};
  CriticalPath longest_path;
  for (const Scheduled& tau : formulations::modified_newton_euler(formulations::serial_arm(input),
                                                                  input.qd, inputs(1.5))) {
    if (tau.path().steps() > longest_path.steps()) longest_path = tau.path();
  }
  return longest_path;
}

}  // namespace dynamics::counting
