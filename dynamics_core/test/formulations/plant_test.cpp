// SPDX-License-Identifier: Apache-2.0
// Simulations whose accelerations come from a published algorithm agree with the library's own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dynamics_core/readers.hpp"
#include "dynamics_core/simulate.hpp"
#include "dynamics_core/view.hpp"
#include "papers/formulations/formulation_plant.hpp"
#include "support/random_robot.hpp"
#include "support/refusals.hpp"
#include "support/small_robots.hpp"

namespace dynamics {
namespace {

using formulations::find;
using formulations::Formulation;
using formulations::formulation_plant;
using test::argument_error;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr double tolerance = 1e-8;  // the runs have rtol = 1e-9

/// Largest difference of positions between two runs with the same sample times.
double largest_difference(const Recording& a, const Recording& b) {
  double largest = a.size() == b.size() ? 0.0 : std::nan("");
  for (std::size_t i = 0; i < a.q.size(); ++i)
    largest = max_propagating_nan(largest, max_abs_difference(a.q[i], b.q[i]));
  return largest;
}

std::vector<const Formulation*> covering(const Model& model) {
  std::vector<const Formulation*> result;
  for (const Formulation& formulation : formulations::all()) {
    if (formulations::not_covered(formulation, formulations::Task::forward, model).empty())
      result.push_back(&formulation);
  }
  return result;
}

/// Every algorithm that covers the model simulates the same motion as the default plant.
void expect_same_runs(const Model& model, const SimulationOptions& options, std::size_t count,
                      const RigidPlantOptions& plant_options = {}) {
  SimulationOptions own = options;
  own.base = plant_options.base;
  own.friction = plant_options.friction;
  const Recording expected = simulate(model, own);
  EXPECT_TRUE(expected.statistics.completed) << expected.statistics.ending;
  const auto algorithms = covering(model);
  EXPECT_EQ(algorithms.size(), count);
  for (const Formulation* algorithm : algorithms) {
    const auto plant = formulation_plant(model, *algorithm, plant_options);
    const Recording run = simulate(*plant, options);
    EXPECT_LE(largest_difference(run, expected), tolerance) << algorithm->name;
    EXPECT_NEAR(run.statistics.energy_drift, expected.statistics.energy_drift, tolerance)
        << algorithm->name;
  }
}

SimulationOptions free_fall(const DhTable& table) {
  SimulationOptions options;
  options.duration = 1.5;
  options.q0 = table.q0;
  return options;
}

TEST(FormulationPlant, EveryAlgorithmSimulatesTheFreeFallOfThePapersArms) {
  for (const char* name : {"puma", "stanford"}) {
    const DhTable table = built_in_robot(name);
    expect_same_runs(model_from_dh(table), free_fall(table), 8);
  }
}

TEST(FormulationPlant, WrongAccelerationsAreNoticed) {
  const DhTable table = built_in_robot("puma");
  const Model model = model_from_dh(table);
  SimulationOptions options = free_fall(table);
  const Recording expected = simulate(model, options);
  // another sign of one torque, and one acceleration that is 1e-4 too large
  const auto wrong_sign = [](const Model& robot, ConstVector q, ConstVector qd, ConstVector tau,
                             const ExternalInputs& external) {
    Eigen::VectorXd qdd =
        formulations::forward_dynamics(find("saha-2003"), robot, q, qd, tau, external);
    qdd[2] = -qdd[2];
    return qdd;
  };
  const auto slightly_wrong = [](const Model& robot, ConstVector q, ConstVector qd, ConstVector tau,
                                 const ExternalInputs& external) {
    Eigen::VectorXd qdd =
        formulations::forward_dynamics(find("nasser"), robot, q, qd, tau, external);
    qdd[1] *= 1.0001;
    return qdd;
  };
  for (const formulations::ForwardDynamics& broken :
       {formulations::ForwardDynamics(wrong_sign), formulations::ForwardDynamics(slightly_wrong)}) {
    const auto plant = formulations::plant_with(broken, model);
    const Recording run = simulate(*plant, options);
    EXPECT_GT(largest_difference(run, expected), 1000.0 * tolerance);
    // the energy of the run notices it without a reference
    EXPECT_GT(run.statistics.energy_drift, 1000.0 * expected.statistics.energy_drift);
    EXPECT_GT(max_abs(run.power_balance), 1000.0 * max_abs(expected.power_balance));
  }
}

TEST(FormulationPlant, FrictionStopsAndPayloadsActAsInTheDefaultPlant) {
  test::RobotBuilder robot = test::three_joints(JointType::prismatic);
  for (JointDescription& joint : robot.robot().joints) {
    joint.damping = 0.05;
    joint.friction = 0.1;
  }
  robot.joint().limits = JointLimits{-0.1, 0.1, 10.0, 100.0};
  const Model model{RobotDescription(robot)};
  SimulationOptions options;
  options.duration = 1.0;
  options.q0 = {0.0, 0.4, 0.0};
  options.limits = true;
  expect_same_runs(model, options, 8);
  expect_same_runs(model, options, 8, {.friction = false});
  options.limits = false;
  options.payload_changes = {{0.4, Payload{.frame = "c", .mass = 0.7, .center = {0.1, 0.0, 0.0}}}};
  expect_same_runs(model, options, 8);
}

TEST(FormulationPlant, BaseMotionActsAsInTheDefaultPlant) {
  const DhTable table = built_in_robot("stanford");
  const Model model = model_from_dh(table);
  const std::vector<BaseHarmonic> shaking = {{BaseHarmonic::Axis::x, 0.05, 1.0}};
  expect_same_runs(model, free_fall(table), 8, {.base = harmonic_base_trajectory(shaking)});
  const std::vector<BaseHarmonic> rolling = {{BaseHarmonic::Axis::roll, 0.05, 1.0}};
  for (const Formulation* algorithm : covering(model)) {
    const RigidPlantOptions options{.base = harmonic_base_trajectory(rolling)};
    const auto plant = formulation_plant(model, *algorithm, options);
    if (algorithm->name == "lagrange") {
      EXPECT_THAT(argument_error([&] { simulate(*plant, free_fall(table)); }),
                  HasSubstr("formulation lagrange does not support a rotating base"));
      continue;
    }
    SimulationOptions own = free_fall(table);
    own.base = options.base;
    EXPECT_LE(largest_difference(simulate(*plant, free_fall(table)), simulate(model, own)),
              tolerance)
        << algorithm->name;
  }
}

TEST(FormulationPlant, UnsupportedModelsAndNamesAreRefused) {
  const Model tree{test::RandomRobot(3).robot({.joints = 8, .branching = 0.9})};
  EXPECT_THAT(argument_error([&] { formulation_plant(tree, find("saha-2003")); }),
              HasSubstr("formulation saha-2003 supports only serial chains, but link '"));
  EXPECT_THAT(argument_error([&] { formulation_plant(tree, find("denoc")); }),
              HasSubstr("formulation denoc supports only inverse dynamics"));
  EXPECT_EQ(formulations::find_forward("strobing").name, "strobing");
  EXPECT_THAT(argument_error([] { formulations::find_forward("magic"); }),
              AllOf(HasSubstr("unknown algorithm 'magic': it must be one of lagrange, strobing"),
                    HasSubstr("saha-2003, udut"), Not(HasSubstr("newton-euler"))));
  EXPECT_THAT(argument_error([] { formulations::find_forward("newton-euler"); }),
              HasSubstr("algorithm 'newton-euler' has no forward dynamics: it must be one of"));
  EXPECT_THAT(argument_error(
                  [&] { formulation_plant(tree, find("walker-orin"), {.dry_friction = false}); }),
              HasSubstr("not smooth friction"));
}

}  // namespace
}  // namespace dynamics
