// SPDX-License-Identifier: Apache-2.0
// Derived fields of the bodies of a tree.

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/model_data.hpp"

namespace dynamics {
namespace {

Eigen::Vector3d axis_in_parent(const TreeBody& body) {
  return {body.sin_beta * body.sin_alpha, -body.cos_beta * body.sin_alpha, body.cos_alpha};
}

AlphaKind alpha_kind_of(const TreeBody& body) {
  if (body.has_beta) return AlphaKind::general;
  if (body.sin_alpha == 0.0 && body.cos_alpha == 1.0) return AlphaKind::zero;
  if (body.cos_alpha != 0.0) return AlphaKind::general;
  return body.sin_alpha > 0.0 ? AlphaKind::plus_90 : AlphaKind::minus_90;
}

/// Splits position = slide d + shift, d the joint axis, so that as many components as possible are
/// zero.
void split_position(TreeBody& body) {
  const Eigen::Map<const Eigen::Vector3d> p(body.position);
  const Eigen::Vector3d d = axis_in_parent(body);
  // the common normal of the two axes is X, so that y of shift is zero; if the axes are nearly
  // parallel, project p on d instead
  const bool skew = !body.has_beta && std::abs(body.sin_alpha) > 0.25;
  body.slide = skew ? -p.y() / body.sin_alpha : p.dot(d);
  Eigen::Map<Eigen::Vector3d> shift(body.shift);
  shift = p - body.slide * d;
  const double small = 4.0 * std::numeric_limits<double>::epsilon() * p.norm();
  if (std::abs(body.slide) <= small) body.slide = 0.0;
  for (double& x : shift) {
    if (std::abs(x) <= small) x = 0.0;
  }
}

/// Moves the inertial parameters that the revolute joint does not affect to the parent: mass, first
/// and second moment along the joint axis, as of a rod along d through r.
void move_axis_to_parent(TreeBody& body, TreeBody* parent) {
  TreeBody::Minimal& own = body.minimal;
  const double mass = own.mass, first = own.first_moment[2], second = own.pseudo_inertia[5];
  own.mass = own.first_moment[2] = own.pseudo_inertia[5] = 0.0;
  if (parent == nullptr) return;
  const Eigen::Vector3d d = axis_in_parent(body);
  const double* r = body.position;
  TreeBody::Minimal& to = parent->minimal;
  to.mass += mass;
  for (int i = 0; i < 3; ++i) to.first_moment[i] += mass * r[i] + first * d[i];
  int entry = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      to.pseudo_inertia[entry++] +=
          mass * r[i] * r[j] + first * (r[i] * d[j] + d[i] * r[j]) + second * d[i] * d[j];
    }
  }
}

}  // namespace

void prepare_tree(Tree& tree) {
  for (std::size_t i = 0; i < tree.size(); ++i) {
    TreeBody& body = tree[i];
    body.alpha_kind = alpha_kind_of(body);
    split_position(body);
    body.at_parent_origin = Eigen::Map<const Eigen::Vector3d>(body.position).isZero(0.0);
    const double xx = body.inertia[0], yy = body.inertia[3], zz = body.inertia[5];
    Eigen::Map<Eigen::Vector3d>(body.inertia_differences) << zz - yy, xx - zz, yy - xx;
    body.minimal.mass = body.mass;
    std::copy(std::begin(body.first_moment), std::end(body.first_moment),
              body.minimal.first_moment);
    std::copy(std::begin(body.pseudo_inertia), std::end(body.pseudo_inertia),
              body.minimal.pseudo_inertia);
    if (body.parent < 0) continue;
    const auto parent = static_cast<std::size_t>(body.parent);
    (parent + 1 == i ? tree[parent].next_is_child : tree[parent].has_nonadjacent_child) = true;
    body.parent_is_revolute_root = tree[parent].parent < 0 && !tree[parent].prismatic;
  }
  for (std::size_t i = tree.size(); i-- > 0;) {
    TreeBody& body = tree[i];
    body.minimal.inertia_zz = body.minimal.pseudo_inertia[0] + body.minimal.pseudo_inertia[3];
    if (body.prismatic) body.carries_mass = true;
    if (body.carries_mass && body.parent >= 0) {
      tree[static_cast<std::size_t>(body.parent)].carries_mass = true;
    }
    if (body.prismatic) continue;
    move_axis_to_parent(body,
                        body.parent < 0 ? nullptr : &tree[static_cast<std::size_t>(body.parent)]);
  }
}

}  // namespace dynamics
