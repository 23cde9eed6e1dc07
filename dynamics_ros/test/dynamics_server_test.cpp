// SPDX-License-Identifier: Apache-2.0
// Answers against the core and closed forms.
#include "dynamics_ros/dynamics_server.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <dynamics_core/inertia_matrix.hpp>
#include <dynamics_core/kinematics.hpp>
#include <dynamics_core/readers.hpp>
#include <dynamics_core/rigid_dynamics.hpp>
#include <limits>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "messages.hpp"
#include "robots.hpp"
#include "services.hpp"

namespace dynamics_ros::test {
namespace {

constexpr double tolerance = 1e-12;

TEST(InverseDynamics, PendulumInClosedForm) {
  DynamicsServer server({});
  ASSERT_EQ(server.set_description(pendulum).code, ResultCode::SUCCESS);
  InverseDynamics::Request request;
  request.trajectory.joint_names = {"swing"};
  request.trajectory.points = {point(0.0, {0.3}, {0.0}, {0.0}), point(0.5, {0.7}, {1.5}, {-2.0}),
                               point(1.0, {1.4}, {2.0}, {9.0})};
  request.return_parts = true;
  InverseDynamics::Response response;
  server.inverse_dynamics(request, response);
  ASSERT_EQ(response.result.code, ResultCode::SUCCESS) << response.result.message;
  ASSERT_EQ(response.trajectory.points.size(), 3u);
  ASSERT_EQ(response.parts.gravity.size(), 3u);
  std::vector<double> expected;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto& at = request.trajectory.points[k];
    const double v = at.velocities[0];
    const double gravity = 2.0 * 9.81 * 0.5 * std::sin(at.positions[0]);
    const double inertia = (0.1 + 2.0 * 0.25 + 0.05) * at.accelerations[0];
    const double friction = 0.7 * v + 0.3 * v / std::sqrt(v * v + 0.01 * 0.01);
    expected.push_back(gravity + inertia + friction);
    EXPECT_NEAR(response.trajectory.points[k].effort[0], expected[k], tolerance);
    EXPECT_NEAR(response.parts.gravity[k], gravity, tolerance);
    EXPECT_NEAR(response.parts.coriolis[k], 0.0, tolerance);
    EXPECT_NEAR(response.parts.inertia[k], inertia, tolerance);
    EXPECT_NEAR(response.parts.friction[k], friction, tolerance);
  }
  // 12 N m allowed; only the last point asks for more
  EXPECT_FALSE(response.verdict.within_limits);
  EXPECT_EQ(response.verdict.first_violating_point, 2);
  EXPECT_EQ(response.verdict.first_violating_joint, "swing");
  EXPECT_EQ(response.verdict.peak_point[0], 2u);
  EXPECT_NEAR(response.verdict.peak[0], expected[2], tolerance);
  EXPECT_NEAR(response.verdict.ratio[0], expected[2] / 12.0, tolerance);
  EXPECT_FALSE(response.velocities_from_spline);
  EXPECT_FALSE(response.accelerations_from_spline);
}

class Crane : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(server.set_description(crane).code, ResultCode::SUCCESS);
    ASSERT_EQ(model.coordinate_names(), (std::vector<std::string>{"turn", "lift", "reach"}));
  }

  DynamicsServer server{{}};
  dynamics::Model model = dynamics::model_from_urdf(crane);
  dynamics::Workspace workspace{model};
};

TEST_F(Crane, InverseDynamicsInAnyJointOrder) {
  const std::vector<double> q = {0.4, -0.3, 0.2}, qd = {1.1, -0.6, 0.3}, qdd = {2.0, 1.0, -3.0};
  std::vector<double> tau(3), frictionless(3);
  dynamics::inverse_dynamics(model, workspace, q, qd, qdd, tau);
  dynamics::ExternalInputs external;
  external.friction = false;
  dynamics::inverse_dynamics(model, workspace, q, qd, qdd, frictionless, external);

  InverseDynamics::Request request;
  request.trajectory.header.frame_id = "kept";
  request.trajectory.joint_names = {"reach", "turn", "lift"};
  request.trajectory.points = {point(0.25, {0.2, 0.4, -0.3}, {0.3, 1.1, -0.6}, {-3.0, 2.0, 1.0})};
  request.return_parts = true;
  InverseDynamics::Response response;
  server.inverse_dynamics(request, response);
  ASSERT_EQ(response.result.code, ResultCode::SUCCESS) << response.result.message;
  EXPECT_EQ(response.trajectory.header.frame_id, "kept");
  EXPECT_EQ(response.trajectory.joint_names, request.trajectory.joint_names);
  EXPECT_EQ(response.trajectory.points[0].positions, request.trajectory.points[0].positions);
  const std::vector<double> expected = {tau[2], tau[0], tau[1]};
  for (std::size_t i = 0; i < 3; ++i) {
    const double effort = response.trajectory.points[0].effort[i];
    EXPECT_NEAR(effort, expected[i], tolerance) << i;
    const auto& parts = response.parts;
    EXPECT_NEAR(parts.gravity[i] + parts.coriolis[i] + parts.inertia[i] + parts.friction[i], effort,
                tolerance);
  }
  EXPECT_EQ(response.verdict.joint_names, request.trajectory.joint_names);
  EXPECT_EQ(response.verdict.limit, (std::vector<double>{40.0, 100.0, 60.0}));

  request.without_friction = true;
  server.inverse_dynamics(request, response);
  EXPECT_NEAR(response.trajectory.points[0].effort[1], frictionless[0], tolerance);
  EXPECT_EQ(response.parts.friction, (std::vector<double>{0.0, 0.0, 0.0}));
  request.return_parts = false;
  server.inverse_dynamics(request, response);
  EXPECT_EQ(response.parts, dynamics_msgs::msg::EffortParts());
}

TEST_F(Crane, OtherJointsStand) {
  const std::vector<double> q = {0.9, -0.3, 0.2}, qd = {0.0, 0.5, 0.0}, qdd = {0.0, 2.0, 0.0};
  std::vector<double> tau(3);
  dynamics::inverse_dynamics(model, workspace, q, qd, qdd, tau);
  InverseDynamics::Request request;
  request.trajectory.joint_names = {"lift"};
  request.trajectory.points = {point(0.0, {-0.3}, {0.5}, {2.0})};
  request.other_joints.joint_names = {"reach", "turn"};
  request.other_joints.positions = {0.2, 0.9};
  InverseDynamics::Response response;
  server.inverse_dynamics(request, response);
  ASSERT_EQ(response.result.code, ResultCode::SUCCESS) << response.result.message;
  ASSERT_EQ(response.trajectory.points[0].effort.size(), 1u);
  EXPECT_NEAR(response.trajectory.points[0].effort[0], tau[1], tolerance);
}

TEST_F(Crane, MissingRatesComeFromTheSpline) {
  // reach follows t^2 (3 - 2 t) between rest and rest: a cubic, exactly the spline
  InverseDynamics::Request request;
  request.trajectory.joint_names = {"turn", "lift", "reach"};
  request.trajectory.points = {point(0.0, {0.0, 0.0, 0.0}), point(1.0, {0.0, 0.0, 1.0})};
  InverseDynamics::Response response;
  server.inverse_dynamics(request, response);
  ASSERT_EQ(response.result.code, ResultCode::SUCCESS) << response.result.message;
  EXPECT_TRUE(response.velocities_from_spline);
  EXPECT_TRUE(response.accelerations_from_spline);
  EXPECT_TRUE(response.trajectory.points[0].accelerations.empty()) << "the request stays as it was";
  for (std::size_t k = 0; k < 2; ++k) {
    const std::vector<double> q = request.trajectory.points[k].positions, rest = {0.0, 0.0, 0.0};
    const std::vector<double> qdd = {0.0, 0.0, k == 0 ? 6.0 : -6.0};
    std::vector<double> tau(3);
    dynamics::inverse_dynamics(model, workspace, q, rest, qdd, tau);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(response.trajectory.points[k].effort[i], tau[i], tolerance);
    }
  }
  // with velocities only: the cubic from 0 to 1 with speed 1 at both ends is the straight line
  for (auto& at : request.trajectory.points) at.velocities = {0.0, 0.0, 1.0};
  server.inverse_dynamics(request, response);
  EXPECT_FALSE(response.velocities_from_spline);
  EXPECT_TRUE(response.accelerations_from_spline);
  std::vector<double> tau(3);
  dynamics::inverse_dynamics(model, workspace, request.trajectory.points[1].positions,
                             std::vector<double>{0.0, 0.0, 1.0}, std::vector<double>(3, 0.0), tau);
  EXPECT_NEAR(response.trajectory.points[1].effort[2], tau[2], tolerance);
}

TEST_F(Crane, CheckTorqueLimitsAgreesWithInverseDynamics) {
  InverseDynamics::Request inverse;
  inverse.trajectory.joint_names = {"lift", "turn", "reach"};
  for (int k = 0; k < 20; ++k) {
    const double s = 0.1 * k;
    inverse.trajectory.points.push_back(
        point(s, {0.1 * s, s, 0.2}, {0.1, 1.0, 0.0}, {20.0 * s, 10.0 * s, 0.0}));
  }
  CheckTorqueLimits::Request check;
  check.trajectory = inverse.trajectory;
  InverseDynamics::Response efforts;
  CheckTorqueLimits::Response verdict;
  server.inverse_dynamics(inverse, efforts);
  server.check_torque_limits(check, verdict);
  ASSERT_EQ(verdict.result.code, ResultCode::SUCCESS);
  EXPECT_EQ(verdict.verdict, efforts.verdict);
  ASSERT_GT(verdict.verdict.first_violating_point, 0);
  const auto first = static_cast<std::size_t>(verdict.verdict.first_violating_point);
  EXPECT_GT(std::abs(efforts.trajectory.points[first].effort[0]), 60.0);
  EXPECT_LE(std::abs(efforts.trajectory.points[first - 1].effort[0]), 60.0);
  EXPECT_EQ(verdict.verdict.first_violating_joint, "lift");
}

TEST_F(Crane, ForwardDynamicsUndoesInverseDynamics) {
  const std::vector<double> q = {0.4, -0.3, 0.2}, qd = {1.1, -0.6, 0.3}, tau = {5.0, -2.0, 8.0};
  std::vector<double> qdd(3);
  dynamics::forward_dynamics(model, workspace, q, qd, tau, qdd);
  ForwardDynamics::Request request;
  request.joint_names = {"lift", "reach", "turn"};
  request.positions = {-0.3, 0.2, 0.4};
  request.velocities = {-0.6, 0.3, 1.1};
  request.effort = {-2.0, 8.0, 5.0};
  ForwardDynamics::Response response;
  server.forward_dynamics(request, response);
  ASSERT_EQ(response.result.code, ResultCode::SUCCESS) << response.result.message;
  const std::vector<double> expected = {qdd[1], qdd[2], qdd[0]};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(response.accelerations[i], expected[i], tolerance);
  }
  // nothing but positions: falls from rest
  set_states(request, {point(0.0, {0.1, 0.1, 0.1}), point(0.0, {-0.3, 0.2, 0.4})});
  server.forward_dynamics(request, response);
  ASSERT_EQ(response.result.code, ResultCode::SUCCESS) << response.result.message;
  const std::vector<double> none(3, 0.0);
  dynamics::forward_dynamics(model, workspace, q, none, none, qdd);
  EXPECT_NEAR(response.accelerations[5], qdd[0], tolerance);
}

TEST_F(Crane, TermsInTheRequestsOrder) {
  const std::vector<double> q = {0.4, -0.3, 0.2}, qd = {1.1, -0.6, 0.3};
  Eigen::MatrixXd M(3, 3), C(3, 3), J(6, 3);
  dynamics::inertia_matrix(model, workspace, q, M);
  dynamics::coriolis_matrix(model, workspace, q, qd, C);
  dynamics::jacobian(model, workspace, q, model.frame("boom"), dynamics::Axes::local, J);
  GetDynamicsTerms::Request request;
  request.joint_names = {"reach", "turn", "lift"};
  request.positions = {0.2, 0.4, -0.3};
  request.velocities = {0.3, 1.1, -0.6};
  request.frame_id = "boom";
  request.jacobian_axes = GetDynamicsTerms::Request::LOCAL;
  GetDynamicsTerms::Response response;
  server.get_dynamics_terms(request, response);
  ASSERT_EQ(response.result.code, ResultCode::SUCCESS) << response.result.message;
  const Eigen::Index order[] = {2, 0, 1};
  ASSERT_EQ(response.inertia.rows, 3u);
  ASSERT_EQ(response.jacobian.rows, 6u);
  ASSERT_EQ(response.jacobian.columns, 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(response.inertia.data[3 * i + j], M(order[i], order[j]), tolerance);
      EXPECT_NEAR(response.coriolis.data[3 * i + j], C(order[i], order[j]), tolerance);
    }
    for (std::size_t row = 0; row < 6; ++row) {
      // linear first, as in geometry_msgs; the library's rows are angular first
      EXPECT_NEAR(response.jacobian.data[3 * row + i],
                  J(static_cast<Eigen::Index>((row + 3) % 6), order[i]), tolerance);
    }
  }
  const Eigen::Vector3d rates(qd.data());
  EXPECT_NEAR(response.kinetic_energy, 0.5 * rates.dot(M * rates), tolerance);
  request.frame_id.clear();
  server.get_dynamics_terms(request, response);
  EXPECT_EQ(response.result.code, ResultCode::SUCCESS) << response.result.message;
  EXPECT_EQ(response.jacobian, dynamics_msgs::msg::Matrix()) << "not requested";
}

TEST_F(Crane, ModelIsDescribed) {
  GetModel::Response response;
  server.get_model(GetModel::Request(), response);
  ASSERT_EQ(response.result.code, ResultCode::SUCCESS);
  EXPECT_EQ(response.name, "crane");
  EXPECT_EQ(response.base_link, "base");
  EXPECT_NEAR(response.total_mass, 9.7, tolerance);
  EXPECT_EQ(response.gravity.z, -9.81);
  ASSERT_EQ(response.joints.size(), 3u);
  EXPECT_EQ(response.joints[0].name, "turn");
  EXPECT_EQ(response.joints[0].friction, 0.2);
  EXPECT_EQ(response.joints[0].lower_limit, -3.0);
  EXPECT_EQ(response.joints[2].type, dynamics_msgs::msg::JointDescription::PRISMATIC);
  EXPECT_TRUE(response.joints[2].prismatic);
  EXPECT_EQ(response.joints[2].effort_limit, 40.0);
  ASSERT_EQ(response.frames.size(), 6u);
  std::map<std::string, dynamics_msgs::msg::FrameDescription> frames;
  for (const auto& frame : response.frames) {
    frames[frame.name] = frame;
    EXPECT_EQ(frame.merged_into, frame.name == "tool" ? "slide" : "") << frame.name;
  }
  EXPECT_EQ(frames.at("slide").mass, 1.5);
  EXPECT_EQ(frames.at("base").joint, "");
  EXPECT_EQ(frames.at("tool").joint, "reach");
  EXPECT_EQ(response.payload.frame_id, "");
  EXPECT_EQ(response.no_forward_dynamics, "");
}

TEST_F(Crane, PayloadIsUsedByEveryLaterRequest) {
  SetPayload::Request set;
  set.payload.frame_id = "tool";
  set.payload.inertia.m = 4.0;
  set.payload.inertia.com.x = 0.1;
  set.payload.inertia.izz = 0.02;
  SetPayload::Response response;
  server.set_payload(set, response);
  ASSERT_EQ(response.result.code, ResultCode::SUCCESS) << response.result.message;
  EXPECT_EQ(response.payload, set.payload);
  EXPECT_NEAR(response.total_mass, 13.7, tolerance);
  EXPECT_EQ(server.payload(), set.payload);

  GetDynamicsTerms::Request request;
  request.joint_names = {"turn", "lift", "reach"};
  request.positions = {0.0, 0.0, 0.3};
  GetDynamicsTerms::Response loaded, empty;
  server.get_dynamics_terms(request, loaded);
  GetModel::Response described;
  server.get_model(GetModel::Request(), described);
  EXPECT_EQ(described.payload, set.payload);

  // a refused payload leaves the old one, a new description keeps it, clearing clears it
  set.payload.inertia.m = -1.0;
  server.set_payload(set, response);
  EXPECT_EQ(response.result.code, ResultCode::INVALID_VALUE);
  EXPECT_EQ(response.payload.inertia.m, 4.0);
  ASSERT_EQ(server.set_description(crane).code, ResultCode::SUCCESS);
  EXPECT_EQ(server.payload().inertia.m, 4.0);
  server.set_payload(SetPayload::Request(), response);
  EXPECT_EQ(response.result.code, ResultCode::SUCCESS) << response.result.message;
  EXPECT_EQ(server.payload().frame_id, "");
  server.get_dynamics_terms(request, empty);
  // the boom leans by the 0.1 rad of its joint's origin
  const double arm = 0.8 + 0.3 + 0.4 + 0.1;
  EXPECT_NEAR(loaded.gravity[1] - empty.gravity[1], 4.0 * 9.81 * arm * std::cos(0.1), 1e-10);
  EXPECT_NEAR(loaded.inertia.data[8] - empty.inertia.data[8], 4.0, tolerance);
}

TEST(Description, ABadOneIsReportedAndTheOldOneStays) {
  DynamicsServer server({});
  GetModel::Response response;
  server.get_model(GetModel::Request(), response);
  EXPECT_EQ(response.result.code, ResultCode::NO_MODEL);
  const auto refused = server.set_description("<robot name='broken'><link/></robot>");
  EXPECT_EQ(refused.code, ResultCode::INVALID_VALUE);
  EXPECT_NE(refused.message, "");
  server.get_model(GetModel::Request(), response);
  EXPECT_EQ(response.result.code, ResultCode::NO_MODEL);
  EXPECT_NE(response.result.message.find(refused.message), std::string::npos);
  ASSERT_EQ(server.set_description(pendulum).code, ResultCode::SUCCESS);
  EXPECT_EQ(server.set_description("").code, ResultCode::INVALID_VALUE);
  EXPECT_EQ(server.set_description("<robot name='still'><link name='one'/></robot>").code,
            ResultCode::INVALID_VALUE);
  server.get_model(GetModel::Request(), response);
  EXPECT_EQ(response.name, "pendulum");
}

TEST(Description, GravityIsAnOption) {
  ServerOptions options;
  options.gravity = {0.0, 0.0, 0.0};
  DynamicsServer server(options);
  ASSERT_EQ(server.set_description(pendulum).code, ResultCode::SUCCESS);
  GetDynamicsTerms::Request request;
  request.joint_names = {"swing"};
  request.positions = {1.0};
  GetDynamicsTerms::Response response;
  server.get_dynamics_terms(request, response);
  EXPECT_EQ(response.gravity[0], 0.0);
}

TEST(Threads, RequestsRunBesideEachOtherAndADescriptionThatChanges) {
  DynamicsServer server({});
  ASSERT_EQ(server.set_description(crane).code, ResultCode::SUCCESS);
  InverseDynamics::Request request;
  request.trajectory.joint_names = {"turn", "lift", "reach"};
  for (int k = 0; k < 50; ++k) {
    request.trajectory.points.push_back(
        point(0.1 * k, {0.01 * k, 0.02 * k, 0.1}, {0.1, 0.2, 0.0}, {1.0, 2.0, 3.0}));
  }
  InverseDynamics::Response expected;
  server.inverse_dynamics(request, expected);
  ASSERT_EQ(expected.result.code, ResultCode::SUCCESS) << expected.result.message;
  ASSERT_EQ(expected.trajectory.points.size(), 50u);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        InverseDynamics::Response response;
        server.inverse_dynamics(request, response);
        if (response != expected) ++wrong;
      }
    });
  }
  for (int i = 0; i < 20; ++i) {
    if (server.set_description(crane).code != ResultCode::SUCCESS) ++wrong;
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace dynamics_ros::test
