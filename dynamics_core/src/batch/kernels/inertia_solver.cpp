// SPDX-License-Identifier: Apache-2.0
#include "batch/kernels/inertia_solver.hpp"

#include "rigid/recursions/inertia_matrix.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {
namespace {

/// Replaces the lower triangle of m, stored by rows, by its Cholesky factor.
void factor_cholesky(Pack* m, Size n, PackOfStates& states) {
  for (Size j = 0; j < n; ++j) {
    for (Size i = j; i < n; ++i) {
      Pack sum = m[i * n + j];
      for (Size k = 0; k < j; ++k) sum = sum - m[i * n + k] * m[j * n + k];
      if (i == j) {
        states.refuse_pivot(sum);
        m[i * n + i] = sqrt(sum);
      } else {
        m[i * n + j] = sum / m[j * n + j];
      }
    }
  }
}
void solve_cholesky(const Pack* m, Size n, Pack* x) {
  for (Size i = 0; i < n; ++i) {
    for (Size k = 0; k < i; ++k) x[i] = x[i] - m[i * n + k] * x[k];
    x[i] = x[i] / m[i * n + i];
  }
  for (Size i = n; i-- > 0;) {
    for (Size k = i + 1; k < n; ++k) x[i] = x[i] - m[k * n + i] * x[k];
    x[i] = x[i] / m[i * n + i];
  }
}

}  // namespace

void InertiaSolver::factor(const Pack* q, PackOfStates& states) {
  if (job_.massless_mimic) {
    factor_dense(q, states);
    return;
  }
  packs::decompose(job_.tree, scratch_.udut, q, false);
  for (Size i = 0; i < job_.tree.size(); ++i) states.refuse_pivot(scratch_.udut[i].pivot);
  if (job_.coupling_count > 0) factor_couplings(states);
}

void InertiaSolver::solve_coordinates(Pack* x) {
  if (job_.massless_mimic) {
    solve_cholesky(scratch_.dense, job_.size, x);
    return;
  }
  if (job_.joints == nullptr) {
    packs::solve(job_.tree, scratch_.udut, x, x);
    return;
  }
  Pack* bodies = scratch_.output;
  for (Size i = 0; i < job_.tree.size(); ++i) {
    bodies[i] = job_.joints[i].mimic ? Pack(0.0) : x[job_.joints[i].coordinate];
  }
  packs::solve(job_.tree, scratch_.udut, bodies, bodies);
  apply_couplings(bodies);
  for (Size i = 0; i < job_.tree.size(); ++i) {
    if (!job_.joints[i].mimic) x[job_.joints[i].coordinate] = bodies[i];
  }
}

void InertiaSolver::factor_couplings(PackOfStates& states) {
  const Size k = job_.coupling_count, b = job_.tree.size();
  for (Size c = 0; c < k; ++c) {
    Pack* column = scratch_.coupling_columns + c * b;
    for (Size i = 0; i < b; ++i) column[i] = Pack(0.0);
    column[job_.followers[c]] = Pack(1.0);
    column[job_.leaders[c]] -= job_.joints[job_.followers[c]].multiplier;
    packs::solve(job_.tree, scratch_.udut, column, column);
  }
  for (Size r = 0; r < k; ++r) {
    for (Size c = 0; c < k; ++c) {
      scratch_.coupling_matrix[r * k + c] = violation(r, scratch_.coupling_columns + c * b);
    }
  }
  factor_cholesky(scratch_.coupling_matrix, k, states);
}

void InertiaSolver::apply_couplings(Pack* x) {
  const Size k = job_.coupling_count, b = job_.tree.size();
  for (Size c = 0; c < k; ++c) scratch_.coupling_force[c] = -violation(c, x);
  solve_cholesky(scratch_.coupling_matrix, k, scratch_.coupling_force);
  for (Size i = 0; i < b; ++i) {
    Pack sum(0.0);
    for (Size c = 0; c < k; ++c) {
      sum += scratch_.coupling_columns[c * b + i] * scratch_.coupling_force[c];
    }
    x[i] += sum;
  }
}

Pack InertiaSolver::violation(Size coupling, const Pack* x) const {
  const Size follower = job_.followers[coupling];
  return x[follower] - job_.joints[follower].multiplier * x[job_.leaders[coupling]];
}

void InertiaSolver::factor_dense(const Pack* q, PackOfStates& states) {
  const Size n = job_.size;
  for (Size i = 0; i < n * n; ++i) scratch_.dense[i] = Pack(0.0);
  inertia_matrix<Pack>(job_.tree, scratch_.composite, q, [&](Size i, Size j, const Pack& value) {
    const BatchJoint &a = job_.joints[i], &b = job_.joints[j];
    const Pack part = a.multiplier * b.multiplier * value;
    scratch_.dense[a.coordinate * n + b.coordinate] += part;
    if (i != j) scratch_.dense[b.coordinate * n + a.coordinate] += part;
  });
  factor_cholesky(scratch_.dense, n, states);
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
