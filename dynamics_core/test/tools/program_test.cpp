// SPDX-License-Identifier: Apache-2.0
// The program as users call it: flags, defaults, JSON keys, exit codes, files.

#include "support/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "dynamics_core/readers.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "dynamics_core/view.hpp"
#include "support/arm_urdf.hpp"

namespace dynamics {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::matrix;
using test::Program;
using test::Result;
using testing::ElementsAre;
using testing::HasSubstr;

const char* const state = "--q 0.1,-0.2,0.3,0.4,-0.5,0.6 --qd 1,2,3,-1,-2,-3 ";

TEST_F(Program, InverseEqualsTheLibrary) {
  const json result =
      run_json(std::string("inverse puma ") + state + "--qdd 1,0,-1,2,0.5,-2 --json");
  EXPECT_THAT(result["joints"],
              ElementsAre("joint1", "joint2", "joint3", "joint4", "joint5", "joint6"));
  const Model puma = model_from_dh(built_in_robot("puma"));
  Workspace workspace(puma);
  const std::vector<double> q{0.1, -0.2, 0.3, 0.4, -0.5, 0.6}, qd{1, 2, 3, -1, -2, -3},
      qdd{1, 0, -1, 2, 0.5, -2};
  std::vector<double> tau(6);
  inverse_dynamics(puma, workspace, q, qd, qdd, tau);
  EXPECT_EQ(result["tau"].get<std::vector<double>>(), tau);  // full precision
}

TEST_F(Program, ForwardInvertsInverse) {
  const json inverse =
      run_json(std::string("inverse stanford ") + state + "--qdd 1,0,-1,2,0.5,-2 --json");
  std::string tau;
  for (const double x : inverse["tau"]) tau += (tau.empty() ? "" : ",") + json(x).dump();
  const json forward =
      run_json(std::string("forward stanford ") + state + "--tau " + tau + " --json");
  const std::vector<double> qdd{1, 0, -1, 2, 0.5, -2};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(forward["qdd"][i].get<double>(), qdd[i], 1e-9);
}

Eigen::VectorXd vector(const json& numbers) {
  const auto values = numbers.get<std::vector<double>>();
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

TEST_F(Program, TermsSatisfyTheEquationsOfMotion) {
  const json terms = run_json(std::string("terms puma ") + state + "--json");
  const json bias = run_json(std::string("inverse puma ") + state + "--json");
  Eigen::VectorXd qd(6);
  qd << 1, 2, 3, -1, -2, -3;
  const Eigen::MatrixXd M = matrix(terms["M"]), C = matrix(terms["C"]), U = matrix(terms["U"]);
  EXPECT_LT((C * qd + vector(terms["g"]) - vector(bias["tau"])).norm(),
            1e-12 * vector(bias["tau"]).norm());
  EXPECT_LT((U * vector(terms["D"]).asDiagonal() * U.transpose() - M).norm(), 1e-13 * M.norm());
  EXPECT_NEAR(terms["kinetic"].get<double>(), 0.5 * qd.dot(M * qd),
              1e-12 * terms["kinetic"].get<double>());
  EXPECT_TRUE(terms["potential"].is_number());
}

TEST_F(Program, DefaultsAreAsDocumented) {
  // gravity is along -y for planar3 and zero for the Canadarm; q defaults to the start position
  EXPECT_GT(std::abs(run_json("inverse planar3 --json")["tau"][0].get<double>()), 1.0);
  const json canadarm = run_json("inverse canadarm --json");
  for (const double x : canadarm["tau"]) EXPECT_EQ(x, 0.0);
  EXPECT_EQ(run_json("inverse stanford --json"),
            run_json("inverse stanford --q 0,1.5707963267948966,0,0,0,0 --json"));
  const json weightless = run_json("inverse puma --gravity 0,0,0 --json");
  for (const double x : weightless["tau"]) EXPECT_NEAR(x, 0.0, 1e-12);
}

TEST_F(Program, NoFrictionOptionIgnoresFriction) {
  const std::string pendulum =
      write("pendulum.urdf", R"(<robot name="p"><link name="a"/><link name="b"><inertial>
    <origin xyz="0 0 -1"/><mass value="2"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
    <dynamics damping="0.5" friction="0"/></joint></robot>)");
  EXPECT_NEAR(run_json("inverse pendulum.urdf --qd 2 --json")["tau"][0].get<double>(), 1.0, 1e-12);
  EXPECT_NEAR(run_json("inverse pendulum.urdf --qd 2 --no-friction --json")["tau"][0].get<double>(),
              0.0, 1e-12);
  EXPECT_NEAR(run_json("forward pendulum.urdf --qd 2 --json")["qdd"][0].get<double>(), -0.5, 1e-12);
  const Result warned = run("inverse pendulum.urdf --qd 2");
  EXPECT_THAT(warned.err, HasSubstr("inertia is zero"));
  EXPECT_THAT(warned.out, HasSubstr("N m"));
}

TEST_F(Program, UrdfOfDhTableHasTheSameDynamics) {
  for (const auto robot : built_in_robots()) {
    const std::string name(robot);
    const Result urdf = run("urdf " + name);
    ASSERT_EQ(urdf.code, 0);
    write(name + ".urdf", urdf.out);
    const std::string arguments = (name == "puma" || name == "stanford")
                                      ? std::string(state)
                                      : "--q 0.1,-0.2,0.3 --qd 1,2,3 ";
    const std::string gravity = name == "planar3"    ? " --gravity 0,-9.81,0"
                                : name == "canadarm" ? " --gravity 0,0,0"
                                                     : "";
    const json table = run_json("inverse " + name + " " + arguments + "--json");
    const json read = run_json("inverse " + name + ".urdf " + arguments + gravity + " --json");
    const Eigen::VectorXd a = vector(table["tau"]), b = vector(read["tau"]);
    EXPECT_LT((a - b).norm(), 1e-12 * a.norm()) << name;
    EXPECT_EQ(table["joints"], read["joints"]);
  }
}

TEST_F(Program, RejectsBadInputWithExitCodeTwo) {
  expect_refused("inverse nosuch",
                 "no robot 'nosuch': neither a file nor one of planar3, stanford, puma, canadarm");
  expect_refused("inverse puma --q 1,2",
                 "--q: 2 numbers given, 6 required (one per joint, in joint order)");
  expect_refused("inverse puma --q 1,2,x,4,5,6",
                 "--q: entry 3 is 'x'; expected finite numbers separated by commas");
  expect_refused("inverse puma --q 1,2,nan,4,5,6", "--q: entry 3 is 'nan'");
  expect_refused("inverse puma --q 1,2,,4,5,6", "--q: entry 3 is ''");
  expect_refused("inverse puma --nosuch 3", "--nosuch");
  expect_refused("inverse", "ROBOT");
  expect_refused("nosuchcommand", "nosuchcommand");
  expect_refused("forward puma --algorithm magic", "magic");
  expect_refused("inverse puma --gravity 0,0",
                 "--gravity: 2 numbers given, 3 required (x,y,z in m/s^2)");
  write("broken.urdf", "<robot name='x'>\n  <link name='a'>\n</robot>");
  expect_refused("inverse broken.urdf", "broken.urdf:");
  write("negative.urdf",
        "<robot name='x'><link name='a'><inertial><mass value='-1'/><inertia ixx='1' iyy='1' "
        "izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>");
  expect_refused("inverse negative.urdf", "link 'a': mass is -1 kg");
  write("broken.yaml", "robot: x\nlinks: [\n");
  expect_refused("inverse broken.yaml", "broken.yaml");
  fs::create_directories(folder / "folder.urdf");
  expect_refused("inverse folder.urdf", "is a folder");
}

TEST_F(Program, RejectsBadRunsAndWritesNoFile) {
  const std::pair<const char*, const char*> cases[] = {
      {"--duration -1 --output a.csv", "duration is -1"},
      {"--duration 0 --output a.csv", "duration is 0"},
      {"--integrator magic --output a.csv",
       "unknown integrator 'magic': it must be one of auto, rk4"},
      {"--integrator rk4 --output a.csv", "fixed-step method: set step"},
      {"--integrator rk4 --step 0 --output a.csv", "step is 0"},
      {"--rtol 1e-30 --output a.csv", "rtol is 1e-30"},
      {"--sample 0 --output a.csv", "sample is 0"},
      {"--scenario dance --output a.csv", "unknown scenario 'dance'"},
      {"--output a.txt", "must end in .csv, .json, .mcap, .html or /"},
      {"--output nowhere/a.csv", "the folder nowhere does not exist"},
      {"--output a.html", "dynamics_viewer"},
      {"--scenario forced --trajectory missing.csv --output a.csv", "missing.csv"},
  };
  expect_all_refused("simulate puma ", cases);
}

TEST_F(Program, CsvHasDocumentedColumnsAndRows) {
  const Result result = run("simulate puma --duration 0.123 --output run.csv --output run.json");
  ASSERT_EQ(result.code, 0) << result.err;
  std::istringstream csv(read(folder / "run.csv"));
  std::string line;
  std::getline(csv, line);
  EXPECT_THAT(
      line,
      testing::StartsWith(
          "t,q_joint1,q_joint2,q_joint3,q_joint4,q_joint5,q_joint6,qd_joint1,qd_joint2,qd_joint3,"
          "qd_joint4,qd_joint5,qd_joint6,tau_joint1,tau_joint2,tau_joint3,tau_joint4,tau_joint5,"
          "tau_joint6,kinetic,potential,strain,"));
  EXPECT_THAT(
      line, testing::EndsWith(
                "qdd_joint6,work,power,power_balance,end_effector_x,end_effector_y,end_effector_z,"
                "end_effector_qx,end_effector_qy,end_effector_qz,end_effector_qw"));
  std::vector<std::vector<double>> rows;
  while (std::getline(csv, line)) {
    std::istringstream cells(line);
    std::string cell;
    auto& row = rows.emplace_back();
    while (std::getline(cells, cell, ',')) row.push_back(std::stod(cell));
    EXPECT_EQ(row.size(), 38U);
  }
  ASSERT_EQ(rows.size(), 14U);  // 0, 0.01, ..., 0.12 and the end
  EXPECT_EQ(rows.front()[0], 0.0);
  EXPECT_EQ(rows[1][0], 0.01);
  EXPECT_EQ(rows.back()[0], 0.123);
  const json stored = json::parse(read(folder / "run.json"));
  EXPECT_EQ(stored["format"], "dynamics-run");
  EXPECT_EQ(stored["samples"]["q"][1].size(), rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) EXPECT_EQ(stored["samples"]["q"][1][k], rows[k][2]);
  EXPECT_EQ(files(), (std::vector<std::string>{"err.txt", "out.txt", "run.csv", "run.json"}));
}

TEST_F(Program, PageContainsTheRun) {
  write("viewer.html",
        "<p>__DYNAMICS_RUN__</p><p>__DYNAMICS_COMPARE__</p><p>__DYNAMICS_MESHES__</p>");
  viewer = (folder / "viewer.html").string();
  ASSERT_EQ(run("simulate planar3 --duration 0.1 --output a.json").code, 0);
  const Result result = run("simulate planar3 --duration 0.1 --output a.html --compare a.json");
  ASSERT_EQ(result.code, 0) << result.err;
  const std::string page = read(folder / "a.html");
  ASSERT_TRUE(page.starts_with("<p>{"));
  const auto end = page.find("</p>");
  const json embedded = json::parse(page.substr(3, end - 3));
  EXPECT_EQ(embedded["model"]["coordinates"], json({"joint1", "joint2", "joint3"}));
  EXPECT_TRUE(embedded["samples"]["q"][0].contains("f64"));
  EXPECT_EQ(page.find("__DYNAMICS"), std::string::npos);
  expect_refused("simulate planar3 --duration 0.1 --output b.html --compare viewer.html",
                 "is not a run");
}

TEST_F(Program, RunsAreReproducibleBitForBit) {
  ASSERT_EQ(run("simulate stanford --duration 1 --output a.csv").code, 0);
  ASSERT_EQ(run("simulate stanford --duration 1 --output b.csv").code, 0);
  EXPECT_EQ(read(folder / "a.csv"), read(folder / "b.csv"));
}

TEST_F(Program, InverseComputesTorquesAlongTheCycloid) {
  // planar arm along the cycloid of Eq. (18): velocity and acceleration are zero at t = 0
  const json path =
      run_json("inverse planar3 --trajectory cycloid --duration 10 --sample 0.5 --json");
  EXPECT_EQ(path["t"].size(), 21U);
  EXPECT_EQ(path["tau"].size(), 21U);
  const json start = run_json("inverse planar3 --json");
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(path["tau"][0][i].get<double>(), start["tau"][i].get<double>(), 1e-12);
    double peak = 0.0;
    for (const auto& row : path["tau"])
      peak = max_propagating_nan(peak, std::abs(row[i].get<double>()));
    EXPECT_EQ(path["peak"][i].get<double>(), peak);
  }
  EXPECT_LT(path["energy_drift"].get<double>(), 1e-9);
  EXPECT_GT(path["energy_drift"].get<double>(), 0.0);  // computed by integration
}

TEST_F(Program, TrajectoryColumnsMayBeInAnyOrder) {
  // q = t^2 (3 - 2t): one cubic spline segment with zero velocity at both ends is exact
  const std::string header = "q_joint3,t,note,q_joint1,q_joint2\r\n";
  write("path.csv", header + "0,0,a,0,0\r\n0.3,1,b,0.1,0.2\r\n");
  const json path =
      run_json("inverse planar3 --trajectory path.csv --duration 1 --sample 0.25 --json");
  const json half = run_json("inverse planar3 --q 0.05,0.1,0.15 --qd 0.15,0.3,0.45 --json");
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(path["tau"][2][i].get<double>(), half["tau"][i].get<double>(), 1e-12);
  }
  write("missing.csv", "t,q_joint1,q_joint2\n0,0,0\n");
  expect_refused("inverse planar3 --trajectory missing.csv", "column 'q_joint3'");
  write("order.csv", "t,q_joint1,q_joint2,q_joint3\n0,0,0,0\n1,0,0,0\n1,0,0,0\n");
  expect_refused("inverse planar3 --trajectory order.csv", "order.csv:4: time 1 is not after 1");
  write("text.csv", "t,q_joint1,q_joint2,q_joint3\n0,0,zero,0\n");
  expect_refused("inverse planar3 --trajectory text.csv", "text.csv:2: column 'q_joint2': 'zero'");
  write("ragged.csv", "t,q_joint1,q_joint2,q_joint3\n0,0,0\n");
  expect_refused("inverse planar3 --trajectory ragged.csv",
                 "ragged.csv:2: has 3 cells; the first row has 4");
  write("empty.csv", "");
  expect_refused("inverse planar3 --trajectory empty.csv", "is empty");
}

TEST_F(Program, WarningsAreOnStderrAndInEveryObject) {
  write("right.urdf", test::arm_urdf());
  write("wrong.urdf", test::replaced(test::arm_urdf(), R"(izz="0.02")", R"(izz="2")"));
  for (const char* command :
       {"inverse", "forward", "terms", "kinematics",
        "inverse-kinematics --frame lower --pose 0,0,1.1", "compare --samples 1", "count",
        "simulate --duration 0.01", "inverse --trajectory cycloid --q1 1,1 --duration 0.1"}) {
    SCOPED_TRACE(command);
    const std::string words(command), name = words.substr(0, words.find(' '));
    const std::string options = words.substr(name.size());
    for (const char* mode : {" --json", ""}) {
      const Result wrong = run(name + " wrong.urdf" + options + mode);
      EXPECT_EQ(wrong.code, 0) << wrong.err;
      EXPECT_THAT(wrong.err, HasSubstr("warning: upper "));
      const std::size_t first = wrong.err.find("warning: ");
      EXPECT_EQ(wrong.err.find("warning: ", first + 1), std::string::npos) << wrong.err;
    }
    const json warnings = run_json(name + " wrong.urdf" + options + " --json")["warnings"];
    ASSERT_EQ(warnings.size(), 1U) << warnings;
    EXPECT_THAT(warnings[0].get<std::string>(), testing::StartsWith("upper "));
    const Result right = run(name + " right.urdf" + options + " --json");
    EXPECT_THAT(right.err, testing::Not(HasSubstr("warning")));
    EXPECT_EQ(json::parse(right.out)["warnings"], json::array());
  }
}

TEST_F(Program, UnwritableOutputIsAnError) {
  const Result result = run("simulate planar3 --duration 0.1 --output /proc/run.csv");
  EXPECT_EQ(result.code, 2);
  ASSERT_EQ(run("urdf planar3 --output out.urdf").code, 0);
  EXPECT_THAT(read(folder / "out.urdf"), HasSubstr("<robot"));
}

TEST_F(Program, HelpListsTheCommands) {
  const Result help = run("--help");
  EXPECT_EQ(help.code, 0);
  for (const char* command :
       {"inverse", "forward", "terms", "kinematics", "inverse-kinematics", "simulate", "urdf"}) {
    EXPECT_THAT(help.out, HasSubstr(command));
  }
}

}  // namespace
}  // namespace dynamics
