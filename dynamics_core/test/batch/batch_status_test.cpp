// SPDX-License-Identifier: Apache-2.0
// batch::try_NAME: the status of every kind of failure, the same results as NAME, no exception and
// no allocation, on one thread and on two.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "dynamics_core/batch.hpp"
#include "dynamics_core/readers.hpp"
#include "support/allocation_counter.hpp"
#include "support/random_robot.hpp"
#include "support/small_robots.hpp"

namespace dynamics {
namespace {

namespace counter = test::allocation_counter;
using Rows = std::vector<double>;

constexpr double sentinel = 12345.0;
constexpr std::size_t count = 300;  // more than one chunk
const double nan = std::numeric_limits<double>::quiet_NaN();

/// Arguments and outputs of all functions for `count` states.
struct Call {
  Call(const Model& model, std::size_t outputs_per_state)
      : n(model.size()), out(3, Rows(count * outputs_per_state, sentinel)) {
    test::RandomRobot random(7);
    for (Rows* rows : {&q, &qd, &u}) {
      const Eigen::VectorXd values = random.vector(count * n, 1.0);
      rows->assign(values.begin(), values.end());
    }
  }
  std::size_t n;
  Rows q, qd, u;
  ExternalInputs external;
  std::vector<LinkWrench> wrenches = {{1, {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}, Axes::local}};
  std::vector<Rows> out;
};

struct Function {
  std::string name;
  bool matrices, divides, takes_rates;
  std::function<Status(const Model&, BatchWorkspace&, Call&)> attempt;
  std::function<void(const Model&, BatchWorkspace&, Call&)> call;
};
void PrintTo(const Function& function, std::ostream* out) { *out << function.name; }

std::vector<Function> functions() {
  using M = const Model&;
  using W = BatchWorkspace&;
  using C = Call&;
  return {
      {"inverse_dynamics", false, false, true,
       [](M m, W w, C c) {
         return batch::try_inverse_dynamics(m, w, c.q, c.qd, c.u, c.out[0], c.external);
       },
       [](M m, W w, C c) { batch::inverse_dynamics(m, w, c.q, c.qd, c.u, c.out[0], c.external); }},
      {"gravity_forces", false, false, false,
       [](M m, W w, C c) { return batch::try_gravity_forces(m, w, c.q, c.out[0]); },
       [](M m, W w, C c) { batch::gravity_forces(m, w, c.q, c.out[0]); }},
      {"forward_dynamics", false, true, true,
       [](M m, W w, C c) {
         return batch::try_forward_dynamics(m, w, c.q, c.qd, c.u, c.out[0], c.external);
       },
       [](M m, W w, C c) { batch::forward_dynamics(m, w, c.q, c.qd, c.u, c.out[0], c.external); }},
      {"inertia_matrix", true, false, false,
       [](M m, W w, C c) { return batch::try_inertia_matrix(m, w, c.q, c.out[0]); },
       [](M m, W w, C c) { batch::inertia_matrix(m, w, c.q, c.out[0]); }},
      {"inverse_dynamics_derivatives", true, false, true,
       [](M m, W w, C c) {
         return batch::try_inverse_dynamics_derivatives(m, w, c.q, c.qd, c.u, c.out[0], c.out[1],
                                                        c.external);
       },
       [](M m, W w, C c) {
         batch::inverse_dynamics_derivatives(m, w, c.q, c.qd, c.u, c.out[0], c.out[1], c.external);
       }},
      {"forward_dynamics_derivatives", true, true, true,
       [](M m, W w, C c) {
         return batch::try_forward_dynamics_derivatives(m, w, c.q, c.qd, c.u, c.out[0], c.out[1],
                                                        c.out[2], c.external);
       },
       [](M m, W w, C c) {
         batch::forward_dynamics_derivatives(m, w, c.q, c.qd, c.u, c.out[0], c.out[1], c.out[2],
                                             c.external);
       }},
  };
}

class BatchTryFunctions : public testing::TestWithParam<Function> {
 protected:
  Model model{test::RandomRobot(4).robot({.joints = 4, .friction = 0.5})};
  BatchWorkspace workspace{model, {.threads = 2}};

  static std::size_t width(const Model& of) {
    return GetParam().matrices ? of.size() * of.size() : of.size();
  }
  Call call() const { return Call(model, width(model)); }

  static Status attempt(const Model& given, BatchWorkspace& memory, Call& call) {
    call.external.wrenches = call.wrenches;
    counter::start();
    const Status status = GetParam().attempt(given, memory, call);
    const std::size_t allocations = counter::stop();
    if (counter::available()) {
      EXPECT_EQ(allocations, 0U);
    }
    return status;
  }
  /// Nothing is written, and the function that throws throws `Expected`.
  template <class Expected>
  static void expect_refusal(const Model& given, BatchWorkspace& memory, Call call,
                             Status expected) {
    const std::vector<Rows> before = call.out;
    const Status status = attempt(given, memory, call);
    EXPECT_EQ(status, expected) << to_string(status);
    EXPECT_EQ(call.out, before) << "an output was written";
    EXPECT_THROW(GetParam().call(given, memory, call), Expected);
  }
  /// Without state `bad` the results are those of `good`; its own are NaN.
  static void expect_without_state(const Model& given, BatchWorkspace& memory, Call call,
                                   const Call& good, std::size_t bad, Status expected) {
    const Status status = attempt(given, memory, call);
    EXPECT_EQ(status, expected) << to_string(status);
    for (std::size_t i = 0; i < call.out[0].size(); ++i) {
      if (i / width(given) == bad) {
        ASSERT_TRUE(std::isnan(call.out[0][i])) << "entry " << i;
      } else {
        ASSERT_EQ(call.out[0][i], good.out[0][i]) << "entry " << i;
      }
    }
    try {
      GetParam().call(given, memory, call);
      FAIL() << "nothing was thrown";
    } catch (const BatchError& error) {
      EXPECT_EQ(error.state(), bad);
      EXPECT_EQ(error.count(), 1U);
    }
  }
};

TEST_P(BatchTryFunctions, AgreeWithTheThrowingOnes) {
  Call attempted = call(), called = call();
  EXPECT_EQ(attempt(model, workspace, attempted), Status::ok);
  called.external.wrenches = called.wrenches;
  BatchWorkspace one_thread(model);
  GetParam().call(model, one_thread, called);
  EXPECT_EQ(attempted.out, called.out);
  EXPECT_NE(attempted.out[0][0], sentinel);
}

TEST_P(BatchTryFunctions, ReportWrongSizes) {
  Call shorter = call();
  shorter.q.pop_back();
  expect_refusal<ArgumentError>(model, workspace, shorter, Status::wrong_size);
  if (GetParam().takes_rates) {
    for (Rows Call::*const member : {&Call::qd, &Call::u}) {
      Call other = call();
      (other.*member).resize(model.size());
      expect_refusal<ArgumentError>(model, workspace, other, Status::wrong_size);
    }
  }
  Call small = call();
  small.out[0].pop_back();
  expect_refusal<ArgumentError>(model, workspace, small, Status::wrong_size);
}

TEST_P(BatchTryFunctions, ReportWorkspaceOfAnotherModel) {
  BatchWorkspace other(model_from_dh(built_in_robot("puma")));
  expect_refusal<ArgumentError>(model, other, call(), Status::wrong_workspace);
}

TEST_P(BatchTryFunctions, ReportExternalInputsThatCannotBeUsed) {
  if (!GetParam().takes_rates) return;
  Call world = call();
  world.wrenches[0].axes = Axes::world;
  expect_refusal<ArgumentError>(model, workspace, world, Status::wrong_axes);
  Call infinite = call();
  infinite.wrenches[0].wrench.force[1] = nan;
  expect_refusal<ArgumentError>(model, workspace, infinite, Status::not_finite);
  Call unknown = call();
  unknown.wrenches[0].frame = 99;
  expect_refusal<ArgumentError>(model, workspace, unknown, Status::unknown_frame);
  Call skewed = call();
  skewed.external.base.emplace().pose.rotation(0, 0) = 2.0;
  expect_refusal<ArgumentError>(model, workspace, skewed, Status::not_a_rotation);
}

TEST_P(BatchTryFunctions, ComputeTheOthersOfAStateThatIsNotFinite) {
  Call good = call();
  ASSERT_EQ(attempt(model, workspace, good), Status::ok);
  for (const double bad : {nan, std::numeric_limits<double>::infinity()}) {
    Call spoiled = call();
    spoiled.q[4 * 123 + 1] = bad;
    expect_without_state(model, workspace, spoiled, good, 123, Status::not_finite);
  }
}

TEST_P(BatchTryFunctions, ReportSingularInertia) {
  if (!GetParam().divides) return;
  // in one state: a floating base at pitch = 90 degrees
  const Model floating(test::floating(test::RandomRobot(2).robot({.joints = 2})));
  BatchWorkspace memory(floating, {.threads = 2});
  Call good(floating, width(floating)), pitched = good;
  ASSERT_EQ(attempt(floating, memory, good), Status::ok);
  pitched.q[floating.size() * 17 + floating.pitch_coordinates()[0]] = std::numbers::pi / 2;
  expect_without_state(floating, memory, pitched, good, 17, Status::singular);
  // in all states: the last link has no mass
  test::RobotBuilder robot;
  const Eigen::Vector3d z = Eigen::Vector3d::UnitZ();
  robot.add(JointType::revolute, "first", "base", "arm", z, test::body(1.0, {1, 0, 0}, {1, 1, 1}));
  robot.add(JointType::revolute, "second", "arm", "hand", z, std::nullopt);
  const Model massless(robot);
  BatchWorkspace small(massless);
  expect_refusal<StateError>(massless, small, Call(massless, width(massless)), Status::singular);
}

INSTANTIATE_TEST_SUITE_P(All, BatchTryFunctions, testing::ValuesIn(functions()),
                         [](const auto& function) { return function.param.name; });

static_assert(noexcept(batch::try_inverse_dynamics(std::declval<const Model&>(),
                                                   std::declval<BatchWorkspace&>(), ConstBatch(),
                                                   ConstBatch(), ConstBatch(), MutableBatch(),
                                                   std::declval<const ExternalInputs&>())));

}  // namespace
}  // namespace dynamics
