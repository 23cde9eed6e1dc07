// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kinematics of the bodies: the twist propagation A_{i,i-1} with the deflection and the slope of
// the previous link (Mohan and Saha, Eqs. 7 to 11), and its rate.
//
// A cross-section is rotated by Rz(u_y') Ry(-u_z'). Everything else follows exactly from this
// definition: the equations are Lagrange's equations in these coordinates for amplitudes of any
// size.
//
// Notation: q joint positions, d modal amplitudes; qd, dd their rates; qdd, ddd their second
// derivatives. Joint vectors are indexed by coordinate, amplitude vectors by
// ElasticBody::amplitude.

#include <cmath>
#include <cstddef>
#include <vector>

#include "flexible/tree.hpp"
#include "rigid/recursions/base.hpp"

namespace dynamics::flexible {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

using kernel::BaseState;
using spatial::ArticulatedInertia;
using spatial::cross;
using spatial::dot;
using spatial::Mat3;
using spatial::PlanarRotation;
using spatial::RigidInertia;
using spatial::SpatialVector;
using spatial::Sym3;
using spatial::Vec3;
using spatial::zero3;
using spatial::zero6;

template <class S>
struct LinkScratch {
  // pose relative to the parent
  PlanarRotation<S> joint;                   ///< Rz(offset + q)
  PlanarRotation<S> rotation_z, rotation_y;  ///< Rz(u_y'), Ry(-u_z') of the parent's beam
  Vec3<S> r;    ///< from the parent's origin to the body's, in the parent's axes
  Vec3<S> rho;  ///< the part of r that rotates with the cross-section

  Vec3<S> omega;              ///< in the body's axes
  SpatialVector<S> bias;      ///< acceleration for qdd = ddd = 0, in the joint's axes
  SpatialVector<S> velocity;  ///< twist in the body's axes; set by body_velocities() only

  ArticulatedInertia<S> inertia;
  SpatialVector<S> eta;    ///< bias wrench
  SpatialVector<S> psi;    ///< joint column of the inertia over the pivot
  S pivot, pivot_inverse;  ///< diagonal entry of D of the joint
  S force;                 ///< joint torque minus bias
  SpatialVector<S> mu;     ///< acceleration in the body's axes
};

/// Scratch memory of all recursions. Allocates at construction only; one per thread.
template <class S>
struct Scratch {
  explicit Scratch(const Tree& tree) : links(tree.size()) {
    std::size_t amplitudes = 0, entries = 0;
    for (const ElasticBody& body : tree) {
      amplitudes += body.beam.modes();
      entries += body.beam.modes() * body.beam.modes();
      largest = largest < body.beam.modes() ? body.beam.modes() : largest;
    }
    columns.resize(amplitudes);
    reduced.resize(amplitudes);
    eta.resize(amplitudes);
    forces.resize(amplitudes);
    products.resize(4 * amplitudes);
    matrices.resize(entries);
    shortening.resize(tree.size() * largest);
  }

  std::size_t largest = 0;                ///< largest number of amplitudes of a body
  std::vector<LinkScratch<S>> links;      ///< by body
  std::vector<SpatialVector<S>> columns;  ///< M_td: by amplitude, its coupling to the twist
  std::vector<SpatialVector<S>> reduced;  ///< L^-1 M_dt
  std::vector<S> eta;                     ///< by amplitude: bias force
  std::vector<S> forces;                  ///< by amplitude: L^-1 (phi - eta)
  std::vector<S> products;                ///< int s_j u_y, int s_j u_z and their rates
  std::vector<S> matrices;    ///< M_dd of every body, overwritten by its L D L^T factors
  std::vector<S> shortening;  ///< by body: -du_x/dd at its station on the parent's beam
};

/// Rotates from the joint's axes to the parent's. `Quantity`: Vec3, SpatialVector or an inertia.
template <class S, class Quantity>
void rotate_to_parent(const Tree& tree, const ElasticBody& body, const LinkScratch<S>& link,
                      Quantity& quantity) {
  if (body.joint == JointKind::revolute || body.offset != 0.0)
    rotate_about_z(link.joint.c, link.joint.s, quantity);
  if (body.has_alpha) rotate_about_x(body.cos_alpha, body.sin_alpha, quantity);
  if (body.has_beta) rotate_about_z(body.cos_beta, body.sin_beta, quantity);
  if (!body.at.deflects) return;
  const Beam& beam = tree[static_cast<std::size_t>(body.parent)].beam;
  if (beam.modes_z > 0) rotate_about_y(link.rotation_y.c, link.rotation_y.s, quantity);
  if (beam.modes_y > 0) rotate_about_z(link.rotation_z.c, link.rotation_z.s, quantity);
}

/// Rotates from the parent's axes to the joint's.
template <class S, class Quantity>
void rotate_to_joint(const Tree& tree, const ElasticBody& body, const LinkScratch<S>& link,
                     Quantity& quantity) {
  if (body.at.deflects) {
    const Beam& beam = tree[static_cast<std::size_t>(body.parent)].beam;
    if (beam.modes_y > 0) rotate_about_z(link.rotation_z.c, -link.rotation_z.s, quantity);
    if (beam.modes_z > 0) rotate_about_y(link.rotation_y.c, -link.rotation_y.s, quantity);
  }
  if (body.has_beta) rotate_about_z(body.cos_beta, -body.sin_beta, quantity);
  if (body.has_alpha) rotate_about_x(body.cos_alpha, -body.sin_alpha, quantity);
  if (body.joint == JointKind::revolute || body.offset != 0.0)
    rotate_about_z(link.joint.c, -link.joint.s, quantity);
}

/// Deflection and slopes at a station of a beam (of amplitudes), or their rates (of rates).
template <class S>
struct Deflection {
  S u_y, u_z;          ///< deflection (m)
  S slope_y, slope_z;  ///< u_y', u_z'
};
template <class S>
Deflection<S> deflection_at(const Beam& beam, const BeamSection& at, const S* amplitudes) {
  Deflection<S> sum{S(0.0), S(0.0), S(0.0), S(0.0)};
  for (std::size_t j = 0; j < beam.modes_y; ++j) {
    sum.u_y = j == 0 ? at.shape[0] * amplitudes[0] : sum.u_y + at.shape[j] * amplitudes[j];
    sum.slope_y = j == 0 ? at.slope[0] * amplitudes[0] : sum.slope_y + at.slope[j] * amplitudes[j];
  }
  for (std::size_t j = beam.modes_y; j < beam.modes(); ++j) {
    const bool first = j == beam.modes_y;
    sum.u_z = first ? at.shape[j] * amplitudes[j] : sum.u_z + at.shape[j] * amplitudes[j];
    sum.slope_z = first ? at.slope[j] * amplitudes[j] : sum.slope_z + at.slope[j] * amplitudes[j];
  }
  return sum;
}

/// product = shortening * amplitudes = -du_x/dd, with the foreshortening u_x = -1/2 d^T G d.
template <class S>
void shortening_gradient(const Beam& beam, const std::vector<double>& shortening,
                         const S* amplitudes, S* product) {
  const std::size_t m = beam.modes();
  for (std::size_t j = 0; j < m; ++j) {
    const std::size_t first = j < beam.modes_y ? 0 : beam.modes_y;
    const std::size_t last = j < beam.modes_y ? beam.modes_y : m;
    S sum(0.0);
    for (std::size_t k = first; k < last; ++k) sum = sum + shortening[j * m + k] * amplitudes[k];
    product[j] = sum;
  }
}

/// Axis of the rotation by u_z': -Rz(u_y') e_y.
template <class S>
Vec3<S> slope_axis_z(const LinkScratch<S>& link) {
  return {link.rotation_z.s, -link.rotation_z.c, S(0.0)};
}

/// Whether the joint's origin can lie off the beam's axis, so that it moves when the cross-section
/// rotates.
inline bool has_offset(const ElasticBody& body) {
  return body.at.offset || body.joint == JointKind::prismatic;
}

/// Sets joint, rotation_z, rotation_y, r and rho of a body.
template <class S>
void update_position(const Tree& tree, Scratch<S>& scratch, std::size_t index, const S* q,
                     const S* d) {
  using std::cos;
  using std::sin;
  const ElasticBody& body = tree[index];
  LinkScratch<S>& link = scratch.links[index];
  if (body.joint == JointKind::revolute) {
    const S& position = q[body.coordinate];
    const S angle = body.offset == 0.0 ? position : S(position + S(body.offset));
    link.joint = {cos(angle), sin(angle)};
  } else {
    link.joint = {S(body.cos_offset), S(body.sin_offset)};
  }
  link.rotation_z = link.rotation_y = {S(1.0), S(0.0)};
  link.rho = {S(body.position[0]), S(body.position[1]), S(body.position[2])};
  if (body.joint == JointKind::prismatic) {
    const S& position = q[body.coordinate];
    link.rho += Vec3<S>{body.direction[0] * position, body.direction[1] * position,
                        body.direction[2] * position};
  }
  if (!body.at.deflects) {
    link.r = {link.rho.x + S(body.at.x), link.rho.y, link.rho.z};
    return;
  }
  const ElasticBody& parent = tree[static_cast<std::size_t>(body.parent)];
  const S* amplitudes = d + parent.amplitude;
  const Deflection<S> deflection = deflection_at(parent.beam, body.at, amplitudes);
  if (parent.beam.modes_y > 0) link.rotation_z = {cos(deflection.slope_y), sin(deflection.slope_y)};
  if (parent.beam.modes_z > 0)
    link.rotation_y = {cos(deflection.slope_z), -sin(deflection.slope_z)};
  link.r = {S(body.at.x), deflection.u_y, deflection.u_z};
  if (parent.beam.stiffening) {  // u_x = -1/2 d^T G d (Eq. 1b)
    S* g = scratch.shortening.data() + index * scratch.largest;
    shortening_gradient(parent.beam, body.at.shortening, amplitudes, g);
    S sum(0.0);
    for (std::size_t j = 0; j < parent.beam.modes(); ++j) sum = sum + g[j] * amplitudes[j];
    link.r.x = link.r.x - 0.5 * sum;
  }
  if (has_offset(body)) {
    if (parent.beam.modes_z > 0) rotate_about_y(link.rotation_y.c, link.rotation_y.s, link.rho);
    if (parent.beam.modes_y > 0) rotate_about_z(link.rotation_z.c, link.rotation_z.s, link.rho);
    link.r += link.rho;
  }
}

/// Sets omega and bias of a body. update_position() must have been called for it, and
/// update_velocity() for its parent.
template <class S>
void update_velocity(const Tree& tree, Scratch<S>& scratch, std::size_t index,
                     const BaseState<S>& base, const S* qd, const S* dd) {
  const ElasticBody& body = tree[index];
  LinkScratch<S>& link = scratch.links[index];
  const bool root = body.parent < 0;
  link.bias = zero6<S>();
  if (root && base.not_rotating) {
    link.omega = zero3<S>();
  } else {
    const Vec3<S>& omega =
        root ? base.angular_velocity : scratch.links[static_cast<std::size_t>(body.parent)].omega;
    link.omega = omega;
    if (!body.at.deflects) {
      link.bias.linear = cross(omega, cross(omega, link.r));
    } else {
      const ElasticBody& parent = tree[static_cast<std::size_t>(body.parent)];
      const S* rates = dd + parent.amplitude;
      const Deflection<S> rate = deflection_at(parent.beam, body.at, rates);
      // angular velocity from the slopes, Theta d-dot, and the rate of Theta
      Vec3<S> slope_rate = {S(0.0), S(0.0), rate.slope_y};
      if (parent.beam.modes_z > 0) {
        const Vec3<S> rotation_rate = rate.slope_z * slope_axis_z(link);
        slope_rate.x = rotation_rate.x;
        slope_rate.y = rotation_rate.y;
        if (parent.beam.modes_y > 0) {
          link.bias.angular = {-(rate.slope_y * rotation_rate.y), rate.slope_y * rotation_rate.x,
                               S(0.0)};
        }
      }
      link.bias.angular += cross(omega, slope_rate);
      link.omega += slope_rate;
      // omega x (omega x r + 2 u-dot); the paper's Eq. (24b) has a single u-dot
      Vec3<S> on_axis = link.r;
      if (has_offset(body)) on_axis -= link.rho;
      Vec3<S> u_rate = {S(0.0), rate.u_y + rate.u_y, rate.u_z + rate.u_z};
      if (parent.beam.stiffening) {
        const S* g = scratch.shortening.data() + index * scratch.largest;
        const std::size_t m = parent.beam.modes();
        S sum(0.0);
        for (std::size_t j = 0; j < m; ++j) {
          const std::size_t first = j < parent.beam.modes_y ? 0 : parent.beam.modes_y;
          const std::size_t last = j < parent.beam.modes_y ? parent.beam.modes_y : m;
          u_rate.x = u_rate.x - 2.0 * (g[j] * rates[j]);
          S row(0.0);
          for (std::size_t k = first; k < last; ++k)
            row = row + body.at.shortening[j * m + k] * rates[k];
          sum = sum + row * rates[j];
        }
        link.bias.linear.x = link.bias.linear.x - sum;
      }
      link.bias.linear += cross(omega, cross(omega, on_axis) + u_rate);
      if (has_offset(body)) {
        link.bias.linear +=
            cross(link.bias.angular, link.rho) + cross(link.omega, cross(link.omega, link.rho));
      }
      rotate_to_joint(tree, body, link, link.bias.angular);
    }
    rotate_to_joint(tree, body, link, link.bias.linear);
    rotate_to_joint(tree, body, link, link.omega);
  }
  if (body.joint == JointKind::revolute) {
    const S& rate = qd[body.coordinate];
    link.bias.angular.x = link.bias.angular.x + rate * link.omega.y;
    link.bias.angular.y = link.bias.angular.y - rate * link.omega.x;
    link.omega.z = link.omega.z + rate;
  } else if (body.joint == JointKind::prismatic) {
    const S twice = qd[body.coordinate] + qd[body.coordinate];
    link.bias.linear.x = link.bias.linear.x + twice * link.omega.y;
    link.bias.linear.y = link.bias.linear.y - twice * link.omega.x;
  }
  if (body.has_axes_rotation) link.omega = rotate_inverse(body.axes, link.omega);
}

/// F x: velocity (or acceleration) of the joint's origin due to the rates (or second derivatives) x
/// of the parent's amplitudes, in the parent's axes (Eq. 10, with the exact rotation).
template <class S>
SpatialVector<S> motion_from_amplitudes(const Tree& tree, const Scratch<S>& scratch,
                                        std::size_t index, const S* x) {
  const ElasticBody& body = tree[index];
  const LinkScratch<S>& link = scratch.links[index];
  const Beam& beam = tree[static_cast<std::size_t>(body.parent)].beam;
  const Deflection<S> sum = deflection_at(beam, body.at, x);
  SpatialVector<S> result = {{S(0.0), S(0.0), sum.slope_y}, {S(0.0), sum.u_y, sum.u_z}};
  if (beam.modes_z > 0) {
    const Vec3<S> axis = slope_axis_z(link);
    result.angular.x = sum.slope_z * axis.x;
    result.angular.y = sum.slope_z * axis.y;
  }
  if (beam.stiffening) {
    const S* g = scratch.shortening.data() + index * scratch.largest;
    for (std::size_t j = 0; j < beam.modes(); ++j) result.linear.x = result.linear.x - g[j] * x[j];
  }
  if (has_offset(body)) result.linear += cross(result.angular, link.rho);
  return result;
}

/// Acceleration of a body on the base in the joint's axes, without the contribution of its own
/// joint.
template <class S>
SpatialVector<S> acceleration_from_base(const Tree& tree, const ElasticBody& body,
                                        const LinkScratch<S>& link, const BaseState<S>& base,
                                        bool rotating) {
  SpatialVector<S> result = {zero3<S>(), base.acceleration};
  if (rotating) {
    result = {base.angular_acceleration,
              base.acceleration + cross(base.angular_acceleration, link.r)};
  }
  rotate_to_joint(tree, body, link, result);
  return result;
}

/// A_{i,i-1} times the parent's twist (or acceleration) plus F `d_rates`: twist (or acceleration)
/// of a body in the joint's axes, without the contribution of its own joint. `parent` is in the
/// parent's axes.
template <class S>
SpatialVector<S> transform_from_parent(const Tree& tree, const Scratch<S>& scratch,
                                       std::size_t index, const SpatialVector<S>& parent,
                                       const S* d_rates) {
  const ElasticBody& body = tree[index];
  const LinkScratch<S>& link = scratch.links[index];
  SpatialVector<S> result = {parent.angular, parent.linear + cross(parent.angular, link.r)};
  if (body.at.deflects) {
    const std::size_t first = tree[static_cast<std::size_t>(body.parent)].amplitude;
    result += motion_from_amplitudes(tree, scratch, index, d_rates + first);
  }
  rotate_to_joint(tree, body, link, result);
  return result;
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::flexible
