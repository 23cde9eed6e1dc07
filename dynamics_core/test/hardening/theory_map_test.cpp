// SPDX-License-Identifier: Apache-2.0
// docs/theory.md: every file that its tables name exists and contains the names beside it, and the
// equations of Mohan and Saha are complete.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "support/markdown_tables.hpp"

namespace dynamics::test {
namespace {

const std::filesystem::path repository = DYNAMICS_REPOSITORY;

/// The text of a file, or of all files of a folder.
std::string text_of(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return read_text(path);
  std::string text;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) text += read_text(entry.path());
  }
  return text;
}

/// What is written between backquotes.
std::vector<std::string> backquoted(const std::string& text) {
  static const std::regex quote("`([^`]+)`");
  std::vector<std::string> result;
  for (std::sregex_iterator at(text.begin(), text.end(), quote), end; at != end; ++at)
    result.push_back((*at)[1]);
  return result;
}

bool is_path(const std::string& text) { return text.find('/') != std::string::npos; }

/// Whether the words of NAME or CLASS::NAME occur.
bool contains(const std::string& text, const std::string& name) {
  static const std::regex word("[A-Za-z0-9_-]+");
  for (std::sregex_iterator at(name.begin(), name.end(), word), end; at != end; ++at) {
    if (!std::regex_search(text, std::regex("\\b" + at->str() + "\\b"))) return false;
  }
  return true;
}

TEST(TheoryMap, NamesFilesAndFunctionsThatExist) {
  const auto rows = table_rows(read_text(repository / "docs" / "theory.md"));
  std::size_t files = 0, names = 0;
  for (const TableRow& row : rows) {
    if (row.header.find("equation") == std::string::npos) continue;
    SCOPED_TRACE("docs/theory.md:" + std::to_string(row.line));
    std::string text, sources;
    for (const std::string& cell : row.cells) text += cell;
    for (const std::string& name : backquoted(row.header + text)) {
      if (!is_path(name)) continue;
      const std::filesystem::path path = repository / "dynamics_core" / name;
      EXPECT_TRUE(std::filesystem::exists(path)) << name << " does not exist";
      sources += text_of(path);
      ++files;
    }
    if (sources.empty()) continue;  // the file is named above the table
    for (const std::string& name : backquoted(text)) {
      if (is_path(name)) continue;
      EXPECT_TRUE(contains(sources, name)) << name << " is not in the files of this row";
      ++names;
    }
  }
  EXPECT_GE(files, 60U);
  EXPECT_GE(names, 60U);
}

/// The numbers of "(12)", "(12)-(15)" and "(20a)-(20e)".
std::set<int> equations(const std::string& cell) {
  static const std::regex mention("\\((\\d+)[a-e]?\\)(?:-\\((\\d+)[a-e]?\\))?");
  std::set<int> result;
  for (std::sregex_iterator at(cell.begin(), cell.end(), mention), end; at != end; ++at) {
    const int first = std::stoi((*at)[1]);
    const int last = (*at)[2].matched ? std::stoi((*at)[2]) : first;
    for (int k = first; k <= last; ++k) result.insert(k);
  }
  return result;
}

TEST(TheoryMap, HasAllEquationsOfMohanAndSaha) {
  const auto rows = table_rows(read_text(repository / "docs" / "theory.md"));
  std::set<int> found;
  for (const TableRow& row : rows) {
    if (row.section != "Flexible links (Mohan and Saha)") continue;
    if (row.header.find("where") == std::string::npos) continue;  // differences from the print
    for (const int k : equations(row.cells.at(0))) found.insert(k);
    EXPECT_FALSE(backquoted(row.cells.at(2)).empty()) << "docs/theory.md:" << row.line;
  }
  for (int k = 1; k <= 44; ++k) EXPECT_TRUE(found.contains(k)) << "equation (" << k << ")";
}

}  // namespace
}  // namespace dynamics::test
