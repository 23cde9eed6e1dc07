// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every formulation is given: the tree of single-axis joints, where its joints are and how
// they move, how the base moves, and what pushes on the bodies. Over any scalar.

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <vector>

#include "model/tree.hpp"
#include "papers/counting/ledger.hpp"
#include "rigid/recursions/base.hpp"
#include "rigid/recursions/joints.hpp"

namespace dynamics::formulations {

template <class S>
using Vector3 = Eigen::Matrix<S, 3, 1>;
template <class S>
using Matrix3 = Eigen::Matrix<S, 3, 3>;
template <class S>
using Vector6 = Eigen::Matrix<S, 6, 1>;
template <class S>
using Matrix6 = Eigen::Matrix<S, 6, 6>;
template <class S>
using VectorX = Eigen::Matrix<S, Eigen::Dynamic, 1>;
template <class S>
using MatrixX = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;

using kernel::joint_transform;
using spatial::ArticulatedInertia;
using spatial::constant;
using spatial::JointTransform;
using spatial::Mat3;
using spatial::plus_planar;
using spatial::rigid_inertia;
using spatial::RigidInertia;
using spatial::SpatialVector;
using spatial::Sym3;
using spatial::Vec3;

inline Eigen::Index at(std::size_t i) { return static_cast<Eigen::Index>(i); }

/// Vectors have one entry for each body of the tree; friction is not part of any formulation.
template <class S>
struct Situation {
  const Tree* tree = nullptr;
  std::vector<S> q, qd;
  kernel::BaseState<S> base;                    ///< in the base's axes, gravity included, all set
  std::vector<kernel::BodyWrench<S>> wrenches;  ///< of each body, or empty

  std::size_t size() const { return tree->size(); }
  bool has_wrenches() const { return !wrenches.empty(); }
};

/// The same joints' positions with nothing else: no rates, no gravity, no base motion, no wrenches.
template <class S>
Situation<S> at_rest(const Situation<S>& given) {
  const S zero(0.0);
  Situation<S> still;
  still.tree = given.tree;
  still.q = given.q;
  still.qd.assign(given.size(), zero);
  still.base.angular_velocity = {zero, zero, zero};
  still.base.angular_acceleration = {zero, zero, zero};
  still.base.acceleration = {zero, zero, zero};
  return still;
}

template <class S>
Vector3<S> eigen(const Vec3<S>& v) {
  return {v.x, v.y, v.z};
}

/// [v x]
template <class S>
Matrix3<S> cross_matrix(const Vector3<S>& v) {
  const S zero(0.0);
  Matrix3<S> m;
  m << zero, S(-v.z()), v.y(), v.z(), zero, S(-v.x()), S(-v.y()), v.x(), zero;
  return m;
}

/// A body about its mass centre, in its own axes, as the papers describe links.
struct BodyMass {
  double mass;
  Eigen::Vector3d centre;   ///< from the body's origin
  Eigen::Matrix3d inertia;  ///< about the centre
};

inline BodyMass body_mass(const TreeBody& body) {
  const auto& j = body.inertia;
  BodyMass result{body.mass, Eigen::Vector3d::Zero(), Eigen::Matrix3d()};
  result.inertia << j[0], j[1], j[2], j[1], j[3], j[4], j[2], j[4], j[5];
  if (body.mass == 0.0) return result;
  result.centre =
      Eigen::Vector3d(body.first_moment[0], body.first_moment[1], body.first_moment[2]) / body.mass;
  const Eigen::Vector3d& c = result.centre;
  result.inertia -= body.mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
  return result;
}

/// Rz(beta) Rx(alpha): from a joint's frame before its motion to the parent's frame.
inline Eigen::Matrix3d fixed_rotation(const TreeBody& body) {
  const double cb = body.cos_beta, sb = body.sin_beta, ca = body.cos_alpha, sa = body.sin_alpha;
  Eigen::Matrix3d m;
  m << cb, -sb * ca, sb * sa, sb, cb * ca, -cb * sa, 0.0, sa, ca;
  return m;
}

/// Whether the body's origin has no y in the parent's axes whatever q, as in a DH table.
inline bool r_y_is_zero(const TreeBody& body) {
  return body.position[1] == 0.0 && (!body.prismatic || spatial::joint_axis(body).y == 0.0);
}

/// The joint transform with a rotation matrix: x_parent = rotation x_body + position.
template <class S>
struct BodyPlacement {
  Matrix3<S> rotation;
  Vector3<S> position;
};

template <class S>
BodyPlacement<S> body_placement(const TreeBody& body, const S& q) {
  const JointTransform<S> placed = joint_transform(body, q);
  const S &c = placed.c, &s = placed.s;
  const double cb = body.cos_beta, sb = body.sin_beta, ca = body.cos_alpha, sa = body.sin_alpha;
  Matrix3<S> turned;
  if (body.has_beta) {
    const double cbca = cb * ca, sbca = sb * ca;
    turned << cb * c - sbca * s, -(cb * s + sbca * c), S(sb * sa), sb * c + cbca * s,
        cbca * c - sb * s, S(-cb * sa), sa * s, sa * c, S(ca);
  } else {
    turned << c, -s, S(0.0), ca * s, ca * c, S(-sa), sa * s, sa * c, S(ca);
  }
  return {turned, eigen(placed.r)};
}

}  // namespace dynamics::formulations
