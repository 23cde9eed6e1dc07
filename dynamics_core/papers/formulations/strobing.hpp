// SPDX-License-Identifier: Apache-2.0
#pragma once

// Strobing (Turney 1980, end of section 3): the matrices of Eq. (2.11) column by column from the
// Newton-Euler equations with unit inputs of one or two joints.

#include <vector>

#include "papers/formulations/modified_newton_euler.hpp"

namespace dynamics::formulations {

/// Column j of M is tau for a unit acceleration of joint j without velocities and gravity. O(n^2).
template <class S>
MatrixX<S> strobed_inertia_matrix(const DynamicsInput<S>& input) {
  const std::size_t n = input.size();
  const SerialArm<S> arm = serial_arm(at_rest(input));
  MatrixX<S> M(at(n), at(n));
  const std::vector<S> zero(n, S(0.0));
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<S> unit = zero;
    unit[j] = S(1.0);
    // links before j do not move; rows before j follow from the symmetry of M (section 7)
    const std::vector<S> column = modified_newton_euler(arm, zero, unit, j, j);
    for (std::size_t i = j; i < n; ++i) M(at(i), at(j)) = M(at(j), at(i)) = column[i];
  }
  return M;
}

/// C^i with tau_i = ... + qd^t C^i qd, from unit velocities of joint j alone, then of j and k.
/// O(n^3).
template <class S>
std::vector<MatrixX<S>> strobed_coriolis_matrices(const DynamicsInput<S>& input) {
  const std::size_t n = input.size();
  const SerialArm<S> arm = serial_arm(at_rest(input));
  std::vector<MatrixX<S>> C(n, MatrixX<S>::Constant(at(n), at(n), S(0.0)));
  const std::vector<S> zero(n, S(0.0));
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<S> rates = zero;
    rates[j] = S(1.0);
    const std::vector<S> tau = modified_newton_euler(arm, rates, zero, j, 0);
    for (std::size_t i = 0; i < n; ++i) C[i](at(j), at(j)) = tau[i];
  }
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = j + 1; k < n; ++k) {
      std::vector<S> rates = zero;
      rates[j] = rates[k] = S(1.0);
      const std::vector<S> tau = modified_newton_euler(arm, rates, zero, j, 0);
      for (std::size_t i = 0; i < n; ++i) {
        // C_jj + C_kk + 2 C_jk
        C[i](at(j), at(k)) = C[i](at(k), at(j)) =
            (tau[i] - C[i](at(j), at(j)) - C[i](at(k), at(k))) * S(0.5);
      }
    }
  }
  return C;
}

/// tau = M qdd + (qd^t C^i qd) + G, Eq. (2.11). The base must not rotate.
template <class S>
std::vector<S> strobed_inverse_dynamics(const DynamicsInput<S>& input, const std::vector<S>& qdd) {
  const std::size_t n = input.size();
  const MatrixX<S> M = strobed_inertia_matrix(input);
  const std::vector<MatrixX<S>> C = strobed_coriolis_matrices(input);
  const std::vector<S> zero(n, S(0.0));
  std::vector<S> tau = modified_newton_euler(serial_arm(input), zero, zero);  // G
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i) tau[i] = tau[i] + M(at(i), at(j)) * qdd[j];
    for (std::size_t k = j; k < n; ++k) {  // C^i is symmetric
      const S product = input.qd[j] * input.qd[k];
      const S rates = j == k ? product : S(product + product);
      for (std::size_t i = 0; i < n; ++i) tau[i] = tau[i] + C[i](at(j), at(k)) * rates;
    }
  }
  return tau;
}

}  // namespace dynamics::formulations
