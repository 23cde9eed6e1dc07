// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "dynamics_core/trajectory.hpp"
#include "trajectory/check_spans.hpp"
#include "trajectory/csv_table.hpp"

namespace dynamics {
namespace {

constexpr std::array<std::string_view, 6> axis_names = {"x", "y", "z", "roll", "pitch", "yaw"};

class Harmonics final : public Trajectory {
 public:
  explicit Harmonics(std::span<const BaseHarmonic> harmonics)
      : harmonics_(harmonics.begin(), harmonics.end()) {}
  std::size_t size() const override { return axis_names.size(); }

  void at(double t, std::span<double> q, std::span<double> qd,
          std::span<double> qdd) const override {
    check_spans(size(), q, qd, qdd);
    for (auto* values : {&q, &qd, &qdd}) std::fill(values->begin(), values->end(), 0.0);
    for (const BaseHarmonic& harmonic : harmonics_) {
      const auto i = static_cast<std::size_t>(harmonic.axis);
      const double rate = 2.0 * std::numbers::pi * harmonic.frequency;
      const double s = harmonic.amplitude * std::sin(rate * t);
      q[i] += s;
      qd[i] += rate * harmonic.amplitude * std::cos(rate * t);
      qdd[i] -= rate * rate * s;
    }
  }

 private:
  std::vector<BaseHarmonic> harmonics_;
};

class CoordinateBaseTrajectory : public BaseTrajectory {
 public:
  explicit CoordinateBaseTrajectory(std::shared_ptr<const Trajectory> coordinates)
      : coordinates_(std::move(coordinates)) {}

  BaseMotion at(double t) const override {
    std::array<double, 6> q{}, qd{}, qdd{};
    coordinates_->at(t, q, qd, qdd);
    BaseMotion base;
    base.pose = {rotation_from_rpy({q[3], q[4], q[5]}), {q[0], q[1], q[2]}};
    base.velocity.linear = {qd[0], qd[1], qd[2]};
    base.acceleration.linear = {qdd[0], qdd[1], qdd[2]};
    // axes of yaw, pitch and roll in the world: each is rotated by the angles before it
    const Eigen::Vector3d yaw = Eigen::Vector3d::UnitZ();
    const Eigen::Vector3d pitch(-std::sin(q[5]), std::cos(q[5]), 0.0);
    const Eigen::Vector3d roll = base.pose.rotation.col(0);
    const Eigen::Vector3d yaw_velocity = qd[5] * yaw, pitch_velocity = qd[4] * pitch,
                          roll_velocity = qd[3] * roll;
    base.velocity.angular = yaw_velocity + pitch_velocity + roll_velocity;
    base.acceleration.angular = qdd[5] * yaw + qdd[4] * pitch + qdd[3] * roll +
                                yaw_velocity.cross(pitch_velocity) +
                                (yaw_velocity + pitch_velocity).cross(roll_velocity);
    return base;
  }

 private:
  std::shared_ptr<const Trajectory> coordinates_;
};

}  // namespace

BaseHarmonic::Axis base_axis_from_name(std::string_view name) {
  for (std::size_t i = 0; i < axis_names.size(); ++i) {
    if (axis_names[i] == name) return static_cast<BaseHarmonic::Axis>(i);
  }
  throw ArgumentError(
      fmt::format("unknown axis '{}': it must be one of {}", name, fmt::join(axis_names, ", ")));
}

std::unique_ptr<BaseTrajectory> harmonic_base_trajectory(std::span<const BaseHarmonic> harmonics) {
  for (const BaseHarmonic& harmonic : harmonics) {
    const auto name = axis_names[static_cast<std::size_t>(harmonic.axis)];
    if (!std::isfinite(harmonic.amplitude)) {
      throw ArgumentError(fmt::format("base motion {}: the amplitude is {}; it must be finite",
                                      name, harmonic.amplitude));
    }
    if (!(harmonic.frequency > 0.0) || !std::isfinite(harmonic.frequency)) {
      throw ArgumentError(fmt::format("base motion {}: the frequency is {}; it must be positive",
                                      name, harmonic.frequency));
    }
  }
  return coordinate_base_trajectory(std::make_shared<Harmonics>(harmonics));
}

std::unique_ptr<BaseTrajectory> coordinate_base_trajectory(
    std::shared_ptr<const Trajectory> coordinates) {
  if (!coordinates || coordinates->size() != axis_names.size()) {
    throw ArgumentError("a base trajectory needs the six coordinates x, y, z, roll, pitch, yaw");
  }
  return std::make_unique<CoordinateBaseTrajectory>(std::move(coordinates));
}

std::unique_ptr<BaseTrajectory> read_base_trajectory_csv(std::string_view text,
                                                         std::string_view file_name) {
  const CsvTable table(text, file_name);
  std::vector<std::optional<std::size_t>> columns;
  bool any = false;
  for (const auto name : axis_names) {
    columns.push_back(table.find(name));
    any = any || columns.back();
  }
  if (!any) {
    table.fail_names(fmt::format("none of the columns {} is present; at least one is needed",
                                 fmt::join(axis_names, ", ")));
  }
  for (const std::string& name : table.names()) {
    if (name == "t" || std::find(axis_names.begin(), axis_names.end(), name) != axis_names.end())
      continue;
    table.fail_names(fmt::format("column '{}' is unknown; the columns of a base motion are t, {}",
                                 name, fmt::join(axis_names, ", ")));
  }
  Knots knots;
  knots.t = table.times();
  for (std::size_t row = 0; row < table.rows(); ++row) {
    auto& values = knots.q.emplace_back();
    for (const auto& column : columns) values.push_back(column ? table.number(row, *column) : 0.0);
  }
  try {
    return coordinate_base_trajectory(knot_trajectory(std::move(knots)));
  } catch (const ArgumentError& error) {
    throw ParseError(std::string(file_name), error.what());
  }
}

}  // namespace dynamics
