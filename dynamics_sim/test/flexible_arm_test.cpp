// SPDX-License-Identifier: Apache-2.0
// The arm with flexible links compared with the simulator of dynamics_core, and energy
// conservation.
#include <gtest/gtest.h>

#include <cmath>
#include <dynamics_core/dh_table.hpp>
#include <dynamics_core/from_urdf.hpp>
#include <dynamics_core/maximum.hpp>
#include <dynamics_core/plant.hpp>
#include <dynamics_core/simulate.hpp>
#include <string>

#include "allocations.hpp"
#include "dynamics_sim/arm.hpp"
#include "robots.hpp"

namespace dynamics_sim::test {
namespace {

using Vector = std::vector<double>;

ArmOptions unlimited(double step = 0.001) {
  ArmOptions options;
  options.limits = false;
  options.step = step;
  return options;
}

dynamics::Model canadarm() { return dynamics::model_from_dh(dynamics::built_in_robot("canadarm")); }

void run(Arm& arm, double seconds) {
  const long count = std::lround(seconds / arm.options().step);
  for (long k = 0; k < count; ++k) ASSERT_TRUE(arm.step()) << arm.fault();
  ASSERT_TRUE(arm.evaluate()) << arm.fault();
}

double total(Arm& arm) {
  const ArmEnergy energy = arm.energy();
  return energy.kinetic + energy.potential + energy.strain;
}

/// Largest difference of joints (first) and amplitudes (second) from the simulator of
/// dynamics_core.
std::pair<double, double> difference(const dynamics::Model& model, const ArmOptions& options,
                                     double seconds, const Vector& qd) {
  const dynamics::FlexibleModel flexible(model);
  dynamics::SimulationOptions simulation;
  simulation.duration = seconds;
  simulation.rtol = 1e-11;
  simulation.qd0 = qd;
  simulation.qd0.resize(flexible.size(), 0.0);
  // the arm's friction is smooth at low velocities
  const auto plant = dynamics::flexible_plant(flexible, {.dry_friction = false});
  const dynamics::Recording expected = dynamics::simulate(*plant, simulation);
  EXPECT_TRUE(expected.statistics.completed) << expected.statistics.ending;
  Arm arm(model, options);
  arm.reset(Vector(model.size(), 0.0), qd);
  run(arm, seconds);
  std::pair<double, double> largest = {0.0, 0.0};
  for (std::size_t i = 0; i < model.size(); ++i) {
    largest.first = dynamics::max_propagating_nan(
        largest.first, std::abs(arm.positions()[i] - expected.q[i].back()));
  }
  for (std::size_t i = 0; i < flexible.amplitude_count(); ++i) {
    largest.second = dynamics::max_propagating_nan(
        largest.second,
        std::abs(arm.positions()[model.size() + i] - expected.amplitudes[i].back()));
  }
  return largest;
}

TEST(FlexibleArm, SwingMatchesCoreSimulator) {
  const dynamics::Model model = canadarm();
  const Vector qd(model.size(), 0.1);
  const auto [joints, amplitudes] = difference(model, unlimited(), 2.0, qd);
  EXPECT_LT(joints, 1e-6);
  EXPECT_LT(amplitudes, 1e-6);
}

TEST(FlexibleArm, GravityAndFrictionMatchCoreSimulator) {
  const dynamics::Model model =
      dynamics::model_from_urdf(flexible_urdf("", "<dynamics damping='0.5' friction='0.2'/>"));
  const Arm arm(model, unlimited());
  EXPECT_FALSE(arm.implicit());
  const auto [joints, amplitudes] = difference(model, unlimited(), 1.0, {0.0, 0.0});
  EXPECT_LT(joints, 1e-6);
  EXPECT_LT(amplitudes, 1e-6);
}

TEST(FlexibleArm, IsStableForStiffBeams) {
  // 10,000 times stiffer, nearly rigid
  const std::string stiff = flexible_urdf("", "", "2e6");
  const dynamics::Model model = dynamics::model_from_urdf(stiff);
  ArmOptions options = unlimited();
  options.substeps = 1;
  Arm arm(model, options);
  ASSERT_TRUE(arm.implicit());
  arm.reset(Vector{0.1, 0.2}, Vector{0.0, 0.0});
  run(arm, 1.0);
  dynamics::SimulationOptions simulation;
  simulation.duration = 1.0;
  simulation.q0 = {0.1, 0.2};
  const dynamics::Recording rigid = dynamics::simulate(model, simulation);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(arm.positions()[i], rigid.q[i].back(), 1e-3) << i;
    EXPECT_GT(std::abs(rigid.q[i].back() - simulation.q0[i]), 0.1);
  }
  // the implicit steps converge with order 2 if they resolve the motion
  const dynamics::Model soft = dynamics::model_from_urdf(flexible_urdf());
  ArmOptions coarse = unlimited(0.0004), fine = unlimited(0.0002);
  coarse.substeps = fine.substeps = 0;
  const double first = difference(soft, coarse, 0.4, {0.0, 0.0}).first;
  const double second = difference(soft, fine, 0.4, {0.0, 0.0}).first;
  EXPECT_LT(first, 1e-4);
  EXPECT_LT(second, 0.3 * first);
}

TEST(FlexibleArm, HeldJointsDoNoWork) {
  Arm arm(dynamics::model_from_urdf(flexible_urdf()), unlimited());
  ASSERT_GT(arm.size(), arm.joints());
  arm.reset(Vector{0.1, 0.2}, Vector{0.0, 0.0});
  const double start = total(arm);
  for (const bool both : {true, false}) {  // all joints driven; one driven and one free
    arm.reset(Vector{0.1, 0.2}, Vector{0.0, 0.0});
    arm.commands()[0] = Command::position(0.1);
    if (both) arm.commands()[1] = Command::position(0.2);
    double bent = 0.0;
    for (int k = 0; k < 1000; ++k) {
      ASSERT_TRUE(arm.step()) << arm.fault();
      EXPECT_NEAR(arm.positions()[0], 0.1, 1e-12);
      bent = dynamics::max_propagating_nan(bent, std::abs(arm.positions()[arm.joints()]));
    }
    EXPECT_GT(bent, 1e-3) << "the beam did not bend";
    EXPECT_NEAR(total(arm), start, 1e-6) << both;
    if (!both) {
      EXPECT_GT(std::abs(arm.positions()[1] - 0.2), 0.1) << "this one is free";
    }
  }
}

TEST(FlexibleArm, ImpactsDoNotAddEnergy) {
  Arm arm(dynamics::model_from_urdf(flexible_urdf()), {});
  arm.reset(Vector{1.0, 0.0}, Vector{0.0, 0.0});
  double energy = total(arm);
  bool hit = false;
  for (int k = 0; k < 4000; ++k) {
    ASSERT_TRUE(arm.step()) << arm.fault();
    for (std::size_t i = 0; i < 2; ++i) {
      ASSERT_LE(std::abs(arm.positions()[i]), 2.0);
      hit = hit || std::abs(arm.positions()[i]) == 2.0;
    }
    ASSERT_LE(total(arm), energy + 1e-6) << "an impact must not add energy";
    energy = total(arm);
  }
  EXPECT_TRUE(hit);
}

TEST(FlexibleArm, StepDoesNotAllocate) {
  for (const std::size_t substeps : {20U, 0U}) {
    ArmOptions options;
    options.substeps = substeps;
    const auto model =
        dynamics::model_from_urdf(flexible_urdf("", "<dynamics damping='0.1' friction='0.1'/>"));
    Arm arm(model, options);
    Arm heavier(model.with_payload({"lower", 0.5, {0.5, 0.0, 0.0}, Eigen::Matrix3d::Zero()}),
                options);
    EXPECT_EQ(arm.implicit(), substeps == 0);
    arm.reset(Vector{0.3, -0.4}, Vector{0.0, 0.0});
    bool ok = true;
    const long before = allocations;
    for (int k = 0; k < 600; ++k) {
      arm.commands()[0] = k < 200 ? Command::effort(2.0) : Command::position(1.0);
      arm.commands()[1] = k < 400 ? Command::effort(0.0) : Command::velocity(0.3);
      ok = ok && arm.step() && arm.evaluate();
      ok = ok && arm.energy().kinetic >= 0.0;
    }
    ok = ok && heavier.continue_from(arm) && heavier.step();
    const long count = allocations - before;
    EXPECT_TRUE(ok) << arm.fault();
    EXPECT_EQ(count, 0);
  }
}

}  // namespace
}  // namespace dynamics_sim::test
