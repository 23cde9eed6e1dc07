// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <dynamics_core/trajectory_efforts.hpp>
#include <limits>
#include <utility>

#include "durations.hpp"
#include "dynamics_ros/dynamics_server.hpp"
#include "efforts.hpp"
#include "fault.hpp"
#include "request.hpp"
#include "robot.hpp"

namespace dynamics_ros {
namespace {

using dynamics_msgs::srv::ScaleTrajectory;

double share_of(double given, const char* field) {
  if (given > 0.0 && given <= 1.0) return given;
  throw Fault(ResultCode::INVALID_VALUE,
              fmt::format("{} is {}; it must be above 0 and at most 1", field, given));
}

dynamics::TimeScalingOptions read_options(const ScaleTrajectory::Request& request) {
  using Request = ScaleTrajectory::Request;
  if (request.method != Request::UNIFORM && request.method != Request::PER_SEGMENT) {
    throw Fault(ResultCode::INVALID_VALUE,
                fmt::format("method is {}; it must be UNIFORM ({}) or PER_SEGMENT ({})",
                            request.method, Request::UNIFORM, Request::PER_SEGMENT));
  }
  using Method = dynamics::TimeScalingOptions::Method;
  dynamics::TimeScalingOptions options;
  options.method = request.method == Request::UNIFORM ? Method::uniform : Method::per_segment;
  options.friction = !request.without_friction;
  options.effort_share = share_of(request.effort_share, "effort_share");
  options.velocity_share = share_of(request.velocity_share, "velocity_share");
  options.largest_factor = request.largest_factor;
  if (!(options.largest_factor >= 1.0 && std::isfinite(options.largest_factor))) {
    throw Fault(ResultCode::INVALID_VALUE,
                fmt::format("largest_factor is {}; it must be 1 or more", request.largest_factor));
  }
  options.interior_points = request.interior_points;
  options.latest_time = std::int64_t{std::numeric_limits<std::int32_t>::max()} * 1'000'000'000;
  options.points_name = "trajectory.points";
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

ResultCode result_of(const dynamics::ScaledPath& scaled) {
  using Outcome = dynamics::ScaledPath::Outcome;
  switch (scaled.outcome) {
    case Outcome::limits_not_met: return result(ResultCode::LIMITS_NOT_MET, scaled.message);
    case Outcome::not_converged: return result(ResultCode::NOT_CONVERGED, scaled.message);
    case Outcome::success: break;
  }
  return result(ResultCode::SUCCESS, "");
}

}  // namespace

void DynamicsServer::scale_trajectory(const Request<ScaleTrajectory>& request,
                                      Response<ScaleTrajectory>& response) const {
  ResultCode ending;
  respond(response, [&](auto& answer) {
    const auto now = robot();
    now->require_tree("scale_trajectory");
    const dynamics::Model& model = now->model;
    const std::size_t n = model.size();
    const auto options = read_options(request);
    check_size(request, options_.largest_scaling);
    RobotTrajectory motion =
        read_trajectory(*now, request.trajectory, request.other_joints, options_.largest_scaling);
    // checked first: an effort that is not finite is named by its point
    const auto given_tau = efforts_along(*now, motion, options.friction);
    const dynamics::ScaledPath scaled = [&] {
      auto workspace = now->batch_workspace();
      return dynamics::scale_time(model, *workspace, motion.given, options);
    }();
    ending = result_of(scaled);
    if (ending.code != ResultCode::SUCCESS) {
      answer.verdict = judge(model, given_tau, motion.coordinates);
      return;
    }
    const auto& given_times = motion.given.times;
    answer.duration_factor =
        static_cast<double>(scaled.path.times.back() - scaled.path.times.front()) /
        static_cast<double>(given_times.back() - given_times.front());
    answer.velocities_from_spline = motion.velocities_from_spline();
    answer.accelerations_from_spline = motion.accelerations_from_spline();
    // accelerations as a receiver interpolates them
    motion.points = dynamics::with_derivatives(scaled.path);
    const auto tau = efforts_along(*now, motion, options.friction);
    answer.trajectory.header = request.trajectory.header;
    answer.trajectory.joint_names = request.trajectory.joint_names;
    for (std::size_t k = 0; k < motion.points.points(); ++k) {
      auto& point = answer.trajectory.points.emplace_back();
      point.time_from_start = duration_message(motion.points.times[k]);
      point.positions = pick(row(motion.points.q, k, n), motion.coordinates);
      point.velocities = pick(row(motion.points.qd, k, n), motion.coordinates);
      if (!answer.accelerations_from_spline) {
        point.accelerations = pick(row(motion.points.qdd, k, n), motion.coordinates);
      }
      point.effort = pick(row(tau, k, n), motion.coordinates);
    }
    answer.factors = scaled.factors;
    answer.verdict = judge(model, tau, motion.coordinates);
    answer.largest_effort_ratio = scaled.largest_effort_ratio;
    answer.largest_velocity_ratio = scaled.largest_velocity_ratio;
    answer.path_deviation = scaled.path_deviation;
    answer.flexible_as_rigid = now->flexible.has_value();
  });
  // the verdict on the request's trajectory goes with such an ending
  if (ending.code != ResultCode::SUCCESS) response.result = std::move(ending);
}

}  // namespace dynamics_ros
