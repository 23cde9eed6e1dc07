// SPDX-License-Identifier: Apache-2.0
// try_NAME: the status of every kind of failure, the same answers as NAME, and neither an
// exception, an allocation nor a written output where there is no answer.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dynamics_core/derivatives.hpp"
#include "dynamics_core/energy.hpp"
#include "dynamics_core/error.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/regressor.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "support/random_robot.hpp"
#include "support/small_robots.hpp"
#include "support/status_functions.hpp"

namespace dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test::sentinel;

/// Arguments and outputs of all functions.
struct Call {
  explicit Call(const Model& model)
      : n(static_cast<Eigen::Index>(model.size())),
        kinematics(model),
        factor(model),
        derivatives(model),
        Y(MatrixXd::Constant(n, static_cast<Eigen::Index>(parameter_count(model)), sentinel)),
        poses(model.frames().size(), pose),
        bodies(model.body_count(), body) {
    forward_kinematics(model, kinematics, q, qd, qdd);
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
  Vector3d point = Vector3d::Constant(sentinel);
  Twist twist{point, point};
  Pose pose{Eigen::Matrix3d::Constant(sentinel), point};
  FrameMotion motion{pose, twist, twist};
  Energy energy{sentinel, sentinel};
  Power power{sentinel, sentinel};
  Momentum momentum{sentinel, point, point, point, point};
  ArticulatedBody body{decltype(ArticulatedBody::inertia)::Constant(sentinel),
                       decltype(ArticulatedBody::psi)::Constant(sentinel), sentinel};
  std::vector<Pose> poses;
  std::vector<ArticulatedBody> bodies;

  /// All outputs in a row.
  VectorXd outputs() const {
    std::vector<double> all = {energy.kinetic, energy.potential, power.actuators, power.friction,
                               momentum.mass};
    const auto add = [&](const auto& matrix) {
      for (const double x : matrix.reshaped()) all.push_back(x);
    };
    for (const VectorXd& vector : {out, d}) add(vector);
    for (const MatrixXd& matrix : {M, A, B2, Y, J, J3, X}) add(matrix);
    for (const Twist& one : {twist, motion.velocity, motion.acceleration}) {
      add(one.angular);
      add(one.linear);
    }
    for (const Vector3d& vector :
         {point, momentum.center, momentum.center_velocity, momentum.linear, momentum.angular}) {
      add(vector);
    }
    for (const Pose& one : poses) add(one.translation);
    for (const Pose& one : {pose, motion.pose}) {
      add(one.rotation);
      add(one.translation);
    }
    for (const ArticulatedBody& one : bodies) {
      add(one.inertia);
      add(one.psi);
      all.push_back(one.pivot);
    }
    return Eigen::Map<const VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
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

using Function = test::StatusFunction<Model, Workspace, Call>;

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
       [](M m, W, C c) {
         const Status status = try_decompose_inertia(m, c.factor, c.q);
         return status == Status::ok ? try_inverse_inertia_matrix(m, c.factor, c.M) : status;
       },
       [](M m, W, C c) {
         decompose_inertia(m, c.factor, c.q);
         inverse_inertia_matrix(m, c.factor, c.M);
       }},
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
       [](M m, W, C c) {
         const Status status = try_forward_kinematics(m, c.kinematics, c.q, c.qd, c.qdd);
         return status == Status::ok ? try_frame_motion(m, c.kinematics, 1, Axes::local, c.motion)
                                     : status;
       },
       [](M m, W, C c) {
         forward_kinematics(m, c.kinematics, c.q, c.qd, c.qdd);
         c.motion = frame_motion(m, c.kinematics, 1, Axes::local);
       }},
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
      {"frame_poses", of_state, [](M m, W w, C c) { return try_frame_poses(m, w, c.q, c.poses); },
       [](M m, W w, C c) { frame_poses(m, w, c.q, c.poses); }},
      {"frame_motion", of_state | takes_qd | takes_qdd | takes_frame,
       [](M m, W w, C c) {
         return try_frame_motion(m, w, c.q, c.qd, c.qdd, c.frame, Axes::world, c.motion);
       },
       [](M m, W w, C c) {
         c.motion = frame_motion(m, w, c.q, c.qd, c.qdd, c.frame, Axes::world);
       }},
      {"frame_motion_of_kinematics", takes_frame,
       [](M m, W, C c) {
         return try_frame_motion(m, c.kinematics, c.frame, Axes::local, c.motion);
       },
       [](M m, W, C c) { c.motion = frame_motion(m, c.kinematics, c.frame, Axes::local); }},
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
      {"momentum_of_kinematics", 0,
       [](M m, W, C c) { return try_momentum(m, c.kinematics, c.momentum); },
       [](M m, W, C c) { c.momentum = momentum(m, c.kinematics); }},
      {"center_of_mass", 0,
       [](M m, W, C c) { return try_center_of_mass(m, c.kinematics, c.point); },
       [](M m, W, C c) { c.point = center_of_mass(m, c.kinematics); }},
      {"center_of_mass_velocity", 0,
       [](M m, W, C c) { return try_center_of_mass_velocity(m, c.kinematics, c.point); },
       [](M m, W, C c) { c.point = center_of_mass_velocity(m, c.kinematics); }},
      {"center_of_mass_jacobian_of_kinematics", 0,
       [](M m, W, C c) { return try_center_of_mass_jacobian(m, c.kinematics, c.J3); },
       [](M m, W, C c) { center_of_mass_jacobian(m, c.kinematics, c.J3); }},
      {"power", takes_workspace | takes_qd | takes_qdd,
       [](M m, W w, C c) { return try_power(m, w, c.qd, c.qdd, c.power); },
       [](M m, W w, C c) { c.power = power(m, w, c.qd, c.qdd); }},
      {"articulated_bodies", of_state | divides,
       [](M m, W w, C c) { return try_articulated_bodies(m, w, c.q, c.bodies); },
       [](M m, W w, C c) { articulated_bodies(m, w, c.q, c.bodies); }},
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
    GetParam().expect(given, memory, call, expected);
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
  const Call good(model);
  for (const auto& [bit, member] : vectors) {
    if (takes(bit)) GetParam().expect_bad_vector(model, workspace, good, member);
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
