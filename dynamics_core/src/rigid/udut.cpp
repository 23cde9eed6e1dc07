// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/udut.hpp"

#include <fmt/format.h>

#include "rigid/coordinate_matrix.hpp"
#include "rigid/regular.hpp"
#include "rigid/workspace_memory.hpp"

namespace dynamics {
namespace {

void decompose(const Model& model, Workspace::Memory& memory, const double* q,
               bool complete = false) {
  memory.kernels.decompose(model.tree(), memory.udut.data(), q, complete);
  for (std::size_t i = 0; i < memory.body_count; ++i) require_pivot(model, i, memory.udut[i].pivot);
}

/// Reverse Gaussian elimination of a symmetric matrix in place (Saha 2003, Appendix B):
/// the upper triangle becomes that of U, the diagonal d.
void eliminate(const Model& model, Eigen::Ref<Eigen::MatrixXd>& m) {
  for (Eigen::Index k = m.rows() - 1; k >= 0; --k) {
    const double pivot = m(k, k);
    if (!(pivot > 0.0)) {
      throw StateError("joint '" + model.coordinates()[static_cast<std::size_t>(k)].name + "'",
                       fmt::format("the inertia matrix is singular: its pivot is {:.3g}", pivot));
    }
    for (Eigen::Index i = k - 1; i >= 0; --i) {
      const double alpha = m(i, k) / pivot;
      for (Eigen::Index j = i; j >= 0; --j) m(j, i) -= alpha * m(j, k);
    }
    for (Eigen::Index i = k - 1; i >= 0; --i) m(i, k) /= pivot;
  }
}

/// memory.result := M^-1 phi, after decompose() where the couplings are none.
void solve_coordinates(const Model& model, Workspace::Memory& memory, const double* q,
                       const double* phi) {
  if (solves_over_coordinates(model)) {
    std::copy(phi, phi + memory.size, memory.result.begin());
    solve_dense(model, memory, q, memory.result.data());
    return;
  }
  for (std::size_t i = 0; i < memory.body_count; ++i) {
    memory.tau[i] = model.is_mimic(i) ? 0.0 : phi[model.bodies()[i].coordinate];
  }
  memory.kernels.solve(model.tree(), memory.udut.data(), memory.tau.data(), memory.qdd.data());
  if (!memory.followers.empty()) {
    factor_couplings(model, memory, q);
    apply_couplings(model, memory, memory.qdd.data());
  }
  for (std::size_t i = 0; i < memory.body_count; ++i) {
    if (!model.is_mimic(i)) memory.result[model.bodies()[i].coordinate] = memory.qdd[i];
  }
}

}  // namespace

void udut(const Model& model, Workspace& workspace, ConstVector q, Eigen::Ref<Eigen::MatrixXd> U,
          MutableVector d) {
  Workspace::Memory& memory = memory_for(model, workspace);
  check_vector("q", q, memory.size);
  check_matrix("U", U.rows(), U.cols(), memory.size, memory.size);
  check_output("d", d, memory.size);
  require_regular(model, q);
  const double* positions = body_positions(model, q, memory.q);
  if (model.plain()) {
    decompose(model, memory, positions, true);
    memory.kernels.unit_factor(model.tree(), memory.udut.data(), U.data(),
                               static_cast<std::size_t>(U.outerStride()));
    for (std::size_t i = 0; i < memory.size; ++i) d[i] = memory.udut[i].pivot;
    return;
  }
  fill_inertia_matrix(model, memory, positions, U);
  eliminate(model, U);
  for (Eigen::Index j = 0; j < U.cols(); ++j) {
    d[static_cast<std::size_t>(j)] = U(j, j);
    U(j, j) = 1.0;
    for (Eigen::Index i = j + 1; i < U.rows(); ++i) U(i, j) = 0.0;
  }
}

void solve_inertia(const Model& model, Workspace& workspace, ConstVector q, ConstVector phi,
                   MutableVector x) {
  Workspace::Memory& memory = memory_for(model, workspace);
  check_vector("q", q, memory.size);
  check_vector("phi", phi, memory.size);
  check_output("x", x, memory.size);
  require_regular(model, q);
  const double* positions = body_positions(model, q, memory.q);
  if (!solves_over_coordinates(model)) decompose(model, memory, positions);
  solve_coordinates(model, memory, positions, phi.data());
  std::copy(memory.result.begin(), memory.result.end(), x.begin());
}

void inverse_inertia_matrix(const Model& model, Workspace& workspace, ConstVector q,
                            Eigen::Ref<Eigen::MatrixXd> inverse) {
  Workspace::Memory& memory = memory_for(model, workspace);
  check_vector("q", q, memory.size);
  check_matrix("inverse", inverse.rows(), inverse.cols(), memory.size, memory.size);
  require_regular(model, q);
  const double* positions = body_positions(model, q, memory.q);
  if (!solves_over_coordinates(model)) decompose(model, memory, positions);
  for (Eigen::Index j = 0; j < inverse.cols(); ++j) {
    inverse.col(j).setUnit(j);
    solve_coordinates(model, memory, positions, inverse.col(j).data());
    inverse.col(j) = Eigen::Map<const Eigen::VectorXd>(memory.result.data(), inverse.rows());
  }
  // equal up to round-off: make it exactly symmetric
  for (Eigen::Index j = 0; j < inverse.cols(); ++j) {
    for (Eigen::Index i = 0; i < j; ++i) {
      inverse(i, j) = inverse(j, i) = 0.5 * (inverse(i, j) + inverse(j, i));
    }
  }
}

void articulated_bodies(const Model& model, Workspace& workspace, ConstVector q,
                        std::span<ArticulatedBody> bodies) {
  Workspace::Memory& memory = memory_for(model, workspace);
  check_vector("q", q, memory.size);
  check_output("bodies", bodies.size(), memory.body_count);
  require_regular(model, q);
  decompose(model, memory, body_positions(model, q, memory.q), true);
  for (std::size_t i = 0; i < memory.body_count; ++i) {
    const auto& link = memory.udut[i];
    ArticulatedBody& body = bodies[i];
    body.pivot = link.pivot;
    body.psi << to_eigen(link.psi.angular), to_eigen(link.psi.linear);
    const auto& m = link.articulated;
    Eigen::Matrix3d I, H, M;
    I << m.I.xx, m.I.xy, m.I.xz, m.I.xy, m.I.yy, m.I.yz, m.I.xz, m.I.yz, m.I.zz;
    H << m.H.xx, m.H.xy, m.H.xz, m.H.yx, m.H.yy, m.H.yz, m.H.zx, m.H.zy, m.H.zz;
    M << m.M.xx, m.M.xy, m.M.xz, m.M.xy, m.M.yy, m.M.yz, m.M.xz, m.M.yz, m.M.zz;
    body.inertia << I, H, H.transpose(), M;
  }
}

}  // namespace dynamics
