// SPDX-License-Identifier: Apache-2.0
#include "loops/closed_branch.hpp"

#include <algorithm>
#include <cmath>

#include "loops/mechanism_memory.hpp"

namespace dynamics {
namespace {

/// Loops with a larger condition number are near a position that changes their mobility.
constexpr double near_singular = 1e3;
/// Distances of the nodes that are tried (rad, or in units of the length).
constexpr std::array<double, 2> node_distances = {0.01, 0.03};
constexpr std::array<double, ClosedBranch::nodes> places = {-3.0, -2.0, -1.0, 1.0, 2.0, 3.0};

bool is_near_singular(const ClusterMemory& cluster) {
  return !(cluster.lu.condition() < near_singular);
}

bool is_near_singular(const MechanismWorkspace::Memory& memory) {
  return std::any_of(memory.clusters.begin(), memory.clusters.end(),
                     [](const ClusterMemory& each) { return is_near_singular(each); });
}

}  // namespace

ClosedBranch::ClosedBranch(const Mechanism& mechanism)
    : mechanism_(mechanism),
      size_(mechanism.tree().size()),
      closed_q_(size_),
      closed_qd_(size_),
      direction_(size_),
      q_(nodes * size_),
      qd_(nodes * size_) {}

/// direction_: the velocities of the joints of loops near a singular position, with the largest
/// equal to one. False if such a loop is at rest, or if there is none.
bool ClosedBranch::set_direction(MechanismWorkspace& workspace, std::span<const double> qd) {
  const Mechanism::Data& data = mechanism_.data();
  const auto& clusters = workspace.memory().clusters;
  std::fill(direction_.begin(), direction_.end(), 0.0);
  bool found = false;
  for (std::size_t k = 0; k < clusters.size(); ++k) {
    const LoopCluster& cluster = data.clusters[k];
    if (cluster.rank == 0 || !is_near_singular(clusters[k])) continue;
    double speed = 0.0;
    for (std::size_t b = 0; b < cluster.size(); ++b) {
      const std::size_t joint = data.tree.bodies()[cluster.bodies[b]].coordinate;
      speed = std::max(speed, std::abs(qd[joint]) / cluster.scale[b]);
    }
    if (!(speed > 0.0)) return false;
    found = true;
    for (const std::size_t body : cluster.bodies) {
      const std::size_t joint = data.tree.bodies()[body].coordinate;
      direction_[joint] = qd[joint] / speed;
    }
  }
  return found;
}

bool ClosedBranch::project_nodes(MechanismWorkspace& workspace, double distance,
                                 std::span<const double> q, std::span<const double> qd) {
  distance_ = distance;
  for (std::size_t k = 0; k < nodes; ++k) {
    const std::span<double> node_q(q_.data() + k * size_, size_),
        node_qd(qd_.data() + k * size_, size_);
    for (std::size_t i = 0; i < size_; ++i) {
      node_q[i] = q[i] + places[k] * distance * direction_[i];
      node_qd[i] = qd[i];
    }
    if (try_project_on_loops(mechanism_, workspace, node_q, node_qd) != Status::ok ||
        is_near_singular(workspace.memory()))
      return false;
  }
  return true;
}

void ClosedBranch::project(MechanismWorkspace& workspace, std::span<double> q,
                           std::span<double> qd) {
  interpolated_ = false;
  std::copy(q.begin(), q.end(), closed_q_.begin());
  std::copy(qd.begin(), qd.end(), closed_qd_.begin());
  const Status status = try_project_on_loops(mechanism_, workspace, closed_q_, closed_qd_);
  const bool near = status != Status::ok || is_near_singular(workspace.memory());
  const Problem problem = workspace.memory().problem;
  if (near && set_direction(workspace, qd)) {
    interpolated_ = std::any_of(node_distances.begin(), node_distances.end(), [&](double distance) {
      return project_nodes(workspace, distance, q, qd);
    });
  }
  if (!interpolated_) {
    require(status, problem, mechanism_.tree());
    std::copy(closed_q_.begin(), closed_q_.end(), q.begin());
    std::copy(closed_qd_.begin(), closed_qd_.end(), qd.begin());
    return;
  }
  for (std::size_t i = 0; i < size_; ++i) {
    // how far the nodes were moved, and their velocities
    double move = 0.0, rate = 0.0;
    for (std::size_t k = 0; k < nodes; ++k) {
      const double at = q[i] + places[k] * distance_ * direction_[i];
      move += weights[k] * (q_[k * size_ + i] - at);
      rate += weights[k] * qd_[k * size_ + i];
    }
    q[i] += move;
    qd[i] = rate;
  }
}

}  // namespace dynamics
