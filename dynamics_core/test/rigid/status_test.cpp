// SPDX-License-Identifier: Apache-2.0
// try_NAME: the status of every kind of failure, the same answers as NAME, and neither an
// exception, an allocation nor a written output where there is no answer.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "dynamics_core/derivatives.hpp"
#include "dynamics_core/energy.hpp"
#include "dynamics_core/error.hpp"
#include "dynamics_core/forward_dynamics.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/inverse_dynamics.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/regressor.hpp"
#include "support/allocation_counter.hpp"
#include "support/random_robot.hpp"
#include "support/small_robots.hpp"

namespace dynamics {
namespace {

namespace counter = test::allocation_counter;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double sentinel = 12345.0;

/// Arguments and outputs of all functions.
struct Call {
  explicit Call(const Model& model)
      : n(static_cast<Eigen::Index>(model.size())),
        kinematics(model),
        factor(model),
        derivatives(model),
        Y(MatrixXd::Constant(n, static_cast<Eigen::Index>(parameter_count(model)), sentinel)) {
    forward_kinematics(model, kinematics, q, qd);
    if (model.singular_reason().empty()) decompose_inertia(model, factor, q);
  }

  Eigen::Index n;
  VectorXd q = VectorXd::Constant(n, 0.2), qd = q, qdd = q;
  MatrixXd B = MatrixXd::Constant(n, 3, 0.5);
  std::size_t frame = 1;
  ExternalInputs external;
  std::vector<LinkWrench> wrenches = {{1, {}, Axes::local}};
  Kinematics kinematics;
  InertiaFactor factor;
  DerivativeWorkspace derivatives;

  VectorXd out = VectorXd::Constant(n, sentinel), d = out;
  MatrixXd M = MatrixXd::Constant(n, n, sentinel), J = MatrixXd::Constant(6, n, sentinel),
           J3 = MatrixXd::Constant(3, n, sentinel), X = MatrixXd::Constant(n, 3, sentinel), A = M,
           B2 = M, Y;
  Pose pose{Eigen::Matrix3d::Constant(sentinel), Eigen::Vector3d::Constant(sentinel)};
  Twist twist{Eigen::Vector3d::Constant(sentinel), Eigen::Vector3d::Constant(sentinel)};
  Energy energy{sentinel, sentinel};
  Momentum momentum;

  /// All outputs in a row.
  VectorXd outputs() const {
    VectorXd all(2 * n + 3 * n * n + 9 * n + 3 * n + Y.size() + 3 + 6 + 2 + 4);
    all << out, d, M.reshaped(), A.reshaped(), B2.reshaped(), Y.reshaped(), J.reshaped(),
        J3.reshaped(), X.reshaped(), pose.translation, twist.angular, twist.linear, energy.kinetic,
        energy.potential, momentum.mass, momentum.linear;
    return all;
  }
};

enum Takes : unsigned {
  takes_q = 1U,
  takes_qd = 2U,
  takes_qdd = 4U,
  takes_conditions = 8U,
  takes_frame = 16U,
  divides = 32U,  ///< by M
  takes_workspace = 64U,
};

struct Function {
  std::string name;
  unsigned takes;
  std::function<Status(const Model&, Workspace&, Call&)> attempt;
  std::function<void(const Model&, Workspace&, Call&)> call;
};
void PrintTo(const Function& function, std::ostream* out) { *out << function.name; }

std::vector<Function> functions() {
  using M = const Model&;
  using W = Workspace&;
  using C = Call&;
  constexpr unsigned of_state = takes_workspace | takes_q;
  return {
      {"inverse_dynamics", of_state | takes_qd | takes_qdd | takes_conditions,
       [](M m, W w, C c) {
         return try_inverse_dynamics(m, w, c.q, c.qd, c.qdd, c.out, c.external);
       },
       [](M m, W w, C c) { inverse_dynamics(m, w, c.q, c.qd, c.qdd, c.out, c.external); }},
      {"gravity_forces", of_state,
       [](M m, W w, C c) { return try_gravity_forces(m, w, c.q, c.out); },
       [](M m, W w, C c) { gravity_forces(m, w, c.q, c.out); }},
      {"bias_forces", of_state | takes_qd | takes_conditions,
       [](M m, W w, C c) { return try_bias_forces(m, w, c.q, c.qd, c.out, c.external); },
       [](M m, W w, C c) { bias_forces(m, w, c.q, c.qd, c.out, c.external); }},
      {"friction_forces", takes_workspace | takes_qd,
       [](M m, W w, C c) { return try_friction_forces(m, w, c.qd, c.out); },
       [](M m, W w, C c) { friction_forces(m, w, c.qd, c.out); }},
      {"wrenches_to_joint_torques", of_state | takes_conditions,
       [](M m, W w, C c) {
         return try_wrenches_to_joint_torques(m, w, c.q, c.wrenches, c.out, c.external.base);
       },
       [](M m, W w, C c) {
         wrenches_to_joint_torques(m, w, c.q, c.wrenches, c.out, c.external.base);
       }},
      {"forward_dynamics", of_state | takes_qd | takes_qdd | takes_conditions | divides,
       [](M m, W w, C c) {
         return try_forward_dynamics(m, w, c.q, c.qd, c.qdd, c.out, c.external);
       },
       [](M m, W w, C c) { forward_dynamics(m, w, c.q, c.qd, c.qdd, c.out, c.external); }},
      {"inertia_matrix", of_state, [](M m, W w, C c) { return try_inertia_matrix(m, w, c.q, c.M); },
       [](M m, W w, C c) { inertia_matrix(m, w, c.q, c.M); }},
      {"coriolis_matrix", of_state | takes_qd,
       [](M m, W w, C c) { return try_coriolis_matrix(m, w, c.q, c.qd, c.M); },
       [](M m, W w, C c) { coriolis_matrix(m, w, c.q, c.qd, c.M); }},
      {"udut", of_state | divides, [](M m, W w, C c) { return try_udut(m, w, c.q, c.M, c.d); },
       [](M m, W w, C c) { udut(m, w, c.q, c.M, c.d); }},
      {"solve_inertia", of_state | takes_qdd | divides,
       [](M m, W w, C c) { return try_solve_inertia(m, w, c.q, c.qdd, c.out); },
       [](M m, W w, C c) { solve_inertia(m, w, c.q, c.qdd, c.out); }},
      {"inverse_inertia_matrix", of_state | divides,
       [](M m, W w, C c) { return try_inverse_inertia_matrix(m, w, c.q, c.M); },
       [](M m, W w, C c) { inverse_inertia_matrix(m, w, c.q, c.M); }},
      {"decompose_inertia", takes_q | divides,
       [](M m, W, C c) { return try_decompose_inertia(m, c.factor, c.q); },
       [](M m, W, C c) { decompose_inertia(m, c.factor, c.q); }},
      {"solve_inertia_factored", 0,
       [](M m, W, C c) { return try_solve_inertia(m, c.factor, c.B, c.X); },
       [](M m, W, C c) { solve_inertia(m, c.factor, c.B, c.X); }},
      {"inverse_inertia_matrix_factored", 0,
       [](M m, W, C c) { return try_inverse_inertia_matrix(m, c.factor, c.M); },
       [](M m, W, C c) { inverse_inertia_matrix(m, c.factor, c.M); }},
      {"inverse_dynamics_derivatives", takes_q | takes_qd | takes_qdd | takes_conditions,
       [](M m, W, C c) {
         return try_inverse_dynamics_derivatives(m, c.derivatives, c.q, c.qd, c.qdd, c.M, c.A,
                                                 c.external);
       },
       [](M m, W, C c) {
         inverse_dynamics_derivatives(m, c.derivatives, c.q, c.qd, c.qdd, c.M, c.A, c.external);
       }},
      {"forward_dynamics_derivatives", takes_q | takes_qd | takes_qdd | takes_conditions | divides,
       [](M m, W, C c) {
         return try_forward_dynamics_derivatives(m, c.derivatives, c.q, c.qd, c.qdd, c.M, c.A, c.B2,
                                                 c.external);
       },
       [](M m, W, C c) {
         forward_dynamics_derivatives(m, c.derivatives, c.q, c.qd, c.qdd, c.M, c.A, c.B2,
                                      c.external);
       }},
      {"regressor", of_state | takes_qd | takes_qdd,
       [](M m, W w, C c) { return try_regressor(m, w, c.q, c.qd, c.qdd, c.Y); },
       [](M m, W w, C c) { regressor(m, w, c.q, c.qd, c.qdd, c.Y); }},
      {"forward_kinematics", takes_q | takes_qd | takes_qdd,
       [](M m, W, C c) { return try_forward_kinematics(m, c.kinematics, c.q, c.qd, c.qdd); },
       [](M m, W, C c) { forward_kinematics(m, c.kinematics, c.q, c.qd, c.qdd); }},
      {"frame_pose", of_state | takes_frame,
       [](M m, W w, C c) { return try_frame_pose(m, w, c.q, c.frame, c.pose); },
       [](M m, W w, C c) { c.pose = frame_pose(m, w, c.q, c.frame); }},
      {"frame_pose_of_kinematics", takes_frame,
       [](M m, W, C c) { return try_frame_pose(m, c.kinematics, c.frame, c.pose); },
       [](M m, W, C c) { c.pose = frame_pose(m, c.kinematics, c.frame); }},
      {"frame_velocity", takes_frame,
       [](M m, W, C c) {
         return try_frame_velocity(m, c.kinematics, c.frame, Axes::local, c.twist);
       },
       [](M m, W, C c) { c.twist = frame_velocity(m, c.kinematics, c.frame, Axes::local); }},
      {"jacobian", of_state | takes_frame,
       [](M m, W w, C c) { return try_jacobian(m, w, c.q, c.frame, Axes::world, c.J); },
       [](M m, W w, C c) { jacobian(m, w, c.q, c.frame, Axes::world, c.J); }},
      {"jacobian_of_kinematics", takes_frame,
       [](M m, W, C c) { return try_jacobian(m, c.kinematics, c.frame, Axes::world, c.J); },
       [](M m, W, C c) { jacobian(m, c.kinematics, c.frame, Axes::world, c.J); }},
      {"jacobian_rate", of_state | takes_qd | takes_frame,
       [](M m, W w, C c) { return try_jacobian_rate(m, w, c.q, c.qd, c.frame, Axes::local, c.J); },
       [](M m, W w, C c) { jacobian_rate(m, w, c.q, c.qd, c.frame, Axes::local, c.J); }},
      {"jacobian_rate_of_kinematics", takes_frame,
       [](M m, W, C c) { return try_jacobian_rate(m, c.kinematics, c.frame, Axes::local, c.J); },
       [](M m, W, C c) { jacobian_rate(m, c.kinematics, c.frame, Axes::local, c.J); }},
      {"energy", of_state | takes_qd,
       [](M m, W w, C c) { return try_energy(m, w, c.q, c.qd, c.energy); },
       [](M m, W w, C c) { c.energy = energy(m, w, c.q, c.qd); }},
      {"momentum", of_state | takes_qd,
       [](M m, W w, C c) { return try_momentum(m, w, c.q, c.qd, c.momentum); },
       [](M m, W w, C c) { c.momentum = momentum(m, w, c.q, c.qd); }},
      {"center_of_mass_jacobian", of_state,
       [](M m, W w, C c) { return try_center_of_mass_jacobian(m, w, c.q, c.J3); },
       [](M m, W w, C c) { center_of_mass_jacobian(m, w, c.q, c.J3); }},
  };
}

class TryFunctions : public testing::TestWithParam<Function> {
 protected:
  Model model{test::RandomRobot(4).robot({.joints = 4})};
  Workspace workspace{model};

  static void expect(const Model& given, Workspace& memory, Call& call, Status expected) {
    call.external.wrenches = call.wrenches;
    const VectorXd before = call.outputs();
    counter::start();
    const Status status = GetParam().attempt(given, memory, call);
    const std::size_t allocations = counter::stop();
    EXPECT_EQ(status, expected) << to_string(status);
    if (counter::available()) {
      EXPECT_EQ(allocations, 0U);
    }
    if (status == Status::ok) return;
    EXPECT_EQ(call.outputs(), before) << "an output was written";
    // the same problem as an exception, with its message
    if (expected == Status::singular || expected == Status::not_computed) {
      EXPECT_THROW(GetParam().call(given, memory, call), StateError);
    } else {
      EXPECT_THROW(GetParam().call(given, memory, call), ArgumentError);
    }
  }
  bool takes(unsigned what) const { return (GetParam().takes & what) != 0; }
};

TEST_P(TryFunctions, AgreeWithTheThrowingOnes) {
  Call attempted(model), called(model);
  expect(model, workspace, attempted, Status::ok);
  called.external.wrenches = called.wrenches;
  GetParam().call(model, workspace, called);
  EXPECT_EQ(attempted.outputs(), called.outputs());
}

TEST_P(TryFunctions, ReportWrongSizesAndNumbersThatAreNotFinite) {
  const std::pair<unsigned, VectorXd Call::*> vectors[] = {
      {takes_q, &Call::q}, {takes_qd, &Call::qd}, {takes_qdd, &Call::qdd}};
  for (const auto& [bit, pointer] : vectors) {
    if (!takes(bit)) continue;
    VectorXd Call::*const member = pointer;
    Call call(model);
    (call.*member) = VectorXd::Zero(3);
    expect(model, workspace, call, Status::wrong_size);
    for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
      (call.*member) = VectorXd::Zero(4);
      (call.*member)[2] = bad;
      expect(model, workspace, call, Status::not_finite);
    }
  }
}

TEST_P(TryFunctions, ReportFramesAndConditionsThatCannotBeUsed) {
  if (takes(takes_frame)) {
    Call call(model);
    call.frame = 99;
    expect(model, workspace, call, Status::unknown_frame);
  }
  if (takes(takes_conditions)) {
    Call call(model);
    call.external.base.emplace().pose.rotation(0, 0) = 2.0;
    expect(model, workspace, call, Status::not_a_rotation);
    call.external.base.reset();
    call.wrenches[0].frame = 99;
    expect(model, workspace, call, Status::unknown_frame);
    call.wrenches[0].frame = 1;
    call.wrenches[0].wrench.force[1] = std::nan("");
    expect(model, workspace, call, Status::not_finite);
  }
}

TEST_P(TryFunctions, ReportMemoryOfAnotherModel) {
  const Model other(test::RandomRobot(5).robot({.joints = 7}));
  Workspace other_workspace(other);
  Call call(model);
  if (takes(takes_workspace)) {
    expect(model, other_workspace, call, Status::wrong_workspace);
  } else {
    expect(other, other_workspace, call, Status::wrong_workspace);
  }
}

TEST_P(TryFunctions, ReportSingularInertia) {
  if (!takes(divides)) return;
  // the last link has no mass
  test::RobotBuilder robot;
  const Eigen::Vector3d z = Eigen::Vector3d::UnitZ();
  robot.add(JointType::revolute, "first", "base", "arm", z, test::body(1.0, {1, 0, 0}, {1, 1, 1}));
  robot.add(JointType::revolute, "second", "arm", "hand", z, std::nullopt);
  const Model massless(robot);
  Workspace memory(massless);
  Call call(massless);
  expect(massless, memory, call, Status::singular);
  // a floating base at pitch = 90 degrees
  const Model floating(test::floating(test::RandomRobot(2).robot({.joints = 2})));
  Workspace floating_memory(floating);
  Call pitched(floating);
  pitched.q[static_cast<Eigen::Index>(floating.pitch_coordinates()[0])] =
      0.5 * 3.14159265358979323846;
  expect(floating, floating_memory, pitched, Status::singular);
}

INSTANTIATE_TEST_SUITE_P(All, TryFunctions, testing::ValuesIn(functions()),
                         [](const auto& function) { return function.param.name; });

TEST(Status, QueriesNeedTheirPass) {
  const Model model(test::RandomRobot(4).robot({.joints = 4}));
  Kinematics kinematics(model);
  InertiaFactor factor(model);
  Pose pose;
  Twist twist;
  MatrixXd M(4, 4);
  EXPECT_EQ(try_frame_pose(model, kinematics, 0, pose), Status::not_computed);
  EXPECT_EQ(try_inverse_inertia_matrix(model, factor, M), Status::not_computed);
  const VectorXd q = VectorXd::Zero(4);
  forward_kinematics(model, kinematics, q);
  EXPECT_EQ(try_frame_pose(model, kinematics, 0, pose), Status::ok);
  EXPECT_EQ(try_frame_velocity(model, kinematics, 0, Axes::local, twist), Status::not_computed);
  try {
    frame_velocity(model, kinematics, 0, Axes::local);
    FAIL() << "no velocities have been computed";
  } catch (const StateError& error) {
    EXPECT_THAT(error.what(),
                testing::HasSubstr("call forward_kinematics(model, kinematics, q, qd) first"));
  }
}

TEST(Status, DerivativesAndRegressorReportTheirOwnArguments) {
  const Model model(test::RandomRobot(4).robot({.joints = 4}));
  Call call(model);
  call.wrenches[0].axes = Axes::world;
  call.external.wrenches = call.wrenches;
  const VectorXd before = call.outputs();
  EXPECT_EQ(try_inverse_dynamics_derivatives(model, call.derivatives, call.q, call.qd, call.qdd,
                                             call.M, call.A, call.external),
            Status::wrong_axes);
  EXPECT_EQ(try_forward_dynamics_derivatives(model, call.derivatives, call.q, call.qd, call.qdd,
                                             call.M, call.A, call.B2, call.external),
            Status::wrong_axes);
  MatrixXd small(3, 4);
  EXPECT_EQ(try_inverse_dynamics_derivatives(model, call.derivatives, call.q, call.qd, call.qdd,
                                             call.M, small),
            Status::wrong_size);
  EXPECT_EQ(try_forward_dynamics_derivatives(model, call.derivatives, call.q, call.qd, call.qdd,
                                             call.M, call.A, small),
            Status::wrong_size);
  Workspace workspace(model);
  EXPECT_EQ(try_regressor(model, workspace, call.q, call.qd, call.qdd, small), Status::wrong_size);
  EXPECT_EQ(call.outputs(), before) << "an output was written";
}

TEST(Status, AnOverflowLeavesTheDerivativesUnwritten) {
  const Model model(test::RandomRobot(4).robot({.joints = 4}));
  Call call(model);
  call.qdd = VectorXd::Constant(4, 1e308);  // as torques: accelerations overflow
  call.qd.setConstant(1e160);
  const VectorXd before = call.outputs();
  EXPECT_EQ(try_forward_dynamics_derivatives(model, call.derivatives, call.q, call.qd, call.qdd,
                                             call.M, call.A, call.B2),
            Status::not_finite);
  EXPECT_EQ(call.outputs(), before) << "an output was written";
}

TEST(Status, HasWords) {
  EXPECT_EQ(to_string(Status::ok), "ok");
  EXPECT_EQ(to_string(Status::not_finite), "not finite");
  EXPECT_EQ(to_string(Status::singular), "singular inertia matrix");
}

using M = const Model&;
using W = Workspace&;
using K = Kinematics&;
using V = ConstVector;
using O = MutableVector;
static_assert(noexcept(try_inverse_dynamics(std::declval<M>(), std::declval<W>(), V(), V(), V(),
                                            O(), std::declval<const ExternalInputs&>())));
static_assert(noexcept(try_forward_dynamics(std::declval<M>(), std::declval<W>(), V(), V(), V(),
                                            O(), std::declval<const ExternalInputs&>())));
static_assert(noexcept(try_forward_kinematics(std::declval<M>(), std::declval<K>(), V(), V())));

}  // namespace
}  // namespace dynamics
