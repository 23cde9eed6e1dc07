// SPDX-License-Identifier: Apache-2.0
#pragma once

// The papers' tables of operations, row by row, with what is doubtful in them.

#include <span>
#include <string_view>

#include "papers/counting/polynomial.hpp"

namespace dynamics::counting {

/// What a row counts.
enum class RowKind {
  inverse,   ///< inverse dynamics
  solution,  ///< forward dynamics for given phi = tau - C qd - g
  forward,   ///< forward dynamics
  line,      ///< one line of an algorithm
  steps      ///< steps of a machine that does several operations at once
};

struct PaperRow {
  std::string_view paper;      ///< "Saha 1999"
  std::string_view table;      ///< "Table 1"
  std::string_view algorithm;  ///< as the table has it
  RowKind kind;
  /// Multiplications (Saha and Nasser: and divisions) and additions (and subtractions) of n links.
  Polynomial multiplications, additions;
  std::string_view formulation;  ///< the one in formulations/ that does this, or empty
  std::string_view line;         ///< of kind line: its name in that formulation
  std::string_view note;         ///< what is doubtful, or empty
};

/// All rows, by paper and table, in the order of the papers.
std::span<const PaperRow> paper_rows();

}  // namespace dynamics::counting
