// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of the instruction set in use, with the types they have outside of it.

#include "batch/lane_table.hpp"
#include "dynamics_core/instruction_set.hpp"
#include "kernels/table.hpp"
#include "rigid/recursions/coriolis_matrix.hpp"
#include "rigid/recursions/derivatives.hpp"
#include "rigid/recursions/forward_dynamics.hpp"
#include "rigid/recursions/inertia_matrix.hpp"
#include "rigid/recursions/inverse_dynamics.hpp"
#include "rigid/recursions/udut.hpp"

namespace dynamics {

/// The tables of a supported instruction set.
const KernelTable& kernel_table(InstructionSet set);
const LaneTable& lane_table(InstructionSet set);

/// The kernels as `kernel::` has them for double, and through the table.
class Kernels {
 public:
  Kernels() : table_(&kernel_table(instruction_set())) {}
  explicit Kernels(InstructionSet set) : table_(&kernel_table(set)) {}

  void inverse_dynamics(const Tree& tree, kernel::InverseScratch<double>* scratch,
                        const kernel::BaseState<double>& base,
                        const kernel::BodyWrench<double>* wrenches, const double* q,
                        const double* qd, const double* qdd, double* tau) const {
    table_->inverse_dynamics(tree.data(), tree.size(), scratch, &base, wrenches, q, qd, qdd, tau);
  }
  void forward_dynamics(const Tree& tree, kernel::ForwardScratch<double>* scratch,
                        const kernel::BaseState<double>& base,
                        const kernel::BodyWrench<double>* wrenches, const double* q,
                        const double* qd, const double* tau, double* qdd) const {
    table_->forward_dynamics(tree.data(), tree.size(), scratch, &base, wrenches, q, qd, tau, qdd);
  }
  /// M over bodies, full; by columns, `stride` apart.
  void inertia_matrix(const Tree& tree, kernel::CompositeScratch<double>* scratch, const double* q,
                      double* matrix, std::size_t stride) const {
    table_->inertia_matrix(tree.data(), tree.size(), scratch, q, matrix, stride);
  }
  /// C over bodies, of a base at rest.
  void coriolis_matrix(const Tree& tree, kernel::CoriolisScratch<double>* scratch, bool christoffel,
                       const double* q, const double* qd, double* matrix,
                       std::size_t stride) const {
    const double base_omega[3] = {0.0, 0.0, 0.0};
    table_->coriolis_matrix(tree.data(), tree.size(), scratch, base_omega, christoffel, q, qd,
                            matrix, stride);
  }
  void decompose(const Tree& tree, kernel::UdutScratch<double>* scratch, const double* q,
                 bool complete = false) const {
    table_->decompose(tree.data(), tree.size(), scratch, q, complete);
  }
  void solve(const Tree& tree, kernel::UdutScratch<double>* scratch, const double* phi,
             double* x) const {
    table_->solve(tree.data(), tree.size(), scratch, phi, x);
  }
  /// U over bodies, with its zeros and ones.
  void unit_factor(const Tree& tree, const kernel::UdutScratch<double>* scratch, double* matrix,
                   std::size_t stride) const {
    table_->unit_factor(tree.data(), tree.size(), scratch, matrix, stride);
  }
  /// d tau / d q and d tau / d qd over bodies, friction left out.
  void inverse_dynamics_derivatives(const Tree& tree, kernel::DerivativeScratch<double>* scratch,
                                    const kernel::BaseState<double>& base,
                                    const kernel::BodyWrench<double>* wrenches, const double* q,
                                    const double* qd, const double* qdd, double* by_q,
                                    std::size_t q_stride, double* by_qd,
                                    std::size_t qd_stride) const {
    table_->inverse_dynamics_derivatives(tree.data(), tree.size(), scratch, &base, wrenches, q, qd,
                                         qdd, by_q, q_stride, by_qd, qd_stride);
  }

 private:
  const KernelTable* table_;
};

}  // namespace dynamics
