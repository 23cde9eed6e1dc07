// SPDX-License-Identifier: Apache-2.0
#include "dynamics_ros/virtual_spring.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

namespace dynamics_ros::test {
namespace {

using dynamics::Pose;

const VirtualSpring spring = {.stiffness = 200.0,
                              .damping = 10.0,
                              .rotational_stiffness = 5.0,
                              .rotational_damping = 2.0,
                              .max_force = 100.0,
                              .max_torque = 3.0};

Eigen::Matrix3d about_z(double angle) {
  return Eigen::AngleAxisd(angle, Eigen::Vector3d::UnitZ()).toRotationMatrix();
}

TEST(VirtualSpring, PullsToTheTargetInAxesOfTheLink) {
  DraggedLink link(spring);
  EXPECT_TRUE(link.wrench({}).force.isZero()) << "no pose yet";
  link.follow({about_z(M_PI / 2), {1.0, 2.0, 3.0}}, 0.0);
  const auto wrench = link.wrench({about_z(M_PI / 2), {1.1, 2.0, 3.0}});
  // 20 N along x of the base are along -y of the link
  EXPECT_TRUE(wrench.force.isApprox(Eigen::Vector3d(0.0, -20.0, 0.0), 1e-12));
  EXPECT_LT(wrench.moment.norm(), 1e-12);
}

TEST(VirtualSpring, DampsTheVelocityOfTheLastTwoPoses) {
  DraggedLink link(spring);
  link.follow({about_z(0.0), {0.0, 0.0, 0.0}}, 1.0);
  link.follow({about_z(0.01), {0.0, 0.02, 0.0}}, 1.1);
  const auto wrench = link.wrench({about_z(0.01), {0.0, 0.02, 0.0}});
  EXPECT_TRUE(wrench.force.isApprox(about_z(-0.01) * Eigen::Vector3d(0.0, -2.0, 0.0), 1e-9));
  EXPECT_NEAR(wrench.moment.z(), -0.2, 1e-9);
  link.follow({about_z(0.01), {0.0, 0.02, 0.0}}, 0.5);  // a reset of the time
  EXPECT_LT(link.wrench({about_z(0.01), {0.0, 0.02, 0.0}}).force.norm(), 1e-12);
  link.follow({about_z(0.01), {0.0, 5.0, 0.0}}, 0.6);
  link.forget();
  link.follow({about_z(0.01), {0.0, 0.02, 0.0}}, 0.7);
  EXPECT_LT(link.wrench({about_z(0.01), {0.0, 0.02, 0.0}}).force.norm(), 1e-12);
}

TEST(VirtualSpring, ForceAndTorqueAreLimited) {
  DraggedLink link(spring);
  link.follow({about_z(0.2), {0.0, 0.0, 0.0}}, 0.0);
  const auto wrench = link.wrench({about_z(1.2), {3.0, -4.0, 0.0}});
  EXPECT_NEAR(wrench.force.norm(), 100.0, 1e-9);
  EXPECT_TRUE((about_z(0.2) * wrench.force).isApprox(Eigen::Vector3d(60.0, -80.0, 0.0), 1e-9));
  EXPECT_NEAR(wrench.moment.z(), 3.0, 1e-9);
  EXPECT_NEAR(link.wrench({about_z(0.4), {}}).moment.z(), 1.0, 1e-9);
}

}  // namespace
}  // namespace dynamics_ros::test
