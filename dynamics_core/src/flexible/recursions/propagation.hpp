// SPDX-License-Identifier: Apache-2.0
#pragma once

// Propagation to the parent: of a force, A^T w, and of an inertia, A^T M A (Mohan and Saha, Eqs. 33
// and 38). Uses the structure of F: its columns are combinations of five spatial vectors, whatever
// the number of modes.

#include <array>

#include "flexible/recursions/motion.hpp"

namespace dynamics::flexible {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// Adds F^T w to the forces on the parent's amplitudes, for a wrench at the joint's origin in the
/// parent's axes.
template <class S>
void add_to_amplitudes(const Tree& tree, const Scratch<S>& scratch, std::size_t index,
                       const SpatialVector<S>& wrench, S* sums) {
  const ElasticBody& body = tree[index];
  const LinkScratch<S>& link = scratch.links[index];
  const Beam& beam = tree[static_cast<std::size_t>(body.parent)].beam;
  Vec3<S> moment = wrench.angular;
  if (carries(body)) moment += cross(link.rho, wrench.linear);
  for (std::size_t j = 0; j < beam.modes_y; ++j) {
    sums[j] = sums[j] + (body.at.shape[j] * wrench.linear.y + body.at.slope[j] * moment.z);
  }
  if (beam.modes_z > 0) {
    const S about = link.slope_z.s * moment.x - link.slope_z.c * moment.y;
    for (std::size_t j = beam.modes_y; j < beam.modes(); ++j) {
      sums[j] = sums[j] + (body.at.shape[j] * wrench.linear.z + body.at.slope[j] * about);
    }
  }
  if (beam.stiffening) {
    const S* g = scratch.shortening.data() + index * scratch.largest;
    for (std::size_t j = 0; j < beam.modes(); ++j) sums[j] = sums[j] - g[j] * wrench.linear.x;
  }
}

/// Adds a wrench, given at the joint's origin in the joint's axes, to the parent's eta.
template <class S>
void propagate_wrench_to_parent(const Tree& tree, Scratch<S>& scratch, std::size_t index,
                                SpatialVector<S> wrench) {
  const ElasticBody& body = tree[index];
  const LinkScratch<S>& link = scratch.links[index];
  const auto parent = static_cast<std::size_t>(body.parent);
  rotate_to_parent(tree, body, link, wrench);
  if (body.at.bends) {
    add_to_amplitudes(tree, scratch, index, wrench, scratch.eta.data() + tree[parent].amplitude);
  }
  SpatialVector<S>& eta = scratch.links[parent].eta;
  eta.linear += wrench.linear;
  eta.angular += wrench.angular + cross(link.r, wrench.linear);
}

/// The five spatial vectors that F's columns combine: unit deflection along y and its slope, the
/// same along z, and the foreshortening.
enum Generator : std::size_t { deflect_y, slope_y, deflect_z, slope_z, shorten_x };

/// Adds the inertia of a body, given in the joint's axes, to the parent's mass matrix.
template <class S>
void propagate_inertia_to_parent(const Tree& tree, Scratch<S>& scratch, std::size_t index,
                                 ArticulatedInertia<S> inertia) {
  const ElasticBody& body = tree[index];
  const LinkScratch<S>& link = scratch.links[index];
  const auto parent = static_cast<std::size_t>(body.parent);
  rotate_to_parent(tree, body, link, inertia);
  scratch.links[parent].inertia += translate(link.r, inertia);
  if (!body.at.bends) return;

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
  Vec3<S> lean = zero3<S>();
  if (y) wrench[slope_y] = {{J.xz, J.yz, J.zz}, {H.zx, H.zy, H.zz}};
  if (z) {
    lean = lean_axis(link);
    if (y) {
      const S &a = lean.x, &b = lean.y;
      wrench[slope_z] = {{a * J.xx + b * J.xy, a * J.xy + b * J.yy, a * J.xz + b * J.yz},
                         {a * H.xx + b * H.yx, a * H.xy + b * H.yy, a * H.xz + b * H.yz}};
    } else {  // lean = -e_y
      wrench[slope_z] = {{-J.xy, -J.yy, -J.yz}, {-H.yx, -H.yy, -H.yz}};
    }
  }
  if (carries(body)) {  // a slope also moves the joint's origin
    const auto add = [&](SpatialVector<S>& w, const Vec3<S>& axis) {
      const Vec3<S> way = cross(axis, link.rho);
      w += SpatialVector<S>{H * way, M * way};
    };
    if (y) add(wrench[slope_y], Vec3<S>{S(0.0), S(0.0), S(1.0)});
    if (z) add(wrench[slope_z], lean);
  }
  // generator^T (inertia generator), then M_dd
  const auto project = [&](const SpatialVector<S>& w) {
    std::array<S, 5> result{};
    Vec3<S> moment = w.angular;
    if (carries(body)) moment += cross(link.rho, w.linear);
    if (y) {
      result[deflect_y] = w.linear.y;
      result[slope_y] = moment.z;
    }
    if (z) {
      result[deflect_z] = w.linear.z;
      result[slope_z] = y ? S(lean.x * moment.x + lean.y * moment.y) : S(-moment.y);
    }
    if (x) result[shorten_x] = w.linear.x;
    return result;
  };
  std::array<std::array<S, 5>, 5> gram{};
  for (std::size_t g = 0; g < 5; ++g) {
    const bool there = g == shorten_x ? x : (g < deflect_z ? y : z);
    if (there) gram[g] = project(wrench[g]);
  }
  const double* shape = body.at.shape.data();
  const double* slope = body.at.slope.data();
  const S* shortened = scratch.shortening.data() + index * scratch.largest;
  S* matrix = scratch.matrices.data() + tree[parent].matrix;
  for (std::size_t k = 0; k < m; ++k) {
    const bool k_y = k < m_y;
    const auto& first = gram[k_y ? deflect_y : deflect_z];
    const auto& second = gram[k_y ? slope_y : slope_z];
    std::array<S, 5> felt{};  // generator^T inertia F_k
    for (std::size_t g = 0; g < 5; ++g) {
      const bool there = g == shorten_x ? x : (g < deflect_z ? y && k_y : z);
      if (!there) continue;
      felt[g] = shape[k] * first[g] + slope[k] * second[g];
      if (x) felt[g] = felt[g] - shortened[k] * gram[shorten_x][g];
    }
    // rows from k on: y before z, so that only what is at or behind k is needed
    for (std::size_t j = k; j < m; ++j) {
      const bool j_y = j < m_y;
      S sum =
          shape[j] * felt[j_y ? deflect_y : deflect_z] + slope[j] * felt[j_y ? slope_y : slope_z];
      if (x) sum = sum - shortened[j] * felt[shorten_x];
      matrix[j * m + k] = matrix[j * m + k] + sum;
    }
  }
  // the generators' wrenches at the parent's origin, then M_td
  const auto shift = [&](SpatialVector<S>& w) { w.angular += cross(link.r, w.linear); };
  if (y) {
    shift(wrench[deflect_y]);
    shift(wrench[slope_y]);
  }
  if (z) {
    shift(wrench[deflect_z]);
    shift(wrench[slope_z]);
  }
  if (x) shift(wrench[shorten_x]);
  SpatialVector<S>* columns = scratch.columns.data() + tree[parent].amplitude;
  for (std::size_t k = 0; k < m; ++k) {
    const bool k_y = k < m_y;
    columns[k] +=
        shape[k] * wrench[k_y ? deflect_y : deflect_z] + slope[k] * wrench[k_y ? slope_y : slope_z];
    if (x) {
      columns[k].angular -= shortened[k] * wrench[shorten_x].angular;
      columns[k].linear -= shortened[k] * wrench[shorten_x].linear;
    }
  }
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::flexible
