// SPDX-License-Identifier: Apache-2.0
// Defaults of Plant's queries, for plants that do not define them.
#include "dynamics_core/plant.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "base/eigen_index.hpp"
#include "dynamics_core/error.hpp"
#include "spatial/decompositions.hpp"

namespace dynamics {
namespace {

/// M^-1 e_j of all joints, one per column.
Eigen::MatrixXd responses_of_all_joints(Plant& plant, double t, ConstVector q) {
  std::vector<std::size_t> joints(plant.joints());
  std::iota(joints.begin(), joints.end(), std::size_t{0});
  Eigen::MatrixXd responses(eigen_index(plant.size()), eigen_index(plant.joints()));
  plant.impulse_responses(t, q, joints, responses);
  return responses;
}

}  // namespace

void Plant::impulse_response(double t, ConstVector q, std::size_t joint,
                             MutableVector velocity_change) {
  const std::vector<double> zero(size(), 0.0);
  std::vector<double> tau(joints(), 0.0), reference(size());
  accelerations(t, q, zero, tau, reference);
  // scaled to the accelerations present, which limits the cancellation
  double scale = 1.0;
  for (const double a : reference) scale = std::max(scale, std::abs(a));
  tau[joint] = scale;
  accelerations(t, q, zero, tau, velocity_change);
  for (std::size_t i = 0; i < velocity_change.size(); ++i)
    velocity_change[i] = (velocity_change[i] - reference[i]) / scale;
}

void Plant::impulse_responses(double t, ConstVector q, std::span<const std::size_t> joints,
                              Eigen::Ref<Eigen::MatrixXd> velocity_changes) {
  for (std::size_t k = 0; k < joints.size(); ++k)
    impulse_response(t, q, joints[k], velocity_changes.col(static_cast<Eigen::Index>(k)));
}

void Plant::add_wrenches(double, ConstVector, std::span<const LinkWrench>, MutableVector) {
  throw ArgumentError("the plant of '" + model().name() + "' takes no wrenches on links");
}

Eigen::Vector3d Plant::mass_center(std::size_t frame) const {
  const std::string& link = model().frames()[frame].name;
  for (const LinkDescription& known : model().description().links) {
    if (known.name == link && known.inertial) return known.inertial->center;
  }
  return Eigen::Vector3d::Zero();
}

void Plant::add_wrench_at_mass_center(double t, ConstVector q, std::size_t frame,
                                      const Wrench& wrench, MutableVector forces) {
  const Eigen::Vector3d arm = frame_pose(t, q, frame).rotation * mass_center(frame);
  const LinkWrench at_origin{
      frame, {wrench.moment + arm.cross(wrench.force), wrench.force}, Axes::local_world_aligned};
  add_wrenches(t, q, {&at_origin, 1}, forces);
}

std::unique_ptr<Plant> Plant::with_payload(const std::optional<Payload>&) const {
  throw ArgumentError("the payload of the plant of '" + model().name() + "' cannot change");
}

void Plant::hybrid_dynamics(double t, ConstVector q, ConstVector qd, ConstVector joint_qdd,
                            ConstVector forces, MutableVector qdd, MutableVector tau) {
  const Eigen::Index n = eigen_index(joints());
  const Eigen::VectorXd desired = Eigen::Map<const Eigen::VectorXd>(joint_qdd.data(), n);
  std::vector<double> without_torques(size());
  accelerations(t, q, qd, forces, without_torques);
  const Eigen::MatrixXd responses = responses_of_all_joints(*this, t, q);
  const Eigen::Map<const Eigen::VectorXd> free(without_torques.data(), eigen_index(size()));
  const Eigen::VectorXd torques = solve_linear(responses.topRows(n), desired - free.head(n));
  Eigen::Map<Eigen::VectorXd>(qdd.data(), eigen_index(size())) = free + responses * torques;
  std::copy(desired.begin(), desired.end(), qdd.begin());
  std::copy(torques.begin(), torques.end(), tau.begin());
}

void Plant::inertia_matrix(double t, ConstVector q, Eigen::Ref<Eigen::MatrixXd> M) {
  const Eigen::Index n = eigen_index(joints()), rest = eigen_index(size()) - n;
  const Eigen::MatrixXd responses = responses_of_all_joints(*this, t, q);
  Eigen::MatrixXd inverse(n + rest, n + rest);
  inverse.leftCols(n) = responses;
  // The responses to forces on the other coordinates are not known: any that are positive definite.
  const auto coupling = responses.bottomRows(rest);
  inverse.topRightCorner(n, rest) = coupling.transpose();
  inverse.bottomRightCorner(rest, rest) =
      coupling * solve_linear(responses.topRows(n), coupling.transpose());
  inverse.bottomRightCorner(rest, rest).diagonal().array() += 1.0;
  M = solve_linear(inverse, Eigen::MatrixXd::Identity(n + rest, n + rest));
}

void Plant::bias_forces(double t, ConstVector q, ConstVector qd, MutableVector bias) {
  const std::vector<double> zero(joints(), 0.0);
  Eigen::VectorXd without_torques(eigen_index(size()));
  accelerations(t, q, qd, zero, without_torques);
  Eigen::MatrixXd M(eigen_index(size()), eigen_index(size()));
  inertia_matrix(t, q, M);
  Eigen::Map<Eigen::VectorXd>(bias.data(), eigen_index(size())) = -M * without_torques;
}

void Plant::linear_forces(Eigen::Ref<Eigen::MatrixXd> D, Eigen::Ref<Eigen::MatrixXd> K) const {
  D.setZero();
  K.setZero();
}

}  // namespace dynamics
