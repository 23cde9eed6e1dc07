// SPDX-License-Identifier: Apache-2.0
// Assembly: the position nearest to zero that closes the loops.

#include "loops/assembly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/eigen_index.hpp"
#include "spatial/decompositions.hpp"

namespace dynamics {

LoopAssembly::LoopAssembly(const Mechanism::Data& data)
    : data_(data), motion_(data.tree), q_(data.tree.body_count()) {}

double LoopAssembly::error(const LoopCluster& cluster, Eigen::VectorXd& phi) {
  world_motion(data_.tree, motion_, q_.data(), nullptr, nullptr, std::nullopt);
  phi.resize(eigen_index(cluster.rows));
  loop_errors(data_, cluster, motion_, q_.data(), phi);
  const double largest = phi.size() == 0 ? 0.0 : phi.cwiseAbs().maxCoeff();
  return std::isfinite(phi.sum()) ? largest : std::numeric_limits<double>::infinity();
}

Eigen::MatrixXd LoopAssembly::jacobian(const LoopCluster& cluster) {
  world_motion(data_.tree, motion_, q_.data(), nullptr, nullptr, std::nullopt);
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(eigen_index(cluster.rows), eigen_index(cluster.size()));
  loop_jacobian(data_, cluster, motion_, G);
  return G;
}

bool LoopAssembly::close(const LoopCluster& cluster, int iterations) {
  Eigen::VectorXd phi, trial;
  double now = error(cluster, phi), damping = 1e-3, earlier = phi.norm();
  std::vector<double> before(cluster.size());
  for (int iteration = 0; iteration < iterations && now > 1e-15; ++iteration) {
    const Eigen::MatrixXd G = jacobian(cluster);
    for (std::size_t b = 0; b < cluster.size(); ++b) before[b] = q_[cluster.bodies[b]];
    bool better = false;
    for (int attempt = 0; attempt < 12 && !better; ++attempt) {
      Eigen::MatrixXd normal = G * G.transpose();
      normal.diagonal().array() += damping * std::min(1.0, now) + 1e-14;
      Eigen::VectorXd step = -G.transpose() * solve_symmetric(normal, phi);
      const double size = step.cwiseAbs().maxCoeff();
      if (size > 0.5) step *= 0.5 / size;
      for (std::size_t b = 0; b < cluster.size(); ++b)
        q_[cluster.bodies[b]] = before[b] + step[eigen_index(b)] * cluster.scale[b];
      const double next = error(cluster, trial);
      better = trial.norm() < phi.norm();
      if (better) {
        phi = trial;
        now = next;
        damping = std::max(1e-12, 0.1 * damping);
      } else {
        damping = std::min(1e6, 10.0 * damping);
      }
    }
    if (better) {
      // loops that cannot close approach a nearest position slowly
      constexpr int few = 10;
      if (iteration % few != few - 1) continue;
      if (now > 1e-6 && phi.norm() > 0.9 * earlier) break;
      earlier = phi.norm();
      continue;
    }
    for (std::size_t b = 0; b < cluster.size(); ++b) q_[cluster.bodies[b]] = before[b];
    break;
  }
  now = error(cluster, phi);
  return now <= 1e-6 && directions_agree(data_, cluster, motion_);
}

double LoopAssembly::distance(const LoopCluster& cluster, const std::vector<double>& goal) const {
  double sum = 0.0;
  for (std::size_t b = 0; b < cluster.size(); ++b) {
    const double d = (q_[cluster.bodies[b]] - goal[cluster.bodies[b]]) / cluster.scale[b];
    sum += d * d;
  }
  return std::sqrt(sum);
}

void LoopAssembly::approach(const LoopCluster& cluster, const std::vector<double>& goal) {
  for (int iteration = 0; iteration < 100; ++iteration) {
    const double before = distance(cluster, goal);
    if (before == 0.0) return;
    const std::vector<double> kept = q_;
    // the part of the way to the goal that is tangential to the loops
    const Eigen::MatrixXd G = jacobian(cluster);
    Eigen::VectorXd way(eigen_index(cluster.size()));
    for (std::size_t b = 0; b < cluster.size(); ++b)
      way[eigen_index(b)] = (goal[cluster.bodies[b]] - q_[cluster.bodies[b]]) / cluster.scale[b];
    Eigen::MatrixXd normal = G * G.transpose();
    normal.diagonal().array() += 1e-10;
    way -= G.transpose() * solve_symmetric(normal, G * way);
    const double size = way.norm();
    if (size < 1e-9) return;
    if (size > 0.3) way *= 0.3 / size;
    for (std::size_t b = 0; b < cluster.size(); ++b)
      q_[cluster.bodies[b]] += way[eigen_index(b)] * cluster.scale[b];
    if (close(cluster, 20) && distance(cluster, goal) < before * (1.0 - 1e-9)) continue;
    q_ = kept;
    return;
  }
}

namespace {

/// Number k of a low-discrepancy sequence in [-1, 1) for joint i.
double scattered(std::size_t k, std::size_t i) {
  const double x =
      0.5 + static_cast<double>(k) * std::sqrt(static_cast<double>(4 * i * i + 4 * i + 3));
  return 2.0 * (x - std::floor(x)) - 1.0;
}

/// The constraint with the largest error, and the error.
std::pair<const LoopConstraint*, double> worst(const Mechanism::Data& data,
                                               const LoopCluster& cluster,
                                               const Eigen::VectorXd& phi) {
  std::pair<const LoopConstraint*, double> result{&data.constraints[cluster.constraints.front()],
                                                  0.0};
  Eigen::Index at = 0;
  for (const std::size_t k : cluster.constraints) {
    for (std::size_t r = 0; r < data.constraints[k].rows.size(); ++r, ++at) {
      if (std::abs(phi[at]) > result.second) result = {&data.constraints[k], std::abs(phi[at])};
    }
  }
  return result;
}

[[noreturn]] void cannot_close(const Mechanism::Data& data, const LoopConstraint& constraint,
                               double error) {
  if (error < 1e-6) {
    throw ModelError("constraint '" + constraint.name + "'",
                     "the loop cannot close: the two frames meet with opposite axes; correct rpy");
  }
  throw ModelError(
      "constraint '" + constraint.name + "'",
      fmt::format(
          "the loop cannot close: in the nearest position found '{}' and '{}' are {:.3g} of "
          "the mechanism's size ({:.3g} m) apart or turned by this angle (rad); 1e-6 is "
          "allowed: correct origins, axes or the lengths of the links",
          data.tree.frames()[constraint.frame_a].name, data.tree.frames()[constraint.frame_b].name,
          error, data.length));
}

}  // namespace

/// Both links of a constraint are fixed to the same body.
static void check_constraints_without_joints(const Mechanism::Data& data) {
  for (const LoopConstraint& constraint : data.constraints) {
    if (constraint.coupling || constraint.body_a != constraint.body_b) continue;
    throw ModelError("constraint '" + constraint.name + "'",
                     fmt::format("no joint can move between '{}' and '{}': the links are fixed to "
                                 "each other; remove the constraint",
                                 data.tree.frames()[constraint.frame_a].name,
                                 data.tree.frames()[constraint.frame_b].name));
  }
}

void assemble(Mechanism::Data& data) {
  check_constraints_without_joints(data);
  const Model& tree = data.tree;
  std::vector<double> zero(tree.size());
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const Coordinate& joint = tree.coordinates()[i];
    zero[i] = std::min(std::max(0.0, joint.lower), joint.upper);
  }
  LoopAssembly assembly(data);
  std::vector<double> goal(tree.body_count());
  body_positions(tree, zero, goal);
  assembly.positions() = goal;
  for (const LoopCluster& cluster : data.clusters) {
    std::vector<double> best;
    double nearest = std::numeric_limits<double>::infinity();
    double least = nearest;
    const LoopConstraint* open = nullptr;
    constexpr std::size_t starts = 200;
    for (std::size_t k = 0; k < starts; ++k) {
      std::vector<double>& q = assembly.positions();
      // from zero, then from scattered positions at growing distances
      const double spread = 3.1 * std::min(1.0, static_cast<double>(k) / 50.0);
      for (std::size_t b = 0; b < cluster.size(); ++b) {
        const std::size_t body = cluster.bodies[b];
        const double range = tree.tree()[body].prismatic ? data.length : 1.0;
        q[body] = goal[body] + (k == 0 ? 0.0 : spread * range * scattered(k, b));
      }
      if (assembly.close(cluster, 200)) {
        assembly.approach(cluster, goal);
        assembly.close(cluster, 50);
        const double distance = assembly.distance(cluster, goal);
        if (distance < nearest) {
          nearest = distance;
          best = q;
        }
        if (k == 0 || !best.empty()) break;
      }
      Eigen::VectorXd phi;
      assembly.error(cluster, phi);
      if (phi.norm() < least) {
        least = phi.norm();
        open = worst(data, cluster, phi).first;
      }
    }
    if (best.empty()) {
      Eigen::VectorXd phi;
      assembly.error(cluster, phi);
      cannot_close(data, open != nullptr ? *open : *worst(data, cluster, phi).first, least);
    }
    assembly.positions() = best;
    if (nearest > 1e-9) {
      data.notes.push_back(
          {Note::Severity::warning,
           "constraint '" + data.constraints[cluster.constraints.front()].name + "'",
           fmt::format("the loop is open where its joints are at zero: the start is the nearest "
                       "position that closes it, {:.3g} rad or sizes away",
                       nearest)});
    }
  }
  data.start.resize(tree.size());
  for (std::size_t c = 0; c < tree.size(); ++c)
    data.start[c] = assembly.positions()[data.leading[c]];
}

}  // namespace dynamics
