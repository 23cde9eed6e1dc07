// SPDX-License-Identifier: Apache-2.0
#pragma once

// Forward dynamics in O(n): the solution of M qdd = tau - C qd - g by the UDU^T decomposition (Saha
// 2003, sections 2.2 and 3). The velocity terms are part of the same sweeps, not of a separate
// inverse dynamics. Three sweeps:
//
//   outward   velocities, and what they cause: bias accelerations, bias forces eta
//   inward    articulated inertias and forces, one joint eliminated per body; its pivot
//   outward   accelerations mu and qdd
//
// A revolute root joint on a base that does not rotate needs only what acts about its axis: one
// column of its articulated inertia (RevoluteColumn) and one torque. Children of such a root are
// flagged parent_is_revolute_root. What a body passes to its neighbor in the list stays in
// registers; only where the tree branches it goes through the parent's scratch.

#include "rigid/recursions/declarations.hpp"
#include "rigid/recursions/joints.hpp"
#include "rigid/recursions/udut.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// omega x (omega x v) and omega x J omega from the six products of omega.
template <class S>
struct Centripetal {
  S xx, yy, zz, xy, xz, yz;
  DYNAMICS_INLINE explicit Centripetal(const Vec3<S>& w)
      : xx(w.x * w.x), yy(w.y * w.y), zz(w.z * w.z), xy(w.x * w.y), xz(w.x * w.z), yz(w.y * w.z) {}

  template <class Real>
  DYNAMICS_INLINE Vec3<S> of(const Real (&v)[3]) const {
    return {(xy * v[1] + xz * v[2]) - (yy + zz) * v[0], (xy * v[0] + yz * v[2]) - (xx + zz) * v[1],
            (xz * v[0] + yz * v[1]) - (xx + yy) * v[2]};
  }
  DYNAMICS_INLINE Vec3<S> gyroscopic_torque(const TreeBody& body) const {
    const auto& j = body.inertia;  // xx xy xz yy yz zz
    const auto& d = body.inertia_differences;
    return {(d[0] * yz + (yy - zz) * j[4]) + (xy * j[2] - xz * j[1]),
            (d[1] * xz + (zz - xx) * j[2]) + (yz * j[1] - xy * j[4]),
            (d[2] * xy + (xx - yy) * j[1]) + (xz * j[4] - yz * j[2])};
  }
};

/// Angular velocity of a prismatic body, from that of its parent, and the bias acceleration.
template <class S>
DYNAMICS_INLINE void prismatic_bias(const TreeBody& body, const S& qd, ForwardScratch<S>& link,
                                    Vec3<S>& omega) {
  link.bias = {zero3<S>(), to_body(body, link.at, cross(omega, cross(omega, link.at.r)))};
  omega = to_body(body, link.at, omega);
  const S twice = qd + qd;
  link.bias.linear.x = link.bias.linear.x + twice * omega.y;
  link.bias.linear.y = link.bias.linear.y - twice * omega.x;
}
/// The same of a revolute body. `about_z`: the parent's angular velocity is along its Z axis.
template <class S>
DYNAMICS_INLINE void revolute_bias(const TreeBody& body, const S& qd, bool about_z,
                                   ForwardScratch<S>& link, Vec3<S>& omega) {
  with_rotation(body, link.at, [&](const auto& rotation) DYNAMICS_INLINE_LAMBDA {
    const auto& r = body.position;
    if (about_z) {
      const S ww = omega.z * omega.z;
      if (!body.at_parent_origin) {
        link.bias.linear = rotation.to_body({-(ww * r[0]), -(ww * r[1]), S(0.0)});
      }
      omega = rotation.z_to_body(omega.z);
    } else {
      if (!body.at_parent_origin) link.bias.linear = rotation.to_body(Centripetal<S>(omega).of(r));
      omega = rotation.to_body(omega);
    }
  });
  link.bias.angular = {qd * omega.y, -(qd * omega.x), S(0.0)};
  omega.z = omega.z + qd;
}

/// First sweep: bias accelerations and bias forces.
template <class S>
DYNAMICS_INLINE void bias_sweep(const Tree& tree, ForwardScratch<S>* scratch,
                                const BaseState<S>& base, const BodyWrench<S>* wrenches,
                                const S* qd) {
  const S zero(0.0);
  Vec3<S> omega;  // of the previous body
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeBody& body = tree[i];
    ForwardScratch<S>& link = scratch[i];
    if (is_revolute_root(body) && base.not_rotating) {
      // a rotation about the axis causes no torque about the axis
      omega = {zero, zero, qd[i]};
      link.eta.angular.z = zero;
      if (wrenches != nullptr) link.eta.angular.z = -wrenches[i].moment.z;
    } else {
      // velocity of the parent
      if (is_root(body)) {
        omega = base.not_rotating ? zero3<S>() : base.angular_velocity;
      } else if (!follows_parent(body, i)) {
        omega = scratch[body.parent].omega;
      }
      // velocity and bias acceleration of the body
      if (body.prismatic) {
        prismatic_bias(body, qd[i], link, omega);
      } else {
        revolute_bias(body, qd[i], body.parent_is_revolute_root && base.not_rotating, link, omega);
      }
      // bias force: gyroscopic, less the external wrench
      const Centripetal<S> w(omega);
      link.eta = {w.gyroscopic_torque(body), w.of(body.first_moment)};
      if (wrenches != nullptr) {
        link.eta -= SpatialVector<S>{wrenches[i].moment, wrenches[i].force};
      }
    }
    if (body.has_nonadjacent_child) {
      link.omega = omega;
      link.articulated = articulated_inertia<S>(rigid_inertia(body));
    }
  }
}

/// The column of a revolute root: that of the next body, of other children, and its own.
template <class S>
DYNAMICS_INLINE void collect_root_column(const TreeBody& body, const ForwardScratch<S>& link,
                                         RevoluteColumn<S>& column) {
  const auto& h = body.first_moment;
  if (body.has_nonadjacent_child) {
    RevoluteColumn<S> sum = revolute_column(link.articulated);
    if (body.next_is_child) sum += column;
    column = sum;
  } else if (body.next_is_child) {
    column.I_zz = column.I_zz + body.inertia[5];
    column.force.x = column.force.x - h[1];
    column.force.y = column.force.y + h[0];
  } else {
    column = {S(body.inertia[5]), {S(-h[1]), S(h[0]), S(0.0)}};
  }
}
/// Pivot and acceleration of a revolute root, which only the base's acceleration reaches.
/// `torque`: tau less the bias torque.
template <class S>
DYNAMICS_INLINE void solve_root(const TreeBody& body, const RevoluteColumn<S>& column,
                                const Vec3<S>& base_acceleration, const S& torque,
                                ForwardScratch<S>& link, S& qdd) {
  link.pivot = column.I_zz;
  if (body.rotor_inertia != 0.0) link.pivot = link.pivot + body.rotor_inertia;
  link.pivot_inverse = S(1.0) / link.pivot;
  const Vec3<S> a = to_body(body, link.at, base_acceleration);
  qdd = (torque - dot(column.force, a)) * link.pivot_inverse;
  link.mu = {{S(0.0), S(0.0), qdd}, a};
}

/// Adds the body, and children that do not follow it, to what the next body passes on.
template <class S>
DYNAMICS_INLINE void collect(const TreeBody& body, const ForwardScratch<S>& link,
                             ArticulatedInertia<S>& inertia, SpatialVector<S>& eta) {
  if (body.next_is_child) {
    eta += link.eta;
  } else {
    eta = link.eta;
  }
  if (body.has_nonadjacent_child) {
    if (body.next_is_child) {
      inertia += link.articulated;
    } else {
      inertia = link.articulated;
    }
  } else if (body.next_is_child) {
    inertia += rigid_inertia(body);
  } else {
    inertia = articulated_inertia<S>(rigid_inertia(body));
  }
}

/// Eliminates a prismatic joint or one with a rotor. `force`: tau less the bias force.
template <class S>
DYNAMICS_INLINE void eliminate_and_propagate(const TreeBody& body, const SpatialVector<S>& column,
                                             const S& force, ForwardScratch<S>& link,
                                             ArticulatedInertia<S>& inertia,
                                             SpatialVector<S>& eta) {
  subtract_outer(inertia, column, link.psi);
  if (!body.prismatic && body.at_parent_origin) link.bias.linear = zero3<S>();
  eta = force * link.psi + eta + inertia * link.bias;
  eta = propagate_to_parent(body, link.at, eta);
  inertia = propagate_to_parent(body, link.at, inertia);
}
/// Eliminates a revolute joint without rotor: adds to eta the force of the joint and that of the
/// bias acceleration, and returns the reduced inertia.
template <class S>
DYNAMICS_INLINE ReducedInertia<S> eliminate_reducing(const TreeBody& body,
                                                     const ArticulatedInertia<S>& inertia,
                                                     const SpatialVector<S>& column, const S& force,
                                                     const S& tau, const ForwardScratch<S>& link,
                                                     SpatialVector<S>& eta) {
  const ReducedInertia<S> rest = eliminate_revolute(inertia, column, link.psi);
  SpatialVector<S> carried = rest.times_angular(link.bias.angular);
  if (!body.at_parent_origin) {
    const SpatialVector<S> more = rest.times_linear(link.bias.linear);
    carried.angular.x = carried.angular.x + more.angular.x;
    carried.angular.y = carried.angular.y + more.angular.y;
    carried.linear += more.linear;
  }
  eta = {{force * link.psi.angular.x + (eta.angular.x + carried.angular.x),
          force * link.psi.angular.y + (eta.angular.y + carried.angular.y), tau},
         force * link.psi.linear + (eta.linear + carried.linear)};
  return rest;
}

/// Second sweep: articulated inertias and forces, pivots; qdd as if the parents did not accelerate.
template <class S>
DYNAMICS_INLINE void articulated_sweep(const Tree& tree, ForwardScratch<S>* scratch,
                                       const BaseState<S>& base, const S* tau, S* qdd) {
  // what the next body passes on: articulated inertia and force, to a revolute root only a column
  // and eta.angular.z
  ArticulatedInertia<S> inertia = {};
  SpatialVector<S> eta = zero6<S>();
  RevoluteColumn<S> column = {S(0.0), zero3<S>()};
  for (std::size_t i = tree.size(); i-- > 0;) {
    const TreeBody& body = tree[i];
    ForwardScratch<S>& link = scratch[i];
    if (base.not_rotating && is_revolute_root(body)) {
      collect_root_column(body, link, column);
      const S torque = body.next_is_child ? S(tau[i] - (link.eta.angular.z + eta.angular.z))
                                          : S(tau[i] - link.eta.angular.z);
      solve_root(body, column, base.acceleration, torque, link, qdd[i]);
      continue;
    }
    // the body and its children
    collect(body, link, inertia, eta);
    // its joint
    const SpatialVector<S> joint = find_pivot(body, inertia, link);
    const S force = tau[i] - along_joint(body, eta);
    qdd[i] = force * link.pivot_inverse;
    if (is_root(body)) continue;
    // to the parent
    const bool to_root = body.parent_is_revolute_root && base.not_rotating;
    if (!reduces(body)) {
      eliminate_and_propagate(body, joint, force, link, inertia, eta);
      column = revolute_column(inertia);
    } else {
      const ReducedInertia<S> rest =
          eliminate_reducing(body, inertia, joint, force, tau[i], link, eta);
      with_rotation(body, link.at, [&](const auto& rotation) DYNAMICS_INLINE_LAMBDA {
        if (to_root) {
          eta.angular.z = z_torque_on_parent(rotation, eta);
          column = parent_column(rotation, rest);
        } else {
          propagate_to_parent(rotation, eta);
          inertia = propagate_to_parent(rotation, rest);
        }
      });
    }
    if (follows_parent(body, i)) continue;
    ForwardScratch<S>& parent = scratch[body.parent];
    if (to_root) {
      parent.eta.angular.z = parent.eta.angular.z + eta.angular.z;
      add_column(column, parent.articulated);
    } else {
      parent.eta += eta;
      parent.articulated += inertia;
    }
  }
}

/// Third sweep: accelerations.
template <class S>
DYNAMICS_INLINE void acceleration_sweep(const Tree& tree, ForwardScratch<S>* scratch,
                                        const BaseState<S>& base, S* qdd) {
  SpatialVector<S> mu;  // of the previous body
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeBody& body = tree[i];
    ForwardScratch<S>& link = scratch[i];
    if (is_revolute_root(body) && base.not_rotating) {
      mu = link.mu;
      continue;
    }
    // acceleration of the parent
    if (is_root(body)) {
      mu = {base.not_rotating ? zero3<S>() : base.angular_acceleration, base.acceleration};
    } else if (!follows_parent(body, i)) {
      mu = scratch[body.parent].mu;
    }
    // at the body for zero qdd, then qdd
    if (!reduces(body)) {
      mu = transform_to_body(body, link.at, mu);
      mu += link.bias;
      qdd[i] = qdd[i] - dot(link.psi.angular, mu.angular) - dot(link.psi.linear, mu.linear);
    } else {
      with_rotation(body, link.at, [&](const auto& rotation) DYNAMICS_INLINE_LAMBDA {
        if (body.parent_is_revolute_root && base.not_rotating) {
          transform_z_to_body(rotation, mu);
        } else {
          transform_to_body(rotation, mu);
        }
      });
      mu.angular.x = mu.angular.x + link.bias.angular.x;
      mu.angular.y = mu.angular.y + link.bias.angular.y;
      if (!body.at_parent_origin) mu.linear += link.bias.linear;
      qdd[i] = (qdd[i] - mu.angular.z) -
               (link.psi.angular.x * mu.angular.x + link.psi.angular.y * mu.angular.y) -
               dot(link.psi.linear, mu.linear);
    }
    add_along_joint(body, qdd[i], mu);
    if (body.has_nonadjacent_child) link.mu = mu;
  }
}

/// qdd for the joint forces tau, friction already subtracted. `wrenches`, one per body, may be
/// null.
template <class S>
void forward_dynamics(const Tree& tree, ForwardScratch<S>* scratch, const BaseState<S>& base,
                      const BodyWrench<S>* wrenches, const S* q, const S* qd, const S* tau,
                      S* qdd) {
  joint_transforms(tree, scratch, q);
  bias_sweep(tree, scratch, base, wrenches, qd);
  articulated_sweep(tree, scratch, base, tau, qdd);
  acceleration_sweep(tree, scratch, base, qdd);
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
