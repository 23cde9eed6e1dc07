// SPDX-License-Identifier: Apache-2.0
// Random URDFs, as text, read by the library and by others: MuJoCo's own reader, and one of the
// tests that shares no code with the library's (with KDL, rotors, friction and mimic joints).

#include "support/random_urdf.hpp"

#include <gtest/gtest.h>

#include <cstdio>

#include "dynamics_core/readers.hpp"
#include "support/compare_libraries.hpp"

namespace dynamics {
namespace {

constexpr unsigned trees = 200;
constexpr double bar = 1e-9;

/// What the trees of a test had, so that none of the joint types is missing unnoticed.
struct Seen {
  std::size_t revolute = 0, continuous = 0, prismatic = 0, fixed = 0, planar = 0, floating = 0,
              mimic = 0;

  void count(const Model& model) {
    for (const JointDescription& joint : model.description().joints) {
      switch (joint.type) {
        case JointType::revolute: ++revolute; break;
        case JointType::continuous: ++continuous; break;
        case JointType::prismatic: ++prismatic; break;
        case JointType::fixed: ++fixed; break;
        case JointType::planar: ++planar; break;
        case JointType::floating: ++floating; break;
      }
      if (joint.mimic) ++mimic;
    }
  }
  void expect_every_type() const {
    std::printf(
        "revolute %zu, continuous %zu, prismatic %zu, fixed %zu, planar %zu, floating %zu, "
        "mimic %zu\n",
        revolute, continuous, prismatic, fixed, planar, floating, mimic);
    for (const std::size_t count : {revolute, continuous, prismatic, fixed, planar, floating}) {
      EXPECT_GE(count, 50U);
    }
  }
};

ModelOptions options(test::RandomRobot& random) {
  ModelOptions result;
  result.gravity = random.vector3(10.0);
  result.friction_velocity = 0.05;
  return result;
}

TEST(RandomUrdf, MujocoReadsTheSameRobot) {
#ifdef DYNAMICS_TEST_MUJOCO
  Seen seen;
  for (unsigned seed = 1; seed <= trees; ++seed) {
    SCOPED_TRACE(seed);
    test::RandomRobot random(seed + 1000);
    // MuJoCo's principal axes of a tensor with products are good to 1e-6 rad only: its iteration
    // ends when the cosine of a rotation is within 1e-12 of 1. KDL takes tensors as they are.
    const test::RandomUrdf urdf(seed, {.joints = 1 + seed % 14,
                                       .floating_anywhere = false,
                                       .products = false,
                                       .tilted_planes = false});
    const Model model = model_from_urdf(urdf.text(), options(random));
    seen.count(model);
    test::expect_matches_mujoco(model, urdf.text(), random, 2, bar);
    if (HasFailure()) break;
  }
  if (!HasFailure()) seen.expect_every_type();
#else
  GTEST_SKIP() << "MuJoCo is not installed";
#endif
}

TEST(RandomUrdf, KdlComputesTheSameFromTheTestsOwnReading) {
#ifdef DYNAMICS_TEST_KDL
  Seen seen;
  for (unsigned seed = 1; seed <= trees; ++seed) {
    SCOPED_TRACE(seed);
    test::RandomRobot random(seed + 2000);
    const test::RandomUrdf urdf(seed, {.joints = 1 + seed % 14});
    const Model model = model_from_urdf(urdf.text(), options(random));
    seen.count(model);
    test::expect_matches_kdl(model, urdf.text(), 0.05, random, 2, bar);
    if (HasFailure()) break;
  }
  if (!HasFailure()) seen.expect_every_type();
#else
  GTEST_SKIP() << "KDL is not installed";
#endif
}

TEST(RandomUrdf, FrictionRotorsAndMimicJointsAreThoseOfTheTestsOwnReading) {
#ifdef DYNAMICS_TEST_KDL
  Seen seen;
  for (unsigned seed = 1; seed <= trees; ++seed) {
    SCOPED_TRACE(seed);
    test::RandomRobot random(seed + 3000);
    const test::RandomUrdf urdf(seed + 500, {.joints = 1 + seed % 14, .drives = true});
    const Model model = model_from_urdf(urdf.text(), options(random));
    seen.count(model);
    test::expect_matches_kdl(model, urdf.text(), 0.05, random, 2, bar);
    if (HasFailure()) break;
  }
  if (HasFailure()) return;
  seen.expect_every_type();
  EXPECT_GE(seen.mimic, 100U);
#else
  GTEST_SKIP() << "KDL is not installed";
#endif
}

}  // namespace
}  // namespace dynamics
