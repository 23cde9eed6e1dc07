// SPDX-License-Identifier: Apache-2.0
// Runs the program on every bad input with limits of time and memory: none crashes or hangs, each
// is refused with a message or gives finite numbers. Writes the table of all inputs to the build
// folder, and with DYNAMICS_WRITE_BAD_INPUTS=1 also to docs/bad_inputs.md.

#include "bad_inputs.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "process.hpp"

namespace dynamics::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

bool all_finite(const json& value) {
  if (value.is_null()) return false;
  if (!value.is_structured()) return true;
  return std::all_of(value.begin(), value.end(), all_finite);
}

/// The first line of `text`, escaped and shortened to complete words for a table cell.
std::string cell(std::string_view text) {
  std::string result;
  std::size_t length = 0;
  for (const char c : text.substr(0, text.find('\n'))) {
    if (++length > 150) return result.substr(0, result.rfind(' ')) + " ...";
    const bool printable =
        static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7F;
    switch (c) {
      case '|': result += "\\|"; break;
      case '<': result += "&lt;"; break;
      case '&': result += "&amp;"; break;
      default: result += printable ? c : '?';
    }
  }
  return result;
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The rows of the table without the message column: some messages come from other libraries.
std::vector<std::string> outcomes(const std::string& table) {
  std::vector<std::string> rows;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| ")) continue;
    std::size_t end = 0;
    for (int column = 0; column < 4; ++column) end = line.find('|', end) + 1;
    rows.push_back(line.substr(0, end));
  }
  return rows;
}

class BadInputs : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder() = fs::path(testing::TempDir()) / fmt::format("dynamics_bad_inputs_{}", getpid());
    fs::create_directories(folder());
  }
  static void TearDownTestSuite() { fs::remove_all(folder()); }
  static fs::path& folder() {
    static fs::path path;
    return path;
  }
  static std::map<std::string, std::string>& sections() {
    static std::map<std::string, std::string> all;
    return all;
  }

  static ExitStatus start(const std::vector<std::string>& arguments) {
    Process::Options options;
    options.folder = folder();
    return Process(DYNAMICS_PROGRAM, arguments, options).wait();
  }
  static std::vector<std::string> files() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder()))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  static void expect_normal_exit(const ExitStatus& status) {
    EXPECT_FALSE(status.hung) << "took more than a minute";
    EXPECT_TRUE(status.exited) << "killed by signal " << status.signal;
    EXPECT_THAT(status.err, testing::Not(HasSubstr("terminate called")));
    EXPECT_THAT(status.err, testing::Not(HasSubstr("Sanitizer")));
  }

  void try_all(const std::string& title, const std::vector<BadInput>& inputs, bool checked) {
    std::string& rows = sections()[title];
    std::size_t number = 0;
    for (const BadInput& input : inputs) {
      SCOPED_TRACE(title + ": " + input.description);
      for (const std::string& name : files()) fs::remove(folder() / name);
      if (!input.file.empty()) std::ofstream(folder() / input.file, std::ios::binary) << input.text;
      const auto before = files();
      const auto began = std::chrono::steady_clock::now();
      const ExitStatus status = start(input.arguments);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
      if (took.count() > 1.0) fmt::print("{}: {:.1f} s\n", input.description, took.count());
      fs::remove(folder() / "out.txt");
      fs::remove(folder() / "err.txt");
      EXPECT_EQ(files(), before) << "the program has left files behind";
      expect_normal_exit(status);
      const bool refused = status.code == 2;
      EXPECT_EQ(refused ? Outcome::refused : Outcome::accepted, input.outcome)
          << status.code << "\n"
          << status.err.substr(0, 500) << status.out.substr(0, 500);
      if (refused) {
        EXPECT_THAT(status.err.substr(0, 20'000), HasSubstr(input.message));
        EXPECT_NE(status.err, "");
        EXPECT_EQ(status.out, "");
      } else {
        EXPECT_EQ(status.code, 0);
        EXPECT_TRUE(!status.out.starts_with("{") || all_finite(json::parse(status.out)))
            << status.out.substr(0, 500);
      }
      rows += fmt::format("| {} | {} | {} | {} |\n", ++number, cell(input.description),
                          refused ? "refused" : "accepted",
                          refused ? cell(status.err) : std::string("all numbers are finite"));
      if (!checked) continue;
      // `dynamics check` must give the same verdict
      const ExitStatus check = start({"check", input.file, "--json", "--no-condition"});
      expect_normal_exit(check);
      const json report = json::parse(check.out, nullptr, false);
      ASSERT_FALSE(report.is_discarded()) << check.out.substr(0, 500);
      EXPECT_EQ(report["loads"].get<bool>(), !refused) << check.out.substr(0, 1000);
      EXPECT_TRUE(!refused || check.code == 2) << check.out.substr(0, 1000);
    }
  }
};

TEST_F(BadInputs, UrdfsAreRejectedOrGiveFiniteResults) { try_all("1. URDFs", bad_urdfs(), true); }
TEST_F(BadInputs, DhTablesAreRejectedOrGiveFiniteResults) {
  try_all("2. DH tables", bad_tables(), true);
}
TEST_F(BadInputs, TrajectoriesAreRejectedOrGiveFiniteResults) {
  try_all("3. Trajectories", bad_trajectories(), false);
}
TEST_F(BadInputs, CommandLinesAreRejectedOrGiveFiniteResults) {
  try_all("4. Command lines", bad_command_lines(), false);
}

TEST_F(BadInputs, DocumentedTableIsUpToDate) {
  if (sections().size() != 4) GTEST_SKIP() << "run together with the other tests";
  std::size_t count = 0;
  std::string body;
  for (const auto& [title, rows] : sections()) {
    count += static_cast<std::size_t>(std::count(rows.begin(), rows.end(), '\n'));
    body += fmt::format("\n## {}\n\n| | input | outcome | message |\n|---|---|---|---|\n{}", title,
                        rows);
  }
  EXPECT_GE(count, 150U);
  const std::string table = fmt::format(
      "# Bad inputs and their outcomes\n\n"
      "The program is run on each of {} inputs in a separate process with 3 GiB of memory and 60 s "
      "of\n"
      "CPU time: none crashes or hangs. *Refused*: exit code 2, a message, and no file written.\n"
      "*Accepted*: all numbers of the result are finite. Every URDF and DH table is also checked "
      "with\n"
      "`dynamics check`, which must give the same verdict.\n\n"
      "This page is written by the test (messages are cut after 150 characters):\n\n"
      "    DYNAMICS_WRITE_BAD_INPUTS=1 build/dynamics_core/test/hardening/bad_inputs_test\n{}",
      count, body);
  std::ofstream(DYNAMICS_BAD_INPUTS_RESULT) << table;
  if (std::getenv("DYNAMICS_WRITE_BAD_INPUTS") != nullptr)  // NOLINT(concurrency-mt-unsafe)
    std::ofstream(DYNAMICS_BAD_INPUTS_PAGE) << table;
  EXPECT_EQ(outcomes(read_text(DYNAMICS_BAD_INPUTS_PAGE)), outcomes(table))
      << "docs/bad_inputs.md is out of date: run this test with DYNAMICS_WRITE_BAD_INPUTS=1";
}

}  // namespace
}  // namespace dynamics::test
