// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <initializer_list>
#include <numeric>

#include "dynamics_core/trajectory.hpp"
#include "trajectory/csv_table.hpp"
#include "trajectory/knot_trajectory.hpp"

namespace dynamics {
namespace {

Quintic quintic(double h, double q0, double v0, double a0, double q1, double v1, double a1) {
  const double d = (q1 - q0 - v0 * h - 0.5 * a0 * h * h) / (h * h * h);
  const double e = (v1 - v0 - a0 * h) / (h * h);
  const double f = (a1 - a0) / h;
  return {q0,
          v0,
          0.5 * a0,
          10.0 * d - 4.0 * e + 0.5 * f,
          (-15.0 * d + 7.0 * e - f) / h,
          (6.0 * d - 3.0 * e + 0.5 * f) / (h * h)};
}

Quintic cubic(double h, double q0, double v0, double q1, double v1) {
  const double slope = (q1 - q0) / h;
  return {q0, v0, (3.0 * slope - 2.0 * v0 - v1) / h, (v0 + v1 - 2.0 * slope) / (h * h), 0.0, 0.0};
}

/// Velocities of the cubic spline that is at rest at both ends (tridiagonal, diagonally dominant).
std::vector<std::vector<double>> spline_velocities(const Knots& knots) {
  const std::size_t count = knots.t.size(), n = knots.q[0].size();
  std::vector<std::vector<double>> v(count, std::vector<double>(n, 0.0));
  if (count < 3) return v;
  std::vector<double> ratio(count, 0.0);
  for (std::size_t k = 1; k + 1 < count; ++k) {
    const double left = knots.t[k] - knots.t[k - 1], right = knots.t[k + 1] - knots.t[k];
    const double pivot = 2.0 * (left + right) - right * ratio[k - 1];
    ratio[k] = left / pivot;
    for (std::size_t j = 0; j < n; ++j) {
      const double rhs = 3.0 * (right * (knots.q[k][j] - knots.q[k - 1][j]) / left +
                                left * (knots.q[k + 1][j] - knots.q[k][j]) / right);
      v[k][j] = (rhs - right * v[k - 1][j]) / pivot;
    }
  }
  for (std::size_t k = count - 1; k-- > 1;) {
    for (std::size_t j = 0; j < n; ++j) v[k][j] -= ratio[k] * v[k + 1][j];
  }
  return v;
}

/// Whether q, qd and qdd stay within the range of a double throughout the segment.
bool stays_finite(const Quintic& k, double h) {
  constexpr double largest = 1e300;
  if (!(h < largest)) return false;
  double q = 0.0, qd = 0.0, qdd = 0.0;
  for (std::size_t i = k.size(); i-- > 0;) {
    const auto power = static_cast<double>(i);
    const double size = std::abs(k[i]);
    if (!(size < largest)) return false;
    q = q * h + size;
    if (i > 0) qd = qd * h + power * size;
    if (i > 1) qdd = qdd * h + power * (power - 1.0) * size;
  }
  return q < largest && qd < largest && qdd < largest;
}

/// Columns that have the prefix of a joint's values but the name of no joint: a file of another
/// robot, or a misspelled name.
void check_joints_of_columns(const CsvTable& table, const Model& model,
                             std::initializer_list<std::string_view> prefixes) {
  for (const std::string& name : table.names()) {
    for (const std::string_view prefix : prefixes) {
      if (!name.starts_with(prefix) || model.find_coordinate(name.substr(prefix.size()))) continue;
      table.fail_names(fmt::format("column '{}' is for no joint of '{}'; it has {}", name,
                                   model.name(), fmt::join(model.coordinate_names(), ", ")));
    }
  }
}

/// Columns PREFIX + name of the coordinates; none if the file has none of them and they are not
/// required.
std::vector<std::size_t> joint_columns(const CsvTable& table, const Model& model,
                                       std::span<const std::size_t> coordinates, const char* prefix,
                                       bool required) {
  std::vector<std::size_t> found;
  std::string missing;
  for (const std::size_t index : coordinates) {
    const Coordinate& coordinate = model.coordinates()[index];
    const auto at = table.find(prefix + coordinate.name);
    if (at) {
      found.push_back(*at);
    } else if (missing.empty()) {
      missing = coordinate.name;
    }
  }
  if (!missing.empty() && (required || !found.empty())) {
    table.fail_names(fmt::format("column '{}{}' for joint '{}' of '{}' is missing", prefix, missing,
                                 missing, model.name()));
  }
  return found;
}

std::vector<std::size_t> all_coordinates(const Model& model) {
  std::vector<std::size_t> all(model.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

/// The numbers of these columns, by row; nothing without columns.
std::vector<std::vector<double>> rows_of(const CsvTable& table,
                                         const std::vector<std::size_t>& columns) {
  std::vector<std::vector<double>> rows;
  for (std::size_t row = 0; !columns.empty() && row < table.rows(); ++row) {
    auto& values = rows.emplace_back();
    for (const std::size_t i : columns) values.push_back(table.number(row, i));
  }
  return rows;
}

}  // namespace

KnotTrajectory::KnotTrajectory(const Knots& knots)
    : t_(knots.t), size_(knots.q[0].size()), first_(knots.q.front()), last_(knots.q.back()) {
  const auto velocities = knots.qd.empty() ? spline_velocities(knots) : knots.qd;
  for (std::size_t k = 0; k + 1 < t_.size(); ++k) {
    const double h = t_[k + 1] - t_[k];
    for (std::size_t j = 0; j < size_; ++j) {
      segments_.push_back(
          knots.qdd.empty()
              ? cubic(h, knots.q[k][j], velocities[k][j], knots.q[k + 1][j], velocities[k + 1][j])
              : quintic(h, knots.q[k][j], velocities[k][j], knots.qdd[k][j], knots.q[k + 1][j],
                        velocities[k + 1][j], knots.qdd[k + 1][j]));
      if (!stays_finite(segments_.back(), h)) {
        throw ArgumentError(fmt::format(
            "trajectory points {} and {}, joint {}: the polynomial between them overflows; check "
            "units and times",
            k, k + 1, j));
      }
    }
  }
}

std::unique_ptr<Trajectory> knot_trajectory(Knots knots) {
  if (knots.t.empty()) throw ArgumentError("the trajectory has no points");
  for (const auto* values : {&knots.q, &knots.qd, &knots.qdd}) {
    if (!(values->empty() && values != &knots.q) && values->size() != knots.t.size()) {
      throw ArgumentError(fmt::format(
          "the trajectory has {} times; q, and qd and qdd if given, need one row per time",
          knots.t.size()));
    }
    for (const auto& row : *values) {
      if (row.size() != knots.q[0].size())
        throw ArgumentError("the rows of the trajectory differ in length");
    }
  }
  for (std::size_t k = 0; k < knots.t.size(); ++k) {
    if (!std::isfinite(knots.t[k]))
      throw ArgumentError(fmt::format("trajectory point {}: its time is {}", k, knots.t[k]));
    for (const auto* values : {&knots.q, &knots.qd, &knots.qdd}) {
      for (std::size_t j = 0; !values->empty() && j < (*values)[k].size(); ++j) {
        if (std::isfinite((*values)[k][j])) continue;
        throw ArgumentError(fmt::format("trajectory point {}, joint {}: {} is {}", k, j,
                                        values == &knots.q    ? "q"
                                        : values == &knots.qd ? "qd"
                                                              : "qdd",
                                        (*values)[k][j]));
      }
    }
  }
  for (std::size_t k = 1; k < knots.t.size(); ++k) {
    if (!(knots.t[k] > knots.t[k - 1])) {
      throw ArgumentError(
          fmt::format("trajectory point {}: its time {} is not after the previous time {}", k,
                      knots.t[k], knots.t[k - 1]));
    }
  }
  return std::make_unique<KnotTrajectory>(knots);
}

Knots read_trajectory_csv(std::string_view text, std::string_view file_name, const Model& model,
                          std::span<const std::size_t> coordinates) {
  const std::vector<std::size_t> all = all_coordinates(model);
  if (coordinates.empty()) coordinates = all;
  const CsvTable table(text, file_name);
  const auto q = joint_columns(table, model, coordinates, "q_", true),
             qd = joint_columns(table, model, coordinates, "qd_", false),
             qdd = joint_columns(table, model, coordinates, "qdd_", false);
  check_joints_of_columns(table, model, {"q_", "qd_", "qdd_"});
  if (qd.empty() && !qdd.empty()) {
    table.fail_names(
        "has columns qdd_* without qd_*: accelerations are used only together with velocities; add "
        "the velocities or remove the accelerations");
  }

  Knots knots;
  knots.t = table.times();
  knots.q = rows_of(table, q);
  knots.qd = rows_of(table, qd);
  knots.qdd = rows_of(table, qdd);
  return knots;
}

Knots read_torques_csv(std::string_view text, std::string_view file_name, const Model& model) {
  const CsvTable table(text, file_name);
  const auto tau = joint_columns(table, model, all_coordinates(model), "tau_", true);
  check_joints_of_columns(table, model, {"tau_"});
  Knots knots;
  knots.t = table.times();
  knots.q = rows_of(table, tau);
  return knots;
}

}  // namespace dynamics
