// SPDX-License-Identifier: Apache-2.0
// Every kind of vector expression as every argument of the functions for one state: the result is
// that of a copy, or the error names the argument; what the type shows to be wrong does not
// compile.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "dynamics_core/derivatives.hpp"
#include "dynamics_core/energy.hpp"
#include "dynamics_core/formulations.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/plant.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/regressor.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "dynamics_core/view.hpp"
#include "papers/formulations/denoc.hpp"
#include "papers/wide/wide_simulate.hpp"
#include "support/vector_kinds.hpp"

namespace dynamics {
namespace {

using Eigen::Dynamic;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Dynamic, Dynamic, Eigen::RowMajor>;
using AnyStride = Eigen::Stride<Dynamic, Dynamic>;
using test::check_every_kind;
using test::VectorFunction;
using testing::StartsWith;

// ---- by type

template <class E>
constexpr bool reads = std::is_convertible_v<E, ConstVector>;
template <class E>
constexpr bool writes = std::is_convertible_v<E, MutableVector>;

static_assert(reads<std::vector<double>&> && writes<std::vector<double>&>);
static_assert(reads<const std::vector<double>&> && !writes<const std::vector<double>&>);
static_assert(reads<std::array<double, 6>&> && writes<std::array<double, 6>&>);
static_assert(reads<std::span<double>> && writes<std::span<double>>);
static_assert(reads<std::span<const double>> && !writes<std::span<const double>>);
static_assert(reads<VectorXd&> && writes<VectorXd&> && reads<RowVectorXd&> && writes<RowVectorXd&>);
static_assert(reads<MatrixXd&> && writes<MatrixXd&>);  // n x 1, checked by the call
static_assert(reads<Eigen::Map<const VectorXd>> && !writes<Eigen::Map<const VectorXd>>);
static_assert(writes<Eigen::Map<VectorXd>> && writes<Eigen::Ref<VectorXd>>);
static_assert(reads<MutableVector> && !writes<ConstVector>);

// temporaries that own their numbers: for reading only
static_assert(reads<VectorXd> && !writes<VectorXd>);
static_assert(reads<std::vector<double>> && !writes<std::vector<double>>);
static_assert(reads<std::array<double, 6>> && !writes<std::array<double, 6>>);
static_assert(reads<Eigen::Vector3d> && !writes<Eigen::Vector3d>);
static_assert(reads<const VectorXd> && !writes<const VectorXd>);

// expressions without storage
static_assert(!reads<decltype(VectorXd() + VectorXd())> && !reads<decltype(VectorXd::Zero(6))>);
static_assert(!reads<decltype(2.0 * VectorXd())> && !reads<decltype(MatrixXd() * VectorXd())>);
static_assert(!reads<decltype(VectorXd().reverse())> && !reads<decltype(-VectorXd())>);
static_assert(!reads<decltype(VectorXd().cast<float>())>);

// a stride or a shape in the type
static_assert(!reads<Eigen::Map<VectorXd, 0, Eigen::InnerStride<2>>>);
static_assert(!writes<Eigen::Map<VectorXd, 0, Eigen::InnerStride<2>>>);
static_assert(!reads<decltype(Eigen::VectorXcd().real())>);
static_assert(!reads<Eigen::Matrix3d&> && !writes<Eigen::Matrix3d&>);
static_assert(reads<Eigen::Map<VectorXd, 0, Eigen::InnerStride<1>>>);

// other scalars, single numbers, null pointers
static_assert(!reads<Eigen::VectorXf&> && !reads<std::vector<float>&> && !reads<double>);
static_assert(!std::is_constructible_v<ConstVector, int, int>);
template <class Number>
concept ZeroIsAnAddress = requires(void (*f)(ConstVector), Number n) {
  f({0, n});
};
static_assert(!ZeroIsAnAddress<std::size_t> && !ZeroIsAnAddress<double>);
static_assert(sizeof(ConstVector) == 2 * sizeof(void*));  // passed in registers

// outputs that are matrices: column-major, blocks of larger ones, no temporaries
template <class M>
concept MatrixOutput = requires(const Model& model, Workspace& workspace, M&& matrix) {
  inertia_matrix(model, workspace, VectorXd(6), std::forward<M>(matrix));
  jacobian(model, workspace, VectorXd(6), 0, Axes::local, std::forward<M>(matrix));
};
static_assert(MatrixOutput<MatrixXd&> && MatrixOutput<Eigen::Block<MatrixXd>>);
static_assert(MatrixOutput<Eigen::Map<MatrixXd, 0, Eigen::OuterStride<>>>);
static_assert(!MatrixOutput<MatrixXd> && !MatrixOutput<const MatrixXd&>);
static_assert(!MatrixOutput<RowMajor&> && !MatrixOutput<decltype(MatrixXd().transpose())>);
static_assert(!MatrixOutput<Eigen::Map<MatrixXd, 0, AnyStride>>);
static_assert(!MatrixOutput<Eigen::MatrixXf&> && !MatrixOutput<decltype(MatrixXd() + MatrixXd())>);

// ---- by value

class VectorArguments : public testing::Test {
 protected:
  using V = ConstVector;
  using O = MutableVector;
  static VectorXd one(double value) { return VectorXd::Constant(1, value); }

  std::vector<VectorFunction> rigid() {
    const char* const none = nullptr;
    return {
        {"inverse_dynamics",
         {"q", "qd", "qdd"},
         "tau",
         [this](V q, V qd, V u, O out) {
           inverse_dynamics(model, workspace, q, qd, u, out);
           return VectorXd();
         }},
        {"inverse_dynamics with wrenches",
         {"q", "qd", "qdd"},
         "tau",
         [this](V q, V qd, V u, O out) {
           std::vector<Wrench> wrenches(6);
           inverse_dynamics(model, workspace, q, qd, u, out, wrenches);
           return VectorXd(wrenches[0].moment);
         }},
        {"gravity_forces",
         {"q", none, none},
         "g",
         [this](V q, V, V, O out) {
           gravity_forces(model, workspace, q, out);
           return VectorXd();
         }},
        {"bias_forces",
         {"q", "qd", none},
         "bias",
         [this](V q, V qd, V, O out) {
           bias_forces(model, workspace, q, qd, out);
           return VectorXd();
         }},
        {"wrenches_to_joint_torques",
         {"q", none, none},
         "tau",
         [this](V q, V, V, O out) {
           wrenches_to_joint_torques(model, workspace, q, push, out);
           return VectorXd();
         }},
        {"friction_forces",
         {none, "qd", none},
         "tau",
         [this](V, V qd, V, O out) {
           friction_forces(model, workspace, qd, out);
           return VectorXd();
         }},
        {"forward_dynamics",
         {"q", "qd", "tau"},
         "qdd",
         [this](V q, V qd, V u, O out) {
           forward_dynamics(model, workspace, q, qd, u, out);
           return VectorXd();
         }},
        {"inertia_matrix",
         {"q", none, none},
         none,
         [this](V q, V, V, O) {
           inertia_matrix(model, workspace, q, A);
           return VectorXd(A.reshaped());
         }},
        {"coriolis_matrix",
         {"q", "qd", none},
         none,
         [this](V q, V qd, V, O) {
           coriolis_matrix(model, workspace, q, qd, A);
           return VectorXd(A.reshaped());
         }},
        {"udut",
         {"q", none, none},
         "d",
         [this](V q, V, V, O out) {
           udut(model, workspace, q, A, out);
           return VectorXd(A.reshaped());
         }},
        {"solve_inertia",
         {"q", none, "phi"},
         "x",
         [this](V q, V, V u, O out) {
           solve_inertia(model, workspace, q, u, out);
           return VectorXd();
         }},
        {"inverse_inertia_matrix",
         {"q", none, none},
         none,
         [this](V q, V, V, O) {
           inverse_inertia_matrix(model, workspace, q, A);
           return VectorXd(A.reshaped());
         }},
        {"articulated_bodies",
         {"q", none, none},
         none,
         [this](V q, V, V, O) {
           std::vector<ArticulatedBody> bodies(6);
           articulated_bodies(model, workspace, q, bodies);
           return one(bodies[0].pivot);
         }},
        {"frame_pose",
         {"q", none, none},
         none,
         [this](V q, V, V, O) {
           return VectorXd(frame_pose(model, workspace, q, model.end_effector()).translation);
         }},
        {"frame_poses",
         {"q", none, none},
         none,
         [this](V q, V, V, O) {
           std::vector<Pose> poses(model.frames().size());
           frame_poses(model, workspace, q, poses);
           return VectorXd(poses.back().translation);
         }},
        {"frame_motion",
         {"q", "qd", "qdd"},
         none,
         [this](V q, V qd, V u, O) {
           const auto frame = model.end_effector();
           return VectorXd(
               frame_motion(model, workspace, q, qd, u, frame, Axes::world).acceleration.linear);
         }},
        {"jacobian",
         {"q", none, none},
         none,
         [this](V q, V, V, O) {
           jacobian(model, workspace, q, model.end_effector(), Axes::local, A);
           return VectorXd(A.reshaped());
         }},
        {"jacobian_rate",
         {"q", "qd", none},
         none,
         [this](V q, V qd, V, O) {
           jacobian_rate(model, workspace, q, qd, model.end_effector(), Axes::local, A);
           return VectorXd(A.reshaped());
         }},
        {"energy",
         {"q", "qd", none},
         none,
         [this](V q, V qd, V, O) { return one(energy(model, workspace, q, qd).total()); }},
        {"momentum",
         {"q", "qd", none},
         none,
         [this](V q, V qd, V, O) { return VectorXd(momentum(model, workspace, q, qd).angular); }},
        {"power",
         {none, "qd", "tau"},
         none,
         [this](V, V qd, V u, O) { return one(power(model, workspace, qd, u).actuators); }},
        {"regressor",
         {"q", "qd", "qdd"},
         none,
         [this](V q, V qd, V u, O) { return VectorXd(regressor(model, q, qd, u).reshaped()); }},
        {"inverse_dynamics_derivatives",
         {"q", "qd", "qdd"},
         none,
         [this](V q, V qd, V u, O) {
           inverse_dynamics_derivatives(model, derivative, q, qd, u, A, B);
           return VectorXd(B.reshaped());
         }},
        {"forward_dynamics_derivatives",
         {"q", "qd", "tau"},
         none,
         [this](V q, V qd, V u, O) {
           forward_dynamics_derivatives(model, derivative, q, qd, u, A, B, C);
           return VectorXd(A.reshaped());
         }},
        {"formulations::inverse_dynamics",
         {"q", "qd", "qdd"},
         none,
         [this](V q, V qd, V u, O) {
           return formulations::inverse_dynamics(formulations::find("newton-euler"), model, q, qd,
                                                 u);
         }},
        {"formulations::forward_dynamics",
         {"q", "qd", "tau"},
         none,
         [this](V q, V qd, V u, O) {
           return formulations::forward_dynamics(formulations::find("walker-orin"), model, q, qd,
                                                 u);
         }},
        {"denoc_matrices",
         {"q", "qd", none},
         none,
         [this](V q, V qd, V, O) {
           formulations::denoc_matrices(model, q, qd);
           return VectorXd();
         }},
        {"Plant::accelerations",
         {"q", "qd", "tau"},
         "qdd",
         [this](V q, V qd, V u, O out) {
           rigid_plant(model)->accelerations(0.0, q, qd, u, out);
           return VectorXd();
         }},
    };
  }

  Model model = model_from_dh(built_in_robot("puma"));
  Workspace workspace{model};
  DerivativeWorkspace derivative{model};
  std::vector<LinkWrench> push = {{model.end_effector(), {{1, 2, 3}, {4, 5, 6}}, Axes::local}};
  MatrixXd A{6, 6}, B{6, 6}, C{6, 6};
};

TEST_F(VectorArguments, OfRigidRobotsAreReadInPlaceOrNamed) {
  for (const VectorFunction& function : rigid()) check_every_kind(function, 6);
}

TEST_F(VectorArguments, ARejectedVectorIsNoVectorOfZeroEntries) {
  MatrixXd columns = MatrixXd::Zero(3, 6);
  const ConstVector row(columns.row(1));
  EXPECT_EQ(row.size(), 0U);
  EXPECT_EQ(row.begin(), row.end());
  EXPECT_FALSE(row.checked_size() == 0);
  EXPECT_TRUE(ConstVector().checked_size() == 0);
  const MatrixXd single_row = MatrixXd::Zero(1, 6);
  EXPECT_EQ(ConstVector(single_row.row(0)).size(), 6U) << "side by side after all";
}

TEST_F(VectorArguments, WideEquationsNameTheArgument) {
  const auto equations = wide_rigid_equations(model);
  std::vector<DoubleDouble> six(6), five(5);
  try {
    equations->accelerations(DoubleDouble(0.0), six, five, six, six);
    ADD_FAILURE() << "accepted";
  } catch (const ArgumentError& error) {
    EXPECT_THAT(error.what(), StartsWith("qd has 5 entries; 6 are needed"));
  }
}

/// A matrix output within a larger matrix: only its entries are written.
TEST_F(VectorArguments, MatrixOutputsMayBeBlocks) {
  const VectorXd q = VectorXd::LinSpaced(6, 0.1, 0.3), qd = -q, u = 2.0 * q;
  VectorXd d(6);
  const std::function<void(Eigen::Ref<MatrixXd>)> calls[] = {
      [&](Eigen::Ref<MatrixXd> m) { inertia_matrix(model, workspace, q, m); },
      [&](Eigen::Ref<MatrixXd> m) { coriolis_matrix(model, workspace, q, qd, m); },
      [&](Eigen::Ref<MatrixXd> m) { inverse_inertia_matrix(model, workspace, q, m); },
      [&](Eigen::Ref<MatrixXd> m) { udut(model, workspace, q, m, d); },
      [&](Eigen::Ref<MatrixXd> m) {
        jacobian(model, workspace, q, model.end_effector(), Axes::world, m);
      },
      [&](Eigen::Ref<MatrixXd> m) {
        jacobian_rate(model, workspace, q, qd, model.end_effector(), Axes::world, m);
      },
      [&](Eigen::Ref<MatrixXd> m) {
        inverse_dynamics_derivatives(model, derivative, q, qd, u, m, B);
      },
      [&](Eigen::Ref<MatrixXd> m) {
        inverse_dynamics_derivatives(model, derivative, q, qd, u, B, m);
      },
      [&](Eigen::Ref<MatrixXd> m) {
        forward_dynamics_derivatives(model, derivative, q, qd, u, m, B, C);
      },
      [&](Eigen::Ref<MatrixXd> m) {
        forward_dynamics_derivatives(model, derivative, q, qd, u, B, m, C);
      },
      [&](Eigen::Ref<MatrixXd> m) {
        forward_dynamics_derivatives(model, derivative, q, qd, u, B, C, m);
      },
  };
  for (std::size_t i = 0; i < std::size(calls); ++i) {
    MatrixXd alone(6, 6), large = MatrixXd::Zero(11, 9);
    calls[i](alone);
    calls[i](large.block(3, 2, 6, 6));
    EXPECT_EQ(large.block(3, 2, 6, 6), alone) << i;
    large.block(3, 2, 6, 6).setZero();
    EXPECT_TRUE(large.isZero(0.0)) << i;
  }
}

}  // namespace
}  // namespace dynamics
