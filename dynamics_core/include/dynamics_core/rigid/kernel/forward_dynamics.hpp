// SPDX-License-Identifier: Apache-2.0
#pragma once

// Forward dynamics in O(n): the solution of M qdd = tau - C qd - ... by the UDU^T decomposition
// (Saha 2003, sections 2.2 and 3), with the velocity terms carried along in the same sweeps instead
// of a separate inverse dynamics: the bias wrench joins eta, the bias acceleration joins mu.

#include "dynamics_core/rigid/kernel/base.hpp"
#include "dynamics_core/rigid/kernel/inverse_dynamics.hpp"
#include "dynamics_core/rigid/kernel/udut.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

template <class S>
struct ForwardScratch {
  JointTransform<S> at;  ///< r where the joint is prismatic or has a rotor
  SpatialVector<S>
      bias;  ///< acceleration of the body's origin and axes for zero qdd, parent standing
  SpatialVector<S> eta;  ///< wrench needed for zero acceleration
  SpatialVector<S> psi;
  S pivot, pivot_inverse;
  // where the tree forks, for the children that are not next in the list:
  Vec3<S> omega;
  ArticulatedInertia<S> articulated;
  SpatialVector<S> mu;  ///< acceleration
};

/// omega x (omega x v), and omega x J omega, by the products of omega.
template <class S>
struct Centripetal {
  S xx, yy, zz, xy, xz, yz;
  DYNAMICS_INLINE explicit Centripetal(const Vec3<S>& w)
      : xx(w.x * w.x), yy(w.y * w.y), zz(w.z * w.z), xy(w.x * w.y), xz(w.x * w.z), yz(w.y * w.z) {}

  DYNAMICS_INLINE Vec3<S> of(const double (&v)[3]) const {
    return {(xy * v[1] + xz * v[2]) - (yy + zz) * v[0], (xy * v[0] + yz * v[2]) - (xx + zz) * v[1],
            (xz * v[0] + yz * v[1]) - (xx + yy) * v[2]};
  }
  DYNAMICS_INLINE Vec3<S> moment(const TreeBody& body) const {
    const auto& j = body.inertia;  // xx xy xz yy yz zz
    const auto& d = body.inertia_differences;
    return {(d[0] * yz + (yy - zz) * j[4]) + (xy * j[2] - xz * j[1]),
            (d[1] * xz + (zz - xx) * j[2]) + (yz * j[1] - xy * j[4]),
            (d[2] * xy + (xx - yy) * j[1]) + (xz * j[4] - yz * j[2])};
  }
};

/// qdd for the joint forces tau (friction already taken off); `wrenches` may be null.
template <class S>
void forward_dynamics(const Tree& tree, ForwardScratch<S>* scratch, const BaseState<S>& base,
                      const BodyWrench<S>* wrenches, const S* q, const S* qd, const S* tau,
                      S* qdd) {
  const std::size_t n = tree.size();
  const S zero(0.0);
  const Vec3<S> none = {zero, zero, zero};
  const bool still = base.not_rotating;
  joint_transforms(tree, scratch, q);

  Vec3<S> omega;  // of the body before
  for (std::size_t i = 0; i < n; ++i) {
    const TreeBody& body = tree[i];
    ForwardScratch<S>& link = scratch[i];
    const bool root = body.parent < 0;
    if (root && still && !body.prismatic) {
      // it turns about its axis, which takes no moment about the axis
      omega = {zero, zero, qd[i]};
      link.eta.angular.z = zero;
      if (wrenches != nullptr) link.eta.angular.z = -wrenches[i].moment.z;
    } else {
      if (root) {
        omega = still ? none : base.angular_velocity;
      } else if (static_cast<std::size_t>(body.parent) + 1 != i) {
        omega = scratch[body.parent].omega;
      }
      if (body.prismatic) {
        link.bias = {none, to_body(body, link.at, cross(omega, cross(omega, link.at.r)))};
        omega = to_body(body, link.at, omega);
        const S twice = qd[i] + qd[i];
        link.bias.linear.x = link.bias.linear.x + twice * omega.y;
        link.bias.linear.y = link.bias.linear.y - twice * omega.x;
      } else {
        with_rotation(body, link.at, [&](const auto& rotation) DYNAMICS_INLINE_LAMBDA {
          const auto& r = body.position;
          if (body.parent_is_revolute_root && still) {
            const S ww = omega.z * omega.z;
            if (!body.at_parent_origin) {
              link.bias.linear = rotation.to_body({-(ww * r[0]), -(ww * r[1]), zero});
            }
            omega = rotation.z_to_body(omega.z);
          } else {
            if (!body.at_parent_origin)
              link.bias.linear = rotation.to_body(Centripetal<S>(omega).of(r));
            omega = rotation.to_body(omega);
          }
        });
        link.bias.angular = {qd[i] * omega.y, -(qd[i] * omega.x), zero};
        omega.z = omega.z + qd[i];
      }
      const Centripetal<S> w(omega);
      link.eta = {w.moment(body), w.of(body.first_moment)};
      if (wrenches != nullptr) {
        link.eta.angular -= wrenches[i].moment;
        link.eta.linear -= wrenches[i].force;
      }
    }
    if (body.has_nonadjacent_child) {
      link.omega = omega;
      link.articulated = articulated_inertia<S>(rigid_inertia(body));
    }
  }

  ArticulatedInertia<S> m;                  // what the body behind adds to this one
  SpatialVector<S> eta = {none, none};      // and its wrench
  RevoluteColumn<S> column = {zero, none};  // the same for a revolute joint on a base that is still
  for (std::size_t i = n; i-- > 0;) {
    const TreeBody& body = tree[i];
    ForwardScratch<S>& link = scratch[i];
    const bool next = static_cast<std::size_t>(body.parent) + 1 == i;
    if (still && is_revolute_root(body)) {
      if (body.has_nonadjacent_child) {
        // what children added in memory, and the next one
        RevoluteColumn<S> all = revolute_column(link.articulated);
        if (body.next_is_child) all += column;
        column = all;
      } else {
        const auto& h = body.first_moment;
        if (body.next_is_child) {
          column.I_zz = column.I_zz + body.inertia[5];
          column.force.x = column.force.x - h[1];
          column.force.y = column.force.y + h[0];
        } else {
          column = {S(body.inertia[5]), {S(-h[1]), S(h[0]), zero}};
        }
      }
      link.pivot = column.I_zz;
      if (body.rotor_inertia != 0.0) link.pivot = link.pivot + body.rotor_inertia;
      link.pivot_inverse = S(1.0) / link.pivot;
      const S force = body.next_is_child ? S(tau[i] - (link.eta.angular.z + eta.angular.z))
                                         : S(tau[i] - link.eta.angular.z);
      // the acceleration of the base is all that reaches it
      const Vec3<S> a = to_body(body, link.at, base.acceleration);
      qdd[i] = (force - dot(column.force, a)) * link.pivot_inverse;
      link.mu = {{zero, zero, qdd[i]}, a};
      continue;
    }
    if (body.next_is_child) {
      eta.angular += link.eta.angular;
      eta.linear += link.eta.linear;
    } else {
      eta = link.eta;
    }
    if (body.has_nonadjacent_child) {
      if (body.next_is_child) {
        m += link.articulated;
      } else {
        m = link.articulated;
      }
    } else if (body.next_is_child) {
      m += rigid_inertia(body);
    } else {
      m = articulated_inertia<S>(rigid_inertia(body));
    }
    const SpatialVector<S> hat = find_pivot(body, m, link);
    const S force = tau[i] - (body.prismatic ? eta.linear.z : eta.angular.z);
    qdd[i] = force * link.pivot_inverse;
    if (body.parent < 0) continue;
    ForwardScratch<S>& parent = scratch[body.parent];
    if (!reduces(body)) {
      subtract_outer(m, hat, link.psi);
      if (!body.prismatic && body.at_parent_origin) link.bias.linear = none;
      const SpatialVector<S> carried = m * link.bias;
      eta = {force * link.psi.angular + eta.angular + carried.angular,
             force * link.psi.linear + eta.linear + carried.linear};
      eta = propagate_to_parent(body, link.at, eta);
      m = propagate_to_parent(body, link.at, m);
      column = revolute_column(m);
    } else {
      const ReducedInertia<S> rest = eliminate_revolute(m, hat, link.psi);
      SpatialVector<S> carried = rest.times_angular(link.bias.angular);
      if (!body.at_parent_origin) {
        const SpatialVector<S> more = rest.times_linear(link.bias.linear);
        carried.angular.x = carried.angular.x + more.angular.x;
        carried.angular.y = carried.angular.y + more.angular.y;
        carried.linear += more.linear;
      }
      eta = {{force * link.psi.angular.x + (eta.angular.x + carried.angular.x),
              force * link.psi.angular.y + (eta.angular.y + carried.angular.y), tau[i]},
             force * link.psi.linear + (eta.linear + carried.linear)};
      with_rotation(body, link.at, [&](const auto& rotation) DYNAMICS_INLINE_LAMBDA {
        if (body.parent_is_revolute_root && still) {
          eta.angular.z = z_torque_on_parent(rotation, eta);
          column = parent_column(rotation, rest);
        } else {
          propagate_to_parent(rotation, eta);
          m = propagate_to_parent(rotation, rest);
        }
      });
    }
    if (next) continue;
    if (body.parent_is_revolute_root && still) {
      parent.eta.angular.z = parent.eta.angular.z + eta.angular.z;
      parent.articulated.I.zz = parent.articulated.I.zz + column.I_zz;
      Mat3<S>& h = parent.articulated.H;
      h.zx = h.zx + column.force.x;
      h.zy = h.zy + column.force.y;
      h.zz = h.zz + column.force.z;
    } else {
      parent.eta.angular += eta.angular;
      parent.eta.linear += eta.linear;
      parent.articulated += m;
    }
  }

  SpatialVector<S> mu;
  for (std::size_t i = 0; i < n; ++i) {
    const TreeBody& body = tree[i];
    ForwardScratch<S>& link = scratch[i];
    const bool root = body.parent < 0;
    if (root && still && !body.prismatic) {
      mu = link.mu;
      continue;
    }
    if (root) {
      mu = {still ? none : base.angular_acceleration, base.acceleration};
    } else if (static_cast<std::size_t>(body.parent) + 1 != i) {
      mu = scratch[body.parent].mu;
    }
    if (!reduces(body)) {
      mu = transform_to_body(body, link.at, mu);
      mu.angular += link.bias.angular;
      mu.linear += link.bias.linear;
      qdd[i] = qdd[i] - dot(link.psi.angular, mu.angular) - dot(link.psi.linear, mu.linear);
    } else {
      with_rotation(body, link.at, [&](const auto& rotation) DYNAMICS_INLINE_LAMBDA {
        if (body.parent_is_revolute_root && still) {
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
    S& own = body.prismatic ? mu.linear.z : mu.angular.z;
    own = own + qdd[i];
    if (body.has_nonadjacent_child) link.mu = mu;
  }
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
