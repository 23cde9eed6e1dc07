// SPDX-License-Identifier: Apache-2.0
#pragma once

// Prints results: one JSON object with full precision, or a table for people.

#include <Eigen/Core>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "dynamics_core/model.hpp"
#include "robot.hpp"

namespace dynamics::tools {

using nlohmann::ordered_json;

/// A matrix as an array of rows.
ordered_json matrix_json(const Eigen::MatrixXd& matrix);

ordered_json vector_json(const Eigen::Vector3d& vector);
/// {"xyz": [...], "rpy": [...], "quaternion": [x, y, z, w]}, with w >= 0.
ordered_json pose_json(const Pose& pose);
/// "xyz 1 2 3, rpy 0 0 0".
std::string pose_text(const Pose& pose);

/// {"joints": [...], "warnings": [...]}, with closed loops "independent" too: the first keys of the
/// JSON object of every robot command.
ordered_json with_joints(const Robot& robot);

void print_json(const ordered_json& object);

/// One column of a table with one row per joint.
struct TableColumn {
  std::string title;
  std::vector<double> values;
  const char* angular_unit;
  const char* linear_unit;
};
void print_table(const Model& model, const std::vector<TableColumn>& columns);

/// Replaces control characters by '?', so that text from files cannot control the terminal.
std::string printable(std::string text);

/// Throws InputError with the index of the first value that is not finite.
void require_finite(const char* what, std::span<const double> values);

}  // namespace dynamics::tools
