// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/simulation/trajectory_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <unordered_map>

namespace dynamics {
namespace {

/// q(s) = sum c_k s^k within a segment, s the time since its start.
using Quintic = std::array<double, 6>;

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

class KnotMotion : public Motion {
 public:
  explicit KnotMotion(const Knots& knots)
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
      }
    }
  }

  std::size_t size() const override { return size_; }

  void at(double t, std::span<double> q, std::span<double> qd,
          std::span<double> qdd) const override {
    if (t < t_.front() || t > t_.back() || t_.size() == 1) {
      const auto& still = t > t_.front() ? last_ : first_;
      std::copy(still.begin(), still.end(), q.begin());
      std::fill(qd.begin(), qd.end(), 0.0);
      std::fill(qdd.begin(), qdd.end(), 0.0);
      return;
    }
    const auto next = std::upper_bound(t_.begin() + 1, t_.end() - 1, t);
    const auto segment = static_cast<std::size_t>(next - t_.begin()) - 1;
    const double s = t - t_[segment];
    for (std::size_t j = 0; j < size_; ++j) {
      const Quintic& c = segments_[segment * size_ + j];
      q[j] = c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * (c[4] + s * c[5]))));
      qd[j] = c[1] + s * (2.0 * c[2] + s * (3.0 * c[3] + s * (4.0 * c[4] + s * 5.0 * c[5])));
      qdd[j] = 2.0 * c[2] + s * (6.0 * c[3] + s * (12.0 * c[4] + s * 20.0 * c[5]));
    }
  }

 private:
  std::vector<double> t_;
  std::size_t size_;
  std::vector<double> first_, last_;
  std::vector<Quintic> segments_;
};

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const auto comma = line.find(',');
    std::string_view cell = line.substr(0, comma);
    while (!cell.empty() && (cell.front() == ' ' || cell.front() == '\t')) cell.remove_prefix(1);
    while (!cell.empty() && (cell.back() == ' ' || cell.back() == '\t' || cell.back() == '\r'))
      cell.remove_suffix(1);
    cells.push_back(cell);
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

bool blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

std::unique_ptr<Motion> knot_motion(Knots knots) {
  if (knots.t.empty()) throw ArgumentError("the trajectory has no points");
  for (const auto* values : {&knots.q, &knots.qd, &knots.qdd}) {
    if (!(values->empty() && values != &knots.q) && values->size() != knots.t.size()) {
      throw ArgumentError("the trajectory's columns are of different length");
    }
    for (const auto& row : *values) {
      if (row.size() != knots.q[0].size()) throw ArgumentError("the trajectory's rows are ragged");
    }
  }
  for (std::size_t k = 1; k < knots.t.size(); ++k) {
    if (!(knots.t[k] > knots.t[k - 1])) {
      throw ArgumentError(fmt::format("trajectory point {}: its time {} does not come after {}", k,
                                      knots.t[k], knots.t[k - 1]));
    }
  }
  return std::make_unique<KnotMotion>(knots);
}

Knots read_trajectory_csv(std::string_view text, std::string_view file_name, const Model& model) {
  const std::string file(file_name);
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  if (blank(text))
    throw ModelError(file, "is empty: a first row of names and rows of numbers are needed");
  const auto names = split(take_line(text));
  std::unordered_map<std::string_view, std::size_t> column;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!column.emplace(names[i], i).second) {
      throw ModelError(file + ":1", fmt::format("column '{}' appears twice", names[i]));
    }
  }
  if (!column.contains("t")) throw ModelError(file + ":1", "there is no column 't' with the times");

  const auto find_columns = [&](const char* prefix, bool required) {
    std::vector<std::size_t> found;
    std::string missing;
    for (const Coordinate& coordinate : model.coordinates()) {
      const std::string name = prefix + coordinate.name;
      const auto at = column.find(name);
      if (at != column.end()) {
        found.push_back(at->second);
      } else if (missing.empty()) {
        missing = name;
      }
    }
    if (!missing.empty() && (required || !found.empty())) {
      throw ModelError(file + ":1",
                       fmt::format("there is no column '{}' for joint '{}' of '{}'", missing,
                                   missing.substr(missing.find('_') + 1), model.name()));
    }
    return found;
  };
  const auto q = find_columns("q_", true), qd = find_columns("qd_", false);
  auto qdd = find_columns("qdd_", false);
  if (qd.empty()) qdd.clear();

  Knots knots;
  std::vector<double> row;
  for (std::size_t line_number = 2; !text.empty(); ++line_number) {
    const std::string_view line = take_line(text);
    if (blank(line)) continue;
    const auto cells = split(line);
    const std::string at = fmt::format("{}:{}", file, line_number);
    if (cells.size() != names.size()) {
      throw ModelError(
          at, fmt::format("has {} cells; the first row has {}", cells.size(), names.size()));
    }
    row.clear();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      double value = 0.0;
      const char* const end = cells[i].data() + cells[i].size();
      const auto [next, error] = std::from_chars(cells[i].data(), end, value);
      const bool used = names[i] == "t" || std::find(q.begin(), q.end(), i) != q.end() ||
                        std::find(qd.begin(), qd.end(), i) != qd.end() ||
                        std::find(qdd.begin(), qdd.end(), i) != qdd.end();
      if (used && (error != std::errc{} || next != end || !std::isfinite(value))) {
        throw ModelError(
            at, fmt::format("column '{}': '{}' is not a finite number", names[i], cells[i]));
      }
      row.push_back(value);
    }
    const double t = row[column.at("t")];
    if (t < 0.0) throw ModelError(at, fmt::format("time {} is before 0", t));
    if (!knots.t.empty() && !(t > knots.t.back())) {
      throw ModelError(
          at, fmt::format("time {} does not come after {} of the row before", t, knots.t.back()));
    }
    knots.t.push_back(t);
    const auto pick = [&](const std::vector<std::size_t>& columns,
                          std::vector<std::vector<double>>& into) {
      if (columns.empty()) return;
      auto& values = into.emplace_back();
      for (const std::size_t i : columns) values.push_back(row[i]);
    };
    pick(q, knots.q);
    pick(qd, knots.qd);
    pick(qdd, knots.qdd);
  }
  if (knots.t.empty()) throw ModelError(file, "has names but no rows of numbers");
  return knots;
}

}  // namespace dynamics
