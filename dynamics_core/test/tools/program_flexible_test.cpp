// SPDX-License-Identifier: Apache-2.0
// The program with a robot that has flexible links.

#include <cmath>

#include "support/program.hpp"

namespace dynamics::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class FlexibleProgram : public Program {};

TEST_F(FlexibleProgram, ForwardAndInverseTakeJointsAndAmplitudes) {
  const std::string state = "--q 0.1,-0.2,0.3,0.02,0,0.01,0,0.001,0 --qd 0.1,0.2,-0.1 ";
  const json forward = run_json("forward canadarm " + state + "--tau 5,3,1 --json");
  ASSERT_EQ(forward["qdd"].size(), 9U);
  EXPECT_EQ(forward["joints"].size(), 3U);
  EXPECT_EQ(forward["amplitudes"][2], "e_link2_y1");
  const json cholesky =
      run_json("forward canadarm " + state + "--tau 5,3,1 --algorithm cholesky --json");
  std::string joints, all;
  for (std::size_t i = 0; i < 9; ++i) {
    const double a = forward["qdd"][i].get<double>();
    EXPECT_NEAR(a, cholesky["qdd"][i].get<double>(), 1e-9 * (1.0 + std::abs(a)));
    all += (i == 0 ? "" : ",") + forward["qdd"][i].dump();
    if (i == 2) joints = all;
  }
  const json back = run_json("inverse canadarm " + state + "--qdd " + joints + " --json");
  const double tau[] = {5.0, 3.0, 1.0};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(back["tau"][i].get<double>(), tau[i], 1e-8);
  for (std::size_t i = 0; i < 6; ++i) {
    const double a = forward["qdd"][3 + i].get<double>();
    EXPECT_NEAR(back["amplitude_qdd"][i].get<double>(), a, 1e-8 * (1.0 + std::abs(a)));
  }
  const json forces = run_json("inverse canadarm " + state + "--qdd " + all + " --json");
  EXPECT_EQ(forces["tau"].size(), 9U);
  // --rigid: the rigid arm
  EXPECT_EQ(run_json("forward canadarm --rigid --q 0.1,-0.2,0.3 --json")["qdd"].size(), 3U);
}

TEST_F(FlexibleProgram, WrenchesActOnJointsAndAmplitudes) {
  // the straight arm at rest: links of 6, 7 and 2 m
  const std::string push = " --wrench tool0:0,0,0.5,0,3,0 --json";
  const json forces = run_json("inverse canadarm --qdd 0,0,0,0,0,0,0,0,0" + push);
  const double arms[] = {15.0, 9.0, 2.0};
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(forces["tau"][i].get<double>(), -3.0 * arms[i] - 0.5, 1e-12);
  for (std::size_t i = 3; i < 9; ++i) EXPECT_NE(forces["tau"][i].get<double>(), 0.0);
  // forward dynamics and back
  const std::string state = " canadarm --q 0.1,-0.2,0.3,0.02,0,0.01,0,0.001,0 --qd 0.1,0.2,-0.1 ";
  const json forward = run_json("forward" + state + "--tau 5,3,1" + push);
  EXPECT_NE(forward["qdd"], run_json("forward" + state + "--tau 5,3,1 --json")["qdd"]);
  std::string joints, all;
  for (std::size_t i = 0; i < 9; ++i) {
    all += (i == 0 ? "" : ",") + forward["qdd"][i].dump();
    if (i == 2) joints = all;
  }
  const json some = run_json("inverse" + state + "--qdd " + joints + push);
  const json every = run_json("inverse" + state + "--qdd " + all + push);
  const double tau[] = {5.0, 3.0, 1.0};
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_NEAR(every["tau"][i].get<double>(), i < 3 ? tau[i] : 0.0, 1e-8);
    if (i < 3) {
      EXPECT_NEAR(some["tau"][i].get<double>(), tau[i], 1e-8);
    } else {
      const double a = forward["qdd"][i].get<double>();
      EXPECT_NEAR(some["amplitude_qdd"][i - 3].get<double>(), a, 1e-8 * (1.0 + std::abs(a)));
    }
  }
}

TEST_F(FlexibleProgram, TermsHaveFrequenciesAndBlocks) {
  const json terms = run_json("terms canadarm --json");
  EXPECT_EQ(terms["M"].size(), 9U);
  EXPECT_EQ(terms["U"].size(), 9U);
  EXPECT_EQ(terms["frequencies"]["clamped_joints"].size(), 6U);
  EXPECT_GT(terms["frequencies"]["clamped_joints"][0].get<double>(), 0.5);
  EXPECT_THAT(run("terms canadarm").out, HasSubstr("natural frequencies, joints clamped"));
}

TEST_F(FlexibleProgram, PushesFlexibleLinks) {
  const std::string rest = " --duration 2 --output run.json --json";
  const json end =
      run_json("simulate canadarm --push link2:0,20,0@0.5:0.5 --push tool0:0,5,0@1:0.2" + rest);
  EXPECT_LT(end["energy_drift"].get<double>(), 1e-7);
  EXPECT_GT(std::abs(end["tips"]["tip_link2_y"].get<double>()), 1e-5);
  const json stored = json::parse(read(folder / "run.json"));
  ASSERT_EQ(stored["pushes"].size(), 2U);
  EXPECT_EQ(stored["pushes"][0]["link"], "link2");
  EXPECT_EQ(stored["pushes"][0]["force"], json::parse("[0.0, 20.0, 0.0]"));
  for (const json& link : stored["model"]["links"]) {  // at the middle of the undeformed beam
    if (link["name"] != "link2") continue;
    EXPECT_NEAR(stored["pushes"][0]["point"][0].get<double>(),
                0.5 * link["flexible"]["length"].get<double>(), 1e-12);
  }
  expect_refused("simulate canadarm --push nose:0,20,0@0.5:0.5",
                 "no frame 'nose'; its frames are base_link, link1");
  expect_refused("simulate canadarm --push base_link:0,20,0@0.5:0.5",
                 "the link is fixed to the base");
}

TEST_F(FlexibleProgram, ForcedRunWritesAmplitudesTipsAndShapes) {
  const json end = run_json(
      "simulate canadarm --scenario forced --duration 1 --output run.csv --output run.json --json");
  EXPECT_LT(end["energy_drift"].get<double>(), 1e-9);
  EXPECT_LT(end["tips"]["tip_link1_y"].get<double>(), -1e-3);  // the tip lags behind the joint
  const std::string csv = read(folder / "run.csv");
  EXPECT_THAT(csv, HasSubstr(",kinetic,potential,strain,e_link1_y1,e_link1_y2,e_link2_y1"));
  EXPECT_THAT(csv, HasSubstr(",tip_link1_y,tip_link1_z,tip_link2_y"));
  const json written = json::parse(read(folder / "run.json"));
  const json& samples = written["samples"];
  std::size_t beams = 0;
  for (const json& link : written["model"]["links"]) {
    if (link["flexible"].is_null()) continue;
    const json& shapes = link["flexible"]["shapes"];
    ++beams;
    EXPECT_EQ(shapes["x"].back(), link["flexible"]["length"]);
    double tip = 0.0;
    for (std::size_t j = 0; j < 2; ++j) {
      const std::size_t amplitude = shapes["amplitude"].get<std::size_t>() + j;
      EXPECT_EQ(samples["amplitudes"]["names"][amplitude],
                link["name"].get<std::string>() + "_y" + std::to_string(j + 1));
      tip += shapes["modes"][j]["value"].back().get<double>() *
             samples["amplitudes"]["values"][amplitude].back().get<double>();
    }
    const double expected = end["tips"]["tip_" + link["name"].get<std::string>() + "_y"];
    EXPECT_NEAR(tip, expected, 1e-15);
  }
  EXPECT_EQ(beams, 3U);
  EXPECT_EQ(samples["strain"].size(), 101U);
  const json rigid = run_json("simulate canadarm --rigid --scenario forced --duration 1 --json");
  EXPECT_FALSE(rigid.contains("tips"));
  EXPECT_NEAR(rigid["q"][0].get<double>(), 0.075 * (1.0 - 10.0 / M_PI * std::sin(M_PI / 10.0)),
              1e-8);
}

TEST_F(FlexibleProgram, HoldKeepsTheJointsWhileTheBeamsVibrate) {
  const json end = run_json(
      "simulate canadarm --scenario hold --duration 1 --q0 0,0.5,0.5,0.03,0,0,0,0,0 --json");
  EXPECT_NEAR(end["q"][1].get<double>(), 0.5, 1e-6);
  EXPECT_NE(end["tips"]["tip_link2_y"].get<double>(), 0.0);
}

/// A uniform beam of 4 kg and 2 m on a joint.
std::string boom_urdf(const std::string& inertial) {
  return R"(<robot name="h"><link name="base"/><link name="boom"><inertial>)" + inertial +
         R"(</inertial>
    <flexible length="2" mass_per_length="2" rigidity_y="10" modes_y="1"/></link>
    <joint name="j" type="continuous"><parent link="base"/><child link="boom"/>
    <axis xyz="0 0 1"/></joint></robot>)";
}

TEST_F(FlexibleProgram, WarningsOfBeamsAreInEveryObject) {
  write("off.urdf", boom_urdf(R"(<origin xyz="1.1 0 0"/><mass value="4"/>
    <inertia ixx="0.1" iyy="1.4" izz="1.4" ixy="0" ixz="0" iyz="0"/>)"));
  for (const char* command : {"inverse", "forward", "terms", "simulate"}) {
    const std::string options = command == std::string("simulate") ? " --duration 0.01" : "";
    const Result result = run(std::string(command) + " off.urdf --json" + options);
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.err, testing::HasSubstr("the beam's is used")) << command;
    const json warnings = json::parse(result.out)["warnings"];
    ASSERT_EQ(warnings.size(), 1U) << command << warnings;
    EXPECT_THAT(warnings[0].get<std::string>(), testing::HasSubstr("the beam's is used"));
  }
}

TEST_F(FlexibleProgram, RejectsBadInput) {
  expect_refused("forward canadarm --q 1,2",
                 "2 numbers given, 3 required (one per joint, in joint order) or 9");
  expect_refused("forward canadarm --algorithm lagrange", "udut (default) and cholesky");
  expect_refused("simulate canadarm --algorithm qr", "udut (default) and cholesky");
  expect_refused("simulate canadarm --precision double-double", "--rigid");
  write("heavy.urdf", boom_urdf(R"(<origin xyz="1 0 0"/><mass value="3"/>
    <inertia ixx="0" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>)"));
  expect_refused("simulate heavy.urdf", "link 'boom'");
  expect_refused("simulate heavy.urdf", "both must have the same mass");
  EXPECT_EQ(run("simulate heavy.urdf --rigid --duration 0.1 --gravity 0,0,0").code, 0);
}

}  // namespace
}  // namespace dynamics::test
