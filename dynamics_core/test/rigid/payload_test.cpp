// SPDX-License-Identifier: Apache-2.0
// A payload is a link with that inertia, fixed at that frame.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "support/compare.hpp"
#include "support/random_robot.hpp"

namespace dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test::idx;
using test::relative;
using testing::HasSubstr;

VectorXd torques(const Model& model, const VectorXd& q, const VectorXd& qd, const VectorXd& qdd) {
  Workspace workspace(model);
  VectorXd tau(q.size());
  inverse_dynamics(model, workspace, q, qd, qdd, tau);
  return tau;
}

class PayloadTest : public testing::Test {
 protected:
  test::RandomRobot random{5};
  RobotDescription description = random.robot({.joints = 7, .branching = 0.4, .fixed = 0.5});
  Model model{description};
  std::size_t n = model.size();
  VectorXd q = random.vector(n, 3.0), qd = random.vector(n, 2.0), qdd = random.vector(n, 5.0);

  Payload payload(const std::string& frame) {
    const Inertial load = random.inertial();
    return {frame, load.mass, load.center, load.inertia};
  }
};

TEST_F(PayloadTest, IsALinkFixedThere) {
  for (const Frame& frame : model.frames()) {
    const Payload load = payload(frame.name);
    const Model loaded = model.with_payload(load);
    RobotDescription grown = description;
    JointDescription joint;
    joint.name = "grip";
    joint.parent = frame.name;
    joint.child = "load";
    grown.joints.push_back(joint);
    LinkDescription link;
    link.name = "load";
    link.inertial = Inertial{load.mass, load.center, load.inertia};
    grown.links.push_back(link);
    const Model expected(grown);
    EXPECT_LT(relative(torques(loaded, q, qd, qdd), torques(expected, q, qd, qdd)), 1e-12);
    Workspace workspace(loaded);
    MatrixXd a(idx(n), idx(n)), b(idx(n), idx(n));
    inertia_matrix(loaded, workspace, q, a);
    inertia_matrix(expected, workspace, q, b);
    EXPECT_LT(relative(a, b), 1e-12);
    VectorXd back(idx(n));
    forward_dynamics(loaded, workspace, q, qd, torques(expected, q, qd, qdd), back);
    EXPECT_LT(relative(back, qdd), 1e-10);
    EXPECT_NEAR(loaded.total_mass(), model.total_mass() + load.mass, 1e-12);
    // a load on the base is carried by nobody
    if (frame.body < 0) {
      EXPECT_EQ(torques(loaded, q, qd, qdd), torques(model, q, qd, qdd));
    }
  }
}

TEST_F(PayloadTest, IsSetReplacedAndCleared) {
  const std::string tip = model.frames()[model.end_effector()].name;
  const Payload first = payload(tip), second = payload("link3");
  EXPECT_FALSE(model.payload());
  const Model a = model.with_payload(first), b = a.with_payload(second), c = b.without_payload();
  ASSERT_TRUE(a.payload() && b.payload());
  EXPECT_EQ(a.payload()->frame, tip);
  EXPECT_EQ(b.payload()->frame, "link3");
  EXPECT_FALSE(c.payload());
  EXPECT_FALSE(model.payload()) << "the model itself never changes";
  EXPECT_GT(relative(torques(a, q, qd, qdd), torques(model, q, qd, qdd)), 1e-3);
  EXPECT_EQ(torques(b, q, qd, qdd), torques(model.with_payload(second), q, qd, qdd));
  EXPECT_EQ(torques(c, q, qd, qdd), torques(model, q, qd, qdd));
}

TEST_F(PayloadTest, StaysUnderAnotherGravity) {
  const Payload load = payload("link2");
  const Vector3d moon(0.0, 0.0, -1.62);
  const Model a = model.with_payload(load).with_gravity(moon);
  const Model b = model.with_gravity(moon).with_payload(load);
  EXPECT_EQ(torques(a, q, qd, qdd), torques(b, q, qd, qdd));
  EXPECT_EQ(a.gravity(), moon);
  // tau is linear in gravity
  const VectorXd none = torques(model.with_gravity(Vector3d::Zero()), q, qd, qdd),
                 once = torques(model.with_gravity(moon), q, qd, qdd),
                 twice = torques(model.with_gravity(2.0 * moon), q, qd, qdd);
  EXPECT_LT(relative(twice - none, 2.0 * (once - none)), 1e-12);
}

TEST_F(PayloadTest, GivesAMasslessLinkItsInertia) {
  for (LinkDescription& link : description.links) {
    if (link.name == "link6") link.inertial.reset();
  }
  std::erase_if(description.joints, [](const auto& joint) { return joint.parent == "link6"; });
  const Model bare(description);
  ASSERT_FALSE(bare.singular_reason().empty());
  const Model loaded = bare.with_payload(payload("link6"));
  EXPECT_TRUE(loaded.singular_reason().empty()) << loaded.singular_reason();
  Workspace own(loaded);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(7),
                        wanted = Eigen::VectorXd::LinSpaced(7, -1, 2);
  Eigen::VectorXd torques(7), found(7);
  inverse_dynamics(loaded, own, zero, zero, wanted, torques);
  forward_dynamics(loaded, own, zero, zero, torques, found);
  EXPECT_LT(test::relative(found, wanted), 1e-9);
}

TEST_F(PayloadTest, BadOnesAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               inf = std::numeric_limits<double>::infinity();
  const auto refused = [&](auto change, const std::string& what) {
    Payload load = payload("link1");
    change(load);
    try {
      model.with_payload(load);
      ADD_FAILURE() << "accepted: " << what;
    } catch (const ArgumentError& error) {
      EXPECT_THAT(error.what(), HasSubstr(what));
    }
  };
  refused([](Payload& p) { p.frame = "nowhere"; }, "'nowhere'");
  refused([](Payload& p) { p.frame = "nowhere"; }, "link1");  // lists the known ones
  refused([](Payload& p) { p.mass = -1.0; }, "mass");
  refused([&](Payload& p) { p.mass = nan; }, "mass");
  refused([&](Payload& p) { p.mass = inf; }, "mass");
  refused([&](Payload& p) { p.center.y() = nan; }, "center");
  refused([&](Payload& p) { p.inertia(1, 1) = inf; }, "inertia");
  refused([](Payload& p) { p.inertia(0, 1) += 1.0; }, "symmetric");
  refused([](Payload& p) { p.inertia(2, 2) = -1.0; }, "negative principal moment");
  EXPECT_THROW(model.with_gravity({nan, 0.0, 0.0}), ArgumentError);
  EXPECT_THROW(model.with_gravity({0.0, 0.0, inf}), ArgumentError);
}

}  // namespace
}  // namespace dynamics
