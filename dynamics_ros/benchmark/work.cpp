// SPDX-License-Identifier: Apache-2.0
#include "work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <dynamics_core/rigid_dynamics.hpp>
#include <dynamics_core/view.hpp>
#include <dynamics_msgs/msg/result_code.hpp>
#include <limits>
#include <numeric>
#include <span>

namespace dynamics_ros::benchmark {

using dynamics_msgs::msg::ResultCode;

Work::Work(const dynamics::Model& model, std::uint64_t seed)
    : model_(model),
      workspace_(model),
      generator_(seed),
      order_(model.size()),
      q_(model.size()),
      qd_(model.size()),
      x_(model.size()),
      expected_(model.size()) {
  std::iota(order_.begin(), order_.end(), 0);
}

double Work::number(double largest) {
  return std::uniform_real_distribution<double>(-largest, largest)(generator_);
}

void Work::shuffle() { std::shuffle(order_.begin(), order_.end(), generator_); }

trajectory_msgs::msg::JointTrajectoryPoint Work::state() {
  trajectory_msgs::msg::JointTrajectoryPoint point;
  for (std::size_t i = 0; i < model_.size(); ++i) {
    point.positions.push_back(number(2.0));
    point.velocities.push_back(number(2.0));
  }
  return point;
}

InverseDynamics::Request Work::inverse(std::size_t points) {
  InverseDynamics::Request request;
  shuffle();
  for (const std::size_t i : order_) {
    request.trajectory.joint_names.push_back(model_.coordinates()[i].name);
  }
  for (std::size_t k = 0; k < points; ++k) {
    auto& point = request.trajectory.points.emplace_back(state());
    for (std::size_t i = 0; i < model_.size(); ++i) point.accelerations.push_back(number(5.0));
    point.time_from_start.sec = static_cast<std::int32_t>(k / 100);
    point.time_from_start.nanosec = static_cast<std::uint32_t>(k % 100) * 10000000U;
  }
  return request;
}

InverseDynamics::Request Work::inverse_columns(std::size_t points) {
  const InverseDynamics::Request by_points = inverse(points);
  InverseDynamics::Request request;
  auto& columns = request.columns;
  columns.joint_names = by_points.trajectory.joint_names;
  const auto add = [](std::vector<double>& matrix, const std::vector<double>& row) {
    matrix.insert(matrix.end(), row.begin(), row.end());
  };
  for (const auto& point : by_points.trajectory.points) {
    columns.time_from_start.push_back(point.time_from_start);
    add(columns.positions, point.positions);
    add(columns.velocities, point.velocities);
    add(columns.accelerations, point.accelerations);
  }
  return request;
}

ForwardDynamics::Request Work::forward(std::size_t states) {
  ForwardDynamics::Request request;
  shuffle();
  for (const std::size_t i : order_) request.joint_names.push_back(model_.coordinates()[i].name);
  for (std::size_t k = 0; k < states; ++k) {
    for (std::size_t i = 0; i < model_.size(); ++i) {
      request.positions.push_back(number(2.0));
      request.velocities.push_back(number(2.0));
      request.effort.push_back(number(20.0));
    }
  }
  return request;
}

InverseJob Work::malformed() {
  InverseJob job{inverse(10), ResultCode::SUCCESS};
  auto& trajectory = job.request.trajectory;
  auto& point = trajectory.points[7];
  switch (fault_++ % 7) {
    case 0:
      trajectory.joint_names.back() = "no such joint";
      job.code = ResultCode::UNKNOWN_JOINT;
      break;
    case 1:
      trajectory.joint_names.back() = trajectory.joint_names.front();
      job.code = ResultCode::DUPLICATE_JOINT;
      if (model_.size() == 1) job.code = ResultCode::SUCCESS;  // its own name
      break;
    case 2:
      point.positions.back() = std::numeric_limits<double>::quiet_NaN();
      job.code = ResultCode::NOT_FINITE;
      break;
    case 3:
      point.velocities.pop_back();
      job.code = ResultCode::WRONG_SIZE;
      break;
    case 4:
      point.time_from_start = trajectory.points[6].time_from_start;
      job.code = ResultCode::TIME_NOT_INCREASING;
      break;
    case 5:
      trajectory.points.clear();
      job.code = ResultCode::EMPTY_REQUEST;
      break;
    default:
      trajectory.joint_names.pop_back();
      for (auto& each : trajectory.points) {
        each.positions.pop_back();
        each.velocities.pop_back();
        each.accelerations.pop_back();
      }
      job.code = model_.size() == 1 ? ResultCode::EMPTY_REQUEST : ResultCode::MISSING_JOINT;
  }
  return job;
}

/// expected_, in model order, against numbers in the request's order.
std::string Work::difference(std::span<const double> got, const std::string& what) const {
  if (got.size() != order_.size()) {
    return fmt::format("{} has {} numbers, not {}", what, got.size(), order_.size());
  }
  double scale = 1.0;
  for (const double value : expected_) {
    scale = dynamics::max_propagating_nan(scale, std::abs(value));
  }
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const double expected = expected_[order_[i]];
    if (!(std::abs(got[i] - expected) <= tolerance * scale)) {
      return fmt::format("{}[{}] is {:.17g}, not {:.17g}", what, i, got[i], expected);
    }
  }
  return {};
}

std::string Work::check(const InverseDynamics::Request& request,
                        const InverseDynamics::Response& response) {
  if (!request.columns.joint_names.empty()) return check_columns(request, response);
  const auto& points = response.trajectory.points;
  if (response.result.code != ResultCode::SUCCESS) return response.result.message;
  if (response.trajectory.joint_names != request.trajectory.joint_names) {
    return "the reply has other joints than the request";
  }
  if (points.size() != request.trajectory.points.size()) {
    return fmt::format("{} points, not {}", points.size(), request.trajectory.points.size());
  }
  for (std::size_t i = 0; i < order_.size(); ++i) {
    order_[i] = model_.coordinate(request.trajectory.joint_names[i]);
  }
  std::vector<double> peak(order_.size(), 0.0);
  for (std::size_t k = 0; k < points.size(); ++k) {
    const auto& asked = request.trajectory.points[k];
    if (points[k].positions != asked.positions || points[k].velocities != asked.velocities ||
        points[k].accelerations != asked.accelerations ||
        points[k].time_from_start != asked.time_from_start) {
      return fmt::format("point {} is not that of the request", k);
    }
    for (std::size_t i = 0; i < order_.size(); ++i) {
      q_[order_[i]] = asked.positions[i];
      qd_[order_[i]] = asked.velocities[i];
      x_[order_[i]] = asked.accelerations[i];
    }
    dynamics::inverse_dynamics(model_, workspace_, q_, qd_, x_, expected_);
    auto wrong = difference(points[k].effort, fmt::format("points[{}].effort", k));
    if (!wrong.empty()) return wrong;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      peak[i] = dynamics::max_propagating_nan(peak[i], std::abs(points[k].effort[i]));
    }
  }
  if (response.verdict.peak != peak) return "the verdict's peaks are not those of the efforts";
  return {};
}

std::string Work::check_columns(const InverseDynamics::Request& request,
                                const InverseDynamics::Response& response) {
  if (response.result.code != ResultCode::SUCCESS) return response.result.message;
  const auto& columns = request.columns;
  const std::size_t n = order_.size();
  if (response.effort.size() != columns.positions.size()) {
    return fmt::format("{} efforts, not {}", response.effort.size(), columns.positions.size());
  }
  for (std::size_t i = 0; i < n; ++i) order_[i] = model_.coordinate(columns.joint_names[i]);
  for (std::size_t k = 0; k * n < columns.positions.size(); ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      q_[order_[i]] = columns.positions[k * n + i];
      qd_[order_[i]] = columns.velocities[k * n + i];
      x_[order_[i]] = columns.accelerations[k * n + i];
    }
    dynamics::inverse_dynamics(model_, workspace_, q_, qd_, x_, expected_);
    auto wrong = difference(std::span(response.effort).subspan(k * n, n),
                            fmt::format("efforts of point {}", k));
    if (!wrong.empty()) return wrong;
  }
  return {};
}

std::string Work::check(const ForwardDynamics::Request& request,
                        const ForwardDynamics::Response& response) {
  if (response.result.code != ResultCode::SUCCESS) return response.result.message;
  const std::size_t n = order_.size();
  if (response.accelerations.size() != request.positions.size()) {
    return fmt::format("{} accelerations, not {}", response.accelerations.size(),
                       request.positions.size());
  }
  for (std::size_t i = 0; i < order_.size(); ++i) {
    order_[i] = model_.coordinate(request.joint_names[i]);
  }
  for (std::size_t k = 0; k * n < request.positions.size(); ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      q_[order_[i]] = request.positions[k * n + i];
      qd_[order_[i]] = request.velocities[k * n + i];
      x_[order_[i]] = request.effort[k * n + i];
    }
    dynamics::forward_dynamics(model_, workspace_, q_, qd_, x_, expected_);
    auto wrong = difference(std::span(response.accelerations).subspan(k * n, n),
                            fmt::format("accelerations of state {}", k));
    if (!wrong.empty()) return wrong;
  }
  return {};
}

std::string Work::check(const InverseJob& job, const InverseDynamics::Response& response) {
  if (response.result.code != job.code) {
    return fmt::format("code {} ({}), not {}", response.result.code, response.result.message,
                       job.code);
  }
  if (job.code == ResultCode::SUCCESS) return {};
  if (response.result.message.empty()) return "a fault without a message";
  if (!response.trajectory.points.empty()) return "a fault with a trajectory";
  return {};
}

}  // namespace dynamics_ros::benchmark
