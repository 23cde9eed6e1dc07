// SPDX-License-Identifier: Apache-2.0
// Loads the URDFs of dynamics_description, and those in the folder given by the environment
// variable DYNAMICS_ROBOTS_DIR, and compares the results with MuJoCo and KDL. MuJoCo reads the file
// itself; for KDL the tests have a reader.

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "dynamics_core/readers.hpp"
#include "support/compare_libraries.hpp"
#include "support/robot_files.hpp"

namespace dynamics {
namespace {

using Eigen::VectorXd;
using test::idx;
using test::relative;

constexpr double tolerance = 1e-9;
// MuJoCo computes the principal axes of tensors with products (Panda) to 1e-6 rad only
constexpr double products_tolerance = 1e-6;

class RealRobot : public testing::TestWithParam<std::filesystem::path> {
 protected:
  static std::string read() {
    std::ifstream file(GetParam());
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  /// The other library must read the robots of this repository, but need not read others.
  static bool is_in_repository() { return GetParam().parent_path() == DYNAMICS_URDF_DIR; }

  test::RandomRobot random{17};
  std::string text = read();
  Model model = model_from_urdf_file(GetParam().string());
};

TEST_P(RealRobot, Loads) {
  std::printf("%s: %zu coordinates, %zu moving joints, %zu frames, %.6g kg\n", model.name().c_str(),
              model.size(), model.body_count(), model.frames().size(), model.total_mass());
  for (const Note& note : model.notes()) {
    std::printf("  %s: %s %s\n",
                note.severity == Note::Severity::warning ? "warning" : "information",
                note.element.c_str(), note.message.c_str());
    EXPECT_FALSE(is_in_repository() && note.severity == Note::Severity::warning) << note.message;
  }
  if (!model.singular_reason().empty()) {
    std::printf("  no forward dynamics: %s\n", model.singular_reason().c_str());
    EXPECT_FALSE(is_in_repository());
  }
  double mass = 0.0;
  for (const LinkDescription& link : model.description().links) {
    if (link.inertial) mass += link.inertial->mass;
  }
  EXPECT_NEAR(model.total_mass(), mass, 1e-12 * mass);
  EXPECT_EQ(model.frames().size(), model.description().links.size());
}

TEST_P(RealRobot, InverseDynamicsInvertsForwardDynamics) {
  Workspace workspace(model);
  const test::RandomState state(model, random);
  VectorXd tau(idx(model.size())), back(tau.size()), again(tau.size());
  inverse_dynamics(model, workspace, state.q, state.qd, state.qdd, tau);
  if (!model.singular_reason().empty()) {
    EXPECT_THROW(forward_dynamics(model, workspace, state.q, state.qd, tau, back), StateError);
    return;
  }
  forward_dynamics(model, workspace, state.q, state.qd, tau, back);
  inverse_dynamics(model, workspace, state.q, state.qd, back, again);
  EXPECT_CLOSE("inverse after forward dynamics", relative(again, tau), tolerance);
}

TEST_P(RealRobot, MatchesKdl) {
#ifdef DYNAMICS_TEST_KDL
  test::expect_matches_kdl(model, text, ModelOptions{}.friction_velocity, random, 20, tolerance);
#else
  GTEST_SKIP() << "KDL is not installed";
#endif
}

TEST_P(RealRobot, MatchesMujoco) {
#ifdef DYNAMICS_TEST_MUJOCO
  const bool products = !is_in_repository() || GetParam().stem() == "panda";
  try {
    test::expect_matches_mujoco(model, text, random, 20, products ? products_tolerance : tolerance);
  } catch (const std::runtime_error& error) {
    ASSERT_FALSE(is_in_repository()) << error.what();
    GTEST_SKIP() << error.what();
  }
#else
  GTEST_SKIP() << "MuJoCo is not installed";
#endif
}

INSTANTIATE_TEST_SUITE_P(Urdfs, RealRobot, testing::ValuesIn(test::robot_files()),
                         [](const auto& robot) { return test::name_of_robot_file(robot.param); });

TEST(RealRobots, ExistInRepository) {
  for (const char* name : {"ur5e", "panda", "scara", "gripper", "humanoid"}) {
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(DYNAMICS_URDF_DIR) / name += ".urdf"))
        << name;
  }
}

}  // namespace
}  // namespace dynamics
