// SPDX-License-Identifier: Apache-2.0
// The state gathered from messages, and the frames made of it, against the core.
#include "dynamics_ros/moving_robot.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <dynamics_core/closed_loops.hpp>
#include <dynamics_core/flexible_links.hpp>
#include <dynamics_core/kinematics.hpp>
#include <dynamics_core/readers.hpp>
#include <dynamics_core/view.hpp>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "dynamics_ros/link_frames.hpp"
#include "robots.hpp"

namespace dynamics_ros {
namespace {

using control_msgs::msg::DynamicJointState;
using dynamics::Pose;
using sensor_msgs::msg::JointState;

dynamics::Model canadarm() {
  return dynamics::model_from_urdf(dynamics::to_urdf(dynamics::built_in_robot("canadarm")));
}

JointState joint_state(const std::vector<std::string>& names, const std::vector<double>& position) {
  JointState message;
  message.name = names;
  message.position = position;
  return message;
}

void add(DynamicJointState& message, const std::string& name,
         const std::vector<std::string>& interfaces, const std::vector<double>& values) {
  message.joint_names.push_back(name);
  control_msgs::msg::InterfaceValue entry;
  entry.interface_names = interfaces;
  entry.values = values;
  message.interface_values.push_back(entry);
}

/// A bent Canadarm; q in the order of the core's flexible model.
DynamicJointState bent_canadarm(const std::vector<double>& q) {
  DynamicJointState message;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string number = std::to_string(i + 1);
    add(message, "joint" + number, {"position", "velocity", "effort"}, {q[i], 0.0, 1.0});
    // another order than the core's
    add(message, "link" + number, {"y2_velocity", "y2", "y1", "y1_velocity"},
        {0.0, q[3 + 2 * i + 1], q[3 + 2 * i], 0.0});
  }
  add(message, "canadarm", {"kinetic_energy"}, {7.0});  // not ours
  return message;
}

const std::vector<double> bent = {0.3, -0.5, 0.8, 0.05, -0.004, 0.03, 0.002, -0.01, 0.001};

Pose to_pose(const geometry_msgs::msg::Transform& transform) {
  const auto& r = transform.rotation;
  return {Eigen::Quaterniond(r.w, r.x, r.y, r.z).toRotationMatrix(),
          {transform.translation.x, transform.translation.y, transform.translation.z}};
}

/// The frame of a link in that of the base, as a reader of /tf and /tf_static finds it.
Pose look_up(MovingRobot& robot, const std::string& link) {
  std::map<std::string, geometry_msgs::msg::TransformStamped> parents;
  for (const auto& transform : moving_frames(robot)) parents[transform.child_frame_id] = transform;
  for (const auto& transform : fixed_frames(robot)) {
    EXPECT_EQ(parents.count(transform.child_frame_id), 0U) << "moving and fixed";
    parents[transform.child_frame_id] = transform;
  }
  Pose pose;
  for (std::string at = link; at != robot.model().base_link();) {
    const auto& transform = parents.at(at);
    pose = to_pose(transform.transform) * pose;
    at = transform.header.frame_id;
  }
  return pose;
}

double distance(const Pose& a, const Pose& b) {
  return dynamics::max_propagating_nan(dynamics::max_abs(a.rotation - b.rotation),
                                       dynamics::max_abs(a.translation - b.translation));
}

TEST(MovingRobot, is_placed_when_every_joint_is_known) {
  MovingRobot robot(dynamics::model_from_urdf(test::crane));
  EXPECT_FALSE(robot.has_positions());
  EXPECT_TRUE(robot.take(joint_state({"reach", "turn"}, {0.3, 1.0})));
  EXPECT_FALSE(robot.has_positions());
  EXPECT_FALSE(robot.take(joint_state({"wheel"}, {0.3})));  // of another robot
  EXPECT_FALSE(robot.take(joint_state({"lift"}, {std::numeric_limits<double>::quiet_NaN()})));
  EXPECT_FALSE(robot.has_positions());
  EXPECT_TRUE(robot.take(joint_state({"lift"}, {-0.4})));
  ASSERT_TRUE(robot.has_positions());
  EXPECT_FALSE(robot.has_velocities());
  EXPECT_EQ((std::vector<double>(robot.positions().begin(), robot.positions().end())),
            (std::vector<double>{1.0, -0.4, 0.3}));
  EXPECT_TRUE(std::isnan(robot.energy().kinetic));
  EXPECT_TRUE(std::isnan(robot.efforts()[0]));
}

TEST(MovingRobot, forgets_efforts_and_velocities_that_no_longer_come) {
  MovingRobot robot(dynamics::model_from_urdf(test::pendulum));
  JointState message = joint_state({"swing"}, {0.4});
  message.velocity = {2.0};
  message.effort = {3.0};
  EXPECT_TRUE(robot.take(message));
  EXPECT_TRUE(robot.has_velocities());
  EXPECT_EQ(robot.efforts()[0], 3.0);
  // m (l w)^2/2 + I w^2/2 and the rotor's
  EXPECT_NEAR(robot.energy().kinetic, 0.5 * (2.0 * 0.25 + 0.1 + 0.05) * 4.0, 1e-12);
  EXPECT_NEAR(robot.energy().potential, -2.0 * 9.81 * 0.5 * std::cos(0.4), 1e-12);
  EXPECT_TRUE(robot.take(joint_state({"swing"}, {0.4})));
  EXPECT_FALSE(robot.has_velocities());
  EXPECT_TRUE(std::isnan(robot.efforts()[0]));
}

TEST(LinkFrames, of_a_bent_arm_are_those_of_the_core) {
  const dynamics::FlexibleModel core(canadarm());
  dynamics::FlexibleWorkspace workspace(core);
  MovingRobot robot(canadarm());
  ASSERT_TRUE(robot.take(bent_canadarm(bent)));
  ASSERT_TRUE(robot.has_positions());
  for (std::size_t i = 0; i < core.rigid().frames().size(); ++i) {
    const Pose expected = dynamics::frame_pose(core, workspace, bent, i);
    EXPECT_LE(distance(look_up(robot, core.rigid().frames()[i].name), expected), 1e-12)
        << core.rigid().frames()[i].name;
  }
  EXPECT_LE((robot.center_of_mass() - dynamics::center_of_mass(core, workspace, bent)).norm(),
            1e-12);
  EXPECT_GT(robot.energy().strain, 0.0);
}

TEST(LinkFrames, of_an_arm_that_is_not_bent_are_the_rigid_ones) {
  const dynamics::Model rigid = canadarm();
  dynamics::Workspace workspace(rigid);
  MovingRobot robot(rigid);
  // joint states alone: nothing is known of the amplitudes
  ASSERT_TRUE(robot.take(joint_state({"joint3", "joint1", "joint2"}, {0.8, 0.3, -0.5})));
  const std::vector<double> q = {0.3, -0.5, 0.8};
  const Pose expected = dynamics::frame_pose(rigid, workspace, q, rigid.frame("tool0"));
  EXPECT_LE(distance(look_up(robot, "tool0"), expected), 1e-12);
  // and the bent one is elsewhere
  ASSERT_TRUE(robot.take(bent_canadarm(bent)));
  EXPECT_GT(distance(look_up(robot, "tool0"), expected), 0.1);
}

TEST(LinkFrames, of_a_rigid_robot_with_a_slide_a_mimic_joint_and_a_fixed_tool) {
  const dynamics::Model model = dynamics::model_from_urdf(test::crane);
  dynamics::Workspace workspace(model);
  MovingRobot robot(model);
  ASSERT_TRUE(robot.take(joint_state({"turn", "lift", "reach"}, {0.7, 0.4, 0.2})));
  for (std::size_t i = 0; i < model.frames().size(); ++i) {
    const Pose expected =
        dynamics::frame_pose(model, workspace, std::vector<double>{0.7, 0.4, 0.2}, i);
    EXPECT_LE(distance(look_up(robot, model.frames()[i].name), expected), 1e-12);
  }
  ASSERT_EQ(fixed_frames(robot, "left/").size(), 1U);
  EXPECT_EQ(fixed_frames(robot, "left/")[0].child_frame_id, "left/tool");
  EXPECT_EQ(moving_frames(robot, "left/")[0].header.frame_id, "left/base");
}

TEST(MovingRobot, takes_one_instant_where_it_can) {
  MovingRobot robot(canadarm());
  DynamicJointState all = bent_canadarm(bent);
  all.header.stamp.sec = 5;
  ASSERT_TRUE(robot.take(all));
  JointState joints = joint_state({"joint1"}, {9.0});
  joints.header.stamp.sec = 5;
  joints.header.stamp.nanosec = 1000000;
  EXPECT_FALSE(robot.take(joints));  // the amplitudes of that instant are still to come
  joints.header.stamp.sec = 6;
  EXPECT_TRUE(robot.take(joints));  // they do not come any more
  EXPECT_EQ(robot.positions()[0], 9.0);
}

TEST(MovingRobot, TakesTheSameFromStateInterfacesBroadcaster) {
  MovingRobot robot(canadarm()), other(canadarm());
  const DynamicJointState all = bent_canadarm(bent);
  control_msgs::msg::Keys names;
  control_msgs::msg::Float64Values values;
  for (std::size_t i = 0; i < all.joint_names.size(); ++i) {
    for (std::size_t k = 0; k < all.interface_values[i].values.size(); ++k) {
      names.keys.push_back(all.joint_names[i] + "/" + all.interface_values[i].interface_names[k]);
      values.values.push_back(all.interface_values[i].values[k]);
    }
  }
  values.header.stamp.sec = 5;
  ASSERT_TRUE(robot.take(all));
  ASSERT_TRUE(other.take(names, values));
  EXPECT_EQ(other.stamp().sec, 5);
  EXPECT_EQ(dynamics::max_abs_difference(other.positions(), robot.positions()), 0.0);
  EXPECT_EQ(dynamics::max_abs_difference(other.velocities(), robot.velocities()), 0.0);
  for (const std::string link : {"link2", "link3", "tool0"}) {
    EXPECT_EQ(distance(look_up(other, link), look_up(robot, link)), 0.0) << link;
  }
  JointState joints = joint_state({"joint1"}, {9.0});
  joints.header.stamp.sec = 5;
  EXPECT_FALSE(other.take(joints));  // of the same instant
  values.values.pop_back();
  EXPECT_FALSE(other.take(names, values));
  EXPECT_FALSE(other.take(control_msgs::msg::Keys(), control_msgs::msg::Float64Values()));
}

TEST(MovingRobot, JointsOfAMechanismFollowTheIndependentOnes) {
  const dynamics::Mechanism mechanism = dynamics::mechanism_from_urdf(test::four_bar());
  dynamics::MechanismWorkspace workspace(mechanism);
  std::vector<double> q(3), qd = {0.8, 0.0, 0.0};
  close_loops(mechanism, workspace, mechanism.start(), std::vector{0.6}, q);
  close_velocities(mechanism, workspace, q, qd);

  MovingRobot robot(mechanism);
  EXPECT_FALSE(robot.has_positions());
  JointState crank = joint_state({"crank"}, {0.6});
  ASSERT_TRUE(robot.take(crank));
  ASSERT_TRUE(robot.has_positions());
  EXPECT_FALSE(robot.has_velocities());
  EXPECT_LT(dynamics::max_abs_difference(robot.positions(), q), 1e-12);
  crank.velocity = {0.8};
  crank.effort = {5.0};
  ASSERT_TRUE(robot.take(crank));
  ASSERT_TRUE(robot.has_velocities());
  EXPECT_LT(dynamics::max_abs_difference(robot.velocities(), qd), 1e-12);
  EXPECT_EQ(robot.efforts()[0], 5.0);
  EXPECT_TRUE(std::isnan(robot.efforts()[1]));
  const auto energy = dynamics::energy(mechanism, workspace, q, qd);
  EXPECT_NEAR(robot.energy().kinetic, energy.kinetic, 1e-12);
  const auto center = dynamics::momentum(mechanism.tree(), tree_workspace(workspace), q, qd).center;
  EXPECT_LT((robot.center_of_mass() - center).norm(), 1e-12);
  // both ends of the cut are at the same place
  const Pose coupler = look_up(robot, "coupler_link"), rocker = look_up(robot, "rocker_link");
  EXPECT_LT(
      (coupler * Eigen::Vector3d(0.8, 0.0, 0.0) - rocker * Eigen::Vector3d(-0.1, 0.0, 0.4)).norm(),
      1e-12);
  // without velocities none are known
  crank.velocity.clear();
  ASSERT_TRUE(robot.take(crank));
  EXPECT_FALSE(robot.has_velocities());

  // what messages have is drawn as it is
  ASSERT_TRUE(robot.take(joint_state({"crank", "coupler", "rocker"}, {0.1, 0.2, 0.3})));
  EXPECT_EQ(std::vector<double>(robot.positions().begin(), robot.positions().end()),
            (std::vector<double>{0.1, 0.2, 0.3}));
}

}  // namespace
}  // namespace dynamics_ros
