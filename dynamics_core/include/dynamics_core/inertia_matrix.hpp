// SPDX-License-Identifier: Apache-2.0
#pragma once

// The joint-space inertia matrix M, its decomposition M = U D U^T (Saha 2003, section 2.1), and
// solutions of M x = phi by the decomposition, without M:
//
//   dynamics::inertia_matrix(model, workspace, q, M);        // n x n
//
//   dynamics::InertiaFactor factor(model);                   // once; allocates
//   dynamics::decompose_inertia(model, factor, q);           // once per state
//   dynamics::solve_inertia(model, factor, J.transpose().eval(), X);   // X = M^-1 J^T, n x 6
//   lambda_inverse = J * X;                                  // operational-space inertia, inverted
//
// The functions that take a Workspace and q decompose for a single answer. Arguments and errors as
// in rigid_dynamics.hpp; nothing is allocated. For try_NAME see error.hpp.

#include <Eigen/Core>
#include <memory>
#include <span>

#include "dynamics_core/error.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/workspace.hpp"

#pragma GCC visibility push(default)
namespace dynamics {

/// The joint-space inertia matrix M(q), n x n, full and symmetric, rotor inertias included (Saha
/// 1999, Eq. 24). O(n d), d the depth of the tree. Throws ArgumentError for bad arguments.
void inertia_matrix(const Model& model, Workspace& workspace, ConstVector q,
                    Eigen::Ref<Eigen::MatrixXd> M);
Status try_inertia_matrix(const Model& model, Workspace& workspace, ConstVector q,
                          Eigen::Ref<Eigen::MatrixXd> M) noexcept;

/// The decomposed inertia matrix of one model in one position, for one thread at a time.
class InertiaFactor {
 public:
  /// Allocates the memory for this model.
  explicit InertiaFactor(const Model& model);
  ~InertiaFactor();
  InertiaFactor(InertiaFactor&&) noexcept;
  InertiaFactor& operator=(InertiaFactor&&) noexcept;
  InertiaFactor(const InertiaFactor&) = delete;
  InertiaFactor& operator=(const InertiaFactor&) = delete;

  struct [[gnu::visibility("hidden")]] Memory;
  Memory& memory() const { return *memory_; }

 private:
  std::unique_ptr<Memory> memory_;
};

/// Decomposes M(q). O(n); with k mimic joints O(n k + k^3). Throws StateError where M is singular.
void decompose_inertia(const Model& model, InertiaFactor& factor, ConstVector q);
Status try_decompose_inertia(const Model& model, InertiaFactor& factor, ConstVector q) noexcept;

/// X with M X = B for the k columns of B, n x k, after decompose_inertia(). O(n) per column. X may
/// be B.
void solve_inertia(const Model& model, const InertiaFactor& factor, ConstMatrix B,
                   Eigen::Ref<Eigen::MatrixXd> X);
Status try_solve_inertia(const Model& model, const InertiaFactor& factor, ConstMatrix B,
                         Eigen::Ref<Eigen::MatrixXd> X) noexcept;

/// x with M x = phi, in O(n).
void solve_inertia(const Model& model, Workspace& workspace, ConstVector q, ConstVector phi,
                   MutableVector x);
Status try_solve_inertia(const Model& model, Workspace& workspace, ConstVector q, ConstVector phi,
                         MutableVector x) noexcept;

/// M^-1 = U^-T D^-1 U^-1, full and symmetric, in O(n^2).
void inverse_inertia_matrix(const Model& model, const InertiaFactor& factor,
                            Eigen::Ref<Eigen::MatrixXd> inverse);
void inverse_inertia_matrix(const Model& model, Workspace& workspace, ConstVector q,
                            Eigen::Ref<Eigen::MatrixXd> inverse);
Status try_inverse_inertia_matrix(const Model& model, const InertiaFactor& factor,
                                  Eigen::Ref<Eigen::MatrixXd> inverse) noexcept;
Status try_inverse_inertia_matrix(const Model& model, Workspace& workspace, ConstVector q,
                                  Eigen::Ref<Eigen::MatrixXd> inverse) noexcept;

/// The factors: U unit upper triangular, n x n, and d the diagonal of D. For trees of single-axis
/// joints they follow from the articulated bodies in closed form (Eqs. 25 to 28); for robots with
/// mimic or floating joints from M by reverse Gaussian elimination. Such a robot with more than
/// 2048 coordinates is eliminated in U itself: if M is singular, the values of U are then
/// undefined.
void udut(const Model& model, Workspace& workspace, ConstVector q, Eigen::Ref<Eigen::MatrixXd> U,
          MutableVector d);
Status try_udut(const Model& model, Workspace& workspace, ConstVector q,
                Eigen::Ref<Eigen::MatrixXd> U, MutableVector d) noexcept;

/// The articulated quantities of one body, about the joint's origin, in the axes of the body's
/// frame (Body::axes); six-vectors angular first.
struct ArticulatedBody {
  Eigen::Matrix<double, 6, 6, Eigen::DontAlign> inertia;  ///< M^_i, Eq. (28)
  Eigen::Matrix<double, 6, 1, Eigen::DontAlign> psi;      ///< psi_i, Eq. (27)
  double pivot;  ///< m^_i, Eq. (26), rotor inertia included
};
/// The articulated bodies of all joints, one per entry of Model::bodies(). O(n).
void articulated_bodies(const Model& model, Workspace& workspace, ConstVector q,
                        std::span<ArticulatedBody> bodies);
Status try_articulated_bodies(const Model& model, Workspace& workspace, ConstVector q,
                              std::span<ArticulatedBody> bodies) noexcept;

}  // namespace dynamics
#pragma GCC visibility pop
