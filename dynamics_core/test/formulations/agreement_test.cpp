// SPDX-License-Identifier: Apache-2.0
// All formulations agree on the papers' robots and on random trees with base motion, wrenches,
// rotor inertias and friction, and reject what they do not support.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "dynamics_core/formulations.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "model/tree.hpp"
#include "support/compare.hpp"
#include "support/sample_robots.hpp"
#include "support/small_robots.hpp"

namespace dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using formulations::Formulation;
using formulations::Task;
using test::idx;
using test::RandomRobot;
using test::relative;
using testing::HasSubstr;

struct Result {
  std::string_view name;
  VectorXd value;
};

/// Results of all formulations that cover the case, for one state.
std::vector<Result> all_of(Task task, const Model& model, const VectorXd& q, const VectorXd& qd,
                           const VectorXd& qdd_or_tau, const ExternalInputs& external) {
  std::vector<Result> results;
  for (const Formulation& formulation : formulations::all()) {
    if (!formulations::not_covered(formulation, task, model, external).empty()) continue;
    results.push_back(
        {formulation.name,
         task == Task::inverse
             ? formulations::inverse_dynamics(formulation, model, q, qd, qdd_or_tau, external)
             : formulations::forward_dynamics(formulation, model, q, qd, qdd_or_tau, external)});
  }
  return results;
}

double condition_number(const Model& model, const VectorXd& q) {
  Workspace workspace(model);
  MatrixXd M(idx(model.size()), idx(model.size()));
  inertia_matrix(model, workspace, q, M);
  const VectorXd values =
      Eigen::SelfAdjointEigenSolver<MatrixXd>(M, Eigen::EigenvaluesOnly).eigenvalues();
  return values.maxCoeff() / values.minCoeff();
}

BaseMotion random_base(RandomRobot& random, bool rotating) {
  BaseMotion base;
  base.pose = {random.rotation(), random.vector3(1.0)};
  base.velocity.linear = random.vector3(2.0);
  base.acceleration.linear = random.vector3(3.0);
  if (rotating) {
    base.velocity.angular = random.vector3(2.0);
    base.acceleration.angular = random.vector3(3.0);
  }
  return base;
}

std::vector<LinkWrench> random_wrenches(RandomRobot& random, const Model& model) {
  std::vector<LinkWrench> wrenches;
  for (std::size_t f = 0; f < model.frames().size(); ++f) {
    if (!random.chance(0.4)) continue;
    wrenches.push_back(
        {f, {random.vector3(5.0), random.vector3(10.0)}, static_cast<Axes>(random.index(3))});
  }
  wrenches.push_back({model.end_effector(), {random.vector3(5.0), random.vector3(10.0)}});
  return wrenches;
}

class Agreement : public testing::TestWithParam<test::Sample> {
 protected:
  void check(const ExternalInputs& external, const std::string& label, std::size_t inverse_count,
             std::size_t forward_count) {
    for (int repeat = 0; repeat < 3; ++repeat) {
      const VectorXd q = random.vector(model.size(), 3.0), qd = random.vector(model.size(), 2.0),
                     qdd = random.vector(model.size(), 5.0);
      const auto taus = all_of(Task::inverse, model, q, qd, qdd, external);
      ASSERT_EQ(taus.size(), inverse_count);
      for (const Result& a : taus) {
        for (const Result& b : taus) {
          EXPECT_CLOSE("inverse, " + label, relative(a.value, b.value), 1e-9)
              << a.name << " and " << b.name;
        }
      }
      const auto accelerations = all_of(Task::forward, model, q, qd, taus.front().value, external);
      ASSERT_EQ(accelerations.size(), forward_count);
      const double condition = condition_number(model, q);
      for (const Result& a : accelerations) {
        // round-off of tau is amplified by the condition number of M
        EXPECT_CLOSE("forward of inverse, over condition, " + label,
                     relative(a.value, qdd) / condition, 1e-13)
            << a.name;
        for (const Result& b : accelerations) {
          const double difference = relative(a.value, b.value);
          EXPECT_CLOSE("forward, " + label, difference, std::max(1e-9, 1e-14 * condition))
              << a.name << " and " << b.name << ", condition " << condition;
        }
      }
    }
  }
  Model model = GetParam().model();
  RandomRobot random{GetParam().seed + 500};
  /// Whether the tree is a serial chain; some random trees have no branch.
  bool chain = [this] {
    for (std::size_t i = 0; i < model.tree().size(); ++i) {
      if (model.tree()[i].parent != static_cast<int>(i) - 1) return false;
    }
    return true;
  }();
};

TEST_P(Agreement, AllFormulationsAgreeForFixedBase) {
  check({}, "base at rest", chain ? 7 : 2, chain ? 8 : 5);
}

TEST_P(Agreement, AllFormulationsAgreeForTranslatingBase) {
  ExternalInputs external;
  external.base = random_base(random, false);
  check(external, "translating base", chain ? 7 : 2, chain ? 8 : 5);
}

TEST_P(Agreement, AllFormulationsAgreeForRotatingBase) {
  ExternalInputs external;
  external.base = random_base(random, true);
  check(external, "rotating base", chain ? 5 : 2, chain ? 7 : 5);
}

TEST_P(Agreement, AllFormulationsAgreeWithWrenches) {
  const auto wrenches = random_wrenches(random, model);
  ExternalInputs external;
  external.wrenches = wrenches;
  check(external, "wrenches", chain ? 6 : 2, chain ? 7 : 5);
}

TEST_P(Agreement, AllFormulationsAgreeForRotatingBaseWithWrenchesAndNoFriction) {
  const auto wrenches = random_wrenches(random, model);
  ExternalInputs external;
  external.base = random_base(random, true);
  external.wrenches = wrenches;
  external.friction = false;
  check(external, "rotating base and wrenches", chain ? 5 : 2, chain ? 7 : 5);
}

INSTANTIATE_TEST_SUITE_P(Robots, Agreement, testing::ValuesIn(test::sample_robots(true)),
                         [](const auto& sample) { return sample.param.name; });

/// A chain of three joints; the last mimics the first.
Model robot_with_mimic_joint() {
  test::RobotBuilder robot = test::three_joints(JointType::prismatic);
  robot.joint().mimic = Mimic{"one", -0.7, 0.2};
  return Model(robot);
}

TEST(MimicJoints, FormulationsAgree) {
  const Model model = robot_with_mimic_joint();
  RandomRobot random(7);
  const VectorXd q = random.vector(2, 1.0), qd = random.vector(2, 1.0), qdd = random.vector(2, 1.0);
  const auto taus = all_of(Task::inverse, model, q, qd, qdd, {});
  ASSERT_EQ(taus.size(), 7U);
  for (const Result& a : taus) EXPECT_LT(relative(a.value, taus.back().value), 1e-12) << a.name;
  const auto accelerations = all_of(Task::forward, model, q, qd, taus.back().value, {});
  ASSERT_EQ(accelerations.size(), 5U);
  for (const Result& a : accelerations) EXPECT_LT(relative(a.value, qdd), 1e-11) << a.name;
}

/// Message of the ArgumentError that `call` throws, or "no error".
template <class Call>
std::string error_message(Call&& call) {
  try {
    call();
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "no error";
}

class Unsupported : public testing::Test {
 protected:
  Model tree{RandomRobot(3).robot({.joints = 8, .branching = 0.9})};
  Model chain{RandomRobot(3).robot({.joints = 4})};

  static std::string inverse(const char* name, const Model& model,
                             const ExternalInputs& external = {}) {
    const VectorXd zero = VectorXd::Zero(idx(model.size()));
    return error_message([&] {
      formulations::inverse_dynamics(formulations::find(name), model, zero, zero, zero, external);
    });
  }
  static std::string forward(const char* name, const Model& model,
                             const ExternalInputs& external = {}) {
    const VectorXd zero = VectorXd::Zero(idx(model.size()));
    return error_message([&] {
      formulations::forward_dynamics(formulations::find(name), model, zero, zero, zero, external);
    });
  }
};

TEST_F(Unsupported, SerialFormulationsRejectTrees) {
  for (const char* name :
       {"lagrange", "newton-euler", "modified-newton-euler", "strobing", "saha-1999"}) {
    const std::string message = inverse(name, tree);
    EXPECT_THAT(message, HasSubstr(name));
    EXPECT_THAT(message, HasSubstr("supports only serial chains, but link '"));
    EXPECT_THAT(message, HasSubstr("' has several child joints"));
  }
  for (const char* name : {"lagrange", "strobing", "saha-2003"}) {
    EXPECT_THAT(forward(name, tree), HasSubstr("supports only serial chains"));
  }
}

TEST_F(Unsupported, FormulationsRejectTheOtherTask) {
  for (const char* name : {"walker-orin", "articulated-body", "nasser", "saha-2003", "udut"}) {
    EXPECT_THAT(inverse(name, chain), HasSubstr("supports only forward dynamics"));
  }
  for (const char* name : {"newton-euler", "modified-newton-euler", "saha-1999", "denoc"}) {
    EXPECT_THAT(forward(name, chain), HasSubstr("supports only inverse dynamics"));
  }
}

TEST_F(Unsupported, LagrangeAndStrobingRejectRotatingBase) {
  ExternalInputs external;
  external.base.emplace().velocity.angular = {0.0, 0.0, 0.1};
  for (const char* name : {"lagrange", "strobing"}) {
    EXPECT_THAT(inverse(name, chain, external), HasSubstr("does not support a rotating base"));
  }
  EXPECT_THAT(forward("lagrange", chain, external), HasSubstr("does not support a rotating base"));
  EXPECT_EQ(forward("strobing", chain, external), "no error");
}

TEST_F(Unsupported, LagrangeRejectsWrenches) {
  const std::vector<LinkWrench> wrenches = {{chain.end_effector(), {{1, 0, 0}, {0, 1, 0}}}};
  ExternalInputs external;
  external.wrenches = wrenches;
  EXPECT_THAT(inverse("lagrange", chain, external), HasSubstr("wrenches on links"));
  EXPECT_THAT(forward("lagrange", chain, external), HasSubstr("wrenches on links"));
}

TEST_F(Unsupported, DirectAlgorithmsRejectMimicJoints) {
  const Model model = robot_with_mimic_joint();
  for (const char* name : {"articulated-body", "nasser", "saha-2003"}) {
    EXPECT_THAT(forward(name, model), HasSubstr("joint 'three' mimics another"));
  }
}

TEST_F(Unsupported, AllFormulationsRejectBadArguments) {
  const VectorXd three = VectorXd::Zero(3), four = VectorXd::Zero(4);
  VectorXd bad = four;
  bad[2] = std::nan("");
  for (const Formulation& formulation : formulations::all()) {
    if (formulation.inverse) {
      EXPECT_THAT(error_message([&] {
                    formulations::inverse_dynamics(formulation, chain, three, four, four);
                  }),
                  HasSubstr("q has 3 entries"));
      EXPECT_THAT(error_message(
                      [&] { formulations::inverse_dynamics(formulation, chain, four, four, bad); }),
                  HasSubstr("qdd[2]"));
    }
    if (formulation.forward) {
      EXPECT_THAT(error_message(
                      [&] { formulations::forward_dynamics(formulation, chain, four, four, bad); }),
                  HasSubstr("tau[2]"));
    }
  }
}

TEST_F(Unsupported, UnknownNameIsRejectedWithTheListOfNames) {
  EXPECT_THAT(error_message([] { formulations::find("euler"); }),
              testing::AllOf(HasSubstr("unknown formulation 'euler'"), HasSubstr("newton-euler")));
}

TEST_F(Unsupported, ForwardDynamicsRejectsMasslessJoint) {
  test::RobotBuilder robot("massless");
  robot.add(JointType::continuous, "one", "base", "a", {0, 0, 1},
            test::body(1.0, {0.1, 0.0, 0.0}, {0.01, 0.01, 0.01}));
  robot.add(JointType::continuous, "two", "a", "b", {0, 0, 1}, std::nullopt);
  const Model model{RobotDescription(robot)};
  const VectorXd zero = VectorXd::Zero(2);
  for (const Formulation& formulation : formulations::all()) {
    if (!formulation.forward) continue;
    EXPECT_THROW(formulations::forward_dynamics(formulation, model, zero, zero, zero), StateError)
        << formulation.name;
  }
}

}  // namespace
}  // namespace dynamics
