// SPDX-License-Identifier: Apache-2.0
// The judged rows and claims of the papers about operation counts, the schedule of Turney's Table
// 5, and the counts in the documents.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "papers/counting/algorithms.hpp"
#include "papers/counting/concurrency.hpp"
#include "papers/counting/flexible_counts.hpp"
#include "papers/counting/paper_claims.hpp"
#include "papers/counting/paper_tables.hpp"
#include "papers/counting/scheduled.hpp"

namespace dynamics::counting {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The row with all parts in "paper, place: statement".
const PaperClaim& find_claim(const std::vector<PaperClaim>& claims,
                             const std::vector<std::string>& parts) {
  static const PaperClaim none{};
  for (const PaperClaim& claim : claims) {
    const std::string text = claim.paper + ", " + claim.place + ": " + claim.statement;
    if (std::all_of(parts.begin(), parts.end(), [&](const std::string& part) {
          return text.find(part) != std::string::npos;
        })) {
      return claim;
    }
  }
  ADD_FAILURE() << "no claim with " << testing::PrintToString(parts);
  return none;
}

// --- tables

TEST(TableClaims, CoverEveryRowOfEveryTable) {
  const auto claims = table_claims();
  std::set<std::string> places;
  for (const PaperClaim& claim : claims) places.insert(claim.paper + ", " + claim.place);
  EXPECT_EQ(places, (std::set<std::string>{
                        "Saha 1999, Table 1", "Saha 1999, Table 2", "Saha 2003, section 3",
                        "Saha 2003, Table I", "Turney 1980, Table 1", "Turney 1980, Table 2",
                        "Turney 1980, Table 3", "Turney 1980, Table 4", "Turney 1980, Table 5",
                        "Nasser 1990, section 3.3", "Mohan and Saha, Table 1"}));
  EXPECT_EQ(claims.size(), paper_rows().size() + printed_values().size() + 5U);
  for (const PaperClaim& claim : claims) {
    EXPECT_THAT(claim.verdict, testing::AnyOf("holds", "in trend", "differs", "quoted only",
                                              "nothing to compare with"));
    // a verdict needs something of the paper and something computed
    if (claim.verdict != "quoted only") {
      EXPECT_NE(claim.computed, "not implemented here") << claim.statement;
    }
    if (claim.printed == "not printed") {
      EXPECT_EQ(claim.verdict, "nothing to compare with");
    }
    if (claim.verdict == "holds") {
      EXPECT_EQ(claim.printed, claim.computed) << claim.statement;
    }
    if (claim.verdict == "in trend" || claim.verdict == "differs") {
      EXPECT_NE(claim.difference, "") << claim.statement;
    }
  }
}

TEST(TableClaims, AreComputed) {
  const auto claims = table_claims();
  const PaperClaim& printed = find_claim(claims, {"Saha 2003, Table I: Proposed"});
  EXPECT_EQ(printed.computed, "192n - 194 M, 191n - 216 A");
  EXPECT_EQ(printed.difference, "n + 90 M, 4n + 109 A");
  EXPECT_EQ(find_claim(claims, {"Saha 1999, Table 1: Proposed"}).computed,
            "127n - 54 M, 100n - 60 A");
  EXPECT_EQ(find_claim(claims, {"Saha 2003, section 3: A7b"}).verdict, "holds");
  EXPECT_EQ(find_claim(claims, {"Saha 2003, section 3: C2b"}).verdict, "differs");
  EXPECT_EQ(find_claim(claims, {"Saha 1999, Table 1: Hollerbach"}).verdict, "quoted only");
  EXPECT_EQ(find_claim(claims, {"Walker and Orin (1982): printed formula for n = 6"}).verdict,
            "holds");  // of Table 1
  EXPECT_EQ(
      find_claim(claims, {"Table I", "Walker and Orin: printed formula for n = 6"}).difference,
      "+0 M, -5 A");
}

TEST(TableClaims, MohanAndSahaRowsFollowFromTheirCoefficients) {
  const auto claims = table_claims();
  EXPECT_EQ(find_claim(claims, {"Proposed: printed coefficients"}).computed, "9874 M, 7699 A");
  EXPECT_EQ(find_claim(claims, {"Jain and Rodriguez: printed"}).computed, "10568 M, 8344 A");
  const PaperClaim& cyril = find_claim(claims, {"Cyril: printed coefficients"});
  EXPECT_EQ(cyril.computed, "13990 M, 10675 A");
  EXPECT_EQ(cyril.verdict, "differs");
  EXPECT_EQ(find_claim(claims, {"Cyril: A_3c with +251m/3"}).computed, "13990 M, 12683 A");
}

// --- claims

TEST(CountClaims, CrossoversFollowFromThePolynomials) {
  const auto claims = count_claims();
  const auto expect = [&](const std::vector<std::string>& parts, const char* computed,
                          const char* verdict) {
    const PaperClaim& claim = find_claim(claims, parts);
    EXPECT_EQ(claim.computed, computed) << testing::PrintToString(parts);
    EXPECT_EQ(claim.verdict, verdict) << testing::PrintToString(parts);
  };
  expect({"Saha 1999", "Proposed below", "multiplications"}, "n >= 11", "holds");
  expect({"Saha 1999", "Proposed below", "additions"}, "n >= 15", "differs");
  expect({"Saha 1999", "Proposed below", "sum of both"}, "n >= 12", "holds");
  expect({"Saha 1999", "Featherstone below", "sum of both"}, "n >= 13", "differs");
  expect({"Saha 2003", "Proposed below", "multiplications"}, "n >= 10", "holds");
  expect({"Saha 2003", "Proposed below", "additions"}, "n >= 14", "differs");
  expect({"Saha 2003", "Proposed below", "sum of both"}, "n >= 12", "differs");
  expect({"Saha 2003", "saha-2003 below walker-orin", "multiplications"}, "n >= 12", "differs");
  expect({"Saha 2003", "udut below walker-orin", "multiplications"}, "n >= 8", "holds");
  expect({"Mohan and Saha", "n*"}, "n = 8 to 71", "holds");
  expect({"Mohan and Saha", "below Cyril"}, "n = 6 to 1000", "holds");
}

TEST(CountClaims, CrossoversAgreeWithTheFirstSmallerValue) {
  // by hand from the printed formulas: 1626 < 1653 for n = 10, 1435 > 1351 for n = 9
  const PaperRow& proposed = paper_row("Saha 2003", "Table I", "Proposed");
  const PaperRow& walker = paper_row("Saha 2003", "Table I", "Walker and Orin");
  EXPECT_LT(proposed.multiplications(10), walker.multiplications(10));
  EXPECT_GT(proposed.multiplications(9), walker.multiplications(9));
  // 9874 and 10568 for n = 8; 8542 and 6559 for n = 7
  EXPECT_LT(mohan_saha_table(8, 2).multiplications, jain_rodriguez_table(8, 2).multiplications);
  EXPECT_GT(mohan_saha_table(7, 2).multiplications, jain_rodriguez_table(7, 2).multiplications);
  // 1332n - 782 and 1321n
  EXPECT_LT(mohan_saha_table(71, 2).multiplications, jain_rodriguez_table(71, 2).multiplications);
  EXPECT_GT(mohan_saha_table(72, 2).multiplications, jain_rodriguez_table(72, 2).multiplications);
}

TEST(CountClaims, BestInMultiplicationsHoldsForTheTableOnly) {
  const auto claims = count_claims();
  EXPECT_EQ(find_claim(claims, {"fewest multiplications", "printed formulas"}).verdict, "holds");
  const PaperClaim& counted = find_claim(claims, {"fewest multiplications", "counted here"});
  EXPECT_EQ(counted.verdict, "differs");
  EXPECT_THAT(counted.computed, HasSubstr("n = 6: articulated-body 863 M (saha-2003 958 M)"));
}

// --- Turney's Table 5

TEST(Concurrency, ScheduleOfTheRowsOfTable4GivesTable5) {
  const Schedule schedule = turney_schedule();
  const PaperRow& row = paper_row("Turney 1980", "Table 5", "Modified Newton-Euler, concurrent");
  EXPECT_EQ(schedule.multiplications, row.multiplications);
  EXPECT_EQ(schedule.additions, row.additions);
}

TEST(Concurrency, ScheduledFollowsTheLongestChain) {
  const Scheduled x = 2.0, y = 3.0;
  const Scheduled z = (x * y) * (x + y) + x;
  EXPECT_EQ(z.path().multiplications, 2);
  EXPECT_EQ(z.path().additions, 1);
  EXPECT_EQ((x - y).path().steps(), 1);
}

TEST(Concurrency, CriticalPathIsLinearAndBelowTheScheduleOfTable5) {
  std::vector<std::int64_t> steps;
  const Schedule schedule = turney_schedule();
  for (std::size_t links = 3; links <= 12; ++links) {
    const CriticalPath path = critical_path(general_arm(links, {.principal = true}));
    const auto n = static_cast<std::int64_t>(links);
    EXPECT_LT(path.steps(), schedule.multiplications(n) + schedule.additions(n));
    steps.push_back(path.steps());
  }
  for (std::size_t i = 2; i < steps.size(); ++i) {
    EXPECT_EQ(steps[i] - steps[i - 1], steps[1] - steps[0]);
  }
}

// --- documents

class Documents : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(DYNAMICS_DOCS_DIR)) GTEST_SKIP() << "docs/ is not present";
  }
  static std::string read(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  static std::string document(const std::string& name) {
    return read(std::filesystem::path(DYNAMICS_DOCS_DIR) / name);
  }
};

TEST_F(Documents, HaveTheCountOfTheFlexibleArm) {
  const OperationCount ours = count_flexible_forward(flexible_arm(8, 2));
  const std::string products = std::to_string(ours.products());
  EXPECT_THAT(document("flexible.md"), HasSubstr(fmt::format("| 8, 2 | {} M {} A | 9874 M 7699 A |",
                                                             products, ours.additions)));
  EXPECT_THAT(document("operation_counts.md"), HasSubstr(products + " M"));
  EXPECT_THAT(document("validation.md"), HasSubstr(products));
  // M includes divisions everywhere
  for (const auto& entry : std::filesystem::directory_iterator(DYNAMICS_DOCS_DIR)) {
    if (entry.path().extension() != ".md") continue;
    EXPECT_THAT(read(entry.path()), Not(HasSubstr(std::to_string(ours.multiplications))))
        << entry.path();
  }
  for (const int modes : {1, 3, 6}) {
    const OperationCount other = count_flexible_forward(flexible_arm(8, modes));
    EXPECT_THAT(document("flexible.md"), HasSubstr(fmt::format("| 8, {} | {} M {} A |", modes,
                                                               other.products(), other.additions)));
  }
}

TEST_F(Documents, HaveTheCountsOfTheTablesAndClaims) {
  const std::string page = document("operation_counts.md");
  for (const PaperClaim& claim : table_claims()) {
    if (claim.paper != "Saha 2003" || claim.place != "section 3") continue;
    EXPECT_THAT(page, HasSubstr(fmt::format("| {} |", claim.computed))) << claim.statement;
  }
  for (const PaperClaim& claim : count_claims()) {
    EXPECT_THAT(page, HasSubstr(fmt::format("| {}, {}: {} | {} | {} | {} |", claim.paper,
                                            claim.place, claim.statement, claim.printed,
                                            claim.computed, claim.verdict)));
  }
}

}  // namespace
}  // namespace dynamics::counting
