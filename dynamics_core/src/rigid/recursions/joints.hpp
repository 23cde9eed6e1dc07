// SPDX-License-Identifier: Apache-2.0
#pragma once

// The joint transforms of a state.

#include "rigid/recursions/tree.hpp"
#include "spatial/sine_cosine.hpp"
#include "spatial/vector_memory.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// Whether the kinds of joint rotations are handled separately: fewer operations. For packs of
/// states the one general rotation is faster (measured: a tenth), because the code is shorter.
template <class S>
inline constexpr bool separates_rotations = sizeof(S) == sizeof(double);

/// The origin of a revolute body, which does not depend on q.
template <class S>
DYNAMICS_INLINE Vec3<S> constant_position(const TreeBody& body) {
  return constant<S>(body.position);
}
template <class S>
DYNAMICS_INLINE S joint_angle(const TreeBody& body, const S& q) {
  return body.offset == 0.0 ? q : S(q + S(body.offset));
}
/// Sine and cosine of the joint angle. A scalar may provide sine_cosine(q, offset, sine, cosine),
/// where the sum would lose digits.
template <class S>
DYNAMICS_INLINE void joint_sine_and_cosine(const TreeBody& body, const S& q, S& sine, S& cosine) {
  if constexpr (requires { sine_cosine(q, body.offset, sine, cosine); }) {
    sine_cosine(q, body.offset, sine, cosine);
  } else {
    spatial::sine_and_cosine(joint_angle(body, q), sine, cosine);
  }
}

/// The transform of a prismatic joint: no sine, no cosine.
template <class S>
DYNAMICS_INLINE JointTransform<S> prismatic_transform(const TreeBody& body, const S& q) {
  const auto axis = spatial::joint_axis(body);
  const auto& p = body.position;
  return {S(body.cos_offset),
          S(body.sin_offset),
          {S(p[0]) + axis.x * q, S(p[1]) + axis.y * q, S(p[2]) + axis.z * q}};
}
/// Rz(theta)
template <class S>
DYNAMICS_INLINE spatial::PlanarRotation<S> joint_rotation(const TreeBody& body, const S& q) {
  if (body.prismatic) return {S(body.cos_offset), S(body.sin_offset)};
  spatial::PlanarRotation<S> rotation;
  joint_sine_and_cosine(body, q, rotation.s, rotation.c);
  return rotation;
}
template <class S>
JointTransform<S> joint_transform(const TreeBody& body, const S& q) {
  if (body.prismatic) return prismatic_transform(body, q);
  const spatial::PlanarRotation<S> rotation = joint_rotation(body, q);
  return {rotation.c, rotation.s, constant_position<S>(body)};
}

/// Cosines and sines of all revolute joints into scratch[i].at. The rest of a transform is a
/// constant of the body, except for prismatic joints.
template <class S, class Scratch>
void joint_rotations(const TreeBody* tree, std::size_t count, Scratch* scratch, const S* q) {
  for (std::size_t i = 0; i < count; ++i) {
    if (tree[i].prismatic) continue;
    joint_sine_and_cosine(tree[i], q[i], scratch[i].at.s, scratch[i].at.c);
  }
}
/// Several joints at a time.
template <class Scratch>
void joint_rotations(const TreeBody* tree, std::size_t count, Scratch* scratch, const double* q) {
  constexpr std::size_t lanes = spatial::sines_at_a_time;
  using Sines = spatial::SeveralSines<lanes>;
  bool small = count >= lanes;
  for (std::size_t i = 0; i < count; ++i) small &= __builtin_fabs(q[i]) <= Sines::largest;
  if (!small) {  // one by one
    joint_rotations<double>(tree, count, scratch, q);
    return;
  }
  for (std::size_t i = 0; i < count; i += lanes) {
    const std::size_t first = i + lanes <= count ? i : count - lanes;  // the last ones overlap
    const auto angle = spatial::load_vector<typename Sines::Reals>(q + first);
    typename Sines::Reals offset;
    for (std::size_t k = 0; k < lanes; ++k) offset[k] = tree[first + k].offset;
    const Sines sines(angle + offset);
    for (std::size_t k = 0; k < lanes; ++k) {
      scratch[first + k].at.s = sines.sine[k];
      scratch[first + k].at.c = sines.cosine[k];
    }
  }
}

/// The same of the bodies path[0] to path[count - 1].
template <class Scratch>
void joint_rotations(const TreeBody* tree, const std::size_t* path, std::size_t count,
                     Scratch* scratch, const double* q) {
  constexpr std::size_t lanes = spatial::sines_at_a_time;
  using Sines = spatial::SeveralSines<lanes>;
  for (std::size_t first = 0; first < count; first += lanes) {
    const std::size_t used = first + lanes <= count ? lanes : count - first;
    typename Sines::Reals angle = {};
    bool small = true;
    for (std::size_t k = 0; k < used; ++k) {
      const std::size_t i = path[first + k];
      angle[k] = q[i] + tree[i].offset;
      small &= __builtin_fabs(q[i]) <= Sines::largest;
    }
    const Sines sines(angle);
    for (std::size_t k = 0; k < used; ++k) {
      auto& at = scratch[path[first + k]].at;
      at.s = small ? sines.sine[k] : std::sin(angle[k]);
      at.c = small ? sines.cosine[k] : std::cos(angle[k]);
    }
  }
}

/// Transforms of all joints; r only where the joint does not reduce.
template <class S, class Scratch>
DYNAMICS_INLINE void joint_transforms(const Tree& tree, Scratch* scratch, const S* q) {
  joint_rotations(tree.data(), tree.size(), scratch, q);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeBody& body = tree[i];
    if (body.prismatic) {
      scratch[i].at = prismatic_transform(body, q[i]);
    } else if (body.rotor_inertia != 0.0) {
      scratch[i].at.r = constant_position<S>(body);
    }
  }
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
