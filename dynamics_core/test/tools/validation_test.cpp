// SPDX-License-Identifier: Apache-2.0
// The comparisons of the validation: NaN, unequal lengths and incomplete runs fail; verdicts and
// checks are counted and printed apart; the table at the head of the page lists every item.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "validate/forced_runs.hpp"
#include "validate/paper_items.hpp"
#include "validate/runs.hpp"

namespace dynamics::tools {
namespace {

using testing::Contains;
using testing::HasSubstr;

ValidationReport report() {
  return ValidationReport([](double) {});
}

TEST(Validation, LargestDifferenceIsNanForNanAndUnequalLengths) {
  const std::vector<Column> right = {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}};
  EXPECT_EQ(largest_difference(right, {{1.0, 2.0, 3.0}, {4.0, 5.5, 6.0}}), 0.5);
  EXPECT_TRUE(std::isnan(largest_difference(right, {{1.0, 2.0, 3.0}, {4.0, std::nan(""), 6.0}})));
  EXPECT_TRUE(std::isnan(largest_difference(right, {{1.0, 2.0, 3.0}, {4.0, 5.0}})));
  EXPECT_TRUE(std::isnan(largest_difference(right, {{1.0, 2.0, 3.0}})));
  EXPECT_TRUE(std::isnan(largest_difference({{1.0}}, right)));
}

TEST(Validation, RunThatEndsEarlyDoesNotHold) {
  const PaperRobot planar("planar3");
  ValidationReport page = report();
  SimulationOptions options = planar.forced();
  options.duration = 0.2;
  Recording run = planar.run(options, page, 0.0, 1.0);
  EXPECT_TRUE(run.statistics.completed);
  EXPECT_EQ(page.checks(), 0U);
  EXPECT_LT(largest_deviation(run), 1e-6);

  // with this step the implicit equations have no solution
  options.integrator = "gauss6";
  options.step = 5.0;
  options.duration = 10.0;
  run = planar.run(options, page, 0.0, 1.0);
  ASSERT_FALSE(run.statistics.completed);
  EXPECT_EQ(page.failures(), 1U);
  EXPECT_TRUE(std::isnan(largest_deviation(run)));
  page.end_claims();
  EXPECT_THAT(page.text(), HasSubstr("**ours: out of bound**"));
  EXPECT_THAT(page.text(), HasSubstr("planar3, forced, gauss6: it ended at"));
}

TEST(Validation, InterruptedRunDoesNotHold) {
  const PaperRobot planar("planar3");
  ValidationReport page = report();
  SimulationOptions options = planar.forced();
  const Recording run = simulate(planar.model(), options, [](double t) { return t < 0.1; });
  EXPECT_TRUE(std::isnan(largest_deviation(run)));
  require_completed(page, run);
  EXPECT_EQ(page.failures(), 1U);
}

TEST(Validation, ForcedRunEndsWhereItIsOffItsPath) {
  const PaperRobot planar("planar3");
  ValidationReport page = report();
  SimulationOptions options = planar.forced();
  options.integrator = "rkf45";
  options.step = 0.01;
  const Recording run = planar.run_forced(options, page, 0.0, 1.0);
  EXPECT_TRUE(run.statistics.completed);
  EXPECT_LT(run.t.back(), 5.0);
  const double end = departure(run, 0.99), middle = departure(run, departure_threshold);
  EXPECT_LT(middle, end);
  EXPECT_NEAR(end, run.t.back(), 0.02);

  // the same torques, read from a table, excite the instability earlier
  const Recording tabulated =
      planar.run_tabulated(options, 0.05, ControllerOptions::Interpolation::linear, page, 0.0, 1.0);
  EXPECT_LT(departure(tabulated, departure_threshold), middle - 0.5);
  EXPECT_EQ(page.failures(), 0U);
}

TEST(Validation, DepartureIsInfiniteOnThePathAndEarlyForNan) {
  const PaperRobot planar("planar3");
  Recording run(planar.model());
  run.t = {0.0, 1.0, 2.0};
  run.q = {{0.0, 0.1, 0.2}};
  run.desired = {{0.0, 0.0, 0.0}};
  EXPECT_EQ(departure(run, 0.15), 2.0);
  EXPECT_TRUE(std::isinf(departure(run, 0.5)));
  EXPECT_EQ(departure_text(departure(run, 0.5)), "never in 10 s");
  run.q[0][1] = std::nan("");
  EXPECT_EQ(departure(run, 0.5), 1.0);
}

TEST(Validation, NumbersAreJudgedByTheirDistance) {
  EXPECT_EQ(judge_number(2.6, 2.5), Verdict::holds);
  EXPECT_EQ(judge_number(2.2, 2.5), Verdict::in_trend);
  EXPECT_EQ(judge_number(4.9, 2.5), Verdict::in_trend);
  EXPECT_EQ(judge_number(5.1, 2.5), Verdict::differs);
  EXPECT_EQ(judge_number(1.2, 2.5), Verdict::differs);
  EXPECT_EQ(judge_number(std::numeric_limits<double>::infinity(), 2.5), Verdict::differs);
  EXPECT_EQ(judge_number(std::nan(""), 2.5), Verdict::differs);
}

TEST(Validation, VerdictsAndOwnChecksArePrintedApart) {
  ValidationReport page = report();
  page.claim({.item = "Saha 1999, Fig. 6",
              .paper = "It falls.",
              .ours = "It falls.",
              .verdict = Verdict::holds});
  page.claim({.item = "Saha 1999, Fig. 9",
              .paper = "At 0.5 s.",
              .ours = "At 2 s.",
              .verdict = Verdict::differs,
              .known_difference = true});
  page.check("Energy.", "1e-12", true);
  EXPECT_EQ(page.failures(), 0U);
  page.end_claims();
  EXPECT_THAT(page.text(), HasSubstr("| Saha 1999, Fig. 6 | It falls. | It falls. | holds |"));
  EXPECT_THAT(page.text(), HasSubstr("| At 2 s. | differs |"));
  EXPECT_THAT(page.text(), HasSubstr("| Energy. | 1e-12 | ours: within bound |"));

  // a difference that is not explained fails
  page.claim({.item = "Saha 1999, Fig. 6",
              .paper = "It falls.",
              .ours = "It rises.",
              .verdict = Verdict::differs});
  page.check("Energy.", "1", false);
  EXPECT_EQ(page.failures(), 2U);
  page.end_claims();
  EXPECT_THAT(page.text(), HasSubstr("| It rises. | **differs** |"));
  EXPECT_THAT(page.text(), HasSubstr("**ours: out of bound**"));
}

TEST(Validation, HeadOfThePageFollowsTheVerdicts) {
  const auto result = [](const PaperCoverage& coverage, const std::string& where) {
    for (const auto& row : coverage.rows)
      if (row[0] + ", " + row[1] == where) return row[3];
    return std::string("missing");
  };
  std::vector<Claim> claims = {
      {"Saha 1999, Fig. 6", "", "", Verdict::holds},
      {"Saha 1999, Fig. 9", "", "", Verdict::holds},
      {"Saha 1999, Fig. 9", "", "", Verdict::in_trend},
      {"Saha 1999, Fig. 8", "", "", Verdict::nothing_to_compare},
  };
  PaperCoverage coverage = paper_coverage(claims, false);
  EXPECT_EQ(coverage.rows.size(), 3U);
  EXPECT_TRUE(coverage.problems.empty());
  EXPECT_EQ(result(coverage, "Saha 1999, Fig. 6"), "reproduced (1 holds)");
  EXPECT_EQ(result(coverage, "Saha 1999, Fig. 9"), "in trend (1 holds, 1 in trend)");
  EXPECT_EQ(result(coverage, "Saha 1999, Fig. 8"),
            "not reproducible from the text (1 nothing to compare with)");
  claims[1].verdict = Verdict::differs;
  EXPECT_EQ(result(paper_coverage(claims, false), "Saha 1999, Fig. 9"),
            "**differs** (1 in trend, 1 differs)");

  // a complete page must judge every item, and know every claim's item
  claims.push_back({"Saha 1999, Fig. 99", "", "", Verdict::holds});
  coverage = paper_coverage(claims, true);
  EXPECT_EQ(coverage.rows.size(), paper_items().size());
  EXPECT_EQ(result(coverage, "Saha 1999, Fig. 5"), "**no verdict**");
  EXPECT_THAT(coverage.problems, Contains("Saha 1999, Fig. 5: no section judges it"));
  EXPECT_THAT(coverage.problems,
              Contains("Saha 1999, Fig. 99: the list of the papers' items lacks it"));
}

TEST(Validation, FilesOfTheEquationsExist) {
  for (const PaperItem& item : paper_items()) {
    if (item.kind != ItemKind::equations) continue;
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(DYNAMICS_SOURCE_DIR) / item.note))
        << item.label() << ": " << item.note;
  }
}

}  // namespace
}  // namespace dynamics::tools
