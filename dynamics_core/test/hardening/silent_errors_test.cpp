// SPDX-License-Identifier: Apache-2.0
// docs/silent_errors.md: every row names tests, and every named test exists in the named file.

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "support/markdown_tables.hpp"

namespace dynamics {
namespace {

using test::read_text;
using test::table_rows;
using test::TableRow;

/// Whether the source of a test file defines Suite.Name, or a Python function.
bool defines(const std::string& source, const std::string& test) {
  const auto dot = test.find('.');
  if (dot == std::string::npos) return source.find("def " + test + "(") != std::string::npos;
  const std::regex definition("TEST(_F|_P)?\\(\\s*" + test.substr(0, dot) + ",\\s*" +
                              test.substr(dot + 1) + "\\)");
  return std::regex_search(source, definition);
}

TEST(SilentErrors, TableNamesTestsThatExist) {
  const std::filesystem::path root = DYNAMICS_REPOSITORY;
  const std::string page = read_text(root / "docs" / "silent_errors.md");
  const std::vector<TableRow> rows = table_rows(page);
  EXPECT_GE(rows.size(), 60U);
  // `Suite.Name` ... (path), several tests of one file may come before it
  const std::regex mention(
      "`([A-Za-z0-9_]+(?:\\.[A-Za-z0-9_]+)?)`|\\(([a-z_]+/[^)]*\\.(?:cpp|py))\\)");
  std::set<std::string> questions;
  for (const TableRow& row : rows) {
    SCOPED_TRACE("docs/silent_errors.md:" + std::to_string(row.line));
    ASSERT_EQ(row.cells.size(), 3U) << "question, what happens, tests";
    EXPECT_TRUE(questions.insert(row.cells[0]).second) << "the question is asked twice";
    const std::string& tests = row.cells[2];
    std::vector<std::string> names;
    std::size_t found = 0;
    for (std::sregex_iterator at(tests.begin(), tests.end(), mention), end; at != end; ++at) {
      if ((*at)[1].matched) {
        names.push_back((*at)[1]);
        continue;
      }
      const std::filesystem::path file = root / (*at)[2].str();
      EXPECT_TRUE(std::filesystem::exists(file)) << file;
      const std::string source = read_text(file);
      for (const std::string& name : names) {
        EXPECT_TRUE(defines(source, name)) << name << " is not in " << (*at)[2];
        ++found;
      }
      names.clear();
    }
    EXPECT_TRUE(names.empty()) << "no file is named for " << (names.empty() ? "" : names.back());
    EXPECT_GE(found, 1U) << "no test is named";
  }
}

}  // namespace
}  // namespace dynamics
