// SPDX-License-Identifier: Apache-2.0
// A wrong-sized or non-finite argument is an error that names it, and nothing is written.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "dynamics_core/energy.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "support/random_robot.hpp"
#include "support/small_robots.hpp"

namespace dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using testing::HasSubstr;

constexpr double sentinel = 12345.0;

/// Good arguments of every function; a test spoils one of them.
struct Call {
  VectorXd q = VectorXd::Constant(4, 0.1), qd = q, qdd = q, tau = q, phi = q;
  std::size_t frame = 1;
  ExternalInputs external;
  std::vector<LinkWrench> wrenches = {{2, {}, Axes::local}};
  // outputs
  VectorXd out = VectorXd::Constant(4, sentinel), d = out;
  MatrixXd M = MatrixXd::Constant(4, 4, sentinel), J = MatrixXd::Constant(6, 4, sentinel);
  std::vector<Wrench> joint_wrenches;
  std::vector<Pose> poses;
  std::vector<ArticulatedBody> bodies;

  Call() {
    external.base.emplace();
    Wrench wrench;
    wrench.force.setConstant(sentinel);
    wrench.moment.setConstant(sentinel);
    joint_wrenches.assign(4, wrench);
    Pose pose;
    pose.translation.setConstant(sentinel);
    poses.assign(5, pose);
    ArticulatedBody body;
    body.inertia.setConstant(sentinel);
    body.psi.setConstant(sentinel);
    body.pivot = sentinel;
    bodies.assign(4, body);
  }

  bool untouched() const {
    bool result = (out.array() == sentinel).all() && (d.array() == sentinel).all() &&
                  (M.array() == sentinel).all() && (J.array() == sentinel).all();
    for (const Wrench& wrench : joint_wrenches) {
      result = result && (wrench.force.array() == sentinel).all() &&
               (wrench.moment.array() == sentinel).all();
    }
    for (const Pose& pose : poses) {
      result = result && (pose.translation.array() == sentinel).all();
    }
    for (const ArticulatedBody& body : bodies) result = result && body.pivot == sentinel;
    return result;
  }
};

enum Argument : unsigned {
  arg_q = 1U << 0U,
  arg_qd = 1U << 1U,
  arg_qdd = 1U << 2U,
  arg_tau = 1U << 3U,
  arg_phi = 1U << 4U,
  arg_frame = 1U << 5U,
  arg_base = 1U << 6U,
  arg_wrenches = 1U << 7U,
};

struct Function {
  std::string name;
  unsigned arguments;
  std::string vector_output;  ///< name of the output vector, empty: none
  std::string matrix_output;
  std::function<void(const Model&, Workspace&, Call&)> run;
};

std::vector<Function> functions() {
  using M = const Model&;
  using W = Workspace&;
  using C = Call&;
  return {
      {"inverse_dynamics", arg_q | arg_qd | arg_qdd | arg_base | arg_wrenches, "tau", "",
       [](M m, W w, C c) { inverse_dynamics(m, w, c.q, c.qd, c.qdd, c.out, c.external); }},
      {"inverse_dynamics_wrenches", arg_q | arg_qd | arg_qdd | arg_base | arg_wrenches, "tau", "",
       [](M m, W w, C c) {
         inverse_dynamics(m, w, c.q, c.qd, c.qdd, c.out, c.joint_wrenches, c.external);
       }},
      {"gravity_forces", arg_q, "g", "", [](M m, W w, C c) { gravity_forces(m, w, c.q, c.out); }},
      {"bias_forces", arg_q | arg_qd | arg_base | arg_wrenches, "bias", "",
       [](M m, W w, C c) { bias_forces(m, w, c.q, c.qd, c.out, c.external); }},
      {"wrenches_to_joint_torques", arg_q | arg_base | arg_wrenches, "tau", "",
       [](M m, W w, C c) {
         wrenches_to_joint_torques(m, w, c.q, c.wrenches, c.out, c.external.base);
       }},
      {"friction_forces", arg_qd, "tau", "",
       [](M m, W w, C c) { friction_forces(m, w, c.qd, c.out); }},
      {"forward_dynamics", arg_q | arg_qd | arg_tau | arg_base | arg_wrenches, "qdd", "",
       [](M m, W w, C c) { forward_dynamics(m, w, c.q, c.qd, c.tau, c.out, c.external); }},
      {"inertia_matrix", arg_q, "", "M", [](M m, W w, C c) { inertia_matrix(m, w, c.q, c.M); }},
      {"coriolis_matrix", arg_q | arg_qd, "", "C",
       [](M m, W w, C c) { coriolis_matrix(m, w, c.q, c.qd, c.M); }},
      {"udut", arg_q, "d", "U", [](M m, W w, C c) { udut(m, w, c.q, c.M, c.out); }},
      {"solve_inertia", arg_q | arg_phi, "x", "",
       [](M m, W w, C c) { solve_inertia(m, w, c.q, c.phi, c.out); }},
      {"inverse_inertia_matrix", arg_q, "", "inverse",
       [](M m, W w, C c) { inverse_inertia_matrix(m, w, c.q, c.M); }},
      {"articulated_bodies", arg_q, "", "",
       [](M m, W w, C c) { articulated_bodies(m, w, c.q, c.bodies); }},
      {"frame_pose", arg_q | arg_frame | arg_base, "", "",
       [](M m, W w, C c) { frame_pose(m, w, c.q, c.frame, c.external.base); }},
      {"frame_poses", arg_q | arg_base, "", "",
       [](M m, W w, C c) { frame_poses(m, w, c.q, c.poses, c.external.base); }},
      {"frame_motion", arg_q | arg_qd | arg_qdd | arg_frame | arg_base, "", "",
       [](M m, W w, C c) {
         frame_motion(m, w, c.q, c.qd, c.qdd, c.frame, Axes::world, c.external.base);
       }},
      {"jacobian", arg_q | arg_frame, "", "J",
       [](M m, W w, C c) { jacobian(m, w, c.q, c.frame, Axes::local, c.J); }},
      {"jacobian_rate", arg_q | arg_qd | arg_frame, "", "J_rate",
       [](M m, W w, C c) { jacobian_rate(m, w, c.q, c.qd, c.frame, Axes::local, c.J); }},
      {"energy", arg_q | arg_qd | arg_base, "", "",
       [](M m, W w, C c) { energy(m, w, c.q, c.qd, c.external.base); }},
      {"momentum", arg_q | arg_qd | arg_base, "", "",
       [](M m, W w, C c) { momentum(m, w, c.q, c.qd, c.external.base); }},
      {"power", arg_qd | arg_tau, "", "", [](M m, W w, C c) { power(m, w, c.qd, c.tau); }},
  };
}

class Arguments : public testing::TestWithParam<Function> {
 protected:
  Model model{test::RandomRobot(4).robot({.joints = 4})};
  Workspace workspace{model};

  /// The call must fail, naming the argument, and leave the outputs alone.
  template <class F>
  void expect_refusal(F spoil, const std::string& named, Workspace* other = nullptr) {
    Call call;
    call.external.wrenches = call.wrenches;
    spoil(call);
    call.external.wrenches = call.wrenches;
    try {
      GetParam().run(model, other != nullptr ? *other : workspace, call);
      ADD_FAILURE() << "accepted: " << named;
    } catch (const ArgumentError& error) {
      EXPECT_THAT(error.what(), HasSubstr(named));
    }
    EXPECT_TRUE(call.untouched()) << named << ": something was written";
  }
};

TEST_P(Arguments, GoodOnesAreAccepted) {
  Call call;
  call.external.wrenches = call.wrenches;
  EXPECT_NO_THROW(GetParam().run(model, workspace, call));
}

TEST_P(Arguments, VectorsOfWrongSizeOrNotFinite) {
  const std::tuple<unsigned, VectorXd Call::*, std::string> vectors[] = {
      {arg_q, &Call::q, "q"},       {arg_qd, &Call::qd, "qd"},    {arg_qdd, &Call::qdd, "qdd"},
      {arg_tau, &Call::tau, "tau"}, {arg_phi, &Call::phi, "phi"},
  };
  for (const auto& [bit, pointer, name] : vectors) {
    if ((GetParam().arguments & bit) == 0) continue;
    VectorXd Call::*const member = pointer;  // lambdas cannot capture a binding everywhere
    for (const Eigen::Index size : {0, 3, 5}) {
      expect_refusal([&](Call& c) { (c.*member) = VectorXd::Zero(size); },
                     name + " has " + std::to_string(size));
    }
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
          -std::numeric_limits<double>::infinity()}) {
      for (const Eigen::Index at : {0, 3}) {
        expect_refusal([&](Call& c) { (c.*member)[at] = bad; },
                       name + "[" + std::to_string(at) + "]");
      }
    }
  }
}

TEST_P(Arguments, OutputsOfWrongSize) {
  if (!GetParam().vector_output.empty()) {
    for (const Eigen::Index size : {3, 5}) {
      expect_refusal([&](Call& c) { c.out = VectorXd::Constant(size, sentinel); },
                     GetParam().vector_output + " has room for " + std::to_string(size));
    }
  }
  if (!GetParam().matrix_output.empty()) {
    for (const auto& [rows, columns] : {std::pair{3, 4}, {4, 3}, {5, 5}, {6, 3}, {5, 4}, {0, 0}}) {
      expect_refusal(
          [r = rows, k = columns](Call& c) { c.M = c.J = MatrixXd::Constant(r, k, sentinel); },
          GetParam().matrix_output + " is " + std::to_string(rows) + " x " +
              std::to_string(columns));
    }
  }
  const std::string& name = GetParam().name;
  if (name == "inverse_dynamics_wrenches") {
    expect_refusal([](Call& c) { c.joint_wrenches.pop_back(); }, "wrenches has room for 3");
  }
  if (name == "frame_poses") expect_refusal([](Call& c) { c.poses.pop_back(); }, "poses has room");
  if (name == "articulated_bodies") {
    expect_refusal([](Call& c) { c.bodies.pop_back(); }, "bodies has room for 3");
  }
}

TEST_P(Arguments, FramesWrenchesAndBase) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const unsigned arguments = GetParam().arguments;
  if ((arguments & arg_frame) != 0) {
    expect_refusal([](Call& c) { c.frame = 5; }, "frame 5");
  }
  if ((arguments & arg_wrenches) != 0) {
    expect_refusal(
        [](Call& c) {
          c.wrenches.push_back({5, {}, Axes::world});
        },
        "wrenches[1] acts on frame 5");
    expect_refusal([&](Call& c) { c.wrenches[0].wrench.force.x() = nan; }, "wrenches[0]");
    expect_refusal([&](Call& c) { c.wrenches[0].wrench.moment.z() = nan; }, "wrenches[0]");
  }
  if ((arguments & arg_base) != 0) {
    expect_refusal([&](Call& c) { c.external.base->pose.translation.x() = nan; }, "base's pose");
    expect_refusal([&](Call& c) { c.external.base->pose.rotation(0, 0) = nan; }, "base's pose");
    expect_refusal([&](Call& c) { c.external.base->velocity.linear.x() = nan; }, "base's velocity");
    expect_refusal([&](Call& c) { c.external.base->velocity.angular.x() = nan; },
                   "base's velocity");
    expect_refusal([&](Call& c) { c.external.base->acceleration.linear.x() = nan; },
                   "base's acceleration");
    expect_refusal([&](Call& c) { c.external.base->acceleration.angular.x() = nan; },
                   "base's acceleration");
    expect_refusal([&](Call& c) { c.external.base->pose.rotation *= 1.1; }, "rotation");
    expect_refusal([&](Call& c) { c.external.base->pose.rotation.col(2) *= -1.0; }, "rotation");
  }
}

TEST_P(Arguments, WorkspaceOfAnotherModel) {
  const Model small(test::RandomRobot(4).robot({.joints = 3}));
  Workspace other(small);
  expect_refusal([](Call&) {}, "workspace", &other);
}

INSTANTIATE_TEST_SUITE_P(Rigid, Arguments, testing::ValuesIn(functions()),
                         [](const auto& function) { return function.param.name; });

TEST(WorkspaceOfAnotherModel, OfTheSameSizeButOtherMimicJointsIsRefused) {
  const Inertial inertial = test::body(1.0, {0.1, 0.2, 0.3}, {1, 1, 1});
  const Model chain(test::RandomRobot(4).robot({.joints = 6}));
  const Model floating(test::RobotBuilder().add(JointType::floating, "free", "base", "body",
                                                Vector3d::UnitX(), inertial));
  ASSERT_EQ(chain.size(), floating.size());
  ASSERT_EQ(chain.body_count(), floating.body_count());
  Workspace of_chain(chain), of_floating(floating);
  const VectorXd zero = VectorXd::Zero(6);
  // one coordinate a body in both: the scratch of one does for the other
  VectorXd d(6), expected_d(6);
  MatrixXd U(6, 6), expected_U(6, 6);
  udut(floating, of_floating, zero, expected_U, expected_d);
  udut(floating, of_chain, zero, U, d);
  EXPECT_EQ(U, expected_U);
  EXPECT_EQ(d, expected_d);

  // the same number of mimic joints, but others
  RobotDescription first = test::RandomRobot(4).robot({.joints = 4}), second = first;
  first.joints[2].mimic = Mimic{"joint1", 1.0, 0.0};
  second.joints[3].mimic = Mimic{"joint1", 1.0, 0.0};
  const Model a(first), b(second);
  Workspace of_a(a);
  VectorXd x(3);
  const VectorXd three = VectorXd::Zero(3);
  EXPECT_NO_THROW(forward_dynamics(a, of_a, three, three, three, x));
  EXPECT_THROW(forward_dynamics(b, of_a, three, three, three, x), ArgumentError);
  // the same robot with a payload or under another gravity may share it
  EXPECT_NO_THROW(forward_dynamics(a.with_gravity({0, 0, -1}), of_a, three, three, three, x));
}

TEST(Names, UnknownOnesListTheKnown) {
  const Model model(test::RandomRobot(4).robot({.joints = 2}));
  EXPECT_EQ(model.coordinate("joint1"), 1U);
  EXPECT_EQ(model.frames()[model.frame("link1")].name, "link1");
  EXPECT_FALSE(model.find_coordinate("nobody"));
  EXPECT_FALSE(model.find_frame("nobody"));
  for (const auto& call : {std::function<void()>([&] { model.coordinate("nobody"); }),
                           std::function<void()>([&] { model.frame("nobody"); })}) {
    try {
      call();
      ADD_FAILURE() << "accepted";
    } catch (const ArgumentError& error) {
      EXPECT_THAT(error.what(), HasSubstr("'nobody'"));
      EXPECT_THAT(error.what(), testing::AnyOf(HasSubstr("joint0, joint1"), HasSubstr("link1")));
    }
  }
}

}  // namespace
}  // namespace dynamics
