// SPDX-License-Identifier: Apache-2.0
#pragma once

// A CSV file with a first row of names and a column `t` of increasing times, for readers that name
// file, line and column in their errors.

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dynamics {

class CsvTable {
 public:
  /// Throws ModelError where the text is no such table. The text must outlive the table.
  CsvTable(std::string_view text, std::string_view file_name);

  std::size_t rows() const { return cells_.size(); }
  std::optional<std::size_t> find(std::string_view name) const;
  /// Throws ModelError where the cell is not a finite number.
  double number(std::size_t row, std::size_t column) const;
  /// Column t: from 0 or later, each after the one before.
  std::vector<double> times() const;

  /// An error about the row of names.
  [[noreturn]] void fail_names(const std::string& message) const;

 private:
  std::string file_;
  std::vector<std::string_view> names_;
  std::unordered_map<std::string_view, std::size_t> columns_;  ///< by name
  std::vector<std::vector<std::string_view>> cells_;           ///< by row
  std::vector<std::size_t> lines_;                             ///< of the rows in the file
};

}  // namespace dynamics
