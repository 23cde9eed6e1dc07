// SPDX-License-Identifier: Apache-2.0
// The simulated arm compared with closed-form solutions and with the simulator of dynamics_core.
#include "dynamics_sim/arm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <dynamics_core/dh_table.hpp>
#include <dynamics_core/energy.hpp>
#include <dynamics_core/from_urdf.hpp>
#include <dynamics_core/inertia_matrix.hpp>
#include <dynamics_core/inverse_dynamics.hpp>
#include <dynamics_core/maximum.hpp>
#include <dynamics_core/simulate.hpp>
#include <limits>
#include <memory>

#include "allocations.hpp"
#include "robots.hpp"

namespace dynamics_sim::test {
namespace {

using Vector = std::vector<double>;

ArmOptions unlimited() {
  ArmOptions options;
  options.limits = false;
  return options;
}

dynamics::Model two(const std::string& dynamics = "") {
  return dynamics::model_from_urdf(arm_urdf("", dynamics));
}

/// Steps for the given time; fails the test if a step fails.
void run(Arm& arm, double seconds) {
  const long count = std::lround(seconds / arm.options().step);
  for (long k = 0; k < count; ++k) ASSERT_TRUE(arm.step()) << arm.fault();
  ASSERT_TRUE(arm.evaluate()) << arm.fault();
}

TEST(Arm, FreeFallMatchesCoreSimulator) {
  const dynamics::Model puma = dynamics::model_from_dh(dynamics::built_in_robot("puma"));
  dynamics::SimulationOptions options;
  options.duration = 2.0;
  options.rtol = 1e-11;
  const dynamics::Recording expected = dynamics::simulate(puma, options);
  ASSERT_TRUE(expected.statistics.completed) << expected.statistics.ending;
  ASSERT_EQ(expected.size(), 201U);
  Arm arm(puma, unlimited());
  const Vector zero(puma.size(), 0.0);
  arm.reset(zero, zero);
  double largest = 0.0;
  for (std::size_t sample = 1; sample < expected.q[0].size(); ++sample) {
    run(arm, options.sample);
    for (std::size_t i = 0; i < puma.size(); ++i) {
      largest = dynamics::max_propagating_nan(largest,
                                              std::abs(arm.positions()[i] - expected.q[i][sample]));
      EXPECT_EQ(arm.efforts()[i], 0.0);
    }
  }
  EXPECT_LT(largest, 1e-6);
  RecordProperty("largest_difference", std::to_string(1e9 * largest) + " nrad");
}

/// Puts the arm at rest and commands its joints.
void start(Arm& arm, const Vector& q, const Command& first, const Command& second) {
  arm.reset(q, Vector{0.0, 0.0});
  arm.commands()[0] = first;
  arm.commands()[1] = second;
}

TEST(Arm, PositionDriveIsCriticallyDampedForAnyLoad) {
  Arm arm(two(), unlimited());
  start(arm, {0.0, 0.5}, Command::position(1.0), Command::position(0.5));
  for (int k = 1; k <= 100; ++k) {
    ASSERT_TRUE(arm.step());
    const double wt = 100.0 * 0.001 * k;
    EXPECT_NEAR(arm.positions()[0], 1.0 - (1.0 + wt) * std::exp(-wt), 2e-6);
    EXPECT_NEAR(arm.positions()[1], 0.5, 1e-14);
  }
  // at rest it exerts the gravity torque
  run(arm, 1.0);
  Vector gravity(2);
  dynamics::Workspace workspace(arm.model());
  dynamics::gravity_forces(arm.model(), workspace, Vector{1.0, 0.5}, gravity);
  EXPECT_NEAR(arm.efforts()[0], gravity[0], 1e-9);
  EXPECT_NEAR(arm.efforts()[1], gravity[1], 1e-9);
  EXPECT_GT(std::abs(gravity[0]), 1.0);
}

TEST(Arm, PositionDriveWithVelocityFollowsRampWithoutLag) {
  Arm arm(two(), unlimited());
  arm.reset(Vector{0.0, 0.0}, Vector{0.5, 0.0});
  arm.commands()[1] = Command::position(0.0);
  for (int k = 0; k < 500; ++k) {
    arm.commands()[0] = Command::position(0.5 * 0.001 * k, 0.5);
    ASSERT_TRUE(arm.step());
    EXPECT_NEAR(arm.positions()[0], 0.5 * 0.001 * (k + 1), 0.5 * 0.001);
  }
}

TEST(Arm, VelocityDriveConvergesExponentially) {
  Arm arm(two(), unlimited());
  start(arm, {0.0, 0.0}, Command::velocity(0.0), Command::velocity(2.0));
  for (int k = 1; k <= 50; ++k) {
    ASSERT_TRUE(arm.step());
    EXPECT_NEAR(arm.velocities()[1], 2.0 * (1.0 - std::exp(-0.1 * k)), 1e-6);
    EXPECT_EQ(arm.velocities()[0], 0.0);
  }
}

TEST(Arm, FreeJointSwingsWhileOtherIsHeld) {
  Arm arm(two(), unlimited());
  arm.reset(Vector{0.7, 0.3}, Vector{0.0, 0.0});
  arm.commands()[0] = Command::position(0.7);
  dynamics::Workspace workspace(arm.model());
  const auto energy = [&] {
    return dynamics::energy(arm.model(), workspace, arm.positions(), arm.velocities()).total();
  };
  const double start = energy();
  double lowest = arm.positions()[1];
  for (int k = 0; k < 3000; ++k) {
    ASSERT_TRUE(arm.step());
    EXPECT_NEAR(arm.positions()[0], 0.7, 1e-14);
    lowest = std::max(lowest, arm.positions()[1]);
  }
  EXPECT_GT(lowest, 1.0) << "the joint did not swing";
  // a drive at rest does no work
  EXPECT_NEAR(energy(), start, 1e-7);
  ASSERT_TRUE(arm.evaluate());
  EXPECT_EQ(arm.efforts()[1], 0.0);
  Vector tau(2);
  dynamics::inverse_dynamics(arm.model(), workspace, arm.positions(), arm.velocities(),
                             arm.accelerations(), tau);
  EXPECT_NEAR(tau[1], 0.0, 1e-10);
  EXPECT_NEAR(tau[0], arm.efforts()[0], 1e-10);
}

TEST(Arm, DrivesSaturateAtEffortLimit) {
  dynamics::Model model = dynamics::model_from_urdf(arm_urdf("", "", "20"));
  Arm arm(model, {});
  arm.reset(Vector{0.0, 0.0}, Vector{0.0, 0.0});
  arm.commands()[0] = Command::position(0.0);
  arm.commands()[1] = Command::position(0.0);
  ASSERT_TRUE(arm.evaluate());
  EXPECT_EQ(arm.efforts()[0], -20.0) << "holding takes more than 49 N m";
  EXPECT_LT(std::abs(arm.efforts()[1]), 20.0);
  EXPECT_NEAR(arm.accelerations()[1], 0.0, 1e-12);
  run(arm, 0.1);
  EXPECT_GT(arm.positions()[0], 0.01) << "the joint did not sink";
  EXPECT_NEAR(arm.positions()[1], 0.0, 1e-4) << "within its effort limit";
  arm.commands()[0] = Command::effort(-1000.0);
  ASSERT_TRUE(arm.evaluate());
  EXPECT_EQ(arm.efforts()[0], -20.0);
}

TEST(Arm, DrivesRespectVelocityAndPositionLimits) {
  ArmOptions options;
  Arm arm(two(), options);
  arm.reset(Vector{-1.5, 0.0}, Vector{0.0, 0.0});
  arm.commands()[0] = Command::position(7.0);
  arm.commands()[1] = Command::position(0.0);
  double fastest = 0.0;
  for (int k = 0; k < 5000; ++k) {
    ASSERT_TRUE(arm.step());
    fastest = dynamics::max_propagating_nan(fastest, arm.velocities()[0]);
    ASSERT_LE(arm.positions()[0], 2.0 + 1e-12);
  }
  EXPECT_LE(fastest, 3.0 + 1e-9);
  EXPECT_GT(fastest, 2.9);
  EXPECT_NEAR(arm.positions()[0], 2.0, 1e-6);
}

TEST(Arm, ImpactsAtPositionLimitsDoNotAddEnergy) {
  Arm arm(two(), {});
  arm.reset(Vector{1.0, 0.0}, Vector{0.0, 0.0});
  dynamics::Workspace workspace(arm.model());
  double energy = std::numeric_limits<double>::infinity();
  bool hit = false;
  for (int k = 0; k < 20000; ++k) {
    ASSERT_TRUE(arm.step()) << arm.fault();
    for (std::size_t i = 0; i < 2; ++i) {
      ASSERT_LE(std::abs(arm.positions()[i]), 2.0);
      hit = hit || std::abs(arm.positions()[i]) == 2.0;
    }
    const double now =
        dynamics::energy(arm.model(), workspace, arm.positions(), arm.velocities()).total();
    ASSERT_LE(now, energy + 1e-7) << "an impact must not add energy";
    energy = now;
  }
  EXPECT_TRUE(hit);
}

TEST(Arm, FrictionMatchesCoreSimulator) {
  const dynamics::Model model = two("<dynamics damping='0.5' friction='0.3'/>");
  dynamics::SimulationOptions options;
  options.duration = 1.0;
  options.q0 = {0.2, 0.4};
  options.rtol = 1e-10;
  // the arm's friction is smooth at low velocities
  const auto plant = dynamics::rigid_plant(model, {.dry_friction = false});
  const auto expected = dynamics::simulate(*plant, options);
  const auto error = [&](double step, std::size_t substeps) {
    ArmOptions fine = unlimited();
    fine.step = step;
    fine.substeps = substeps;
    Arm arm(model, fine);
    EXPECT_EQ(arm.implicit(), substeps == 0);
    arm.reset(options.q0, Vector{0.0, 0.0});
    run(arm, 1.0);
    return std::abs(arm.positions()[0] - expected.q[0].back()) +
           std::abs(arm.positions()[1] - expected.q[1].back());
  };
  EXPECT_LT(error(0.001, 20), 1e-6);
  // stiff: implicit steps
  const double coarse = error(0.001, 0), fine = error(0.0005, 0);
  EXPECT_LT(coarse, 1e-3);
  EXPECT_LT(fine, 0.6 * coarse) << "does not converge";
}

TEST(Arm, RotorInertiaMatchesCoreSimulator) {
  const std::string rotor = "<dynamics damping='0' rotor_inertia='0.3'/>";
  dynamics::SimulationOptions options;
  options.duration = 0.5;
  options.rtol = 1e-11;
  const auto expected = dynamics::simulate(two(rotor), options);
  const auto without = dynamics::simulate(two(), options);
  Arm arm(two(rotor), unlimited());
  arm.reset(Vector{0.0, 0.0}, Vector{0.0, 0.0});
  run(arm, 0.5);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(arm.positions()[i], expected.q[i].back(), 1e-8);
    EXPECT_GT(std::abs(without.q[i].back() - expected.q[i].back()), 0.01) << "it matters";
  }
}

ArmOptions ideal(std::vector<bool> which = {true, true}) {
  ArmOptions options = unlimited();
  options.ideal = std::move(which);
  return options;
}

TEST(Arm, IdealTrackingReachesCommandAtEndOfPeriod) {
  Arm arm(two(), ideal());
  arm.reset(Vector{0.0, 0.0}, Vector{0.0, 0.0});
  dynamics::Workspace workspace(arm.model());
  for (int k = 1; k <= 100; ++k) {  // periods of 5 ms, a sine
    const double t = 0.005 * k, p = std::sin(3.0 * t), v = 3.0 * std::cos(3.0 * t);
    arm.commands()[0] = Command::position(p, v);
    arm.commands()[1] = Command::position(-p);
    arm.begin(5);
    for (int s = 0; s < 5; ++s) ASSERT_TRUE(arm.step()) << arm.fault();
    EXPECT_EQ(arm.positions()[0], p);
    EXPECT_EQ(arm.velocities()[0], v);
    EXPECT_EQ(arm.positions()[1], -p);
    EXPECT_NEAR(arm.velocities()[1], -(p - std::sin(3.0 * (t - 0.005))) / 0.005, 1e-12);
    if (k < 3) continue;  // starts from rest
    ASSERT_TRUE(arm.evaluate());
    EXPECT_NEAR(arm.accelerations()[0], -9.0 * p, 0.05);
    Vector tau(2);
    dynamics::inverse_dynamics(arm.model(), workspace, arm.positions(), arm.velocities(),
                               arm.accelerations(), tau);
    EXPECT_NEAR(arm.efforts()[0], tau[0], 1e-9);
  }
  arm.commands()[1] = Command::velocity(0.5);
  for (int k = 0; k < 10; ++k) ASSERT_TRUE(arm.step());
  EXPECT_EQ(arm.velocities()[1], 0.5) << "without begin() each step is a period";
}

TEST(Arm, IdealTrackingSatisfiesEquationsOfMotion) {
  // joint1 follows q = 0.3 t^2, joint10 is free
  Arm arm(two(), ideal({true, false}));
  arm.reset(Vector{0.0, 0.4}, Vector{0.0, 0.0});
  for (int k = 1; k <= 500; ++k) {
    const double t = 0.001 * k;
    arm.commands()[0] = Command::position(0.3 * t * t, 0.6 * t);
    ASSERT_TRUE(arm.step());
  }
  ASSERT_TRUE(arm.evaluate());
  Vector tau(2);
  dynamics::Workspace workspace(arm.model());
  dynamics::inverse_dynamics(arm.model(), workspace, arm.positions(), arm.velocities(),
                             arm.accelerations(), tau);
  EXPECT_NEAR(arm.accelerations()[0], 0.6, 1e-9);
  EXPECT_NEAR(tau[1], 0.0, 1e-10);
  EXPECT_GT(std::abs(arm.positions()[1] - 0.4), 0.1);
  // the work of the actuator (trapezoidal rule) equals the change of energy
  Arm again(two(), ideal({true, false}));
  again.reset(Vector{0.0, 0.4}, Vector{0.0, 0.0});
  const auto total = [&] { return again.energy().kinetic + again.energy().potential; };
  const double start = total();
  double work = 0.0, power = 0.0;
  for (int k = 1; k <= 500; ++k) {
    const double t = 0.001 * k;
    again.commands()[0] = Command::position(0.3 * t * t, 0.6 * t);
    ASSERT_TRUE(again.step() && again.evaluate());
    const double now = again.efforts()[0] * again.velocities()[0];
    work += 0.0005 * (power + now);
    power = now;
  }
  EXPECT_NEAR(total() - start, work, 1e-5);
}

TEST(Arm, IdealTrackingRespectsLimits) {
  ArmOptions options;
  options.ideal = {true, true};
  Arm arm(two(), options);
  arm.reset(Vector{0.0, 0.0}, Vector{0.0, 0.0});
  arm.commands()[0] = Command::position(7.0);
  arm.commands()[1] = Command::velocity(-50.0);
  ASSERT_TRUE(arm.step());
  EXPECT_NEAR(arm.positions()[0], 0.003, 1e-15) << "3 rad/s";
  for (int k = 0; k < 2000; ++k) {
    ASSERT_TRUE(arm.step());
    ASSERT_LE(arm.positions()[0], 2.0);
    ASSERT_GE(arm.positions()[1], -2.0);
    ASSERT_LE(std::abs(arm.velocities()[1]), 3.0);
  }
  EXPECT_EQ(arm.positions()[0], 2.0);
  EXPECT_EQ(arm.positions()[1], -2.0);
  EXPECT_EQ(arm.velocities()[1], 0.0);
}

TEST(Arm, ImpactsDoNotAffectIdealTracking) {
  ArmOptions options;
  options.ideal = {true, false};
  Arm arm(two(), options);
  arm.reset(Vector{0.0, 0.0}, Vector{0.0, 0.0});
  arm.commands()[0] = Command::position(0.0);
  const auto total = [&] { return arm.energy().kinetic + arm.energy().potential; };
  double energy = total();
  bool hit = false;
  for (int k = 0; k < 2000; ++k) {
    ASSERT_TRUE(arm.step()) << arm.fault();
    ASSERT_EQ(arm.positions()[0], 0.0);
    ASSERT_EQ(arm.velocities()[0], 0.0);
    ASSERT_LE(total(), energy + 1e-9);
    energy = total();
    hit = hit || arm.positions()[1] == 2.0;
  }
  EXPECT_TRUE(hit);
}

TEST(Arm, ContinuesFromAnotherArmWithPayload) {
  Arm arm(two(), unlimited());
  Arm heavier(two().with_payload({"lower", 2.0, {0.5, 0.0, 0.0}, Eigen::Matrix3d::Zero()}),
              unlimited());
  arm.reset(Vector{0.1, 0.2}, Vector{0.0, 0.0});
  arm.commands()[0] = Command::position(0.1);
  arm.commands()[1] = Command::position(0.2);
  run(arm, 0.1);
  ASSERT_TRUE(heavier.continue_from(arm));
  EXPECT_EQ(heavier.positions()[1], arm.positions()[1]);
  EXPECT_EQ(heavier.statistics().steps, 100U);
  const double effort = arm.efforts()[0];
  ASSERT_TRUE(heavier.evaluate());
  EXPECT_GT(std::abs(heavier.efforts()[0]), std::abs(effort) + 5.0) << "the payload has no effect";
  Arm other(dynamics::model_from_dh(dynamics::built_in_robot("puma")), unlimited());
  EXPECT_FALSE(other.continue_from(arm));
}

TEST(Arm, CountsStepsAndEvaluations) {
  Arm arm(two(), unlimited());
  arm.reset(Vector{0.1, 0.2}, Vector{0.0, 0.0});
  run(arm, 0.01);
  EXPECT_EQ(arm.statistics().steps, 10U);
  EXPECT_EQ(arm.statistics().evaluations, 4U * 10U);
  arm.reset(Vector{0.1, 0.2}, Vector{0.0, 0.0});
  EXPECT_EQ(arm.statistics().steps, 0U);
}

TEST(Arm, IsStableForStiffFriction) {
  Arm arm(two("<dynamics damping='2000' friction='50'/>"), unlimited());
  arm.reset(Vector{0.0, 0.0}, Vector{3.0, -3.0});
  run(arm, 1.0);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_LT(std::abs(arm.velocities()[i]), 0.01);
    EXPECT_LT(std::abs(arm.positions()[i]), 0.02);
  }
  // a constant effort leads to the velocity effort / damping
  Arm weightless(two("<dynamics damping='40'/>").with_gravity({0.0, 0.0, 0.0}), unlimited());
  weightless.reset(Vector{0.0, 0.0}, Vector{0.0, 0.0});
  weightless.commands()[0] = Command::effort(8.0);
  weightless.commands()[1] = Command::velocity(0.0);
  run(weightless, 1.0);
  EXPECT_NEAR(weightless.velocities()[0], 0.2, 1e-9);
}

TEST(Arm, ReportsInvalidOptionsAndStates) {
  ArmOptions options;
  options.step = 0.0;
  EXPECT_THROW(Arm(two(), options), std::invalid_argument);
  options.step = 0.02;
  try {
    const Arm arm(two(), options);
    FAIL() << "no exception";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("stable"), std::string::npos) << error.what();
  }
  Arm arm(two(), {});
  EXPECT_THROW(arm.reset(Vector{0.0}, Vector{0.0, 0.0}), std::invalid_argument);
  EXPECT_THROW(arm.reset(Vector{0.0, NAN}, Vector{0.0, 0.0}), std::invalid_argument);
  arm.reset(Vector{0.1, 0.2}, Vector{0.3, 0.4});
  arm.commands()[0] = Command::effort(NAN);
  EXPECT_FALSE(arm.step());
  EXPECT_NE(arm.fault(), "");
  EXPECT_EQ(arm.positions()[1], 0.2);
  EXPECT_EQ(arm.velocities()[1], 0.4);
}

TEST(Allocations, AreCountedForNewAndMalloc) {
  const auto counted = [](const auto& make) {
    const long before = allocations;
    auto made = make();
    asm volatile("" : : "g"(&made) : "memory");  // an unused allocation may be optimized away
    return allocations - before;
  };
  EXPECT_EQ(counted([] { return std::make_unique<double>(1.0); }), 1);
  EXPECT_EQ(counted([] { return Vector(3); }), 1);
  EXPECT_EQ(counted([] { return Eigen::VectorXd(Eigen::VectorXd::Zero(3)); }), 1) << "malloc";
}

TEST(Arm, StepDoesNotAllocate) {
  Arm arm(two("<dynamics damping='0.1' friction='0.1'/>"), {});
  arm.reset(Vector{0.3, -0.4}, Vector{0.0, 0.0});
  bool ok = true;
  const long before = allocations;
  for (int k = 0; k < 3000; ++k) {
    if (k % 300 == 0) {
      arm.commands()[0] = k % 900 == 0    ? Command::effort(2.0)
                          : k % 900 < 600 ? Command::position(1.0)
                                          : Command::velocity(-5.0);
      arm.commands()[1] = k % 600 == 0 ? Command::effort(0.0) : Command::position(-3.0, 1.0);
    }
    ok = ok && arm.step() && arm.evaluate();
  }
  const long count = allocations - before;
  EXPECT_TRUE(ok) << arm.fault();
  EXPECT_EQ(count, 0);
}

}  // namespace
}  // namespace dynamics_sim::test
