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
  Placement<S> at;  ///< r where the joint is prismatic or has a rotor
  Six<S> bias;      ///< acceleration of the body's origin and axes for zero qdd, parent standing
  Six<S> eta;       ///< wrench needed for zero acceleration
  Six<S> psi;
  S pivot, pivot_inverse;
  // where the tree forks, for the children that are not next in the list:
  Vec3<S> omega;
  ArticulatedInertia<S> articulated;
  Six<S> mu;  ///< acceleration
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
  const bool still = base.still;
  place_joints(tree, scratch, q);

  Vec3<S> omega;  // of the body before
  for (std::size_t i = 0; i < n; ++i) {
    const TreeBody& body = tree[i];
    ForwardScratch<S>& link = scratch[i];
    const bool root = body.parent < 0;
    if (root && still && !body.prismatic) {
      // it turns about its axis, which takes no moment about the axis
      omega = {zero, zero, qd[i]};
      link.eta.top.z = zero;
      if (wrenches != nullptr) link.eta.top.z = -wrenches[i].moment.z;
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
        link.bias.bottom.x = link.bias.bottom.x + twice * omega.y;
        link.bias.bottom.y = link.bias.bottom.y - twice * omega.x;
      } else {
        with_turn(body, link.at, [&](const auto& turn) DYNAMICS_INLINE_LAMBDA {
          const auto& r = body.position;
          if (body.second && still) {
            const S ww = omega.z * omega.z;
            if (!body.concentric) {
              link.bias.bottom = turn.to_body({-(ww * r[0]), -(ww * r[1]), zero});
            }
            omega = turn.axis_to_body(omega.z);
          } else {
            if (!body.concentric) link.bias.bottom = turn.to_body(Centripetal<S>(omega).of(r));
            omega = turn.to_body(omega);
          }
        });
        link.bias.top = {qd[i] * omega.y, -(qd[i] * omega.x), zero};
        omega.z = omega.z + qd[i];
      }
      const Centripetal<S> w(omega);
      link.eta = {w.moment(body), w.of(body.moment)};
      if (wrenches != nullptr) {
        link.eta.top -= wrenches[i].moment;
        link.eta.bottom -= wrenches[i].force;
      }
    }
    if (body.forked) {
      link.omega = omega;
      link.articulated = articulated_inertia<S>(body);
    }
  }

  ArticulatedInertia<S> m;              // what the body behind adds to this one
  Six<S> eta = {none, none};            // and its wrench
  AxisColumn<S> column = {zero, none};  // the same for a revolute joint on a base that is still
  for (std::size_t i = n; i-- > 0;) {
    const TreeBody& body = tree[i];
    ForwardScratch<S>& link = scratch[i];
    const bool next = static_cast<std::size_t>(body.parent) + 1 == i;
    if (still && on_base(body)) {
      if (body.forked) {
        // what children added in memory, and the next one
        const ArticulatedInertia<S>& sum = link.articulated;
        AxisColumn<S> all = {sum.I.zz, {sum.H.xz, sum.H.yz, sum.H.zz}};
        if (body.continued) {
          all.I_zz = all.I_zz + column.I_zz;
          all.H_z += column.H_z;
        }
        column = all;
      } else {
        const auto& h = body.moment;
        if (body.continued) {
          column.I_zz = column.I_zz + body.inertia[5];
          column.H_z.x = column.H_z.x - h[1];
          column.H_z.y = column.H_z.y + h[0];
        } else {
          column = {S(body.inertia[5]), {S(-h[1]), S(h[0]), zero}};
        }
      }
      link.pivot = column.I_zz;
      if (body.rotor_inertia != 0.0) link.pivot = link.pivot + body.rotor_inertia;
      link.pivot_inverse = S(1.0) / link.pivot;
      const S force =
          body.continued ? S(tau[i] - (link.eta.top.z + eta.top.z)) : S(tau[i] - link.eta.top.z);
      // the acceleration of the base is all that reaches it
      const Vec3<S> a = to_body(body, link.at, base.acceleration);
      qdd[i] = (force - dot(column.H_z, a)) * link.pivot_inverse;
      link.mu = {{zero, zero, qdd[i]}, a};
      continue;
    }
    if (body.continued) {
      eta.top += link.eta.top;
      eta.bottom += link.eta.bottom;
    } else {
      eta = link.eta;
    }
    if (body.forked) {
      if (body.continued) {
        m += link.articulated;
      } else {
        m = link.articulated;
      }
    } else if (body.continued) {
      add_own(body, m);
    } else {
      m = articulated_inertia<S>(body);
    }
    const Six<S> hat = find_pivot(body, m, link);
    const S force = tau[i] - (body.prismatic ? eta.bottom.z : eta.top.z);
    qdd[i] = force * link.pivot_inverse;
    if (body.parent < 0) continue;
    ForwardScratch<S>& parent = scratch[body.parent];
    if (!reduces(body)) {
      eliminate_joint(m, hat, link.psi);
      if (!body.prismatic && body.concentric) link.bias.bottom = none;
      const Six<S> carried = m * link.bias;
      eta = {force * link.psi.top + eta.top + carried.top,
             force * link.psi.bottom + eta.bottom + carried.bottom};
      to_parent_whole(body, link.at, eta);
      m = to_parent_whole(body, link.at, m);
      column = {m.I.zz, {m.H.xz, m.H.yz, m.H.zz}};
    } else {
      const ReducedInertia<S> rest = eliminate_revolute(m, hat, link.psi);
      Six<S> carried = rest.times_turn(link.bias.top);
      if (!body.concentric) {
        const Six<S> more = rest.times_rest(link.bias.bottom);
        carried.top.x = carried.top.x + more.top.x;
        carried.top.y = carried.top.y + more.top.y;
        carried.bottom += more.bottom;
      }
      eta = {{force * link.psi.top.x + (eta.top.x + carried.top.x),
              force * link.psi.top.y + (eta.top.y + carried.top.y), tau[i]},
             force * link.psi.bottom + (eta.bottom + carried.bottom)};
      with_turn(body, link.at, [&](const auto& turn) DYNAMICS_INLINE_LAMBDA {
        if (body.second && still) {
          eta.top.z = z_to_parent(turn, eta);
          column = axis_column(turn, rest);
        } else {
          to_parent(turn, eta);
          m = to_parent(turn, rest);
        }
      });
    }
    if (next) continue;
    if (body.second && still) {
      parent.eta.top.z = parent.eta.top.z + eta.top.z;
      parent.articulated.I.zz = parent.articulated.I.zz + column.I_zz;
      Mat3<S>& h = parent.articulated.H;
      h.xz = h.xz + column.H_z.x;
      h.yz = h.yz + column.H_z.y;
      h.zz = h.zz + column.H_z.z;
    } else {
      parent.eta.top += eta.top;
      parent.eta.bottom += eta.bottom;
      parent.articulated += m;
    }
  }

  Six<S> mu;
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
      to_body_whole(body, link.at, mu);
      mu.top += link.bias.top;
      mu.bottom += link.bias.bottom;
      qdd[i] = qdd[i] - dot(link.psi.top, mu.top) - dot(link.psi.bottom, mu.bottom);
    } else {
      with_turn(body, link.at, [&](const auto& turn) DYNAMICS_INLINE_LAMBDA {
        if (body.second && still) {
          axis_to_body(turn, mu);
        } else {
          to_body(turn, mu);
        }
      });
      mu.top.x = mu.top.x + link.bias.top.x;
      mu.top.y = mu.top.y + link.bias.top.y;
      if (!body.concentric) mu.bottom += link.bias.bottom;
      qdd[i] = (qdd[i] - mu.top.z) - (link.psi.top.x * mu.top.x + link.psi.top.y * mu.top.y) -
               dot(link.psi.bottom, mu.bottom);
    }
    S& own = body.prismatic ? mu.bottom.z : mu.top.z;
    own = own + qdd[i];
    if (body.forked) link.mu = mu;
  }
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
