// SPDX-License-Identifier: Apache-2.0
// Y pi = tau, and the number of base (identifiable) parameters.

#include "dynamics_core/regressor.hpp"

#include <gtest/gtest.h>

#include "dynamics_core/rigid_dynamics.hpp"
#include "support/compare.hpp"
#include "support/sample_robots.hpp"

namespace dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::relative;

class Regressor : public testing::TestWithParam<test::Sample> {};

TEST_P(Regressor, TimesParametersEqualsInverseDynamics) {
  RobotDescription description = GetParam().description;
  test::RandomRobot random(GetParam().seed + 900);
  for (JointDescription& joint : description.joints) {
    if (joint.type != JointType::fixed) joint.friction = random.uniform(0.0, 0.5);
  }
  ModelOptions options;
  options.gravity = GetParam().gravity;
  const Model model(description, options);
  const std::size_t n = model.size();
  const VectorXd q = random.vector(n, 3.0), qd = random.vector(n, 2.0), qdd = random.vector(n, 5.0);
  BaseMotion base;
  base.pose = {random.rotation(), random.vector3(1.0)};
  base.velocity = {random.vector3(2.0), random.vector3(2.0)};
  base.acceleration = {random.vector3(3.0), random.vector3(3.0)};
  Workspace workspace(model);
  VectorXd tau(test::idx(n));
  inverse_dynamics(model, workspace, q, qd, qdd, tau);
  EXPECT_CLOSE("Y pi", relative(regressor(model, q, qd, qdd) * parameters(model), tau), 1e-10);
  ExternalInputs external;
  external.base = base;
  inverse_dynamics(model, workspace, q, qd, qdd, tau, external);
  EXPECT_CLOSE("Y pi, moving base",
               relative(regressor(model, q, qd, qdd, base) * parameters(model), tau), 1e-10);
  EXPECT_EQ(parameter_names(model).size(), parameter_count(model));
}

INSTANTIATE_TEST_SUITE_P(Robots, Regressor, testing::ValuesIn(test::sample_robots(true)),
                         [](const auto& sample) { return sample.param.name; });

std::size_t count(const char* robot) {
  return base_parameters(model_from_dh(built_in_robot(robot))).count;
}

TEST(BaseParameters, CombinationsGiveTheSameTorquesAsAllParameters) {
  const Model model = model_from_dh(built_in_robot("stanford"));
  const BaseParameters base = base_parameters(model);
  ASSERT_EQ(base.columns.size(), base.count);
  const VectorXd pi = parameters(model).head(60);
  Workspace workspace(model);
  test::RandomRobot random(4);
  for (int k = 0; k < 5; ++k) {
    const VectorXd q = random.vector(6, 3.0), qd = random.vector(6, 2.0),
                   qdd = random.vector(6, 5.0);
    const MatrixXd Y = regressor(model, q, qd, qdd);
    MatrixXd chosen(6, test::idx(base.count));
    for (std::size_t c = 0; c < base.count; ++c)
      chosen.col(test::idx(c)) = Y.col(test::idx(base.columns[c]));
    VectorXd tau(6);
    inverse_dynamics(model, workspace, q, qd, qdd, tau);
    EXPECT_LT(relative(chosen * (base.combination * pi), tau), 1e-9);
  }
}

TEST(BaseParameters, Planar3HasNine) {
  // All axes are parallel to Z, gravity lies in the plane. In planar motion only mass, hx, hy and
  // zz of a link have an effect: 12 parameters. The mass of link 1 has no effect, since its axis is
  // fixed; the masses of links 2 and 3 can be moved to hx and zz of the previous link, on whose X
  // axis the joint lies. The remaining hx, hy, zz per link are identifiable: 9.
  EXPECT_EQ(count("planar3"), 9U);
}

TEST(BaseParameters, CanadarmHasSeven) {
  // As planar3 without gravity: hx and hy of link 1, whose axis is fixed, have no effect.
  EXPECT_EQ(count("canadarm"), 7U);
}

TEST(BaseParameters, PumaHas36) {
  // Mayeda, Yoshida and Osuka 1990: 7 N - 4 b - 2 for revolute joints of which the first b are
  // parallel and the first axis is along gravity; they give 36 for the PUMA.
  EXPECT_EQ(count("puma"), 36U);
}

TEST(BaseParameters, StanfordHas33) {
  // A link on a revolute joint has 7 of 10 parameters: mass, hz and one of xx and yy can be moved
  // to the previous link. On a prismatic joint it has 4 (mass, hx, hy, hz): its tensor does not
  // rotate relative to the previous link. Of link 1, whose axis is fixed along gravity, only zz has
  // an effect. Joint 3 follows two revolute joints that are not parallel, so no more parameters are
  // lost: 1 + 7 + 4 + 7 + 7 + 7.
  EXPECT_EQ(count("stanford"), 33U);
}

TEST(BaseParameters, AreLimitedByTheNumberOfStates) {
  EXPECT_EQ(base_parameters(model_from_dh(built_in_robot("puma")), 1).count, 6U);
  EXPECT_THROW(base_parameters(model_from_dh(built_in_robot("puma")), 0), ArgumentError);
}

}  // namespace
}  // namespace dynamics
