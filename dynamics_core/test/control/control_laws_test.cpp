// SPDX-License-Identifier: Apache-2.0
// The stock controllers and users' controllers: closed forms, steady states, energy balance, no
// allocation.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "dynamics_core/simulate.hpp"
#include "dynamics_core/view.hpp"
#include "support/allocation_counter.hpp"
#include "support/refusals.hpp"

namespace dynamics {
namespace {

using ::testing::HasSubstr;

Model puma() { return model_from_dh(built_in_robot("puma")); }

const std::vector<double> bent = {0.1, 0.5, -0.8, 0.3, 0.7, 0.2};

/// All stock controllers with options that they need.
std::vector<std::unique_ptr<Controller>> all_controllers(std::size_t joints) {
  std::vector<std::unique_ptr<Controller>> all;
  for (const ControllerName& known : controller_names()) {
    ControllerOptions options;
    if (known.name == "operational-space-impedance") options.stiffness = {800.0, 60.0};
    if (known.name == "torques") {
      options.torques = {{0.0, 0.5, 1.0},
                         {std::vector<double>(joints, 0.0), std::vector<double>(joints, 1.0),
                          std::vector<double>(joints, -1.0)},
                         {},
                         {}};
    }
    all.push_back(make_controller(known.name, options));
  }
  return all;
}

double tracking_error(const Recording& run) {
  double largest = 0.0;
  for (std::size_t i = 0; i < run.q.size(); ++i) {
    for (std::size_t k = 0; k < run.size(); ++k)
      largest = max_propagating_nan(largest, std::abs(run.desired[i][k] - run.q[i][k]));
  }
  return largest;
}

TEST(ControlLaws, ComputedTorqueFollowsTheCycloidOfThePuma) {
  const DhTable table = built_in_robot("puma");
  SimulationOptions options;
  options.trajectory = forced_trajectory(*table.forced, table.q0);
  options.q0 = table.q0;
  auto controller = make_controller("computed-torque");
  const Recording run = simulate(puma(), *controller, options);
  ASSERT_TRUE(run.statistics.completed);
  EXPECT_LT(tracking_error(run), 1e-9);
  EXPECT_EQ(run.settings.controller, "computed-torque");
  EXPECT_EQ(run.settings.gains, "bandwidth 10; damping 1");
}

TEST(ControlLaws, EveryFeedbackReturnsToTheReference) {
  const DhTable table = built_in_robot("puma");
  SimulationOptions options;
  options.duration = 14.0;
  options.trajectory = forced_trajectory(*table.forced, bent);
  options.q0 = bent;
  for (double& q : options.q0) q += 0.05;
  for (const char* name : {"pd-gravity", "feedforward-pd", "computed-torque", "joint-impedance"}) {
    auto controller = make_controller(name);
    const Recording run = simulate(puma(), *controller, options);
    ASSERT_TRUE(run.statistics.completed) << name;
    EXPECT_GT(tracking_error(run), 0.04) << name;
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_NEAR(run.q[i].back(), run.desired[i].back(), 1e-6) << name << i;
  }
}

TEST(ControlLaws, ComputedTorqueErrorDecaysAsItsGainsSay) {
  // e'' + kd e' + kp e = 0 in every joint, underdamped
  const double kp = 40.0, kd = 4.0, e0 = 0.3;
  auto controller = make_controller("computed-torque", {.gains = {.kp = {kp}, .kd = {kd}}});
  SimulationOptions options;
  options.duration = 2.0;
  options.q0 = bent;
  std::vector<double> target = bent;
  for (double& q : target) q += e0;
  options.trajectory = hold_trajectory(target);
  const Recording run = simulate(puma(), *controller, options);
  const double w = std::sqrt(kp - 0.25 * kd * kd);
  for (std::size_t k = 0; k < run.size(); ++k) {
    const double t = run.t[k];
    const double e =
        e0 * std::exp(-0.5 * kd * t) * (std::cos(w * t) + 0.5 * kd / w * std::sin(w * t));
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(target[i] - run.q[i][k], e, 1e-8);
  }
}

TEST(ControlLaws, PdSagsUntilItsStiffnessCarriesTheWeight) {
  auto controller = make_controller("pd", {.gains = {.kp = {900.0}, .kd = {120.0}}});
  SimulationOptions options;
  options.duration = 40.0;
  options.q0 = bent;
  const Model model = puma();
  const Recording run = simulate(model, *controller, options);
  std::vector<double> q(6), gravity(6);
  for (std::size_t i = 0; i < 6; ++i) q[i] = run.q[i].back();
  Workspace workspace(model);
  gravity_forces(model, workspace, q, gravity);
  EXPECT_GT(std::abs(gravity[1]), 1.0);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(900.0 * (bent[i] - q[i]), gravity[i], 1e-5) << i;
}

TEST(ControlLaws, JointImpedanceDeflectsByForceOverStiffness) {
  const Model model = puma();
  auto controller =
      make_controller("joint-impedance", {.gains = {.kp = {200.0}, .damping = {0.8}}});
  SimulationOptions options;
  options.duration = 30.0;
  options.q0 = bent;
  options.wrenches = {push("tool0", {5.0, -8.0, 6.0}, 0.5, 1e9)};
  const Recording run = simulate(model, *controller, options);
  std::vector<double> q(6), torque(6);
  for (std::size_t i = 0; i < 6; ++i) q[i] = run.q[i].back();
  Workspace workspace(model);
  const LinkWrench wrench[] = {{model.frame("tool0"),
                                {Eigen::Vector3d::Zero(), {5.0, -8.0, 6.0}},
                                Axes::local_world_aligned}};
  wrenches_to_joint_torques(model, workspace, q, wrench, torque);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(200.0 * (q[i] - bent[i]), torque[i], 1e-6) << i;
}

TEST(ControlLaws, OperationalSpaceImpedanceDeflectsByForceOverStiffness) {
  const Eigen::Vector3d force(6.0, -9.0, 12.0);
  for (const std::vector<double>& stiffness :
       {std::vector<double>{1000.0, 80.0}, {90.0, 70.0, 80.0, 800.0, 1200.0, 1500.0}}) {
    auto controller = make_controller("operational-space-impedance", {.stiffness = stiffness});
    SimulationOptions options;
    options.duration = 30.0;
    options.q0 = bent;
    options.wrenches = {push("tool0", force, 0.5, 1e9)};
    const Recording run = simulate(puma(), *controller, options);
    ASSERT_TRUE(run.statistics.completed);
    for (std::size_t k = 0; k < 3; ++k) {
      const double K = stiffness.size() == 2 ? stiffness[0] : stiffness[3 + k];
      const double deflection = run.end_effector[k].back() - run.end_effector[k].front();
      EXPECT_NEAR(deflection, force[static_cast<Eigen::Index>(k)] / K, 1e-6) << k;
    }
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_NEAR(run.end_effector_orientation[k].back(), run.end_effector_orientation[k].front(),
                  1e-7);
    }
  }
}

TEST(ControlLaws, OperationalSpaceImpedanceHasTheDampingRatio) {
  // a cart: the frame's inertia is its mass, e'' + 2 damping w e' + w^2 e = 0
  const Model cart = model_from_urdf(
      R"(<robot name="cart"><link name="base"/><link name="body"><inertial><mass value="2"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="rail" type="prismatic"><parent link="base"/><child link="body"/>
      <axis xyz="1 0 0"/><limit lower="-9" upper="9" effort="99" velocity="9"/></joint></robot>)");
  const double damping = 0.3, w = std::sqrt(50.0 / 2.0);
  auto controller = make_controller("operational-space-impedance",
                                    {.gains = {.damping = {damping}}, .stiffness = {50.0}});
  SimulationOptions options;
  options.duration = 3.0;
  options.q0 = {0.4};
  options.trajectory = hold_trajectory({0.0});
  const Recording run = simulate(cart, *controller, options);
  const double decay = damping * w, rate = w * std::sqrt(1.0 - damping * damping);
  for (std::size_t k = 0; k < run.size(); ++k) {
    const double t = run.t[k];
    const double x =
        0.4 * std::exp(-decay * t) * (std::cos(rate * t) + decay / rate * std::sin(rate * t));
    EXPECT_NEAR(run.q[0][k], x, 1e-8);
  }
}

TEST(ControlLaws, PostureMovesARedundantArmWithoutMovingItsHand) {
  const Model panda = model_from_urdf_file(std::string(DYNAMICS_URDF_DIR) + "/panda.urdf");
  auto controller = make_controller(
      "operational-space-impedance",
      {.gains = {.bandwidth = {3.0}}, .frame = "panda_link8", .stiffness = {900, 70}});
  SimulationOptions options;
  options.duration = 12.0;
  options.friction = false;
  options.q0 = {0.0, -0.3, 0.0, -2.0, 0.0, 1.9, 0.7};
  options.qd0 = std::vector<double>(7, 0.0);
  // a velocity in the null space of the frame's Jacobian
  Workspace workspace(panda);
  Eigen::MatrixXd J(6, 7);
  const std::size_t frame = panda.frame("panda_link8");
  jacobian(panda, workspace, options.q0, frame, Axes::local_world_aligned, J);
  const Eigen::VectorXd kernel = J.fullPivLu().kernel().col(0).normalized();
  for (std::size_t i = 0; i < 7; ++i) options.qd0[i] = 0.5 * kernel[static_cast<Eigen::Index>(i)];
  const Recording run = simulate(panda, *controller, options);
  const Pose start = frame_pose(panda, workspace, options.q0, frame);
  double moved = 0.0, hand = 0.0;
  std::vector<double> q(7);
  for (std::size_t k = 0; k < run.size(); ++k) {
    for (std::size_t i = 0; i < 7; ++i) {
      q[i] = run.q[i][k];
      moved = max_propagating_nan(moved, std::abs(q[i] - options.q0[i]));
    }
    const Pose now = frame_pose(panda, workspace, q, frame);
    hand = max_propagating_nan(hand, (now.translation - start.translation).norm());
  }
  EXPECT_GT(moved, 0.02);
  EXPECT_LT(hand, 1e-6);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(run.q[i].back(), options.q0[i], 1e-6) << i;
}

TEST(ControlLaws, TorqueHistoriesInterpolateAsTheyAreNamed) {
  const Model model = puma();
  const auto plant = rigid_plant(model);
  const std::vector<double> zero(6, 0.0);
  const Knots knots = {{1.0, 2.0, 4.0}, {zero, std::vector<double>(6, 3.0), zero}, {}, {}};
  const auto at = [&](const char* name, double t) {
    auto controller = make_controller(
        "torques", {.torques = knots, .interpolation = interpolation_from_name(name)});
    controller->start(*plant, zero, zero);
    std::vector<double> tau(6);
    controller->torques({t, zero, zero, zero, zero, zero, *plant}, tau);
    return tau[2];
  };
  EXPECT_EQ(at("zero", 0.5), 0.0);
  EXPECT_EQ(at("zero", 2.0), 3.0);
  EXPECT_EQ(at("zero", 3.99), 3.0);
  EXPECT_EQ(at("zero", 4.0), 0.0);
  EXPECT_EQ(at("zero", 9.0), 0.0);
  EXPECT_EQ(at("linear", 1.25), 0.75);
  EXPECT_EQ(at("linear", 3.0), 1.5);
  EXPECT_EQ(at("linear", 9.0), 0.0);
  EXPECT_EQ(at("cubic", 2.0), 3.0);
  EXPECT_GT(at("cubic", 2.1), 3.0 * 0.9);
  EXPECT_EQ(at("cubic", 9.0), 0.0);
}

TEST(ControlLaws, ReplayedTorquesRepeatTheMotion) {
  SimulationOptions options;
  options.duration = 1.0;
  options.sample = 0.001;
  options.q0 = bent;
  options.trajectory = cycloid_trajectory(bent, std::vector<double>(6, 0.4), 1.0);
  auto controller = make_controller("computed-torque");
  const Model model = puma();
  const Recording run = simulate(model, *controller, options);
  const std::string csv = to_csv(run);
  auto replay =
      make_controller("torques", {.torques = read_torques_csv(csv, "run.csv", model),
                                  .interpolation = ControllerOptions::Interpolation::cubic});
  options.trajectory = nullptr;
  const Recording again = simulate(model, *replay, options);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(again.q[i].back(), run.q[i].back(), 1e-5);
  EXPECT_TRUE(again.desired.empty());
}

/// A user's controller: viscous damping in all joints.
class Damper final : public Controller {
 public:
  void torques(const ControlInput& now, std::span<double> tau) override {
    for (std::size_t i = 0; i < tau.size(); ++i) tau[i] = -2.0 * now.qd[i];
  }
};

TEST(ControlLaws, UsersControllerKeepsEnergiesLimitsAndEvents) {
  SimulationOptions options;
  options.duration = 3.0;
  options.limits = true;
  Damper damper;
  const Recording run = simulate(puma(), damper, options);
  ASSERT_TRUE(run.statistics.completed);
  EXPECT_EQ(run.settings.controller, "user");
  EXPECT_LT(run.statistics.energy_drift, 1e-8);
  for (std::size_t k = 0; k < run.size(); ++k) {
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(run.tau[i][k], -2.0 * run.qd[i][k]);
  }
  auto same = function_controller([](const ControlInput& now, std::span<double> tau) {
    for (std::size_t i = 0; i < tau.size(); ++i) tau[i] = -2.0 * now.qd[i];
  });
  EXPECT_EQ(simulate(puma(), *same, options).q[1], run.q[1]);
}

TEST(ControlLaws, TorquesThatAreNotFiniteEndTheRunWithTheirJoint) {
  auto bad = function_controller([](const ControlInput&, std::span<double> tau) {
    std::fill(tau.begin(), tau.end(), 0.0);
    tau[3] = std::nan("");
  });
  SimulationOptions options;
  try {
    simulate(puma(), *bad, options);
    FAIL() << "accepted";
  } catch (const StateError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the torque of joint 'joint4' is not finite"));
  }
}

TEST(ControlLaws, WorkExplainsTheEnergyOfEveryController) {
  const Model model = puma();
  for (const double period : {0.0, 0.004}) {
    for (const auto& controller : all_controllers(6)) {
      SimulationOptions options;
      options.duration = 1.0;
      options.q0 = bent;
      options.sampling.period = controller->is_passive() ? 0.0 : period;
      options.wrenches = {push("link4", {10.0, 20.0, -5.0}, 0.2, 0.3)};
      const Recording run = simulate(model, *controller, options);
      EXPECT_TRUE(run.statistics.completed) << controller->name();
      EXPECT_LT(run.statistics.energy_drift, 1e-7) << controller->name() << " " << period;
      EXPECT_GT(max_abs(run.kinetic), 1e-3) << controller->name();
    }
  }
}

TEST(ControlLaws, FlexibleArmTakesEveryJointController) {
  const DhTable table = built_in_robot("canadarm");
  const FlexibleModel model(model_from_dh(table));
  for (const auto& controller : all_controllers(model.joint_count())) {
    if (controller->name() == "operational-space-impedance") continue;
    SimulationOptions options;
    options.duration = 0.5;
    options.q0 = table.q0;
    options.qd0 = std::vector<double>(model.joint_count(), 0.01);
    const auto plant = flexible_plant(model);
    const Recording run = simulate(*plant, *controller, options);
    EXPECT_TRUE(run.statistics.completed) << controller->name();
    EXPECT_LT(run.statistics.energy_drift, 1e-6) << controller->name();
  }
}

TEST(ControlLaws, NothingAllocatesInTheLoop) {
  if (!test::allocation_counter::available()) GTEST_SKIP() << "allocations cannot be counted";
  for (const char* file : {"ur5e.urdf", "panda.urdf"}) {
    const Model model = model_from_urdf_file(std::string(DYNAMICS_URDF_DIR) + "/" + file);
    const std::size_t n = model.size();
    const auto plant = rigid_plant(model);
    const std::vector<double> q(n, 0.3), qd(n, 0.2), ref(n, 0.5);
    std::vector<double> tau(n);
    for (const auto& controller : all_controllers(n)) {
      controller->start(*plant, q, qd);
      test::allocation_counter::start();
      controller->torques({0.3, q, qd, ref, ref, ref, *plant}, tau);
      const Status status = controller->try_torques({0.3, q, qd, ref, ref, ref, *plant}, tau);
      EXPECT_EQ(test::allocation_counter::stop(), 0U) << controller->name() << " " << file;
      EXPECT_EQ(status, Status::ok) << controller->name();
    }
  }
}

TEST(ControlLaws, TryTorquesReportsBadStates) {
  const Model model = puma();
  const auto plant = rigid_plant(model);
  std::vector<double> q(6, 0.1), tau(6, 7.0);
  const std::vector<double> zero(6, 0.0), inf(6, HUGE_VAL);
  auto controller = make_controller("pd-gravity");
  controller->start(*plant, q, zero);
  EXPECT_EQ(controller->try_torques({0.0, q, inf, q, zero, zero, *plant}, tau), Status::not_finite);
  q[2] = std::nan("");
  EXPECT_EQ(controller->try_torques({0.0, q, zero, zero, zero, zero, *plant}, tau),
            Status::not_finite);
  EXPECT_EQ(tau, std::vector<double>(6, 7.0));
}

TEST(ControlLaws, GainsByBandwidthAreThoseOfTheInertia) {
  const Model model = puma();
  Workspace workspace(model);
  Eigen::MatrixXd M(6, 6);
  inertia_matrix(model, workspace, bent, M);
  const std::vector<double> bandwidth = {5.0, 6.0, 7.0, 8.0, 9.0, 10.0};
  std::vector<double> kp, kd;
  for (std::size_t i = 0; i < 6; ++i) {
    const double m = M(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i));
    kp.push_back(m * bandwidth[i] * bandwidth[i]);
    kd.push_back(2.0 * 0.7 * bandwidth[i] * m);
  }
  const auto plant = rigid_plant(model);
  const std::vector<double> zero(6, 0.0);
  const auto torques = [&](const Gains& gains) {
    auto controller = make_controller("pd", {.gains = gains});
    controller->start(*plant, bent, zero);
    std::vector<double> tau(6);
    controller->torques({0.0, bent, bandwidth, zero, zero, zero, *plant}, tau);
    return tau;
  };
  const auto direct = torques({.kp = kp, .kd = kd});
  const auto derived = torques({.bandwidth = bandwidth, .damping = {0.7}});
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(derived[i] / direct[i], 1.0, 1e-12);
}

TEST(ControlLaws, RefusesWhatDoesNotFit) {
  const auto making = [](const char* name, const ControllerOptions& options) {
    return test::argument_error([&] { make_controller(name, options); });
  };
  EXPECT_THAT(making("pdd", {}), HasSubstr("unknown controller 'pdd': it must be one of none"));
  EXPECT_THAT(making("pd", {.gains = {.kp = {-1.0}}}), HasSubstr("kp[0] is -1"));
  EXPECT_THAT(making("pd", {.gains = {.bandwidth = {0.0}}}), HasSubstr("bandwidth[0] is 0"));
  EXPECT_THAT(making("pd", {.gains = {.kp = {1.0}, .bandwidth = {1.0}}}),
              HasSubstr("kp and bandwidth exclude each other"));
  EXPECT_THAT(making("pd", {.gains = {.kd = {1.0}}}), HasSubstr("kd is given without kp"));
  EXPECT_THAT(making("none", {.gains = {.kp = {1.0}}}), HasSubstr("kp has no effect"));
  EXPECT_THAT(making("pd", {.frame = "tool0"}), HasSubstr("frame has no effect"));
  EXPECT_THAT(making("torques", {}), HasSubstr("it has no points"));
  EXPECT_THAT(making("operational-space-impedance", {}), HasSubstr("stiffness has 0 entries"));
  EXPECT_THAT(making("operational-space-impedance", {.stiffness = {0.0}}),
              HasSubstr("every entry must be positive"));
  const auto simulating = [](const char* name, const ControllerOptions& options,
                             SimulationOptions simulation = {}) {
    return test::argument_error(
        [&] { simulate(puma(), *make_controller(name, options), simulation); });
  };
  EXPECT_THAT(simulating("pd", {.gains = {.kp = {1.0, 2.0}}}),
              HasSubstr("kp has 2 entries; 1 for all joints or 6"));
  EXPECT_THAT(simulating("operational-space-impedance", {.frame = "nose", .stiffness = {1.0}}),
              HasSubstr("no frame 'nose'"));
  SimulationOptions scenario;
  scenario.scenario = Scenario::hold;
  EXPECT_THAT(simulating("pd", {}, scenario), HasSubstr("simulate() without a controller"));
  SimulationOptions shaken;
  const BaseHarmonic shake{BaseHarmonic::Axis::z, 0.05, 2.0};
  shaken.base = harmonic_base_trajectory({&shake, 1});
  EXPECT_THAT(simulating("operational-space-impedance", {.stiffness = {1.0}}, shaken),
              HasSubstr("needs a base at rest"));
}

}  // namespace
}  // namespace dynamics
