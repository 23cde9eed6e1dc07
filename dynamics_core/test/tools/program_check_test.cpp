// SPDX-License-Identifier: Apache-2.0
// `dynamics check` as users call it: report, exit codes, JSON, and the repaired copy.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "support/arm_urdf.hpp"
#include "support/program.hpp"

namespace dynamics {
namespace {

using nlohmann::json;
using test::Program;
using test::Result;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string skewed() {
  return test::replaced(test::arm_urdf(), R"(<axis xyz="0 1 0"/>)", R"(<axis xyz="0 2 0"/>)");
}
std::string broken() {
  return test::replaced(skewed(), R"(<mass value="2"/>)", R"(<mass value="-2"/>)");
}

TEST_F(Program, CheckExitCodeGivesTheWorstFinding) {
  write("clean.urdf", test::arm_urdf());
  write("skewed.urdf", skewed());
  write("broken.urdf", broken());
  write("rubbish.urdf", "<robot");
  Result result = run("check clean.urdf");
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, HasSubstr("no problems found"));
  EXPECT_EQ(result.err, "");
  result = run("check skewed.urdf");
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.out, AllOf(HasSubstr("joint 'shoulder'"), HasSubstr("axis-not-unit"),
                                HasSubstr("line 21"), HasSubstr("--fix")));
  EXPECT_THAT(result.out, Not(HasSubstr("\x1b")));  // no colors in a file
  result = run("check broken.urdf");
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.out, AllOf(HasSubstr("mass-negative"), HasSubstr("axis-not-unit"),
                                HasSubstr("the model cannot be loaded")));
  EXPECT_EQ(run("check rubbish.urdf").code, 2);
  EXPECT_EQ(run("check stanford").code, 0);
  expect_refused("check nothing.urdf", "nothing.urdf");
  expect_refused("check .", "is a folder");
  expect_refused("check clean.urdf --output x.urdf", "--fix");
  expect_refused("check puma --fix", "only URDF files can be repaired");
}

TEST_F(Program, CheckJsonHasItsDocumentedShape) {
  write("broken.urdf", broken());
  const Result result = run("check broken.urdf --json");
  EXPECT_EQ(result.code, 2);
  const json report = json::parse(result.out);
  EXPECT_EQ(report["format"], "dynamics-check");
  EXPECT_EQ(report["version"], 2);
  EXPECT_EQ(report["source"], "broken.urdf");
  EXPECT_EQ(report["robot"], "arm");
  EXPECT_EQ(report["loads"], false);
  EXPECT_EQ(report["errors"], 1);
  ASSERT_EQ(report["warnings"].size(), 1U);
  EXPECT_TRUE(report["warnings"][0].is_string());
  EXPECT_TRUE(report["condition"].is_null());
  for (const json& finding : report["findings"]) {
    for (const char* key :
         {"severity", "kind", "name", "code", "line", "message", "repair", "fixable"}) {
      EXPECT_TRUE(finding.contains(key)) << key;
    }
  }
  write("clean.urdf", test::arm_urdf());
  const json clean = run_json("check clean.urdf --json");
  for (const char* key : {"samples", "smallest", "median", "largest", "largest_scaled", "weakest",
                          "worst_position"}) {
    EXPECT_TRUE(clean["condition"].contains(key)) << key;
  }
  EXPECT_TRUE(run_json("check clean.urdf --json --no-condition")["condition"].is_null());
}

TEST_F(Program, FixWritesACopyAndShowsTheDifference) {
  const std::string original = skewed();
  write("skewed.urdf", original);
  const Result result = run("check skewed.urdf --fix");
  EXPECT_EQ(result.code, 0) << result.out;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("--- skewed.urdf\n+++ skewed.fixed.urdf\n@@ -18,7 +18,7 @@"),
                    HasSubstr("\n-    <axis xyz=\"0 2 0\"/>\n+    <axis xyz=\"0 1 0\"/>\n"),
                    HasSubstr("wrote skewed.fixed.urdf")));
  EXPECT_EQ(read(folder / "skewed.urdf"), original);
  EXPECT_EQ(read(folder / "skewed.fixed.urdf"), test::arm_urdf());
  // patch accepts the difference
  if (std::system("patch --version >/dev/null 2>&1") ==
      0) {  // NOLINT(cert-env33-c,concurrency-mt-unsafe)
    const std::string command =
        "cd '" + folder.string() +
        "' && sed -n '/^---/,/^wrote/p' out.txt | grep -v ^wrote | patch -s";
    EXPECT_EQ(std::system(command.c_str()), 0);  // NOLINT(cert-env33-c,concurrency-mt-unsafe)
    EXPECT_EQ(read(folder / "skewed.urdf"), test::arm_urdf());
    write("skewed.urdf", original);
  }
  expect_refused("check skewed.urdf --fix --output skewed.urdf", "--in-place");
  EXPECT_EQ(run("check skewed.urdf --fix --output other.urdf").code, 0);
  EXPECT_EQ(read(folder / "other.urdf"), test::arm_urdf());
  EXPECT_EQ(run("check skewed.urdf --fix --in-place").code, 0);
  EXPECT_EQ(read(folder / "skewed.urdf"), test::arm_urdf());
  std::filesystem::remove(folder / "skewed.fixed.urdf");
  const Result again = run("check skewed.urdf --fix");
  EXPECT_EQ(again.code, 0);
  EXPECT_THAT(again.out, HasSubstr("no file written"));
  EXPECT_FALSE(std::filesystem::exists(folder / "skewed.fixed.urdf"));
  const json object = run_json("check other.urdf --fix --json");
  EXPECT_TRUE(object["written"].is_null());
  EXPECT_EQ(object["difference"], "");
}

TEST_F(Program, CheckReplacesControlCharactersOfTheFile) {
  write("evil.urdf", test::replaced(test::arm_urdf(), R"(name="arm")", "name=\"a\x1b[2J\""));
  EXPECT_THAT(run("check evil.urdf").out, Not(HasSubstr("\x1b")));
}

/// The results of docs/checking.md for the robots of dynamics_description and, if
/// DYNAMICS_ROBOTS_DIR names a folder that contains them, for five URDFs as published by their
/// manufacturers.
TEST_F(Program, CheckOfRealRobotsGivesDocumentedCounts) {
  struct Expected {
    std::filesystem::path file;
    int code, errors, warnings;
  };
  const std::filesystem::path ours = DYNAMICS_URDF_DIR;
  std::vector<Expected> robots;
  for (const char* name :
       {"ur5e.urdf", "panda.urdf", "scara.urdf", "gripper.urdf", "humanoid.urdf"}) {
    robots.push_back({ours / name, 0, 0, 0});
  }
  const char* given = std::getenv("DYNAMICS_ROBOTS_DIR");  // NOLINT(concurrency-mt-unsafe)
  if (given != nullptr) {
    const std::filesystem::path manufacturers = given;
    // 7 joints with D, K, mu_coulomb and mu_viscous in <dynamics>, which are not part of URDF
    robots.push_back({manufacturers / "panda.urdf", 1, 0, 28});
    robots.push_back({manufacturers / "ur5_robot.urdf", 0, 0, 0});
    robots.push_back({manufacturers / "kinova.urdf", 0, 0, 0});
    robots.push_back({manufacturers / "tiago_no_hand.urdf", 1, 0, 16});
    robots.push_back({manufacturers / "talos_reduced.urdf", 1, 0, 22});
  }
  for (const Expected& expected : robots) {
    const Result result = run("check '" + expected.file.string() + "' --json");
    EXPECT_EQ(result.code, expected.code) << expected.file;
    const json report = json::parse(result.out);
    EXPECT_EQ(report["errors"], expected.errors) << expected.file << report["findings"];
    EXPECT_EQ(static_cast<int>(report["warnings"].size()), expected.warnings)
        << expected.file << report["findings"];
    EXPECT_TRUE(report["loads"].get<bool>()) << expected.file;
  }
  if (given == nullptr) return;
  const std::string talos = robots.back().file.string();
  ASSERT_EQ(run("check '" + talos + "' --fix --output fixed.urdf").code, 1);
  const json fixed = json::parse(run("check fixed.urdf --json").out);
  EXPECT_EQ(fixed["warnings"].size(), 10U);  // without the twelve <mimic> elements of fixed joints
}

}  // namespace
}  // namespace dynamics
