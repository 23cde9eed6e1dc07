// SPDX-License-Identifier: Apache-2.0
// `dynamics simulate` with controllers, references, pushes and locks, as users call it.

#include <cmath>

#include "support/program.hpp"

namespace dynamics {
namespace {

using nlohmann::json;
using test::Program;
using test::Result;
using testing::HasSubstr;

TEST_F(Program, RefusesControllersThatDoNotFit) {
  write("empty.csv", "t,tau_joint1\n0,1\n");
  write("other.csv", "t,tau_joint1,tau_joint2,tau_joint3,tau_joint4,tau_joint5,tau_joint6,tau_x\n");
  const std::pair<const char*, const char*> cases[] = {
      {"--controller pid", "unknown controller 'pid': it must be one of none, torques"},
      {"--controller pd --kp 1,2", "kp has 2 entries; 1 for all joints or 6, one per joint"},
      {"--controller pd --kp -5", "kp[0] is -5; it must be finite and not negative"},
      {"--controller pd --kp ten", "--kp ten: 'ten' is not a finite number"},
      {"--controller pd --kp 1, --kd 1", "--kp 1, ends with a comma"},
      {"--controller pd --kp 5 --bandwidth 3", "kp and bandwidth exclude each other"},
      {"--controller none --kp 5", "kp has no effect on controller none"},
      {"--controller pd --frame tool0", "frame has no effect on controller pd"},
      {"--controller pd --scenario hold", "--scenario and --controller exclude each other"},
      {"--controller pd --control-rate 0", "--control-rate is 0 Hz; it must be positive"},
      {"--controller pd --control-rate 0.01", "the control rate must be at least 0.1 Hz"},
      {"--controller pd --control-rate 300 --integrator rk4 --step 0.001",
       "a control rate of 333.333 Hz would be"},
      {"--control-rate 100", "--control-rate has no effect without a controller"},
      {"--controller pd --control-delay 0.1", "--control-delay has no effect without"},
      {"--controller operational-space-impedance", "needs --stiffness"},
      {"--controller operational-space-impedance --stiffness 1,2,3", "stiffness has 3 entries"},
      {"--controller operational-space-impedance --stiffness 1 --frame hand", "no frame 'hand'"},
      {"--controller torques", "--controller torques needs --torques"},
      {"--torques missing.csv", "missing.csv: cannot be read"},
      {"--torques empty.csv", "empty.csv:1: column 'tau_joint2' for joint 'joint2'"},
      {"--torques other.csv", "other.csv"},
      {"--torques empty.csv --controller pd", "--torques has no effect with --controller pd"},
      {"--interpolation cubic", "--interpolation has no effect without --torques"},
      {"--controller pd --reference cycloid --trajectory cycloid", "are the same option"},
      {"--controller none --reference cycloid", "--reference has no effect on controller none"},
      {"--controller pd --q1 1,1,1,1,1,1", "--q1 has no effect without --reference cycloid"},
      {"--push nose:1,2,3@1:1", "no frame 'nose'"},
      {"--push link3", "--push link3: it must have the form LINK:fx,fy,fz@T:DURATION"},
      {"--push link3:1,2@1:1", "the force has 2 components; 3 are needed"},
      {"--push link3:1,2,3@-1:1", "the time must not be negative"},
      {"--push link3:1,2,3@20:1", "a push at 20 s must lie within the 10 s"},
      {"--push base_link:1,2,3@1:1", "the link is fixed to the base"},
      {"--lock knee@1", "'knee'"},
      {"--lock joint1", "it must have the form JOINT@T[:DURATION]"},
      {"--change-payload 2", "it must have the form MASS[,X,Y,Z]@T"},
      {"--controller pd --precision double-double", "supports the scenarios only"},
  };
  expect_all_refused("simulate puma --output a.csv ", cases);
}

TEST_F(Program, ScenariosAreShortFormsOfControllers) {
  const std::string rest = " --duration 1 --json";
  EXPECT_EQ(run_json("simulate puma --scenario hold" + rest)["q"],
            run_json("simulate puma --controller computed-torque" + rest)["q"]);
  EXPECT_EQ(run_json("simulate puma --scenario computed-torque --bandwidth 7" + rest)["q"],
            run_json("simulate puma --controller computed-torque --bandwidth 7 "
                     "--trajectory cycloid" +
                     rest)["q"]);
  EXPECT_EQ(run_json("simulate puma --scenario forced" + rest)["q"],
            run_json("simulate puma --controller feedforward --reference cycloid" + rest)["q"]);
  EXPECT_EQ(run_json("simulate puma" + rest)["q"],
            run_json("simulate puma --controller none" + rest)["q"]);
}

TEST_F(Program, RunWithControllerAndPushesIsStoredCompletely) {
  const Result result =
      run("simulate puma --duration 1 --controller pd-gravity --bandwidth 20 --damping 0.7 "
          "--reference cycloid --control-rate 500 --control-delay 0.001 --limits "
          "--push link3:0,20,0@0.2:0.1 --push tool0:1,0,0@0.5:0.2 --lock joint6@0.8:0.1 "
          "--output run.json --output run.csv");
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("pd-gravity at 500 Hz"));
  EXPECT_THAT(result.out, HasSubstr("t = 0.800000 s: joint6 is locked"));
  const json stored = json::parse(read(folder / "run.json"));
  const json& settings = stored["settings"];
  EXPECT_EQ(settings["controller"], "pd-gravity");
  EXPECT_EQ(settings["gains"], "bandwidth 20; damping 0.7");
  EXPECT_EQ(settings["control_rate"], 500.0);
  EXPECT_EQ(settings["control_delay"], 0.001);
  EXPECT_EQ(settings["reference"], "cycloid");
  EXPECT_EQ(settings["inputs"].size(), 3U);
  EXPECT_EQ(stored["pushes"].size(), 2U);
  EXPECT_EQ(stored["pushes"][0]["force"], json::parse("[0.0, 20.0, 0.0]"));
  EXPECT_EQ(stored["samples"]["desired"]["qd"].size(), 6U);
  // the stored command repeats the run
  const std::string command = settings["command"];
  ASSERT_EQ(command.substr(0, 9), "dynamics ");
  const json again = run_json(command.substr(9) + " --json");
  EXPECT_EQ(again["q"][2], stored["samples"]["q"][2].back());
  EXPECT_THAT(read(folder / "run.csv"), HasSubstr(",desired_joint1,"));
}

TEST_F(Program, TorquesOfARunCanBeReplayed) {
  ASSERT_EQ(
      run("simulate planar3 --scenario forced --duration 1 --sample 0.001 --output a.csv").code, 0);
  const json replayed =
      run_json("simulate planar3 --torques a.csv --interpolation cubic --duration 1 --json");
  const json forced = run_json("simulate planar3 --scenario forced --duration 1 --json");
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(replayed["q"][i].get<double>(), forced["q"][i].get<double>(), 1e-5);
  }
  write("torques.yaml",
        "joint_names: [joint3, joint1, joint2]\npoints:\n"
        "- {effort: [3, 1, 2], time_from_start: 0}\n"
        "- {effort: [3, 1, 2], time_from_start: {sec: 1}}\n");
  write("torques.csv", "t,tau_joint1,tau_joint2,tau_joint3\n0,1,2,3\n");
  const std::string rest = " --duration 1 --json";
  EXPECT_EQ(run_json("simulate planar3 --torques torques.yaml" + rest)["q"],
            run_json("simulate planar3 --torques torques.csv" + rest)["q"]);
}

TEST_F(Program, PushFromACsvFile) {
  write("push.csv", "t,fx,fy,fz\n0,0,0,50\n0.5,0,0,50\n");
  const std::string rest = " --duration 1 --json";
  const json file = run_json("simulate puma --push tool0:push.csv" + rest);
  const json pulse = run_json("simulate puma --push tool0:0,0,50@0:0.5" + rest);
  const json none = run_json("simulate puma" + rest);
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(file["q"][i].get<double>(), pulse["q"][i].get<double>(), 1e-7);
  EXPECT_GT(std::abs(file["q"][1].get<double>() - none["q"][1].get<double>()), 0.1);
}

}  // namespace
}  // namespace dynamics
