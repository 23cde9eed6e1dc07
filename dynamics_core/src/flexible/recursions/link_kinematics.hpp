// SPDX-License-Identifier: Apache-2.0
#pragma once

// Positions and motions of the bodies: the twist propagation A_{i,i-1} with the deflection and the
// slope of the previous link (Mohan and Saha, Eqs. 7 to 11), and its rate.
//
// The slopes of a bent beam are taken as the rotation Rz(u_y') Ry(-u_z'), and everything below as
// its exact consequence: the equations are those of Lagrange for these coordinates, whatever the
// size of the amplitudes.

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
  // where the body hangs on its parent
  PlanarRotation<S> joint;             ///< Rz(offset + q)
  PlanarRotation<S> slope_z, slope_y;  ///< of the parent's beam there
  Vec3<S> r;    ///< the body's origin, from the parent's, in the parent's axes
  Vec3<S> rho;  ///< its part that turns with the slopes

  Vec3<S> omega;              ///< in the body's axes
  SpatialVector<S> bias;      ///< acceleration for zero second derivatives, in the joint's axes
  SpatialVector<S> velocity;  ///< twist in the body's axes, filled for energies only

  ArticulatedInertia<S> inertia;
  SpatialVector<S> eta;  ///< wrench for zero acceleration
  SpatialVector<S> psi;
  S pivot, pivot_inverse, force;
  SpatialVector<S> mu;  ///< acceleration in the body's axes
};

/// Scratch of all recursions, for one thread at a time.
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

  std::size_t largest = 0;            ///< number of amplitudes of a body
  std::vector<LinkScratch<S>> links;  ///< by body
  std::vector<SpatialVector<S>>
      columns;  ///< M_td: by amplitude, what of the twist it is coupled to
  std::vector<SpatialVector<S>> reduced;  ///< L^-1 M_dt
  std::vector<S> eta;                     ///< by amplitude: the force for zero acceleration
  std::vector<S> forces;                  ///< by amplitude: L^-1 (phi - eta)
  std::vector<S> products;                ///< int s_j u_y, int s_j u_z and their rates
  std::vector<S> matrices;                ///< M_dd of every body, later its factors
  std::vector<S> shortening;              ///< by body: du_x/dd of its place on the parent's beam
};

/// From the joint's axes to the parent's; `Quantity` is Vec3, Six, or an inertia.
template <class S, class Quantity>
void rotate_to_parent(const Tree& tree, const ElasticBody& body, const LinkScratch<S>& link,
                      Quantity& quantity) {
  if (body.joint == JointKind::revolute || body.offset != 0.0)
    rotate_about_z(link.joint.c, link.joint.s, quantity);
  if (body.has_alpha) rotate_about_x(body.cos_alpha, body.sin_alpha, quantity);
  if (body.has_beta) rotate_about_z(body.cos_beta, body.sin_beta, quantity);
  if (!body.at.bends) return;
  const Beam& beam = tree[static_cast<std::size_t>(body.parent)].beam;
  if (beam.modes_z > 0) rotate_about_y(link.slope_y.c, link.slope_y.s, quantity);
  if (beam.modes_y > 0) rotate_about_z(link.slope_z.c, link.slope_z.s, quantity);
}

/// From the parent's axes to the joint's.
template <class S, class Quantity>
void rotate_to_joint(const Tree& tree, const ElasticBody& body, const LinkScratch<S>& link,
                     Quantity& quantity) {
  if (body.at.bends) {
    const Beam& beam = tree[static_cast<std::size_t>(body.parent)].beam;
    if (beam.modes_y > 0) rotate_about_z(link.slope_z.c, -link.slope_z.s, quantity);
    if (beam.modes_z > 0) rotate_about_y(link.slope_y.c, -link.slope_y.s, quantity);
  }
  if (body.has_beta) rotate_about_z(body.cos_beta, -body.sin_beta, quantity);
  if (body.has_alpha) rotate_about_x(body.cos_alpha, -body.sin_alpha, quantity);
  if (body.joint == JointKind::revolute || body.offset != 0.0)
    rotate_about_z(link.joint.c, -link.joint.s, quantity);
}

/// Deflection and slopes at a place of a beam, or their rates: sums over amplitudes.
template <class S>
struct Bending {
  S u_y, u_z;      ///< deflection
  S turn_z, lean;  ///< u_y' and u_z'
};
template <class S>
Bending<S> bending(const Beam& beam, const BeamSection& at, const S* amplitudes) {
  Bending<S> sum{S(0.0), S(0.0), S(0.0), S(0.0)};
  for (std::size_t j = 0; j < beam.modes_y; ++j) {
    sum.u_y = j == 0 ? at.shape[0] * amplitudes[0] : sum.u_y + at.shape[j] * amplitudes[j];
    sum.turn_z = j == 0 ? at.slope[0] * amplitudes[0] : sum.turn_z + at.slope[j] * amplitudes[j];
  }
  for (std::size_t j = beam.modes_y; j < beam.modes(); ++j) {
    const bool first = j == beam.modes_y;
    sum.u_z = first ? at.shape[j] * amplitudes[j] : sum.u_z + at.shape[j] * amplitudes[j];
    sum.lean = first ? at.slope[j] * amplitudes[j] : sum.lean + at.slope[j] * amplitudes[j];
  }
  return sum;
}

/// shortening times amplitudes, row by row: -du_x/dd
template <class S>
void shorten(const Beam& beam, const std::vector<double>& shortening, const S* amplitudes,
             S* product) {
  const std::size_t m = beam.modes();
  for (std::size_t j = 0; j < m; ++j) {
    const std::size_t first = j < beam.modes_y ? 0 : beam.modes_y;
    const std::size_t last = j < beam.modes_y ? beam.modes_y : m;
    S sum(0.0);
    for (std::size_t k = first; k < last; ++k) sum = sum + shortening[j * m + k] * amplitudes[k];
    product[j] = sum;
  }
}

/// The axis about which bending along z turns the cross-section: -Rz(u_y') e_y, per u_z'.
template <class S>
Vec3<S> lean_axis(const LinkScratch<S>& link) {
  return {link.slope_z.s, -link.slope_z.c, S(0.0)};
}

template <class S>
void place(const Tree& tree, Scratch<S>& scratch, std::size_t index, const S* q, const S* d) {
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
  link.slope_z = link.slope_y = {S(1.0), S(0.0)};
  link.rho = {S(body.position[0]), S(body.position[1]), S(body.position[2])};
  if (body.joint == JointKind::prismatic) {
    const S& way = q[body.coordinate];
    link.rho += Vec3<S>{body.direction[0] * way, body.direction[1] * way, body.direction[2] * way};
  }
  if (!body.at.bends) {
    link.r = {link.rho.x + S(body.at.x), link.rho.y, link.rho.z};
    return;
  }
  const ElasticBody& parent = tree[static_cast<std::size_t>(body.parent)];
  const S* amplitudes = d + parent.amplitude;
  const Bending<S> bent = bending(parent.beam, body.at, amplitudes);
  if (parent.beam.modes_y > 0) link.slope_z = {cos(bent.turn_z), sin(bent.turn_z)};
  if (parent.beam.modes_z > 0) link.slope_y = {cos(bent.lean), -sin(bent.lean)};
  link.r = {S(body.at.x), bent.u_y, bent.u_z};
  if (parent.beam.stiffening) {  // u_x = -1/2 d^T G d (Eq. 1b)
    S* g = scratch.shortening.data() + index * scratch.largest;
    shorten(parent.beam, body.at.shortening, amplitudes, g);
    S sum(0.0);
    for (std::size_t j = 0; j < parent.beam.modes(); ++j) sum = sum + g[j] * amplitudes[j];
    link.r.x = link.r.x - 0.5 * sum;
  }
  if (body.at.offset || body.joint == JointKind::prismatic) {
    if (parent.beam.modes_z > 0) rotate_about_y(link.slope_y.c, link.slope_y.s, link.rho);
    if (parent.beam.modes_y > 0) rotate_about_z(link.slope_z.c, link.slope_z.s, link.rho);
    link.r += link.rho;
  }
}

/// Whether the way from the beam's axis to the body's origin turns with the slopes.
inline bool carries(const ElasticBody& body) {
  return body.at.offset || body.joint == JointKind::prismatic;
}

/// Angular velocity and bias acceleration. `place` came before.
template <class S>
void move(const Tree& tree, Scratch<S>& scratch, std::size_t index, const BaseState<S>& base,
          const S* qd, const S* dd) {
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
    if (!body.at.bends) {
      link.bias.linear = cross(omega, cross(omega, link.r));
    } else {
      const ElasticBody& parent = tree[static_cast<std::size_t>(body.parent)];
      const S* rates = dd + parent.amplitude;
      const Bending<S> rate = bending(parent.beam, body.at, rates);
      // what the slopes add to the angular velocity, Theta d-dot, and the rate of Theta
      Vec3<S> slope_rate = {S(0.0), S(0.0), rate.turn_z};
      if (parent.beam.modes_z > 0) {
        const Vec3<S> leaning = rate.lean * lean_axis(link);
        slope_rate.x = leaning.x;
        slope_rate.y = leaning.y;
        if (parent.beam.modes_y > 0) {
          link.bias.angular = {-(rate.turn_z * leaning.y), rate.turn_z * leaning.x, S(0.0)};
        }
      }
      link.bias.angular += cross(omega, slope_rate);
      link.omega += slope_rate;
      // omega x (omega x r + 2 u-dot): the paper's (24b) prints one u-dot
      Vec3<S> on_axis = link.r;
      if (carries(body)) on_axis -= link.rho;
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
      if (carries(body)) {
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
  if (body.reframed) link.omega = rotate_inverse(body.axes, link.omega);
}

/// F x: the acceleration (or velocity) that the parent's amplitudes give to the joint's origin, in
/// the parent's axes (Eq. 10, with the exact rotation).
template <class S>
SpatialVector<S> motion_of_bending(const Tree& tree, const Scratch<S>& scratch, std::size_t index,
                                   const S* x) {
  const ElasticBody& body = tree[index];
  const LinkScratch<S>& link = scratch.links[index];
  const Beam& beam = tree[static_cast<std::size_t>(body.parent)].beam;
  const Bending<S> sum = bending(beam, body.at, x);
  SpatialVector<S> result = {{S(0.0), S(0.0), sum.turn_z}, {S(0.0), sum.u_y, sum.u_z}};
  if (beam.modes_z > 0) {
    const Vec3<S> axis = lean_axis(link);
    result.angular.x = sum.lean * axis.x;
    result.angular.y = sum.lean * axis.y;
  }
  if (beam.stiffening) {
    const S* g = scratch.shortening.data() + index * scratch.largest;
    for (std::size_t j = 0; j < beam.modes(); ++j) result.linear.x = result.linear.x - g[j] * x[j];
  }
  if (carries(body)) result.linear += cross(result.angular, link.rho);
  return result;
}

/// The acceleration (or twist) of a body in the joint's axes, without the joint's own share:
/// A_{i,i-1} times the parent's; `own` of parents in their axes, `d_rates` the amplitudes' share.
template <class S>
SpatialVector<S> transform_from_parent(const Tree& tree, const Scratch<S>& scratch,
                                       std::size_t index, const SpatialVector<S>& parent,
                                       const S* d_rates) {
  const ElasticBody& body = tree[index];
  const LinkScratch<S>& link = scratch.links[index];
  SpatialVector<S> result = {parent.angular, parent.linear + cross(parent.angular, link.r)};
  if (body.at.bends) {
    const std::size_t first = tree[static_cast<std::size_t>(body.parent)].amplitude;
    result += motion_of_bending(tree, scratch, index, d_rates + first);
  }
  rotate_to_joint(tree, body, link, result);
  return result;
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::flexible
