// SPDX-License-Identifier: Apache-2.0
// MCAP files on the command line: outputs, trajectories, torques and the page of a log.

#include "support/program.hpp"

namespace dynamics::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class ProgramMcap : public Program {
 protected:
  /// A template that has the placeholders.
  void make_template() {
    viewer = write("template.html",
                   "run=__DYNAMICS_RUN__;\ncompare=__DYNAMICS_COMPARE__;\n"
                   "meshes=__DYNAMICS_MESHES__;\n");
  }
  /// The first two values of the template above.
  std::pair<nlohmann::json, nlohmann::json> page(const std::string& name) const {
    const std::string text = read(folder / name);
    const std::size_t middle = text.find(";\ncompare="), end = text.find(";\nmeshes=");
    EXPECT_TRUE(text.starts_with("run="));
    return {nlohmann::json::parse(text.substr(4, middle - 4)),
            nlohmann::json::parse(text.substr(middle + 10, end - middle - 10))};
  }
};

TEST_F(ProgramMcap, ARunIsItsOwnReferenceAndTorques) {
  const std::string forced = "simulate planar3 --scenario forced --duration 2 --sample 0.002 ";
  run_json(forced + "--output run.mcap --output run.csv --json");
  const auto end = run_json("simulate planar3 --torques run.mcap --duration 2 --json");
  const auto same = run_json("simulate planar3 --torques run.csv --duration 2 --json");
  // stamps are rounded to nanoseconds
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(end["q"][i].get<double>(), same["q"][i].get<double>(), 1e-9);
  // q and qd without qdd: cubic instead of quintic polynomials
  const auto followed = run_json(
      "simulate planar3 --controller feedforward --reference run.mcap --duration 2 --json");
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(followed["q"][i].get<double>(), end["q"][i].get<double>(), 1e-4);
  const auto torques = run_json("inverse planar3 --trajectory run.mcap --json");
  EXPECT_EQ(torques["t"].back(), 2.0);
  EXPECT_EQ(torques["warnings"], nlohmann::json::array());
  EXPECT_EQ(run("inverse planar3 --trajectory run.mcap --output torques.mcap").code, 0);
  EXPECT_EQ(run("inverse planar3 --trajectory torques.mcap --duration 1").code, 0);
}

TEST_F(ProgramMcap, AFolderIsWrittenOnceAndRead) {
  const Result result = run("simulate planar3 --duration 0.2 --output bag/");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(std::filesystem::exists(folder / "bag" / "bag_0.mcap"));
  EXPECT_THAT(read(folder / "bag" / "metadata.yaml"), HasSubstr("storage_identifier: mcap"));
  EXPECT_EQ(run_json("inverse planar3 --trajectory bag --json")["t"].back(), 0.2);
  expect_refused("simulate planar3 --duration 0.2 --output bag/", "exists already");
}

TEST_F(ProgramMcap, OptionsWithoutEffectAndOtherTopicsAreRefused) {
  run("simulate planar3 --duration 0.1 --output run.mcap --output run.csv --output run.json");
  make_template();
  const std::pair<const char*, const char*> cases[] = {
      {"inverse planar3 --trajectory run.csv --topic /a", "--topic has no effect"},
      {"inverse planar3 --trajectory cycloid --topic /a", "--topic has no effect"},
      {"inverse planar3 --trajectory run.mcap --topic /tf", "tf2_msgs/msg/TFMessage"},
      {"inverse planar3 --trajectory no.mcap", "no.mcap: cannot be read"},
      {"inverse planar3 --trajectory run.mcap --q1 0,0,0", "--q1 has no effect"},
      {"inverse puma --trajectory run.mcap", "no position of joint 'joint4'"},
      {"simulate planar3 --topic /a", "--topic has no effect without an MCAP file"},
      {"simulate planar3 --torques run.csv --topic /a", "--topic has no effect"},
      {"view run.csv --output a.html", "--robot"},
      {"view run.json --robot puma --output a.html", "--robot has no effect"},
      {"view run.mcap --output a.csv", "must end in .html"},
      {"view run.mcap --robot puma --output a.html", "joint4"},
      {"view template.html --robot puma --output a.html", "template.html"}};
  expect_all_refused("", cases);
}

TEST_F(ProgramMcap, ThePageOfALogHasMeasuredAndComputedTorques) {
  make_template();
  run_json(
      "simulate planar3 --scenario computed-torque --duration 1 --output log.mcap --output log.csv "
      "--output log.json --json");
  const auto from_mcap = run_json("view log.mcap --output mcap.html --json");
  const auto from_csv = run_json("view log.csv --robot planar3 --output csv.html --json");
  for (const auto& report : {from_mcap, from_csv}) {
    EXPECT_EQ(report["samples"], 101);
    for (std::size_t i = 0; i < 3; ++i) {
      const double measured = report["rms_measured"][i];
      EXPECT_GT(measured, 0.01);
      EXPECT_LT(report["rms_difference"][i].get<double>(), 1e-3 * measured);
    }
  }
  for (const char* name : {"mcap.html", "csv.html"}) {
    const auto [measured, computed] = page(name);
    EXPECT_EQ(measured["format"], "dynamics-run");
    EXPECT_EQ(measured["settings"]["controller"], "measured");
    EXPECT_EQ(computed["settings"]["controller"], "inverse dynamics");
    EXPECT_EQ(measured["samples"]["q"], computed["samples"]["q"]);
  }
  // the log has gravity along -y, as the table of the robot; another one gives other torques
  const auto other = run_json("view log.mcap --gravity 0,0,-9.81 --output other.html --json");
  EXPECT_GT(other["rms_difference"][0].get<double>(), 1.0);
  EXPECT_NE(page("other.html").first["samples"]["tau"],
            page("other.html").second["samples"]["tau"]);
  EXPECT_EQ(run("view log.json --output json.html").code, 0);
  EXPECT_EQ(page("json.html").first, nlohmann::json::parse(read(folder / "log.json")));
  EXPECT_TRUE(page("json.html").second.is_null());
}

TEST_F(ProgramMcap, ALogWithoutEffortsShowsTheComputedTorques) {
  make_template();
  write("motion.csv", "t,q_joint1,q_joint2,q_joint3\n0,0,0,0\n0.5,0.1,0.2,0.3\n1,0,0,0\n");
  const Result result = run("view motion.csv --robot planar3 --output a.html");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("no measured torques"));
  EXPECT_EQ(page("a.html").first["settings"]["controller"], "inverse dynamics");
  EXPECT_TRUE(page("a.html").second.is_null());
}

TEST_F(ProgramMcap, ACutFileIsReadWithAWarning) {
  run_json("simulate planar3 --duration 10 --sample 0.002 --output run.mcap --json");
  const std::string bytes = read(folder / "run.mcap");
  write("cut.mcap", bytes.substr(0, bytes.size() / 4));
  const auto torques = run_json("inverse planar3 --trajectory cut.mcap --json");
  EXPECT_LT(torques["t"].back().get<double>(), 9.9);
  EXPECT_GT(torques["t"].back().get<double>(), 1.0);
  EXPECT_THAT(torques["warnings"][0].get<std::string>(), HasSubstr("cut.mcap: offset "));
}

}  // namespace
}  // namespace dynamics::test
