// SPDX-License-Identifier: Apache-2.0
// try_NAME for robots with flexible links: the status of every kind of failure, the same results as
// NAME, and neither an exception, an allocation nor a written output where there is no answer.

#include <gtest/gtest.h>

#include <functional>

#include "dynamics_core/flexible_links.hpp"
#include "flexible/sample_beams.hpp"
#include "support/compare.hpp"
#include "support/small_robots.hpp"
#include "support/status_functions.hpp"

namespace dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::idx;
using test::sentinel;

/// Arguments and outputs of all functions.
struct Call {
  explicit Call(const FlexibleModel& model)
      : n(idx(model.size())), joints(idx(model.joint_count())) {}

  Eigen::Index n, joints;
  VectorXd q = VectorXd::LinSpaced(n, 0.01, 0.02), qd = 3.0 * q, qdd = 20.0 * q;
  VectorXd tau = VectorXd::LinSpaced(joints, 1.0, 2.0);
  std::size_t frame = 1;
  std::vector<LinkWrench> wrenches = {{1, {{1, 2, 3}, {4, 5, 6}}, Axes::local}};

  VectorXd out = VectorXd::Constant(n, sentinel), torques = VectorXd::Constant(joints, sentinel),
           rest = VectorXd::Constant(n - joints, sentinel);
  MatrixXd M = MatrixXd::Constant(n, n, sentinel), D = M;
  Pose pose{Eigen::Matrix3d::Constant(sentinel), Eigen::Vector3d::Constant(sentinel)};
  Eigen::Vector3d center = Eigen::Vector3d::Constant(sentinel);
  FlexibleEnergy energy{sentinel, sentinel, sentinel};
  FlexiblePower power{sentinel, sentinel, sentinel};

  /// All outputs in a row.
  VectorXd outputs() const {
    VectorXd all(2 * n + 2 * n * n + 15 + 6);
    all << out, torques, rest, M.reshaped(), D.reshaped(), pose.rotation.reshaped(),
        pose.translation, center, energy.kinetic, energy.potential, energy.strain, power.actuators,
        power.friction, power.damping;
    return all;
  }
};

enum Takes : unsigned {
  takes_q = 1U,
  takes_qd = 2U,
  takes_qdd = 4U,
  takes_tau = 8U,
  takes_frame = 16U,
  divides = 32U,  ///< by M
  takes_wrenches = 64U,
};

using Function = test::StatusFunction<FlexibleModel, FlexibleWorkspace, Call>;

std::vector<Function> functions() {
  using M = const FlexibleModel&;
  using W = FlexibleWorkspace&;
  using C = Call&;
  return {
      {"forward_dynamics", takes_q | takes_qd | takes_tau | divides,
       [](M m, W w, C c) { return try_forward_dynamics(m, w, c.q, c.qd, c.tau, c.out); },
       [](M m, W w, C c) { forward_dynamics(m, w, c.q, c.qd, c.tau, c.out); }},
      {"forward_dynamics_of_all_forces", takes_q | takes_qd | takes_qdd | divides,
       [](M m, W w, C c) { return try_forward_dynamics(m, w, c.q, c.qd, c.qdd, c.out); },
       [](M m, W w, C c) { forward_dynamics(m, w, c.q, c.qd, c.qdd, c.out); }},
      {"forward_dynamics_cholesky", takes_q | takes_qd | takes_tau | divides,
       [](M m, W w, C c) { return try_forward_dynamics_cholesky(m, w, c.q, c.qd, c.tau, c.out); },
       [](M m, W w, C c) { forward_dynamics_cholesky(m, w, c.q, c.qd, c.tau, c.out); }},
      {"joint_torques", takes_q | takes_qd | takes_tau,
       [](M m, W w, C c) { return try_joint_torques(m, w, c.q, c.qd, c.tau, c.torques, c.rest); },
       [](M m, W w, C c) { joint_torques(m, w, c.q, c.qd, c.tau, c.torques, c.rest); }},
      {"inverse_dynamics", takes_q | takes_qd | takes_qdd,
       [](M m, W w, C c) { return try_inverse_dynamics(m, w, c.q, c.qd, c.qdd, c.out); },
       [](M m, W w, C c) { inverse_dynamics(m, w, c.q, c.qd, c.qdd, c.out); }},
      {"bias_forces", takes_q | takes_qd,
       [](M m, W w, C c) { return try_bias_forces(m, w, c.q, c.qd, c.out); },
       [](M m, W w, C c) { bias_forces(m, w, c.q, c.qd, c.out); }},
      {"static_forces", takes_q, [](M m, W w, C c) { return try_static_forces(m, w, c.q, c.out); },
       [](M m, W w, C c) { static_forces(m, w, c.q, c.out); }},
      {"wrenches_to_joint_torques", takes_q | takes_wrenches,
       [](M m, W w, C c) { return try_wrenches_to_joint_torques(m, w, c.q, c.wrenches, c.out); },
       [](M m, W w, C c) { wrenches_to_joint_torques(m, w, c.q, c.wrenches, c.out); }},
      {"inertia_matrix", takes_q, [](M m, W w, C c) { return try_inertia_matrix(m, w, c.q, c.M); },
       [](M m, W w, C c) { inertia_matrix(m, w, c.q, c.M); }},
      {"udut", takes_q | divides, [](M m, W w, C c) { return try_udut(m, w, c.q, c.M, c.D); },
       [](M m, W w, C c) { udut(m, w, c.q, c.M, c.D); }},
      {"energy", takes_q | takes_qd,
       [](M m, W w, C c) { return try_energy(m, w, c.q, c.qd, c.energy); },
       [](M m, W w, C c) { c.energy = energy(m, w, c.q, c.qd); }},
      {"power", takes_qd | takes_tau,
       [](M m, W w, C c) { return try_power(m, w, c.qd, c.tau, c.power); },
       [](M m, W w, C c) { c.power = power(m, w, c.qd, c.tau); }},
      {"frame_pose", takes_q | takes_frame,
       [](M m, W w, C c) { return try_frame_pose(m, w, c.q, c.frame, c.pose); },
       [](M m, W w, C c) { c.pose = frame_pose(m, w, c.q, c.frame); }},
      {"center_of_mass", takes_q,
       [](M m, W w, C c) { return try_center_of_mass(m, w, c.q, c.center); },
       [](M m, W w, C c) { c.center = center_of_mass(m, w, c.q); }},
  };
}

class TryFlexibleFunctions : public testing::TestWithParam<Function> {
 protected:
  static const FlexibleModel& tree() {
    static const FlexibleModel built((Model(test::mixed_tree(true))));
    return built;
  }
  const FlexibleModel& model = tree();
  FlexibleWorkspace workspace{model};

  void expect(Call& call, Status expected) { GetParam().expect(model, workspace, call, expected); }
  bool takes(unsigned what) const { return (GetParam().takes & what) != 0; }
};

TEST_P(TryFlexibleFunctions, AgreeWithTheThrowingOnes) {
  Call attempted(model), called(model);
  expect(attempted, Status::ok);
  GetParam().call(model, workspace, called);
  EXPECT_EQ(attempted.outputs(), called.outputs());
}

TEST_P(TryFlexibleFunctions, ReportWrongSizesAndNumbersThatAreNotFinite) {
  const std::pair<unsigned, VectorXd Call::*> vectors[] = {
      {takes_q, &Call::q}, {takes_qd, &Call::qd}, {takes_qdd, &Call::qdd}, {takes_tau, &Call::tau}};
  const Call good(model);
  for (const auto& [bit, member] : vectors) {
    if (takes(bit)) GetParam().expect_bad_vector(model, workspace, good, member);
  }
}

TEST_P(TryFlexibleFunctions, ReportOutputsOfTheWrongSize) {
  Call call(model);
  call.out = call.out.head(call.n - 1).eval();
  call.torques = call.torques.head(call.joints - 1).eval();
  call.M = call.M.topRows(call.n - 1).eval();
  const std::string name = GetParam().name;
  if (name == "energy" || name == "power" || name == "frame_pose" || name == "center_of_mass") {
    return;  // outputs of a fixed size
  }
  EXPECT_EQ(GetParam().attempt(model, workspace, call), Status::wrong_size);
  EXPECT_THROW(GetParam().call(model, workspace, call), ArgumentError);
}

TEST_P(TryFlexibleFunctions, ReportUnknownFrames) {
  if (!takes(takes_frame)) return;
  Call call(model);
  call.frame = 99;
  expect(call, Status::unknown_frame);
}

TEST_P(TryFlexibleFunctions, ReportBadWrenches) {
  if (!takes(takes_wrenches)) return;
  Call call(model);
  call.wrenches[0].frame = 99;
  expect(call, Status::unknown_frame);
  call.wrenches[0].frame = 1;
  call.wrenches[0].wrench.moment.y() = std::nan("");
  expect(call, Status::not_finite);
}

TEST_P(TryFlexibleFunctions, ReportMemoryOfAnotherModel) {
  static const FlexibleModel other(test::canadarm());
  FlexibleWorkspace memory(other);
  Call call(model);
  GetParam().expect(model, memory, call, Status::wrong_workspace);
}

TEST_P(TryFlexibleFunctions, ReportSingularInertia) {
  if (!takes(divides)) return;
  // the last link has no mass: at the end of a rigid robot, and of a beam
  for (const bool flexible : {false, true}) {
    test::RobotBuilder robot;
    const Eigen::Vector3d z = Eigen::Vector3d::UnitZ();
    robot.add(JointType::revolute, "first", "base", "arm", z,
              test::body(1.0, {1, 0, 0}, {1, 1, 1}));
    robot.add(JointType::revolute, "second", "arm", "hand", z, std::nullopt);
    if (flexible) test::make_flexible(robot.robot().links[1], test::beam(1.0, 2.0, 50.0, 2));
    const FlexibleModel massless((Model(robot)));
    ASSERT_EQ(massless.amplitude_count() > 0, flexible);
    FlexibleWorkspace memory(massless);
    Call call(massless);
    GetParam().expect(massless, memory, call, Status::singular);
  }
}

INSTANTIATE_TEST_SUITE_P(All, TryFlexibleFunctions, testing::ValuesIn(functions()),
                         [](const auto& function) { return function.param.name; });

TEST(FlexibleStatus, OutputsMayReplaceInputsButNotEachOther) {
  const FlexibleModel model(Model(test::mixed_tree(true)));
  FlexibleWorkspace workspace(model);
  const Call call(model);
  const auto replaced = [&](const VectorXd& input, const auto& function) {
    VectorXd expected = VectorXd::Zero(call.n), both = input;
    function(input, expected);
    function(both, both);
    EXPECT_EQ(both, expected);
  };
  replaced(call.q, [&](ConstVector q, MutableVector out) {
    forward_dynamics(model, workspace, q, call.qd, call.tau, out);
  });
  replaced(call.q, [&](ConstVector q, MutableVector out) {
    forward_dynamics_cholesky(model, workspace, q, call.qd, call.tau, out);
  });
  replaced(call.qdd, [&](ConstVector qdd, MutableVector out) {
    inverse_dynamics(model, workspace, call.q, call.qd, qdd, out);
  });
  replaced(call.qd, [&](ConstVector qd, MutableVector out) {
    bias_forces(model, workspace, call.q, qd, out);
  });
  replaced(call.q,
           [&](ConstVector q, MutableVector out) { static_forces(model, workspace, q, out); });
  replaced(call.q, [&](ConstVector q, MutableVector out) {
    wrenches_to_joint_torques(model, workspace, q, call.wrenches, out);
  });
  MatrixXd expected(call.n, call.n), M(call.n, call.n), D(call.n, call.n);
  inertia_matrix(model, workspace, call.q, expected);
  M.col(1) = call.q;
  inertia_matrix(model, workspace, M.col(1), M);
  EXPECT_EQ(M, expected);
  udut(model, workspace, call.q, expected, D);
  M.col(0) = call.q;
  udut(model, workspace, M.col(0), M, D);
  EXPECT_EQ(M, expected);

  // forces on the amplitudes: none, or one each
  VectorXd tau = call.tau, rest = call.rest, forces = call.rest;
  EXPECT_EQ(try_joint_torques(model, workspace, call.q, call.qd, call.tau, tau, rest, true,
                              forces.head(1)),
            Status::wrong_size);
  EXPECT_EQ(tau, call.tau);
  EXPECT_EQ(try_joint_torques(model, workspace, call.q, call.qd, call.tau, tau, rest, true, forces),
            Status::ok);

  EXPECT_EQ(try_udut(model, workspace, call.q, M, M), Status::shared_memory);
  VectorXd shared = VectorXd::Constant(call.n, sentinel);
  EXPECT_EQ(try_joint_torques(model, workspace, call.q, call.qd, call.tau, shared.head(call.joints),
                              shared.head(call.n - call.joints)),
            Status::shared_memory);
  EXPECT_EQ(shared, VectorXd::Constant(call.n, sentinel));
}

using M = const FlexibleModel&;
using W = FlexibleWorkspace&;
using V = ConstVector;
using O = MutableVector;
static_assert(noexcept(try_forward_dynamics(std::declval<M>(), std::declval<W>(), V(), V(), V(),
                                            O())));
static_assert(noexcept(try_inverse_dynamics(std::declval<M>(), std::declval<W>(), V(), V(), V(),
                                            O())));
static_assert(noexcept(try_joint_torques(std::declval<M>(), std::declval<W>(), V(), V(), V(), O(),
                                         O())));

}  // namespace
}  // namespace dynamics
