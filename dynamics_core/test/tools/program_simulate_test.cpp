// SPDX-License-Identifier: Apache-2.0
// `dynamics simulate` and trajectories as users call them.

#include "support/program.hpp"

namespace dynamics {
namespace {

using nlohmann::json;
using test::Program;
using test::Result;
using testing::HasSubstr;

TEST_F(Program, RejectsBadSimulationOptionsAndWritesNoFile) {
  write("order.csv",
        "t,q_joint1,q_joint2,q_joint3,q_joint4,q_joint5,q_joint6\n0,0,0,0,0,0,0\n2,0,0,0,0,0,0\n"
        "1,0,0,0,0,0,0\n");
  write("missing.csv", "t,q_joint1,q_joint2,q_joint3,q_joint4,q_joint6\n0,0,0,0,0,0\n");
  write("missing.yaml", "joint_names: [joint1]\npoints: []\n");
  write("unknown.yaml", "joint_names: [elbow]\npoints: []\n");
  const std::pair<const char*, const char*> cases[] = {
      {"--duration -1", "duration is -1"},
      {"--integrator rk4 --step 0", "step is 0"},
      {"--integrator magic", "unknown integrator 'magic'"},
      {"--rtol 1e-16", "rtol is 1e-16: it must be at least 10 times the round-off"},
      {"--precision double-double --rtol 1e-32", "rtol is 1e-32"},
      {"--precision quad", "unknown precision 'quad'"},
      {"--precision double-double --limits", "does not support limits"},
      {"--scenario forced --trajectory order.csv", "order.csv:4: time 1 is not after 2"},
      {"--scenario forced --trajectory missing.csv", "missing.csv:1: column 'q_joint5'"},
      {"--scenario forced --trajectory missing.yaml",
       "missing.yaml:1: joint_names: joint 'joint2' of 'puma' is missing"},
      {"--scenario forced --trajectory unknown.yaml", "'puma' has no joint 'elbow'"},
      {"--payload 0", "--payload 0: expected MASS or MASS,X,Y,Z with MASS > 0"},
      {"--payload 1,2", "--payload 1,2: expected MASS or MASS,X,Y,Z"},
      {"--drop-payload 1", "no payload"},
      {"--payload 1 --drop-payload 20", "a change of the payload at 20 s must lie within the 10 s"},
      {"--base-motion z", "'z' is neither AXIS:AMPLITUDE:HZ"},
      {"--base-motion w:1:1", "unknown axis 'w'"},
      {"--base-motion z:1:0", "the frequency is 0"},
      {"--base-motion deck.csv", "deck.csv: cannot be read"},
      {"--limits --restitution 2", "restitution is 2"},
      {"--limits --q0 9,0,0,0,0,0", "q0 of joint 'joint1' is 9"},
      {"--bandwidth 0 --scenario hold", "bandwidth is 0"},
  };
  expect_all_refused("simulate puma --output a.csv ", cases);
}

TEST_F(Program, SettingsAndEventsAreStoredWithTheRun) {
  const Result result =
      run("simulate puma --duration 1 --limits --restitution 0.2 --payload 2,0,0,0.1 "
          "--drop-payload 0.5 "
          "--base-motion z:0.05:2,pitch:0.1:0.5 --output run.json --output run.csv");
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("t = 0.500000 s: the payload is dropped"));
  const json stored = json::parse(read(folder / "run.json"));
  const json& settings = stored["settings"];
  EXPECT_EQ(settings["limits"], true);
  EXPECT_EQ(settings["restitution"], 0.2);
  EXPECT_EQ(settings["payload"]["mass"], 2.0);
  EXPECT_EQ(settings["inputs"][0], "payload dropped at 0.5 s");
  EXPECT_EQ(settings["base_motion"], "z:0.05:2,pitch:0.1:0.5");
  EXPECT_THAT(settings["command"], HasSubstr("--drop-payload 0.5"));
  EXPECT_FALSE(stored["events"].empty());
  EXPECT_LT(stored["statistics"]["energy_drift"].get<double>(), 1e-6);
  EXPECT_EQ(stored["samples"]["end_effector_turn"].size(), 4U);
}

TEST_F(Program, YamlTrajectoryEqualsCsvTrajectory) {
  write("path.csv", "t,q_joint1,q_joint2,q_joint3\n0,0,0,0\n1,0.1,0.2,0.3\n");
  write("path.yaml",
        "joint_names: [joint3, joint1, joint2]\npoints:\n"
        "- {positions: [0, 0, 0], time_from_start: {sec: 0}}\n"
        "- {positions: [0.3, 0.1, 0.2], time_from_start: {sec: 1, nanosec: 0}}\n");
  const std::string rest = " --duration 1 --sample 0.25 --json";
  EXPECT_EQ(run_json("inverse planar3 --trajectory path.csv" + rest),
            run_json("inverse planar3 --trajectory path.yaml" + rest));
  const std::string forced = "simulate planar3 --scenario forced --trajectory path";
  EXPECT_EQ(run_json(forced + ".csv" + rest)["q"], run_json(forced + ".yaml" + rest)["q"]);
}

TEST_F(Program, InterruptWritesValidFilesUpToTheInterrupt) {
  // interrupts the program long before the end of the run
  const std::string command =
      "cd '" + folder.string() + "' && { '" + DYNAMICS_PROGRAM +
      "' simulate puma --duration 100000 --sample 0.1 --output run.csv --output run.json "
      ">out.txt 2>err.txt </dev/null & } ; child=$!; sleep 1; kill -INT $child; wait $child";
  const int status = std::system(command.c_str());  // NOLINT(cert-env33-c,concurrency-mt-unsafe)
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_THAT(read(folder / "err.txt"), HasSubstr("the run ended early"));
  const json stored = json::parse(read(folder / "run.json"));
  EXPECT_EQ(stored["statistics"]["completed"], false);
  const std::size_t rows = stored["samples"]["t"].size();
  EXPECT_GT(rows, 10U);
  EXPECT_LT(stored["samples"]["t"].back().get<double>(), 100000.0);
  for (const json& column : stored["samples"]["q"]) EXPECT_EQ(column.size(), rows);
  const std::string csv = read(folder / "run.csv");
  EXPECT_EQ(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')), rows + 1);
  EXPECT_EQ(csv.back(), '\n');
}

TEST_F(Program, ValidateWritesPageAndFigures) {
  expect_refused("validate --only nosuch", "--only nosuch: it must be one of planar, stanford");
  expect_refused("validate --output nowhere", "--output nowhere: the folder does not exist");
  const Result result = run("validate --only planar --output .");
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("own checks, 0 failures"));
  const std::string page = read(folder / "validation.md");
  EXPECT_THAT(page, HasSubstr("# Validation against the papers"));
  EXPECT_THAT(page, HasSubstr("](validation/planar_torques.svg)"));
  const std::string figure = read(folder / "validation" / "planar_torques.svg");
  EXPECT_TRUE(figure.starts_with("<svg xmlns=")) << figure.substr(0, 40);
  EXPECT_THAT(figure, HasSubstr("tau_3"));
  EXPECT_EQ(figure.find("nan"), std::string::npos);
}

TEST_F(Program, ValidationHasNoFailures) {
  for (const std::string section : {"stanford", "puma", "tables", "canadarm", "stability",
                                    "equivalence", "counts", "integrators"}) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    if (section == "integrators" || section == "stability") continue;  // too slow
#endif
    const Result result = run("validate --output . --only " + section);
    EXPECT_EQ(result.code, 0) << section;
    EXPECT_THAT(result.err, HasSubstr("own checks, 0 failures")) << section;
  }
  for (const auto& figure : std::filesystem::directory_iterator(folder / "validation")) {
    const std::string drawing = read(figure.path());
    EXPECT_TRUE(drawing.starts_with("<svg xmlns=")) << figure.path();
    EXPECT_EQ(drawing.find("nan"), std::string::npos) << figure.path();
  }
}

TEST_F(Program, EveryIntegratorAndScenarioRuns) {
  for (const char* integrator :
       {"rk4 --step 0.01", "rkf45", "dverk", "dopri5", "dop853", "abm", "gbs", "radau5",
        "semi_implicit_euler --step 0.001", "implicit_midpoint --step 0.01", "gauss4 --step 0.01",
        "gauss6 --step 0.01", "rosenbrock2 --step 0.01"}) {
    const json result =
        run_json(std::string("simulate planar3 --duration 0.2 --json --integrator ") + integrator);
    EXPECT_EQ(result["completed"], true) << integrator;
  }
  for (const char* scenario : {"free-fall", "forced", "hold", "computed-torque"}) {
    const json result =
        run_json(std::string("simulate canadarm --duration 0.2 --json --scenario ") + scenario);
    EXPECT_EQ(result["completed"], true) << scenario;
  }
}

}  // namespace
}  // namespace dynamics
