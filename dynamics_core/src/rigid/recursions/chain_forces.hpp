// SPDX-License-Identifier: Apache-2.0
#pragma once

// Forces of the bodies of a short chain that are carried to the base together, one body per SIMD
// lane. Their torques about the joints are rows of a triangular matrix: of the inertia matrix from
// the columns of the composite inertias, of U from psi.

#include "rigid/recursions/joints.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

#if defined(__AVX512F__)
inline constexpr std::size_t chain_lanes = 8;
#elif defined(__AVX__)
inline constexpr std::size_t chain_lanes = 4;
#else
inline constexpr std::size_t chain_lanes = 0;  // no chain is short
#endif

/// A triangular matrix over the bodies of a short chain: entry (j, i) for the bodies i that j
/// carries. The others are not used.
struct ChainRows {
  static constexpr std::size_t largest = chain_lanes == 0 ? 0 : 8;
  alignas(64) double entries[8][8];
};

inline bool is_short_chain(const Tree& tree) {
  return tree.size() <= ChainRows::largest && is_serial_chain(tree);
}

#if defined(__AVX__)
/// Fills the rows. `force`(i): the force of body i in its own axes; `scratch`[i].at: transforms, r
/// where the joint is prismatic or `general`(body).
template <class Scratch, class Force, class General>
DYNAMICS_INLINE void carry_chain_forces(const Tree& tree, const Scratch* scratch, Force&& force,
                                        General&& general, ChainRows& rows) {
  constexpr std::size_t lanes = chain_lanes;
  typedef double Vector __attribute__((vector_size(8 * lanes)));      // NOLINT
  typedef long long Indices __attribute__((vector_size(8 * lanes)));  // NOLINT
  const auto broadcast = [](double x) DYNAMICS_INLINE_LAMBDA { return x - Vector{}; };
  for (std::size_t first = 0; first < tree.size(); first += lanes) {
    const std::size_t end = first + lanes < tree.size() ? first + lanes : tree.size();
    Indices index = {};
    for (std::size_t k = 0; k < lanes; ++k) {
      const std::size_t i = first + k;
      index[k] = static_cast<long long>(i);
    }
    const Vector zero = {};
    SpatialVector<Vector> f = {{zero, zero, zero}, {zero, zero, zero}};
    for (std::size_t i = end; --i > 0;) {
      const TreeBody& body = tree[i];
      if (i >= first) {
        const SpatialVector<double>& own = force(i);
        const Indices here = index == static_cast<long long>(i) - Indices{};
        const auto insert = [&](double x, Vector& to)
                                DYNAMICS_INLINE_LAMBDA { to = here ? broadcast(x) : to; };
        insert(own.angular.x, f.angular.x);
        insert(own.angular.y, f.angular.y);
        insert(own.angular.z, f.angular.z);
        insert(own.linear.x, f.linear.x);
        insert(own.linear.y, f.linear.y);
        insert(own.linear.z, f.linear.z);
      }
      const auto& at = scratch[i].at;
      const Vector c = broadcast(at.c), s = broadcast(at.s);
      if (general(body)) {
        const JointTransform<Vector> transform = {
            c, s, {broadcast(at.r.x), broadcast(at.r.y), broadcast(at.r.z)}};
        f = propagate_to_parent(body, transform, f);
      } else {
        with_rotation(body, at, [&](const auto& rotation) DYNAMICS_INLINE_LAMBDA {
          propagate_to_parent(spatial::with_cosine_and_sine(rotation, c, s), f);
        });
      }
      spatial::store_vector(tree[i - 1].prismatic ? f.linear.z : f.angular.z,
                            &rows.entries[i - 1][first]);
    }
  }
}
#else
template <class Scratch, class Force, class General>
void carry_chain_forces(const Tree&, const Scratch*, Force&&, General&&, ChainRows&) {}
#endif

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
