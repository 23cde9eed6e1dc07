// SPDX-License-Identifier: Apache-2.0
#include "trajectory_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <dynamics_core/simulate.hpp>
#include <span>

#include "closed_states.hpp"
#include "durations.hpp"
#include "fault.hpp"
#include "request.hpp"

namespace dynamics_ros {
namespace {

using dynamics::TimedPath;
using dynamics_msgs::msg::JointTrajectoryColumns;
using dynamics_msgs::msg::OtherJoints;
using trajectory_msgs::msg::JointTrajectory;
using Point = trajectory_msgs::msg::JointTrajectoryPoint;
using Names = std::vector<std::string>;
using Coordinates = std::vector<std::size_t>;

/// Whether a field is given, at every point or at none.
bool given(std::span<const Point> points, std::vector<double> Point::*member, const char* name) {
  const bool first = !(points.front().*member).empty();
  for (std::size_t k = 1; k < points.size(); ++k) {
    if (first != !(points[k].*member).empty()) {
      throw Fault(
          ResultCode::WRONG_SIZE,
          fmt::format("trajectory.points[{}].{} is {}empty, unlike that of point 0: give it "
                      "at every point or at none",
                      k, name, first ? "" : "not "));
    }
  }
  return first;
}

/// The time of point k, which is named `field`.
template <class FieldName>
void add_time(TimedPath& path, std::int64_t time, const FieldName& field) {
  using dynamics::to_seconds;
  if (path.times.empty() && time < 0) {
    throw Fault(ResultCode::TIME_NOT_INCREASING,
                fmt::format("{} is {} s; it must be 0 or more", field(), to_seconds(time)));
  }
  if (!path.times.empty() && time <= path.times.back()) {
    throw Fault(ResultCode::TIME_NOT_INCREASING,
                fmt::format("{} is {} s, that of the point before {} s; times must increase",
                            field(), to_seconds(time), to_seconds(path.times.back())));
  }
  path.times.push_back(time);
}

/// `standing`: the positions of the joints that do not move.
TimedPath read_points(const JointTrajectory& trajectory, const Coordinates& coordinates,
                      const std::vector<double>& standing) {
  const auto& points = trajectory.points;
  const bool has_velocities = given(points, &Point::velocities, "velocities");
  const bool has_accelerations = given(points, &Point::accelerations, "accelerations");
  const std::size_t n = standing.size(), count = points.size();
  TimedPath path;
  path.times.reserve(count);
  path.q.reserve(count * n);
  if (has_velocities) path.qd.assign(count * n, 0.0);
  if (has_accelerations) path.qdd.assign(count * n, 0.0);
  for (std::size_t k = 0; k < count; ++k) {
    const auto read = [&](const std::vector<double>& values, const char* member, double* into) {
      read_values(values, trajectory.joint_names, coordinates, {"trajectory.points", k, member},
                  into);
    };
    add_time(path, nanoseconds(points[k].time_from_start), [k] {
      return Field{"trajectory.points", k, ".time_from_start"}.name();
    });
    path.q.insert(path.q.end(), standing.begin(), standing.end());
    read(points[k].positions, ".positions", &path.q[k * n]);
    if (has_velocities) read(points[k].velocities, ".velocities", &path.qd[k * n]);
    if (has_accelerations) read(points[k].accelerations, ".accelerations", &path.qdd[k * n]);
  }
  return path;
}

TimedPath read_columns(const JointTrajectoryColumns& columns, const Coordinates& coordinates,
                       const std::vector<double>& standing) {
  const std::size_t n = standing.size(), count = columns.time_from_start.size();
  const Rows rows = {"point", count};
  TimedPath path;
  path.times.reserve(count);
  path.q.reserve(count * n);
  for (std::size_t k = 0; k < count; ++k) {
    add_time(path, nanoseconds(columns.time_from_start[k]), [k] {
      return Field{"columns.time_from_start", k}.name();
    });
    path.q.insert(path.q.end(), standing.begin(), standing.end());
  }
  const auto read = [&](const std::vector<double>& values, const char* field,
                        std::vector<double>& into) {
    into.resize(count * n, 0.0);
    read_matrix(values, columns.joint_names, coordinates, field, rows, n, into.data());
  };
  read(columns.positions, "columns.positions", path.q);
  if (!columns.velocities.empty()) read(columns.velocities, "columns.velocities", path.qd);
  if (!columns.accelerations.empty())
    read(columns.accelerations, "columns.accelerations", path.qdd);
  return path;
}

/// The positions of the joints that are not `seen` in the trajectory; flags those that are found.
std::vector<double> read_standing(const Robot& robot, const OtherJoints& others,
                                  const JointStateSource* source, std::vector<bool>& seen) {
  const dynamics::Model& model = robot.model;
  std::vector<double> standing(model.size(), 0.0);
  if (!others.joint_names.empty() || !others.positions.empty()) {
    const auto coordinates = read_joints(model, others.joint_names, "other_joints.joint_names");
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      if (seen[coordinates[i]]) {
        throw Fault(ResultCode::DUPLICATE_JOINT,
                    fmt::format("other_joints.joint_names[{}]: joint '{}' is in the trajectory", i,
                                others.joint_names[i]));
      }
      seen[coordinates[i]] = true;
    }
    read_values(others.positions, others.joint_names, coordinates, {"other_joints.positions"},
                standing.data());
  }
  if (others.source == OtherJoints::REQUEST) return standing;
  if (others.source != OtherJoints::JOINT_STATES && others.source != OtherJoints::ZERO) {
    throw Fault(ResultCode::INVALID_VALUE,
                fmt::format("other_joints.source is {}; it must be REQUEST ({}), JOINT_STATES ({}) "
                            "or ZERO ({})",
                            others.source, OtherJoints::REQUEST, OtherJoints::JOINT_STATES,
                            OtherJoints::ZERO));
  }
  std::vector<double> zero = dynamics::default_start(model);
  std::vector<bool> needed(model.size(), true);
  if (robot.mechanism) {
    zero.assign(robot.mechanism->start().begin(), robot.mechanism->start().end());
    needed.assign(model.size(), false);
    for (const std::size_t joint : robot.mechanism->independent()) needed[joint] = true;
  }
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (seen[i] || !needed[i]) continue;
    standing[i] = others.source == OtherJoints::ZERO
                      ? zero[i]
                      : source->joint_states.position(model.coordinates()[i].name, source->timeout);
    seen[i] = true;
  }
  return standing;
}

RobotTrajectory read(const Robot& robot, const MotionFields& fields, const JointStateSource* source,
                     std::size_t largest) {
  const dynamics::Model& model = robot.model;
  const bool columns = fields.in_columns();
  if (columns && fields.trajectory != JointTrajectory()) {
    throw Fault(ResultCode::INVALID_VALUE,
                "both trajectory and columns are given: leave one of them empty");
  }
  const char* names_field = columns ? "columns.joint_names" : "trajectory.joint_names";
  RobotTrajectory made;
  made.points_name = columns ? "columns.points" : "trajectory.points";
  made.coordinates = read_joints(model, fields.joint_names(), names_field);
  check_count(fields.points(), largest, columns ? "columns.time_from_start" : "trajectory.points");
  std::vector<bool> seen = flags(model, made.coordinates);
  const auto standing = read_standing(robot, fields.other_joints, source, seen);
  if (const auto list = lacking(robot, seen, names_field); !list.empty()) {
    throw Fault(ResultCode::MISSING_JOINT,
                fmt::format("neither {} nor other_joints says where {} is",
                            columns ? "columns" : "trajectory", list));
  }
  made.given = columns ? read_columns(fields.columns, made.coordinates, standing)
                       : read_points(fields.trajectory, made.coordinates, standing);
  if (!robot.mechanism) {
    made.points = dynamics::with_derivatives(made.given);
    return made;
  }
  const bool has_velocities = !made.given.qd.empty(), has_accelerations = !made.given.qdd.empty();
  const bool all = names_all_joints(*robot.mechanism, seen, names_field);
  ClosedStates given_states(*robot.mechanism, all, made.points_name);
  given_states.positions(made.given.q);
  if (has_velocities) given_states.velocities(made.given.q, made.given.qd);
  made.points = dynamics::with_derivatives(made.given);
  ClosedStates spline_states(*robot.mechanism, false, made.points_name);
  if (!has_velocities) spline_states.velocities(made.points.q, made.points.qd);
  if (has_accelerations) {
    given_states.accelerations(made.points.q, made.points.qd, made.given.qdd);
    made.points.qdd = made.given.qdd;
  } else {
    spline_states.accelerations(made.points.q, made.points.qd, made.points.qdd);
  }
  return made;
}

}  // namespace

RobotTrajectory read_trajectory(const Robot& robot, const MotionFields& fields,
                                const JointStateSource& source, std::size_t largest) {
  return read(robot, fields, &source, largest);
}

RobotTrajectory read_trajectory(const Robot& robot, const JointTrajectory& trajectory,
                                std::size_t largest) {
  const JointTrajectoryColumns no_columns;
  const OtherJoints no_others;
  return read(robot, {trajectory, no_columns, no_others}, nullptr, largest);
}

}  // namespace dynamics_ros
