// SPDX-License-Identifier: Apache-2.0
// What is wrong with a request is said with a code, and a message naming field, index and joint.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "robots.hpp"
#include "services.hpp"

namespace dynamics_ros::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Request>
struct Case {
  std::string name;
  std::function<void(Request&)> spoil;
  std::int32_t code;
  std::vector<std::string> words;  ///< that the message must have
};

template <class Request, class Response>
void expect_fault(const Case<Request>& fault, const Response& response) {
  SCOPED_TRACE(fault.name + ": " + response.result.message);
  EXPECT_EQ(response.result.code, fault.code);
  for (const std::string& word : fault.words) {
    EXPECT_NE(response.result.message.find(word), std::string::npos) << "no '" << word << "'";
  }
  Response nothing;
  nothing.result = response.result;
  EXPECT_EQ(response, nothing) << "something was returned beside the fault";
}

DynamicsServer& server() {
  static DynamicsServer made([] {
    ServerOptions options;
    options.largest_request = 4;
    return options;
  }());
  static const auto taken = made.set_description(crane);
  EXPECT_EQ(taken.code, ResultCode::SUCCESS);
  return made;
}

InverseDynamics::Request good_trajectory() {
  InverseDynamics::Request request;
  request.trajectory.joint_names = {"reach", "turn", "lift"};
  for (int k = 0; k < 3; ++k) {
    auto& point = request.trajectory.points.emplace_back();
    point.time_from_start.sec = k;
    point.positions = point.velocities = point.accelerations = {0.1, 0.2, 0.3};
  }
  return request;
}

TEST(Faults, OfTrajectories) {
  using Request = InverseDynamics::Request;
  const std::vector<Case<Request>> cases = {
      {"no joints",
       [](auto& r) { r.trajectory.joint_names.clear(); },
       ResultCode::EMPTY_REQUEST,
       {"trajectory.joint_names"}},
      {"no points",
       [](auto& r) { r.trajectory.points.clear(); },
       ResultCode::EMPTY_REQUEST,
       {"trajectory.points"}},
      {"too many points",
       [](auto& r) { r.trajectory.points.resize(5); },
       ResultCode::TOO_LARGE,
       {"trajectory.points", "5", "4"}},
      {"unknown joint",
       [](auto& r) { r.trajectory.joint_names[1] = "elbow"; },
       ResultCode::UNKNOWN_JOINT,
       {"joint_names[1]", "elbow", "turn, lift, reach"}},
      {"fixed joint",
       [](auto& r) { r.trajectory.joint_names[0] = "mount"; },
       ResultCode::UNKNOWN_JOINT,
       {"joint_names[0]", "'mount' is fixed"}},
      {"mimic joint",
       [](auto& r) { r.trajectory.joint_names[2] = "grip"; },
       ResultCode::UNKNOWN_JOINT,
       {"joint_names[2]", "'grip' mimics 'lift'"}},
      {"duplicate joint",
       [](auto& r) { r.trajectory.joint_names[2] = "reach"; },
       ResultCode::DUPLICATE_JOINT,
       {"joint_names[2]", "'reach'", "at 0"}},
      {"missing joint",
       [](auto& r) {
         r.trajectory.joint_names = {"reach", "turn"};
         for (auto& point : r.trajectory.points) {
           point.positions = point.velocities = point.accelerations = {0.0, 0.0};
         }
       },
       ResultCode::MISSING_JOINT,
       {"'lift'"}},
      {"joint moves and stands",
       [](auto& r) {
         r.other_joints.joint_names = {"turn"};
         r.other_joints.positions = {0.0};
       },
       ResultCode::DUPLICATE_JOINT,
       {"other_joints.joint_names[0]", "'turn'"}},
      {"positions of unnamed joints",
       [](auto& r) { r.other_joints.positions = {0.0}; },
       ResultCode::EMPTY_REQUEST,
       {"other_joints.joint_names"}},
      {"no positions",
       [](auto& r) { r.trajectory.points[1].positions.clear(); },
       ResultCode::WRONG_SIZE,
       {"points[1].positions", "0 entries for 3 joints"}},
      {"ragged positions",
       [](auto& r) { r.trajectory.points[2].positions.push_back(0.0); },
       ResultCode::WRONG_SIZE,
       {"points[2].positions", "4 entries for 3 joints"}},
      {"ragged velocities",
       [](auto& r) { r.trajectory.points[2].velocities.pop_back(); },
       ResultCode::WRONG_SIZE,
       {"points[2].velocities", "2 entries for 3 joints"}},
      {"velocities here and there",
       [](auto& r) { r.trajectory.points[1].velocities.clear(); },
       ResultCode::WRONG_SIZE,
       {"points[1].velocities", "every point or at none"}},
      {"accelerations here and there",
       [](auto& r) { r.trajectory.points[0].accelerations.clear(); },
       ResultCode::WRONG_SIZE,
       {"points[1].accelerations", "every point or at none"}},
      {"NaN",
       [](auto& r) { r.trajectory.points[1].positions[2] = nan; },
       ResultCode::NOT_FINITE,
       {"points[1].positions[2]", "'lift'", "nan"}},
      {"infinite",
       [](auto& r) { r.trajectory.points[2].accelerations[0] = -infinity; },
       ResultCode::NOT_FINITE,
       {"points[2].accelerations[0]", "'reach'", "-inf"}},
      {"time stands",
       [](auto& r) { r.trajectory.points[2].time_from_start.sec = 1; },
       ResultCode::TIME_NOT_INCREASING,
       {"points[2].time_from_start"}},
      {"negative time",
       [](auto& r) { r.trajectory.points[0].time_from_start.sec = -1; },
       ResultCode::TIME_NOT_INCREASING,
       {"points[0].time_from_start", "0 or more"}},
  };
  for (const auto& fault : cases) {
    Request request = good_trajectory();
    fault.spoil(request);
    InverseDynamics::Response response;
    response.parts.gravity.resize(7);  // what was there before must go
    server().inverse_dynamics(request, response);
    expect_fault(fault, response);

    CheckTorqueLimits::Request check;
    check.trajectory = request.trajectory;
    check.other_joints = request.other_joints;
    CheckTorqueLimits::Response verdict;
    server().check_torque_limits(check, verdict);
    EXPECT_EQ(verdict.result, response.result) << fault.name;
  }
  InverseDynamics::Response response;
  server().inverse_dynamics(good_trajectory(), response);
  EXPECT_EQ(response.result.code, ResultCode::SUCCESS);
}

TEST(Faults, OfStates) {
  using Request = ForwardDynamics::Request;
  const std::vector<Case<Request>> cases = {
      {"nothing", [](auto& r) { r = Request(); }, ResultCode::EMPTY_REQUEST, {"joint_names"}},
      {"no states",
       [](auto& r) { r.positions.clear(); },
       ResultCode::EMPTY_REQUEST,
       {"positions is empty"}},
      {"too many",
       [](auto& r) { r.positions.resize(15); },
       ResultCode::TOO_LARGE,
       {"positions has 5 states"}},
      {"missing joints",
       [](auto& r) { r.joint_names = {"lift"}; },
       ResultCode::MISSING_JOINT,
       {"joint_names", "'turn', 'reach'"}},
      {"ragged",
       [](auto& r) { r.effort.pop_back(); },
       ResultCode::WRONG_SIZE,
       {"effort has 5 entries, not 6: 2 states of 3 joints"}},
      {"ragged positions",
       [](auto& r) { r.positions.pop_back(); },
       ResultCode::WRONG_SIZE,
       {"positions has 5 entries: must be 3 for each state"}},
      {"effort of one state",
       [](auto& r) { r.effort.resize(3); },
       ResultCode::WRONG_SIZE,
       {"effort has 3 entries, not 6"}},
      {"NaN",
       [](auto& r) { r.velocities[4] = nan; },
       ResultCode::NOT_FINITE,
       {"velocities[4], state 1, of joint 'turn' is nan"}},
  };
  for (const auto& fault : cases) {
    Request request;
    request.joint_names = {"reach", "turn", "lift"};
    request.positions = request.velocities = request.effort = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    fault.spoil(request);
    ForwardDynamics::Response response;
    server().forward_dynamics(request, response);
    expect_fault(fault, response);
  }
}

TEST(Faults, OfTerms) {
  using Request = GetDynamicsTerms::Request;
  const std::vector<Case<Request>> cases = {
      {"missing", [](auto& r) { r.joint_names = {"turn"}; }, ResultCode::MISSING_JOINT, {"'lift'"}},
      {"ragged", [](auto& r) { r.positions.clear(); }, ResultCode::WRONG_SIZE, {"positions"}},
      {"infinite",
       [](auto& r) { r.velocities[0] = infinity; },
       ResultCode::NOT_FINITE,
       {"velocities[0]", "'reach'"}},
      {"frame", [](auto& r) { r.frame_id = "nowhere"; }, ResultCode::UNKNOWN_FRAME, {"nowhere"}},
      {"axes",
       [](auto& r) { r.jacobian_axes = 3; },
       ResultCode::INVALID_VALUE,
       {"jacobian_axes is 3"}},
  };
  for (const auto& fault : cases) {
    Request request;
    request.joint_names = {"reach", "turn", "lift"};
    request.positions = request.velocities = {0.1, 0.2, 0.3};
    fault.spoil(request);
    GetDynamicsTerms::Response response;
    server().get_dynamics_terms(request, response);
    expect_fault(fault, response);
  }
}

TEST(Faults, OfPayloads) {
  struct Bad {
    std::function<void(dynamics_msgs::msg::Payload&)> spoil;
    std::int32_t code;
    std::string word;
  };
  const std::vector<Bad> cases = {
      {[](auto& p) { p.frame_id = "moon"; }, ResultCode::UNKNOWN_FRAME, "'moon'"},
      {[](auto& p) { p.frame_id = ""; }, ResultCode::UNKNOWN_FRAME, "inertia.m is 1"},
      {[](auto& p) { p.inertia.m = -1.0; }, ResultCode::INVALID_VALUE, "mass"},
      {[](auto& p) { p.inertia.com.y = nan; }, ResultCode::NOT_FINITE, "com.y"},
      {[](auto& p) { p.inertia.ixx = -1.0; }, ResultCode::INVALID_VALUE, "inertia"},
  };
  for (const auto& bad : cases) {
    SetPayload::Request request;
    request.payload.frame_id = "tool";
    request.payload.inertia.m = 1.0;
    bad.spoil(request.payload);
    SetPayload::Response response;
    server().set_payload(request, response);
    EXPECT_EQ(response.result.code, bad.code) << response.result.message;
    EXPECT_NE(response.result.message.find(bad.word), std::string::npos) << response.result.message;
    EXPECT_EQ(response.payload.frame_id, "");
  }
}

/// A robot whose last joint moves nothing has no forward dynamics; the rest is answered.
TEST(Faults, NoForwardDynamics) {
  DynamicsServer massless({});
  std::string text = pendulum;
  text.insert(text.find("</robot>"),
              "<link name='tip'/><joint name='spin' type='continuous'><parent link='bob'/>"
              "<child link='tip'/></joint>");
  ASSERT_EQ(massless.set_description(text).code, ResultCode::SUCCESS);
  ForwardDynamics::Request request;
  request.joint_names = {"swing", "spin"};
  request.positions = {0.0, 0.0};
  ForwardDynamics::Response response;
  massless.forward_dynamics(request, response);
  EXPECT_EQ(response.result.code, ResultCode::NO_SOLUTION);
  EXPECT_NE(response.result.message.find("spin"), std::string::npos) << response.result.message;
  GetModel::Response described;
  massless.get_model(GetModel::Request(), described);
  EXPECT_EQ(described.no_forward_dynamics, response.result.message);
}

}  // namespace
}  // namespace dynamics_ros::test
