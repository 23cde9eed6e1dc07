// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <utility>

#include "dynamics_ros/dynamics_server.hpp"
#include "efforts.hpp"
#include "fault.hpp"
#include "request.hpp"
#include "robot.hpp"
#include "time_scaling.hpp"

namespace dynamics_ros {
namespace {

using dynamics_msgs::srv::ScaleTrajectory;

double share_of(double given, const char* field) {
  if (given == 0.0) return 1.0;
  if (given > 0.0 && given <= 1.0) return given;
  throw Fault(ResultCode::INVALID_VALUE,
              fmt::format("{} is {}; it must be above 0 and at most 1, or 0 for 1", field, given));
}

ScalingOptions read_options(const ScaleTrajectory::Request& request, double largest_factor) {
  using Request = ScaleTrajectory::Request;
  if (request.method != Request::UNIFORM && request.method != Request::PER_SEGMENT) {
    throw Fault(ResultCode::INVALID_VALUE,
                fmt::format("method is {}; it must be UNIFORM ({}) or PER_SEGMENT ({})",
                            request.method, Request::UNIFORM, Request::PER_SEGMENT));
  }
  ScalingOptions options;
  options.per_segment = request.method == Request::PER_SEGMENT;
  options.friction = !request.without_friction;
  options.effort_share = share_of(request.effort_share, "effort_share");
  options.velocity_share = share_of(request.velocity_share, "velocity_share");
  options.largest_factor = request.largest_factor == 0.0 ? largest_factor : request.largest_factor;
  if (!(options.largest_factor >= 1.0 && std::isfinite(options.largest_factor))) {
    throw Fault(ResultCode::INVALID_VALUE,
                fmt::format("largest_factor is {}; it must be 1 or more, or 0 for {}",
                            request.largest_factor, largest_factor));
  }
  options.interior_points = request.interior_points;
  return options;
}

/// Room for the points that will be put in between.
void check_size(const ScaleTrajectory::Request& request, std::size_t largest) {
  const std::size_t points = request.trajectory.points.size();
  if (points == 1) {
    throw Fault(ResultCode::EMPTY_REQUEST,
                "trajectory.points has one entry: there is no motion to slow down");
  }
  const std::size_t pieces = std::size_t{request.interior_points} + 1;
  if (points > largest || (points > 1 && pieces > largest / (points - 1))) {
    throw Fault(ResultCode::TOO_LARGE,
                fmt::format("trajectory.points has {} entries, with {} interior_points between two "
                            "of them; at most {} points in all are slowed down at once",
                            points, request.interior_points, largest));
  }
}

/// Whole nanoseconds to a message's time.
builtin_interfaces::msg::Duration duration_message(std::int64_t time) {
  builtin_interfaces::msg::Duration message;
  message.sec = static_cast<std::int32_t>(time / 1'000'000'000);
  message.nanosec = static_cast<std::uint32_t>(time % 1'000'000'000);
  return message;
}

}  // namespace

void DynamicsServer::scale_trajectory(const Request<ScaleTrajectory>& request,
                                      Response<ScaleTrajectory>& response) const {
  dynamics_msgs::msg::EffortVerdict as_it_came;
  respond(response, [&](auto& answer) {
    const auto now = robot();
    const dynamics::Model& model = now->model;
    const std::size_t n = model.size();
    const ScalingOptions options = read_options(request, options_.largest_factor);
    check_size(request, options_.largest_scaling);
    RobotTrajectory motion =
        read_trajectory(model, request.trajectory, request.other_joints, options_.largest_scaling);
    as_it_came = judge(model, efforts_along(*now, motion, options.friction), motion.count,
                       motion.coordinates);

    TimedPath path = path_of(motion);
    path.qd = motion.qd;
    const ScaledPath scaled = scale(*now, path, options);
    // what its own spline makes of it, as a receiver will
    motion.count = scaled.path.times.size();
    motion.times = scaled.path.times;
    motion.q = scaled.path.q;
    motion.qd = scaled.path.qd;
    motion.qdd = scaled.path.qdd;
    if (motion.qdd.empty()) {
      motion.qdd.resize(motion.q.size());
      const auto spline = motion_of(scaled.path, n);
      std::vector<double> q(n), qd(n);
      for (std::size_t k = 0; k < motion.count; ++k) {
        spline->at(seconds(motion.times[k]), q, qd, std::span(motion.qdd).subspan(k * n, n));
      }
    }
    const auto tau = efforts_along(*now, motion, options.friction);
    answer.trajectory.header = request.trajectory.header;
    answer.trajectory.joint_names = request.trajectory.joint_names;
    for (std::size_t k = 0; k < motion.count; ++k) {
      auto& point = answer.trajectory.points.emplace_back();
      point.time_from_start = duration_message(motion.times[k]);
      point.positions = pick(row(motion.q, k, n), motion.coordinates);
      point.velocities = pick(row(motion.qd, k, n), motion.coordinates);
      if (!motion.accelerations_from_spline) {
        point.accelerations = pick(row(motion.qdd, k, n), motion.coordinates);
      }
      point.effort = pick(row(tau, k, n), motion.coordinates);
    }
    answer.factors = scaled.factors;
    answer.duration_factor = static_cast<double>(motion.times.back() - motion.times.front()) /
                             static_cast<double>(path.times.back() - path.times.front());
    answer.verdict = judge(model, tau, motion.count, motion.coordinates);
    answer.largest_effort_ratio = scaled.largest_effort_ratio;
    answer.largest_velocity_ratio = scaled.largest_velocity_ratio;
    answer.path_deviation = scaled.path_deviation;
    answer.velocities_from_spline = motion.velocities_from_spline;
    answer.accelerations_from_spline = motion.accelerations_from_spline;
    answer.flexible_as_rigid = now->flexible.has_value();
  });
  const std::int32_t code = response.result.code;
  if (code == ResultCode::LIMITS_NOT_MET || code == ResultCode::NOT_CONVERGED) {
    response.verdict = std::move(as_it_came);
  }
}

}  // namespace dynamics_ros
