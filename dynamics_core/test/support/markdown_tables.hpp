// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tables of the pages in docs/, for tests that check what they name.

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace dynamics::test {

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A row of a table.
struct TableRow {
  std::size_t line;
  std::string section;             ///< the heading above
  std::string header;              ///< the first line of the table
  std::vector<std::string> cells;  ///< with their spaces
};

/// The rows of all tables of a page, without their headers.
inline std::vector<TableRow> table_rows(const std::string& page) {
  std::vector<TableRow> rows;
  std::istringstream lines(page);
  std::size_t number = 0;
  bool in_table = false;
  std::string section, before, header;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.starts_with("## ")) section = line.substr(3);
    if (!line.starts_with("|")) {
      in_table = false;
    } else if (line.starts_with("|---")) {
      in_table = true;
      header = before;
    } else if (in_table) {
      TableRow row{number, section, header, {}};
      std::istringstream cells(line.substr(1));
      for (std::string cell; std::getline(cells, cell, '|');) row.cells.push_back(cell);
      rows.push_back(row);
    }
    before = line;
  }
  return rows;
}

}  // namespace dynamics::test
