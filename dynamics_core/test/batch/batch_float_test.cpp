// SPDX-License-Identifier: Apache-2.0
// Compares the batch functions on floats with the functions for one state on doubles, for the same
// states: robots that take every code path, large angles, any number of states; states that single
// precision cannot solve, states without a result, wrong arguments, allocations and threads.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "batch/batch_robots.hpp"
#include "dynamics_core/batch.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "support/allocation_counter.hpp"
#include "support/compare.hpp"

namespace dynamics {
namespace {

namespace counter = test::allocation_counter;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::BatchRobot;
using test::idx;
using test::relative;
using testing::HasSubstr;
using Rows = std::vector<float>;

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

/// The largest error of torques and of M, relative to the largest entry of the state. The torques
/// of a state that are almost zero are compared with a tenth of the largest ones of all states.
constexpr double bar = 1e-5;
const float nan = std::numeric_limits<float>::quiet_NaN();

/// N random states of a robot.
struct States {
  States(const Model& model, std::size_t count, unsigned seed = 1) : n(model.size()) {
    test::RandomRobot random(seed);
    const auto uniform = [&](double limit) {
      return static_cast<float>(random.uniform(-limit, limit));
    };
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t j = 0; j < n; ++j) {
        q.push_back(uniform(3.0));
        qd.push_back(uniform(2.0));
        u.push_back(uniform(5.0));
      }
      for (const std::size_t pitch : model.pitch_coordinates()) q[k * n + pitch] *= 0.4F;
    }
  }
  VectorXd row(const Rows& rows, std::size_t k) const {
    return Eigen::Map<const Eigen::VectorXf>(rows.data() + k * n, idx(n)).cast<double>();
  }
  MatrixXd matrix(const Rows& rows, std::size_t k) const {
    return Eigen::Map<const Eigen::MatrixXf>(rows.data() + k * n * n, idx(n), idx(n))
        .cast<double>();
  }
  std::size_t n;
  Rows q, qd, u;
};

struct Results {
  explicit Results(const States& states)
      : tau(states.q.size(), nan), g(tau), qdd(tau), M(states.q.size() * states.n, nan) {}
  void run(const Model& model, BatchWorkspace& workspace, const States& s,
           const ExternalInputs& external = {}) {
    batch::inverse_dynamics(model, workspace, s.q, s.qd, s.u, tau, external);
    batch::gravity_forces(model, workspace, s.q, g);
    batch::forward_dynamics(model, workspace, s.q, s.qd, s.u, qdd, external);
    batch::inertia_matrix(model, workspace, s.q, M);
  }
  Rows tau, g, qdd, M;
};

void expect_close(const BatchRobot& robot, const States& states, const ExternalInputs& external) {
  const Model& model = robot.model;
  BatchWorkspace workspace(model);
  Results results(states);
  results.run(model, workspace, states, external);
  Workspace single(model);
  const auto n = idx(model.size());
  VectorXd v(n), bias(n), still = VectorXd::Zero(n);
  MatrixXd M(n, n);
  const std::size_t count = states.q.size() / states.n;
  double tau_floor = 0.0, g_floor = 0.0;
  for (std::size_t k = 0; k < count; ++k) {
    tau_floor = std::max(tau_floor, 0.1 * max_abs(states.row(results.tau, k)));
    g_floor = std::max(g_floor, 0.1 * max_abs(states.row(results.g, k)));
  }
  for (std::size_t k = 0; k < count; ++k) {
    const VectorXd q = states.row(states.q, k), qd = states.row(states.qd, k),
                   u = states.row(states.u, k);
    const auto close = [&](const char* what, double error) {
      EXPECT_CLOSE(robot.name + ", " + what, error, bar) << "state " << k;
    };
    inverse_dynamics(model, single, q, qd, u, v, external);
    close("inverse", relative(states.row(results.tau, k), v, tau_floor));
    gravity_forces(model, single, q, v);
    close("gravity", relative(states.row(results.g, k), v, g_floor));
    inertia_matrix(model, single, q, M);
    close("inertia matrix", relative(states.matrix(results.M, k), M));
    // the accelerations move the robot with almost these torques; the scale is that of the terms
    // of M qdd + bias = tau
    const VectorXd qdd = states.row(results.qdd, k);
    inverse_dynamics(model, single, q, qd, qdd, v, external);
    inverse_dynamics(model, single, q, qd, still, bias, external);
    const double scale = std::max({(M.cwiseAbs() * qdd.cwiseAbs()).maxCoeff(),
                                   bias.cwiseAbs().maxCoeff(), u.cwiseAbs().maxCoeff()});
    close("forward, torques", max_abs(v - u) / scale);
    forward_dynamics(model, single, q, qd, u, v, external);
    EXPECT_CLOSE(robot.name + ", forward", relative(qdd, v), 1e-3) << "state " << k;
    if (testing::Test::HasFailure()) return;
  }
}

TEST(BatchFloat, MatchesTheFunctionsOnDoubles) {
  for (const BatchRobot& robot : test::batch_robots()) {
    expect_close(robot, States(robot.model, sanitized ? 17 : 200), {});
  }
}

TEST(BatchFloat, AcceptsAnyNumberOfStates) {
  const BatchRobot puma{"puma", model_from_dh(built_in_robot("puma"))};
  for (const std::size_t count : {0U, 1U, 7U, 15U, 16U, 17U, 33U}) {
    expect_close(puma, States(puma.model, count), {});
  }
}

// fewer entries per state than a register holds, as many, and more
TEST(BatchFloat, AcceptsAnyNumberOfJoints) {
  for (std::size_t joints = 1; joints <= 18; ++joints) {
    const BatchRobot robot{"chain", Model(test::RandomRobot(3).robot({.joints = joints}))};
    expect_close(robot, States(robot.model, 19), {});
  }
}

TEST(BatchFloat, ExternalInputsApplyToAllStates) {
  ExternalInputs moving;
  moving.friction = false;
  moving.base = BaseMotion{};
  moving.base->pose.rotation = rotation_from_rpy({0.3, -0.4, 0.5});
  moving.base->velocity = {{0.3, 0.2, 0.7}, {1.0, 2.0, 3.0}};
  moving.base->acceleration = {{-0.3, 1.2, 0.4}, {0.4, 2.0, -3.0}};
  for (const BatchRobot& robot : test::batch_robots()) {
    const std::vector<LinkWrench> wrenches = {
        {robot.model.end_effector(), {{1.0, -2.0, 3.0}, {4.0, 5.0, -6.0}}, Axes::local}};
    ExternalInputs pushed;
    pushed.wrenches = wrenches;
    expect_close(robot, States(robot.model, 9), moving);
    expect_close(robot, States(robot.model, 9), pushed);
  }
}

// offsets of the joints included: a sum rounded to a float would be wrong by 6e-5 rad at 1000 rad
TEST(BatchFloat, LargeAnglesMatchTheFunctionsOnDoubles) {
  std::vector<BatchRobot> robots;
  for (const char* name : {"puma", "stanford"}) {
    robots.push_back({name, model_from_dh(built_in_robot(name))});
  }
  robots.push_back({"tree", Model(test::RandomRobot(11).robot(
                                {.joints = 14, .branching = 0.4, .prismatic = 0.0}))});
  for (const BatchRobot& robot : robots) {
    States states(robot.model, 40);
    for (std::size_t i = 0; i < states.q.size(); ++i) {
      if (robot.name == "stanford" && i % 6 == 2) continue;  // prismatic
      states.q[i] *= static_cast<float>(std::pow(10.0, static_cast<double>(i % 11)));
    }
    expect_close({robot.name + ", large angles", robot.model}, states, {});
  }
}

TEST(BatchFloat, ComputesStatesInDoublesThatFloatsCannotSolve) {
  // a heavy tool on light links: in single precision some pivots are not positive
  test::RobotBuilder builder;
  std::string link = "base";
  for (int i = 1; i <= 6; ++i) {
    const std::string next = "link" + std::to_string(i);
    const double mass = i == 6 ? 1e7 : 1.0;
    builder.add(JointType::revolute, "joint" + std::to_string(i), link, next,
                i % 2 == 0 ? Eigen::Vector3d::UnitY() : Eigen::Vector3d::UnitZ(),
                test::body(mass, {1, 0, 0}, {1e-3, 1e-3, 1e-3}),
                {Eigen::Matrix3d::Identity(), {i == 1 ? 0.0 : 1.0, 0.0, 0.0}});
    link = next;
  }
  const Model model(builder.robot());
  const States states(model, 400);
  BatchWorkspace workspace(model);
  Rows qdd(states.q.size(), nan);
  EXPECT_EQ(batch::try_forward_dynamics(model, workspace, states.q, states.qd, states.u, qdd),
            Status::ok);
  Workspace single(model);
  VectorXd expected(6);
  std::size_t same = 0;
  for (std::size_t k = 0; k < 400; ++k) {
    forward_dynamics(model, single, states.row(states.q, k), states.row(states.qd, k),
                     states.row(states.u, k), expected);
    EXPECT_FALSE(std::isnan(qdd[6 * k])) << k;
    if (states.row(qdd, k) == VectorXd(expected.cast<float>().cast<double>())) ++same;
  }
  EXPECT_GT(same, 0U) << "every state was solved in single precision";
  EXPECT_LT(same, 400U);
}

TEST(BatchFloat, NamesStatesWithNanAndComputesTheOthers) {
  const Model model = model_from_dh(built_in_robot("puma"));
  const States good(model, 100);
  BatchWorkspace workspace(model);
  Results expected(good);
  expected.run(model, workspace, good);
  for (const float bad : {nan, std::numeric_limits<float>::infinity()}) {
    States states = good;
    states.qd[6 * 41 + 2] = states.u[6 * 77 + 5] = bad;
    Rows tau(600, 1.0F);
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
  Results found(states);
  EXPECT_EQ(batch::try_inertia_matrix(model, workspace, states.q, found.M), Status::not_finite);
  EXPECT_EQ(batch::try_gravity_forces(model, workspace, states.q, found.g), Status::not_finite);
  EXPECT_EQ(batch::try_forward_dynamics(model, workspace, states.q, states.qd, states.u, found.qdd),
            Status::not_finite);
  for (std::size_t i = 0; i < 600; ++i) {
    EXPECT_EQ(std::isnan(found.g[i]), i / 6 == 3) << i;
    EXPECT_EQ(std::isnan(found.qdd[i]), i / 6 == 3) << i;
    EXPECT_EQ(std::isnan(found.M[6 * i]), i / 6 == 3) << i;
  }
  EXPECT_THROW(batch::inertia_matrix(model, workspace, states.q, found.M), BatchError);
}

TEST(BatchFloat, NamesWrongArguments) {
  const Model model = model_from_dh(built_in_robot("puma"));
  BatchWorkspace workspace(model);
  Rows six(6), twelve(12);
  try {
    batch::inverse_dynamics(model, workspace, twelve, six, twelve, twelve);
    FAIL() << "nothing was thrown";
  } catch (const ArgumentError& error) {
    EXPECT_STREQ(error.what(), "qd has 6 entries; 12 are needed, 6 for each of 2 states");
  }
  Rows shared(18);
  const std::span<float> input(shared.data(), 12), output(shared.data() + 6, 12);
  EXPECT_THROW(batch::gravity_forces(model, workspace, input, output), ArgumentError);
}

TEST(BatchFloat, ReadsAndWritesMatricesInPlace) {
  const Model model = model_from_dh(built_in_robot("puma"));
  BatchWorkspace workspace(model);
  const States states(model, 20);
  Results expected(states);
  expected.run(model, workspace, states);
  const Eigen::Map<const Eigen::MatrixXf> q(states.q.data(), 6, 20), qd(states.qd.data(), 6, 20),
      tau(expected.tau.data(), 6, 20);
  Eigen::MatrixXf above = Eigen::MatrixXf::Constant(12, 20, 99.0F);
  above.topRows(6) = Eigen::Map<const Eigen::MatrixXf>(states.u.data(), 6, 20);
  batch::inverse_dynamics(model, workspace, q, qd, above.topRows(6), above.topRows(6));
  EXPECT_EQ(Eigen::MatrixXf(above.topRows(6)), tau);
  EXPECT_TRUE((above.bottomRows(6).array() == 99.0F).all());
}

TEST(BatchFloat, AllocatesNothingAfterTheWorkspace) {
  if (!counter::available()) GTEST_SKIP() << "allocations cannot be counted in this build";
  for (const BatchRobot& robot : test::batch_robots()) {
    const States states(robot.model, 700);
    BatchWorkspace workspace(robot.model, {.threads = 2});
    Results results(states);
    counter::start();
    results.run(robot.model, workspace, states);
    EXPECT_EQ(counter::stop(), 0U) << robot.name;
  }
}

TEST(BatchFloat, ResultsDependNeitherOnThreadsNorOnNeighbors) {
  for (const BatchRobot& robot : test::batch_robots()) {
    const States states(robot.model, sanitized ? 301 : 2001);
    BatchWorkspace one(robot.model), two(robot.model, {.threads = 2});
    Results expected(states), found(states);
    expected.run(robot.model, one, states);
    found.run(robot.model, two, states);
    EXPECT_TRUE(expected.tau == found.tau && expected.g == found.g && expected.qdd == found.qdd &&
                expected.M == found.M)
        << robot.name;
    const auto of = [&](const Rows& rows, std::size_t k) {
      const auto at = rows.begin() + static_cast<long>(k * states.n);
      return Rows(at, at + static_cast<long>(states.n));
    };
    Rows alone(states.n);
    for (std::size_t k = 0; k < 40; ++k) {
      batch::forward_dynamics(robot.model, one, of(states.q, k), of(states.qd, k), of(states.u, k),
                              alone);
      EXPECT_EQ(alone, of(expected.qdd, k)) << robot.name << ", state " << k;
    }
  }
}

// ---- by type

template <class E>
constexpr bool reads = std::is_convertible_v<E, ConstFloatBatch>;
template <class E>
constexpr bool writes = std::is_convertible_v<E, MutableFloatBatch>;

static_assert(reads<Rows&> && writes<Rows&> && reads<Eigen::MatrixXf&> && writes<Eigen::MatrixXf&>);
static_assert(reads<std::span<const float>> && !writes<std::span<const float>>);
static_assert(!writes<const Rows&> && !writes<Rows> && !writes<Eigen::MatrixXf>);
static_assert(!reads<std::vector<double>&> && !reads<Eigen::MatrixXd&>);
static_assert(!reads<decltype(Eigen::MatrixXf() + Eigen::MatrixXf())>);

}  // namespace
}  // namespace dynamics
