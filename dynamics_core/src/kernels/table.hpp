// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the rest of the library sees of the kernels that are compiled once for each instruction set:
// pointers to functions that take plain memory. Nothing here may bring code of its own into those
// translation units, so: no Eigen, no standard containers.

#include <cstddef>

namespace dynamics {

struct TreeBody;

/// The kernels for one state. Scratch, base and wrenches are the kernels' structures
/// (InverseScratch<double> ...), the same bytes in every instruction set: `layout` tells their
/// sizes. Matrices are over bodies, by columns, `stride` apart, and written whole.
struct KernelTable {
  struct Layout {
    std::size_t inverse, forward, composite, coriolis, udut, derivatives, base, wrench;
  };
  Layout layout;

  void (*inverse_dynamics)(const TreeBody* bodies, std::size_t count, void* scratch,
                           const void* base, const void* wrenches, const double* q,
                           const double* qd, const double* qdd, double* tau);
  void (*forward_dynamics)(const TreeBody* bodies, std::size_t count, void* scratch,
                           const void* base, const void* wrenches, const double* q,
                           const double* qd, const double* tau, double* qdd);
  void (*inertia_matrix)(const TreeBody* bodies, std::size_t count, void* scratch, const double* q,
                         double* matrix, std::size_t stride);
  void (*coriolis_matrix)(const TreeBody* bodies, std::size_t count, void* scratch,
                          const double base_omega[3], bool christoffel, const double* q,
                          const double* qd, double* matrix, std::size_t stride);
  void (*decompose)(const TreeBody* bodies, std::size_t count, void* scratch, const double* q,
                    bool complete);
  void (*solve)(const TreeBody* bodies, std::size_t count, void* scratch, const double* phi,
                double* x);
  void (*unit_factor)(const TreeBody* bodies, std::size_t count, const void* scratch,
                      double* matrix, std::size_t stride);
  void (*inverse_dynamics_derivatives)(const TreeBody* bodies, std::size_t count, void* scratch,
                                       const void* base, const void* wrenches, const double* q,
                                       const double* qd, const double* qdd, double* by_q,
                                       std::size_t q_stride, double* by_qd, std::size_t qd_stride);
};

}  // namespace dynamics
