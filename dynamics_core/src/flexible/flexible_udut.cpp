// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "dynamics_core/flexible_links.hpp"
#include "flexible/flexible_memory.hpp"
#include "flexible/recursions/inertia_matrix.hpp"
#include "spatial/cholesky.hpp"

namespace dynamics {
namespace {

using flexible::ElasticBody;
using flexible::JointKind;
using spatial::SpatialVector;
using Memory = FlexibleWorkspace::Memory;

Eigen::Index at(std::size_t i) { return static_cast<Eigen::Index>(i); }

/// The rows of one body in block order: its joint, if it has one, then its amplitudes.
struct Block {
  std::size_t first, joint, modes;
  std::size_t size() const { return joint + modes; }
};
Block block_of(const ElasticBody& body, std::size_t first) {
  return {first, body.joint == JointKind::fixed ? 0U : 1U, body.beam.modes()};
}

/// Psi^ = M^ P (Eq. 37) into memory.psi, and I^ = P^T Psi^ (Eq. 36) into memory.dense.
void fill_block(const flexible::Tree& tree, Memory& memory, std::size_t i, const Block& block) {
  const ElasticBody& body = tree[i];
  const flexible::Scratch<double>& scratch = memory.scratch;
  Eigen::MatrixXd& D = memory.dense;
  const bool prismatic = body.joint == JointKind::prismatic;
  const auto along_axis = [&](const SpatialVector<double>& v) {
    return prismatic ? v.linear.z : v.angular.z;
  };
  const std::size_t first = block.first, m = block.modes;
  if (block.joint == 1) {
    spatial::ArticulatedInertia<double> inertia = scratch.links[i].inertia;
    if (body.has_axes_rotation) inertia = rotate(body.axes, inertia);
    const SpatialVector<double> column = joint_column(inertia, prismatic);
    D(at(first), at(first)) = along_axis(column) + body.rotor_inertia;
    memory.psi[first] = body.has_axes_rotation ? rotate_inverse(body.axes, column) : column;
  }
  const double* matrix = scratch.matrices.data() + body.matrix;
  for (std::size_t j = 0; j < m; ++j) {
    const SpatialVector<double>& own = scratch.columns[body.amplitude + j];
    const std::size_t row = first + block.joint + j;
    memory.psi[row] = own;
    if (block.joint == 1) {
      D(at(first), at(row)) = D(at(row), at(first)) =
          along_axis(body.has_axes_rotation ? rotate(body.axes, own) : own);
    }
    for (std::size_t k = 0; k <= j; ++k) {
      const std::size_t other = first + block.joint + k;
      D(at(row), at(other)) = D(at(other), at(row)) = matrix[j * m + k];
    }
  }
}

/// Psi = Psi^ I^^-1, and M-bar = M^ - Psi^ Psi^T in place of M^ (Eq. 38); false: I^ is singular.
bool eliminate_block(Memory& memory, std::size_t i, const Block& block) {
  const Eigen::Index size = at(block.size());
  auto factor = memory.block.topLeftCorner(size, size);
  auto columns = memory.block_columns.topRows(size);
  factor = memory.dense.block(at(block.first), at(block.first), size, size);
  for (std::size_t k = 0; k < block.size(); ++k) {
    const SpatialVector<double>& w = memory.psi[block.first + k];
    columns.row(at(k)) << w.angular.x, w.angular.y, w.angular.z, w.linear.x, w.linear.y, w.linear.z;
  }
  if (!cholesky(factor)) return false;
  for (Eigen::Index k = 0; k < columns.cols(); ++k) solve_cholesky(factor, columns.col(k));
  for (std::size_t k = 0; k < block.size(); ++k) {
    const auto row = columns.row(at(k));
    const SpatialVector<double> psi = {{row[0], row[1], row[2]}, {row[3], row[4], row[5]}};
    subtract_outer(memory.scratch.links[i].inertia, psi, memory.psi[block.first + k]);
    memory.psi[block.first + k] = psi;
  }
  return true;
}

/// D into memory.dense and Psi into memory.psi; false: the inertia matrix is singular.
bool decompose(const flexible::Tree& tree, Memory& memory) {
  flexible::Scratch<double>& scratch = memory.scratch;
  const double* q = memory.q.data();
  const double* d = q + memory.joints;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    flexible::update_position<double>(tree, scratch, i, q, d);
    flexible::link_inertia<double>(tree, scratch, i, d, nullptr, false);
  }
  memory.dense.setZero();
  std::size_t end = memory.size;  // of the current block
  for (std::size_t i = tree.size(); i-- > 0;) {
    const ElasticBody& body = tree[i];
    const std::size_t first = end - block_of(body, 0).size();
    const Block block = block_of(body, first);
    end = first;
    fill_block(tree, memory, i, block);
    if (block.size() > 0 && !eliminate_block(memory, i, block)) return false;
    const spatial::ArticulatedInertia<double>& inertia = scratch.links[i].inertia;
    if (body.parent >= 0) {
      propagate_inertia_to_parent(tree, scratch, i,
                                  body.has_axes_rotation ? rotate(body.axes, inertia) : inertia);
    }
  }
  return true;
}

/// U_ij = P_i^T A_ji^T Psi_j (Eq. 36), after decompose().
void fill_unit_factor(const flexible::Tree& tree, Memory& memory, Eigen::Ref<Eigen::MatrixXd>& U) {
  U.setIdentity();
  for (std::size_t i = 0, first = 0; i < tree.size(); ++i) {
    const std::size_t end = first + block_of(tree[i], first).size();
    for (std::size_t column = first; column < end && tree[i].parent >= 0; ++column) {
      flexible::propagate_column_to_base(tree, memory.scratch, i, memory.psi[column], memory.joints,
                                         memory.projected_forces.data(),
                                         [&](std::size_t coordinate, double value) {
                                           const std::size_t row = memory.block_index[coordinate];
                                           if (row < first) U(at(row), at(column)) = value;
                                         });
    }
    first = end;
  }
}

}  // namespace

Status try_udut(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                Eigen::Ref<Eigen::MatrixXd> U, Eigen::Ref<Eigen::MatrixXd> D) noexcept {
  Memory& memory = workspace.memory();
  const Status status = check_workspace(model, memory)
                            .vector("q", q, memory.size, coordinates_hint)
                            .matrix("U", U, memory.size, memory.size)
                            .matrix("D", D, memory.size, memory.size)
                            .separate("U", memory_rows(U), "D", memory_rows(D))
                            .status();
  if (status != Status::ok) return status;
  std::copy(q.begin(), q.end(), memory.q.begin());
  if (!decompose(model.tree(), memory)) return massless(memory);
  fill_unit_factor(model.tree(), memory, U);
  D = memory.dense;
  return Status::ok;
}

void udut(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
          Eigen::Ref<Eigen::MatrixXd> U, Eigen::Ref<Eigen::MatrixXd> D) {
  require(try_udut(model, workspace, q, U, D), workspace.memory().problem, model.rigid());
}

}  // namespace dynamics
