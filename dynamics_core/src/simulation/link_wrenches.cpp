// SPDX-License-Identifier: Apache-2.0
// Wrenches on links over time: pushes and CSV files.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "dynamics_core/simulate.hpp"
#include "trajectory/csv_table.hpp"

namespace dynamics {

LinkWrenchHistory push(std::string link, const Eigen::Vector3d& force, double start,
                       double duration) {
  if (!force.allFinite()) throw ArgumentError("the force of the push is not finite");
  if (!(start >= 0.0) || !std::isfinite(start))
    throw ArgumentError(fmt::format("the push starts at {} s; it must not be negative", start));
  if (!(duration > 0.0))
    throw ArgumentError(fmt::format("the push lasts {} s; it must be positive", duration));
  const double end = start + duration;
  LinkWrenchHistory result;
  result.link = std::move(link);
  result.wrench = [force, start, end](double t) {
    const bool acts = t >= start && t < end;
    return Wrench{Eigen::Vector3d::Zero(), acts ? force : Eigen::Vector3d(Eigen::Vector3d::Zero())};
  };
  result.breakpoints = {start, end};
  result.description = fmt::format("push {}: {:.6g},{:.6g},{:.6g} N from {:.6g} s for {:.6g} s",
                                   result.link, force.x(), force.y(), force.z(), start, duration);
  result.pulse = LinkWrenchHistory::Pulse{start, end, force};
  return result;
}

LinkWrenchHistory read_wrench_csv(std::string link, std::string_view text,
                                  std::string_view file_name) {
  using Row = Eigen::Matrix<double, 6, 1, Eigen::DontAlign>;
  constexpr std::array<std::string_view, 6> names = {"mx", "my", "mz", "fx", "fy", "fz"};
  const CsvTable table(text, file_name);
  for (const std::string& name : table.names()) {
    if (name == "t" || std::find(names.begin(), names.end(), name) != names.end()) continue;
    table.fail_names(fmt::format("column '{}' is not one of t, {}", name, fmt::join(names, ", ")));
  }
  std::vector<double> t = table.times();
  std::vector<Row> rows(t.size(), Row::Zero());
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto column = table.find(names[k]);
    for (std::size_t row = 0; column && row < rows.size(); ++row)
      rows[row][static_cast<Eigen::Index>(k)] = table.number(row, *column);
  }
  LinkWrenchHistory result;
  result.link = std::move(link);
  result.breakpoints = t;
  result.description = fmt::format("wrench on {} from {}", result.link, file_name);
  result.wrench = [t = std::move(t), rows = std::move(rows)](double time) {
    if (time < t.front() || time >= t.back()) return Wrench{};
    const auto next = std::upper_bound(t.begin(), t.end(), time);
    const auto k = static_cast<std::size_t>(next - t.begin()) - 1;
    const double part = (time - t[k]) / (t[k + 1] - t[k]);
    const Row now = rows[k] + part * (rows[k + 1] - rows[k]);
    return Wrench{now.head<3>(), now.tail<3>()};
  };
  return result;
}

}  // namespace dynamics
