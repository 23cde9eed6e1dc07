// SPDX-License-Identifier: Apache-2.0
#pragma once

// A serial arm in the frames of Turney 1980, section 1: frame i is fixed to link i at joint i+1
// with Z along the axis of that joint; joint i rotates about, or translates along, z_{i-1}. The
// frame of the last link is at its own joint and moves with the link.

#include <cmath>
#include <vector>

#include "papers/formulations/dynamics_input.hpp"

namespace dynamics::formulations {

/// One link. R_{i-1}^i = Rz(theta) Rx(phi), Eq. (1.10); vectors and tensors are in frame i.
template <class S>
struct SerialLink {
  S cos_theta, sin_theta;
  double cos_phi, sin_phi;
  bool prismatic;
  Vec3<S> r;  ///< r_i, from origin i-1 to origin i, Eq. (1.14)
  /// r_i at q = 0, rotated about X to the axes of frame i-1 before the rotation theta
  Vec3<double> r_before;
  Vec3<double> center_before;  ///< the same for r_center
  S slide;                     ///< displacement of a prismatic joint along z_{i-1}
  Vec3<double> r_bar;          ///< from origin i to the mass center
  Vec3<S> r_center;            ///< r_i + r_bar_i, from origin i-1 to the mass center
  double mass;
  Sym3<double> inertia;     ///< I_i, about the mass center
  Vec3<double> K_diagonal;  ///< diagonal of K_i = Tr{I}/2 E - I, section 5
  bool principal;           ///< I_i is diagonal in frame i, as the paper assumes
  double rotor_inertia;

  /// R_i^{i-1} v: 8 multiplications, 4 additions.
  Vec3<S> from_previous(const Vec3<S>& v) const {
    const S x = cos_theta * v.x + sin_theta * v.y;
    const S y = cos_theta * v.y - sin_theta * v.x;
    return {x, cos_phi * y + sin_phi * v.z, cos_phi * v.z - sin_phi * y};
  }
  /// The same for a vector without z component: 6 multiplications, 2 additions.
  Vec3<S> planar_from_previous(const Vec3<S>& v) const {
    const S y = cos_theta * v.y - sin_theta * v.x;
    return {cos_theta * v.x + sin_theta * v.y, cos_phi * y, -(sin_phi * y)};
  }
  /// R_{i-1}^i v
  Vec3<S> to_previous(const Vec3<S>& v) const {
    const S y = cos_phi * v.y - sin_phi * v.z;
    const S z = sin_phi * v.y + cos_phi * v.z;
    return {cos_theta * v.x - sin_theta * y, sin_theta * v.x + cos_theta * y, z};
  }
  /// The same for a vector without z component: 6 multiplications, 2 additions.
  Vec3<S> planar_to_previous(const Vec3<S>& v) const {
    const S y = cos_phi * v.y;
    return {cos_theta * v.x - sin_theta * y, sin_theta * v.x + cos_theta * y, sin_phi * v.y};
  }
  /// p_{i-1}^i = R_{i-1}^i r_i, from the constant part r_before.
  Vec3<S> position() const {
    Vec3<S> p = {cos_theta * r_before.x - sin_theta * r_before.y,
                 sin_theta * r_before.x + cos_theta * r_before.y, S(r_before.z)};
    if (prismatic) p.z = p.z + slide;
    return p;
  }
  /// Adds 2 omega x z d' + z d'' of a prismatic joint to the acceleration a of origin i-1.
  void add_sliding(const S& qd, const S& qdd, const Vec3<S>& omega, Vec3<S>& a) const {
    if (!prismatic) return;
    counting::LineCounter<S>::start_line("a_i");
    const S twice = qd + qd;
    a.x = a.x + twice * omega.y;
    a.y = a.y - twice * omega.x;
    a.z = a.z + qdd;
  }
  /// omega_{i-1} and alpha_{i-1} to omega_i, Eq. (3.15), and alpha_i, Eq. (3.16).
  void propagate_rotation(const S& qd, const S& qdd, Vec3<S>& omega, Vec3<S>& alpha) const {
    using LineCounter = counting::LineCounter<S>;
    if (!prismatic) {
      LineCounter::start_line("alpha_i");
      alpha.x = alpha.x + omega.y * qd;
      alpha.y = alpha.y - omega.x * qd;
      alpha.z = alpha.z + qdd;
      LineCounter::start_line("omega_i");
      omega.z = omega.z + qd;
    }
    LineCounter::start_line("alpha_i");
    alpha = from_previous(alpha);
    LineCounter::start_line("omega_i");
    omega = from_previous(omega);
  }
  /// (R_i^{i-1} z_{i-1})^t v
  S along_joint(const Vec3<S>& v) const { return sin_phi * v.y + cos_phi * v.z; }
};

template <class S>
struct SerialArm {
  std::vector<SerialLink<S>> links;
  Vec3<S> omega_0, alpha_0, a_0;                ///< of frame 0 in its axes; a_0 includes -gravity
  bool base_not_rotating = false;               ///< omega_0 and alpha_0 are zero
  std::vector<kernel::BodyWrench<S>> wrenches;  ///< on link i, about origin i-1, in frame i
};

/// The force and torque of link i+1 on link i, in frame i: R f_{i+1}, r_i x R f_{i+1}, R n_{i+1}.
/// The line f_i is counted on.
template <class S>
struct Transmitted {
  Vec3<S> force, lever, torque;
};
template <class S>
Transmitted<S> transmitted(const SerialArm<S>& arm, std::size_t i, const Vec3<S>& f,
                           const Vec3<S>& n) {
  using LineCounter = counting::LineCounter<S>;
  const SerialLink<S>& next = arm.links[i + 1];
  LineCounter::start_line("f_i");
  const Vec3<S> force = next.to_previous(f);
  LineCounter::start_line("r_i x R f_{i+1}");
  const Vec3<S> lever = cross(arm.links[i].r, force);
  LineCounter::start_line("R n_{i+1}");
  const Vec3<S> torque = next.to_previous(n);
  LineCounter::start_line("f_i");
  return {force, lever, torque};
}

/// Subtracts the wrench on link i from f_i and n_i and returns tau_i, Eq. (3.21).
template <class S>
S joint_torque(const SerialArm<S>& arm, std::size_t i, const S& qdd, Vec3<S>& f, Vec3<S>& n) {
  const SerialLink<S>& link = arm.links[i];
  if (!arm.wrenches.empty()) {
    f -= arm.wrenches[i].force;
    n -= arm.wrenches[i].moment;
  }
  counting::LineCounter<S>::start_line("tau_i");
  const S tau = link.along_joint(link.prismatic ? f : n);
  return link.rotor_inertia != 0.0 ? tau + link.rotor_inertia * qdd : tau;
}

/// A_i of section 5: A b = omega x (omega x b) + alpha x b.
using kernel::acceleration_matrix;

namespace detail {
inline Vec3<double> vec3(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }
template <class S>
Vec3<S> product(const Eigen::Matrix3d& m, const Vec3<S>& v) {
  return {m(0, 0) * v.x + m(0, 1) * v.y + m(0, 2) * v.z,
          m(1, 0) * v.x + m(1, 1) * v.y + m(1, 2) * v.z,
          m(2, 0) * v.x + m(2, 1) * v.y + m(2, 2) * v.z};
}
}  // namespace detail

/// Whether the parent of every body is the body before it.
inline bool is_serial(const Tree& tree) {
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].parent != static_cast<int>(i) - 1) return false;
  }
  return true;
}

/// The arm in the paper's frames. Precondition: is_serial(*input.tree).
template <class S>
SerialArm<S> serial_arm(const DynamicsInput<S>& input) {
  using std::cos;
  using std::sin;
  const Tree& tree = *input.tree;
  const std::size_t n = tree.size();
  SerialArm<S> arm;
  arm.links.resize(n);
  if (input.has_wrenches()) arm.wrenches.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const TreeBody& body = tree[i];
    SerialLink<S>& link = arm.links[i];
    // Tp Rz(beta) Rx(phi): constant transform from frame i to the frame of the body
    Eigen::Matrix3d from_body = Eigen::Matrix3d::Identity();
    Eigen::Vector3d p = Eigen::Vector3d::Zero();
    double beta = 0.0;
    link.cos_phi = 1.0;
    link.sin_phi = 0.0;
    if (i + 1 < n) {
      const TreeBody& next = tree[i + 1];
      from_body = fixed_rotation(next).transpose();
      p = Eigen::Vector3d(next.position[0], next.position[1], next.position[2]);
      if (next.has_beta) beta = std::atan2(next.sin_beta, next.cos_beta);
      link.cos_phi = next.cos_alpha;
      link.sin_phi = next.sin_alpha;
    }
    link.prismatic = body.prismatic;
    const double fixed = body.offset + beta;
    const S theta = body.prismatic ? S(fixed) : fixed == 0.0 ? input.q[i] : input.q[i] + S(fixed);
    link.cos_theta = cos(theta);
    link.sin_theta = sin(theta);
    const Vec3<double> r = detail::vec3(from_body * p);
    const BodyMass own = body_mass(body);
    link.mass = own.mass;
    link.r_bar = detail::vec3(from_body * (own.center - p));
    link.r = {S(r.x), S(r.y), S(r.z)};
    link.r_center = {S(r.x + link.r_bar.x), S(r.y + link.r_bar.y), S(r.z + link.r_bar.z)};
    const auto before = [&link](const Vec3<double>& v) {
      return Vec3<double>{v.x, link.cos_phi * v.y - link.sin_phi * v.z,
                          link.sin_phi * v.y + link.cos_phi * v.z};
    };
    link.r_before = before(r);
    link.center_before = before(r + link.r_bar);
    link.slide = body.prismatic ? input.q[i] : S(0.0);
    Vec3<S> slide = {S(0.0), S(0.0), S(0.0)};
    if (body.prismatic) {
      slide = {S(0.0), link.sin_phi * input.q[i], link.cos_phi * input.q[i]};
      link.r += slide;
      link.r_center += slide;
    }
    const Eigen::Matrix3d inertia = from_body * own.inertia * from_body.transpose();
    link.inertia = {inertia(0, 0), inertia(0, 1), inertia(0, 2),
                    inertia(1, 1), inertia(1, 2), inertia(2, 2)};
    const double half = 0.5 * inertia.trace();
    link.K_diagonal = {half - inertia(0, 0), half - inertia(1, 1), half - inertia(2, 2)};
    const double rounding = 1e-14 * inertia.trace();
    const auto negligible = [rounding](double product) { return std::abs(product) <= rounding; };
    link.principal =
        negligible(link.inertia.xy) && negligible(link.inertia.xz) && negligible(link.inertia.yz);
    link.rotor_inertia = body.rotor_inertia;
    if (input.has_wrenches()) {
      const Vec3<S> force = detail::product(from_body, input.wrenches[i].force);
      arm.wrenches[i].force = force;
      arm.wrenches[i].moment =
          detail::product(from_body, input.wrenches[i].moment) + cross(slide, force);
    }
  }
  if (n > 0) {
    // frame 0: the frame of the base, translated and rotated to the first joint
    const S zero(0.0);
    const Vec3<S>&w = input.base.angular_velocity, &dw = input.base.angular_acceleration;
    arm.omega_0 = arm.alpha_0 = {zero, zero, zero};
    arm.a_0 = input.base.acceleration;
    arm.base_not_rotating = input.base.not_rotating;
    if (!input.base.not_rotating) {
      const Vec3<S> p = constant<S>(tree[0].position);
      arm.omega_0 = w;
      arm.alpha_0 = dw;
      arm.a_0 += cross(dw, p) + cross(w, cross(w, p));
    }
    if (tree[0].alpha_kind != AlphaKind::zero) {
      if (!input.base.not_rotating) {
        arm.omega_0 = fixed_to_joint(tree[0], arm.omega_0);
        arm.alpha_0 = fixed_to_joint(tree[0], arm.alpha_0);
      }
      arm.a_0 = fixed_to_joint(tree[0], arm.a_0);
    }
  }
  return arm;
}

}  // namespace dynamics::formulations
