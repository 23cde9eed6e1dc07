// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <dynamics_core/trajectory_efforts.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "durations.hpp"
#include "dynamics_ros/dynamics_server.hpp"
#include "efforts.hpp"
#include "fault.hpp"
#include "joint_states.hpp"
#include "overrides.hpp"
#include "robot.hpp"
#include "trajectory_request.hpp"

namespace dynamics_ros {
namespace {

using Service = dynamics_msgs::srv::ScaleTrajectory;
using Action = dynamics_msgs::action::ScaleTrajectory;

double share_of(double given, const char* field) {
  if (given > 0.0 && given <= 1.0) return given;
  throw Fault(ResultCode::INVALID_VALUE,
              fmt::format("{} is {}; it must be above 0 and at most 1", field, given));
}

/// `Request` is the service's request or the action's goal, which have the same fields.
template <class Request>
dynamics::TimeScalingOptions read_options(const Request& request) {
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
  return options;
}

/// Room for the points that will be put in between.
template <class Request>
void check_size(const Request& request, std::size_t largest) {
  const MotionFields fields = MotionFields::of(request);
  const std::size_t points = fields.points();
  const char* name = fields.in_columns() ? "columns.time_from_start" : "trajectory.points";
  if (points == 1) {
    throw Fault(ResultCode::EMPTY_REQUEST,
                fmt::format("{} has one entry: there is no motion to slow down", name));
  }
  const std::size_t pieces = std::size_t{request.interior_points} + 1;
  if (points > largest || (points > 1 && pieces > largest / (points - 1))) {
    throw Fault(ResultCode::TOO_LARGE,
                fmt::format("{} has {} entries, with {} interior_points between two of them; at "
                            "most {} points in all are slowed down at once",
                            name, points, request.interior_points, largest));
  }
}

ResultCode result_of(const dynamics::ScaledPath& scaled) {
  using Outcome = dynamics::ScaledPath::Outcome;
  switch (scaled.outcome) {
    case Outcome::limits_not_met: return result(ResultCode::LIMITS_NOT_MET, scaled.message);
    case Outcome::not_converged: return result(ResultCode::NOT_CONVERGED, scaled.message);
    case Outcome::canceled: return result(ResultCode::CANCELED, scaled.message);
    case Outcome::success: break;
  }
  return result(ResultCode::SUCCESS, "");
}

/// The points in the form of the request.
template <class Answer>
void add_points(const RobotTrajectory& motion, const std::vector<double>& tau,
                const MotionFields& fields, Answer& answer) {
  const dynamics::TimedPath& path = motion.points;
  const std::size_t n = path.size();
  const auto& coordinates = motion.coordinates;
  const bool with_accelerations = !motion.accelerations_from_spline();
  if (fields.in_columns()) {
    auto& columns = answer.columns;
    columns.joint_names = fields.joint_names();
    columns.time_from_start.reserve(path.points());
    for (const std::int64_t time : path.times)
      columns.time_from_start.push_back(duration_message(time));
    columns.positions = pick_columns(path.q, n, coordinates);
    columns.velocities = pick_columns(path.qd, n, coordinates);
    if (with_accelerations) columns.accelerations = pick_columns(path.qdd, n, coordinates);
    columns.effort = pick_columns(tau, n, coordinates);
    return;
  }
  auto& trajectory = answer.trajectory;
  trajectory.header = fields.trajectory.header;
  trajectory.joint_names = fields.trajectory.joint_names;
  trajectory.points.reserve(path.points());
  for (std::size_t k = 0; k < path.points(); ++k) {
    auto& point = trajectory.points.emplace_back();
    point.time_from_start = duration_message(path.times[k]);
    point.positions = pick(row(path.q, k, n), coordinates);
    point.velocities = pick(row(path.qd, k, n), coordinates);
    if (with_accelerations) point.accelerations = pick(row(path.qdd, k, n), coordinates);
    point.effort = pick(row(tau, k, n), coordinates);
  }
}

/// Fills the answer, with the verdict alone where the limits are not met; how it ended.
template <class Request, class Answer>
ResultCode scaled(const Robot& robot, const Request& request, const JointStateSource& source,
                  std::size_t largest, const std::function<bool(double)>& go_on, Answer& answer) {
  robot.require_tree("scale_trajectory");
  const dynamics::Model& model = robot.model;
  auto options = read_options(request);
  const Loads loads = {options.friction, read_wrenches(model, request.wrenches)};
  options.wrenches = loads.wrenches;
  options.progress = go_on;
  check_size(request, largest);
  const MotionFields fields = MotionFields::of(request);
  RobotTrajectory motion = read_trajectory(robot, fields, source, largest);
  options.points_name = motion.points_name;
  // checked first: an effort that is not finite is named by its point
  const auto given_tau = efforts_along(robot, motion, loads);
  const dynamics::ScaledPath found = [&] {
    auto workspace = robot.batch_workspace();
    return dynamics::scale_time(model, *workspace, motion.given, options);
  }();
  ResultCode ending = result_of(found);
  if (ending.code != ResultCode::SUCCESS) {
    if (ending.code != ResultCode::CANCELED) {
      answer.verdict = judge(model, given_tau, motion.coordinates);
    }
    return ending;
  }
  const auto& given_times = motion.given.times;
  answer.duration_factor = static_cast<double>(found.path.times.back() - found.path.times.front()) /
                           static_cast<double>(given_times.back() - given_times.front());
  answer.velocities_from_spline = motion.velocities_from_spline();
  answer.accelerations_from_spline = motion.accelerations_from_spline();
  // accelerations as a receiver interpolates them
  motion.points = dynamics::with_derivatives(found.path);
  const auto tau = efforts_along(robot, motion, loads);
  add_points(motion, tau, fields, answer);
  answer.factors = found.factors;
  answer.verdict = judge(model, tau, motion.coordinates);
  answer.largest_effort_ratio = found.largest_effort_ratio;
  answer.largest_velocity_ratio = found.largest_velocity_ratio;
  answer.path_deviation = found.path_deviation;
  answer.flexible_as_rigid = robot.flexible.has_value();
  return ending;
}

}  // namespace

template <class Input, class Output>
void DynamicsServer::scale(const Input& request, Output& response,
                           const std::function<bool(double)>& go_on) const {
  ResultCode ending;
  respond(response, [&](auto& answer) {
    ending =
        scaled(*robot(request.overrides), request, {*joint_states_, options_.joint_state_timeout},
               options_.largest_scaling, go_on, answer);
  });
  // the verdict on the request's trajectory goes with such an ending
  if (ending.code != ResultCode::SUCCESS) response.result = std::move(ending);
}

void DynamicsServer::scale_trajectory(const Request<Service>& request,
                                      Response<Service>& response) const {
  scale(request, response, {});
}

void DynamicsServer::scale_trajectory(const Action::Goal& goal, Action::Result& result,
                                      const std::function<bool(double)>& go_on) const {
  scale(goal, result, go_on);
}

}  // namespace dynamics_ros
