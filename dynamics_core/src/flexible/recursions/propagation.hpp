// SPDX-License-Identifier: Apache-2.0
#pragma once

// Propagation to the parent of a wrench, A^T w, and of an inertia, A^T M A (Mohan and Saha, Eqs. 33
// and 38). The columns of F are combinations of five spatial vectors for any number of modes, which
// bounds the number of products with the inertia.

#include <array>

#include "flexible/recursions/link_kinematics.hpp"

namespace dynamics::flexible {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// sums += F^T w: forces on the amplitudes of a beam of a wrench about the center of the
/// cross-section `at`, in the beam's axes. `rotation_z`: Rz(u_y'); `shortening`: -du_x/dd, read
/// only with stiffening.
template <class S>
void add_section_forces(const Beam& beam, const BeamSection& at,
                        const PlanarRotation<S>& rotation_z, const S* shortening,
                        const SpatialVector<S>& wrench, S* sums) {
  const Vec3<S>& torque = wrench.angular;
  for (std::size_t j = 0; j < beam.modes_y; ++j) {
    sums[j] = sums[j] + (at.shape[j] * wrench.linear.y + at.slope[j] * torque.z);
  }
  if (beam.modes_z > 0) {
    const S about_slope_z = rotation_z.s * torque.x - rotation_z.c * torque.y;
    for (std::size_t j = beam.modes_y; j < beam.modes(); ++j) {
      sums[j] = sums[j] + (at.shape[j] * wrench.linear.z + at.slope[j] * about_slope_z);
    }
  }
  if (beam.stiffening) {
    for (std::size_t j = 0; j < beam.modes(); ++j)
      sums[j] = sums[j] - shortening[j] * wrench.linear.x;
  }
}

/// sums += F^T w: forces of a wrench on the parent's amplitudes. The wrench is at the joint's
/// origin, in the parent's axes.
template <class S>
void add_amplitude_forces(const Tree& tree, const Scratch<S>& scratch, std::size_t index,
                          SpatialVector<S> wrench, S* sums) {
  const ElasticBody& body = tree[index];
  const LinkScratch<S>& link = scratch.links[index];
  if (has_offset(body)) wrench.angular += cross(link.rho, wrench.linear);
  add_section_forces(tree[static_cast<std::size_t>(body.parent)].beam, body.at, link.rotation_z,
                     scratch.shortening.data() + index * scratch.largest, wrench, sums);
}

/// Adds a wrench at the joint's origin, in the joint's axes, to the eta of the parent and of its
/// amplitudes.
template <class S>
void propagate_wrench_to_parent(const Tree& tree, Scratch<S>& scratch, std::size_t index,
                                SpatialVector<S> wrench) {
  const ElasticBody& body = tree[index];
  const LinkScratch<S>& link = scratch.links[index];
  const auto parent = static_cast<std::size_t>(body.parent);
  rotate_to_parent(tree, body, link, wrench);
  if (body.at.deflects) {
    add_amplitude_forces(tree, scratch, index, wrench, scratch.eta.data() + tree[parent].amplitude);
  }
  SpatialVector<S>& eta = scratch.links[parent].eta;
  eta.linear += wrench.linear;
  eta.angular += wrench.angular + cross(link.r, wrench.linear);
}

/// Sweep in over the wrenches in eta (of the bodies in their own axes, of the amplitudes): the
/// forces on the joints N_d^T N_l^T w to tau (by coordinate), those on the amplitudes to phi.
template <class S>
void wrenches_to_forces(const Tree& tree, Scratch<S>& scratch, S* tau, S* phi) {
  for (std::size_t i = tree.size(); i-- > 0;) {
    const ElasticBody& body = tree[i];
    LinkScratch<S>& link = scratch.links[i];
    if (body.has_axes_rotation) link.eta = rotate(body.axes, link.eta);
    if (body.joint != JointKind::fixed) {
      tau[body.coordinate] =
          body.joint == JointKind::prismatic ? link.eta.linear.z : link.eta.angular.z;
    }
    for (std::size_t j = 0; j < body.beam.modes(); ++j) {
      phi[body.amplitude + j] = scratch.eta[body.amplitude + j];
    }
    if (body.parent >= 0) propagate_wrench_to_parent(tree, scratch, i, link.eta);
  }
}

/// The five spatial vectors whose combinations are the columns of F: unit deflection and unit slope
/// of bending along y, the same along z, and the foreshortening.
enum Generator : std::size_t { deflect_y, slope_y, deflect_z, slope_z, shorten_x };

/// Adds the inertia of a body, in the joint's axes, to the parent's inertia, columns and matrices.
/// O(m^2) for m amplitudes of the parent.
template <class S>
void propagate_inertia_to_parent(const Tree& tree, Scratch<S>& scratch, std::size_t index,
                                 ArticulatedInertia<S> inertia) {
  const ElasticBody& body = tree[index];
  const LinkScratch<S>& link = scratch.links[index];
  const auto parent = static_cast<std::size_t>(body.parent);
  rotate_to_parent(tree, body, link, inertia);
  scratch.links[parent].inertia += translate(link.r, inertia);
  if (!body.at.deflects) return;

  const Beam& beam = tree[parent].beam;
  const std::size_t m = beam.modes(), m_y = beam.modes_y;
  const bool y = beam.modes_y > 0, z = beam.modes_z > 0, x = beam.stiffening;
  // the inertia times the generators
  const Sym3<S>& M = inertia.M;
  const Mat3<S>& H = inertia.H;
  const Sym3<S>& J = inertia.I;
  std::array<SpatialVector<S>, 5> wrench{};
  if (y) wrench[deflect_y] = {{H.xy, H.yy, H.zy}, {M.xy, M.yy, M.yz}};
  if (z) wrench[deflect_z] = {{H.xz, H.yz, H.zz}, {M.xz, M.yz, M.zz}};
  if (x) wrench[shorten_x] = {{H.xx, H.yx, H.zx}, {M.xx, M.xy, M.xz}};
  Vec3<S> slope_axis = zero3<S>();
  if (y) wrench[slope_y] = {{J.xz, J.yz, J.zz}, {H.zx, H.zy, H.zz}};
  if (z) {
    slope_axis = slope_axis_z(link);
    if (y) {
      const S &a = slope_axis.x, &b = slope_axis.y;
      wrench[slope_z] = {{a * J.xx + b * J.xy, a * J.xy + b * J.yy, a * J.xz + b * J.yz},
                         {a * H.xx + b * H.yx, a * H.xy + b * H.yy, a * H.xz + b * H.yz}};
    } else {  // slope_axis = -e_y
      wrench[slope_z] = {{-J.xy, -J.yy, -J.yz}, {-H.yx, -H.yy, -H.yz}};
    }
  }
  if (has_offset(body)) {  // the slopes also move the joint's origin
    const auto add = [&](SpatialVector<S>& w, const Vec3<S>& axis) {
      const Vec3<S> displacement = cross(axis, link.rho);
      w += SpatialVector<S>{H * displacement, M * displacement};
    };
    if (y) add(wrench[slope_y], Vec3<S>{S(0.0), S(0.0), S(1.0)});
    if (z) add(wrench[slope_z], slope_axis);
  }
  // generator^T (inertia generator), then M_dd
  const auto project = [&](const SpatialVector<S>& w) {
    std::array<S, 5> result{};
    Vec3<S> torque = w.angular;
    if (has_offset(body)) torque += cross(link.rho, w.linear);
    if (y) {
      result[deflect_y] = w.linear.y;
      result[slope_y] = torque.z;
    }
    if (z) {
      result[deflect_z] = w.linear.z;
      result[slope_z] = y ? S(slope_axis.x * torque.x + slope_axis.y * torque.y) : S(-torque.y);
    }
    if (x) result[shorten_x] = w.linear.x;
    return result;
  };
  std::array<std::array<S, 5>, 5> gram{};
  for (std::size_t g = 0; g < 5; ++g) {
    const bool present = g == shorten_x ? x : (g < deflect_z ? y : z);
    if (present) gram[g] = project(wrench[g]);
  }
  const double* shape = body.at.shape.data();
  const double* slope = body.at.slope.data();
  const S* shortening = scratch.shortening.data() + index * scratch.largest;
  S* matrix = scratch.matrices.data() + tree[parent].matrix;
  for (std::size_t k = 0; k < m; ++k) {
    const bool k_y = k < m_y;
    const auto& first = gram[k_y ? deflect_y : deflect_z];
    const auto& second = gram[k_y ? slope_y : slope_z];
    std::array<S, 5> projected{};  // generator^T inertia F_k
    for (std::size_t g = 0; g < 5; ++g) {
      const bool present = g == shorten_x ? x : (g < deflect_z ? y && k_y : z);
      if (!present) continue;
      projected[g] = shape[k] * first[g] + slope[k] * second[g];
      if (x) projected[g] = projected[g] - shortening[k] * gram[shorten_x][g];
    }
    // rows from k on: lower triangle
    for (std::size_t j = k; j < m; ++j) {
      const bool j_y = j < m_y;
      S sum = shape[j] * projected[j_y ? deflect_y : deflect_z] +
              slope[j] * projected[j_y ? slope_y : slope_z];
      if (x) sum = sum - shortening[j] * projected[shorten_x];
      matrix[j * m + k] = matrix[j * m + k] + sum;
    }
  }
  // the generators' wrenches at the parent's origin, then M_td
  const auto move_to_parent_origin = [&](SpatialVector<S>& w) {
    w.angular += cross(link.r, w.linear);
  };
  if (y) {
    move_to_parent_origin(wrench[deflect_y]);
    move_to_parent_origin(wrench[slope_y]);
  }
  if (z) {
    move_to_parent_origin(wrench[deflect_z]);
    move_to_parent_origin(wrench[slope_z]);
  }
  if (x) move_to_parent_origin(wrench[shorten_x]);
  SpatialVector<S>* columns = scratch.columns.data() + tree[parent].amplitude;
  for (std::size_t k = 0; k < m; ++k) {
    const bool k_y = k < m_y;
    columns[k] +=
        shape[k] * wrench[k_y ? deflect_y : deflect_z] + slope[k] * wrench[k_y ? slope_y : slope_z];
    if (x) {
      columns[k].angular -= shortening[k] * wrench[shorten_x].angular;
      columns[k].linear -= shortening[k] * wrench[shorten_x].linear;
    }
  }
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::flexible
