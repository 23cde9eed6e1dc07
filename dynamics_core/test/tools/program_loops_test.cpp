// SPDX-License-Identifier: Apache-2.0
// The program with robots with closed loops: keys, both lists of joints, refusals, files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace dynamics::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class ProgramLoops : public Program {
 protected:
  static std::string mechanism(const std::string& name) {
    return std::string(DYNAMICS_URDF_DIR) + "/mechanisms/" + name + ".urdf";
  }
};

TEST_F(ProgramLoops, ResultsAreOfTheIndependentJoints) {
  const std::string arm = mechanism("parallelogram_arm");
  const json forward =
      run_json("forward " + arm + " --q 0.2,0.3,-0.1 --qd 1,2,3 --tau 10,20,30 --json");
  EXPECT_EQ(forward["joints"], (json{"turn", "shoulder", "elbow", "drive", "rod_joint"}));
  EXPECT_EQ(forward["independent"], (json{"turn", "shoulder", "drive"}));
  ASSERT_EQ(forward["qdd"].size(), 3U);
  std::string qdd;
  for (const json& value : forward["qdd"]) qdd += (qdd.empty() ? "" : ",") + value.dump();
  const json inverse =
      run_json("inverse " + arm + " --q 0.2,0.3,-0.1 --qd 1,2,3 --qdd " + qdd + " --json");
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(inverse["tau"][i].get<double>(), 10.0 * static_cast<double>(i + 1), 1e-9);
  const json terms = run_json("terms " + arm + " --q 0.2,0.3,-0.1 --qd 1,2,3 --json");
  EXPECT_EQ(terms["M"].size(), 3U);
  EXPECT_EQ(terms["C"].size(), 3U);
  EXPECT_EQ(terms["g"].size(), 3U);
}

TEST_F(ProgramLoops, BothListsOfJointsGiveTheSameState) {
  const std::string arm = mechanism("parallelogram_arm");
  const json short_list = run_json("kinematics " + arm + " --q 0.2,0.3,-0.1 --json");
  std::string all;
  for (const json& value : short_list["q"]) all += (all.empty() ? "" : ",") + value.dump();
  const json long_list = run_json("kinematics " + arm + " --q " + all + " --json");
  ASSERT_EQ(short_list["frames"].size(), long_list["frames"].size());
  for (std::size_t i = 0; i < short_list["frames"].size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(short_list["frames"][i]["xyz"][k].get<double>(),
                  long_list["frames"][i]["xyz"][k].get<double>(), 1e-12);
    }
  }
}

TEST_F(ProgramLoops, PositionsThatDoNotCloseAreRefused) {
  const Result result = run("forward " + mechanism("three_rrr") + " --q 0.1,0,0,0,0,0,0");
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("does not close the loops"));
  const Result count = run("forward " + mechanism("three_rrr") + " --q 1,2");
  EXPECT_EQ(count.code, 2);
  EXPECT_THAT(count.err, HasSubstr("3 (independent joints) or 7 (all joints)"));
}

TEST_F(ProgramLoops, CommandsForTreesRefuseThemByName) {
  const std::string robot = mechanism("stewart");
  for (const std::string command :
       {"compare ", "count ", "inverse-kinematics --frame platform --pose 0,0,0 "}) {
    const Result result = run(command + robot);
    EXPECT_EQ(result.code, 2) << command;
    EXPECT_THAT(result.err, HasSubstr("constraint 'ball0' closes a loop")) << command;
  }
  const Result result = run("simulate " + robot + " --duration 0.1 --algorithm nasser");
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("closed loops"));
}

TEST_F(ProgramLoops, SimulationWritesAllJoints) {
  const std::string csv = (folder / "run.csv").string(), data = (folder / "run.json").string();
  const json run = run_json("simulate " + mechanism("three_rrr") +
                            " --gravity 0,0,0 --qd0 0.5,0.2,0.1 --duration 0.5 --output " + csv +
                            " --output " + data + " --json");
  EXPECT_EQ(run["completed"], true);
  EXPECT_EQ(run["q"].size(), 7U);
  std::ifstream file(csv);
  std::string titles;
  std::getline(file, titles);
  for (const char* joint : {"q_motor0", "q_elbow0", "qd_wrist", "tau_motor2", "qdd_elbow2"})
    EXPECT_THAT(titles, HasSubstr(joint));
  EXPECT_TRUE(std::filesystem::exists(data));
}

TEST_F(ProgramLoops, WrenchesAtTheCuts) {
  const json result = run_json("inverse " + mechanism("four_bar_gripper") + " --reactions --json");
  ASSERT_EQ(result["cuts"].size(), 2U);
  EXPECT_EQ(result["cuts"][0]["constraint"], "right_cut");
  EXPECT_EQ(result["reactions"].size(), 6U);
  // the fingers are mirrored
  for (std::size_t k = 0; k < 3; ++k) {
    const double sign = k == 0 ? -1.0 : 1.0;
    EXPECT_NEAR(result["cuts"][0]["force"][k].get<double>(),
                sign * result["cuts"][1]["force"][k].get<double>(), 1e-9);
  }
}

TEST_F(ProgramLoops, CheckFindsNoProblemsInOurMechanisms) {
  for (const char* name : {"four_bar_gripper", "parallelogram_arm", "three_rrr", "stewart"}) {
    const Result result = run("check " + mechanism(name) + " --json");
    EXPECT_EQ(result.code, 0) << name << "\n" << result.out;
  }
}

}  // namespace
}  // namespace dynamics::test
