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
// The composite bodies are rigid where no body outside of the cluster hangs on it. N is stored by
// joints: the `mobility` numbers of one joint are contiguous.
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
  RigidInertia<S> composite;  ///< of a cluster on which no other body hangs
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
        HN(joints * mobility),
        P(joints),
        psi(mobility),
        white(mobility),
        rhs(joints),
        zeta(mobility),
        change(mobility) {}
  std::vector<S> H, D;  ///< D: its Cholesky factor, lower triangle
  std::vector<S> HN;    ///< by joints, as N
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
  bool carries;  ///< a body outside of the cluster hangs on one of its bodies
  const S* N;    ///< by joints
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
/// H and P of a cluster, with the inertias `composite(b)` of body b and all beyond it, which are
/// added to those of its parent.
template <class S, class Composite>
void cluster_inertia(const Tree& tree, ClusterBodyScratch<S>* scratch,
                     const ClusterView<S>& cluster, const Composite& composite) {
  ClusterScratch<S>& own = *cluster.scratch;
  const std::size_t r = cluster.joints;
  for (std::size_t i = r; i-- > 0;) {
    const std::size_t b = cluster.bodies[i];
    SpatialVector<S> force = joint_column(composite(b), tree[b].prismatic);
    own.H[i + r * i] = along_joint(tree[b], force) + S(tree[b].rotor_inertia);
    for (std::size_t k = i; cluster.local_parent[k] >= 0 || cluster.parent >= 0;) {
      const std::size_t at = cluster.bodies[k];
      force = propagate_to_parent(tree[at], scratch[at].at, force);
      if (cluster.local_parent[k] < 0) break;
      k = static_cast<std::size_t>(cluster.local_parent[k]);
      own.H[k + r * i] = along_joint(tree[cluster.bodies[k]], force);
    }
    own.P[i] = force;
    if (cluster.local_parent[i] >= 0) {
      composite(static_cast<std::size_t>(tree[b].parent)) +=
          propagate_to_parent(tree[b], scratch[b].at, composite(b));
    }
  }
}

/// D = N^T H N.
template <class S>
void project_inertia(const ClusterView<S>& cluster) {
  ClusterScratch<S>& own = *cluster.scratch;
  const std::size_t r = cluster.joints, d = cluster.mobility;
  for (std::size_t i = 0; i < r; ++i) {
    const S* n = cluster.N + d * i;
    S* product = own.HN.data() + d * i;
    for (std::size_t c = 0; c < d; ++c) product[c] = own.H[i + r * i] * n[c];
    // H couples a joint with those above it only
    for (int k = cluster.local_parent[i]; k >= 0;
         k = cluster.local_parent[static_cast<std::size_t>(k)]) {
      const auto up = static_cast<std::size_t>(k);
      const S h = own.H[up + r * i];
      const S* n_up = cluster.N + d * up;
      S* product_up = own.HN.data() + d * up;
      for (std::size_t c = 0; c < d; ++c) {
        product_up[c] = product_up[c] + h * n[c];
        product[c] = product[c] + h * n_up[c];
      }
    }
  }
  for (std::size_t c = 0; c < d * d; ++c) own.D[c] = S(0.0);
  for (std::size_t i = 0; i < r; ++i) {
    const S* n = cluster.N + d * i;
    for (std::size_t c = 0; c < d; ++c) {
      const S factor = own.HN[c + d * i];
      for (std::size_t k = c; k < d; ++k) own.D[k + d * c] = own.D[k + d * c] + factor * n[k];
    }
  }
}

/// The elimination of one cluster; its bodies have the inertias of all beyond them.
template <class S>
bool decompose_cluster(const Tree& tree, ClusterBodyScratch<S>* scratch,
                       const ClusterView<S>& cluster) {
  ClusterScratch<S>& own = *cluster.scratch;
  const std::size_t r = cluster.joints, d = cluster.mobility;
  if (cluster.carries) {
    cluster_inertia(
        tree, scratch, cluster, [&](std::size_t b) -> auto& { return scratch[b].articulated; });
  } else {
    for (std::size_t i = 0; i < r; ++i)
      scratch[cluster.bodies[i]].composite = rigid_inertia<S>(tree[cluster.bodies[i]]);
    cluster_inertia(
        tree, scratch, cluster, [&](std::size_t b) -> auto& { return scratch[b].composite; });
  }
  project_inertia(cluster);
  if (!factor_small(own.D.data(), d)) return false;
  if (cluster.parent < 0) return true;
  // onto the parent: composites, and the motion that D leaves
  ArticulatedInertia<S>& parent = scratch[cluster.parent].articulated;
  for (std::size_t i = 0; i < r; ++i) {
    if (cluster.local_parent[i] >= 0) continue;
    const std::size_t b = cluster.bodies[i];
    const ArticulatedInertia<S> composite =
        cluster.carries ? scratch[b].articulated
                        : spatial::articulated_inertia<S>(scratch[b].composite);
    parent += propagate_to_parent(tree[b], scratch[b].at, composite);
  }
  for (std::size_t c = 0; c < d; ++c) {
    SpatialVector<S> sum = cluster.N[c] * own.P[0];
    for (std::size_t i = 1; i < r; ++i) sum += cluster.N[c + d * i] * own.P[i];
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
  joint_rotations(tree.data(), tree.size(), scratch, q);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].prismatic) {
      scratch[i].at = prismatic_transform(tree[i], q[i]);
    } else {
      scratch[i].at.r = constant_position<S>(tree[i]);
    }
    if (cluster_of[i] < 0 || clusters[cluster_of[i]].carries)
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
    const std::size_t d = cluster.mobility;
    for (std::size_t k = cluster.joints; k-- > 0;) {
      const std::size_t b = cluster.bodies[k];
      own.rhs[k] = phi[b];
      if (!cluster.carries) continue;  // eta is zero
      own.rhs[k] = own.rhs[k] - along_joint(tree[b], scratch[b].eta);
      if (tree[b].parent < 0) continue;
      scratch[tree[b].parent].eta += propagate_to_parent(tree[b], scratch[b].at, scratch[b].eta);
    }
    for (std::size_t c = 0; c < d; ++c) own.zeta[c] = S(0.0);
    for (std::size_t k = 0; k < cluster.joints; ++k) {
      for (std::size_t c = 0; c < d; ++c)
        own.zeta[c] = own.zeta[c] + cluster.N[c + d * k] * own.rhs[k];
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
    // of bodies on which nothing else hangs, mu is not needed
    const bool moves_others = cluster_of[i] < 0 || clusters[cluster_of[i]].carries;
    SpatialVector<S> mu = zero6<S>();
    if (body.parent >= 0 && moves_others)
      mu = transform_to_body(body, link.at, scratch[body.parent].mu);
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
          sum = sum + cluster.N[c + cluster.mobility * k] * own.zeta[c];
        x[cluster.bodies[k]] = sum;
      }
    }
    if (!moves_others) continue;
    add_along_joint(body, x[i], mu);
    link.mu = mu;
  }
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
