// SPDX-License-Identifier: Apache-2.0
#pragma once

// DynamicsInput: the input of every formulation over any scalar S (tree of single-axis joints,
// joint positions and velocities, base motion, wrenches on the bodies), and helpers that the
// formulations share.
//
//   Workspace workspace(model);
//   const DynamicsInput<double> input = make_dynamics_input(model, workspace, q, qd, {});
//   const VectorX<double> qdd = articulated_body(input, tau);

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <vector>

#include "model/tree.hpp"
#include "papers/counting/line_counter.hpp"
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

/// Vectors have one entry per body of the tree. Friction is not part of the formulations.
template <class S>
struct DynamicsInput {
  const Tree* tree = nullptr;
  std::vector<S> q, qd;
  kernel::BaseState<S> base;  ///< in the axes of the base, gravity included; all fields set
  std::vector<kernel::BodyWrench<S>> wrenches;  ///< one per body, or empty

  std::size_t size() const { return tree->size(); }
  bool has_wrenches() const { return !wrenches.empty(); }
};

/// The same joint positions with zero velocities and without gravity, base motion and wrenches.
template <class S>
DynamicsInput<S> at_rest(const DynamicsInput<S>& input) {
  const S zero(0.0);
  DynamicsInput<S> rest;
  rest.tree = input.tree;
  rest.q = input.q;
  rest.qd.assign(input.size(), zero);
  rest.base.angular_velocity = {zero, zero, zero};
  rest.base.angular_acceleration = {zero, zero, zero};
  rest.base.acceleration = {zero, zero, zero};
  return rest;
}

template <class S>
Vector3<S> eigen(const Vec3<S>& v) {
  return {v.x, v.y, v.z};
}

/// [v x], the matrix of the cross product with v.
template <class S>
Matrix3<S> cross_matrix(const Vector3<S>& v) {
  const S zero(0.0);
  Matrix3<S> m;
  m << zero, S(-v.z()), v.y(), v.z(), zero, S(-v.x()), S(-v.y()), v.x(), zero;
  return m;
}

/// Mass properties about the mass center in the axes of the body, as the papers describe links.
struct BodyMass {
  double mass;
  Eigen::Vector3d center;   ///< from the origin of the body
  Eigen::Matrix3d inertia;  ///< about the mass center
};

inline BodyMass body_mass(const TreeBody& body) {
  const auto& j = body.inertia;
  BodyMass result{body.mass, Eigen::Vector3d::Zero(), Eigen::Matrix3d()};
  result.inertia << j[0], j[1], j[2], j[1], j[3], j[4], j[2], j[4], j[5];
  if (body.mass == 0.0) return result;
  result.center =
      Eigen::Vector3d(body.first_moment[0], body.first_moment[1], body.first_moment[2]) / body.mass;
  const Eigen::Vector3d& c = result.center;
  result.inertia -= body.mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
  return result;
}

/// Rz(beta) Rx(alpha): rotation from the joint frame at q = 0 to the frame of the parent.
inline Eigen::Matrix3d fixed_rotation(const TreeBody& body) {
  const double cb = body.cos_beta, sb = body.sin_beta, ca = body.cos_alpha, sa = body.sin_alpha;
  Eigen::Matrix3d m;
  m << cb, -sb * ca, sb * sa, sb, cb * ca, -cb * sa, 0.0, sa, ca;
  return m;
}

/// Whether the y coordinate of the body's origin in the frame of the parent is zero for every q, as
/// in DH tables.
inline bool r_y_is_zero(const TreeBody& body) {
  return body.position[1] == 0.0 && (!body.prismatic || spatial::joint_axis(body).y == 0.0);
}

/// The joint transform as a rotation matrix and a position: x_parent = rotation x_body + position.
template <class S>
struct BodyPlacement {
  Matrix3<S> rotation;
  Vector3<S> position;
};

template <class S>
BodyPlacement<S> body_placement(const TreeBody& body, const S& q) {
  const JointTransform<S> transform = joint_transform(body, q);
  const S &c = transform.c, &s = transform.s;
  const double cb = body.cos_beta, sb = body.sin_beta, ca = body.cos_alpha, sa = body.sin_alpha;
  Matrix3<S> rotation;
  if (body.has_beta) {
    const double cbca = cb * ca, sbca = sb * ca;
    rotation << cb * c - sbca * s, -(cb * s + sbca * c), S(sb * sa), sb * c + cbca * s,
        cbca * c - sb * s, S(-cb * sa), sa * s, sa * c, S(ca);
  } else {
    rotation << c, -s, S(0.0), ca * s, ca * c, S(-sa), sa * s, sa * c, S(ca);
  }
  return {rotation, eigen(transform.r)};
}

}  // namespace dynamics::formulations
