// SPDX-License-Identifier: Apache-2.0
#pragma once

// Recursive inverse dynamics (Saha 1999, section 5.1; gravity by Eq. 32), for trees. Two sweeps:
//
//   outward   omega, alpha and the origin's acceleration a of each body, in its own axes
//   inward    the force that each joint transmits, gamma_i = M_i xi_i + M'_i nu_i + sum of B^T
//             gamma_child, about the body's origin; tau_i = p_i^T gamma_i is one component of it
//
// With Psi = [alpha x] + [omega x]^2 the inertial force f and torque n of a body are
//   f = m a + Psi h,   n = h x a + axial(Psi P),   P the pseudo-inertia (Balafoutis et al. 1988).
// They are computed from the minimal parameters (TreeBody::Minimal), where a revolute body has
// no m, h_z and P_zz. The joint forces are the same; the transmitted forces are not (see
// kernel/joint_wrenches.hpp).

#include "rigid/recursions/declarations.hpp"
#include "rigid/recursions/joints.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

template <class S>
DYNAMICS_INLINE Spin<S> spin_of(const Vec3<S>& omega, const Vec3<S>& alpha) {
  const S xx = omega.x * omega.x, yy = omega.y * omega.y, zz = omega.z * omega.z;
  const S xy = omega.x * omega.y, xz = omega.x * omega.z, yz = omega.y * omega.z;
  return {yy + zz,      xx + zz,      xx + yy,       // the diagonal
          xy - alpha.z, xz + alpha.y, xy + alpha.z,  //
          yz - alpha.x, xz - alpha.y, yz + alpha.x,  //
          zz - yy,      xx - zz,      yy - xx};
}

/// The inertial force and torque of a revolute body, from its minimal parameters.
template <class S>
DYNAMICS_INLINE void revolute_inertia(const TreeBody& body, const BodyMotion<S>& m, Vec3<S>& f,
                                      Vec3<S>& n) {
  const Spin<S>& w = m.spin;
  const auto& h = body.minimal.first_moment;
  const auto& p = body.minimal.pseudo_inertia;  // xx xy xz yy yz
  f = {w.xy * h[1] - w.minus_xx * h[0], w.yx * h[0] - w.minus_yy * h[1], w.zx * h[0] + w.zy * h[1]};
  n = {(w.zx * p[1] + w.zy * p[3]) + (w.zz_yy * p[4] - w.yx * p[2]) + h[1] * m.a.z,
       (w.xx_zz * p[2] + w.xy * p[4]) - (w.zx * p[0] + w.zy * p[1]) - h[0] * m.a.z,
       (w.yx * p[0] + w.yy_xx * p[1]) + (w.yz * p[2] - w.xy * p[3]) - w.xz * p[4] +
           (h[0] * m.a.y - h[1] * m.a.x)};
}

/// The inertial force and torque from all ten parameters.
template <class S, class Real>
DYNAMICS_INLINE void full_inertia(Real mass, const Real (&h)[3], const Real (&p)[6],
                                  const BodyMotion<S>& m, Vec3<S>& f, Vec3<S>& n) {
  const Spin<S>& w = m.spin;
  f = w.add_times(mass * m.a, constant(h));
  n = Vec3<S>{(w.zx * p[1] + w.zy * p[3]) + (w.zz_yy * p[4] - w.yx * p[2]) - w.yz * p[5],
              (w.xx_zz * p[2] + w.xy * p[4]) - (w.zx * p[0] + w.zy * p[1]) + w.xz * p[5],
              (w.yx * p[0] + w.yy_xx * p[1]) + (w.yz * p[2] - w.xy * p[3]) - w.xz * p[4]} +
      cross(constant(h), m.a);
}

/// The motion of a body from the motion of its parent, in place.
template <class S, class Rotation>
DYNAMICS_INLINE void advance_revolute(const Rotation& rotation, const S& qd, const S& qdd,
                                      BodyMotion<S>& m) {
  if (!rotation.frame.at_parent_origin)
    m.a = m.spin.add_times(m.a, constant(rotation.frame.position));
  m.a = rotation.to_body(m.a);
  m.omega = rotation.to_body(m.omega);
  m.alpha = rotation.to_body(m.alpha);
  m.alpha.x = m.alpha.x + qd * m.omega.y;
  m.alpha.y = m.alpha.y - qd * m.omega.x;
  m.alpha.z = m.alpha.z + qdd;
  m.omega.z = m.omega.z + qd;
  m.spin = spin_of(m.omega, m.alpha);
}
template <class S>
DYNAMICS_INLINE void advance_prismatic(const TreeBody& body, const JointTransform<S>& at,
                                       const S& qd, const S& qdd, BodyMotion<S>& m) {
  m.a = to_body(body, at, m.spin.add_times(m.a, at.r));
  m.omega = to_body(body, at, m.omega);
  m.alpha = to_body(body, at, m.alpha);
  const S twice = qd + qd;
  m.a.x = m.a.x + twice * m.omega.y;
  m.a.y = m.a.y - twice * m.omega.x;
  m.a.z = m.a.z + qdd;
  m.spin = spin_of(m.omega, m.alpha);
}

/// The motion of a revolute root on a base that does not rotate: omega and alpha are along its
/// axis, and only the torque about that axis is needed.
template <class S>
DYNAMICS_INLINE void start_at_root(const TreeBody& body, const BaseState<S>& base, const S& qd,
                                   const S& qdd, InverseScratch<S>& link, BodyMotion<S>& m) {
  const S zero(0.0);
  m.a = to_body(body, link.at, base.acceleration);
  const S square = qd * qd;
  m.omega = {zero, zero, qd};
  m.alpha = {zero, zero, qdd};
  m.spin.minus_xx = square;
  const auto& h = body.minimal.first_moment;
  link.n.z = body.minimal.inertia_zz * qdd + (h[0] * m.a.y - h[1] * m.a.x);
}
/// The motion of a revolute child of such a root.
template <class S, class Rotation>
DYNAMICS_INLINE void advance_from_root(const Rotation& rotation, const S& qd, const S& qdd,
                                       BodyMotion<S>& m) {
  const auto r = constant(rotation.frame.position);
  const S &w = m.omega.z, &dw = m.alpha.z, &ww = m.spin.minus_xx;
  const Vec3<S> a = {m.a.x - (ww * r.x + dw * r.y), m.a.y + (dw * r.x - ww * r.y), m.a.z};
  m.a = rotation.to_body(a);
  m.alpha = rotation.z_to_body(dw);
  m.omega = rotation.z_to_body(w);
  m.alpha.x = m.alpha.x + qd * m.omega.y;
  m.alpha.y = m.alpha.y - qd * m.omega.x;
  m.alpha.z = m.alpha.z + qdd;
  m.omega.z = m.omega.z + qd;
  m.spin = spin_of(m.omega, m.alpha);
}

/// First sweep: motions of all bodies, and their inertial forces less the external wrenches.
template <class S>
DYNAMICS_INLINE void motion_sweep(const Tree& tree, InverseScratch<S>* scratch,
                                  const BaseState<S>& base, const BodyWrench<S>* wrenches,
                                  const S* q, const S* qd, const S* qdd) {
  const TreeBody* const bodies = tree.data();  // local: stores to scratch cannot change it
  const std::size_t count = tree.size();
  const bool base_not_rotating = base.not_rotating;
  const S zero(0.0);
  BodyMotion<S> m;  // of the previous body
  for (std::size_t i = 0; i < count; ++i) {
    const TreeBody& body = bodies[i];
    InverseScratch<S>& link = scratch[i];
    if (is_revolute_root(body) && base_not_rotating) {
      start_at_root(body, base, qd[i], qdd[i], link, m);
      if (wrenches != nullptr) link.n.z = link.n.z - wrenches[i].moment.z;
      if (body.has_nonadjacent_child) link.motion = m;
      continue;
    }
    // motion of the parent
    if (is_root(body)) {
      if (base_not_rotating) {
        m.omega = m.alpha = {zero, zero, zero};
      } else {
        m.omega = base.angular_velocity;
        m.alpha = base.angular_acceleration;
      }
      m.a = base.acceleration;
      m.spin = spin_of(m.omega, m.alpha);
    } else if (!follows_parent(body, i)) {
      m = scratch[body.parent].motion;
    }
    // motion and inertial force of the body
    if (body.prismatic) {
      link.at = prismatic_transform(body, q[i]);
      if (body.parent_is_revolute_root && base_not_rotating) m.spin = spin_of(m.omega, m.alpha);
      advance_prismatic(body, link.at, qd[i], qdd[i], m);
      full_inertia(body.minimal.mass, body.minimal.first_moment, body.minimal.pseudo_inertia, m,
                   link.f, link.n);
    } else {
      with_rotation(body, link.at, [&](const auto& rotation) DYNAMICS_INLINE_LAMBDA {
        if (body.parent_is_revolute_root && base_not_rotating) {
          advance_from_root(rotation, qd[i], qdd[i], m);
        } else {
          advance_revolute(rotation, qd[i], qdd[i], m);
        }
        revolute_inertia(body, m, link.f, link.n);
      });
    }
    if (wrenches != nullptr) {
      link.f -= wrenches[i].force;
      link.n -= wrenches[i].moment;
    }
    if (body.has_nonadjacent_child) link.motion = m;
  }
}

/// Second sweep: transmitted forces f and torques n, and the joint forces. A revolute root on a
/// base that does not rotate gets only the torque about its axis.
template <class S>
DYNAMICS_INLINE void force_sweep(const Tree& tree, InverseScratch<S>* scratch,
                                 const BaseState<S>& base, const S* qdd, S* tau) {
  const TreeBody* const bodies = tree.data();
  const bool base_not_rotating = base.not_rotating;
  Vec3<S> f, n;  // passed on by the next body
  for (std::size_t i = tree.size(); i-- > 0;) {
    const TreeBody& body = bodies[i];
    InverseScratch<S>& link = scratch[i];
    if (is_revolute_root(body) && base_not_rotating) {
      tau[i] = body.next_is_child ? S(link.n.z + n.z) : link.n.z;
      if (body.rotor_inertia != 0.0) tau[i] = tau[i] + body.rotor_inertia * qdd[i];
      continue;
    }
    // the body and its children
    if (body.next_is_child) {
      f += link.f;
      n += link.n;
    } else {
      f = link.f;
      n = link.n;
    }
    // its joint
    tau[i] = body.prismatic ? f.z : n.z;
    if (body.rotor_inertia != 0.0) tau[i] = tau[i] + body.rotor_inertia * qdd[i];
    if (is_root(body)) continue;
    // to the parent
    InverseScratch<S>& parent = scratch[body.parent];
    if (body.parent_is_revolute_root && base_not_rotating) {
      if (body.prismatic) {
        f = to_parent(body, link.at, f);
        n = to_parent(body, link.at, n);
        n.z = n.z + (link.at.r.x * f.y - link.at.r.y * f.x);
      } else {
        with_rotation(body, link.at, [&](const auto& rotation) DYNAMICS_INLINE_LAMBDA {
          n.z = z_torque_on_parent(rotation, SpatialVector<S>{n, f});
        });
      }
      if (!follows_parent(body, i)) parent.n.z = parent.n.z + n.z;
      continue;
    }
    if (body.prismatic) {
      f = to_parent(body, link.at, f);
      n = to_parent(body, link.at, n) + cross(link.at.r, f);
    } else {
      with_rotation(body, link.at, [&](const auto& rotation) DYNAMICS_INLINE_LAMBDA {
        SpatialVector<S> force = {n, f};
        propagate_to_parent(rotation, force);
        n = force.angular;
        f = force.linear;
      });
    }
    if (!follows_parent(body, i)) {
      parent.f += f;
      parent.n += n;
    }
  }
}

/// tau for the joint motion q, qd, qdd, friction not included. `wrenches`, one per body, may be
/// null.
template <class S>
void inverse_dynamics(const Tree& tree, InverseScratch<S>* scratch, const BaseState<S>& base,
                      const BodyWrench<S>* wrenches, const S* q, const S* qd, const S* qdd,
                      S* tau) {
  joint_rotations(tree.data(), tree.size(), scratch, q);
  motion_sweep(tree, scratch, base, wrenches, q, qd, qdd);
  force_sweep(tree, scratch, base, qdd, tau);
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
