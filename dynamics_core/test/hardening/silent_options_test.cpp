// SPDX-License-Identifier: Apache-2.0
// Options of the program and of simulate() that would have no effect, and values in wrong units.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dynamics_core/flexible_links.hpp"
#include "dynamics_core/plant.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/simulate.hpp"
#include "flexible/sample_beams.hpp"
#include "support/program.hpp"
#include "support/refusals.hpp"

namespace dynamics {
namespace {

using test::argument_error;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class Options : public test::Program {};

TEST_F(Options, WithoutEffectInTheScenarioAreRefused) {
  write("f.csv", "t,q_joint1,q_joint2,q_joint3\n0,0,0,0\n1,1,1,1\n");
  expect_refused("simulate planar3 --trajectory f.csv --duration 0.1",
                 "--trajectory has no effect in scenario free-fall");
  expect_refused("simulate planar3 --scenario hold --q1 1,1,1 --duration 0.1",
                 "--q1 has no effect in scenario hold");
  expect_refused("simulate planar3 --period 2 --duration 0.1", "--period has no effect");
  expect_refused("simulate planar3 --bandwidth 3 --duration 0.1",
                 "--bandwidth has no effect in scenario free-fall");
  expect_refused("simulate planar3 --scenario forced --bandwidth 3 --duration 0.1",
                 "--bandwidth has no effect in scenario forced");
  expect_refused("simulate planar3 --restitution 0.5 --duration 0.1",
                 "--restitution has no effect without --limits");
  // cholesky is the solver of flexible links
  expect_refused("simulate planar3 --algorithm cholesky --duration 0.1",
                 "unknown algorithm 'cholesky'");
  expect_refused("simulate canadarm --rigid --algorithm cholesky --duration 0.1",
                 "unknown algorithm 'cholesky'");
  EXPECT_EQ(run("simulate planar3 --scenario hold --bandwidth 3 --duration 0.1").code, 0);
  EXPECT_EQ(run("simulate planar3 --limits --restitution 0.5 --duration 0.1").code, 0);
}

TEST_F(Options, OfTheCycloidAreRefusedForATrajectoryFile) {
  write("f.csv", "t,q_joint1,q_joint2,q_joint3\n0,0,0,0\n1,1,1,1\n");
  for (const char* option : {"--q0 1,1,1", "--q1 1,1,1", "--period 3"}) {
    const std::string name = std::string(option).substr(0, std::string(option).find(' '));
    expect_refused("inverse planar3 --trajectory f.csv " + std::string(option),
                   name + " has no effect on the trajectory of a file");
  }
  expect_refused("simulate planar3 --scenario forced --trajectory f.csv --q1 1,1,1",
                 "--q1 has no effect on the trajectory of a file");
  EXPECT_EQ(run("inverse planar3 --trajectory cycloid --q0 1,1,1 --q1 0,0,0 --period 3").code, 0);
}

TEST_F(Options, OfKinematicsAndExternalInputsWithoutEffectAreRefused) {
  for (const char* command : {"inverse", "forward"}) {
    const std::string start = std::string(command) + " planar3 ";
    expect_refused(start + "--wrench base_link:0,0,0,1,0,0", "has no effect on the joints");
    expect_refused(start + "--time 1", "--time requires --base-motion");
    expect_refused(start + "--base-motion z:0.1:1", "--base-motion requires --time");
    EXPECT_EQ(run(start + "--base-motion z:0.1:1 --time 1").code, 0);
  }
  expect_refused("kinematics planar3 --axes local", "--axes has no effect without");
  expect_refused("kinematics planar3 --gravity 0,0,0", "--gravity");
  expect_refused("inverse-kinematics planar3 --frame tool0 --pose 0.5,0,0 --gravity 0,0,0",
                 "--gravity");
}

TEST_F(Options, ThatAreEmptyAreRefused) {
  expect_refused("inverse planar3 --q ''", "argument 4 is empty");
  expect_refused("simulate planar3 --base-motion '' --duration 0.1", "is empty");
  expect_refused("simulate planar3 --base-motion z::2 --duration 0.1", "'z::2'");
  expect_refused("simulate planar3 --base-motion z:0.1: --duration 0.1", "'z:0.1:'");
  expect_refused("inverse planar3 --q +-1,0,0", "entry 1 is '+-1'");
  expect_refused("inverse planar3 --q ++1,0,0", "entry 1 is '++1'");
  EXPECT_EQ(run("inverse planar3 --q +1,0,0").code, 0);
}

TEST_F(Options, StepOfAnAdaptiveMethodIsRefused) {
  expect_refused("simulate planar3 --integrator radau5 --step 0.01 --duration 0.1",
                 "radau5 chooses its steps");
}

TEST_F(Options, PositionsOutsideTheLimitsAreWarnings) {
  for (const char* command : {"inverse", "forward", "terms", "kinematics"}) {
    const test::Result degrees = run(std::string(command) + " puma --q 0,300,0,0,0,0 --json");
    EXPECT_EQ(degrees.code, 0);
    EXPECT_THAT(degrees.err, AllOf(HasSubstr("warning: --q: joint 'joint2' at 300 rad"),
                                   HasSubstr("limits"), HasSubstr("radians")));
    EXPECT_THAT(nlohmann::json::parse(degrees.out)["warnings"].dump(), HasSubstr("at 300 rad"));
    EXPECT_THAT(run(std::string(command) + " puma --q 0,0.3,0,0,0,0").err, IsEmpty());
  }
  EXPECT_THAT(run("simulate puma --q0 0,300,0,0,0,0 --duration 0.01 --json").err,
              HasSubstr("--q0: joint 'joint2' at 300 rad"));
}

TEST_F(Options, FlexibleLinksAlongATrajectoryAreAWarning) {
  const std::string command = "inverse canadarm --trajectory cycloid --duration 0.1 --json";
  EXPECT_THAT(run(command).err, HasSubstr("flexible links are treated as rigid"));
  EXPECT_THAT(run_json(command)["warnings"].dump(), HasSubstr("treated as rigid"));
  EXPECT_THAT(run(command + " --rigid").err, IsEmpty());
}

TEST(SimulatorOptions, BaseMotionBesideThatOfThePlantIsRefused) {
  const Model model = model_from_dh(built_in_robot("planar3"));
  const auto plant = rigid_plant(model);
  SimulationOptions options;
  options.duration = 0.01;
  options.base = harmonic_base_trajectory({});
  EXPECT_THAT(argument_error([&] { simulate(*plant, options); }), HasSubstr("base"));
  EXPECT_EQ(argument_error([&] { simulate(model, options); }), "accepted");
}

TEST(SimulatorOptions, TrajectoryOfAnotherRobotIsRefusedInEveryScenario) {
  const Model model = model_from_dh(built_in_robot("planar3"));
  SimulationOptions options;
  options.duration = 0.01;
  options.trajectory = cycloid_trajectory(std::vector<double>(9), std::vector<double>(9), 1.0);
  for (const Scenario scenario :
       {Scenario::free_fall, Scenario::hold, Scenario::forced, Scenario::computed_torque}) {
    options.scenario = scenario;
    EXPECT_THAT(argument_error([&] { simulate(model, options); }),
                HasSubstr("the desired trajectory has 9 joints"));
  }
}

TEST(BeamSections, OutsideTheBeamOrOfAnotherLinkAreRefused) {
  RobotDescription robot = test::beam_chain(2, test::beam(1.0, 2.0, 50.0, 2));
  robot.links[2].flexible->modes_y = 3;
  const FlexibleModel model{Model(robot)};
  const Eigen::VectorXd q = Eigen::VectorXd::Constant(7, 0.01);
  for (const double x : {-0.1, 1.1, std::nan("")}) {
    EXPECT_THAT(argument_error([&] { deflection(model, q, 0, x); }),
                HasSubstr("has a beam from 0 to 1 m"));
    EXPECT_THAT(argument_error([&] { cross_section(model, 0, x); }),
                HasSubstr("has a beam from 0 to 1 m"));
  }
  const BeamSection of_first = cross_section(model, 0, 0.5);
  EXPECT_THAT(argument_error([&] { cross_section_pose(model, q, 1, of_first); }),
              HasSubstr("cross-section of another link"));
  cross_section_pose(model, q, 0, of_first);
}

}  // namespace
}  // namespace dynamics
