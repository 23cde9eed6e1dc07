// SPDX-License-Identifier: Apache-2.0
#include "request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "closed_states.hpp"
#include "durations.hpp"
#include "fault.hpp"

namespace dynamics_ros {
namespace {

using dynamics::Model;
using Point = trajectory_msgs::msg::JointTrajectoryPoint;

std::string listed(const Model& model, std::span<const std::string> further) {
  std::string list;
  const auto add = [&](const std::string& name) {
    if (list.size() > 300) return false;
    list += (list.empty() ? "" : ", ") + name;
    return true;
  };
  for (const auto& coordinate : model.coordinates()) {
    if (!add(coordinate.name)) return list + ", ...";
  }
  for (const auto& name : further) {
    if (!add(name)) return list + ", ...";
  }
  return list;
}

/// Why a name is no coordinate.
std::string why_unknown(const Model& model, const std::string& name) {
  for (const auto& joint : model.description().joints) {
    if (joint.name != name) continue;
    if (joint.mimic) return fmt::format("joint '{}' mimics '{}'", name, joint.mimic->joint);
    if (joint.type == dynamics::JointType::fixed) return fmt::format("joint '{}' is fixed", name);
    return fmt::format("joint '{}' is {}, its coordinates have names of their own", name,
                       dynamics::to_string(joint.type));
  }
  return fmt::format("robot '{}' has no joint '{}'", model.name(), name);
}

/// By coordinate: whether it is in the list.
std::vector<bool> flags(const Model& model, const std::vector<std::size_t>& coordinates) {
  std::vector<bool> seen(model.size(), false);
  for (const std::size_t coordinate : coordinates) {
    if (coordinate < seen.size()) seen[coordinate] = true;
  }
  return seen;
}

std::string missing(const Model& model, const std::vector<bool>& seen) {
  std::string list;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (!seen[i]) list += (list.empty() ? "'" : ", '") + model.coordinates()[i].name + "'";
  }
  return list;
}

/// The joints that a request lacks, those named first; empty if it has all that are needed.
std::string lacking(const Robot& robot, std::vector<bool> seen, const std::string& field) {
  if (robot.mechanism && !names_all_joints(*robot.mechanism, seen, field)) {
    const auto independent = robot.mechanism->independent();
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (!std::binary_search(independent.begin(), independent.end(), i)) seen[i] = true;
    }
  }
  return missing(robot.model, seen);
}

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

}  // namespace

std::string Field::name() const {
  return index == no_index ? std::string(list) : fmt::format("{}[{}]{}", list, index, member);
}

std::vector<std::size_t> read_joints(const Model& model, const std::vector<std::string>& names,
                                     const std::string& field,
                                     std::span<const std::string> further) {
  if (names.empty()) throw Fault(ResultCode::EMPTY_REQUEST, field + " is empty");
  std::vector<std::size_t> coordinates;
  std::vector<std::size_t> place(model.size() + further.size(), names.size());
  const auto find = [&](const std::string& name) {
    auto found = model.find_coordinate(name);
    if (found) return found;
    const auto other = std::find(further.begin(), further.end(), name);
    if (other != further.end()) {
      found = model.size() + static_cast<std::size_t>(other - further.begin());
    }
    return found;
  };
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto coordinate = find(names[i]);
    if (!coordinate) {
      throw Fault(ResultCode::UNKNOWN_JOINT,
                  fmt::format("{}[{}]: {}; the joints are {}", field, i,
                              why_unknown(model, names[i]), listed(model, further)));
    }
    if (place[*coordinate] != names.size()) {
      throw Fault(ResultCode::DUPLICATE_JOINT, fmt::format("{}[{}]: joint '{}' is at {} already",
                                                           field, i, names[i], place[*coordinate]));
    }
    place[*coordinate] = i;
    coordinates.push_back(*coordinate);
  }
  return coordinates;
}

std::vector<std::size_t> read_all_joints(const Robot& robot, const std::vector<std::string>& names,
                                         const std::string& field,
                                         std::span<const std::string> further) {
  auto coordinates = read_joints(robot.model, names, field, further);
  const std::string list = lacking(robot, flags(robot.model, coordinates), field);
  if (!list.empty()) {
    throw Fault(ResultCode::MISSING_JOINT,
                fmt::format("{} lacks {}: all {}joints are needed", field, list,
                            robot.mechanism ? "independent " : ""));
  }
  return coordinates;
}

void read_values(const std::vector<double>& values, const std::vector<std::string>& names,
                 const std::vector<std::size_t>& coordinates, const Field& field, double* into) {
  if (values.size() != names.size()) {
    throw Fault(ResultCode::WRONG_SIZE, fmt::format("{} has {} entries for {} joints", field.name(),
                                                    values.size(), names.size()));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      throw Fault(ResultCode::NOT_FINITE,
                  fmt::format("{}[{}] of joint '{}' is {}", field.name(), i, names[i], values[i]));
    }
    into[coordinates[i]] = values[i];
  }
}

void read_matrix(const std::vector<double>& values, const std::vector<std::string>& names,
                 const std::vector<std::size_t>& coordinates, const char* field, const Rows& rows,
                 std::size_t width, double* into) {
  const std::size_t columns = names.size();
  if (values.size() != rows.count * columns) {
    throw Fault(ResultCode::WRONG_SIZE,
                fmt::format("{} has {} entries, not {}: {} {}s of {} joints", field, values.size(),
                            rows.count * columns, rows.count, rows.name, columns));
  }
  for (std::size_t k = 0; k < rows.count; ++k) {
    for (std::size_t i = 0; i < columns; ++i) {
      const double value = values[k * columns + i];
      if (!std::isfinite(value)) {
        throw Fault(ResultCode::NOT_FINITE,
                    fmt::format("{}[{}], {} {}, of joint '{}' is {}", field, k * columns + i,
                                rows.name, k, names[i], value));
      }
      into[k * width + coordinates[i]] = value;
    }
  }
}

std::size_t count_rows(const std::vector<double>& values, const std::vector<std::string>& names,
                       const char* field, const char* row, std::size_t largest) {
  if (values.empty()) throw Fault(ResultCode::EMPTY_REQUEST, std::string(field) + " is empty");
  const std::size_t columns = names.size(), count = values.size() / columns;
  if (values.size() % columns != 0) {
    throw Fault(ResultCode::WRONG_SIZE,
                fmt::format("{} has {} entries: must be {} for each {}, one per joint", field,
                            values.size(), columns, row));
  }
  if (count > largest) {
    throw Fault(ResultCode::TOO_LARGE, fmt::format("{} has {} {}s; at most {} are taken at once",
                                                   field, count, row, largest));
  }
  return count;
}

void check_count(std::size_t count, std::size_t largest, const std::string& field) {
  if (count == 0) throw Fault(ResultCode::EMPTY_REQUEST, field + " is empty");
  if (count > largest) {
    throw Fault(
        ResultCode::TOO_LARGE,
        fmt::format("{} has {} entries; at most {} are taken at once", field, count, largest));
  }
}

RobotTrajectory read_trajectory(const Robot& robot,
                                const trajectory_msgs::msg::JointTrajectory& trajectory,
                                const dynamics_msgs::msg::JointPositions& other_joints,
                                std::size_t largest) {
  const Model& model = robot.model;
  const auto& points = trajectory.points;
  const auto& names = trajectory.joint_names;
  RobotTrajectory made;
  made.coordinates = read_joints(model, names, "trajectory.joint_names");
  check_count(points.size(), largest, "trajectory.points");

  // the joints that stand
  std::vector<double> standing(model.size(), 0.0);
  std::vector<bool> seen = flags(model, made.coordinates);
  if (!other_joints.joint_names.empty() || !other_joints.positions.empty()) {
    const auto others = read_joints(model, other_joints.joint_names, "other_joints.joint_names");
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (seen[others[i]]) {
        throw Fault(ResultCode::DUPLICATE_JOINT,
                    fmt::format("other_joints.joint_names[{}]: joint '{}' is in the trajectory", i,
                                other_joints.joint_names[i]));
      }
      seen[others[i]] = true;
    }
    read_values(other_joints.positions, other_joints.joint_names, others,
                {"other_joints.positions"}, standing.data());
  }
  if (const auto list = lacking(robot, seen, "trajectory.joint_names"); !list.empty()) {
    throw Fault(ResultCode::MISSING_JOINT,
                fmt::format("neither trajectory nor other_joints says where {} is", list));
  }

  // the points
  const bool has_velocities = given(points, &Point::velocities, "velocities");
  const bool has_accelerations = given(points, &Point::accelerations, "accelerations");
  const std::size_t n = model.size();
  if (has_velocities) made.given.qd.assign(points.size() * n, 0.0);
  if (has_accelerations) made.given.qdd.assign(points.size() * n, 0.0);
  made.given.q.reserve(points.size() * n);
  made.given.times.reserve(points.size());
  std::int64_t previous = -1;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const std::int64_t time = nanoseconds(points[k].time_from_start);
    if (time <= previous) {
      using dynamics::to_seconds;
      const std::string field = Field{"trajectory.points", k, ".time_from_start"}.name();
      throw Fault(
          ResultCode::TIME_NOT_INCREASING,
          k == 0 ? fmt::format("{} is {} s; it must be 0 or more", field, to_seconds(time))
                 : fmt::format("{} is {} s, that of the point before {} s; times must increase",
                               field, to_seconds(time), to_seconds(previous)));
    }
    previous = time;
    made.given.times.push_back(time);
    made.given.q.insert(made.given.q.end(), standing.begin(), standing.end());
    const auto read = [&](const std::vector<double>& values, const char* member, double* into) {
      read_values(values, names, made.coordinates, {"trajectory.points", k, member}, into);
    };
    read(points[k].positions, ".positions", &made.given.q[k * n]);
    if (has_velocities) read(points[k].velocities, ".velocities", &made.given.qd[k * n]);
    if (has_accelerations) read(points[k].accelerations, ".accelerations", &made.given.qdd[k * n]);
  }
  if (!robot.mechanism) {
    made.points = dynamics::with_derivatives(made.given);
    return made;
  }
  const bool all = names_all_joints(*robot.mechanism, seen, "trajectory.joint_names");
  ClosedStates given_states(*robot.mechanism, all, "trajectory.points");
  given_states.positions(made.given.q);
  if (has_velocities) given_states.velocities(made.given.q, made.given.qd);
  made.points = dynamics::with_derivatives(made.given);
  ClosedStates spline_states(*robot.mechanism, false, "trajectory.points");
  if (!has_velocities) spline_states.velocities(made.points.q, made.points.qd);
  if (has_accelerations) {
    given_states.accelerations(made.points.q, made.points.qd, made.given.qdd);
    made.points.qdd = made.given.qdd;
  } else {
    spline_states.accelerations(made.points.q, made.points.qd, made.points.qdd);
  }
  return made;
}

}  // namespace dynamics_ros
