// SPDX-License-Identifier: Apache-2.0
// All kinds of vector expressions as arguments of the functions for flexible robots.

#include <gtest/gtest.h>

#include "dynamics_core/dh_table.hpp"
#include "dynamics_core/flexible_dynamics.hpp"
#include "support/vector_kinds.hpp"

namespace dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::idx;
using test::VectorFunction;

class FlexibleArguments : public testing::Test {
 protected:
  using V = ConstVector;
  using O = MutableVector;
  static VectorXd one(double value) { return VectorXd::Constant(1, value); }

  std::vector<VectorFunction> functions() {
    const char* const none = nullptr;
    return {
        {"inverse_dynamics",
         {"q", "qd", "qdd"},
         "forces",
         [this](V q, V qd, V u, O out) {
           inverse_dynamics(beams, beam_workspace, q, qd, u, out);
           return VectorXd();
         }},
        {"forward_dynamics",
         {"q", "qd", "tau"},
         "qdd",
         [this](V q, V qd, V u, O out) {
           forward_dynamics(beams, beam_workspace, q, qd, u, out);
           return VectorXd();
         }},
        {"forward_dynamics_cholesky",
         {"q", "qd", "tau"},
         "qdd",
         [this](V q, V qd, V u, O out) {
           forward_dynamics_cholesky(beams, beam_workspace, q, qd, u, out);
           return VectorXd();
         }},
        {"joint_torques",
         {"q", "qd", none},
         none,
         [this](V q, V qd, V, O) {
           VectorXd tau(idx(beams.joint_count())), rest(idx(beams.amplitude_count()));
           joint_torques(beams, beam_workspace, q, qd, tau.setOnes(), tau, rest);
           return tau;
         }},
        {"bias_forces",
         {"q", "qd", none},
         "bias",
         [this](V q, V qd, V, O out) {
           bias_forces(beams, beam_workspace, q, qd, out);
           return VectorXd();
         }},
        {"static_forces",
         {"q", none, none},
         "forces",
         [this](V q, V, V, O out) {
           static_forces(beams, beam_workspace, q, out);
           return VectorXd();
         }},
        {"inertia_matrix",
         {"q", none, none},
         none,
         [this](V q, V, V, O) {
           MatrixXd M(idx(beams.size()), idx(beams.size()));
           inertia_matrix(beams, beam_workspace, q, M);
           return VectorXd(M.reshaped());
         }},
        {"energy",
         {"q", "qd", none},
         none,
         [this](V q, V qd, V, O) { return one(energy(beams, beam_workspace, q, qd).total()); }},
        {"power",
         {none, "qd", none},
         none,
         [this](V, V qd, V, O) {
           const VectorXd tau = VectorXd::Ones(idx(beams.joint_count()));
           return one(power(beams, beam_workspace, qd, tau).actuators);
         }},
        {"frame_pose",
         {"q", none, none},
         none,
         [this](V q, V, V, O) {
           return VectorXd(frame_pose(beams, beam_workspace, q, 1).translation);
         }},
        {"center_of_mass",
         {"q", none, none},
         none,
         [this](V q, V, V, O) { return VectorXd(center_of_mass(beams, beam_workspace, q)); }},
        {"deflection",
         {"q", none, none},
         none,
         [this](V q, V, V, O) { return VectorXd(deflection(beams, q, 0, 1.0)); }},
        {"natural_modes",
         {"q", none, none},
         none,
         [this](V q, V, V, O) { return natural_modes(beams, q, Joints::clamped).frequencies; }},
        {"static_deflection",
         {"q", none, none},
         none,
         [this](V q, V, V, O) { return static_deflection(beams, q); }},
    };
  }

  /// An even number of coordinates: check_every_kind() makes matrices of two rows.
  static FlexibleModel canadarm_with_one_more_mode() {
    DhTable table = built_in_robot("canadarm");
    table.links.front().flexible.value().modes_y = 3;
    return FlexibleModel(model_from_dh(table));
  }

  FlexibleModel beams = canadarm_with_one_more_mode();
  FlexibleWorkspace beam_workspace{beams};
};

TEST_F(FlexibleArguments, AreReadInPlaceOrRejectedByName) {
  ASSERT_EQ(beams.size() % 2, 0U);
  for (const VectorFunction& function : functions()) {
    test::check_every_kind(function, idx(beams.size()));
  }
}

}  // namespace
}  // namespace dynamics
