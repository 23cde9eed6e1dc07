// SPDX-License-Identifier: Apache-2.0
// The URDFs of dynamics_description, and those of the folder that the environment variable
// DYNAMICS_ROBOTS_DIR names, if any: loaded, and compared with other readings of the same file,
// MuJoCo's own and the tests' one for KDL.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "dynamics_core/from_urdf.hpp"
#include "support/compare_readings.hpp"

namespace dynamics {
namespace {

using Eigen::VectorXd;
using test::idx;
using test::relative;

constexpr double bar = 1e-9;
// MuJoCo's principal axes of a tensor with products (the Panda's) are good to 1e-6 rad only
constexpr double products_bar = 1e-6;

std::vector<std::filesystem::path> files() {
  std::vector<std::filesystem::path> folders = {DYNAMICS_URDF_DIR};
  if (const char* given = std::getenv("DYNAMICS_ROBOTS_DIR")) folders.emplace_back(given);
  std::vector<std::filesystem::path> result;
  for (const auto& folder : folders) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".urdf") result.push_back(entry.path());
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

class RealRobot : public testing::TestWithParam<std::filesystem::path> {
 protected:
  static std::string read() {
    std::ifstream file(GetParam());
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  /// Robots from elsewhere may be beyond the other library; ours must not be.
  static bool is_shipped() { return GetParam().parent_path() == DYNAMICS_URDF_DIR; }

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
    EXPECT_FALSE(is_shipped() && note.severity == Note::Severity::warning) << note.message;
  }
  if (!model.singular_reason().empty()) {
    std::printf("  forward dynamics refused: %s\n", model.singular_reason().c_str());
    EXPECT_FALSE(is_shipped());
  }
  double mass = 0.0;
  for (const LinkDescription& link : model.description().links) {
    if (link.inertial) mass += link.inertial->mass;
  }
  EXPECT_NEAR(model.total_mass(), mass, 1e-12 * mass);
  EXPECT_EQ(model.frames().size(), model.description().links.size());
}

TEST_P(RealRobot, InverseAfterForwardDynamics) {
  Workspace workspace(model);
  const test::RandomState state(model, random);
  VectorXd tau(idx(model.size())), back(tau.size()), again(tau.size());
  inverse_dynamics(model, workspace, state.q, state.qd, state.qdd, tau);
  if (!model.singular_reason().empty()) {
    EXPECT_THROW(forward_dynamics(model, workspace, state.q, state.qd, tau, back), ModelError);
    return;
  }
  forward_dynamics(model, workspace, state.q, state.qd, tau, back);
  inverse_dynamics(model, workspace, state.q, state.qd, back, again);
  EXPECT_CLOSE("inverse after forward dynamics", relative(again, tau), bar);
}

TEST_P(RealRobot, AgreesWithKdl) {
#ifdef DYNAMICS_TEST_KDL
  test::expect_kdl_reading(model, text, ModelOptions{}.friction_velocity, random, 20, bar);
#else
  GTEST_SKIP() << "KDL is not installed";
#endif
}

TEST_P(RealRobot, AgreesWithMujoco) {
#ifdef DYNAMICS_TEST_MUJOCO
  const bool products = !is_shipped() || GetParam().stem() == "panda";
  try {
    test::expect_mujoco_reading(model, text, random, 20, products ? products_bar : bar);
  } catch (const std::runtime_error& error) {
    ASSERT_FALSE(is_shipped()) << error.what();
    GTEST_SKIP() << error.what();
  }
#else
  GTEST_SKIP() << "MuJoCo is not installed";
#endif
}

INSTANTIATE_TEST_SUITE_P(Urdfs, RealRobot, testing::ValuesIn(files()), [](const auto& robot) {
  std::string name = robot.param.stem().string();
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return robot.param.parent_path() == DYNAMICS_URDF_DIR ? name : "extra_" + name;
});

TEST(RealRobots, AreThere) {
  for (const char* name : {"ur5e", "panda", "scara", "gripper", "humanoid"}) {
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(DYNAMICS_URDF_DIR) / name += ".urdf"))
        << name;
  }
}

}  // namespace
}  // namespace dynamics
