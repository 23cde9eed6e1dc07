// SPDX-License-Identifier: Apache-2.0
#pragma once

// The decoupled natural orthogonal complement N = N_l N_d as matrices (Saha 1999, sections 2 to 4
// and Appendix B), and the explicit inverse and forward dynamics: for teaching and as a reference.
// As in the paper, everything is expressed in the axes of the base and about the mass centers;
// six-vectors have the angular part first. In a tree, B_ij exists only for ancestors j of i.

#include <cmath>
#include <vector>

#include "papers/formulations/dynamics_input.hpp"

namespace dynamics::formulations {

template <class S>
struct DenocMatrices {
  MatrixX<S> N_l;                 ///< 6n x 6n, Eq. (17)
  MatrixX<S> N_d;                 ///< 6n x n, Eq. (17)
  MatrixX<S> N_base;              ///< 6n x 6: B_i0 propagates the twist of the base to body i
  MatrixX<S> N_l_rate, N_d_rate;  ///< time derivatives, Eqs. (25) and (26)
  MatrixX<S> N_base_rate;
  MatrixX<S> mass, mass_rate;       ///< M and M', Eqs. (4) and (10)
  VectorX<S> rotors;                ///< rotor inertias of the joints, not in the papers
  std::vector<int> parents;         ///< -1: the base
  std::vector<Vector3<S>> centers;  ///< C_i, from the origin of the base
  std::vector<Vector3<S>> axes;     ///< e_i
  std::vector<Matrix3<S>> rotations;
  std::vector<Vector3<S>> origins;  ///< O_i

  std::size_t size() const { return parents.size(); }
  MatrixX<S> N() const;  ///< N_l N_d: its entries are B_ij p_j
  // NOLINTNEXTLINE(readability-identifier-naming): the paper's letter
  MatrixX<S> N_rate() const;                                          ///< N_l' N_d + N_l N_d'
  Matrix6<S> twist_propagation(std::size_t i, std::size_t j) const {  ///< B_ij, Eq. (13)
    return N_l.template block<6, 6>(6 * at(i), 6 * at(j));
  }
  Vector6<S> joint_rate_propagation(std::size_t i) const {  ///< p_i, Eqs. (13) and (15)
    return N_d.template block<6, 1>(6 * at(i), at(i));
  }
  Matrix6<S> body_mass_matrix(std::size_t i) const {  ///< M_i, Eq. (2)
    return mass.template block<6, 6>(6 * at(i), 6 * at(i));
  }
};

namespace detail {
template <class S>
Matrix6<S> propagation(const Vector3<S>& c) {
  Matrix6<S> B = Matrix6<S>::Identity();
  B.template bottomLeftCorner<3, 3>() = cross_matrix<S>(c);
  return B;
}
template <class S>
Matrix6<S> propagation_rate(const Vector3<S>& c_rate) {
  Matrix6<S> B = Matrix6<S>::Zero();
  B.template bottomLeftCorner<3, 3>() = cross_matrix<S>(c_rate);
  return B;
}
}  // namespace detail

template <class S>
DenocMatrices<S> denoc_matrices(const DynamicsInput<S>& input) {
  const Tree& tree = *input.tree;
  const std::size_t n = tree.size();
  DenocMatrices<S> d;
  const auto zero = [](std::size_t rows, std::size_t cols) {
    return MatrixX<S>(MatrixX<S>::Zero(at(rows), at(cols)));
  };
  d.N_l = d.N_l_rate = d.mass = d.mass_rate = zero(6 * n, 6 * n);
  d.N_d = d.N_d_rate = zero(6 * n, n);
  d.N_base = d.N_base_rate = zero(6 * n, 6);
  d.rotors = VectorX<S>::Zero(at(n));
  d.parents.resize(n);
  d.centers.resize(n);
  d.axes.resize(n);
  d.rotations.resize(n);
  d.origins.resize(n);
  std::vector<Vector3<S>> omega(n), velocity(n);  // velocity of C_i for a base origin at rest
  const Vector3<S> base_omega = eigen(input.base.angular_velocity);

  for (std::size_t i = 0; i < n; ++i) {
    const TreeBody& body = tree[i];
    const auto parent = static_cast<std::size_t>(body.parent < 0 ? 0 : body.parent);
    const bool root = body.parent < 0;
    const BodyPlacement<S> place = body_placement<S>(body, input.q[i]);
    d.parents[i] = body.parent;
    d.rotations[i] = root ? place.rotation : Matrix3<S>(d.rotations[parent] * place.rotation);
    d.origins[i] = root ? place.position
                        : Vector3<S>(d.origins[parent] + d.rotations[parent] * place.position);
    d.axes[i] = d.rotations[i].col(2);
    d.rotors[at(i)] = S(body.rotor_inertia);
    const BodyMass own = body_mass(body);
    const Vector3<S> d_i = d.rotations[i] * own.center.template cast<S>();  // from O_i to C_i
    d.centers[i] = d.origins[i] + d_i;

    const Vector3<S>& parent_omega = root ? base_omega : omega[parent];
    const Vector3<S> rate = d.axes[i] * input.qd[i];
    omega[i] = parent_omega;
    if (!body.prismatic) omega[i] += rate;
    const Vector3<S> from = root ? Vector3<S>(Vector3<S>::Zero()) : d.centers[parent];
    const Vector3<S> parent_velocity = root ? Vector3<S>(Vector3<S>::Zero()) : velocity[parent];
    Vector3<S> origin_velocity = parent_velocity + parent_omega.cross(d.origins[i] - from);
    if (body.prismatic) origin_velocity += rate;
    velocity[i] = origin_velocity + omega[i].cross(d_i);  // Eq. (11b)

    // p_i and its rate: Eq. (26); d_i rotates with body i, the axis is fixed in body i and its
    // parent
    auto p = d.N_d.template block<6, 1>(6 * at(i), at(i));
    auto p_rate = d.N_d_rate.template block<6, 1>(6 * at(i), at(i));
    if (body.prismatic) {
      p << Vector3<S>::Zero(), d.axes[i];
      p_rate << Vector3<S>::Zero(), omega[i].cross(d.axes[i]);
    } else {
      p << d.axes[i], d.axes[i].cross(d_i);
      p_rate << omega[i].cross(d.axes[i]), omega[i].cross(d.axes[i].cross(d_i).eval());
    }
    // M_i, M'_i: Eqs. (2) and (8)
    const Matrix3<S> inertia =
        d.rotations[i] * own.inertia.template cast<S>() * d.rotations[i].transpose();
    d.mass.template block<3, 3>(6 * at(i), 6 * at(i)) = inertia;
    d.mass.template block<3, 3>(6 * at(i) + 3, 6 * at(i) + 3) =
        Matrix3<S>::Identity() * S(own.mass);
    for (Eigen::Index k = 0; k < 3; ++k) {
      d.mass_rate.template block<3, 1>(6 * at(i), 6 * at(i) + k) =
          omega[i].cross(Vector3<S>(inertia.col(k)));
    }
    // B_ij for all ancestors j: c_ij = C_j - C_i
    for (int j = static_cast<int>(i); j >= 0; j = tree[static_cast<std::size_t>(j)].parent) {
      const auto a = static_cast<std::size_t>(j);
      d.N_l.template block<6, 6>(6 * at(i), 6 * at(a)) =
          detail::propagation<S>(d.centers[a] - d.centers[i]);
      d.N_l_rate.template block<6, 6>(6 * at(i), 6 * at(a)) =
          detail::propagation_rate<S>(velocity[a] - velocity[i]);
    }
    d.N_base.template block<6, 6>(6 * at(i), 0) = detail::propagation<S>(-d.centers[i]);
    d.N_base_rate.template block<6, 6>(6 * at(i), 0) = detail::propagation_rate<S>(-velocity[i]);
  }
  return d;
}

// The products below use only the nonzero blocks: B_ij for ancestors j of i, one block per body of
// M and M'.
namespace detail {
/// The vector v of the lower left block [v x] of block (i, j) of N_l, N_base or their rates.
template <class S>
Vector3<S> offset(const MatrixX<S>& m, std::size_t i, std::size_t j) {
  const auto block = m.template block<3, 3>(6 * at(i) + 3, 6 * at(j));
  return {block(2, 1), block(0, 2), block(1, 0)};
}
/// [1 0; [c x] 1] v
template <class S>
Vector6<S> propagated(const Vector3<S>& c, const Vector6<S>& v) {
  Vector6<S> result;
  result << v.template head<3>(), v.template tail<3>() + c.cross(Vector3<S>(v.template head<3>()));
  return result;
}
/// for (j = i; j; j = parent(j)) visit(j)
template <class S, class Visit>
void for_ancestors(const DenocMatrices<S>& d, std::size_t i, Visit&& visit) {
  for (int j = static_cast<int>(i); j >= 0; j = d.parents[static_cast<std::size_t>(j)]) {
    visit(static_cast<std::size_t>(j));
  }
}
/// M_i v
template <class S>
Vector6<S> mass_times(const DenocMatrices<S>& d, std::size_t i, const Vector6<S>& v) {
  Vector6<S> result;
  result << d.mass.template block<3, 3>(6 * at(i), 6 * at(i)) * v.template head<3>(),
      d.mass(6 * at(i) + 3, 6 * at(i) + 3) * v.template tail<3>();
  return result;
}
/// Angular part of M'_i v; the linear part is zero
template <class S>
Vector3<S> mass_rate_times(const DenocMatrices<S>& d, std::size_t i, const Vector6<S>& v) {
  return d.mass_rate.template block<3, 3>(6 * at(i), 6 * at(i)) * v.template head<3>();
}
}  // namespace detail

template <class S>
MatrixX<S> DenocMatrices<S>::N() const {
  MatrixX<S> result = MatrixX<S>::Constant(6 * at(size()), at(size()), S(0.0));
  for (std::size_t i = 0; i < size(); ++i) {
    detail::for_ancestors(*this, i, [&](std::size_t j) {
      const Vector6<S> p = joint_rate_propagation(j);
      result.template block<6, 1>(6 * at(i), at(j)) =
          i == j ? p : detail::propagated(detail::offset(N_l, i, j), p);
    });
  }
  return result;
}

template <class S>
// NOLINTNEXTLINE(readability-identifier-naming): the paper's letter
MatrixX<S> DenocMatrices<S>::N_rate() const {
  MatrixX<S> result = MatrixX<S>::Constant(6 * at(size()), at(size()), S(0.0));
  for (std::size_t i = 0; i < size(); ++i) {
    detail::for_ancestors(*this, i, [&](std::size_t j) {
      auto column = result.template block<6, 1>(6 * at(i), at(j));
      const Vector6<S> rate = N_d_rate.template block<6, 1>(6 * at(j), at(j));
      if (i == j) {
        column = rate;
        return;
      }
      const Vector3<S> p = N_d.template block<3, 1>(6 * at(j), at(j));
      column = detail::propagated(detail::offset(N_l, i, j), rate);
      column.template tail<3>() += detail::offset(N_l_rate, i, j).cross(p);
    });
  }
  return result;
}

/// I = N^T M N plus the rotor inertias on the diagonal. O(n^3) for a chain.
template <class S>
MatrixX<S> denoc_inertia_matrix(const DenocMatrices<S>& d) {
  const MatrixX<S> N = d.N();
  MatrixX<S> I = MatrixX<S>::Constant(at(d.size()), at(d.size()), S(0.0));
  for (std::size_t i = d.size(); i-- > 0;) {
    detail::for_ancestors(d, i, [&](std::size_t j) {
      const Vector6<S> weighted =
          detail::mass_times(d, i, Vector6<S>(N.template block<6, 1>(6 * at(i), at(j))));
      detail::for_ancestors(d, j, [&](std::size_t k) {
        I(at(k), at(j)) += weighted.dot(N.template block<6, 1>(6 * at(i), at(k)));
      });
    });
  }
  for (std::size_t i = 0; i < d.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) I(at(i), at(j)) = I(at(j), at(i));
    I(at(i), at(i)) += d.rotors[at(i)];
  }
  return I;
}

/// C = N^T (M N' + M' N), Eqs. (20) and (25).
template <class S>
MatrixX<S> denoc_coriolis_matrix(const DenocMatrices<S>& d) {
  const MatrixX<S> N = d.N(), N_rate = d.N_rate();
  MatrixX<S> C = MatrixX<S>::Constant(at(d.size()), at(d.size()), S(0.0));
  for (std::size_t i = 0; i < d.size(); ++i) {
    detail::for_ancestors(d, i, [&](std::size_t j) {
      Vector6<S> weighted =
          detail::mass_times(d, i, Vector6<S>(N_rate.template block<6, 1>(6 * at(i), at(j))));
      weighted.template head<3>() +=
          detail::mass_rate_times(d, i, Vector6<S>(N.template block<6, 1>(6 * at(i), at(j))));
      detail::for_ancestors(d, i, [&](std::size_t k) {
        C(at(k), at(j)) += weighted.dot(N.template block<6, 1>(6 * at(i), at(k)));
      });
    });
  }
  return C;
}

/// tau = N^T (M t' + M' t - w) + rotors qdd, Eq. (19), where t and t' contain the twist of the base
/// and gravity, Eq. (32).
template <class S>
VectorX<S> denoc_explicit(const DynamicsInput<S>& input, const VectorX<S>& qdd) {
  const DenocMatrices<S> d = denoc_matrices(input);
  const std::size_t n = input.size();
  const MatrixX<S> N = d.N(), N_rate = d.N_rate();
  const Vector3<S> base_omega = eigen(input.base.angular_velocity);
  Vector6<S> base_rate;
  base_rate << eigen(input.base.angular_acceleration), eigen(input.base.acceleration);
  VectorX<S> tau = VectorX<S>::Constant(at(n), S(0.0));
  for (std::size_t i = 0; i < n; ++i) {
    Vector6<S> twist, rate;
    if (input.base.not_rotating) {
      twist = Vector6<S>::Constant(S(0.0));
      rate = base_rate;
    } else {
      const Vector3<S> r = detail::offset(d.N_base, i, 0),
                       r_rate = detail::offset(d.N_base_rate, i, 0);
      twist << base_omega, r.cross(base_omega);
      rate = detail::propagated(r, base_rate);
      rate.template tail<3>() += r_rate.cross(base_omega);
    }
    detail::for_ancestors(d, i, [&](std::size_t j) {
      const auto p = N.template block<6, 1>(6 * at(i), at(j));
      twist += p * input.qd[j];
      rate += p * qdd[at(j)] + N_rate.template block<6, 1>(6 * at(i), at(j)) * input.qd[j];
    });
    Vector6<S> wrench = detail::mass_times(d, i, rate);
    wrench.template head<3>() += detail::mass_rate_times(d, i, twist);
    if (input.has_wrenches()) {
      const Vector3<S> force = d.rotations[i] * eigen(input.wrenches[i].force);
      wrench.template head<3>() -= d.rotations[i] * eigen(input.wrenches[i].moment) -
                                   (d.centers[i] - d.origins[i]).cross(force);
      wrench.template tail<3>() -= force;
    }
    detail::for_ancestors(d, i, [&](std::size_t j) {
      tau[at(j)] += N.template block<6, 1>(6 * at(i), at(j)).dot(wrench);
    });
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (input.tree->at(i).rotor_inertia != 0.0) tau[at(i)] += d.rotors[at(i)] * qdd[at(i)];
  }
  return tau;
}

/// Mass matrices of the composite bodies, Eq. (23b): M~_i = M_i + sum over the children of B^T M~
/// B.
template <class S>
std::vector<Matrix6<S>> composite_masses(const DenocMatrices<S>& d) {
  std::vector<Matrix6<S>> composite(d.size());
  for (std::size_t i = 0; i < d.size(); ++i) composite[i] = d.body_mass_matrix(i);
  for (std::size_t i = d.size(); i-- > 0;) {
    if (d.parents[i] < 0) continue;
    const auto parent = static_cast<std::size_t>(d.parents[i]);
    const Matrix6<S> B = d.twist_propagation(i, parent);
    composite[parent] += B.transpose() * composite[i] * B;
  }
  return composite;
}

/// Mass matrices of the articulated bodies and the pivots of the elimination.
template <class S>
struct ArticulatedMasses {
  std::vector<Matrix6<S>> inertia;       ///< M^_i, Eq. (50)
  std::vector<Vector6<S>> psi_hat, psi;  ///< Eqs. (47) and (48)
  std::vector<S> pivot;                  ///< m^_i, Eq. (47), rotor inertia included
};

template <class S>
ArticulatedMasses<S> articulated_masses(const DenocMatrices<S>& d) {
  const std::size_t n = d.size();
  ArticulatedMasses<S> a;
  a.inertia.resize(n);
  a.psi_hat.resize(n);
  a.psi.resize(n);
  a.pivot.resize(n);
  for (std::size_t i = 0; i < n; ++i) a.inertia[i] = d.body_mass_matrix(i);
  for (std::size_t i = n; i-- > 0;) {
    const Vector6<S> p = d.joint_rate_propagation(i);
    a.psi_hat[i] = a.inertia[i] * p;
    a.pivot[i] = p.dot(a.psi_hat[i]) + d.rotors[at(i)];
    a.psi[i] = a.psi_hat[i] / a.pivot[i];
    if (d.parents[i] < 0) continue;
    const auto parent = static_cast<std::size_t>(d.parents[i]);
    const Matrix6<S> B = d.twist_propagation(i, parent);
    a.inertia[parent] += B.transpose() * (a.inertia[i] - a.psi_hat[i] * a.psi[i].transpose()) * B;
  }
  return a;
}

/// One step of the reverse Gaussian elimination: E_k, and L_k = E_k L_{k+1}.
template <class S>
struct EliminationStep {
  std::size_t k;     ///< index (from 0) of the column that is eliminated above the diagonal
  VectorX<S> alpha;  ///< alpha_k: E_k = 1 - alpha_k lambda_k^T, Eqs. (41) to (43)
  MatrixX<S> L;      ///< L_k
};

/// The steps from L_{n+1} = I to L_2, Eq. (51). I = U L_2 where the alphas are the columns of U.
template <class S>
std::vector<EliminationStep<S>> reverse_gaussian_elimination(MatrixX<S> I) {
  std::vector<EliminationStep<S>> steps;
  const Eigen::Index n = I.rows();
  for (Eigen::Index k = n - 1; k >= 1; --k) {
    VectorX<S> alpha = VectorX<S>::Zero(n);
    for (Eigen::Index i = 0; i < k; ++i) alpha[i] = I(i, k) / I(k, k);
    for (Eigen::Index i = 0; i < k; ++i) {
      for (Eigen::Index j = 0; j < k; ++j) I(i, j) -= alpha[i] * I(k, j);
      I(i, k) = S(0.0);
    }
    steps.push_back({static_cast<std::size_t>(k), alpha, I});
  }
  return steps;
}

}  // namespace dynamics::formulations
