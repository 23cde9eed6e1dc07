// SPDX-License-Identifier: Apache-2.0
// Large requests, requests beside a changing model, the model's report, and what the node counts.
#include "../fuzz/requests.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <dynamics_core/check.hpp>
#include <dynamics_core/readers.hpp>
#include <dynamics_core/rigid_dynamics.hpp>
#include <future>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "../src/call_statistics.hpp"
#include "../src/worker_pool.hpp"
#include "messages.hpp"
#include "robots.hpp"
#include "services.hpp"

namespace dynamics_ros::test {
namespace {

// ---- many states at once

class Large : public ::testing::TestWithParam<std::size_t> {
 protected:
  static double value(std::size_t k, double scale) {
    return scale * std::sin(0.37 * static_cast<double>(k) + scale);
  }
  DynamicsServer server{[] {
    ServerOptions options;
    options.batch_threads = 2;
    return options;
  }()};
  dynamics::Model model = dynamics::model_from_urdf(crane);
  dynamics::Workspace workspace{model};
};

TEST_P(Large, EveryStateIsThatOfTheSingleKernel) {
  ASSERT_EQ(server.set_description(crane).code, ResultCode::SUCCESS);
  InverseDynamics::Request inverse;
  inverse.trajectory.joint_names = {"lift", "turn", "reach"};
  inverse.return_parts = true;
  ForwardDynamics::Request forward;
  forward.joint_names = inverse.trajectory.joint_names;
  std::vector<trajectory_msgs::msg::JointTrajectoryPoint> states;
  for (std::size_t k = 0; k < GetParam(); ++k) {
    auto at = point(0.01 * static_cast<double>(k), {value(k, 0.9), value(k, 2.0), value(k, 0.3)},
                    {value(k, 1.1), value(k, 0.7), value(k, 0.4)},
                    {value(k, 5.0), value(k, 3.0), value(k, 2.0)});
    inverse.trajectory.points.push_back(at);
    at.effort = at.accelerations;
    at.accelerations.clear();
    states.push_back(at);
  }
  set_states(forward, states);
  InverseDynamics::Response efforts;
  server.inverse_dynamics(inverse, efforts);
  ASSERT_EQ(efforts.result.code, ResultCode::SUCCESS) << efforts.result.message;
  ForwardDynamics::Response motions;
  server.forward_dynamics(forward, motions);
  ASSERT_EQ(motions.result.code, ResultCode::SUCCESS) << motions.result.message;
  const auto ordered = [](const std::vector<double>& values) {
    return std::vector<double>{values[1], values[0], values[2]};
  };
  std::vector<double> tau(3), qdd(3);
  for (std::size_t k = 0; k < GetParam(); ++k) {
    const auto& at = inverse.trajectory.points[k];
    const auto q = ordered(at.positions), qd = ordered(at.velocities);
    dynamics::inverse_dynamics(model, workspace, q, qd, ordered(at.accelerations), tau);
    dynamics::forward_dynamics(model, workspace, q, qd, ordered(at.accelerations), qdd);
    const auto got = ordered(efforts.trajectory.points[k].effort);
    const auto moved = ordered(row_of(motions.accelerations, k, 3));
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(got[i], tau[i], 1e-12 * (1.0 + std::abs(tau[i])));
      EXPECT_NEAR(moved[i], qdd[i], 1e-12 * (1.0 + std::abs(qdd[i])));
      const auto& parts = efforts.parts;
      const std::size_t at_joint = 3 * k + i;
      EXPECT_NEAR(parts.gravity[at_joint] + parts.coriolis[at_joint] + parts.inertia[at_joint] +
                      parts.friction[at_joint],
                  efforts.trajectory.points[k].effort[i], 1e-11);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Large, ::testing::Values(1, 15, 16, 17, 1003));

TEST(LargeRequests, AStateWithoutAnAnswerIsNamed) {
  const std::string gyro = R"(<robot name="gyro"><link name="base"/>
    <link name="body"><inertial><mass value="1"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
    <joint name="free" type="floating"><parent link="base"/><child link="body"/></joint></robot>)";
  DynamicsServer server({});
  ASSERT_EQ(server.set_description(gyro).code, ResultCode::SUCCESS);
  for (const std::size_t count : {5u, 40u}) {
    ForwardDynamics::Request request;
    request.joint_names = {"free/x", "free/y", "free/z", "free/roll", "free/pitch", "free/yaw"};
    const std::vector<double> q = {0.0, 0.0, 0.0, 0.1, 0.2, 0.3};
    for (std::size_t k = 0; k < count; ++k) {
      request.positions.insert(request.positions.end(), q.begin(), q.end());
    }
    request.positions[3 * 6 + 4] = 1.5707963267948966;
    ForwardDynamics::Response response;
    server.forward_dynamics(request, response);
    EXPECT_EQ(response.result.code, ResultCode::NO_SOLUTION);
    EXPECT_EQ(response.result.message.find("states[3]: "), 0u) << response.result.message;
    EXPECT_NE(response.result.message.find("pitch"), std::string::npos) << response.result.message;
    EXPECT_TRUE(response.accelerations.empty());
  }
}

// ---- whatever comes

/// Bytes at random through what the fuzzer does with its own; a broken promise aborts.
TEST(AnyRequest, IsAnsweredOrRefusedWhole) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string bytes(random() % 600, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    if (!bytes.empty()) bytes[0] = static_cast<char>(i);
    fuzz::requests(bytes);
  }
}

// ---- beside a model that changes

/// Two robots of the same joints, one with twice the weight: every reply is of one of them, whole.
TEST(ChangingModel, EveryReplyIsOfOneModel) {
  std::string heavy = crane;
  for (const char* mass : {"\"5\"", "\"3\"", "\"1.5\"", "\"0.2\""}) {
    const std::string from = std::string("<mass value=") + mass;
    const double value = std::stod(std::string(mass).substr(1));
    heavy.replace(heavy.find(from), from.size(),
                  "<mass value=\"" + std::to_string(2.0 * value) + "\"");
  }
  InverseDynamics::Request request;
  request.trajectory.joint_names = {"turn", "lift", "reach"};
  for (int k = 0; k < 300; ++k) {
    request.trajectory.points.push_back(
        point(0.1 * k, {0.01 * k, 0.002 * k, 0.1}, {0.1, 0.2, 0.0}, {1.0, 2.0, 3.0}));
  }
  DynamicsServer server({});
  const auto answer = [&] {
    InverseDynamics::Response response;
    server.inverse_dynamics(request, response);
    return response;
  };
  ASSERT_EQ(server.set_description(heavy).code, ResultCode::SUCCESS);
  const auto of_heavy = answer();
  ASSERT_EQ(server.set_description(crane).code, ResultCode::SUCCESS);
  const auto of_light = answer();
  ASSERT_NE(of_heavy, of_light);
  std::atomic<bool> going = true;
  std::atomic<int> heavies = 0, lights = 0, mixed = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 3; ++i) {
    clients.emplace_back([&] {
      while (going) {
        const auto response = answer();
        ++(response == of_heavy ? heavies : response == of_light ? lights : mixed);
      }
    });
  }
  for (int i = 0; i < 200 || ((heavies == 0 || lights == 0) && i < 100000); ++i) {
    EXPECT_EQ(server.set_description(i % 3 == 0   ? heavy
                                     : i % 3 == 1 ? "rubbish"
                                                  : crane)
                  .code,
              i % 3 == 1 ? ResultCode::INVALID_VALUE : ResultCode::SUCCESS);
  }
  going = false;
  for (auto& client : clients) client.join();
  EXPECT_EQ(mixed, 0);
  EXPECT_GT(heavies, 0);
  EXPECT_GT(lights, 0);
}

// ---- the model's report

TEST(CheckModelService, IsTheCoresReport) {
  DynamicsServer server({});
  CheckModel::Request request;
  CheckModel::Response response;
  server.check_model(request, response);
  EXPECT_EQ(response.result.code, ResultCode::NO_MODEL);
  ASSERT_EQ(server.set_description(crane).code, ResultCode::SUCCESS);

  const auto expect_report = [&](const std::string& text) {
    server.check_model(request, response);
    ASSERT_EQ(response.result.code, ResultCode::SUCCESS) << response.result.message;
    const auto report = dynamics::check_urdf(text);
    EXPECT_EQ(response.robot, report.robot);
    EXPECT_EQ(response.links, report.links);
    EXPECT_EQ(response.coordinates, report.coordinates);
    EXPECT_EQ(response.loads, report.loads);
    EXPECT_EQ(response.errors, report.count(dynamics::Finding::Severity::error));
    EXPECT_EQ(response.warnings, report.count(dynamics::Finding::Severity::warning));
    ASSERT_EQ(response.findings.size(), report.findings.size());
    for (std::size_t i = 0; i < report.findings.size(); ++i) {
      const auto& got = response.findings[i];
      const auto& expected = report.findings[i];
      EXPECT_EQ(got.severity, static_cast<int>(expected.severity));
      EXPECT_EQ(got.kind, static_cast<int>(expected.kind));
      EXPECT_EQ(got.name, expected.name);
      EXPECT_EQ(got.code, expected.code);
      EXPECT_EQ(got.message, expected.message);
      EXPECT_EQ(got.repair, expected.repair);
      EXPECT_EQ(got.line, expected.line);
    }
    ASSERT_EQ(response.condition_samples, report.condition ? report.condition->samples : 0);
    if (report.condition) {
      EXPECT_EQ(response.condition_largest, report.condition->largest);
      EXPECT_EQ(response.worst_position.positions, report.condition->worst_position);
      EXPECT_EQ(response.worst_position.joint_names.size(), response.coordinates);
    }
  };
  expect_report(crane);
  EXPECT_GT(response.condition_samples, 0u);
  std::string bad = crane;
  bad.replace(bad.find("mass value=\"3\""), 14, "mass value=\"-3\"");
  bad.replace(bad.find("axis xyz=\"0 -1 0\""), 17, "axis xyz=\"0 -2 0\"");
  request.source = CheckModel::Request::TEXT;
  request.urdf = bad;
  request.return_repaired = true;
  expect_report(bad);
  EXPECT_FALSE(response.findings.empty());
  EXPECT_FALSE(response.loads);
  EXPECT_GT(response.errors, 0u);
  EXPECT_EQ(response.repaired, dynamics::repair_urdf(bad));
  EXPECT_NE(response.repaired, bad);

  // what the node refused is what one asks about
  EXPECT_EQ(server.set_description(bad).code, ResultCode::INVALID_VALUE);
  request.source = CheckModel::Request::RECEIVED;
  request.urdf.clear();
  request.return_repaired = false;
  expect_report(bad);
  EXPECT_EQ(response.repaired, "");
  request.source = CheckModel::Request::TEXT;
  request.urdf = "\x01 rubbish <<";
  request.without_condition = true;
  server.check_model(request, response);
  EXPECT_EQ(response.result.code, ResultCode::SUCCESS);
  EXPECT_FALSE(response.loads);
}

// ---- what the node counts, and its threads

TEST(CallStatistics, CountsAndPercentiles) {
  using std::chrono::milliseconds;
  CallStatistics statistics;
  EXPECT_EQ(statistics.summary().calls, 0u);
  ResultCode good, bad;
  bad.code = ResultCode::NOT_FINITE;
  bad.message = "points[1]";
  for (int i = 1; i <= 100; ++i) statistics.add(i == 50 ? bad : good, milliseconds(i));
  auto summary = statistics.summary();
  EXPECT_EQ(summary.calls, 100u);
  EXPECT_EQ(summary.faults, 1u);
  EXPECT_EQ(summary.internal_errors, 0u);
  EXPECT_EQ(summary.last_fault, bad);
  EXPECT_DOUBLE_EQ(summary.median, 0.050);
  EXPECT_DOUBLE_EQ(summary.p99, 0.099);
  EXPECT_DOUBLE_EQ(summary.largest, 0.100);
  for (int i = 0; i < 1024; ++i) statistics.add(good, milliseconds(7));
  EXPECT_DOUBLE_EQ(statistics.summary().largest, 0.007) << "the last ones";
  EXPECT_EQ(statistics.summary().calls, 1124u);
}

TEST(WorkerPool, BoundsWhatRunsAndWaits) {
  std::promise<void> open;
  const std::shared_future<void> gate = open.get_future().share();
  std::atomic<int> done = 0;
  WorkerPool pool(2, 3);
  const auto job = [&done, gate] {
    gate.wait();
    ++done;
  };
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(pool.submit(job)) << i;
  EXPECT_FALSE(pool.submit(job)) << "two run, three wait";
  EXPECT_EQ(pool.load().running + pool.load().waiting, 5u);
  open.set_value();
  while (done < 5) std::this_thread::yield();
  while (pool.load().running > 0) std::this_thread::yield();
  EXPECT_TRUE(pool.submit(job));
  while (done < 6) std::this_thread::yield();
  pool.end();
  EXPECT_FALSE(pool.submit(job));
}

TEST(WorkerPool, WhatWaitsIsDroppedAtTheEnd) {
  std::promise<void> open;
  const std::shared_future<void> gate = open.get_future().share();
  std::atomic<bool> began = false;
  std::atomic<int> done = 0;
  WorkerPool pool(1, 10);
  pool.submit([&] {
    began = true;
    gate.wait();
    ++done;
  });
  for (int i = 0; i < 4; ++i) pool.submit([&done] { ++done; });
  while (!began) std::this_thread::yield();
  std::thread ending([&pool] { pool.end(); });
  while (pool.load().waiting > 0) std::this_thread::yield();
  open.set_value();
  ending.join();
  EXPECT_EQ(done, 1);
}

}  // namespace
}  // namespace dynamics_ros::test
