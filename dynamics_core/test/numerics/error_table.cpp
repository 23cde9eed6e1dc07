// SPDX-License-Identifier: Apache-2.0
#include "numbers.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

namespace dynamics::test {
namespace {

/// Errors below this are round-off of any code; they differ from one instruction set to the next.
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

std::string opening(const std::string& table) { return "<!-- " + table + " -->\n"; }
constexpr std::string_view closing = "<!-- end -->";

std::string read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// After all tests: the page is written, or held against what was measured.
class Page : public testing::Environment {
  void TearDown() override {
    if (Numbers::all().empty()) return;
    const std::string page = read(DYNAMICS_NUMERICS_PAGE);
    std::ofstream(DYNAMICS_NUMERICS_RESULT) << Numbers::all().into(page);
    if (std::getenv("DYNAMICS_WRITE_NUMERICS") != nullptr) {  // NOLINT(concurrency-mt-unsafe)
      std::ofstream(DYNAMICS_NUMERICS_PAGE) << Numbers::all().into(page);
      return;
    }
    if (watched) return;  // fewer states, other numbers
    EXPECT_EQ(Numbers::all().beyond(page), "")
        << "docs/numerics.md says otherwise; this run is in " << DYNAMICS_NUMERICS_RESULT;
  }
};

const testing::Environment* const writer = testing::AddGlobalTestEnvironment(new Page);

}  // namespace

Numbers& Numbers::all() {
  static Numbers numbers;
  return numbers;
}

void Numbers::note(const std::string& table, const std::string& what,
                   const std::vector<std::string>& columns, const std::vector<double>& errors) {
  tables_[table].push_back({what, columns, errors});
}

std::string Numbers::into(const std::string& page) const {
  std::string result = page;
  for (const auto& [table, rows] : tables_) {
    const std::size_t at = result.find(opening(table));
    if (at == std::string::npos) continue;
    // the head and its line stay
    std::size_t begin = at + opening(table).size();
    for (int line = 0; line < 2; ++line) begin = result.find('\n', begin) + 1;
    const std::size_t end = result.find(closing, begin);
    std::string text;
    for (const Row& row : rows) {
      text += "| " + row.what;
      for (const std::string& column : row.columns) text += " | " + column;
      for (const double error : row.errors) text += fmt::format(" | {:.0e}", error);
      text += " |\n";
    }
    result.replace(begin, end - begin, text);
  }
  return result;
}

std::string Numbers::beyond(const std::string& page) const {
  std::string complaints;
  for (const auto& [table, rows] : tables_) {
    const std::size_t begin = page.find(opening(table));
    std::map<std::string, std::vector<std::string>> said;
    if (begin != std::string::npos) {
      std::istringstream lines(page.substr(begin, page.find(closing, begin) - begin));
      for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("|") && !cells(line).empty()) said[cells(line)[0]] = cells(line);
      }
    }
    for (const Row& row : rows) {
      const auto found = said.find(row.what);
      if (found == said.end() ||
          found->second.size() != 1 + row.columns.size() + row.errors.size()) {
        complaints += fmt::format("table '{}' has no row '{}'\n", table, row.what);
        continue;
      }
      for (std::size_t i = 0; i < row.errors.size(); ++i) {
        const double known =
            std::strtod(found->second[1 + row.columns.size() + i].c_str(), nullptr);
        if (!(row.errors[i] <= 10.0 * std::max(known, round_off))) {
          complaints +=
              fmt::format("'{}': {:.1e}, the page says {:.0e}\n", row.what, row.errors[i], known);
        }
      }
    }
  }
  return complaints;
}

}  // namespace dynamics::test
