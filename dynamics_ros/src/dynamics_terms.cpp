// SPDX-License-Identifier: Apache-2.0
#include "dynamics_terms.hpp"

#include <algorithm>
#include <cmath>
#include <dynamics_core/inertia_matrix.hpp>
#include <dynamics_core/kinematics.hpp>
#include <dynamics_core/rigid_dynamics.hpp>

#include "efforts.hpp"
#include "fault.hpp"

namespace dynamics_ros {
namespace {

using Vector = std::vector<double>;

DynamicsTerms sized(std::size_t n) {
  const auto size = static_cast<Eigen::Index>(n);
  DynamicsTerms terms;
  terms.inertia.resize(size, size);
  terms.coriolis.resize(size, size);
  terms.jacobian.resize(6, size);
  terms.gravity.resize(n);
  terms.friction.resize(n);
  return terms;
}

/// All coordinates of the model.
DynamicsTerms tree_terms(const Robot& robot, const Vector& q, const Vector& qd, std::size_t frame,
                         dynamics::Axes axes) {
  const dynamics::Model& model = robot.model;
  auto loan = robot.workspace();
  DynamicsTerms terms = sized(model.size());
  inertia_matrix(model, *loan, q, terms.inertia);
  coriolis_matrix(model, *loan, q, qd, terms.coriolis);
  gravity_forces(model, *loan, q, terms.gravity);
  friction_forces(model, *loan, qd, terms.friction);
  jacobian(model, *loan, q, frame, axes, terms.jacobian);
  return terms;
}

/// The independent joints.
DynamicsTerms loop_terms(const Robot& robot, const Vector& q, const Vector& qd, std::size_t frame,
                         dynamics::Axes axes) {
  const dynamics::Mechanism& mechanism = *robot.mechanism;
  const std::size_t n = robot.model.size();
  auto loan = robot.mechanism_workspace();
  DynamicsTerms terms = sized(mechanism.size());
  inertia_matrix(mechanism, *loan, q, terms.inertia);
  coriolis_matrix(mechanism, *loan, q, qd, terms.coriolis);
  gravity_forces(mechanism, *loan, q, terms.gravity);
  // the part of inverse dynamics that is friction
  Vector qdd(n, 0.0), frictionless(mechanism.size());
  close_accelerations(mechanism, *loan, q, qd, qdd);
  dynamics::ExternalInputs external;
  inverse_dynamics(mechanism, *loan, q, qd, qdd, terms.friction, external);
  external.friction = false;
  inverse_dynamics(mechanism, *loan, q, qd, qdd, frictionless, external);
  for (std::size_t i = 0; i < frictionless.size(); ++i) terms.friction[i] -= frictionless[i];
  // J B with qd = B zd
  Eigen::MatrixXd tree(6, static_cast<Eigen::Index>(n));
  jacobian(robot.model, tree_workspace(*loan), q, frame, axes, tree);
  for (std::size_t i = 0; i < mechanism.size(); ++i) {
    Vector motion(n, 0.0);
    motion[mechanism.independent()[i]] = 1.0;
    close_velocities(mechanism, *loan, q, motion);
    terms.jacobian.col(static_cast<Eigen::Index>(i)) =
        tree * Eigen::Map<const Eigen::VectorXd>(motion.data(), tree.cols());
  }
  return terms;
}

bool is_finite(const Vector& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace

DynamicsTerms terms_at(const Robot& robot, const Vector& q, const Vector& qd,
                       const std::vector<std::size_t>& coordinates, std::size_t frame,
                       dynamics::Axes axes) {
  DynamicsTerms all = robot.mechanism ? loop_terms(robot, q, qd, frame, axes)
                                      : tree_terms(robot, q, qd, frame, axes);
  auto loan = robot.workspace();
  all.energy = dynamics::energy(robot.model, *loan, q, qd);
  if (!all.inertia.allFinite() || !all.coriolis.allFinite() || !all.jacobian.allFinite() ||
      !is_finite(all.gravity) || !is_finite(all.friction) || !std::isfinite(all.energy.total())) {
    throw Fault(ResultCode::NO_SOLUTION,
                "positions or velocities are too large: the terms are not finite");
  }
  std::vector<std::size_t> places;  // of the request's joints
  for (const std::size_t coordinate : coordinates) {
    std::size_t place = coordinate;
    if (robot.mechanism) {
      const auto joints = robot.mechanism->independent();
      const auto found = std::lower_bound(joints.begin(), joints.end(), coordinate);
      if (found == joints.end() || *found != coordinate) continue;
      place = static_cast<std::size_t>(found - joints.begin());
    }
    all.coordinates.push_back(coordinate);
    places.push_back(place);
  }
  const std::vector<Eigen::Index> order(places.begin(), places.end());
  return {all.coordinates,
          all.inertia(order, order),
          all.coriolis(order, order),
          all.jacobian(Eigen::all, order),
          pick(all.gravity, places),
          pick(all.friction, places),
          all.energy,
          momentum(robot.model, *loan, q, qd).center};
}

}  // namespace dynamics_ros
