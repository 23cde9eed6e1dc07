// SPDX-License-Identifier: Apache-2.0
#pragma once

// The DeNOC matrices of a robot in one state, as JSON and as text, for `dynamics terms --denoc`.

#include "report.hpp"

namespace dynamics::tools {

ordered_json denoc_json(const Model& model, ConstVector q, ConstVector qd);
void print_denoc(const Model& model, ConstVector q, ConstVector qd);

/// Prints the title and the rows of the matrix.
void print_matrix(const std::string& title, const Eigen::MatrixXd& matrix);

}  // namespace dynamics::tools
