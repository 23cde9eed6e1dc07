// SPDX-License-Identifier: Apache-2.0
#pragma once

// Recursive inverse dynamics (Saha 1999, section 5.1; gravity by Eq. 32), for trees.
//
// Forward: omega, alpha and the origin's acceleration a of every body in its own axes. Backward:
// the wrench that each joint transmits, gamma_i = M_i xi_i + M'_i nu_i + sum B^T gamma_child,
// about the body's origin, and tau_i = p_i^T gamma_i, which is one component of it.
// With Psi = [alpha x] + [omega x]^2 a body's force and moment are
//   f = m a + Psi h,   n = h x a + axial(Psi P),   P the pseudo-inertia (Balafoutis et al. 1988).
// Here they are those of the minimal parameters (TreeBody::Minimal), where a revolute body has
// neither m nor h_z nor P_zz: the joint forces are the same, the transmitted wrenches are not
// (kernel/joint_wrenches.hpp has them).

#include <cmath>

#include "dynamics_core/rigid/kernel/base.hpp"
#include "dynamics_core/rigid/kernel/joints.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// Psi = [alpha x] + [omega x]^2, the acceleration of a body's points relative to its origin; of
/// the diagonal the opposites, and the differences of two of its entries.
template <class S>
struct Spin {
  S minus_xx, minus_yy, minus_zz;
  S xy, xz, yx, yz, zx, zy;
  S zz_yy, xx_zz, yy_xx;

  /// v + Psi r
  template <class R>
  DYNAMICS_INLINE Vec3<S> carry(const Vec3<S>& v, const Vec3<R>& r) const {
    return {v.x - minus_xx * r.x + (xy * r.y + xz * r.z),
            v.y + yx * r.x + (yz * r.z - minus_yy * r.y),
            v.z + zx * r.x + (zy * r.y - minus_zz * r.z)};
  }
};

template <class S>
DYNAMICS_INLINE Spin<S> spin_of(const Vec3<S>& omega, const Vec3<S>& alpha) {
  const S xx = omega.x * omega.x, yy = omega.y * omega.y, zz = omega.z * omega.z;
  const S xy = omega.x * omega.y, xz = omega.x * omega.z, yz = omega.y * omega.z;
  return {yy + zz,      xx + zz,      xx + yy,       // the diagonal
          xy - alpha.z, xz + alpha.y, xy + alpha.z,  //
          yz - alpha.x, xz - alpha.y, yz + alpha.x,  //
          zz - yy,      xx - zz,      yy - xx};
}

template <class S>
struct BodyMotion {
  Vec3<S> omega, alpha, a;
  Spin<S> spin;
};

template <class S>
struct InverseScratch {
  JointTransform<S> at;  ///< r for prismatic joints only
  Vec3<S> f, n;  ///< of the body, about its origin, then with children that are not the next
  BodyMotion<S> motion;  ///< for children that are not the next
};

/// A wrench that acts on a body from outside, about the body's origin, in its axes.
template <class S>
struct BodyWrench {
  Vec3<S> moment, force;
};

/// Viscous and Coulomb friction, the latter smooth through zero.
template <class S>
S joint_friction(const TreeBody& body, const S& velocity, double friction_velocity) {
  using std::sqrt;
  return velocity * (body.damping + body.friction / sqrt(velocity * velocity +
                                                         friction_velocity * friction_velocity));
}

/// The wrench of inertia of a revolute body's minimal parameters.
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

/// The wrench of inertia with all ten parameters.
template <class S>
DYNAMICS_INLINE void full_inertia(double mass, const double (&h)[3], const double (&p)[6],
                                  const BodyMotion<S>& m, Vec3<S>& f, Vec3<S>& n) {
  const Spin<S>& w = m.spin;
  f = w.carry(mass * m.a, constant(h));
  n = Vec3<S>{(w.zx * p[1] + w.zy * p[3]) + (w.zz_yy * p[4] - w.yx * p[2]) - w.yz * p[5],
              (w.xx_zz * p[2] + w.xy * p[4]) - (w.zx * p[0] + w.zy * p[1]) + w.xz * p[5],
              (w.yx * p[0] + w.yy_xx * p[1]) + (w.yz * p[2] - w.xy * p[3]) - w.xz * p[4]} +
      cross(constant(h), m.a);
}

/// The motion of a body from that of its parent, in place.
template <class S, class Rotation>
DYNAMICS_INLINE void advance_revolute(const Rotation& rotation, const S& qd, const S& qdd,
                                      BodyMotion<S>& m) {
  if (!rotation.frame.at_parent_origin) m.a = m.spin.carry(m.a, constant(rotation.frame.position));
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
  m.a = to_body(body, at, m.spin.carry(m.a, at.r));
  m.omega = to_body(body, at, m.omega);
  m.alpha = to_body(body, at, m.alpha);
  const S twice = qd + qd;
  m.a.x = m.a.x + twice * m.omega.y;
  m.a.y = m.a.y - twice * m.omega.x;
  m.a.z = m.a.z + qdd;
  m.spin = spin_of(m.omega, m.alpha);
}

/// tau for the joint motion q, qd, qdd; `wrenches` may be null. Friction is not included.
template <class S>
void inverse_dynamics(const Tree& tree, InverseScratch<S>* scratch, const BaseState<S>& base,
                      const BodyWrench<S>* wrenches, const S* q, const S* qd, const S* qdd,
                      S* tau) {
  const std::size_t count = tree.size();
  const TreeBody* const bodies = tree.data();
  const S zero(0.0);
  joint_rotations(bodies, count, scratch, q);

  // A revolute joint on a base that does not turn: omega and alpha lie along its axis, and nobody
  // asks for more of its wrench than the moment about the axis. Its child knows (`second`).
  const bool still = base.not_rotating;
  BodyMotion<S> m;  // of the body before
  for (std::size_t i = 0; i < count; ++i) {
    const TreeBody& body = bodies[i];
    InverseScratch<S>& link = scratch[i];
    const bool root = body.parent < 0;
    if (root && still && !body.prismatic) {
      m.a = to_body(body, link.at, base.acceleration);
      const S square = qd[i] * qd[i];
      m.omega = {zero, zero, qd[i]};
      m.alpha = {zero, zero, qdd[i]};
      m.spin.minus_xx = square;
      const auto& h = body.minimal.first_moment;
      link.n.z = body.minimal.inertia_zz * qdd[i] + (h[0] * m.a.y - h[1] * m.a.x);
      if (wrenches != nullptr) link.n.z = link.n.z - wrenches[i].moment.z;
      if (body.has_nonadjacent_child) link.motion = m;
      continue;
    }
    if (root) {
      if (still) {
        m.omega = m.alpha = {zero, zero, zero};
      } else {
        m.omega = base.angular_velocity;
        m.alpha = base.angular_acceleration;
      }
      m.a = base.acceleration;
      m.spin = spin_of(m.omega, m.alpha);
    } else if (static_cast<std::size_t>(body.parent) + 1 != i) {
      m = scratch[body.parent].motion;
    }
    if (body.prismatic) {
      link.at = joint_transform(body, q[i]);
      if (body.parent_is_revolute_root && still) m.spin = spin_of(m.omega, m.alpha);
      advance_prismatic(body, link.at, qd[i], qdd[i], m);
      full_inertia(body.minimal.mass, body.minimal.first_moment, body.minimal.pseudo_inertia, m,
                   link.f, link.n);
    } else {
      with_rotation(body, link.at, [&](const auto& rotation) DYNAMICS_INLINE_LAMBDA {
        const Vec3<double> r = constant(body.position);
        if (body.parent_is_revolute_root && still) {
          const S &w = m.omega.z, &dw = m.alpha.z, &ww = m.spin.minus_xx;
          const Vec3<S> a = {m.a.x - (ww * r.x + dw * r.y), m.a.y + (dw * r.x - ww * r.y), m.a.z};
          m.a = rotation.to_body(a);
          m.alpha = rotation.z_to_body(dw);
          m.omega = rotation.z_to_body(w);
          m.alpha.x = m.alpha.x + qd[i] * m.omega.y;
          m.alpha.y = m.alpha.y - qd[i] * m.omega.x;
          m.alpha.z = m.alpha.z + qdd[i];
          m.omega.z = m.omega.z + qd[i];
          m.spin = spin_of(m.omega, m.alpha);
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

  Vec3<S> f, n;  // what the body behind passes on
  for (std::size_t i = count; i-- > 0;) {
    const TreeBody& body = bodies[i];
    InverseScratch<S>& link = scratch[i];
    if (body.parent < 0 && still && !body.prismatic) {
      tau[i] = body.next_is_child ? S(link.n.z + n.z) : link.n.z;
      if (body.rotor_inertia != 0.0) tau[i] = tau[i] + body.rotor_inertia * qdd[i];
      continue;
    }
    if (body.next_is_child) {
      f += link.f;
      n += link.n;
    } else {
      f = link.f;
      n = link.n;
    }
    tau[i] = body.prismatic ? f.z : n.z;
    if (body.rotor_inertia != 0.0) tau[i] = tau[i] + body.rotor_inertia * qdd[i];
    if (body.parent < 0) continue;
    const bool next = static_cast<std::size_t>(body.parent) + 1 == i;
    InverseScratch<S>& parent = scratch[body.parent];
    if (body.parent_is_revolute_root && still) {
      if (body.prismatic) {
        f = to_parent(body, link.at, f);
        n = to_parent(body, link.at, n);
        n.z = n.z + (link.at.r.x * f.y - link.at.r.y * f.x);
      } else {
        with_rotation(body, link.at, [&](const auto& rotation) DYNAMICS_INLINE_LAMBDA {
          n.z = z_torque_on_parent(rotation, SpatialVector<S>{n, f});
        });
      }
      if (!next) parent.n.z = parent.n.z + n.z;
      continue;
    }
    if (body.prismatic) {
      f = to_parent(body, link.at, f);
      n = to_parent(body, link.at, n) + cross(link.at.r, f);
    } else {
      with_rotation(body, link.at, [&](const auto& rotation) DYNAMICS_INLINE_LAMBDA {
        SpatialVector<S> w = {n, f};
        propagate_to_parent(rotation, w);
        n = w.angular;
        f = w.linear;
      });
    }
    if (!next) {
      parent.f += f;
      parent.n += n;
    }
  }
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
