// SPDX-License-Identifier: Apache-2.0
// Logs of rows and the folder of a study: order, restarts, incomplete records, mixed studies.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "dynamics_core/error.hpp"
#include "study_samples.hpp"

namespace dynamics {
namespace {

namespace fs = std::filesystem;
using test::study_of;
using testing::HasSubstr;

class Folder : public testing::Test {
 protected:
  void SetUp() override {
    path = fs::path(testing::TempDir()) / ("dynamics_study_" + std::to_string(::getpid()));
    fs::remove_all(path);
  }
  void TearDown() override { fs::remove_all(path); }
  StudyFolder open(const Study& study, bool resume = true) const {
    return {path.string(),
            study,
            {.rows = resume ? StudyFolderOptions::Rows::keep : StudyFolderOptions::Rows::refuse}};
  }
  static void compute(const Study& study, const StudyFolder& folder,
                      const std::vector<std::uint64_t>& numbers) {
    StudyLog log = folder.open_log("test");
    for (const std::uint64_t number : numbers) log.append(study.run(number));
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path / name, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  /// Expects that f() throws an error whose text contains `message`.
  template <class Function>
  static void expect_error(Function&& f, const std::string& message) {
    try {
      f();
      FAIL() << "no error: " << message;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(message));
    }
  }
  fs::path path;
};

std::vector<std::uint64_t> range(std::uint64_t first, std::uint64_t last, std::uint64_t step = 1) {
  std::vector<std::uint64_t> result;
  for (; first < last; first += step) result.push_back(first);
  return result;
}

TEST_F(Folder, TableIsInCaseOrderWhateverTheLogs) {
  const Study study = study_of(test::falls);
  const StudyFolder folder = open(study, false);
  compute(study, folder, range(1, 20, 2));
  compute(study, folder, range(0, 20, 4));
  compute(study, folder, range(0, 20, 2));  // some cases twice
  const StudySummary summary = folder.write_table();
  EXPECT_EQ(summary.cases, 20U);
  std::istringstream table(read("table.csv"));
  std::string line;
  std::getline(table, line);
  EXPECT_EQ(line + "\n", study_csv_header(study));
  for (std::uint64_t k = 0; k < 20; ++k) {
    std::getline(table, line);
    EXPECT_EQ(line + "\n", study_csv_row(study.run(k), Study::instruction_set()));
    EXPECT_EQ(std::strtod(line.c_str() + line.find(',') + 1, nullptr), study.draw(k)[0]);
  }
  EXPECT_FALSE(std::getline(table, line));
}

TEST_F(Folder, MissingCasesAreNamed) {
  const Study study = study_of(test::falls);
  const StudyFolder folder = open(study);
  compute(study, folder, range(0, 17));
  expect_error([&] { static_cast<void>(folder.write_table()); },
               "3 of 20 cases are missing (case 17, 18, 19)");
  EXPECT_FALSE(fs::exists(path / "table.csv"));
  compute(study, folder, range(17, 20));
  EXPECT_EQ(folder.write_table().cases, 20U);
}

TEST_F(Folder, IncompleteLastRecordIsTheOnlyLoss) {
  const Study study = study_of(test::falls);
  const StudyFolder folder = open(study);
  compute(study, folder, range(0, 10));
  const fs::path log = fs::directory_iterator(path / "rows")->path();
  const auto size = fs::file_size(log);
  const auto record = 8 + 8 + 8 * (study.parameters().size() + study.results().size());
  for (std::uintmax_t cut = 1; cut <= record; ++cut) {  // killed at any byte of the last record
    fs::resize_file(log, size - cut);
    const std::vector<bool> done = folder.done(0, 20);
    EXPECT_EQ(std::count(done.begin(), done.end(), true), 9) << cut;
    EXPECT_TRUE(done[8]);
    EXPECT_FALSE(done[9]);
  }
  fs::resize_file(log, 5);  // killed within the first line
  EXPECT_FALSE(folder.done(0, 20)[0]);
}

TEST_F(Folder, DamagedRecordIsNotRead) {
  const Study study = study_of(test::falls);
  const StudyFolder folder = open(study);
  compute(study, folder, range(0, 3));
  const fs::path log = fs::directory_iterator(path / "rows")->path();
  {
    std::fstream file(log, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-3, std::ios::end);
    file.put('x');
  }
  EXPECT_TRUE(folder.done(0, 3)[1]);
  EXPECT_FALSE(folder.done(0, 3)[2]);
}

TEST_F(Folder, OtherStudiesAreRefused) {
  const Study study = study_of(test::falls);
  compute(study, open(study), range(0, 2));
  const Study changed = study_of(std::string(test::falls) + "# changed\n");
  expect_error([&] { open(changed); }, "another study");
  expect_error([&] { open(study, false); }, "--resume");
  // the log of another study, copied into this folder
  const fs::path first = path;
  path += "_other";
  compute(changed, open(changed), range(2, 4));
  for (const auto& entry : fs::directory_iterator(path / "rows"))
    fs::copy(entry.path(), first / "rows" / "copied.rows");
  fs::remove_all(path);
  path = first;
  expect_error([&] { open(study).done(0, 20); }, "copied.rows: has rows of another");
}

TEST_F(Folder, RowsOfAnotherInstructionSetAreRefused) {
  const Study study = study_of(test::falls);
  compute(study, open(study), range(0, 2));
  const std::string name = Study::instruction_set();
  for (const char* file : {"study.json", "rows/test.0001.rows"}) {
    const std::string text = read(file);
    std::string other = text;
    other.replace(other.find(name), name.size(), "mips");
    std::ofstream(path / file, std::ios::binary) << other;
    expect_error([&] { open(study).done(0, 20); }, "computed with mips");
    std::ofstream(path / file, std::ios::binary) << text;
  }
  EXPECT_TRUE(open(study).done(0, 20)[0]);
}

TEST_F(Folder, FoldersOfSomethingElseAreRefused) {
  const Study study = study_of(test::falls);
  fs::create_directories(path);
  std::ofstream(path / "thesis.tex") << "text";
  expect_error([&] { open(study); }, "holds no study");
  EXPECT_TRUE(fs::exists(path / "thesis.tex"));
  expect_error([&] { StudyFolder::description(path.string()); }, "not the folder of a study");
}

TEST_F(Folder, ErrorsAreKeptAndQuoted) {
  const Study study = study_of(R"(
robot: planar3
run: {terms: {}}
vary: [{parameter: mass, of: link1, add: {list: [1, -100, 2]}}]
keep: [kinetic]
)");
  const StudyFolder folder = open(study);
  compute(study, folder, range(0, 3));
  const StudySummary summary = folder.write_table();
  EXPECT_EQ(summary.failed, 1U);
  ASSERT_EQ(summary.failures.size(), 1U);
  EXPECT_EQ(summary.failures[0].number, 1U);
  EXPECT_EQ(summary.failures[0].error, study.run(1).error);
  EXPECT_THAT(read("table.csv"), HasSubstr("\n1,-100,nan," + Study::instruction_set() + ","));
  EXPECT_THAT(read("table.csv"), HasSubstr("\n2,2,0," + Study::instruction_set() + ",ok\n"));
}

// y = gravity torque of the last joint: known quantiles and correlations
TEST_F(Folder, SummaryMatchesClosedForms) {
  const Study study = study_of(R"(
robot: planar3
run: {terms: {}}
vary:
  - {parameter: gravity, scale: {grid: [1, 3, 201]}, name: factor}
  - {parameter: damping, of: joint1, set: {list: [0, 1]}}
keep: [gravity_joint3, kinetic]
worst: smallest gravity_joint3
)");
  ASSERT_EQ(study.cases(), 402U);
  const StudyFolder folder = open(study);
  compute(study, folder, range(0, 402));
  const StudySummary summary = folder.write_table();
  ASSERT_EQ(summary.results.size(), 2U);
  const StudySummary::Result& result = summary.results[0];
  const double one = study.run(0).values[2];  // at factor 1
  ASSERT_GT(std::abs(one), 1e-3);
  EXPECT_NEAR(result.mean, 2.0 * one, 1e-12);
  EXPECT_NEAR(result.quantiles[4], 2.0 * one, 1e-12);
  // factors 1, 1, 1.01, 1.01, ...: n^2 - 1 of 201 values, twice each
  const double variance = (201.0 * 201.0 - 1.0) / 12.0 * 1e-4 * 402.0 / 401.0;
  EXPECT_NEAR(result.deviation, std::abs(one) * std::sqrt(variance), 1e-9);
  EXPECT_NEAR(std::abs(result.rank_correlation[0]), 1.0, 1e-12);
  EXPECT_NEAR(result.rank_correlation[1], 0.0, 1e-12);
  EXPECT_NEAR(result.determination, 1.0, 1e-12);
  EXPECT_TRUE(std::isnan(summary.results[1].rank_correlation[0]));  // always zero
  ASSERT_EQ(summary.worst.size(), 10U);
  EXPECT_EQ(summary.worst[0].number, one > 0.0 ? 0U : 400U);

  const std::pair<std::string, std::string> link = {"the </script> run", "worst.html"};
  folder.write_summary(summary, "{\"threads\": 2}", {&link, 1});
  const auto json = nlohmann::json::parse(read("summary.json"));
  EXPECT_EQ(json.at("cases"), 402);
  EXPECT_EQ(json.at("run").at("threads"), 2);
  EXPECT_EQ(json.at("worst").at(0).at("command"),
            study_repeat_command(folder.path(), summary.worst[0].number));
  // the data of the page are JSON, whatever they contain
  const std::string page = read("page.html"),
                    open_tag = "<script id=\"data\" type=\"application/json\">";
  const std::size_t begin = page.find(open_tag) + open_tag.size();
  const auto data =
      nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  EXPECT_EQ(data.at("rows").size(), 402U);
  EXPECT_EQ(data.at("links").at(0).at("text"), "the </script> run");
}

TEST_F(Folder, LargeStudiesHaveAPageOfBoundedSize) {
  const Study study = study_of(R"(
robot: planar3
run: {terms: {}}
vary: [{parameter: gravity, scale: {grid: [1, 3, 9001]}}]
keep: [gravity_joint3]
)");
  const StudyFolder folder = open(study);
  compute(study, folder, range(0, 9001));
  folder.write_summary(folder.write_table(), "{}");
  EXPECT_LT(fs::file_size(path / "page.html"), 400'000U);
}

}  // namespace
}  // namespace dynamics
