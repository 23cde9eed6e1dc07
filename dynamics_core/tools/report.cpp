// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "command.hpp"

namespace dynamics::tools {

ordered_json matrix_json(const Eigen::MatrixXd& matrix) {
  ordered_json rows = ordered_json::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    ordered_json row = ordered_json::array();
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) row.push_back(matrix(i, j));
    rows.push_back(std::move(row));
  }
  return rows;
}

ordered_json with_joints(const Robot& robot) {
  return {{"joints", robot.model.coordinate_names()}, {"warnings", robot.warnings}};
}

void print_json(const ordered_json& object) {
  fmt::print("{}\n", object.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

void print_table(const Model& model, const std::vector<TableColumn>& columns) {
  std::size_t width = std::strlen("joint");
  for (const Coordinate& coordinate : model.coordinates())
    width = std::max(width, coordinate.name.size());
  fmt::print("{:<{}}", "joint", width);
  for (const TableColumn& column : columns) fmt::print("  {:>16}", column.title);
  fmt::print("\n");
  for (std::size_t i = 0; i < model.size(); ++i) {
    const Coordinate& coordinate = model.coordinates()[i];
    fmt::print("{:<{}}", coordinate.name, width);
    for (const TableColumn& column : columns) {
      fmt::print("  {:>16.9g} {}", column.values[i],
                 coordinate.prismatic ? column.linear_unit : column.angular_unit);
    }
    fmt::print("\n");
  }
}

std::string printable(std::string text) {
  for (char& c : text) {
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7F) c = '?';
  }
  return text;
}

void require_finite(const char* what, std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    throw InputError(fmt::format(
        "{}: entry {} is not finite (overflow); check that the input is in SI units", what, i + 1));
  }
}

}  // namespace dynamics::tools
