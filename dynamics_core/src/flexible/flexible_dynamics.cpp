// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/flexible_dynamics.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>

#include "flexible/flexible_memory.hpp"
#include "flexible/recursions/forward_dynamics.hpp"
#include "flexible/recursions/inertia_matrix.hpp"
#include "flexible/recursions/inverse_dynamics.hpp"

namespace dynamics {
namespace {

using flexible::ElasticBody;
using flexible::JointKind;
using spatial::SpatialVector;
using Memory = FlexibleWorkspace::Memory;

Eigen::Index idx(std::size_t i) { return static_cast<Eigen::Index>(i); }

void check_tau(const FlexibleModel& model, ConstVector tau) {
  const view::Size& size = tau.checked_size();
  if (!(size == model.joint_count()) && !(size == model.size())) {
    throw ArgumentError(fmt::format("{}: one per joint, or {} with the amplitudes",
                                    size.problem("tau", model.joint_count()), model.size()));
  }
  check_flexible_input("tau", tau, tau.size());
}

/// memory.tau = tau - friction.
void subtract_friction(const FlexibleModel& model, Memory& memory, ConstVector qd, ConstVector tau,
                       Friction friction) {
  for (std::size_t i = 0; i < memory.joints; ++i) memory.tau[i] = tau[i];
  if (!friction) return;
  for (const ElasticBody& body : model.tree()) {
    if (body.damping == 0.0 && body.friction == 0.0) continue;
    memory.tau[body.coordinate] -= joint_friction(model, body, qd[body.coordinate]);
  }
}

void require_pivot(const FlexibleModel& model, const ElasticBody& body, double pivot) {
  if (pivot > 0.0) return;
  throw StateError(
      "joint '" + model.rigid().coordinates()[body.coordinate].name + "'",
      fmt::format("the articulated inertia at it is {:.3g} in this position, not positive: no "
                  "acceleration can be computed",
                  pivot));
}

void check_square(const char* name, const Eigen::Ref<Eigen::MatrixXd>& matrix, std::size_t size) {
  if (matrix.rows() != idx(size) || matrix.cols() != idx(size)) {
    throw ArgumentError(fmt::format("{} is {} x {}; {} x {} is needed", name, matrix.rows(),
                                    matrix.cols(), size, size));
  }
}

/// Adds the friction of the joints to their torques, the first entries of `forces`.
void add_friction(const FlexibleModel& model, ConstVector qd, Eigen::VectorXd& forces,
                  bool friction) {
  if (!friction) return;
  for (const ElasticBody& body : model.tree()) {
    if (body.damping == 0.0 && body.friction == 0.0) continue;
    forces[idx(body.coordinate)] += joint_friction(model, body, qd[body.coordinate]);
  }
}

template <class Matrix>
void fill_inertia_matrix(const FlexibleModel& model, Memory& memory, const double* q, Matrix& M) {
  M.setZero();
  flexible::inertia_matrix<double>(model.tree(), memory.scratch, memory.joints, q,
                                   q + memory.joints, memory.projected_forces.data(),
                                   [&](std::size_t row, std::size_t column, double value) {
                                     M(idx(row), idx(column)) = value;
                                     M(idx(column), idx(row)) = value;
                                   });
}

}  // namespace

void forward_dynamics(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                      ConstVector qd, ConstVector tau, MutableVector qdd, Friction friction) {
  Memory& memory = memory_for(model, workspace);
  check_flexible_input("q", q, memory.size);
  check_flexible_input("qd", qd, memory.size);
  check_tau(model, tau);
  check_flexible_output("qdd", qdd, memory.size);
  if (!model.rigid().singular_reason().empty() && model.amplitude_count() == 0) {
    throw StateError("", model.rigid().singular_reason());
  }
  subtract_friction(model, memory, qd, tau, friction);
  const std::size_t n = memory.joints;
  const double* phi = tau.size() == memory.size && memory.size > n ? tau.data() + n : nullptr;
  flexible::forward_dynamics<double>(
      model.tree(), memory.scratch, gravity_base(model), flexible::Known::joint_torques, q.data(),
      q.data() + n, qd.data(), qd.data() + n, phi, memory.tau.data(), qdd.data(), qdd.data() + n);
  for (std::size_t i = 0; i < model.tree().size(); ++i) {
    const ElasticBody& body = model.tree()[i];
    if (body.joint != JointKind::fixed) require_pivot(model, body, memory.scratch.links[i].pivot);
  }
}

void forward_dynamics_cholesky(const FlexibleModel& model, FlexibleWorkspace& workspace,
                               ConstVector q, ConstVector qd, ConstVector tau, MutableVector qdd,
                               Friction friction) {
  Memory& memory = memory_for(model, workspace);
  check_flexible_input("q", q, memory.size);
  check_flexible_input("qd", qd, memory.size);
  check_tau(model, tau);
  check_flexible_output("qdd", qdd, memory.size);
  subtract_friction(model, memory, qd, tau, friction);
  const std::size_t n = memory.joints;
  double* bias = memory.rhs.data();
  flexible::inverse_dynamics<double>(model.tree(), memory.scratch, gravity_base(model), true, false,
                                     q.data(), q.data() + n, qd.data(), qd.data() + n, nullptr,
                                     nullptr, bias, bias + n);
  for (std::size_t i = 0; i < memory.size; ++i) {
    const double applied = i < n ? memory.tau[i] : (tau.size() == memory.size ? tau[i] : 0.0);
    bias[i] = applied - bias[i];
  }
  fill_inertia_matrix(model, memory, q.data(), memory.dense);
  Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(memory.dense);
  if (factor.info() != Eigen::Success) {
    throw StateError("robot '" + model.rigid().name() + "'",
                     "its inertia matrix is not positive definite: a joint has no mass to move");
  }
  factor.solveInPlace(memory.rhs);
  std::copy(memory.rhs.begin(), memory.rhs.end(), qdd.begin());
}

void joint_torques(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                   ConstVector qd, ConstVector joint_qdd, MutableVector tau,
                   MutableVector amplitude_qdd, Friction friction) {
  Memory& memory = memory_for(model, workspace);
  check_flexible_input("q", q, memory.size);
  check_flexible_input("qd", qd, memory.size);
  check_flexible_input("joint_qdd", joint_qdd, memory.joints);
  check_flexible_output("tau", tau, memory.joints);
  check_flexible_output("amplitude_qdd", amplitude_qdd, memory.size - memory.joints);
  const std::size_t n = memory.joints;
  std::copy(joint_qdd.begin(), joint_qdd.end(), memory.tau.begin());
  flexible::forward_dynamics<double>(model.tree(), memory.scratch, gravity_base(model),
                                     flexible::Known::joint_accelerations, q.data(), q.data() + n,
                                     qd.data(), qd.data() + n, nullptr, memory.rhs.data(),
                                     memory.tau.data(), memory.rhs.data() + n);
  add_friction(model, qd, memory.rhs, friction);
  // by way of the workspace: the outputs may be arguments
  std::copy_n(memory.rhs.begin(), n, tau.begin());
  std::copy(memory.rhs.begin() + static_cast<std::ptrdiff_t>(n), memory.rhs.end(),
            amplitude_qdd.begin());
}

void inverse_dynamics(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                      ConstVector qd, ConstVector qdd, MutableVector forces, Friction friction) {
  Memory& memory = memory_for(model, workspace);
  check_flexible_input("q", q, memory.size);
  check_flexible_input("qd", qd, memory.size);
  check_flexible_input("qdd", qdd, memory.size);
  check_flexible_output("forces", forces, memory.size);
  const std::size_t n = memory.joints;
  flexible::inverse_dynamics<double>(model.tree(), memory.scratch, gravity_base(model), true, true,
                                     q.data(), q.data() + n, qd.data(), qd.data() + n, qdd.data(),
                                     qdd.data() + n, memory.rhs.data(), memory.rhs.data() + n);
  add_friction(model, qd, memory.rhs, friction);
  std::copy(memory.rhs.begin(), memory.rhs.end(), forces.begin());
}

void bias_forces(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                 ConstVector qd, MutableVector bias, Friction friction) {
  Memory& memory = memory_for(model, workspace);
  check_flexible_output("bias", bias, memory.size);
  inverse_dynamics(model, workspace, q, qd, memory.zeros, bias, friction);
}

void static_forces(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                   MutableVector forces) {
  Memory& memory = memory_for(model, workspace);
  check_flexible_input("q", q, memory.size);
  check_flexible_output("forces", forces, memory.size);
  const std::size_t n = memory.joints;
  flexible::inverse_dynamics<double>(model.tree(), memory.scratch, gravity_base(model), false,
                                     false, q.data(), q.data() + n, nullptr, nullptr, nullptr,
                                     nullptr, forces.data(), forces.data() + n);
}

void inertia_matrix(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                    Eigen::Ref<Eigen::MatrixXd> M) {
  Memory& memory = memory_for(model, workspace);
  check_flexible_input("q", q, memory.size);
  check_square("M", M, memory.size);
  fill_inertia_matrix(model, memory, q.data(), M);
}

void udut(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
          Eigen::Ref<Eigen::MatrixXd> U, Eigen::Ref<Eigen::MatrixXd> D) {
  Memory& memory = memory_for(model, workspace);
  check_flexible_input("q", q, memory.size);
  check_square("U", U, memory.size);
  check_square("D", D, memory.size);
  U.setIdentity();
  D.setZero();
  const flexible::Tree& tree = model.tree();
  flexible::Scratch<double>& scratch = memory.scratch;
  const double* d = q.data() + memory.joints;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    flexible::update_position<double>(tree, scratch, i, q.data(), d);
    flexible::link_inertia<double>(tree, scratch, i, d, nullptr, false);
  }
  std::size_t end = memory.size;  // end of the current block, in block order
  for (std::size_t i = tree.size(); i-- > 0;) {
    const ElasticBody& body = tree[i];
    flexible::LinkScratch<double>& link = scratch.links[i];
    const std::size_t m = body.beam.modes();
    const std::size_t joint = body.joint == JointKind::fixed ? 0 : 1;
    const std::size_t first = end - m - joint;
    end = first;
    const double* matrix = scratch.matrices.data() + body.matrix;
    // Psi^ = M^ P (Eq. 37) and the block I^ = P^T Psi^ (Eq. 36)
    if (joint == 1) {
      spatial::ArticulatedInertia<double> inertia = link.inertia;
      if (body.has_axes_rotation) inertia = rotate(body.axes, inertia);
      const SpatialVector<double> column =
          joint_column(inertia, body.joint == JointKind::prismatic);
      const bool prismatic = body.joint == JointKind::prismatic;
      D(idx(first), idx(first)) =
          (prismatic ? column.linear.z : column.angular.z) + body.rotor_inertia;
      memory.psi[first] = body.has_axes_rotation ? rotate_inverse(body.axes, column) : column;
    }
    for (std::size_t j = 0; j < m; ++j) {
      const SpatialVector<double>& own = scratch.columns[body.amplitude + j];
      const std::size_t at = first + joint + j;
      memory.psi[at] = own;
      if (joint == 1) {
        const SpatialVector<double> in_joint_axes =
            body.has_axes_rotation ? rotate(body.axes, own) : own;
        const double coupling =
            body.joint == JointKind::prismatic ? in_joint_axes.linear.z : in_joint_axes.angular.z;
        D(idx(first), idx(at)) = D(idx(at), idx(first)) = coupling;
      }
      for (std::size_t k = 0; k <= j; ++k) {
        const std::size_t other = first + joint + k;
        D(idx(at), idx(other)) = D(idx(other), idx(at)) = matrix[j * m + k];
      }
    }
    const std::size_t size = m + joint;
    if (body.parent < 0 || size == 0) {
      if (body.parent >= 0) {
        propagate_inertia_to_parent(
            tree, scratch, i,
            body.has_axes_rotation ? rotate(body.axes, link.inertia) : link.inertia);
      }
      continue;
    }
    // Psi = Psi^ I^^-1 and M-bar = M^ - Psi^ Psi^T (Eq. 38)
    auto block = memory.block.topLeftCorner(idx(size), idx(size));
    auto columns = memory.block_columns.topRows(idx(size));
    block = D.block(idx(first), idx(first), idx(size), idx(size));
    for (std::size_t k = 0; k < size; ++k) {
      const SpatialVector<double>& w = memory.psi[first + k];
      columns.row(idx(k)) << w.angular.x, w.angular.y, w.angular.z, w.linear.x, w.linear.y,
          w.linear.z;
    }
    Eigen::Ref<Eigen::MatrixXd> block_ref = block;
    Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(block_ref);
    if (factor.info() != Eigen::Success) {
      throw StateError("robot '" + model.rigid().name() + "'",
                       "its inertia matrix is not positive definite: a joint has no mass to move");
    }
    factor.solveInPlace(columns);
    for (std::size_t k = 0; k < size; ++k) {
      const auto row = columns.row(idx(k));
      const SpatialVector<double> psi = {{row[0], row[1], row[2]}, {row[3], row[4], row[5]}};
      subtract_outer(link.inertia, psi, memory.psi[first + k]);
      memory.psi[first + k] = psi;
    }
    propagate_inertia_to_parent(
        tree, scratch, i, body.has_axes_rotation ? rotate(body.axes, link.inertia) : link.inertia);
  }
  // U_ij = P_i^T A_ji^T Psi_j (Eq. 36)
  for (std::size_t i = 0, first = 0; i < tree.size(); ++i) {
    const ElasticBody& body = tree[i];
    const std::size_t size = body.beam.modes() + (body.joint == JointKind::fixed ? 0 : 1);
    for (std::size_t column = first; column < first + size && body.parent >= 0; ++column) {
      flexible::propagate_column_to_base(tree, scratch, i, memory.psi[column], memory.joints,
                                         memory.projected_forces.data(),
                                         [&](std::size_t row, double value) {
                                           const std::size_t at = memory.block_index[row];
                                           if (at < first) U(idx(at), idx(column)) = value;
                                         });
    }
    first += size;
  }
}

}  // namespace dynamics
