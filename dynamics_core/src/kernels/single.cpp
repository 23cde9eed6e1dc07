// SPDX-License-Identifier: Apache-2.0
// The kernels for one state, compiled once for each instruction set. Everything here is in the
// namespace of its set; a test looks at the object file's symbols.

#include "kernels/table.hpp"
#include "rigid/recursions/coriolis_matrix.hpp"
#include "rigid/recursions/derivatives.hpp"
#include "rigid/recursions/forward_dynamics.hpp"
#include "rigid/recursions/inertia_matrix.hpp"
#include "rigid/recursions/inverse_dynamics.hpp"
#include "rigid/recursions/udut.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {
namespace {

using Size = std::size_t;

/// Entries by columns; what no recursion visits is zero.
struct Matrix {
  double* data;
  Size stride;
  void clear(Size n) const {
    for (Size j = 0; j < n; ++j) {
      for (Size i = 0; i < n; ++i) data[j * stride + i] = 0.0;
    }
  }
  double& operator()(Size i, Size j) const { return data[j * stride + i]; }
};

void run_inverse(const TreeBody* bodies, Size count, void* scratch, const void* base,
                 const void* wrenches, const double* q, const double* qd, const double* qdd,
                 double* tau) {
  inverse_dynamics<double>(Tree(bodies, count), static_cast<InverseScratch<double>*>(scratch),
                           *static_cast<const BaseState<double>*>(base),
                           static_cast<const BodyWrench<double>*>(wrenches), q, qd, qdd, tau);
}

void run_forward(const TreeBody* bodies, Size count, void* scratch, const void* base,
                 const void* wrenches, const double* q, const double* qd, const double* tau,
                 double* qdd) {
  forward_dynamics<double>(Tree(bodies, count), static_cast<ForwardScratch<double>*>(scratch),
                           *static_cast<const BaseState<double>*>(base),
                           static_cast<const BodyWrench<double>*>(wrenches), q, qd, tau, qdd);
}

void run_inertia(const TreeBody* bodies, Size count, void* scratch, const double* q, double* matrix,
                 Size stride) {
  const Matrix m{matrix, stride};
  m.clear(count);
  inertia_matrix<double>(Tree(bodies, count), static_cast<CompositeScratch<double>*>(scratch), q,
                         [&](Size i, Size j, double value) { m(i, j) = m(j, i) = value; });
}

void run_coriolis(const TreeBody* bodies, Size count, void* scratch, const double base_omega[3],
                  bool christoffel, const double* q, const double* qd, double* matrix,
                  Size stride) {
  const Matrix m{matrix, stride};
  m.clear(count);
  coriolis_matrix<double>(Tree(bodies, count), static_cast<CoriolisScratch<double>*>(scratch),
                          {base_omega[0], base_omega[1], base_omega[2]}, christoffel, q, qd,
                          [&](Size i, Size j, double value) { m(i, j) = value; });
}

void run_decompose(const TreeBody* bodies, Size count, void* scratch, const double* q,
                   bool complete) {
  decompose<double>(Tree(bodies, count), static_cast<UdutScratch<double>*>(scratch), q, complete);
}

void run_solve(const TreeBody* bodies, Size count, void* scratch, const double* phi, double* x) {
  solve<double>(Tree(bodies, count), static_cast<UdutScratch<double>*>(scratch), phi, x);
}

void run_unit_factor(const TreeBody* bodies, Size count, const void* scratch, double* matrix,
                     Size stride) {
  const Matrix m{matrix, stride};
  m.clear(count);
  for (Size i = 0; i < count; ++i) m(i, i) = 1.0;
  unit_factor<double>(Tree(bodies, count), static_cast<const UdutScratch<double>*>(scratch),
                      [&](Size i, Size j, double value) { m(i, j) = value; });
}

void run_derivatives(const TreeBody* bodies, Size count, void* scratch, const void* base,
                     const void* wrenches, const double* q, const double* qd, const double* qdd,
                     double* by_q, Size q_stride, double* by_qd, Size qd_stride) {
  const Matrix tau_by_q{by_q, q_stride}, tau_by_qd{by_qd, qd_stride};
  tau_by_q.clear(count);
  tau_by_qd.clear(count);
  inverse_dynamics_derivatives<double>(
      Tree(bodies, count), static_cast<DerivativeScratch<double>*>(scratch),
      *static_cast<const BaseState<double>*>(base),
      static_cast<const BodyWrench<double>*>(wrenches), q, qd, qdd,
      [&](Size i, Size j, double value) { tau_by_q(i, j) = value; },
      [&](Size i, Size j, double value) { tau_by_qd(i, j) = value; });
}

}  // namespace

extern const KernelTable table;
const KernelTable table = {
    {sizeof(InverseScratch<double>), sizeof(ForwardScratch<double>),
     sizeof(CompositeScratch<double>), sizeof(CoriolisScratch<double>), sizeof(UdutScratch<double>),
     sizeof(DerivativeScratch<double>), sizeof(BaseState<double>), sizeof(BodyWrench<double>)},
    run_inverse,
    run_forward,
    run_inertia,
    run_coriolis,
    run_decompose,
    run_solve,
    run_unit_factor,
    run_derivatives};

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
