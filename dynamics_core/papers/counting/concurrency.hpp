// SPDX-License-Identifier: Apache-2.0
#pragma once

// Steps of machines that execute several operations at once (Turney 1980, Table 5):
//
//   turney_schedule().multiplications.text();   // "27n + 42", from the rows of Table 4
//   critical_path(general_arm(6)).steps();      // with any number of processors

#include <cstdint>

#include "dynamics_core/model.hpp"
#include "papers/counting/polynomial.hpp"

namespace dynamics::counting {

struct Schedule {
  Polynomial multiplications, additions;
};

/// The schedule of Table 5 with one processor per quantity of Table 4, from the printed costs of
/// Table 4. First omega_1, alpha_1, A_1, omega_2 and alpha_2 one after the other. Then n stages:
/// each computes omega_{i+2}, alpha_{i+2}, A_{i+1}, a_i, m_i a_bar_i, Tr{..} and m r x a_bar of
/// different links, which do not depend on each other, and lasts as long as its longest quantity
/// (a_i). Then n stages with f_i, n_i, r x R f and R n; one of the five sums of n_i, Tr{..} + m r x
/// a_bar, is complete before.
Schedule turney_schedule();

/// The longest chain of dependent operations.
struct CriticalPath {
  std::int64_t multiplications = 0, additions = 0;
  std::int64_t steps() const { return multiplications + additions; }
};

/// Critical path of modified Newton-Euler inverse dynamics as implemented here: its duration with
/// an unlimited number of processors, if every operation is one step.
CriticalPath critical_path(const Model& arm);

}  // namespace dynamics::counting
