// SPDX-License-Identifier: Apache-2.0
// What requests change for themselves: payload, gravity, limits, wrenches.
#include <gtest/gtest.h>

#include <cmath>
#include <dynamics_core/closed_loops.hpp>
#include <dynamics_core/flexible_links.hpp>
#include <dynamics_core/kinematics.hpp>
#include <dynamics_core/readers.hpp>
#include <dynamics_core/rigid_dynamics.hpp>
#include <dynamics_core/view.hpp>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "messages.hpp"
#include "robots.hpp"
#include "services.hpp"

namespace dynamics_ros::test {
namespace {

using dynamics_msgs::action::Simulate;
using dynamics_msgs::msg::LinkWrench;
using ScaleAction = dynamics_msgs::action::ScaleTrajectory;
using Vector = std::vector<double>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
const Vector q = {0.4, -0.3, 0.2}, qd = {1.1, -0.6, 0.3}, qdd = {2.0, 1.0, -3.0};

class Overrides : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(server.set_description(crane).code, ResultCode::SUCCESS);
    request.trajectory.joint_names = {"turn", "lift", "reach"};
    request.trajectory.points = {point(0.0, q, qd, qdd)};
  }
  Vector efforts() {
    InverseDynamics::Response response;
    server.inverse_dynamics(request, response);
    EXPECT_EQ(response.result, ResultCode()) << response.result.message;
    return response.trajectory.points.empty() ? Vector() : response.trajectory.points[0].effort;
  }
  Vector expected(const dynamics::Model& of) const {
    dynamics::Workspace own(of);
    Vector tau(3);
    dynamics::inverse_dynamics(of, own, q, qd, qdd, tau);
    return tau;
  }
  static dynamics::Payload load(double mass) {
    dynamics::Payload payload;
    payload.frame = "tool";
    payload.mass = mass;
    payload.center = {0.0, 0.0, 0.1};
    return payload;
  }
  static dynamics_msgs::msg::Payload load_message(double mass) {
    dynamics_msgs::msg::Payload message;
    message.frame_id = "tool";
    message.inertia.m = mass;
    message.inertia.com.z = 0.1;
    return message;
  }

  DynamicsServer server{{}};
  dynamics::Model model = dynamics::model_from_urdf(crane);
  dynamics::Workspace workspace{model};
  InverseDynamics::Request request;
};

TEST_F(Overrides, PayloadOfOneRequest) {
  request.overrides.replace_payload = true;
  request.overrides.payload = load_message(2.5);
  EXPECT_EQ(efforts(), expected(model.with_payload(load(2.5))));
  EXPECT_EQ(efforts(), expected(model.with_payload(load(2.5)))) << "the second time";
  EXPECT_EQ(server.payload(), dynamics_msgs::msg::Payload()) << "that of the node stays";
  // the node's own payload, and none
  SetPayload::Request set;
  set.payload = load_message(1.5);
  SetPayload::Response taken;
  server.set_payload(set, taken);
  EXPECT_EQ(efforts(), expected(model.with_payload(load(2.5))));
  request.overrides.payload = dynamics_msgs::msg::Payload();
  EXPECT_EQ(efforts(), expected(model));
  request.overrides.replace_payload = false;
  EXPECT_EQ(efforts(), expected(model.with_payload(load(1.5))));
  EXPECT_EQ(server.payload(), set.payload);
}

TEST_F(Overrides, GravityOfOneRequest) {
  request.overrides.replace_gravity = true;
  request.overrides.gravity.x = 1.5;
  request.overrides.gravity.z = -1.6;
  EXPECT_EQ(efforts(), expected(model.with_gravity({1.5, 0.0, -1.6})));
  request.overrides.gravity = geometry_msgs::msg::Vector3();
  EXPECT_EQ(efforts(), expected(model.with_gravity({0.0, 0.0, 0.0})));
  GetDynamicsTerms::Request terms;
  terms.joint_names = request.trajectory.joint_names;
  terms.positions = q;
  terms.overrides = request.overrides;
  GetDynamicsTerms::Response response;
  server.get_dynamics_terms(terms, response);
  EXPECT_EQ(response.result, ResultCode()) << response.result.message;
  EXPECT_EQ(response.gravity, Vector(3, 0.0));
  request.overrides = dynamics_msgs::msg::ModelOverrides();
  EXPECT_EQ(efforts(), expected(model));
}

TEST_F(Overrides, LimitsOfOneRequest) {
  SetPayload::Request set;
  set.payload = load_message(1.5);
  SetPayload::Response taken;
  server.set_payload(set, taken);
  auto& limits = request.overrides.limits;
  limits.joint_names = {"reach", "turn"};
  limits.effort_limits = {5.0, infinity};
  InverseDynamics::Response response;
  server.inverse_dynamics(request, response);
  ASSERT_EQ(response.result, ResultCode()) << response.result.message;
  EXPECT_EQ(response.verdict.limit, (Vector{infinity, 60.0, 5.0}));
  EXPECT_EQ(response.trajectory.points[0].effort, expected(model.with_payload(load(1.5))))
      << "the payload stays";
  GetModel::Response described;
  server.get_model(GetModel::Request(), described);
  EXPECT_EQ(described.joints[2].effort_limit, 40.0);

  ScaleTrajectory::Request scale;
  scale.trajectory.joint_names = request.trajectory.joint_names;
  scale.trajectory.points = {point(0.0, {0.0, 0.0, 0.1}), point(0.5, {0.3, 0.0, 0.1})};
  scale.overrides.limits.joint_names = {"turn"};
  scale.overrides.limits.velocity_limits = {0.25};  // the spline moves at 1.5 * 0.3 / 0.5
  ScaleTrajectory::Response scaled;
  server.scale_trajectory(scale, scaled);
  ASSERT_EQ(scaled.result, ResultCode()) << scaled.result.message;
  EXPECT_NEAR(scaled.duration_factor, 0.9 / 0.25, 1e-6);
}

TEST_F(Overrides, ContinuousJointsWithoutLimitsGetThem) {
  std::string text = pendulum;
  text.replace(text.find("<limit effort=\"12\" velocity=\"3\"/>"), 33, "");
  ASSERT_EQ(server.set_description(text).code, ResultCode::SUCCESS);
  CheckTorqueLimits::Request check;
  check.trajectory.joint_names = {"swing"};
  check.trajectory.points = {point(0.0, {0.5})};
  CheckTorqueLimits::Response response;
  server.check_torque_limits(check, response);
  EXPECT_EQ(response.verdict.limit, Vector{infinity});
  check.overrides.limits.joint_names = {"swing"};
  check.overrides.limits.effort_limits = {3.0};
  server.check_torque_limits(check, response);
  EXPECT_EQ(response.result, ResultCode()) << response.result.message;
  EXPECT_EQ(response.verdict.limit, Vector{3.0});
  EXPECT_FALSE(response.verdict.within_limits);
}

TEST_F(Overrides, ANewDescriptionIsChangedToo) {
  request.overrides.replace_gravity = true;
  EXPECT_EQ(efforts(), expected(model.with_gravity({0.0, 0.0, 0.0})));
  std::string heavy = crane;
  heavy.replace(heavy.find("mass value=\"3\""), 14, "mass value=\"6\"");
  ASSERT_EQ(server.set_description(heavy).code, ResultCode::SUCCESS);
  EXPECT_EQ(efforts(), expected(dynamics::model_from_urdf(heavy).with_gravity({0.0, 0.0, 0.0})));
}

TEST_F(Overrides, SimulationsWithAnotherModel) {
  Simulate::Goal goal;
  goal.duration = duration(0.2);
  goal.sample = duration(0.1);
  goal.overrides.replace_gravity = true;
  Simulate::Result result;
  server.simulate(goal, result);
  ASSERT_EQ(result.result, ResultCode()) << result.result.message;
  EXPECT_EQ(result.states.positions, Vector(9, 0.0)) << "weightless: nothing falls";
}

TEST_F(Overrides, WrenchesActInTheirAxes) {
  const Vector before = efforts();
  LinkWrench wrench;
  wrench.frame_id = "tool";
  wrench.wrench.force.x = 3.0;
  wrench.wrench.force.z = -20.0;
  wrench.wrench.torque.y = 4.0;
  Eigen::Matrix<double, 6, 1> w;
  w << 0.0, 4.0, 0.0, 3.0, 0.0, -20.0;  // the library's order
  request.return_parts = true;
  const std::vector<std::pair<std::uint8_t, dynamics::Axes>> all = {
      {LinkWrench::WORLD, dynamics::Axes::world},
      {LinkWrench::LOCAL, dynamics::Axes::local},
      {LinkWrench::LOCAL_WORLD_ALIGNED, dynamics::Axes::local_world_aligned}};
  for (const auto& [code, axes] : all) {
    wrench.axes = code;
    Eigen::MatrixXd J(6, 3);
    dynamics::jacobian(model, workspace, q, model.frame("tool"), axes, J);
    const Eigen::Vector3d helped = J.transpose() * w;
    for (const std::size_t count : {1u, 20u}) {  // one after the other, and a batch
      request.wrenches = {wrench};
      request.trajectory.points.clear();
      for (std::size_t k = 0; k < count; ++k)
        request.trajectory.points.push_back(point(static_cast<double>(k), q, qd, qdd));
      InverseDynamics::Response response;
      server.inverse_dynamics(request, response);
      ASSERT_EQ(response.result, ResultCode()) << response.result.message;
      const Vector tau = response.trajectory.points.back().effort;
      const auto& parts = response.parts;
      for (std::size_t i = 0; i < 3; ++i) {
        const double external = helped[static_cast<Eigen::Index>(i)];
        EXPECT_NEAR(tau[i], before[i] - external, 1e-11);
        const std::size_t last = 3 * (count - 1) + i;
        EXPECT_NEAR(parts.wrenches[last], -external, 1e-12);
        EXPECT_NEAR(parts.gravity[last] + parts.coriolis[last] + parts.inertia[last] +
                        parts.friction[last] + parts.wrenches[last],
                    tau[i], 1e-11);
      }
      ForwardDynamics::Request forward;
      forward.joint_names = request.trajectory.joint_names;
      forward.wrenches = {wrench};
      auto states = request.trajectory.points;
      for (auto& state : states) state.effort = tau;
      set_states(forward, states);
      ForwardDynamics::Response moved;
      server.forward_dynamics(forward, moved);
      ASSERT_EQ(moved.result, ResultCode()) << moved.result.message;
      EXPECT_LT(dynamics::max_abs_difference(row_of(moved.accelerations, count - 1, 3), qdd), 1e-9);
    }
  }
  // scaling: the verdict is on the efforts under the wrenches
  ScaleTrajectory::Request scale;
  scale.trajectory.joint_names = request.trajectory.joint_names;
  scale.trajectory.points = {point(0.0, {0.0, 0.0, 0.1}), point(0.5, {0.3, 0.0, 0.1})};
  scale.wrenches = {wrench};
  ScaleTrajectory::Response scaled;
  server.scale_trajectory(scale, scaled);
  ASSERT_EQ(scaled.result, ResultCode()) << scaled.result.message;
  request.trajectory = scaled.trajectory;
  InverseDynamics::Response again;
  server.inverse_dynamics(request, again);
  EXPECT_EQ(again.verdict, scaled.verdict);
  scale.wrenches[0].wrench.force.z = -500.0;
  server.scale_trajectory(scale, scaled);
  EXPECT_EQ(scaled.result.code, ResultCode::LIMITS_NOT_MET);
  EXPECT_NE(scaled.result.message.find("gravity and the wrenches"), std::string::npos)
      << scaled.result.message;
}

TEST_F(Overrides, WrenchesOnClosedLoops) {
  const auto mechanism = dynamics::mechanism_from_urdf(four_bar());
  ASSERT_EQ(server.set_description(four_bar()).code, ResultCode::SUCCESS);
  request.trajectory.joint_names = {"crank"};
  request.trajectory.points = {point(0.0, {0.7}, {1.3}, {-2.0})};
  request.return_parts = true;
  InverseDynamics::Response without, with;
  server.inverse_dynamics(request, without);
  LinkWrench wrench;
  wrench.frame_id = "crank_link";
  wrench.axes = LinkWrench::LOCAL;
  wrench.wrench.torque.y = 2.0;  // about the crank's own axis
  request.wrenches = {wrench};
  server.inverse_dynamics(request, with);
  ASSERT_EQ(with.result, ResultCode()) << with.result.message;
  const double tau = with.trajectory.points[0].effort[0];
  EXPECT_NEAR(tau, without.trajectory.points[0].effort[0] - 2.0, 1e-10);
  EXPECT_NEAR(with.parts.wrenches[0], -2.0, 1e-10);
  EXPECT_NEAR(with.parts.gravity[0] + with.parts.coriolis[0] + with.parts.inertia[0] +
                  with.parts.friction[0] + with.parts.wrenches[0],
              tau, 1e-9);
  ForwardDynamics::Request forward;
  forward.joint_names = {"crank"};
  forward.positions = {0.7};
  forward.velocities = {1.3};
  forward.effort = {tau};
  forward.wrenches = {wrench};
  ForwardDynamics::Response moved;
  server.forward_dynamics(forward, moved);
  ASSERT_EQ(moved.result, ResultCode()) << moved.result.message;
  EXPECT_NEAR(moved.accelerations[0], -2.0, 1e-8);
}

TEST_F(Overrides, WrenchesBendFlexibleLinks) {
  ASSERT_EQ(server.set_description(flexible_boom).code, ResultCode::SUCCESS);
  const dynamics::FlexibleModel flexible(dynamics::model_from_urdf(flexible_boom));
  dynamics::FlexibleWorkspace own(flexible);
  const std::vector<dynamics::LinkWrench> push = {
      {flexible.rigid().frame("boom"), {.moment = {0.0, 0.0, 3.0}}, dynamics::Axes::local}};
  const Vector at = {0.4, 0.01, 0.002}, still(3, 0.0);
  Vector forces(3), accelerations(3);
  dynamics::wrenches_to_joint_torques(flexible, own, at, push, forces);
  dynamics::forward_dynamics(flexible, own, at, still, forces, accelerations);
  ForwardDynamics::Request forward;
  forward.joint_names = {"turn", "e_boom_y1", "e_boom_y2"};
  forward.positions = at;
  LinkWrench wrench;
  wrench.frame_id = "boom";
  wrench.axes = LinkWrench::LOCAL;
  wrench.wrench.torque.z = 3.0;
  forward.wrenches = {wrench};
  ForwardDynamics::Response response;
  server.forward_dynamics(forward, response);
  ASSERT_EQ(response.result, ResultCode()) << response.result.message;
  EXPECT_EQ(response.accelerations, accelerations);
}

// ---- scaling as an action

TEST_F(Overrides, ScalingAsAnActionReportsAndCancels) {
  ScaleTrajectory::Request service;
  service.trajectory.joint_names = request.trajectory.joint_names;
  service.trajectory.points = {point(0.0, {0.0, 0.0, 0.1}), point(0.1, {0.3, 0.5, 0.1}),
                               point(0.2, {0.9, 0.6, 0.3})};
  service.method = ScaleTrajectory::Request::PER_SEGMENT;
  ScaleTrajectory::Response response;
  server.scale_trajectory(service, response);
  ASSERT_EQ(response.result, ResultCode()) << response.result.message;
  ScaleAction::Goal goal;
  goal.trajectory = service.trajectory;
  goal.method = service.method;
  ScaleAction::Result result;
  std::size_t calls = 0;
  server.scale_trajectory(goal, result, [&](double progress) {
    EXPECT_GE(progress, 0.0);
    EXPECT_LE(progress, 1.0);
    ++calls;
    return true;
  });
  EXPECT_EQ(result.result, ResultCode()) << result.result.message;
  EXPECT_EQ(result.trajectory, response.trajectory);
  EXPECT_EQ(result.factors, response.factors);
  EXPECT_EQ(result.verdict, response.verdict);
  EXPECT_GT(calls, 1u);
  server.scale_trajectory(goal, result, [&](double) { return --calls > 1; });
  ScaleAction::Result canceled;
  canceled.result.code = ResultCode::CANCELED;
  canceled.result.message = "canceled";
  EXPECT_EQ(result, canceled);
}

// ---- faults

TEST_F(Overrides, FaultsNameTheField) {
  struct Case {
    std::function<void(InverseDynamics::Request&)> spoil;
    std::int32_t code;
    std::string word;
  };
  const auto limits = [](auto& r, std::string joint, Vector velocity, Vector effort) {
    r.overrides.limits.joint_names = {std::move(joint)};
    r.overrides.limits.velocity_limits = std::move(velocity);
    r.overrides.limits.effort_limits = std::move(effort);
  };
  const auto wrench = [](auto& r) -> LinkWrench& {
    r.wrenches.resize(2);
    for (auto& each : r.wrenches) each.frame_id = "tool";
    return r.wrenches[1];
  };
  const std::vector<Case> cases = {
      {[](auto& r) { r.overrides.payload.inertia.m = 1.0; }, ResultCode::INVALID_VALUE,
       "overrides.payload is given, but replace_payload is false"},
      {[](auto& r) { r.overrides.gravity.z = 1.0; }, ResultCode::INVALID_VALUE,
       "overrides.gravity is given, but replace_gravity is false"},
      {[](auto& r) {
         r.overrides.replace_payload = true;
         r.overrides.payload.frame_id = "moon";
       },
       ResultCode::UNKNOWN_FRAME, "overrides.payload.frame_id: robot 'crane' has no link 'moon'"},
      {[](auto& r) {
         r.overrides.replace_payload = true;
         r.overrides.payload = load_message(nan);
       },
       ResultCode::NOT_FINITE, "overrides.payload.inertia.m is nan"},
      {[](auto& r) {
         r.overrides.replace_payload = true;
         r.overrides.payload = load_message(-1.0);
       },
       ResultCode::INVALID_VALUE, "mass"},
      {[](auto& r) {
         r.overrides.replace_gravity = true;
         r.overrides.gravity.y = infinity;
       },
       ResultCode::NOT_FINITE, "overrides.gravity.y is inf"},
      {[&](auto& r) { limits(r, "tail", {1.0}, {}); }, ResultCode::UNKNOWN_JOINT,
       "overrides.limits.joint_names[0]"},
      {[&](auto& r) { limits(r, "lift", {}, {}); }, ResultCode::WRONG_SIZE,
       "neither velocity_limits nor effort_limits"},
      {[&](auto& r) {
         limits(r, "lift", {1.0, 2.0}, {});
       },
       ResultCode::WRONG_SIZE, "overrides.limits.velocity_limits has 2 entries for 1 joints"},
      {[&](auto& r) { limits(r, "lift", {}, {nan}); }, ResultCode::INVALID_VALUE,
       "overrides.limits.effort_limits[0] of joint 'lift' is nan"},
      {[&](auto& r) { limits(r, "lift", {-1.0}, {}); }, ResultCode::INVALID_VALUE,
       "overrides.limits.velocity_limits[0] of joint 'lift' is -1"},
      {[](auto& r) { r.overrides.limits.effort_limits = {1.0}; }, ResultCode::EMPTY_REQUEST,
       "overrides.limits.joint_names is empty"},
      {[&](auto& r) { wrench(r).frame_id = "moon"; }, ResultCode::UNKNOWN_FRAME,
       "wrenches[1].frame_id: robot 'crane' has no link 'moon'"},
      {[&](auto& r) { wrench(r).axes = 3; }, ResultCode::INVALID_VALUE, "wrenches[1].axes is 3"},
      {[&](auto& r) { wrench(r).wrench.force.y = nan; }, ResultCode::NOT_FINITE,
       "wrenches[1].wrench.force.y is nan"},
      {[&](auto& r) { wrench(r).wrench.torque.x = infinity; }, ResultCode::NOT_FINITE,
       "wrenches[1].wrench.torque.x is inf"},
  };
  for (const auto& fault : cases) {
    InverseDynamics::Request bad = request;
    fault.spoil(bad);
    InverseDynamics::Response response;
    server.inverse_dynamics(bad, response);
    EXPECT_EQ(response.result.code, fault.code) << response.result.message;
    EXPECT_NE(response.result.message.find(fault.word), std::string::npos)
        << fault.word << ": " << response.result.message;
    CheckTorqueLimits::Request check;
    check.trajectory = bad.trajectory;
    check.overrides = bad.overrides;
    check.wrenches = bad.wrenches;
    CheckTorqueLimits::Response verdict;
    server.check_torque_limits(check, verdict);
    EXPECT_EQ(verdict.result, response.result);
    ForwardDynamics::Request forward;
    forward.joint_names = bad.trajectory.joint_names;
    forward.positions = q;
    forward.overrides = bad.overrides;
    forward.wrenches = bad.wrenches;
    ForwardDynamics::Response moved;
    server.forward_dynamics(forward, moved);
    EXPECT_EQ(moved.result, response.result);
  }
}

TEST_F(Overrides, LimitsOfAFloatingJointAreNotSupported) {
  const std::string free = R"(<robot name="free"><link name="base"/>
    <link name="body"><inertial><mass value="1"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
    <joint name="float" type="floating"><parent link="base"/><child link="body"/></joint></robot>)";
  ASSERT_EQ(server.set_description(free).code, ResultCode::SUCCESS);
  GetDynamicsTerms::Request terms;
  terms.joint_names = {"float/x", "float/y", "float/z", "float/roll", "float/pitch", "float/yaw"};
  terms.positions = Vector(6, 0.0);
  terms.overrides.limits.joint_names = {"float/x"};
  terms.overrides.limits.effort_limits = {1.0};
  GetDynamicsTerms::Response response;
  server.get_dynamics_terms(terms, response);
  EXPECT_EQ(response.result.code, ResultCode::NOT_SUPPORTED) << response.result.message;
}

}  // namespace
}  // namespace dynamics_ros::test
