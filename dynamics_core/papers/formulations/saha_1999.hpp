// SPDX-License-Identifier: Apache-2.0
#pragma once

// Inverse dynamics as printed in Saha 1999, section 5.1: twists nu_i and twist rates xi_i of the
// links from the base to the tip, wrenches gamma_i from the tip to the base, all about the mass
// centers. The library's own recursion (algorithm denoc) does the same work about the joints.
//
// The text prints nu_i = p_i qd_i + nu_{i-1}; Eq. (12) has B_{i,i-1} nu_{i-1}, which is used here.
// Gravity enters as the acceleration of the base (Eq. (32)). Quantities of link i are in frame i+1,
// in which r_i and I_i are given.

#include <vector>

#include "papers/formulations/saha_links.hpp"

namespace dynamics::formulations {

namespace detail {

/// The two recursions, one function per printed line.
template <class S>
class Saha1999 {
 public:
  explicit Saha1999(const SerialArm<S>& arm) : arm_(arm), links_(arm.links.size()) {}

  std::vector<S> torques(const std::vector<S>& qd, const std::vector<S>& qdd) {
    const std::size_t n = links_.size();
    for (std::size_t i = 0; i < n; ++i) {
      LineCounter::start_line("d_i");
      links_[i].d = joint_to_center(arm_.links[i]);
      LineCounter::start_line("c_{i,i-1}");
      links_[i].c = center_to_previous(arm_, i, links_[i].d);
      LineCounter::start_line("nu_i");
      const Vec3<S> previous_omega = previous_twist(i).angular;
      set_twist(i, qd[i]);
      LineCounter::start_line("xi_i");
      set_twist_rate(i, previous_omega, qd[i], qdd[i]);
    }
    std::vector<S> tau(n);
    for (std::size_t i = n; i-- > 0;) {
      LineCounter::start_line("gamma_i");
      set_wrench(i);
      LineCounter::start_line("tau_i");
      tau[i] = joint_torque(i, qdd[i]);
    }
    return tau;
  }

 private:
  using LineCounter = counting::LineCounter<S>;
  using Twist = SpatialVector<S>;

  struct Link {
    Vec3<S> d, c;   // d_i and c_{i,i-1}, in frame i
    Vec3<S> omega;  // omega_i in frame i
    Vec3<S> slide;  // linear part of p_i qd_i, in frame i
    Twist nu, xi;   // in frame i+1
    Twist gamma;    // in frame i
  };

  /// The first link of an arm on a base that does not rotate: B_{10} nu_0 = 0.
  bool on_fixed_base(std::size_t i) const { return i == 0 && arm_.base_not_rotating; }
  bool prismatic(std::size_t i) const { return arm_.links[i].prismatic; }

  /// nu_{i-1}; the base has its twist at O_1, whose linear part enters no torque.
  Twist previous_twist(std::size_t i) const {
    return i > 0 ? links_[i - 1].nu : Twist{arm_.omega_0, spatial::zero3<S>()};
  }
  Twist previous_twist_rate(std::size_t i) const {
    return i > 0 ? links_[i - 1].xi : Twist{arm_.alpha_0, arm_.a_0};
  }

  /// p_i times a rate (Eqs. (13), (15)) without its zeros: its only angular component is z.
  Vec3<S> linear_rate(std::size_t i, const S& rate) const {
    if (prismatic(i)) return {S(0.0), S(0.0), rate};
    const Vec3<S>& d = links_[i].d;
    return {-(d.y * rate), d.x * rate, S(0.0)};  // e x d
  }
  /// a + p_i times a rate, whose linear part is given
  Twist plus_joint(std::size_t i, const S& rate, const Vec3<S>& linear, Twist a) const {
    if (prismatic(i)) {
      a.linear.z = a.linear.z + rate;
      return a;
    }
    a.angular.z = a.angular.z + rate;
    return {a.angular, plus_planar(a.linear, linear)};
  }

  /// Q_i^T, from frame i to frame i+1
  Twist to_link(std::size_t i, const Twist& a) const {
    const SerialLink<S>& link = arm_.links[i];
    return {link.from_previous(a.angular), link.from_previous(a.linear)};
  }

  /// B_{i,i-1} t, Eq. (13)
  Twist propagate(std::size_t i, const Twist& t) const {
    return {t.angular, t.linear + cross(links_[i].c, t.angular)};
  }

  /// nu_i = p_i qd_i + B_{i,i-1} nu_{i-1}
  void set_twist(std::size_t i, const S& qd) {
    const SerialLink<S>& link = arm_.links[i];
    const S zero(0.0);
    links_[i].slide = linear_rate(i, qd);
    if (!on_fixed_base(i)) {
      const Twist nu = plus_joint(i, qd, links_[i].slide, propagate(i, previous_twist(i)));
      links_[i].omega = nu.angular;
      links_[i].nu = to_link(i, nu);
    } else if (prismatic(i)) {
      links_[i].omega = {zero, zero, zero};
      links_[i].nu = {links_[i].omega, {zero, link.sin_phi * qd, link.cos_phi * qd}};
    } else {
      links_[i].omega = {zero, zero, qd};
      links_[i].nu = {{zero, link.sin_phi * qd, link.cos_phi * qd},
                      link.planar_from_previous(links_[i].slide)};
    }
  }

  /// xi_i = p_i qdd_i + Omega_i p_i qd_i + B_{i,i-1} xi_{i-1} + B'_{i,i-1} nu_{i-1}
  void set_twist_rate(std::size_t i, const Vec3<S>& previous_omega, const S& qd, const S& qdd) {
    const Vec3<S> linear = linear_rate(i, qdd);
    if (on_fixed_base(i)) {
      set_first_twist_rate(qd, qdd, linear);
      return;
    }
    Twist xi = plus_joint(i, qdd, linear, propagate(i, previous_twist_rate(i)));
    const Vec3<S>&omega = links_[i].omega, &slide = links_[i].slide;
    const Vec3<S> about_axis = {omega.y * qd, -(omega.x * qd), S(0.0)};  // omega_i x e qd
    if (prismatic(i)) {
      xi.linear = plus_planar(xi.linear, about_axis);
    } else {
      xi.angular = plus_planar(xi.angular, about_axis);
      xi.linear +=
          Vec3<S>{-(omega.z * slide.y), omega.z * slide.x, omega.x * slide.y - omega.y * slide.x};
    }
    xi.linear += cross(center_rate(i, previous_omega, qd), previous_omega);
    links_[i].xi = to_link(i, xi);
  }

  /// xi_1 on a base that does not rotate: B_{10} xi_0 is the acceleration -g, B'_{10} nu_0 = 0,
  /// omega_1 = e qd.
  void set_first_twist_rate(const S& qd, const S& qdd, const Vec3<S>& linear) {
    const SerialLink<S>& link = arm_.links[0];
    const S zero(0.0);
    Vec3<S> a = arm_.a_0;
    Vec3<S> alpha = {zero, zero, zero};
    if (link.prismatic) {
      a.z = a.z + qdd;
    } else {
      const Vec3<S>& slide = links_[0].slide;
      a = plus_planar(plus_planar(a, linear), {-(qd * slide.y), qd * slide.x, zero});
      alpha = {zero, link.sin_phi * qdd, link.cos_phi * qdd};
    }
    links_[0].xi = {alpha, link.from_previous(a)};
  }

  /// The rate of c_{i,i-1}: -omega_{i-1} x r_{i-1} - omega_i x d_i, and -e qd of a prismatic joint.
  Vec3<S> center_rate(std::size_t i, const Vec3<S>& previous_omega, const S& qd) const {
    const Vec3<S> of_d = cross(links_[i].omega, links_[i].d);
    Vec3<S> rate = i > 0 ? cross(previous_omega, arm_.links[i - 1].r_bar) - of_d
                         : Vec3<S>{-of_d.x, -of_d.y, -of_d.z};
    if (prismatic(i)) rate.z = rate.z - qd;
    return rate;
  }

  /// gamma_i = M_i xi_i + M'_i nu_i + B_{i+1,i}^T gamma_{i+1}, rotated to frame i
  void set_wrench(std::size_t i) {
    const SerialLink<S>& link = arm_.links[i];
    const Link& own = links_[i];
    const Vec3<S>& omega = own.nu.angular;
    Vec3<S> moment = link.inertia * own.xi.angular + cross(omega, link.inertia * omega);
    Vec3<S> force = link.mass * own.xi.linear;
    if (i + 1 < links_.size()) {
      const Link& next = links_[i + 1];
      moment += next.gamma.angular + cross(next.gamma.linear, next.c);
      force += next.gamma.linear;
    }
    if (!arm_.wrenches.empty()) {  // w_i^E, about C_i
      const kernel::BodyWrench<S>& external = arm_.wrenches[i];
      moment -= external.moment - cross(link.r_center, external.force);
      force -= external.force;
    }
    links_[i].gamma = {link.to_previous(moment), link.to_previous(force)};
  }

  /// tau_i = p_i^T gamma_i, and the torque of the rotor
  S joint_torque(std::size_t i, const S& qdd) const {
    const Vec3<S>&d = links_[i].d, &moment = links_[i].gamma.angular,
          &force = links_[i].gamma.linear;
    const S tau = prismatic(i) ? force.z : S(moment.z + (d.x * force.y - d.y * force.x));
    const double rotor = arm_.links[i].rotor_inertia;
    return rotor != 0.0 ? S(tau + rotor * qdd) : tau;
  }

  const SerialArm<S>& arm_;
  std::vector<Link> links_;
};

}  // namespace detail

/// tau for the velocities qd and accelerations qdd.
/// Cost for n general revolute joints: counted by `dynamics count`, docs/operation_counts.md.
template <class S>
std::vector<S> saha_1999(const SerialArm<S>& arm, const std::vector<S>& qd,
                         const std::vector<S>& qdd) {
  return detail::Saha1999<S>(arm).torques(qd, qdd);
}

}  // namespace dynamics::formulations
