// SPDX-License-Identifier: Apache-2.0
#include "dynamics_controllers/trajectory_follower.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dynamics_controllers {

void TrajectoryFollower::configure(std::vector<bool> continuous, double stop_time) {
  continuous_ = std::move(continuous);
  stop_time_ = stop_time;
  const std::size_t n = continuous_.size();
  for (auto* const v : {&q_, &qd_, &qdd_, &rest_, &path_q_, &path_qd_, &path_qdd_, &offset_,
                        &offset_rate_, &offset_acceleration_})
    v->assign(n, 0.0);
}

TrajectoryFollower::Ended TrajectoryFollower::ended() const {
  const std::uint64_t value = ended_.load(std::memory_order_acquire);
  return {value >> 8U, static_cast<Outcome>(value & 0xffU)};
}

void TrajectoryFollower::start(std::span<const double> q) {
  mailbox_.send(nullptr);
  active_.reset();
  waiting_.reset();
  retired_.reset();
  running_ = follows_ = false;
  correction_ = 0.0;
  std::copy(q.begin(), q.end(), q_.begin());
  std::copy(q.begin(), q.end(), rest_.begin());
  std::fill(qd_.begin(), qd_.end(), 0.0);
  std::fill(qdd_.begin(), qdd_.end(), 0.0);
}

void TrajectoryFollower::set(std::span<const double> q, std::span<const double> qd,
                             std::span<const double> qdd) {
  std::copy(q.begin(), q.end(), q_.begin());
  std::copy(q.begin(), q.end(), rest_.begin());
  std::copy(qd.begin(), qd.end(), qd_.begin());
  std::copy(qdd.begin(), qdd.end(), qdd_.begin());
}

double TrajectoryFollower::error(std::size_t i, double q) const noexcept {
  const double e = q_[i] - q;
  return continuous_[i] ? std::remainder(e, 2.0 * std::numbers::pi) : e;
}

/// The offset of the reference from the path decays within `duration`.
void TrajectoryFollower::correct(double duration) noexcept {
  correction_ = duration > 1e-9 ? duration : 0.0;
  corrected_ = 0.0;
  for (std::size_t i = 0; i < q_.size(); ++i) {
    offset_[i] = q_[i] - path_q_[i];
    if (continuous_[i]) offset_[i] = std::remainder(offset_[i], 2.0 * std::numbers::pi);
    offset_rate_[i] = qd_[i] - path_qd_[i];
    offset_acceleration_[i] = qdd_[i] - path_qdd_[i];
  }
}

/// active_ starts now.
void TrajectoryFollower::begin(double elapsed) noexcept {
  elapsed_ = elapsed;
  if (!active_->path) {
    for (std::size_t i = 0; i < q_.size(); ++i) {
      rest_[i] = q_[i] + 0.5 * stop_time_ * qd_[i];
      path_q_[i] = rest_[i];
      path_qd_[i] = path_qdd_[i] = 0.0;
    }
    correct(stop_time_);
    running_ = follows_ = false;
    return;
  }
  running_ = follows_ = true;
  active_->path->at(elapsed_, path_q_, path_qd_, path_qdd_);
  const auto next = std::upper_bound(active_->times.begin(), active_->times.end(), elapsed_);
  correct(next == active_->times.end() ? 0.0 : *next - elapsed_);
}

void TrajectoryFollower::end(Outcome outcome) noexcept {
  running_ = false;
  if (active_->id != 0) {
    ended_.store(active_->id << 8U | static_cast<std::uint64_t>(outcome),
                 std::memory_order_release);
  }
}

void TrajectoryFollower::check(std::span<const double> q, std::span<const double> qd) noexcept {
  const bool moving = elapsed_ < active_->duration();
  bool reached = true;
  for (std::size_t i = 0; i < q_.size(); ++i) {
    const double e = std::abs(error(i, q[i]));
    const auto beyond = [i](const std::vector<double>& tolerance, double value) {
      return tolerance[i] > 0.0 && value > tolerance[i];
    };
    if (moving && beyond(active_->path_position, e)) {
      end(Outcome::path_tolerance);
      break;
    }
    reached = reached && !beyond(active_->goal_position, e) &&
              !beyond(active_->goal_velocity, std::abs(qd_[i] - qd[i]));
  }
  if (running_ && !moving) {
    if (reached) {
      end(Outcome::succeeded);
      return;
    }
    if (active_->goal_time > 0.0 && elapsed_ > active_->duration() + active_->goal_time)
      end(Outcome::goal_tolerance);
  }
  if (running_) return;
  // a tolerance was violated: at rest where the robot is
  std::copy(q.begin(), q.end(), rest_.begin());
  std::copy(q.begin(), q.end(), q_.begin());
  std::fill(qd_.begin(), qd_.end(), 0.0);
  std::fill(qdd_.begin(), qdd_.end(), 0.0);
  correction_ = 0.0;
  follows_ = false;
}

void TrajectoryFollower::update(std::int64_t now, double period, std::span<const double> q,
                                std::span<const double> qd) noexcept {
  if (retired_) mailbox_.retire(retired_);
  elapsed_ += period;
  corrected_ += period;
  if (!retired_) {
    if (auto next = mailbox_.take()) {
      retired_ = std::move(waiting_);  // replaced before its start
      waiting_ = std::move(next);
      mailbox_.retire(retired_);
    }
    if (waiting_ && !retired_ && now >= waiting_->start) {
      // the reference is that of the cycle before: the trajectory starts there
      const double elapsed =
          waiting_->start == 0 ? period : 1e-9 * static_cast<double>(now - waiting_->start);
      const double before = std::max(0.0, elapsed - period);
      retired_ = std::move(active_);
      active_ = std::move(waiting_);
      mailbox_.retire(retired_);
      begin(before);
      elapsed_ = elapsed;
      corrected_ = elapsed - before;
    }
  }
  if (follows_) {
    active_->path->at(elapsed_, path_q_, path_qd_, path_qdd_);
  } else {
    std::copy(rest_.begin(), rest_.end(), path_q_.begin());
    std::fill(path_qd_.begin(), path_qd_.end(), 0.0);
    std::fill(path_qdd_.begin(), path_qdd_.end(), 0.0);
  }
  q_.swap(path_q_);
  qd_.swap(path_qd_);
  qdd_.swap(path_qdd_);
  if (corrected_ < correction_) {
    const double T = correction_, s = corrected_ / T;
    for (std::size_t i = 0; i < q_.size(); ++i) {
      // the quintic with this offset at s = 0 and none at s = 1
      const double d = offset_[i], v = offset_rate_[i] * T, a = offset_acceleration_[i] * T * T;
      const double c3 = -10.0 * d - 6.0 * v - 1.5 * a, c4 = 15.0 * d + 8.0 * v + 1.5 * a,
                   c5 = -6.0 * d - 3.0 * v - 0.5 * a;
      q_[i] += d + s * (v + s * (0.5 * a + s * (c3 + s * (c4 + s * c5))));
      qd_[i] += (v + s * (a + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)))) / T;
      qdd_[i] += (a + s * (6.0 * c3 + s * (12.0 * c4 + s * 20.0 * c5))) / (T * T);
    }
  }
  if (running_) check(q, qd);
}

}  // namespace dynamics_controllers
