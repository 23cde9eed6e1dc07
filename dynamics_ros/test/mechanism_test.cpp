// SPDX-License-Identifier: Apache-2.0
// Answers for a mechanism with closed loops: against the core, power balances and differences.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <dynamics_core/closed_loops.hpp>
#include <dynamics_core/kinematics.hpp>
#include <dynamics_core/plant.hpp>
#include <dynamics_core/simulate.hpp>
#include <dynamics_core/view.hpp>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "messages.hpp"
#include "robots.hpp"
#include "services.hpp"

namespace dynamics_ros::test {
namespace {

using dynamics_msgs::action::Simulate;
using Vector = std::vector<double>;

constexpr double tolerance = 1e-11;
const std::vector<std::string> joints = {"crank", "coupler", "rocker"};

/// A state of all joints, from the crank.
struct State {
  Vector q, qd, qdd;
};

class Mechanism : public ::testing::Test {
 protected:
  void SetUp() override { load({"crank"}); }

  void load(const std::set<std::string>& actuated) {
    const auto taken = server.set_description(four_bar(actuated));
    ASSERT_EQ(taken.code, ResultCode::SUCCESS) << taken.message;
    mechanism = dynamics::mechanism_from_urdf(four_bar(actuated));
    workspace = dynamics::MechanismWorkspace(mechanism);
    ASSERT_EQ(mechanism.tree().coordinate_names(), joints);
  }

  State closed(double q, double qd = 0.0, double qdd = 0.0) {
    State state = {Vector(3), {qd, 0.0, 0.0}, {qdd, 0.0, 0.0}};
    close_loops(mechanism, workspace, mechanism.start(), Vector{q}, state.q);
    close_velocities(mechanism, workspace, state.q, state.qd);
    close_accelerations(mechanism, workspace, state.q, state.qd, state.qdd);
    return state;
  }
  /// Torque of the crank.
  double torque(const State& state, bool friction = true) {
    Vector tau(mechanism.size());
    dynamics::ExternalInputs external;
    external.friction = friction;
    dynamics::inverse_dynamics(mechanism, workspace, state.q, state.qd, state.qdd, tau, external);
    return tau[0];
  }
  double energy(double q, double qd) {
    const State state = closed(q, qd);
    return dynamics::energy(mechanism, workspace, state.q, state.qd).total();
  }

  InverseDynamics::Response efforts(const InverseDynamics::Request& request) {
    InverseDynamics::Response response;
    server.inverse_dynamics(request, response);
    return response;
  }

  DynamicsServer server{{}};
  dynamics::Mechanism mechanism = dynamics::mechanism_from_urdf(four_bar());
  dynamics::MechanismWorkspace workspace{mechanism};
};

TEST_F(Mechanism, InverseDynamicsTakesIndependentJointsOrAll) {
  const State state = closed(0.7, 1.3, -2.0);
  InverseDynamics::Request request;
  request.return_parts = true;
  request.trajectory.joint_names = {"crank"};
  request.trajectory.points = {point(0.0, {0.7}, {1.3}, {-2.0})};
  const auto one = efforts(request);
  ASSERT_EQ(one.result.code, ResultCode::SUCCESS) << one.result.message;
  ASSERT_EQ(one.trajectory.points[0].effort.size(), 1U);
  const double tau = one.trajectory.points[0].effort[0];
  EXPECT_NEAR(tau, torque(state), tolerance);
  // the power of the crank is the change of energy and the power of friction
  request.without_friction = true;
  const auto frictionless = efforts(request);
  const double h = 1e-4;
  const auto at = [&](double t) { return energy(0.7 + 1.3 * t - t * t, 1.3 - 2.0 * t); };
  EXPECT_NEAR(frictionless.trajectory.points[0].effort[0] * 1.3, (at(h) - at(-h)) / (2.0 * h),
              1e-6);
  double friction = 0.0;
  for (const double rate : state.qd)
    friction += 0.3 * rate * rate + 0.1 * rate * rate / std::hypot(rate, 0.01);
  EXPECT_NEAR((tau - frictionless.trajectory.points[0].effort[0]) * 1.3, friction, 1e-10);
  request.without_friction = false;

  request.trajectory.joint_names = {"rocker", "crank", "coupler"};
  const auto ordered = [](const Vector& v) { return Vector{v[2], v[0], v[1]}; };
  request.trajectory.points = {point(0.0, ordered(state.q), ordered(state.qd), ordered(state.qdd))};
  const auto all = efforts(request);
  ASSERT_EQ(all.result.code, ResultCode::SUCCESS) << all.result.message;
  EXPECT_EQ(all.trajectory.points[0].effort[0], 0.0);
  EXPECT_NEAR(all.trajectory.points[0].effort[1], tau, 1e-9);
  EXPECT_EQ(all.trajectory.points[0].effort[2], 0.0);
  for (const auto* response : {&one, &all}) {
    const std::size_t i = response == &all ? 1 : 0;
    const auto& parts = response->parts;
    EXPECT_NEAR(parts.gravity[i] + parts.coriolis[i] + parts.inertia[i] + parts.friction[i], tau,
                1e-9);
    EXPECT_NEAR(parts.gravity[i], torque(closed(0.7), false), 1e-9);
    EXPECT_NEAR(parts.coriolis[i] + parts.gravity[i], torque(closed(0.7, 1.3), false), 1e-9);
  }
  // limits
  EXPECT_EQ(one.verdict.limit, (Vector{20.0}));
  EXPECT_NEAR(one.verdict.peak[0], std::abs(tau), tolerance);
}

TEST_F(Mechanism, TrajectoriesFollowTheBranchAndTheSplineOfTheCrank) {
  InverseDynamics::Request request;
  request.trajectory.joint_names = {"crank"};
  for (int k = 0; k <= 40; ++k)
    request.trajectory.points.push_back(
        point(0.1 * k, {0.05 * std::numbers::pi * k}, {0.4}, {0.1}));
  const auto turn = efforts(request);
  ASSERT_EQ(turn.result.code, ResultCode::SUCCESS) << turn.result.message;
  for (const std::size_t k : {std::size_t{0}, std::size_t{7}, std::size_t{40}}) {
    const double angle = 0.05 * std::numbers::pi * static_cast<double>(k);
    EXPECT_NEAR(turn.trajectory.points[k].effort[0], torque(closed(angle, 0.4, 0.1)), 1e-9) << k;
  }
  // without velocities: t^2 (3 - 2 t), from rest to rest
  request.trajectory.points = {point(0.0, {0.0}), point(0.5, {0.5}), point(1.0, {1.0})};
  const auto rest = efforts(request);
  ASSERT_EQ(rest.result.code, ResultCode::SUCCESS) << rest.result.message;
  EXPECT_TRUE(rest.velocities_from_spline && rest.accelerations_from_spline);
  EXPECT_NEAR(rest.trajectory.points[0].effort[0], torque(closed(0.0, 0.0, 6.0)), 1e-9);
  EXPECT_NEAR(rest.trajectory.points[1].effort[0], torque(closed(0.5, 1.5, 0.0)), 1e-9);
  // all joints: the same motion, although their own splines do not close the loops
  request.trajectory.joint_names = joints;
  request.trajectory.points = {point(0.0, closed(0.0).q), point(0.5, closed(0.5).q),
                               point(1.0, closed(1.0).q)};
  const auto all = efforts(request);
  ASSERT_EQ(all.result.code, ResultCode::SUCCESS) << all.result.message;
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(all.trajectory.points[k].effort[0], rest.trajectory.points[k].effort[0], 1e-8);
  }
  // a crank that stands
  request.trajectory.joint_names = {"rocker", "coupler"};
  const State state = closed(0.4);
  request.trajectory.points = {point(0.0, {state.q[2], state.q[1]})};
  request.other_joints.joint_names = {"crank"};
  request.other_joints.positions = {0.4};
  const auto standing = efforts(request);
  ASSERT_EQ(standing.result.code, ResultCode::SUCCESS) << standing.result.message;
}

TEST_F(Mechanism, RedundantActuatorsShareTheEffort) {
  ASSERT_NO_FATAL_FAILURE(load({"crank", "rocker"}));
  const State state = closed(0.7, 1.3, -2.0);
  InverseDynamics::Request request;
  request.trajectory.joint_names = joints;
  request.trajectory.points = {point(0.0, state.q, state.qd, state.qdd)};
  const auto shared = efforts(request);
  ASSERT_EQ(shared.result.code, ResultCode::SUCCESS) << shared.result.message;
  const auto& tau = shared.trajectory.points[0].effort;
  EXPECT_EQ(tau[1], 0.0);
  // the same power, with the least sum of squares: in proportion to the rates
  ASSERT_EQ(mechanism.size(), 1U);
  const std::size_t alone = mechanism.independent()[0];
  EXPECT_NEAR(tau[0] * state.qd[0] + tau[2] * state.qd[2], torque(state) * state.qd[alone], 1e-9);
  EXPECT_NEAR(tau[0] * state.qd[2], tau[2] * state.qd[0], 1e-9);
  EXPECT_GT(std::abs(tau[2]), 0.01);
  // only the independent joint
  request.trajectory.joint_names = {joints[alone]};
  request.trajectory.points = {point(0.0, {state.q[alone]}, {state.qd[alone]}, {state.qdd[alone]})};
  const auto one = efforts(request);
  ASSERT_EQ(one.result.code, ResultCode::SUCCESS) << one.result.message;
  EXPECT_NEAR(one.trajectory.points[0].effort[0], torque(state), 1e-9);
}

TEST_F(Mechanism, ForwardDynamicsInvertsInverseDynamics) {
  const State state = closed(-0.5, 0.8, 3.0);
  ForwardDynamics::Request request;
  request.joint_names = {"crank"};
  request.positions = {-0.5};
  request.velocities = {0.8};
  request.effort = {torque(state)};
  ForwardDynamics::Response response;
  server.forward_dynamics(request, response);
  ASSERT_EQ(response.result.code, ResultCode::SUCCESS) << response.result.message;
  EXPECT_NEAR(response.accelerations[0], 3.0, 1e-9);

  request.joint_names = joints;
  set_states(request, {point(0.0, state.q, state.qd), point(0.0, state.q, state.qd)});
  // torques about joints without actuator act too
  request.effort = {torque(state), 0.0, 0.0, 0.0, 0.5, -1.0};
  server.forward_dynamics(request, response);
  ASSERT_EQ(response.result.code, ResultCode::SUCCESS) << response.result.message;
  EXPECT_LT(dynamics::max_abs_difference(row_of(response.accelerations, 0, 3), state.qdd), 1e-8);
  Vector qdd(3);
  dynamics::forward_dynamics(mechanism, workspace, state.q, state.qd, Vector{0.0, 0.5, -1.0}, qdd);
  EXPECT_LT(dynamics::max_abs_difference(row_of(response.accelerations, 1, 3), qdd), 1e-9);
}

TEST_F(Mechanism, TermsAreThoseOfTheIndependentJoints) {
  const State state = closed(0.7, 1.3, -2.0);
  GetDynamicsTerms::Request request;
  request.joint_names = {"crank"};
  request.positions = {0.7};
  request.velocities = {1.3};
  request.frame_id = "coupler_link";
  request.jacobian_axes = GetDynamicsTerms::Request::LOCAL_WORLD_ALIGNED;
  GetDynamicsTerms::Response one, all;
  server.get_dynamics_terms(request, one);
  ASSERT_EQ(one.result.code, ResultCode::SUCCESS) << one.result.message;
  request.joint_names = {"rocker", "crank", "coupler"};
  request.positions = {state.q[2], state.q[0], state.q[1]};
  request.velocities = {state.qd[2], state.qd[0], state.qd[1]};
  server.get_dynamics_terms(request, all);
  ASSERT_EQ(all.result.code, ResultCode::SUCCESS) << all.result.message;
  for (const auto* terms : {&one, &all}) {
    EXPECT_EQ(terms->joint_names, (std::vector<std::string>{"crank"}));
    ASSERT_EQ(terms->inertia.data.size(), 1U);
    EXPECT_NEAR(terms->inertia.data[0] * -2.0 + terms->coriolis.data[0] * 1.3 + terms->gravity[0] +
                    terms->friction[0],
                torque(state), 1e-9);
    EXPECT_NEAR(terms->friction[0], torque(state) - torque(state, false), 1e-9);
    EXPECT_NEAR(terms->kinetic_energy, 0.5 * terms->inertia.data[0] * 1.3 * 1.3, 1e-9);
    EXPECT_NEAR(terms->kinetic_energy + terms->potential_energy, energy(0.7, 1.3), 1e-9);
    // Jacobian of the coupler's origin: that of the crank's end
    ASSERT_EQ(terms->jacobian.columns, 1U);
    EXPECT_NEAR(terms->jacobian.data[0], 0.3 * std::cos(0.7), 1e-12);
    EXPECT_NEAR(terms->jacobian.data[2], -0.3 * std::sin(0.7), 1e-12);
    EXPECT_NEAR(terms->jacobian.data[4], (state.qd[0] + state.qd[1]) / 1.3, 1e-12);
  }
}

TEST_F(Mechanism, SimulatesLikeTheCore) {
  Simulate::Goal goal;
  goal.duration = duration(0.5);
  goal.sample = duration(0.01);
  goal.joint_names = {"crank"};
  goal.positions = {0.4};
  goal.velocities = {-0.6};
  const auto check = [&](dynamics::SimulationOptions options) {
    Simulate::Result result;
    server.simulate(goal, result);
    ASSERT_EQ(result.result.code, ResultCode::SUCCESS) << result.result.message;
    options.duration = 0.5;
    options.q0 = {0.4};
    options.qd0 = {-0.6};
    const auto run = dynamics::simulate(*dynamics::loop_plant(mechanism), options);
    ASSERT_EQ(result.states.joint_names, joints);
    ASSERT_EQ(result.states.positions.size(), 3 * run.size());
    ASSERT_EQ(result.states.effort.size(), 3 * run.size());
    double difference = 0.0, gap = 0.0;
    for (std::size_t k = 0; k < run.size(); ++k) {
      const auto positions = row_of(result.states.positions, k, 3);
      const auto effort = row_of(result.states.effort, k, 3);
      for (std::size_t i = 0; i < 3; ++i) {
        difference =
            dynamics::max_propagating_nan(difference, std::abs(positions[i] - run.q[i][k]));
        difference = dynamics::max_propagating_nan(difference, std::abs(effort[i] - run.tau[i][k]));
      }
      gap =
          dynamics::max_propagating_nan(gap, dynamics::loop_error(mechanism, workspace, positions));
    }
    EXPECT_LT(difference, 1e-9);
    EXPECT_LT(gap, 1e-12);
    EXPECT_GT(std::abs(run.q[0].back() - 0.4), 0.1) << "it moves";
  };
  ASSERT_NO_FATAL_FAILURE(check({}));
  const State start = closed(0.4, -0.6);
  goal.joint_names = joints;
  goal.positions = start.q;
  goal.velocities = start.qd;
  ASSERT_NO_FATAL_FAILURE(check({}));

  goal.scenario = Simulate::Goal::COMPUTED_TORQUE;
  goal.trajectory.joint_names = {"crank"};
  goal.trajectory.points = {point(0.0, {0.4}, {-0.6}), point(0.5, {0.0}, {0.0})};
  dynamics::SimulationOptions follow;
  follow.scenario = dynamics::Scenario::computed_torque;
  dynamics::TimedPath path;
  path.times = {0, 500'000'000};
  path.q = {0.4, 0.0};
  path.qd = {-0.6, 0.0};
  follow.trajectory = dynamics::interpolate(path);
  ASSERT_NO_FATAL_FAILURE(check(follow));
}

TEST_F(Mechanism, ModelAndPayload) {
  GetModel::Response model;
  server.get_model(GetModel::Request(), model);
  ASSERT_EQ(model.result.code, ResultCode::SUCCESS);
  EXPECT_EQ(model.constraints, (std::vector<std::string>{"pin"}));
  EXPECT_EQ(model.independent_joints, (std::vector<std::string>{"crank"}));
  EXPECT_EQ(model.actuated_joints, (std::vector<std::string>{"crank"}));
  EXPECT_EQ(model.joints.size(), 3U);
  EXPECT_TRUE(model.no_forward_dynamics.empty());
  const auto about_pin = std::any_of(model.notes.begin(), model.notes.end(), [](const auto& note) {
    return note.element.find("pin") != std::string::npos;
  });
  EXPECT_TRUE(about_pin) << "redundant equations of a planar loop";
  ASSERT_TRUE(server.mechanism());

  SetPayload::Request payload;
  payload.payload.frame_id = "coupler_link";
  payload.payload.inertia.m = 3.0;
  payload.payload.inertia.com.x = 0.8;
  SetPayload::Response set;
  server.set_payload(payload, set);
  ASSERT_EQ(set.result.code, ResultCode::SUCCESS) << set.result.message;
  EXPECT_NEAR(set.total_mass, 7.5, 1e-12);
  mechanism =
      mechanism.with_payload({"coupler_link", 3.0, {0.8, 0.0, 0.0}, Eigen::Matrix3d::Zero()});
  InverseDynamics::Request request;
  request.trajectory.joint_names = {"crank"};
  request.trajectory.points = {point(0.0, {0.7})};
  EXPECT_NEAR(efforts(request).trajectory.points[0].effort[0], torque(closed(0.7)), 1e-10);

  // without loops the lists have all joints; the payload's frame is gone
  ASSERT_EQ(server.set_description(crane).code, ResultCode::SUCCESS);
  server.get_model(GetModel::Request(), model);
  EXPECT_TRUE(model.constraints.empty());
  EXPECT_EQ(model.independent_joints, (std::vector<std::string>{"turn", "lift", "reach"}));
  EXPECT_EQ(model.actuated_joints, model.independent_joints);
  EXPECT_TRUE(model.payload.frame_id.empty());
  EXPECT_FALSE(server.mechanism());
}

TEST_F(Mechanism, BadDescriptionsNameTheConstraint) {
  std::string bad = four_bar();
  bad.replace(bad.find("type=\"revolute\""), 15, "type=\"fixed\"");
  auto refused = server.set_description(bad);
  EXPECT_EQ(refused.code, ResultCode::INVALID_VALUE);
  EXPECT_NE(refused.message.find("constraint 'pin'"), std::string::npos) << refused.message;
  EXPECT_TRUE(server.mechanism()) << "the previous robot stays";
}

/// What is wrong, with which code, and words of the message.
struct Bad {
  std::function<ResultCode()> call;
  std::int32_t code;
  std::vector<std::string> words;
};

TEST_F(Mechanism, BadRequestsAreRefusedByName) {
  const State state = closed(0.7, 1.3, -2.0);
  const auto trajectory = [this](std::vector<std::string> names, Vector q, Vector qd = {},
                                 Vector qdd = {}) {
    return [=, this] {
      InverseDynamics::Request request;
      request.trajectory.joint_names = names;
      request.trajectory.points = {point(0.0, q, qd, qdd)};
      InverseDynamics::Response response;
      server.inverse_dynamics(request, response);
      EXPECT_TRUE(response.trajectory.points.empty());
      return response.result;
    };
  };
  const auto forward = [this](std::vector<std::string> names, Vector q) {
    return [=, this] {
      ForwardDynamics::Request request;
      request.joint_names = names;
      request.positions = q;
      ForwardDynamics::Response response;
      server.forward_dynamics(request, response);
      return response.result;
    };
  };
  const auto terms = [this](std::vector<std::string> names, Vector q) {
    return [=, this] {
      GetDynamicsTerms::Request request;
      request.joint_names = names;
      request.positions = q;
      GetDynamicsTerms::Response response;
      server.get_dynamics_terms(request, response);
      return response.result;
    };
  };
  const auto run = [this](std::vector<std::string> names, Vector q, Vector qd = {}) {
    return [=, this] {
      Simulate::Goal goal;
      goal.duration = duration(0.1);
      goal.sample = duration(0.01);
      goal.joint_names = names;
      goal.positions = q;
      goal.velocities = qd;
      Simulate::Result result;
      server.simulate(goal, result);
      return result.result;
    };
  };
  const auto scale = [this] {
    ScaleTrajectory::Request request;
    request.trajectory.joint_names = {"crank"};
    request.trajectory.points = {point(0.0, {0.0}), point(1.0, {1.0})};
    ScaleTrajectory::Response response;
    server.scale_trajectory(request, response);
    return response.result;
  };
  const Vector open = {0.7, state.q[1] + 0.01, state.q[2]};
  const Vector rates = {1.3, state.qd[1], state.qd[2] + 0.1};
  const Vector accelerations = {-2.0, state.qdd[1] + 0.1, state.qdd[2]};
  const std::string follows = "joint 'rocker' follows from the closed loops of 'four_bar'";
  const std::string not_closed = "do not close the loops of 'four_bar'";
  const std::vector<Bad> all = {
      {trajectory({"rocker"}, {0.1}), ResultCode::MISSING_JOINT, {follows, "('crank')"}},
      {trajectory({"crank", "rocker"}, {0.1, 0.1}),
       ResultCode::MISSING_JOINT,
       {follows, "'coupler' missing"}},
      {trajectory(joints, open),
       ResultCode::INVALID_VALUE,
       {"trajectory.points[0].positions", not_closed, "('crank')"}},
      {trajectory(joints, state.q, rates),
       ResultCode::INVALID_VALUE,
       {"trajectory.points[0].velocities", "'four_bar'", "joint"}},
      {trajectory(joints, state.q, state.qd, accelerations),
       ResultCode::INVALID_VALUE,
       {"trajectory.points[0].accelerations", "joint 'coupler'"}},
      {trajectory({"crank", "pin"}, {0.1, 0.1}), ResultCode::UNKNOWN_JOINT, {"'pin'"}},
      {forward({"rocker"}, {0.1}), ResultCode::MISSING_JOINT, {"joint_names", follows}},
      {forward(joints, open), ResultCode::INVALID_VALUE, {"states[0].positions", not_closed}},
      {terms({"coupler"}, {0.1}), ResultCode::MISSING_JOINT, {"joint 'coupler' follows"}},
      {terms(joints, open), ResultCode::INVALID_VALUE, {"positions", not_closed}},
      {run({"rocker"}, {0.1}), ResultCode::MISSING_JOINT, {"joint_names", follows}},
      {run(joints, open), ResultCode::INVALID_VALUE, {"positions", not_closed}},
      {run(joints, state.q, rates), ResultCode::INVALID_VALUE, {"velocities", "'four_bar'"}},
      {scale,
       ResultCode::NOT_SUPPORTED,
       {"'four_bar' has closed loops", "'pin'", "scale_trajectory"}},
  };
  for (std::size_t k = 0; k < all.size(); ++k) {
    const ResultCode result = all[k].call();
    EXPECT_EQ(result.code, all[k].code) << k << ": " << result.message;
    for (const std::string& word : all[k].words)
      EXPECT_NE(result.message.find(word), std::string::npos) << word << ": " << result.message;
  }
  // the rocker alone cannot turn around
  ASSERT_NO_FATAL_FAILURE(load({"rocker"}));
  const std::vector<std::function<ResultCode()>> calls = {
      trajectory({"rocker"}, {2.5}), forward({"rocker"}, {2.5}), terms({"rocker"}, {2.5}),
      run({"rocker"}, {2.5})};
  for (const auto& call : calls) {
    const ResultCode result = call();
    EXPECT_EQ(result.code, ResultCode::NO_SOLUTION) << result.message;
    EXPECT_NE(result.message.find("positions"), std::string::npos) << result.message;
  }
}

}  // namespace
}  // namespace dynamics_ros::test
