// SPDX-License-Identifier: Apache-2.0
#pragma once

// Results on the terminal: one JSON object with full precision, or a readable table.

#include <Eigen/Core>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "dynamics_core/model.hpp"
#include "robot.hpp"

namespace dynamics::tools {

using nlohmann::ordered_json;

ordered_json matrix_json(const Eigen::MatrixXd& matrix);

/// {"joints": [...], "warnings": [...]}: how the JSON object of every command about a robot begins.
ordered_json with_joints(const Robot& robot);

void print_json(const ordered_json& object);

/// A column of numbers beside the joints' names, with the unit of each.
struct TableColumn {
  std::string title;
  std::vector<double> values;
  const char* angular_unit;
  const char* linear_unit;
};
void print_table(const Model& model, const std::vector<TableColumn>& columns);

/// Text from files and command lines for a terminal: characters that could command it become '?'.
std::string printable(std::string text);

/// Throws InputError where an answer has overflowed: nothing of it may be shown as a result.
void require_finite(const char* what, std::span<const double> values);

}  // namespace dynamics::tools
