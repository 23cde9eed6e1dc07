// SPDX-License-Identifier: Apache-2.0
#include "simulation/joint_constraints.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

namespace dynamics {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double speed_tolerance = 1e-10;     // of joints that come to rest (rad/s or m/s)
constexpr double gap_tolerance = 1e-12;       // relative to the position of the stop
constexpr double relative_tolerance = 1e-10;  // of forces

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

}  // namespace

BoxedComplementarity::BoxedComplementarity(std::size_t largest)
    : A(index(largest), index(largest)),
      b(index(largest)),
      lower(index(largest)),
      upper(index(largest)),
      lambda(index(largest)),
      ends(largest),
      factor_(index(largest), index(largest)),
      part_(index(largest)) {
  within_.reserve(largest);
}

/// lambda of the rows within their intervals, such that w = 0 there.
bool BoxedComplementarity::solve_within(Eigen::Index size) {
  within_.clear();
  for (Eigen::Index i = 0; i < size; ++i) {
    const int end = ends[static_cast<std::size_t>(i)];
    if (end == 0) within_.push_back(i);
    if (end != 0) lambda[i] = end < 0 ? lower[i] : upper[i];
  }
  const auto count = static_cast<Eigen::Index>(within_.size());
  if (count == 0) return true;
  for (Eigen::Index r = 0; r < count; ++r) {
    const Eigen::Index i = within_[static_cast<std::size_t>(r)];
    double sum = -b[i];
    for (Eigen::Index j = 0; j < size; ++j) {
      if (ends[static_cast<std::size_t>(j)] != 0) sum -= A(i, j) * lambda[j];
    }
    part_[r] = sum;
    for (Eigen::Index c = 0; c <= r; ++c)
      factor_(r, c) = A(i, within_[static_cast<std::size_t>(c)]);
  }
  Eigen::Ref<Eigen::MatrixXd> matrix = factor_.topLeftCorner(count, count);
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(matrix);
  if (factor.info() != Eigen::Success) return false;
  auto solution = part_.head(count);
  factor.solveInPlace(solution);
  for (Eigen::Index r = 0; r < count; ++r)
    lambda[within_[static_cast<std::size_t>(r)]] = solution[r];
  return true;
}

bool BoxedComplementarity::solve(std::size_t rows) {
  const Eigen::Index size = index(rows);
  std::fill(ends.begin(), ends.begin() + size, 0);
  // Rows that violate their condition change sides: all of them at first; if that does not end
  // soon, one at a time, the last, which ends for every positive definite matrix (Murty 1974).
  constexpr int changes_of_all = 10;
  for (int change = 0;; ++change) {
    if (!solve_within(size)) return false;
    const double scale = lambda.head(size).lpNorm<Eigen::Infinity>();
    const double force_tolerance = 1e-13 * scale;
    const double motion_tolerance = 1e-13 * b.head(size).lpNorm<Eigen::Infinity>();
    bool done = true;
    for (Eigen::Index i = size; i-- > 0;) {
      int& end = ends[static_cast<std::size_t>(i)];
      int next = end;
      if (end == 0) {
        if (lambda[i] < lower[i] - force_tolerance) next = -1;
        if (lambda[i] > upper[i] + force_tolerance) next = 1;
      } else {
        const double w = b[i] + A.row(i).head(size).dot(lambda.head(size));
        if (end * w > motion_tolerance) next = 0;
      }
      if (next == end) continue;
      end = next;
      done = false;
      if (change >= changes_of_all) break;
    }
    if (done) return true;
    if (change > 1000 + 10 * size) return true;  // round-off: either side does
  }
}

JointConstraints::JointConstraints(Plant& plant, bool stops, double restitution,
                                   FreeAccelerations free)
    : plant_(&plant),
      restitution_(restitution),
      free_(free),
      dry_friction_(plant.joints()),
      lower_(plant.joints(), -infinity),
      upper_(plant.joints(), infinity),
      held_(plant.joints(), 0),
      contact_(plant.joints(), 0),
      sliding_(plant.joints(), 0),
      friction_(plant.joints(), 0.0),
      acceleration_(plant.size(), 0.0),
      target_(plant.joints(), 0.0),
      responses_(index(plant.size()), index(plant.joints())),
      problem_(plant.joints()) {
  joints_.reserve(plant.joints());
  for (std::size_t i = 0; i < plant.joints(); ++i) {
    dry_friction_[i] = plant.dry_friction(i);
    if (!stops) continue;
    lower_[i] = plant.model().coordinates()[i].lower;
    upper_[i] = plant.model().coordinates()[i].upper;
  }
}

void JointConstraints::slide(std::size_t joint, int direction) {
  held_[joint] = 0;
  contact_[joint] = 0;
  sliding_[joint] = direction;
  friction_[joint] = -direction * dry_friction_[joint];
}

int JointConstraints::reaches(std::size_t i, Input q, Input qd) const {
  if (qd[i] < 0.0 && q[i] <= lower_[i]) return -1;
  if (qd[i] > 0.0 && q[i] >= upper_[i]) return 1;
  return 0;
}

void JointConstraints::start(double t, Output q, Output qd) {
  const std::size_t n = held_.size();
  std::vector<double> zero(n, 0.0), forces(n);
  plant_->computed_torques(t, q, acceleration_, zero, forces);
  force_scale_ = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    force_scale_ = std::max({force_scale_, std::abs(forces[i]), dry_friction_[i]});
    const Coordinate& joint = plant_->model().coordinates()[i];
    if (q[i] < lower_[i] || q[i] > upper_[i]) {
      throw ArgumentError(
          fmt::format("{} of joint '{}' is {}; it must lie between its stops at {} and {}",
                      t > 0.0 ? "the position" : "q0", joint.name, q[i], joint.lower, joint.upper));
    }
    if (qd[i] != 0.0) {
      slide(i, qd[i] > 0.0 ? 1 : -1);
      continue;
    }
    sliding_[i] = 0;
    friction_[i] = 0.0;
    contact_[i] = q[i] == lower_[i] ? -1 : q[i] == upper_[i] ? 1 : 0;
    held_[i] = contact_[i] != 0 || dry_friction_[i] > 0.0;
  }
  if (force_scale_ == 0.0) force_scale_ = 1.0;
  impact(t, q, qd);
}

void JointConstraints::fill_responses(double t, Input q) {
  plant_->impulse_responses(t, q, joints_, responses_.leftCols(index(joints_.size())));
  for (std::size_t c = 0; c < joints_.size(); ++c) {
    for (std::size_t r = 0; r < joints_.size(); ++r)
      problem_.A(index(r), index(c)) = responses_(index(joints_[r]), index(c));
  }
}

void JointConstraints::accelerations(double t, Input q, Input qd, Output qdd) {
  free_(t, q, qd, friction_, qdd);
  joints_.clear();
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (held_[i] != 0) joints_.push_back(i);
  }
  if (joints_.empty()) return;
  fill_responses(t, q);
  for (std::size_t r = 0; r < joints_.size(); ++r) {
    problem_.b[index(r)] = qdd[joints_[r]];
    problem_.lower[index(r)] = -infinity;
    problem_.upper[index(r)] = infinity;
  }
  if (!problem_.solve(joints_.size())) {
    throw StateError("", "the inertia matrix of the joints that are held is singular");
  }
  Eigen::Map<Eigen::VectorXd>(qdd.data(), index(qdd.size())).noalias() +=
      responses_.leftCols(index(joints_.size())) * problem_.lambda.head(index(joints_.size()));
  for (const std::size_t i : joints_) qdd[i] = 0.0;
}

double JointConstraints::sliding_margin(Input qd) const {
  double least = 1.0;
  for (std::size_t i = 0; i < sliding_.size(); ++i) {
    if (sliding_[i] != 0 && dry_friction_[i] > 0.0)
      least = std::min(least, sliding_[i] * qd[i] + speed_tolerance);
  }
  return least;
}

bool JointConstraints::has_stop(std::size_t joint, int side) const {
  return std::isfinite(side < 0 ? lower_[joint] : upper_[joint]);
}

double JointConstraints::gap_margin(std::size_t joint, int side, Input q) const {
  if (contact_[joint] != 0) return 1.0;
  const double stop = side < 0 ? lower_[joint] : upper_[joint];
  return side * (stop - q[joint]) + gap_tolerance * std::max(1.0, std::abs(stop));
}

double JointConstraints::holding_margin(double t, Input q, Input qd) {
  accelerations(t, q, qd, acceleration_);
  double least = 1.0;
  for (std::size_t r = 0; r < joints_.size(); ++r) {
    const std::size_t i = joints_[r];
    const double force = problem_.lambda[index(r)];
    double margin = infinity;
    if (contact_[i] <= 0) margin = std::min(margin, force + dry_friction_[i]);
    if (contact_[i] >= 0) margin = std::min(margin, dry_friction_[i] - force);
    least = std::min(least, margin / force_scale_ + relative_tolerance);
  }
  return least;
}

void JointConstraints::choose_modes(double t, Input q, Input qd) {
  joints_.clear();
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (held_[i] == 0) continue;
    joints_.push_back(i);
    friction_[i] = 0.0;
    sliding_[i] = 0;
  }
  if (joints_.empty()) return;
  free_(t, q, qd, friction_, acceleration_);
  fill_responses(t, q);
  for (std::size_t r = 0; r < joints_.size(); ++r) {
    const std::size_t i = joints_[r];
    problem_.b[index(r)] = acceleration_[i];
    problem_.lower[index(r)] = contact_[i] > 0 ? -infinity : -dry_friction_[i];
    problem_.upper[index(r)] = contact_[i] < 0 ? infinity : dry_friction_[i];
  }
  if (!problem_.solve(joints_.size())) {
    throw StateError("", "the inertia matrix of the joints at rest is singular");
  }
  for (std::size_t r = 0; r < joints_.size(); ++r) {
    if (problem_.ends[r] != 0) slide(joints_[r], -problem_.ends[r]);
  }
}

void JointConstraints::update(double t, Output q, Output qd) {
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (sliding_[i] == 0 || dry_friction_[i] == 0.0 || sliding_[i] * qd[i] > 0.0) continue;
    qd[i] = 0.0;
    held_[i] = 1;
  }
  choose_modes(t, q, qd);
}

void JointConstraints::impact(double t, Output q, Output qd) {
  joints_.clear();
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const int side = reaches(i, q, qd);
    // beyond the stop by the error of the step, also where the joint already moves away
    q[i] = std::clamp(q[i], lower_[i], upper_[i]);
    if (side != 0) {
      contact_[i] = side;
      const bool rebounds = restitution_ * std::abs(qd[i]) >= resting_speed;
      target_[i] = rebounds ? -restitution_ * qd[i] : 0.0;
      joints_.push_back(i);
    } else if (contact_[i] != 0) {
      target_[i] = 0.0;
      joints_.push_back(i);
    }
  }
  double fastest = 0.0;
  for (const std::size_t i : joints_) fastest = std::max(fastest, std::abs(qd[i] - target_[i]));
  if (fastest > 0.0) {
    const bool gentle = fastest < gentle_speed;
    fill_responses(t, q);
    for (std::size_t r = 0; r < joints_.size(); ++r) {
      const std::size_t i = joints_[r];
      problem_.b[index(r)] = qd[i] - target_[i];
      problem_.lower[index(r)] = contact_[i] < 0 && !gentle ? 0.0 : -infinity;
      problem_.upper[index(r)] = contact_[i] > 0 && !gentle ? 0.0 : infinity;
    }
    if (!problem_.solve(joints_.size())) {
      throw StateError("", "the inertia matrix of the joints at their stops is singular");
    }
    Eigen::Map<Eigen::VectorXd>(qd.data(), index(qd.size())).noalias() +=
        responses_.leftCols(index(joints_.size())) * problem_.lambda.head(index(joints_.size()));
    for (std::size_t r = 0; r < joints_.size(); ++r) {
      const std::size_t i = joints_[r];
      if (problem_.ends[r] == 0) qd[i] = target_[i];
    }
    for (std::size_t i = 0; i < held_.size(); ++i) {
      if (std::abs(qd[i]) > speed_tolerance) {
        slide(i, qd[i] > 0.0 ? 1 : -1);
      } else if (contact_[i] != 0 || dry_friction_[i] > 0.0) {
        qd[i] = 0.0;
        held_[i] = 1;
      }
    }
  }
  choose_modes(t, q, qd);
}

}  // namespace dynamics
