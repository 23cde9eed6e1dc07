// SPDX-License-Identifier: Apache-2.0
// Moving base, dropped payload, trajectories from files; every scenario on every robot.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics_core/readers.hpp"
#include "dynamics_core/simulate.hpp"
#include "dynamics_core/trajectory.hpp"

namespace dynamics {
namespace {

using testing::HasSubstr;

Model cart(const std::string& axis) {
  return model_from_urdf(R"(<robot name="slider"><link name="base"/><link name="cart"><inertial>
    <mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="rail" type="prismatic"><parent link="base"/><child link="cart"/><axis xyz=")" +
                         axis +
                         R"("/><limit lower="-9" upper="9" effort="99" velocity="99"/></joint>
    </robot>)");
}

template <class Call>
std::string error_message(Call&& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(BaseMotion, FreeCartStaysAtRestInWorld) {
  const BaseHarmonic shake{BaseHarmonic::Axis::x, 0.2, 0.7};
  const double rate = 2.0 * M_PI * 0.7;
  SimulationOptions options;
  options.base = harmonic_base_trajectory({&shake, 1});
  options.qd0 = {-0.2 * rate};  // at rest in the world
  options.duration = 3.0;
  const Recording run = simulate(cart("1 0 0"), options);
  for (std::size_t k = 0; k < run.size(); ++k) {
    EXPECT_NEAR(run.q[0][k], -0.2 * std::sin(rate * run.t[k]), 1e-8);
    EXPECT_NEAR(run.end_effector[0][k], 0.0, 1e-8);
    EXPECT_NEAR(run.kinetic[k], 0.0, 1e-12);
  }
}

TEST(BaseMotion, PowerMatchesEnergyChange) {
  const std::vector<BaseHarmonic> harmonics = {
      {BaseHarmonic::Axis::x, 0.1, 0.9},     {BaseHarmonic::Axis::y, 0.07, 1.1},
      {BaseHarmonic::Axis::z, 0.12, 0.6},    {BaseHarmonic::Axis::roll, 0.2, 0.8},
      {BaseHarmonic::Axis::pitch, 0.3, 0.5}, {BaseHarmonic::Axis::yaw, 0.4, 0.7}};
  for (const char* robot : {"puma", "stanford"}) {
    const DhTable table = built_in_robot(robot);
    SimulationOptions options;
    options.base = harmonic_base_trajectory(harmonics);
    options.q0 = table.q0;
    options.duration = 2.0;
    options.rtol = 1e-11;
    const Recording run = simulate(model_from_dh(table), options);
    EXPECT_GT(std::abs(run.work.back()), 0.1) << robot;
    EXPECT_LT(run.statistics.energy_drift, 1e-8) << robot;
  }
}

TEST(BaseMotion, VelocityAndAccelerationMatchFiniteDifferences) {
  const std::vector<BaseHarmonic> harmonics = {{BaseHarmonic::Axis::x, 0.1, 0.9},
                                               {BaseHarmonic::Axis::roll, 0.2, 0.8},
                                               {BaseHarmonic::Axis::pitch, 0.3, 0.5},
                                               {BaseHarmonic::Axis::yaw, 0.4, 0.7}};
  const auto base = harmonic_base_trajectory(harmonics);
  const double h = 1e-5;
  for (const double t : {0.2, 0.9}) {
    const BaseMotion now = base->at(t), next = base->at(t + h), last = base->at(t - h);
    const Eigen::Matrix3d omega_cross =
        (next.pose.rotation - last.pose.rotation) / (2.0 * h) * now.pose.rotation.transpose();
    EXPECT_LT((omega_cross - skew(now.velocity.angular)).norm(), 1e-8);
    EXPECT_LT(
        ((next.velocity.angular - last.velocity.angular) / (2.0 * h) - now.acceleration.angular)
            .norm(),
        1e-8);
    EXPECT_LT(((next.velocity.linear - last.velocity.linear) / (2.0 * h) - now.acceleration.linear)
                  .norm(),
              1e-8);
  }
}

TEST(BaseMotion, IsReadFromCsv) {
  const auto base = read_base_trajectory_csv("t,z,yaw\n0,0,0\n1,0.5,1\n", "deck.csv");
  const BaseMotion half = base->at(0.5);
  EXPECT_NEAR(half.pose.translation.z(), 0.25, 1e-15);
  EXPECT_NEAR(half.velocity.linear.z(), 0.75,
              1e-15);  // 1.5 times the mean velocity: a cubic with zero velocity at its ends
  EXPECT_NEAR(half.velocity.angular.z(), 1.5, 1e-15);
  EXPECT_THAT(error_message([] { read_base_trajectory_csv("t,height\n0,0\n", "deck.csv"); }),
              HasSubstr("deck.csv:1: none of the columns x, y, z, roll, pitch, yaw is present"));
  EXPECT_THAT(error_message([] { read_base_trajectory_csv("t,x\n0,0\n0,1\n", "deck.csv"); }),
              HasSubstr("deck.csv:3: time 0 is not after 0"));
  EXPECT_THROW(base_axis_from_name("w"), ArgumentError);
  const BaseHarmonic bad{BaseHarmonic::Axis::x, 0.2, 0.0};
  EXPECT_THROW(harmonic_base_trajectory({&bad, 1}), ArgumentError);
}

Payload load(double mass) {
  Payload payload;
  payload.frame = "cart";
  payload.mass = mass;
  return payload;
}

TEST(PayloadDrop, HeldArmRises) {
  // the controller keeps compensating 3 kg although 2 kg are left:
  // 2 q'' = 3 (g - w^2 q - 2 w q') - 2 g ends at q = g/(3 w^2)
  SimulationOptions options;
  options.scenario = Scenario::hold;
  options.payload_changes = {{1.0, std::nullopt}};
  options.duration = 6.0;
  const Recording run = simulate(cart("0 0 1").with_payload(load(1.0)), options);
  EXPECT_NEAR(run.q[0][99], 0.0, 1e-9);
  EXPECT_NEAR(run.q[0].back(), 9.81 / 300.0, 1e-9);
  ASSERT_EQ(run.events.size(), 1U);
  EXPECT_EQ(run.events[0].t, 1.0);
  EXPECT_LT(run.statistics.energy_drift, 1e-8);
  EXPECT_THAT(to_json(run), HasSubstr(R"("inputs":["payload dropped at 1 s"])"));
}

TEST(PayloadDrop, ContinuesAsArmWithoutPayload) {
  const DhTable table = built_in_robot("puma");
  const Model light = model_from_dh(table);
  Payload payload;
  payload.frame = light.frames()[light.end_effector()].name;
  payload.mass = 3.0;
  const Model heavy = light.with_payload(payload);
  SimulationOptions options;
  options.duration = 0.5;
  options.rtol = 1e-12;
  const Recording first = simulate(heavy, options);
  SimulationOptions rest = options;
  for (std::size_t i = 0; i < 6; ++i) {
    rest.q0.push_back(first.q[i].back());
    rest.qd0.push_back(first.qd[i].back());
  }
  const Recording second = simulate(light, rest);
  options.duration = 1.0;
  options.payload_changes = {{0.5, std::nullopt}};
  const Recording complete = simulate(heavy, options);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(complete.q[i].back(), second.q[i].back(), 1e-9);
  EXPECT_LT(complete.statistics.energy_drift, 1e-9);
  EXPECT_THAT(error_message([&] { simulate(light, options); }), HasSubstr("no payload"));
  options.payload_changes = {{2.0, std::nullopt}};
  EXPECT_THAT(error_message([&] { simulate(heavy, options); }),
              HasSubstr("a change of the payload at 2 s must lie within"));
}

TEST(TrajectoryYaml, AcceptsAnyJointOrder) {
  const Model model = model_from_dh(built_in_robot("planar3"));
  const char* const text = R"(
header: {stamp: {sec: 0, nanosec: 0}, frame_id: base}
joint_names: [joint3, joint1, joint2]
points:
  - {positions: [3, 1, 2], velocities: [0.3, 0.1, 0.2], accelerations: [], effort: [],
     time_from_start: {sec: 0, nanosec: 0}}
  - {positions: [6, 4, 5], velocities: [0, 0, 0], time_from_start: {sec: 1, nanosec: 500000000}}
---
)";
  const Knots knots = read_trajectory_yaml(text, "a.yaml", model);
  EXPECT_EQ(knots.t, (std::vector<double>{0.0, 1.5}));
  EXPECT_EQ(knots.q[0], (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(knots.qd[0], (std::vector<double>{0.1, 0.2, 0.3}));
  EXPECT_TRUE(knots.qdd.empty());
  const char* const plain =
      "trajectory:\n  joint_names: [joint1, joint2, joint3]\n  points:\n"
      "  - positions: [1, 2, 3]\n    time_from_start: 0.25\n";
  EXPECT_EQ(read_trajectory_yaml(plain, "a.yaml", model).t[0], 0.25);
}

TEST(TrajectoryYaml, ErrorsNameFileLineAndJoint) {
  const Model model = model_from_dh(built_in_robot("planar3"));
  const auto read = [&](const std::string& names, const std::string& points) {
    return error_message([&] {
      read_trajectory_yaml("joint_names: " + names + "\npoints:\n" + points, "a.yaml", model);
    });
  };
  const std::string all = "[joint1, joint2, joint3]";
  const std::string point = "  - {positions: [1, 2, 3], time_from_start: 1}\n";
  EXPECT_EQ(read(all, point), "");
  EXPECT_THAT(read("[joint1, joint3]", point),
              HasSubstr("a.yaml:1: joint_names: joint 'joint2' of 'planar3' is missing"));
  EXPECT_THAT(read("[joint1, joint2, joint3, elbow]", point),
              HasSubstr("'planar3' has no joint 'elbow'; it has joint1, joint2, joint3"));
  EXPECT_THAT(read("[joint1, joint1, joint3]", point), HasSubstr("'joint1' appears twice"));
  EXPECT_THAT(read(all, point + point),
              HasSubstr("a.yaml:4: points[2].time_from_start: time 1 is not after 1"));
  EXPECT_THAT(read(all, "  - {positions: [1, 2], time_from_start: 1}\n"),
              HasSubstr("must be a list of 3 numbers"));
  EXPECT_THAT(read(all, "  - {positions: [1, 2, x], time_from_start: 1}\n"), HasSubstr("'x'"));
  EXPECT_THAT(read(all, "  - {positions: [1, 2, 3]}\n"), HasSubstr("'time_from_start' is missing"));
  EXPECT_THAT(read(all, "  - {positions: [1, 2, 3], time_from_start: -1}\n"),
              HasSubstr("is negative"));
  EXPECT_THAT(read(all, point + "  - {positions: [1, 2, 3], velocities: [0, 0, 0], "
                                "time_from_start: 2}\n"),
              HasSubstr("velocities must be given for all points or for none"));
}

TEST(Scenarios, RunOnAllRobots) {
  std::vector<Model> models;
  for (const auto name : built_in_robots()) models.push_back(model_from_dh(built_in_robot(name)));
  models.push_back(cart("0 0 1"));
  for (const Model& model : models) {
    for (const auto scenario :
         {Scenario::free_fall, Scenario::forced, Scenario::hold, Scenario::computed_torque}) {
      for (const bool everything : {false, true}) {
        SimulationOptions options;
        options.scenario = scenario;
        options.duration = 0.3;
        const std::vector<double> zero(model.size(), 0.0), end(model.size(), 0.1);
        if (scenario == Scenario::forced || scenario == Scenario::computed_torque)
          options.trajectory = cycloid_trajectory(zero, end, 1.0);
        Model robot = model;
        if (everything) {
          Payload payload;
          payload.frame = model.frames()[model.end_effector()].name;
          payload.mass = 0.5;
          robot = model.with_payload(payload);
          options.payload_changes = {{0.15, std::nullopt}};
          options.limits = true;
          options.restitution = 0.3;
          const BaseHarmonic shake{BaseHarmonic::Axis::z, 0.05, 2.0};
          options.base = harmonic_base_trajectory({&shake, 1});
        }
        const Recording run = simulate(robot, options);
        EXPECT_TRUE(run.statistics.completed) << model.name() << run.statistics.ending;
        EXPECT_LT(run.statistics.energy_drift, 1e-6) << model.name() << to_string(scenario);
      }
    }
  }
}

}  // namespace
}  // namespace dynamics
