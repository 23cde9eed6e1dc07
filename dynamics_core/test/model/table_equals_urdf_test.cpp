// SPDX-License-Identifier: Apache-2.0
// The DH table of a paper's robot and its URDF in dynamics_description give the same model. Their
// readers share no code.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "dynamics_core/energy.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "support/random_robot.hpp"

namespace dynamics {
namespace {

class TableEqualsUrdf : public testing::TestWithParam<std::string> {
 protected:
  Model table = model_from_dh(built_in_robot(GetParam()));
  Model urdf =
      model_from_urdf_file(std::filesystem::path(DYNAMICS_URDF_DIR) / (GetParam() + ".urdf"),
                           {.gravity = table.gravity(), .friction_velocity = 0.01});
};

TEST_P(TableEqualsUrdf, HaveSameCoordinatesAndFrames) {
  ASSERT_EQ(table.coordinate_names(), urdf.coordinate_names());
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Coordinate &a = table.coordinates()[i], &b = urdf.coordinates()[i];
    EXPECT_EQ(a.prismatic, b.prismatic) << a.name;
    EXPECT_EQ(a.lower, b.lower) << a.name;
    EXPECT_EQ(a.upper, b.upper) << a.name;
    EXPECT_EQ(a.velocity, b.velocity) << a.name;
    EXPECT_EQ(a.effort, b.effort) << a.name;
  }
  ASSERT_EQ(table.frames().size(), urdf.frames().size());
  for (std::size_t i = 0; i < table.frames().size(); ++i) {
    EXPECT_EQ(table.frames()[i].name, urdf.frames()[i].name);
  }
  EXPECT_EQ(table.frames()[table.end_effector()].name, urdf.frames()[urdf.end_effector()].name);
  EXPECT_NEAR(table.total_mass(), urdf.total_mass(), 1e-14 * table.total_mass());
}

TEST_P(TableEqualsUrdf, HaveSameDynamics) {
  test::RandomRobot random(7);
  Workspace of_table(table), of_urdf(urdf);
  const std::size_t n = table.size();
  const auto size = static_cast<Eigen::Index>(n);
  for (int trial = 0; trial < 50; ++trial) {
    const Eigen::VectorXd q = random.vector(n, 3.0), qd = random.vector(n, 3.0),
                          qdd = random.vector(n, 3.0);
    Eigen::VectorXd a(size), b(size);
    inverse_dynamics(table, of_table, q, qd, qdd, a);
    inverse_dynamics(urdf, of_urdf, q, qd, qdd, b);
    EXPECT_LT((a - b).norm(), 1e-12 * a.norm());
    Eigen::MatrixXd A(size, size), B(size, size);
    inertia_matrix(table, of_table, q, A);
    inertia_matrix(urdf, of_urdf, q, B);
    EXPECT_LT((A - B).norm(), 1e-12 * A.norm());
    coriolis_matrix(table, of_table, q, qd, A);
    coriolis_matrix(urdf, of_urdf, q, qd, B);
    EXPECT_LT((A - B).norm(), 1e-12 * A.norm());
    const Energy e = energy(table, of_table, q, qd), f = energy(urdf, of_urdf, q, qd);
    EXPECT_NEAR(e.kinetic, f.kinetic, 1e-12 * e.kinetic);
    EXPECT_NEAR(e.potential, f.potential, 1e-12 * (e.kinetic + std::abs(e.potential)));
    for (std::size_t frame = 0; frame < table.frames().size(); ++frame) {
      const Pose x = frame_pose(table, of_table, q, frame), y = frame_pose(urdf, of_urdf, q, frame);
      EXPECT_LT((x.rotation - y.rotation).norm(), 1e-13);
      EXPECT_LT((x.translation - y.translation).norm(), 1e-13 * 15.0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Papers, TableEqualsUrdf,
                         testing::Values("planar3", "stanford", "puma", "canadarm"),
                         [](const auto& robot) { return robot.param; });

}  // namespace
}  // namespace dynamics
