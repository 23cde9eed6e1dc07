// SPDX-License-Identifier: Apache-2.0
#pragma once

// CsvTable: a CSV file with a first row of column names and a column `t` of increasing times.
// Errors name file, line and column.

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dynamics {

class CsvTable {
 public:
  /// Throws ParseError for malformed text. Keeps views of the text: it must outlive the table.
  CsvTable(std::string_view text, std::string_view file_name);

  std::size_t rows() const { return cells_.size(); }
  /// The names of the columns, in order. A name with commas is in double quotes in the file.
  const std::vector<std::string>& names() const { return names_; }
  /// Index of a column, or none.
  std::optional<std::size_t> find(std::string_view name) const;
  /// The number in a cell. Throws ParseError if it is not a finite number.
  double number(std::size_t row, std::size_t column) const;
  /// Column t. Throws ParseError unless the times are increasing and not negative.
  std::vector<double> times() const;

  /// Throws ParseError for the row of column names.
  [[noreturn]] void fail_names(const std::string& message) const;

 private:
  std::string file_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t> columns_;  ///< by name
  std::vector<std::vector<std::string_view>> cells_;      ///< by row
  std::vector<std::size_t> lines_;                        ///< of the rows in the file
};

}  // namespace dynamics
