// SPDX-License-Identifier: Apache-2.0
#pragma once

// The decomposition U D U^T of the inertia matrix of a tree with clusters of coupled joints, and
// solutions with it, in O(n + sum of r^3), r the number of joints of a cluster.
//
// The joint rates of a cluster are N zeta with a basis N of the motions that keep its loops closed.
// A cluster is one joint with several coordinates zeta: with H the inertia matrix of its joints
// (composite bodies within the cluster) and P the forces on the body above, one column per joint,
//
//   D_k = N^T H N,   psi^_k = P N,   M^_parent += M^_composite - psi^_k D_k^-1 psi^_k^T.
//
// Single joints are as in rigid/recursions/udut.hpp (Saha 2003, Eqs. 12 to 15 and 26 to 28), where
// D_k is the pivot.

#include <cmath>
#include <cstddef>
#include <vector>

#include "rigid/recursions/joints.hpp"

namespace dynamics::kernel {

template <class S>
struct ClusterBodyScratch {
  JointTransform<S> at;
  ArticulatedInertia<S> articulated;
  SpatialVector<S> psi;  ///< of a single joint: psi^ / pivot
  S pivot, pivot_inverse;
  SpatialVector<S> eta, mu;
};

/// Matrices are stored by columns.
template <class S>
struct ClusterScratch {
  ClusterScratch(std::size_t joints, std::size_t mobility)
      : H(joints * joints),
        D(mobility * mobility),
        HN(joints),
        P(joints),
        psi(mobility),
        white(mobility),
        rhs(joints),
        zeta(mobility),
        change(mobility) {}
  std::vector<S> H, D;  ///< D: its Cholesky factor, lower triangle
  std::vector<S> HN;    ///< one column of H N
  std::vector<SpatialVector<S>> P, psi, white;
  std::vector<S> rhs, zeta, change;
};

/// A cluster as the recursions see it.
template <class S>
struct ClusterView {
  const std::size_t* bodies;
  const int* local_parent;
  std::size_t joints, mobility;
  int parent;
  const S* N;  ///< joints x mobility
  ClusterScratch<S>* scratch;
};

inline namespace DYNAMICS_KERNEL_NAMESPACE {

template <class S>
SpatialVector<S> operator-(SpatialVector<S> a, const SpatialVector<S>& b) {
  return a -= b;
}

/// The Cholesky factor of an n x n matrix in its lower triangle; false where it has none.
template <class S>
bool factor_small(S* a, std::size_t n) {
  using std::sqrt;
  for (std::size_t j = 0; j < n; ++j) {
    S d = a[j + n * j];
    for (std::size_t k = 0; k < j; ++k) d = d - a[j + n * k] * a[j + n * k];
    if (!(d > S(0.0))) return false;
    const S root = sqrt(d), inverse = S(1.0) / root;
    a[j + n * j] = root;
    for (std::size_t i = j + 1; i < n; ++i) {
      S sum = a[i + n * j];
      for (std::size_t k = 0; k < j; ++k) sum = sum - a[i + n * k] * a[j + n * k];
      a[i + n * j] = sum * inverse;
    }
  }
  return true;
}
/// x := L^-1 x for numbers or spatial vectors.
template <class S, class X>
void solve_lower(const S* l, std::size_t n, X* x) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] = x[i] - l[i + n * k] * x[k];
    x[i] = (S(1.0) / l[i + n * i]) * x[i];
  }
}
template <class S>
void solve_upper(const S* l, std::size_t n, S* x) {
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] = x[i] - l[k + n * i] * x[k];
    x[i] = x[i] / l[i + n * i];
  }
}
/// The elimination of one cluster; its bodies have the inertias of all beyond them.
template <class S>
bool decompose_cluster(const Tree& tree, ClusterBodyScratch<S>* scratch,
                       const ClusterView<S>& cluster) {
  ClusterScratch<S>& own = *cluster.scratch;
  const std::size_t r = cluster.joints, d = cluster.mobility;
  // H by composite bodies, and P
  for (std::size_t i = r; i-- > 0;) {
    const std::size_t b = cluster.bodies[i];
    const ArticulatedInertia<S>& composite = scratch[b].articulated;
    SpatialVector<S> force = spatial::joint_column(composite, tree[b].prismatic);
    own.H[i + r * i] = along_joint(tree[b], force) + S(tree[b].rotor_inertia);
    std::size_t k = i;
    while (true) {
      const std::size_t at = cluster.bodies[k];
      const int up = cluster.local_parent[k];
      if (up < 0 && cluster.parent < 0) break;
      force = propagate_to_parent(tree[at], scratch[at].at, force);
      if (up < 0) break;
      k = static_cast<std::size_t>(up);
      own.H[k + r * i] = along_joint(tree[cluster.bodies[k]], force);
    }
    own.P[i] = force;
    if (tree[b].parent >= 0) {
      scratch[tree[b].parent].articulated += propagate_to_parent(tree[b], scratch[b].at, composite);
    }
  }
  // D = N^T H N
  for (std::size_t c = 0; c < d; ++c) {
    const S* n = cluster.N + r * c;
    // H couples a joint with those above it only
    for (std::size_t i = 0; i < r; ++i) {
      own.HN[i] = own.H[i + r * i] * n[i];
      for (int k = cluster.local_parent[i]; k >= 0;
           k = cluster.local_parent[static_cast<std::size_t>(k)]) {
        const auto up = static_cast<std::size_t>(k);
        own.HN[up] = own.HN[up] + own.H[up + r * i] * n[i];
        own.HN[i] = own.HN[i] + own.H[up + r * i] * n[up];
      }
    }
    for (std::size_t k = c; k < d; ++k) {
      const S* m = cluster.N + r * k;
      S sum = m[0] * own.HN[0];
      for (std::size_t i = 1; i < r; ++i) sum = sum + m[i] * own.HN[i];
      own.D[k + d * c] = sum;
    }
  }
  if (!factor_small(own.D.data(), d)) return false;
  if (cluster.parent < 0) return true;
  ArticulatedInertia<S>& parent = scratch[cluster.parent].articulated;
  for (std::size_t c = 0; c < d; ++c) {
    const S* n = cluster.N + r * c;
    SpatialVector<S> sum = n[0] * own.P[0];
    for (std::size_t i = 1; i < r; ++i) sum += n[i] * own.P[i];
    own.psi[c] = own.white[c] = sum;
  }
  solve_lower(own.D.data(), d, own.white.data());
  for (std::size_t c = 0; c < d; ++c) subtract_outer(parent, own.white[c], own.white[c]);
  return true;
}

/// Decomposes; `cluster_of` of each body is an index of `clusters` or -1. Returns the first body
/// whose pivot is not positive, or the number of bodies.
template <class S>
std::size_t decompose_clusters(const Tree& tree, ClusterBodyScratch<S>* scratch,
                               const int* cluster_of, const ClusterView<S>* clusters, const S* q) {
  for (std::size_t i = 0; i < tree.size(); ++i) {
    scratch[i].at = joint_transform(tree[i], q[i]);
    scratch[i].articulated = spatial::articulated_inertia<S>(rigid_inertia(tree[i]));
  }
  for (std::size_t i = tree.size(); i-- > 0;) {
    const TreeBody& body = tree[i];
    ClusterBodyScratch<S>& link = scratch[i];
    if (cluster_of[i] >= 0) {
      const ClusterView<S>& cluster = clusters[cluster_of[i]];
      if (cluster.bodies[0] == i && !decompose_cluster(tree, scratch, cluster)) return i;
      continue;
    }
    ArticulatedInertia<S> m = link.articulated;
    const SpatialVector<S> hat = spatial::joint_column(m, body.prismatic);
    link.pivot = along_joint(body, hat) + S(body.rotor_inertia);
    if (!(link.pivot > S(0.0))) return i;
    link.pivot_inverse = S(1.0) / link.pivot;
    link.psi = link.pivot_inverse * hat;
    if (body.parent < 0) continue;
    subtract_outer(m, hat, link.psi);
    scratch[body.parent].articulated += propagate_to_parent(body, link.at, m);
  }
  return tree.size();
}

/// x = N (N^T M N)^-1 N^T phi over bodies, after decompose_clusters(). x may be phi.
template <class S>
void solve_clusters(const Tree& tree, ClusterBodyScratch<S>* scratch, const int* cluster_of,
                    const ClusterView<S>* clusters, const S* phi, S* x) {
  for (std::size_t i = 0; i < tree.size(); ++i) scratch[i].eta = zero6<S>();
  // D^-1 U^-1 phi
  for (std::size_t i = tree.size(); i-- > 0;) {
    const TreeBody& body = tree[i];
    ClusterBodyScratch<S>& link = scratch[i];
    if (cluster_of[i] < 0) {
      const S hat = phi[i] - along_joint(body, link.eta);
      x[i] = hat * link.pivot_inverse;
      if (body.parent < 0) continue;
      scratch[body.parent].eta += propagate_to_parent(body, link.at, link.eta + hat * link.psi);
      continue;
    }
    const ClusterView<S>& cluster = clusters[cluster_of[i]];
    if (cluster.bodies[0] != i) continue;
    ClusterScratch<S>& own = *cluster.scratch;
    for (std::size_t k = cluster.joints; k-- > 0;) {
      const std::size_t b = cluster.bodies[k];
      own.rhs[k] = phi[b] - along_joint(tree[b], scratch[b].eta);
      if (tree[b].parent < 0) continue;
      scratch[tree[b].parent].eta += propagate_to_parent(tree[b], scratch[b].at, scratch[b].eta);
    }
    for (std::size_t c = 0; c < cluster.mobility; ++c) {
      S sum(0.0);
      for (std::size_t k = 0; k < cluster.joints; ++k)
        sum = sum + cluster.N[k + cluster.joints * c] * own.rhs[k];
      own.zeta[c] = sum;
    }
    solve_lower(own.D.data(), cluster.mobility, own.zeta.data());
    solve_upper(own.D.data(), cluster.mobility, own.zeta.data());
    if (cluster.parent < 0) continue;
    for (std::size_t c = 0; c < cluster.mobility; ++c)
      scratch[cluster.parent].eta += own.zeta[c] * own.psi[c];
  }
  // U^-T
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeBody& body = tree[i];
    ClusterBodyScratch<S>& link = scratch[i];
    SpatialVector<S> mu = zero6<S>();
    if (body.parent >= 0) mu = transform_to_body(body, link.at, scratch[body.parent].mu);
    if (cluster_of[i] < 0) {
      if (body.parent >= 0) x[i] = x[i] - dot(link.psi, mu);
    } else if (clusters[cluster_of[i]].bodies[0] == i) {
      const ClusterView<S>& cluster = clusters[cluster_of[i]];
      ClusterScratch<S>& own = *cluster.scratch;
      if (cluster.parent >= 0) {
        for (std::size_t c = 0; c < cluster.mobility; ++c)
          own.change[c] = dot(own.psi[c], scratch[cluster.parent].mu);
        solve_lower(own.D.data(), cluster.mobility, own.change.data());
        solve_upper(own.D.data(), cluster.mobility, own.change.data());
        for (std::size_t c = 0; c < cluster.mobility; ++c)
          own.zeta[c] = own.zeta[c] - own.change[c];
      }
      for (std::size_t k = 0; k < cluster.joints; ++k) {
        S sum(0.0);
        for (std::size_t c = 0; c < cluster.mobility; ++c)
          sum = sum + cluster.N[k + cluster.joints * c] * own.zeta[c];
        x[cluster.bodies[k]] = sum;
      }
    }
    add_along_joint(body, x[i], mu);
    link.mu = mu;
  }
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
