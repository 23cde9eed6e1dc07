// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "dynamics_core/kinematics.hpp"
#include "rigid/workspace_memory.hpp"

namespace dynamics {
namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double pi = std::numbers::pi;
constexpr double same = 1e-9;  ///< relative difference of costs that counts as none

/// SplitMix64: the same numbers on every machine.
class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : state_(seed) {}
  /// Between 0 and 1.
  double next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t bits = state_;
    bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBU;
    return std::ldexp(static_cast<double>((bits ^ (bits >> 31U)) >> 11U), -53);
  }

 private:
  std::uint64_t state_;
};

/// Half of the length of the chain of joints from the base to the frame: offsets, and strokes of
/// prismatic joints. 1 if it is zero.
double characteristic_length(const Model& model, const Frame& frame) {
  double length = frame.body < 0 ? 0.0 : frame.pose.translation.norm();
  for (int b = frame.body; b >= 0; b = model.tree()[static_cast<std::size_t>(b)].parent) {
    const auto i = static_cast<std::size_t>(b);
    const TreeBody& body = model.tree()[i];
    length += Eigen::Map<const Eigen::Vector3d>(body.position).norm();
    const Coordinate& joint = model.coordinates()[model.bodies()[i].coordinate];
    const double stroke = std::abs(model.bodies()[i].multiplier) * (joint.upper - joint.lower);
    if (body.prismatic && std::isfinite(stroke)) length += stroke;
  }
  return length > 0.0 && std::isfinite(length) ? 0.5 * length : 1.0;
}

/// The state of a search at one position. Lengths are divided by characteristic_length().
struct PoseError {
  Pose pose;
  Vector6 error;  ///< rotation vector to the target, then displacement
  double cost;    ///< |error|^2
};

/// Search for one pose of one frame.
class PoseSearch {
 public:
  PoseSearch(const Model& model, Workspace::Memory& memory, std::size_t frame, const Pose& target,
             const InverseKinematicsOptions& options)
      : model_(model),
        memory_(memory),
        scratch_(memory.inverse_kinematics),
        frame_(frame),
        rotation_(Eigen::Quaterniond(target.rotation).normalized()),
        translation_(target.translation),
        options_(options),
        length_(characteristic_length(model, model.frames()[frame])) {
    std::fill(scratch_.moves_frame.begin(), scratch_.moves_frame.end(), false);
    for (int b = model.frames()[frame].body; b >= 0;
         b = model.tree()[static_cast<std::size_t>(b)].parent) {
      scratch_.moves_frame[model.bodies()[static_cast<std::size_t>(b)].coordinate] = true;
    }
  }

  /// The result; its position is scratch.best.
  InverseKinematicsResult run(ConstVector q0) {
    for (std::size_t i = 0; i < q0.size(); ++i) scratch_.start[i] = within_limits(i, q0[i]);
    std::copy(scratch_.start.begin(), scratch_.start.end(), scratch_.best.begin());
    RandomNumbers random(options_.seed);
    InverseKinematicsResult result;
    for (double best = infinity; !result.reached && result.starts < options_.starts;) {
      choose_start(result.starts++, random);
      result.iterations += descend();
      result.reached = is_reached(at_q_);
      if (!result.reached && !(at_q_.cost < (1.0 - same) * best)) continue;
      best = at_q_.cost;
      std::copy(scratch_.q.begin(), scratch_.q.end(), scratch_.best.begin());
    }
    const PoseError last = unwind();
    result.pose = last.pose;
    result.position_error = position_error(last);
    result.orientation_error = orientation_error(last);
    return result;
  }

 private:
  double within_limits(std::size_t i, double value) const {
    const Coordinate& joint = model_.coordinates()[i];
    return std::min(std::max(value, joint.lower), joint.upper);
  }

  /// q = q0 for the first search; then random positions between the limits, moved towards q0 by a
  /// share that decreases to zero.
  void choose_start(std::size_t number, RandomNumbers& random) {
    constexpr double near = 10.0;
    const double share = std::min(1.0, static_cast<double>(number) / near);
    for (std::size_t i = 0; i < scratch_.q.size(); ++i) {
      const double start = scratch_.start[i];
      scratch_.q[i] = start;
      if (number == 0 || !scratch_.moves_frame[i]) continue;
      const Coordinate& joint = model_.coordinates()[i];
      const double reach = joint.prismatic ? 2.0 * length_ : pi;
      const double lower = std::isfinite(joint.lower) ? joint.lower : start - reach;
      const double upper = std::isfinite(joint.upper) ? joint.upper : start + reach;
      const double position = start + share * (lower + random.next() * (upper - lower) - start);
      scratch_.q[i] = within_limits(i, position);  // against rounding
    }
  }

  PoseError evaluate(const std::vector<double>& q) {
    world_motion(model_, memory_.kinematics, body_positions(model_, q, memory_.q), nullptr, nullptr,
                 std::nullopt);
    PoseError at;
    at.pose = frame_in_world(model_, memory_.kinematics, frame_);
    at.error.setZero();
    if (options_.orientation) {
      const Eigen::AngleAxisd turn(rotation_ * Eigen::Quaterniond(at.pose.rotation).conjugate());
      at.error.head<3>() = turn.angle() * turn.axis();
    }
    at.error.tail<3>() = (translation_ - at.pose.translation) / length_;
    at.cost = at.error.squaredNorm();
    return at;
  }

  double position_error(const PoseError& at) const {
    return length_ * at.error.tail<3>().stableNorm();
  }
  static double orientation_error(const PoseError& at) { return at.error.head<3>().norm(); }
  bool is_reached(const PoseError& at) const {
    return position_error(at) <= options_.tolerance && orientation_error(at) <= options_.tolerance;
  }

  /// Column of coordinate i of the Jacobian of the error, for steps in this unit.
  auto column(std::size_t i) { return scratch_.jacobian.col(static_cast<Eigen::Index>(i)); }
  double unit(std::size_t i) const { return model_.coordinates()[i].prismatic ? length_ : 1.0; }

  /// The Jacobian at the position that was evaluated last.
  void fill_columns() {
    Eigen::Ref<Eigen::MatrixXd> J(scratch_.jacobian);
    fill_jacobian(model_, memory_.kinematics, frame_, Axes::local_world_aligned, J);
    for (std::size_t i = 0; i < scratch_.q.size(); ++i) {
      if (!scratch_.moves_frame[i]) continue;
      if (!options_.orientation) column(i).head<3>().setZero();
      column(i).tail<3>() /= length_;
      column(i) *= unit(i);
    }
  }

  /// Joints that may move: not those at a limit that the descent direction J^T e points beyond.
  /// Returns the largest slope of the error along one of them.
  double choose_free() {
    double slope = 0.0;
    for (std::size_t i = 0; i < scratch_.q.size(); ++i) {
      const Coordinate& joint = model_.coordinates()[i];
      const double descent = column(i).dot(at_q_.error);
      scratch_.is_free[i] = scratch_.moves_frame[i] &&
                            !(descent < 0.0 && scratch_.q[i] <= joint.lower) &&
                            !(descent > 0.0 && scratch_.q[i] >= joint.upper);
      if (scratch_.is_free[i]) slope = std::max(slope, std::abs(descent));
    }
    return slope;
  }

  /// trial = q + d with d = J^T (J J^T + damping)^-1 e over the free joints. A joint that would
  /// pass a limit is set to it, and the others take over the rest. Returns the cost that the linear
  /// model predicts.
  double solve_step(double damping) {
    std::copy(scratch_.q.begin(), scratch_.q.end(), scratch_.trial.begin());
    Vector6 rest = at_q_.error;  // without the part of joints that were set to their limits
    for (bool passed = true; passed;) {
      Matrix6 A = damping * Matrix6::Identity();
      for (std::size_t i = 0; i < scratch_.q.size(); ++i) {
        if (scratch_.is_free[i]) A += column(i) * column(i).transpose();
      }
      const Vector6 weights = A.llt().solve(rest);
      passed = false;
      Vector6 left = rest;
      for (std::size_t i = 0; i < scratch_.q.size(); ++i) {
        if (!scratch_.is_free[i]) continue;
        const double step = column(i).dot(weights), position = scratch_.q[i] + unit(i) * step;
        scratch_.trial[i] = within_limits(i, position);
        left -= step * column(i);
        if (scratch_.trial[i] == position) continue;
        passed = true;
        scratch_.is_free[i] = false;
        rest -= (scratch_.trial[i] - scratch_.q[i]) / unit(i) * column(i);
      }
      if (!passed) rest = left;
    }
    return rest.squaredNorm();
  }

  /// Levenberg-Marquardt iterations from q, damped by a factor times |e|^2 (Sugihara 2011). Stops
  /// at the pose, at a minimum of the error, or after too many iterations; returns their number.
  std::size_t descend() {
    constexpr double flat = 1e-9;  // slope at a minimum, relative to the error
    constexpr double least = 1e-6, most = 1e12;
    double factor = 1.0, growth = 2.0;
    at_q_ = evaluate(scratch_.q);
    std::size_t iteration = 0;
    for (bool moved = true; !is_reached(at_q_) && iteration < options_.iterations; ++iteration) {
      if (moved) fill_columns();
      if (!(choose_free() > flat * std::sqrt(at_q_.cost)) || factor > most) break;
      const double predicted = solve_step(factor * at_q_.cost);
      const PoseError at_trial = evaluate(scratch_.trial);
      const double gain = (at_q_.cost - at_trial.cost) / (at_q_.cost - predicted);
      moved = gain > 1e-4;
      if (moved) {
        std::swap(scratch_.q, scratch_.trial);
        at_q_ = at_trial;
        factor *= std::max(1.0 / 3.0, 1.0 - std::pow(2.0 * gain - 1.0, 3));  // Nielsen 1999
        factor = std::max(factor, least);
        growth = 2.0;
      } else {
        factor *= growth;
        growth *= 2.0;
      }
    }
    return iteration;
  }

  /// Turns revolute joints of scratch.best by whole turns towards q0, within their limits,
  /// unless the pose changes: mimic joints turn by another angle, and very many turns leave few
  /// digits. Returns the state there.
  PoseError unwind() {
    for (std::size_t i = 0; i < scratch_.best.size(); ++i) {
      scratch_.trial[i] = scratch_.best[i];
      if (model_.coordinates()[i].prismatic || !scratch_.moves_frame[i]) continue;
      double turns = std::round((scratch_.start[i] - scratch_.best[i]) / (2.0 * pi));
      for (; turns != 0.0; turns -= std::copysign(1.0, turns)) {
        const double position = scratch_.best[i] + 2.0 * pi * turns;
        if (within_limits(i, position) != position) continue;
        scratch_.trial[i] = position;
        break;
      }
    }
    const PoseError before = evaluate(scratch_.best), after = evaluate(scratch_.trial);
    const bool same_pose = is_reached(after) || after.cost <= (1.0 + same) * before.cost;
    if (same_pose) std::swap(scratch_.best, scratch_.trial);
    return same_pose ? after : before;
  }

  const Model& model_;
  Workspace::Memory& memory_;
  InverseKinematicsScratch& scratch_;
  std::size_t frame_;
  Eigen::Quaterniond rotation_;
  Eigen::Vector3d translation_;
  const InverseKinematicsOptions& options_;
  double length_;   ///< characteristic_length()
  PoseError at_q_;  ///< at scratch_.q
};

}  // namespace

Status try_inverse_kinematics(const Model& model, Workspace& workspace, std::size_t frame,
                              const Pose& target, ConstVector q0, MutableVector q,
                              InverseKinematicsResult& result,
                              const InverseKinematicsOptions& options) noexcept {
  Workspace::Memory& memory = workspace.memory();
  const Status status = check_workspace(model, memory)
                            .frame(model, frame)
                            .pose("target", target, options.orientation)
                            .vector("q0", q0, memory.size)
                            .output("q", q, memory.size)
                            .positive("tolerance", options.tolerance)
                            .positive("starts", static_cast<double>(options.starts))
                            .positive("iterations", static_cast<double>(options.iterations))
                            .status();
  if (status != Status::ok) return status;
  result = PoseSearch(model, memory, frame, target, options).run(q0);
  const std::vector<double>& best = memory.inverse_kinematics.best;
  std::copy(best.begin(), best.end(), q.begin());
  return Status::ok;
}

InverseKinematicsResult inverse_kinematics(const Model& model, Workspace& workspace,
                                           std::size_t frame, const Pose& target, ConstVector q0,
                                           MutableVector q,
                                           const InverseKinematicsOptions& options) {
  InverseKinematicsResult result;
  require(try_inverse_kinematics(model, workspace, frame, target, q0, q, result, options),
          workspace.memory().problem, model);
  return result;
}

}  // namespace dynamics
