// SPDX-License-Identifier: Apache-2.0
#pragma once

// A serial arm in the frames of Turney 1980, section 1: frame i is fixed to link i at the joint
// that follows it, with Z along that joint's axis; joint i turns about, or slides along, z_{i-1}.
// The last link has no following joint: its frame is that of its own joint, moving with it.

#include <cmath>
#include <vector>

#include "dynamics_core/formulations/situation.hpp"

namespace dynamics::formulations {

/// One link. R_{i-1}^i = Rz(theta) Rx(phi), Eq. (1.10); vectors and tensors are in frame i.
template <class S>
struct SerialLink {
  S cos_theta, sin_theta;
  double cos_phi, sin_phi;
  bool prismatic;
  kernel::Vec3<S> r;           ///< r_i, from origin i-1 to origin i, Eq. (1.14)
  kernel::Vec3<double> r_bar;  ///< from origin i to the mass centre
  double mass;
  kernel::Sym3<double> inertia;  ///< I_i, about the mass centre
  double rotor_inertia;

  /// R_i^{i-1} v: 8 multiplications, 4 additions.
  kernel::Vec3<S> from_previous(const kernel::Vec3<S>& v) const {
    const S x = cos_theta * v.x + sin_theta * v.y;
    const S y = cos_theta * v.y - sin_theta * v.x;
    return {x, cos_phi * y + sin_phi * v.z, cos_phi * v.z - sin_phi * y};
  }
  /// R_{i-1}^i v
  kernel::Vec3<S> to_previous(const kernel::Vec3<S>& v) const {
    const S y = cos_phi * v.y - sin_phi * v.z;
    const S z = sin_phi * v.y + cos_phi * v.z;
    return {cos_theta * v.x - sin_theta * y, sin_theta * v.x + cos_theta * y, z};
  }
  /// (R_i^{i-1} z_{i-1})^t v
  S along_joint(const kernel::Vec3<S>& v) const { return sin_phi * v.y + cos_phi * v.z; }
};

template <class S>
struct SerialArm {
  std::vector<SerialLink<S>> links;
  kernel::Vec3<S> omega_0, alpha_0, a_0;        ///< of frame 0, in its axes; a_0 opposes gravity
  std::vector<kernel::BodyWrench<S>> wrenches;  ///< on link i, about origin i-1, in frame i
};

namespace detail {
inline kernel::Vec3<double> vec3(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }
template <class S>
kernel::Vec3<S> turned(const Eigen::Matrix3d& m, const kernel::Vec3<S>& v) {
  return {m(0, 0) * v.x + m(0, 1) * v.y + m(0, 2) * v.z,
          m(1, 0) * v.x + m(1, 1) * v.y + m(1, 2) * v.z,
          m(2, 0) * v.x + m(2, 1) * v.y + m(2, 2) * v.z};
}
}  // namespace detail

/// Every body but the first hangs on the one before it.
inline bool is_serial(const Tree& tree) {
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].parent != static_cast<int>(i) - 1) return false;
  }
  return true;
}

/// The arm in the paper's frames; the tree must be serial.
template <class S>
SerialArm<S> serial_arm(const Situation<S>& given) {
  using std::cos;
  using std::sin;
  const Tree& tree = *given.tree;
  const std::size_t n = tree.size();
  SerialArm<S> arm;
  arm.links.resize(n);
  if (given.has_wrenches()) arm.wrenches.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const TreeBody& body = tree[i];
    SerialLink<S>& link = arm.links[i];
    // Tp Rz(beta) Rx(phi): from frame i to the body's frame, fixed in the link
    Eigen::Matrix3d from_body = Eigen::Matrix3d::Identity();
    Eigen::Vector3d p = Eigen::Vector3d::Zero();
    double beta = 0.0;
    link.cos_phi = 1.0;
    link.sin_phi = 0.0;
    if (i + 1 < n) {
      const TreeBody& next = tree[i + 1];
      from_body = mounting(next).transpose();
      p = Eigen::Vector3d(next.position[0], next.position[1], next.position[2]);
      if (next.turned) beta = std::atan2(next.sin_beta, next.cos_beta);
      link.cos_phi = next.cos_alpha;
      link.sin_phi = next.sin_alpha;
    }
    link.prismatic = body.prismatic;
    const double fixed = body.offset + beta;
    const S theta = body.prismatic ? S(fixed) : fixed == 0.0 ? given.q[i] : given.q[i] + S(fixed);
    link.cos_theta = cos(theta);
    link.sin_theta = sin(theta);
    const kernel::Vec3<double> r = detail::vec3(from_body * p);
    link.r = {S(r.x), S(r.y), S(r.z)};
    kernel::Vec3<S> slide = {S(0.0), S(0.0), S(0.0)};
    if (body.prismatic) {
      slide = {S(0.0), link.sin_phi * given.q[i], link.cos_phi * given.q[i]};
      link.r += slide;
    }
    const BodyMass own = body_mass(body);
    link.mass = own.mass;
    link.r_bar = detail::vec3(from_body * (own.centre - p));
    const Eigen::Matrix3d inertia = from_body * own.inertia * from_body.transpose();
    link.inertia = {inertia(0, 0), inertia(0, 1), inertia(0, 2),
                    inertia(1, 1), inertia(1, 2), inertia(2, 2)};
    link.rotor_inertia = body.rotor_inertia;
    if (given.has_wrenches()) {
      const kernel::Vec3<S> force = detail::turned(from_body, given.wrenches[i].force);
      arm.wrenches[i].force = force;
      arm.wrenches[i].moment =
          detail::turned(from_body, given.wrenches[i].moment) + kernel::cross(slide, force);
    }
  }
  if (n > 0) {
    const Eigen::Matrix3d from_base = mounting(tree[0]).transpose();
    const kernel::Vec3<double> p = kernel::constant(tree[0].position);
    const kernel::Vec3<S>&w = given.base.angular_velocity, &dw = given.base.angular_acceleration;
    arm.omega_0 = detail::turned(from_base, w);
    arm.alpha_0 = detail::turned(from_base, dw);
    arm.a_0 = detail::turned(from_base, given.base.acceleration + kernel::cross(dw, p) +
                                            kernel::cross(w, kernel::cross(w, p)));
  }
  return arm;
}

}  // namespace dynamics::formulations
