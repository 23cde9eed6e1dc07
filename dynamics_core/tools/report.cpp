// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
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

ordered_json vector_json(const Eigen::Vector3d& vector) {
  return {vector.x() + 0.0, vector.y() + 0.0, vector.z() + 0.0};  // no -0
}

ordered_json pose_json(const Pose& pose) {
  Eigen::Quaterniond turn = Eigen::Quaterniond(pose.rotation).normalized();
  if (turn.w() < 0.0) turn.coeffs() = -turn.coeffs();
  return {{"xyz", vector_json(pose.translation)},
          {"rpy", vector_json(rpy_from_rotation(pose.rotation))},
          {"quaternion", {turn.x(), turn.y(), turn.z(), turn.w()}}};
}

std::string pose_text(const Pose& pose) {
  return fmt::format("xyz {:.9g} m, rpy {:.9g} rad", fmt::join(pose.translation, " "),
                     fmt::join(rpy_from_rotation(pose.rotation), " "));
}

ordered_json with_joints(const Robot& robot) {
  ordered_json object = {{"joints", robot.model.coordinate_names()}};
  if (robot.mechanism) {
    std::vector<std::string> names;
    for (const std::size_t joint : robot.mechanism->independent())
      names.push_back(robot.model.coordinates()[joint].name);
    object["independent"] = names;
  }
  object["warnings"] = robot.warnings;
  return object;
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
