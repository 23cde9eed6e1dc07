// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model_data.hpp"

namespace dynamics {
namespace {

TreeBody::Twist twist_of(const TreeBody& body) {
  using Twist = TreeBody::Twist;
  if (body.turned) return Twist::general;
  if (body.sin_alpha == 0.0 && body.cos_alpha == 1.0) return Twist::none;
  if (body.cos_alpha != 0.0) return Twist::general;
  return body.sin_alpha > 0.0 ? Twist::quarter : Twist::minus_quarter;
}

/// What lies on the body's axis goes to the parent: a rod of this mass, first moment and second
/// moment along d through r, neither of which the joint moves.
void move_axis_to_parent(TreeBody& body, TreeBody* parent) {
  TreeBody::Minimal& own = body.minimal;
  const double mass = own.mass, first = own.moment[2], second = own.pseudo_inertia[5];
  own.mass = own.moment[2] = own.pseudo_inertia[5] = 0.0;
  if (parent == nullptr) return;
  const double d[3] = {body.sin_beta * body.sin_alpha, -body.cos_beta * body.sin_alpha,
                       body.cos_alpha};
  const double* r = body.position;
  TreeBody::Minimal& to = parent->minimal;
  to.mass += mass;
  for (int i = 0; i < 3; ++i) to.moment[i] += mass * r[i] + first * d[i];
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
    body.twist = twist_of(body);
    body.minimal.mass = body.mass;
    std::copy(std::begin(body.moment), std::end(body.moment), body.minimal.moment);
    std::copy(std::begin(body.pseudo_inertia), std::end(body.pseudo_inertia),
              body.minimal.pseudo_inertia);
    if (body.parent < 0) continue;
    const auto parent = static_cast<std::size_t>(body.parent);
    (parent + 1 == i ? tree[parent].continued : tree[parent].forked) = true;
    body.second = tree[parent].parent < 0 && !tree[parent].prismatic;
  }
  for (std::size_t i = tree.size(); i-- > 0;) {
    TreeBody& body = tree[i];
    body.minimal.inertia_zz = body.minimal.pseudo_inertia[0] + body.minimal.pseudo_inertia[3];
    if (body.prismatic) continue;
    move_axis_to_parent(body,
                        body.parent < 0 ? nullptr : &tree[static_cast<std::size_t>(body.parent)]);
  }
}

}  // namespace dynamics
