// SPDX-License-Identifier: Apache-2.0
// Spherical, cylindrical and screw joints as chains of joints with one degree of freedom: the
// examples of docs/models.md, in URDF and as DH tables, against closed forms.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>

#include "dynamics_core/energy.hpp"
#include "dynamics_core/formulations.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "dynamics_core/simulate.hpp"
#include "support/refusals.hpp"

namespace dynamics {
namespace {

using testing::HasSubstr;

constexpr double g = 9.81;

/// The code block of the page that contains `part`; empty if there is none.
std::string block_with(const std::string& language, const std::string& part) {
  std::ifstream file(DYNAMICS_MODELS_PAGE);
  std::ostringstream stream;
  stream << file.rdbuf();
  const std::string page = stream.str(), fence = "```" + language + "\n";
  for (std::size_t at = page.find(fence); at != std::string::npos; at = page.find(fence, at)) {
    at += fence.size();
    const std::string block = page.substr(at, page.find("```", at) - at);
    if (block.find(part) != std::string::npos) return block;
  }
  return "";
}

std::string without_line(std::string text, const std::string& part) {
  const std::size_t at = text.find(part), start = text.rfind('\n', at) + 1;
  return text.erase(start, text.find('\n', at) + 1 - start);
}

/// Both descriptions of an example; the URDF's model is the first.
class JointRecipes : public testing::Test {
 protected:
  static std::string urdf(const std::string& name) {
    return block_with("xml", "<robot name=\"" + name + "\">");
  }
  static std::string table(const std::string& name) {
    return block_with("yaml", "robot: " + name + "\n");
  }
  static std::vector<Model> models(const std::string& urdf_text, const std::string& table_text,
                                   const Eigen::Vector3d& gravity = {0.0, 0.0, -g}) {
    ModelOptions options;
    options.gravity = gravity;
    DhTable dh = read_dh_table(table_text, "models.md");
    dh.gravity = gravity;
    return {model_from_urdf(urdf_text, options), model_from_dh(dh)};
  }
  static double inertia(const Model& model, ConstVector q) {
    Workspace workspace(model);
    Eigen::MatrixXd M(1, 1);
    inertia_matrix(model, workspace, q, M);
    return M(0, 0);
  }
  static Eigen::VectorXd accelerations(const Model& model, ConstVector q, ConstVector qd,
                                       ConstVector tau) {
    Workspace workspace(model);
    Eigen::VectorXd qdd(static_cast<Eigen::Index>(model.size()));
    forward_dynamics(model, workspace, q, qd, tau, qdd);
    return qdd;
  }
  void SetUp() override {
    if (!std::ifstream(DYNAMICS_MODELS_PAGE)) GTEST_SKIP() << "docs/models.md is not present";
  }
  // of the examples
  static constexpr double mass = 0.5, length = 0.1, axial = 0.0008;
  static constexpr double transverse = 0.001 + mass * length * length;  // about the tip
};

/// Steady precession of a heavy symmetric top at the angle theta with the rate w: the spin about
/// its axis is I3 omega3 w = m g l + I1 w^2 cos(theta).
TEST_F(JointRecipes, SphericalJointGivesTheSteadyPrecessionOfATop) {
  const double theta = 0.6, w = 2.0;
  const double omega3 = (mass * g * length + transverse * w * w * std::cos(theta)) / (axial * w);
  const double spin = omega3 - w * std::cos(theta);
  for (const Model& model : models(urdf("top"), table("top"))) {
    ASSERT_EQ(model.size(), 3U);
    SimulationOptions options;
    options.duration = 2.0;
    options.rtol = 1e-11;
    options.q0 = {0.0, theta, 0.0};
    options.qd0 = {w, 0.0, spin};
    const Recording run = simulate(model, options);
    for (std::size_t k = 0; k < run.size(); ++k) {
      ASSERT_NEAR(run.q[0][k], w * run.t[k], 1e-7);
      ASSERT_NEAR(run.q[1][k], theta, 1e-8);
      ASSERT_NEAR(run.q[2][k], spin * run.t[k], 1e-6);
    }
  }
}

TEST_F(JointRecipes, SphericalJointConservesAngularMomentumOfAFreeBody) {
  for (const Model& model : models(urdf("top"), table("top"), Eigen::Vector3d::Zero())) {
    SimulationOptions options;
    options.duration = 2.0;
    options.rtol = 1e-11;
    options.q0 = {0.0, 1.2, 0.3};
    options.qd0 = {3.0, -1.0, 20.0};
    const Recording run = simulate(model, options);
    Workspace workspace(model);
    const auto about_the_point = [&](std::size_t k) {
      Eigen::Vector3d q, qd;
      for (std::size_t i = 0; i < 3; ++i) {
        q[static_cast<Eigen::Index>(i)] = run.q[i][k];
        qd[static_cast<Eigen::Index>(i)] = run.qd[i][k];
      }
      const Momentum all = momentum(model, workspace, q, qd);
      return Eigen::Vector3d(all.angular + all.center.cross(all.linear));
    };
    const Eigen::Vector3d first = about_the_point(0);
    double moved = 0.0;
    for (std::size_t k = 0; k < run.size(); ++k) {
      ASSERT_LT((about_the_point(k) - first).norm(), 1e-8 * first.norm());
      moved = std::max(moved, std::abs(run.q[1][k] - run.q[1][0]));
    }
    EXPECT_GT(moved, 0.1);  // the body nutates, its momentum does not
  }
}

TEST_F(JointRecipes, ScrewHasTheEffectiveInertiaOfRotationAndTranslation) {
  const double nut = 2.0, about_axis = 0.001, pitch = 0.04;
  const double h = pitch / (2.0 * std::numbers::pi), effective = about_axis + nut * h * h;
  for (const Model& model : models(urdf("screw"), table("screw"))) {
    ASSERT_EQ(model.size(), 1U);
    const std::vector<double> q = {0.7}, qd = {3.0}, tau = {0.02};
    EXPECT_NEAR(inertia(model, q), effective, 1e-16);
    const double expected = (tau[0] - nut * g * h) / effective;
    EXPECT_NEAR(accelerations(model, q, qd, tau)[0], expected, 1e-11);
    for (const auto& formulation : formulations::all()) {
      if (!formulations::not_covered(formulation, formulations::Task::forward, model).empty())
        continue;
      EXPECT_NEAR(formulations::forward_dynamics(formulation, model, q, qd, tau)[0], expected,
                  1e-10)
          << formulation.name;
    }
    // it falls with constant acceleration and turns with its pitch
    SimulationOptions options;
    options.duration = 1.0;
    const Recording run = simulate(model, options);
    const double angle = -0.5 * nut * g * h / effective;
    EXPECT_NEAR(run.q[0].back(), angle, 1e-8 * std::abs(angle));
    EXPECT_NEAR(run.end_effector[2].back(), angle * h, 1e-8 * std::abs(angle * h));
  }
}

TEST_F(JointRecipes, CylindricalJointRotatesAndSlidesIndependently) {
  const std::vector<Model> both =
      models(without_line(urdf("screw"), "<mimic"),
             without_line(without_line(table("screw"), "joints:"), "mimic"));
  for (const Model& model : both) {
    ASSERT_EQ(model.size(), 2U);
    const Eigen::VectorXd qdd =
        accelerations(model, std::vector<double>{0.7, 0.1}, std::vector<double>{3.0, -2.0},
                      std::vector<double>{0.02, 5.0});
    EXPECT_NEAR(qdd[0], 0.02 / 0.001, 1e-12);
    EXPECT_NEAR(qdd[1], 5.0 / 2.0 - g, 1e-12);
  }
}

TEST_F(JointRecipes, MimicJointsOfTablesAreCheckedAndWrittenToUrdf) {
  const std::string text = table("screw");
  const DhTable screw = read_dh_table(text, "screw.yaml");
  ASSERT_TRUE(screw.links[1].mimic);
  EXPECT_EQ(screw.q0.size(), 1U);
  EXPECT_EQ(model_from_urdf(to_urdf(screw)).size(), 1U);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    return changed.replace(changed.find(from), from.size(), to);
  };
  const auto parse_error = [](const std::string& yaml) -> std::string {
    try {
      model_from_dh(read_dh_table(yaml, "screw.yaml"));
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(parse_error(text + "start: {q_deg: [90]}\n"), "accepted");
  EXPECT_THAT(parse_error(text + "start: {q_deg: [90, 0]}\n"), HasSubstr("q_deg"));
  EXPECT_THAT(parse_error(with("mimic: {joint: turn", "mimic: {joint: spin")),
              HasSubstr("joint 'spin' does not exist"));
  EXPECT_THAT(parse_error(with("multiplier: 0.006", "factor: 0.006")), HasSubstr("factor"));
  EXPECT_THAT(parse_error(with("mimic: {joint: turn", "mimic: {joint: advance")),
              HasSubstr("advance"));
}

}  // namespace
}  // namespace dynamics
