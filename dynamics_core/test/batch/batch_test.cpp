// SPDX-License-Identifier: Apache-2.0
// Compares every batch function with the function for one state, for robots that take every code
// path and any number of states; states without a result, wrong sizes, allocations and threads.

#include "dynamics_core/batch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

#include "batch/batch_robots.hpp"
#include "dynamics_core/derivatives.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "support/allocation_counter.hpp"
#include "support/compare.hpp"
#include "support/random_robot.hpp"
#include "support/small_robots.hpp"

namespace dynamics {
namespace {

namespace counter = test::allocation_counter;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::floating;
using test::idx;
using test::relative;
using testing::HasSubstr;
using Rows = std::vector<double>;

// fewer states where a sanitizer checks every memory access
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

const double nan = std::numeric_limits<double>::quiet_NaN();

using Robot = test::BatchRobot;
std::vector<Robot> robots() { return test::batch_robots(); }

/// N random states of a robot.
struct States {
  States(const Model& model, std::size_t count, unsigned seed = 1) : n(model.size()) {
    test::RandomRobot random(seed);
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t j = 0; j < n; ++j) {
        q.push_back(random.uniform(-3.0, 3.0));
        qd.push_back(random.uniform(-2.0, 2.0));
        u.push_back(random.uniform(-5.0, 5.0));
      }
      for (const std::size_t pitch : model.pitch_coordinates()) q[k * n + pitch] *= 0.4;
    }
  }
  VectorXd row(const Rows& rows, std::size_t k) const {
    return Eigen::Map<const VectorXd>(rows.data() + k * n, idx(n));
  }
  MatrixXd matrix(const Rows& rows, std::size_t k) const {
    return Eigen::Map<const MatrixXd>(rows.data() + k * n * n, idx(n), idx(n));
  }
  std::size_t n;
  Rows q, qd, u;
};

/// The results of every batch function.
struct Results {
  explicit Results(const States& states)
      : tau(states.q.size(), nan),
        g(tau),
        qdd(tau),
        M(states.q.size() * states.n, nan),
        tau_by_q(M),
        tau_by_qd(M),
        qdd_by_q(M),
        qdd_by_qd(M),
        qdd_by_tau(M) {}
  void run(const Model& model, BatchWorkspace& workspace, const States& s,
           const ExternalInputs& external) {
    batch::inverse_dynamics(model, workspace, s.q, s.qd, s.u, tau, external);
    batch::gravity_forces(model, workspace, s.q, g);
    batch::forward_dynamics(model, workspace, s.q, s.qd, s.u, qdd, external);
    batch::inertia_matrix(model, workspace, s.q, M);
    batch::inverse_dynamics_derivatives(model, workspace, s.q, s.qd, s.u, tau_by_q, tau_by_qd,
                                        external);
    batch::forward_dynamics_derivatives(model, workspace, s.q, s.qd, s.u, qdd_by_q, qdd_by_qd,
                                        qdd_by_tau, external);
  }
  std::vector<const Rows*> all() const {
    return {&tau, &g, &qdd, &M, &tau_by_q, &tau_by_qd, &qdd_by_q, &qdd_by_qd, &qdd_by_tau};
  }
  Rows tau, g, qdd, M, tau_by_q, tau_by_qd, qdd_by_q, qdd_by_qd, qdd_by_tau;
};

/// Compares every batch function with one state at a time.
void expect_same(const Robot& robot, std::size_t count, const ExternalInputs& external) {
  const Model& model = robot.model;
  const States states(model, count);
  BatchWorkspace workspace(model);
  Results results(states);
  results.run(model, workspace, states, external);
  Workspace single(model);
  DerivativeWorkspace derivative(model);
  const auto n = idx(model.size());
  VectorXd v(n);
  MatrixXd A(n, n), B(n, n), C(n, n);
  for (std::size_t k = 0; k < count; ++k) {
    const VectorXd q = states.row(states.q, k), qd = states.row(states.qd, k),
                   u = states.row(states.u, k);
    const auto close = [&](const char* what, const auto& found, const auto& expected, double bar) {
      EXPECT_CLOSE(robot.name + ", " + what, relative(found, expected), bar) << "state " << k;
    };
    inverse_dynamics(model, single, q, qd, u, v, external);
    close("inverse", states.row(results.tau, k), v, 1e-12);
    gravity_forces(model, single, q, v);
    close("gravity", states.row(results.g, k), v, 1e-12);
    inertia_matrix(model, single, q, A);
    close("inertia matrix", states.matrix(results.M, k), A, 1e-12);
    inverse_dynamics_derivatives(model, derivative, q, qd, u, A, B, external);
    close("inverse by q", states.matrix(results.tau_by_q, k), A, 1e-12);
    close("inverse by qd", states.matrix(results.tau_by_qd, k), B, 1e-12);
    forward_dynamics(model, single, q, qd, u, v, external);
    close("forward", states.row(results.qdd, k), v, 1e-12);
    forward_dynamics_derivatives(model, derivative, q, qd, u, A, B, C, external);
    close("forward by q", states.matrix(results.qdd_by_q, k), A, 1e-12);
    close("forward by qd", states.matrix(results.qdd_by_qd, k), B, 1e-12);
    close("forward by tau", states.matrix(results.qdd_by_tau, k), C, 1e-12);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Batch, MatchesTheFunctionsForOneState) {
  for (const Robot& robot : robots()) expect_same(robot, sanitized ? 9 : 101, {});
}

TEST(Batch, AcceptsAnyNumberOfStates) {
  const Robot puma{"puma", model_from_dh(built_in_robot("puma"))};
  for (const std::size_t count : {0U, 1U, 3U, 7U, 8U, 9U, sanitized ? 41U : 1000U})
    expect_same(puma, count, {});
}

TEST(Batch, ExternalInputsApplyToAllStates) {
  ExternalInputs moving;
  moving.friction = false;
  moving.base = BaseMotion{};
  moving.base->pose.rotation = rotation_from_rpy({0.3, -0.4, 0.5});
  moving.base->velocity = {{0.3, 0.2, 0.7}, {1.0, 2.0, 3.0}};
  moving.base->acceleration = {{-0.3, 1.2, 0.4}, {0.4, 2.0, -3.0}};
  for (const Robot& robot : robots()) {
    const std::vector<LinkWrench> wrenches = {
        {robot.model.end_effector(), {{1.0, -2.0, 3.0}, {4.0, 5.0, -6.0}}, Axes::local}};
    ExternalInputs pushed;
    pushed.wrenches = wrenches;
    expect_same(robot, 9, moving);
    expect_same(robot, 9, pushed);
  }
}

TEST(Batch, LargeAnglesMatchTheFunctionsForOneState) {
  const Model model = model_from_dh(built_in_robot("puma"));
  States states(model, 21);
  for (std::size_t i = 0; i < states.q.size(); i += 5) states.q[i] *= std::pow(10.0, i % 7 * 3);
  Rows tau(states.q.size());
  BatchWorkspace workspace(model);
  batch::inverse_dynamics(model, workspace, states.q, states.qd, states.u, tau);
  Workspace single(model);
  VectorXd expected(6);
  for (std::size_t k = 0; k < 21; ++k) {
    inverse_dynamics(model, single, states.row(states.q, k), states.row(states.qd, k),
                     states.row(states.u, k), expected);
    EXPECT_LT(relative(states.row(tau, k), expected), 1e-12) << k;
  }
}

template <class Error, class Function>
std::string message_of(Function&& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

TEST(Batch, NamesStatesWithNanAndComputesTheOthers) {
  const Model model = model_from_dh(built_in_robot("puma"));
  const States good(model, 100);
  BatchWorkspace workspace(model);
  Results expected(good);
  expected.run(model, workspace, good, {});
  for (const double bad : {nan, std::numeric_limits<double>::infinity()}) {
    States states = good;
    states.qd[6 * 41 + 2] = states.u[6 * 77 + 5] = bad;
    Rows tau(600, 1.0);
    try {
      batch::inverse_dynamics(model, workspace, states.q, states.qd, states.u, tau);
      FAIL() << "nothing was thrown";
    } catch (const BatchError& error) {
      EXPECT_EQ(error.state(), 41U);
      EXPECT_EQ(error.count(), 2U);
      EXPECT_THAT(error.what(), HasSubstr("state 41, the first of 2 without a result: qd[2] is "));
    }
    for (std::size_t i = 0; i < tau.size(); ++i) {
      if (i / 6 == 41 || i / 6 == 77) {
        EXPECT_TRUE(std::isnan(tau[i])) << i;
      } else {
        EXPECT_EQ(tau[i], expected.tau[i]) << i;
      }
    }
  }
  States states = good;
  states.q[6 * 3] = nan;
  Rows M(3600);
  EXPECT_THAT(message_of<BatchError>([&] { batch::inertia_matrix(model, workspace, states.q, M); }),
              HasSubstr("state 3: q[0] is nan; finite numbers are needed (the other 99 states"));
  EXPECT_TRUE(std::isnan(M[3 * 36 + 35]));
  for (std::size_t i = 4 * 36; i < M.size(); ++i) EXPECT_EQ(M[i], expected.M[i]);
}

TEST(Batch, NamesSingularStatesAndComputesTheOthers) {
  const Model model(floating(test::RandomRobot(4).robot({.joints = 3})));
  States states(model, 20);
  BatchWorkspace workspace(model);
  Rows expected(states.q.size()), qdd(states.q.size());
  batch::forward_dynamics(model, workspace, states.q, states.qd, states.u, expected);
  const std::size_t pitch = model.pitch_coordinates().front();
  states.q[17 * states.n + pitch] = std::numbers::pi / 2;
  EXPECT_THAT(message_of<BatchError>([&] {
                batch::forward_dynamics(model, workspace, states.q, states.qd, states.u, qdd);
              }),
              testing::AllOf(HasSubstr("state 17: "), HasSubstr("pitch is +-90 degrees")));
  for (std::size_t i = 0; i < qdd.size(); ++i) {
    if (i / states.n == 17) {
      EXPECT_TRUE(std::isnan(qdd[i]));
    } else {
      EXPECT_EQ(qdd[i], expected[i]);
    }
  }
  // inverse dynamics has a result there
  batch::inverse_dynamics(model, workspace, states.q, states.qd, states.u, qdd);
  // the mass centers of both links are on the second axis: no inertia about it
  test::RobotBuilder builder;
  builder.add(JointType::revolute, "a", "base", "first", {0, 0, 1}, test::body(1.0, {1, 0, 0}));
  builder.add(JointType::revolute, "b", "first", "second", {1, 0, 0}, test::body(1.0, {1, 0, 0}));
  const Model needle(builder.robot());
  BatchWorkspace small(needle);
  Rows zeros(2 * 5, 0.0), out(2 * 5);
  EXPECT_THROW(batch::forward_dynamics(needle, small, zeros, zeros, zeros, out),
               std::runtime_error);
}

TEST(Batch, NamesWrongArguments) {
  const Model model = model_from_dh(built_in_robot("puma"));
  BatchWorkspace workspace(model);
  Rows six(6), twelve(12), seven(7), square(72);
  const auto refusal = [&](const Rows& q, const Rows& qd, const Rows& qdd, Rows& tau) {
    return message_of<ArgumentError>(
        [&] { batch::inverse_dynamics(model, workspace, q, qd, qdd, tau); });
  };
  EXPECT_EQ(refusal(seven, seven, seven, seven),
            "q has 7 entries; a multiple of 6, the coordinates of a state, is needed");
  EXPECT_EQ(refusal(twelve, six, twelve, twelve),
            "qd has 6 entries; 12 are needed, 6 for each of 2 states");
  EXPECT_THAT(refusal(twelve, twelve, six, twelve), HasSubstr("qdd has 6 entries"));
  EXPECT_THAT(refusal(twelve, twelve, twelve, six), HasSubstr("tau has 6 entries"));
  EXPECT_EQ(
      message_of<ArgumentError>([&] { batch::inertia_matrix(model, workspace, twelve, twelve); }),
      "M has 12 entries; 72 are needed, 36 for each of 2 states");
  EXPECT_THAT(message_of<ArgumentError>([&] {
                batch::inverse_dynamics_derivatives(model, workspace, twelve, twelve, twelve,
                                                    square, twelve);
              }),
              HasSubstr("tau_by_qd has 12 entries; 72 are needed"));
  const std::vector<LinkWrench> world = {{model.end_effector(), {}, Axes::world}};
  ExternalInputs external;
  external.wrenches = world;
  EXPECT_THAT(message_of<ArgumentError>(
                  [&] { batch::inverse_dynamics(model, workspace, six, six, six, six, external); }),
              HasSubstr("Axes::local"));
  BatchWorkspace other(model_from_dh(built_in_robot("planar3")));
  EXPECT_THAT(message_of<ArgumentError>([&] { batch::gravity_forces(model, other, six, six); }),
              HasSubstr("the workspace was made for a model of 3 coordinates"));
}

TEST(Batch, AllocatesNothingAfterTheWorkspace) {
  if (!counter::available()) GTEST_SKIP() << "allocations cannot be counted in this build";
  for (const Robot& robot : robots()) {
    const States states(robot.model, sanitized ? 300 : 700);
    BatchWorkspace workspace(robot.model, {.threads = 2});
    Results results(states);
    counter::start();
    results.run(robot.model, workspace, states, {});
    EXPECT_EQ(counter::stop(), 0U) << robot.name;
  }
}

TEST(Batch, ResultsDoNotDependOnThreads) {
  for (const Robot& robot : robots()) {
    const States states(robot.model, sanitized ? 301 : 3001);
    BatchWorkspace one(robot.model), all(robot.model, {.threads = 64});
    EXPECT_EQ(one.threads(), 1U);
    ASSERT_GE(all.threads(), 2U);  // even with one processor
    Results expected(states), found(states);
    expected.run(robot.model, one, states, {});
    for (int round = 0; round < 3; ++round) found.run(robot.model, all, states, {});
    for (std::size_t i = 0; i < expected.all().size(); ++i) {
      const Rows &a = *expected.all()[i], &b = *found.all()[i];
      ASSERT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(double)), 0)
          << robot.name << ", result " << i;
    }
  }
}

// outputs that do not fit into the cache are stored past it
TEST(Batch, OutputsLargerThanTheCacheAreThoseOfSmallBatches) {
  // 64 and 49 numbers per matrix: complete cache lines or not
  for (const std::size_t joints : {8U, 7U}) {
    const Model model(test::RandomRobot(5).robot({.joints = joints, .branching = 0.3}));
    const std::size_t n = joints, entries = n * n;
    const std::size_t count = (std::size_t{33} << 20U) / (sizeof(double) * entries) + 5;
    const States states(model, count);
    BatchWorkspace workspace(model, {.threads = 2});
    // from the second number on: not at a cache line
    Rows M(count * entries + 1, nan), by_q(M), by_qd(M);
    const auto rest = [&](Rows& rows) { return std::span(rows).subspan(1); };
    batch::inertia_matrix(model, workspace, states.q, rest(M));
    batch::inverse_dynamics_derivatives(model, workspace, states.q, states.qd, states.u, rest(by_q),
                                        rest(by_qd));
    Rows few(101 * entries), other(few);
    for (std::size_t at = 0; at + 101 <= count; at += sanitized ? 20 * 101 : 101) {
      const auto part = [&](const auto& rows, std::size_t width) {
        return std::span(rows).subspan(at * width, 101 * width);
      };
      const auto same = [&](const Rows& expected, Rows& found) {
        return std::memcmp(expected.data(), part(rest(found), entries).data(),
                           expected.size() * sizeof(double)) == 0;
      };
      batch::inertia_matrix(model, workspace, part(states.q, n), few);
      ASSERT_TRUE(same(few, M)) << joints << " joints, from state " << at;
      batch::inverse_dynamics_derivatives(model, workspace, part(states.q, n), part(states.qd, n),
                                          part(states.u, n), few, other);
      ASSERT_TRUE(same(few, by_q) && same(other, by_qd)) << joints << " joints, from state " << at;
    }
    EXPECT_TRUE(std::isnan(M[0]) && std::isnan(by_q[0]) && std::isnan(by_qd[0]));
  }
}

TEST(Batch, ResultsOfAStateDoNotDependOnItsNeighbors) {
  const Model model = model_from_dh(built_in_robot("stanford"));
  const States states(model, 30);
  BatchWorkspace workspace(model);
  Rows all(states.q.size()), one(6);
  batch::forward_dynamics(model, workspace, states.q, states.qd, states.u, all);
  for (std::size_t k = 0; k < 30; ++k) {
    batch::forward_dynamics(model, workspace, states.row(states.q, k), states.row(states.qd, k),
                            states.row(states.u, k), one);
    EXPECT_TRUE(std::equal(one.begin(), one.end(), all.begin() + static_cast<long>(6 * k))) << k;
  }
}

TEST(Batch, WorkspaceServesModelsOfTheSameStructure) {
  const Model model = model_from_dh(built_in_robot("puma")),
              moon = model.with_gravity({0, 0, -1.6});
  BatchWorkspace workspace(model), own(moon);
  const States states(model, 5);
  Rows a(30), b(30);
  batch::gravity_forces(moon, workspace, states.q, a);
  batch::gravity_forces(moon, own, states.q, b);
  EXPECT_EQ(a, b);
  Workspace single(moon);
  VectorXd g(6);
  for (std::size_t k = 0; k < 5; ++k) {
    gravity_forces(moon, single, states.row(states.q, k), g);
    EXPECT_LT(relative(states.row(a, k), g), 1e-12) << k;
  }
}

}  // namespace
}  // namespace dynamics
