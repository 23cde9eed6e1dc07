// SPDX-License-Identifier: Apache-2.0
#pragma once

// Forward dynamics of flexible links in O(n) (Mohan and Saha, section 5): the block UDU^T
// decomposition of the generalized inertia matrix. The block of a body is its joint and its
// amplitudes. The amplitudes are eliminated first (L D L^T of the articulated M_dd, the only step
// that is cubic in their number), then the joint, a scalar pivot. The same sweeps include the
// velocity terms: gamma in eta, the rates of the propagation matrices in mu.
//
//   sweep out    positions, velocities, inertia and bias of each body
//   sweep in     eliminate amplitudes and joint, propagate articulated inertia and wrench
//   sweep out    accelerations

#include "flexible/recursions/link_inertia.hpp"
#include "flexible/recursions/propagation.hpp"

namespace dynamics::flexible {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// In-place L D L^T of a symmetric m x m matrix, of which the lower triangle is read: L below the
/// diagonal, D^-1 on it. O(m^3).
template <class S>
void factor_ldlt(S* matrix, std::size_t m) {
  for (std::size_t j = 0; j < m; ++j) {
    S pivot = matrix[j * m + j];
    for (std::size_t k = 0; k < j; ++k) {
      // row j holds L D up to here
      const S scaled = matrix[j * m + k] * matrix[k * m + k];
      pivot = pivot - matrix[j * m + k] * scaled;
      matrix[j * m + k] = scaled;
    }
    for (std::size_t i = j + 1; i < m; ++i) {
      S sum = matrix[i * m + j];
      for (std::size_t k = 0; k < j; ++k) sum = sum - matrix[i * m + k] * matrix[j * m + k];
      matrix[i * m + j] = sum;
    }
    matrix[j * m + j] = S(1.0) / pivot;
  }
}

/// Eliminates the amplitudes of a body from its inertia and eta: inertia = M_tt - M_td M_dd^-1
/// M_dt, eta += M_td M_dd^-1 (phi - eta_d). `phi`: applied forces on the amplitudes, may be null.
template <class S>
void eliminate_amplitudes(const ElasticBody& body, Scratch<S>& scratch, LinkScratch<S>& link,
                          const S* phi) {
  const std::size_t m = body.beam.modes();
  S* matrix = scratch.matrices.data() + body.matrix;
  factor_ldlt(matrix, m);
  SpatialVector<S>* reduced = scratch.reduced.data() + body.amplitude;
  const SpatialVector<S>* columns = scratch.columns.data() + body.amplitude;
  S* forces = scratch.forces.data() + body.amplitude;
  const S* eta = scratch.eta.data() + body.amplitude;
  for (std::size_t j = 0; j < m; ++j) {
    SpatialVector<S> row = columns[j];
    S force = phi == nullptr ? S(-eta[j]) : S(phi[j] - eta[j]);
    for (std::size_t k = 0; k < j; ++k) {
      const S& l = matrix[j * m + k];
      row.angular -= l * reduced[k].angular;
      row.linear -= l * reduced[k].linear;
      force = force - l * forces[k];
    }
    reduced[j] = row;
    forces[j] = force;
    const SpatialVector<S> scaled = matrix[j * m + j] * row;
    subtract_outer(link.inertia, scaled, row);
    link.eta += force * scaled;
  }
}

/// ddd = M_dd^-1 (phi - eta_d - M_dt mu): accelerations of the amplitudes from the body's.
template <class S>
void solve_amplitudes(const ElasticBody& body, const Scratch<S>& scratch,
                      const SpatialVector<S>& mu, S* ddd) {
  const std::size_t m = body.beam.modes();
  const S* matrix = scratch.matrices.data() + body.matrix;
  const SpatialVector<S>* reduced = scratch.reduced.data() + body.amplitude;
  const S* forces = scratch.forces.data() + body.amplitude;
  for (std::size_t j = m; j-- > 0;) {
    S value = matrix[j * m + j] * (forces[j] - dot(reduced[j], mu));
    for (std::size_t i = j + 1; i < m; ++i) value = value - matrix[i * m + j] * ddd[i];
    ddd[j] = value;
  }
}

/// Which joint quantities are known; the accelerations ddd of the amplitudes never are.
enum class Known {
  joint_torques,       ///< forward dynamics: reads tau, writes qdd
  joint_accelerations  ///< hybrid dynamics: reads qdd, writes tau
};

/// Forward or hybrid dynamics. tau and qdd are indexed by joint coordinate, ddd by amplitude. `tau`
/// is net of friction; `phi`: additional forces on the amplitudes, may be null. O(n).
template <class S>
void forward_dynamics(const Tree& tree, Scratch<S>& scratch, const BaseState<S>& base, Known known,
                      const S* q, const S* d, const S* qd, const S* dd, const S* phi, S* tau,
                      S* qdd, S* ddd) {
  const std::size_t n = tree.size();
  for (std::size_t i = 0; i < n; ++i) {
    update_position(tree, scratch, i, q, d);
    update_velocity(tree, scratch, i, base, qd, dd);
    link_inertia(tree, scratch, i, d, dd, true);
    const ElasticBody& body = tree[i];
    if (known == Known::joint_accelerations && body.joint != JointKind::fixed) {
      SpatialVector<S>& bias = scratch.links[i].bias;
      S& own = body.joint == JointKind::prismatic ? bias.linear.z : bias.angular.z;
      own = own + qdd[body.coordinate];
    }
  }

  for (std::size_t i = n; i-- > 0;) {
    const ElasticBody& body = tree[i];
    LinkScratch<S>& link = scratch.links[i];
    if (body.beam.modes() > 0) {
      eliminate_amplitudes(body, scratch, link, phi == nullptr ? nullptr : phi + body.amplitude);
    }
    if (body.has_axes_rotation) {
      link.inertia = rotate(body.axes, link.inertia);
      link.eta = rotate(body.axes, link.eta);
    }
    const bool eliminates_joint = known == Known::joint_torques && body.joint != JointKind::fixed;
    if (eliminates_joint) {
      const SpatialVector<S> column =
          joint_column(link.inertia, body.joint == JointKind::prismatic);
      link.pivot = body.joint == JointKind::prismatic ? column.linear.z : column.angular.z;
      if (body.rotor_inertia != 0.0) link.pivot = link.pivot + body.rotor_inertia;
      link.pivot_inverse = S(1.0) / link.pivot;
      link.psi = link.pivot_inverse * column;
      const S& projected_force =
          body.joint == JointKind::prismatic ? link.eta.linear.z : link.eta.angular.z;
      link.force = tau[body.coordinate] - projected_force;
      if (body.parent < 0) continue;
      subtract_outer(link.inertia, link.psi, column);
      link.eta += link.force * link.psi;
    } else if (body.parent < 0) {
      continue;
    }
    propagate_wrench_to_parent(tree, scratch, i, link.eta + link.inertia * link.bias);
    propagate_inertia_to_parent(tree, scratch, i, link.inertia);
  }

  for (std::size_t i = 0; i < n; ++i) {
    const ElasticBody& body = tree[i];
    LinkScratch<S>& link = scratch.links[i];
    if (body.parent < 0) {
      link.mu = acceleration_from_base(tree, body, link, base, !base.not_rotating);
    } else {
      link.mu = transform_from_parent(tree, scratch, i,
                                      scratch.links[static_cast<std::size_t>(body.parent)].mu, ddd);
    }
    link.mu += link.bias;
    if (body.joint != JointKind::fixed) {
      if (known == Known::joint_torques) {
        const S acceleration = link.force * link.pivot_inverse - dot(link.psi, link.mu);
        qdd[body.coordinate] = acceleration;
        S& own = body.joint == JointKind::prismatic ? link.mu.linear.z : link.mu.angular.z;
        own = own + acceleration;
      } else {
        const SpatialVector<S> column =
            joint_column(link.inertia, body.joint == JointKind::prismatic);
        const S& projected_force =
            body.joint == JointKind::prismatic ? link.eta.linear.z : link.eta.angular.z;
        tau[body.coordinate] =
            dot(column, link.mu) + projected_force + body.rotor_inertia * qdd[body.coordinate];
      }
    }
    if (body.has_axes_rotation) link.mu = rotate_inverse(body.axes, link.mu);
    if (body.beam.modes() > 0) solve_amplitudes(body, scratch, link.mu, ddd + body.amplitude);
  }
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::flexible
