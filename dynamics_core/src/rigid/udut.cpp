// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "dynamics_core/inertia_matrix.hpp"
#include "rigid/coordinate_matrix.hpp"
#include "rigid/regular.hpp"
#include "rigid/workspace_memory.hpp"

namespace dynamics {

struct InertiaFactor::Memory {
  explicit Memory(const Model& model) : workspace(model) {}
  Workspace workspace;  ///< no other call uses it: what factor_inertia() leaves there stays
  bool decomposed = false;
  std::uint64_t fingerprint = 0;  ///< Model::Data::inertia_fingerprint of the decomposed matrix
};

InertiaFactor::InertiaFactor(const Model& model) : memory_(std::make_unique<Memory>(model)) {}
InertiaFactor::~InertiaFactor() = default;
InertiaFactor::InertiaFactor(InertiaFactor&&) noexcept = default;
InertiaFactor& InertiaFactor::operator=(InertiaFactor&&) noexcept = default;

namespace {

using Matrix = Eigen::Ref<Eigen::MatrixXd>;

Problem& problem_of(const InertiaFactor& factor) {
  return factor.memory().workspace.memory().problem;
}

MemoryRows rows_of(const ConstMatrix& matrix) {
  const auto cols = static_cast<std::size_t>(matrix.cols());
  return {cols > 0 ? matrix.column(0) : nullptr, static_cast<std::size_t>(matrix.rows()), cols,
          cols > 1 ? static_cast<std::size_t>(matrix.column(1) - matrix.column(0)) : 0};
}

/// Reverse Gaussian elimination of a symmetric matrix in place (Saha 2003, Appendix B):
/// the upper triangle becomes that of U, the diagonal d.
Status eliminate(Matrix m, Problem& problem) noexcept {
  for (Eigen::Index k = m.rows() - 1; k >= 0; --k) {
    const double pivot = m(k, k);
    if (!(pivot > 0.0)) {
      problem.kind = Problem::Kind::matrix_pivot;
      problem.index = static_cast<std::size_t>(k);
      problem.value = pivot;
      return Status::singular;
    }
    for (Eigen::Index i = k - 1; i >= 0; --i) {
      const double alpha = m(i, k) / pivot;
      for (Eigen::Index j = i; j >= 0; --j) m(j, i) -= alpha * m(j, k);
    }
    for (Eigen::Index i = k - 1; i >= 0; --i) m(i, k) /= pivot;
  }
  return Status::ok;
}

void invert_factored(const Model& model, Workspace::Memory& memory, Matrix& inverse) noexcept {
  // by operations, the recursion in O(n) per column is faster from a mean depth of about 100 on
  if (memory.size == memory.body_count && memory.ancestor_count <= 100 * memory.size) {
    memory.kernels.inverse_inertia(model.tree(), memory.udut.data(), inverse.data(),
                                   column_stride(inverse));
    if (!model.coordinates_are_bodies()) reorder(model, inverse);
    return;
  }
  for (Eigen::Index j = 0; j < inverse.cols(); ++j) {
    inverse.col(j).setUnit(j);
    solve_factored(model, memory, inverse.col(j).data());
    inverse.col(j) = Eigen::Map<const Eigen::VectorXd>(memory.result.data(), inverse.rows());
  }
  // equal up to round-off: make it exactly symmetric
  for (Eigen::Index j = 0; j < inverse.cols(); ++j) {
    for (Eigen::Index i = 0; i < j; ++i) {
      inverse(i, j) = inverse(j, i) = 0.5 * (inverse(i, j) + inverse(j, i));
    }
  }
}

/// Checks of a query after decompose_inertia().
Checks check_factor(const Model& model, const InertiaFactor& factor) noexcept {
  return check_workspace(model, factor.memory().workspace.memory())
      .computed(factor.memory().decomposed, "decompose_inertia(model, factor, q)")
      .same_robot(factor.memory().fingerprint == model.data().inertia_fingerprint,
                  "decompose_inertia() was called");
}

}  // namespace

Status try_decompose_inertia(const Model& model, InertiaFactor& factor, ConstVector q) noexcept {
  Workspace::Memory& memory = factor.memory().workspace.memory();
  factor.memory().decomposed = false;
  Status status =
      check_workspace(model, memory).vector("q", q, memory.size).regular(model, q).status();
  if (status != Status::ok) return status;
  status = factor_inertia(model, memory, body_positions(model, q, memory.q));
  factor.memory().decomposed = status == Status::ok;
  factor.memory().fingerprint = model.data().inertia_fingerprint;
  return status;
}

void decompose_inertia(const Model& model, InertiaFactor& factor, ConstVector q) {
  require(try_decompose_inertia(model, factor, q), problem_of(factor), model);
}

Status try_solve_inertia(const Model& model, const InertiaFactor& factor, ConstMatrix B,
                         Eigen::Ref<Eigen::MatrixXd> X) noexcept {
  Workspace::Memory& memory = factor.memory().workspace.memory();
  const auto columns = static_cast<std::size_t>(B.cols());
  const Status status = check_factor(model, factor)
                            .matrix("B", B, memory.size, columns)
                            .finite("B", B)
                            .matrix("X", X, memory.size, columns)
                            .separate_or_same("B", rows_of(B), "X", memory_rows(X))
                            .status();
  if (status != Status::ok) return status;
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    solve_factored(model, memory, B.column(j));
    std::copy(memory.result.begin(), memory.result.end(), X.col(j).data());
  }
  return Status::ok;
}

void solve_inertia(const Model& model, const InertiaFactor& factor, ConstMatrix B,
                   Eigen::Ref<Eigen::MatrixXd> X) {
  require(try_solve_inertia(model, factor, B, X), problem_of(factor), model);
}

Status try_solve_inertia(const Model& model, Workspace& workspace, ConstVector q, ConstVector phi,
                         MutableVector x) noexcept {
  Workspace::Memory& memory = workspace.memory();
  Status status = check_workspace(model, memory)
                      .vector("q", q, memory.size)
                      .vector("phi", phi, memory.size)
                      .output("x", x, memory.size)
                      .regular(model, q)
                      .status();
  if (status != Status::ok) return status;
  status = factor_inertia(model, memory, body_positions(model, q, memory.q));
  if (status != Status::ok) return status;
  solve_factored(model, memory, phi.data());
  std::copy(memory.result.begin(), memory.result.end(), x.begin());
  return Status::ok;
}

void solve_inertia(const Model& model, Workspace& workspace, ConstVector q, ConstVector phi,
                   MutableVector x) {
  require(try_solve_inertia(model, workspace, q, phi, x), workspace.memory().problem, model);
}

Status try_inverse_inertia_matrix(const Model& model, const InertiaFactor& factor,
                                  Eigen::Ref<Eigen::MatrixXd> inverse) noexcept {
  Workspace::Memory& memory = factor.memory().workspace.memory();
  const Status status =
      check_factor(model, factor).matrix("inverse", inverse, memory.size, memory.size).status();
  if (status == Status::ok) invert_factored(model, memory, inverse);
  return status;
}

void inverse_inertia_matrix(const Model& model, const InertiaFactor& factor,
                            Eigen::Ref<Eigen::MatrixXd> inverse) {
  require(try_inverse_inertia_matrix(model, factor, inverse), problem_of(factor), model);
}

Status try_inverse_inertia_matrix(const Model& model, Workspace& workspace, ConstVector q,
                                  Eigen::Ref<Eigen::MatrixXd> inverse) noexcept {
  Workspace::Memory& memory = workspace.memory();
  Status status = check_workspace(model, memory)
                      .vector("q", q, memory.size)
                      .matrix("inverse", inverse, memory.size, memory.size)
                      .regular(model, q)
                      .status();
  if (status != Status::ok) return status;
  status = factor_inertia(model, memory, body_positions(model, q, memory.q));
  if (status == Status::ok) invert_factored(model, memory, inverse);
  return status;
}

void inverse_inertia_matrix(const Model& model, Workspace& workspace, ConstVector q,
                            Eigen::Ref<Eigen::MatrixXd> inverse) {
  require(try_inverse_inertia_matrix(model, workspace, q, inverse), workspace.memory().problem,
          model);
}

Status try_udut(const Model& model, Workspace& workspace, ConstVector q,
                Eigen::Ref<Eigen::MatrixXd> U, MutableVector d) noexcept {
  Workspace::Memory& memory = workspace.memory();
  Status status = check_workspace(model, memory)
                      .vector("q", q, memory.size)
                      .matrix("U", U, memory.size, memory.size)
                      .output("d", d, memory.size)
                      .separate("U", memory_rows(U), "d", {d.data(), d.size(), 1, 0})
                      .regular(model, q)
                      .status();
  if (status != Status::ok) return status;
  const double* positions = body_positions(model, q, memory.q);
  if (model.coordinates_are_bodies()) {
    memory.kernels.decompose(model.tree(), memory.udut.data(), positions, true);
    status = check_pivots(memory.udut, memory.problem);
    if (status != Status::ok) return status;
    memory.kernels.unit_factor(model.tree(), memory.udut.data(), U.data(), column_stride(U));
    for (std::size_t i = 0; i < memory.size; ++i) d[i] = memory.udut[i].pivot;
    return Status::ok;
  }
  // in scratch, where there is room: U keeps its values if M is singular
  Eigen::MatrixXd& scratch = memory.followers.empty() ? memory.over_bodies : memory.dense;
  Matrix M = scratch.size() > 0 ? Matrix(scratch) : U;
  fill_inertia_matrix(model, memory, positions, M);
  status = eliminate(M, memory.problem);
  if (status != Status::ok) return status;
  for (Eigen::Index j = 0; j < U.cols(); ++j) {
    d[static_cast<std::size_t>(j)] = M(j, j);
    for (Eigen::Index i = 0; i < U.rows(); ++i) U(i, j) = i < j ? M(i, j) : i == j ? 1.0 : 0.0;
  }
  return Status::ok;
}

void udut(const Model& model, Workspace& workspace, ConstVector q, Eigen::Ref<Eigen::MatrixXd> U,
          MutableVector d) {
  require(try_udut(model, workspace, q, U, d), workspace.memory().problem, model);
}

Status try_articulated_bodies(const Model& model, Workspace& workspace, ConstVector q,
                              std::span<ArticulatedBody> bodies) noexcept {
  Workspace::Memory& memory = workspace.memory();
  Status status = check_workspace(model, memory)
                      .vector("q", q, memory.size)
                      .output("bodies", bodies.size(), memory.body_count)
                      .regular(model, q)
                      .status();
  if (status != Status::ok) return status;
  memory.kernels.decompose(model.tree(), memory.udut.data(), body_positions(model, q, memory.q),
                           true);
  status = check_pivots(memory.udut, memory.problem);
  if (status != Status::ok) return status;
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
  return Status::ok;
}

void articulated_bodies(const Model& model, Workspace& workspace, ConstVector q,
                        std::span<ArticulatedBody> bodies) {
  require(try_articulated_bodies(model, workspace, q, bodies), workspace.memory().problem, model);
}

}  // namespace dynamics
