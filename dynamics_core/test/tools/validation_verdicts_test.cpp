// SPDX-License-Identifier: Apache-2.0
// Every verdict depends on our result: a change of the robot or of the scenario changes it. The
// numbers of the papers are the same in all runs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "validate/flexible_runs.hpp"
#include "validate/report.hpp"

namespace dynamics::tools {
namespace {

using Verdicts = std::map<std::string, Verdict>;
using Section = void (*)(ValidationReport&, const PaperChanges&);

/// The verdicts of a section, by where the paper states them and the statement.
Verdicts verdicts_of(Section section, const PaperChanges& changes = {}) {
  ValidationReport report([](double) {});
  section(report, changes);
  Verdicts verdicts;
  for (const Claim& claim : report.claims()) {
    const bool is_new = verdicts.emplace(claim.item + ": " + claim.paper, claim.verdict).second;
    EXPECT_TRUE(is_new) << "stated twice: " << claim.paper;
  }
  return verdicts;
}

/// Expects that each verdict on something printed changes under at least one of the changes.
void expect_each_verdict_changes(Section section, const std::vector<PaperChanges>& changes) {
  const Verdicts published = verdicts_of(section);
  std::set<std::string> unchanged;
  for (const auto& [statement, verdict] : published)
    if (verdict != Verdict::nothing_to_compare) unchanged.insert(statement);
  EXPECT_FALSE(unchanged.empty());
  for (const PaperChanges& change : changes) {
    const Verdicts changed = verdicts_of(section, change);
    ASSERT_EQ(changed.size(), published.size());
    for (const auto& [statement, verdict] : changed) {
      ASSERT_TRUE(published.contains(statement)) << statement;
      if (verdict != published.at(statement)) unchanged.erase(statement);
    }
  }
  EXPECT_THAT(unchanged, testing::IsEmpty());
}

PaperChanges gravity_times(double factor) {
  return {.robot = [factor](DhTable& table) { table.gravity *= factor; }};
}

/// Joint 3 is locked in free fall until `end`.
PaperChanges locked_joint_3(double end) {
  return {.run = [end](SimulationOptions& options) {
    if (options.scenario == Scenario::free_fall && options.locks.empty())
      options.locks.push_back({.joint = "joint3", .end = end});
  }};
}

TEST(ValidationVerdicts, PlanarArm) {
  expect_each_verdict_changes(validate_planar, {gravity_times(-1.0), gravity_times(0.0)});
}

TEST(ValidationVerdicts, StanfordArm) {
  expect_each_verdict_changes(validate_stanford, {gravity_times(-1.0), locked_joint_3(0.6),
                                                  PaperChanges{.torque_table = 0.05}});
}

TEST(ValidationVerdicts, Puma) {
  expect_each_verdict_changes(validate_puma,
                              {gravity_times(-1.0), PaperChanges{.torque_table = 0.05}});
}

TEST(ValidationVerdicts, StanfordArmSwingsThroughZeroAsPrintedWithJoint3Locked) {
  const std::string zero =
      "Saha 2003, Fig. 4(i): Joint 2 turns 90 degrees and its value becomes zero a little after "
      "0.5 s.";
  EXPECT_EQ(verdicts_of(validate_stanford).at(zero), Verdict::differs);
  EXPECT_EQ(verdicts_of(validate_stanford, locked_joint_3(10.0)).at(zero), Verdict::holds);
}

TEST(ValidationVerdicts, MassCenterBehindTheShoulderTurnsThePumaTheOtherWay) {
  const std::string first =
      "Saha 2003, Fig. 4(ii): Joint 2 rotates in the positive direction first.";
  EXPECT_EQ(verdicts_of(validate_puma).at(first), Verdict::holds);
  const PaperChanges behind{.robot = [](DhTable& table) { table.links[1].r.x() += 1.0; }};
  EXPECT_EQ(verdicts_of(validate_puma, behind).at(first), Verdict::differs);
}

TEST(ValidationVerdicts, Canadarm) {
  // light links do not bend
  const PaperChanges light{.robot =
                               [](DhTable& table) {
                                 for (DhLink& link : table.links) {
                                   link.mass *= 0.01;
                                   link.inertia *= 0.01;
                                   link.flexible->mass_per_length *= 0.01;
                                 }
                               },
                           .run = [](SimulationOptions& options) { options.rtol = 1e-6; }};
  const auto fixed_step = [](SimulationOptions& options) {
    options.integrator = "rk4";
    options.step = 2.5e-4;
  };
  // a longer arm is unstable
  const PaperChanges seven_links{.robot = [](DhTable& table) { extend(table, 7, 2); },
                                 .run = fixed_step};
  // in single precision the inertia matrix of five links with six modes is not positive definite
  const PaperChanges single{.robot = [](DhTable& table) { extend(table, 5, 6); },
                            .run = fixed_step,
                            .single_precision = true};
  expect_each_verdict_changes(validate_canadarm, {light, seven_links, single});
}

/// The rows of the counts, by item and statement.
std::map<std::string, Claim> counts_of(const counting::ArmOptions& arm = {}) {
  ValidationReport report([](double) {});
  validate_counts(report, {.counted_arm = arm});
  std::map<std::string, Claim> rows;
  for (const Claim& claim : report.claims()) rows.emplace(claim.item + ": " + claim.paper, claim);
  EXPECT_EQ(rows.size(), report.claims().size()) << "a row is stated twice";
  return rows;
}

TEST(ValidationVerdicts, OperationCounts) {
  const auto published = counts_of();
  const auto planar = counts_of({.planar = true}), longer = counts_of({.extra_links = 1});
  std::size_t own = 0, changed = 0;
  for (const auto& [statement, row] : published) {
    if (row.verdict == Verdict::nothing_to_compare) continue;
    const bool unchanged =
        row.ours == planar.at(statement).ours && row.ours == longer.at(statement).ours;
    if (unchanged) {
      // the paper's numbers beside its own formulas; steps for the first or last body alone; a
      // bound that is met from two links on
      EXPECT_THAT(statement,
                  testing::ContainsRegex("printed|concurrent|Mohan and Saha|of 1999|A_3c|"
                                         "section 3: [AC][0-9]a |n >= 2"));
      continue;
    }
    ++own;
    const bool changes =
        row.verdict != planar.at(statement).verdict || row.verdict != longer.at(statement).verdict;
    changed += changes ? 1U : 0U;
    // a difference may remain one, and a bound may still be met
    if (row.verdict == Verdict::in_trend) {
      EXPECT_TRUE(changes) << statement;
    }
    if (row.verdict == Verdict::holds && statement.find("counted here") == std::string::npos) {
      EXPECT_TRUE(changes) << statement;
    }
  }
  EXPECT_GE(own, 50U);
  EXPECT_GE(changed, 30U);
}

}  // namespace
}  // namespace dynamics::tools
