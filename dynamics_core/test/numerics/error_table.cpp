// SPDX-License-Identifier: Apache-2.0
#include "error_table.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

namespace dynamics::test {
namespace {

/// Errors below this are round-off and differ between instruction sets.
constexpr double round_off = 1e-14;

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> all;
  std::istringstream in(line.substr(std::min<std::size_t>(1, line.size())));
  for (std::string cell; std::getline(in, cell, '|');) {
    const std::size_t first = cell.find_first_not_of(' '), last = cell.find_last_not_of(' ');
    all.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
  }
  return all;
}

std::string begin_marker(const std::string& table) { return "<!-- " + table + " -->\n"; }
constexpr std::string_view end_marker = "<!-- end -->";

std::string read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// After all tests: writes the page, or compares it with the measured errors.
class Page : public testing::Environment {
  void TearDown() override {
    if (ErrorTables::instance().empty()) return;
    const std::string page = read(DYNAMICS_NUMERICS_PAGE);
    std::ofstream(DYNAMICS_NUMERICS_RESULT) << ErrorTables::instance().updated_page(page);
    if (std::getenv("DYNAMICS_WRITE_NUMERICS") != nullptr) {  // NOLINT(concurrency-mt-unsafe)
      std::ofstream(DYNAMICS_NUMERICS_PAGE) << ErrorTables::instance().updated_page(page);
      return;
    }
    if (sanitized) return;  // fewer states give other errors
    EXPECT_EQ(ErrorTables::instance().violations(page), "")
        << "docs/numerics.md differs; the measured tables are in " << DYNAMICS_NUMERICS_RESULT;
  }
};

const testing::Environment* const writer = testing::AddGlobalTestEnvironment(new Page);

}  // namespace

ErrorTables& ErrorTables::instance() {
  static ErrorTables tables;
  return tables;
}

void ErrorTables::add_row(const std::string& table, const std::string& label,
                          const std::vector<std::string>& columns,
                          const std::vector<double>& errors) {
  tables_[table].push_back({label, columns, errors});
}

std::string ErrorTables::updated_page(const std::string& page) const {
  std::string result = page;
  for (const auto& [table, rows] : tables_) {
    const std::size_t at = result.find(begin_marker(table));
    if (at == std::string::npos) continue;
    // keep the header row and its separator
    std::size_t begin = at + begin_marker(table).size();
    for (int line = 0; line < 2; ++line) begin = result.find('\n', begin) + 1;
    const std::size_t end = result.find(end_marker, begin);
    std::string text;
    for (const Row& row : rows) {
      text += "| " + row.label;
      for (const std::string& column : row.columns) text += " | " + column;
      for (const double error : row.errors) text += fmt::format(" | {:.0e}", error);
      text += " |\n";
    }
    result.replace(begin, end - begin, text);
  }
  return result;
}

std::string ErrorTables::violations(const std::string& page) const {
  std::string violations;
  for (const auto& [table, rows] : tables_) {
    const std::size_t begin = page.find(begin_marker(table));
    std::map<std::string, std::vector<std::string>> documented;
    if (begin != std::string::npos) {
      std::istringstream lines(page.substr(begin, page.find(end_marker, begin) - begin));
      for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("|") && !cells(line).empty()) documented[cells(line)[0]] = cells(line);
      }
    }
    for (const Row& row : rows) {
      const auto found = documented.find(row.label);
      if (found == documented.end() ||
          found->second.size() != 1 + row.columns.size() + row.errors.size()) {
        violations += fmt::format("table '{}' has no row '{}'\n", table, row.label);
        continue;
      }
      for (std::size_t i = 0; i < row.errors.size(); ++i) {
        const double expected =
            std::strtod(found->second[1 + row.columns.size() + i].c_str(), nullptr);
        if (!(row.errors[i] <= 10.0 * std::max(expected, round_off))) {
          violations +=
              fmt::format("'{}': {:.1e}, documented: {:.0e}\n", row.label, row.errors[i], expected);
        }
      }
    }
  }
  return violations;
}

}  // namespace dynamics::test
