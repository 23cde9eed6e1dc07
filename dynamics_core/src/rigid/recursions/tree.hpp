// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tree as the recursions read it, and the algebra they use.

#include "model/tree.hpp"
#include "spatial/joint_transform.hpp"

namespace dynamics::kernel {

using spatial::ArticulatedInertia;
using spatial::constant;
using spatial::cross;
using spatial::dot;
using spatial::JointTransform;
using spatial::Mat3;
using spatial::ReducedInertia;
using spatial::RevoluteColumn;
using spatial::rigid_inertia;
using spatial::RigidInertia;
using spatial::SpatialVector;
using spatial::Sym3;
using spatial::to_body;
using spatial::to_parent;
using spatial::Vec3;
using spatial::zero3;
using spatial::zero6;

/// The bodies of a tree whose constants are Real.
template <class Real>
struct BodyOf {
  using Type = BasicTreeBody<Real>;
};
template <>
struct BodyOf<double> {
  using Type = dynamics::TreeBody;
};

/// A view of the bodies: no code of a standard container may be compiled for an instruction set.
template <class Real>
class BasicTree {
 public:
  using Body = typename BodyOf<Real>::Type;
  DYNAMICS_INLINE BasicTree(const Body* bodies, std::size_t count)
      : bodies_(bodies), count_(count) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a view
  DYNAMICS_INLINE BasicTree(const std::vector<Body>& tree) : BasicTree(tree.data(), tree.size()) {}
  DYNAMICS_INLINE const Body* data() const { return bodies_; }
  DYNAMICS_INLINE std::size_t size() const { return count_; }
  DYNAMICS_INLINE const Body& operator[](std::size_t i) const { return bodies_[i]; }

 private:
  const Body* bodies_;
  std::size_t count_;
};

inline namespace DYNAMICS_KERNEL_NAMESPACE {

// the constants of the model are float in the kernels on packs of floats
#ifdef DYNAMICS_KERNEL_FLOAT
using Tree = BasicTree<float>;
#else
using Tree = BasicTree<double>;
#endif
using TreeBody = Tree::Body;

inline bool is_root(const TreeBody& body) { return body.parent < 0; }
/// A revolute joint on the base.
inline bool is_revolute_root(const TreeBody& body) { return is_root(body) && !body.prismatic; }
/// Whether body i directly follows its parent in the list. Then the recursions pass results from
/// one to the other in registers, else through the parent's scratch.
inline bool follows_parent(const TreeBody& body, std::size_t i) {
  return static_cast<std::size_t>(body.parent) + 1 == i;
}
/// Whether every body carries the next one: no entry of a matrix over bodies is zero by structure.
inline bool is_serial_chain(const Tree& tree) {
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (!follows_parent(tree[i], i)) return false;
  }
  return true;
}
/// Whether the elimination of the joint leaves a ReducedInertia.
inline bool reduces(const TreeBody& body) { return !body.prismatic && body.rotor_inertia == 0.0; }

/// The component of a force or motion along the joint. By value: a reference to one of two
/// components would keep the vector in memory.
template <class S>
DYNAMICS_INLINE S along_joint(const TreeBody& body, const SpatialVector<S>& v) {
  return body.prismatic ? v.linear.z : v.angular.z;
}
template <class S>
DYNAMICS_INLINE void add_along_joint(const TreeBody& body, const S& x, SpatialVector<S>& v) {
  if (body.prismatic) {
    v.linear.z = v.linear.z + x;
  } else {
    v.angular.z = v.angular.z + x;
  }
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
