// SPDX-License-Identifier: Apache-2.0
#pragma once

// The operation counts printed in the papers, row by row, with remarks on misprints:
//
//   for (const PaperRow& row : paper_rows()) row.multiplications(6);   // for six links

#include <span>
#include <string_view>

#include "papers/counting/polynomial.hpp"

namespace dynamics::counting {

/// The task that a row counts.
enum class RowKind {
  inverse,   ///< inverse dynamics
  solution,  ///< forward dynamics for given phi = tau - C qd - g
  forward,   ///< forward dynamics
  line,      ///< one line of an algorithm
  steps      ///< steps of a machine that executes several operations at once
};

struct PaperRow {
  std::string_view paper;      ///< "Saha 1999"
  std::string_view table;      ///< "Table 1"
  std::string_view algorithm;  ///< name in the table
  RowKind kind;
  /// Multiplications (Saha and Nasser: with divisions) and additions (with subtractions) for n
  /// links.
  Polynomial multiplications, additions;
  std::string_view formulation;  ///< its implementation in formulations/, or empty
  std::string_view line;         ///< for kind line: name of the line in that formulation
  std::string_view note;         ///< remark, or empty
};

/// All rows, by paper and table, in the order of the papers.
std::span<const PaperRow> paper_rows();

/// Throws ArgumentError if there is no such row.
const PaperRow& paper_row(std::string_view paper, std::string_view table,
                          std::string_view algorithm);

/// A number that a table prints beside its formula.
struct PrintedValue {
  std::string_view paper, table, algorithm;  ///< of the row
  std::int64_t links;
  std::int64_t multiplications, additions;
};
std::span<const PrintedValue> printed_values();

}  // namespace dynamics::counting
