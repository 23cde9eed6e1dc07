// SPDX-License-Identifier: Apache-2.0
// All kinds of vector expressions as arguments of the functions for flexible robots.

#include <gtest/gtest.h>

#include "dynamics_core/flexible_links.hpp"
#include "dynamics_core/readers.hpp"
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

  FlexibleArguments() {
    const char* const none = nullptr;
    add("inverse_dynamics", {"q", "qd", "qdd"}, "forces",
        [this](V q, V qd, V u, O out) { inverse_dynamics(beams, workspace, q, qd, u, out); });
    add("forward_dynamics", {"q", "qd", "tau"}, "qdd",
        [this](V q, V qd, V u, O out) { forward_dynamics(beams, workspace, q, qd, u, out); });
    add("forward_dynamics_cholesky", {"q", "qd", "tau"}, "qdd", [this](V q, V qd, V u, O out) {
      forward_dynamics_cholesky(beams, workspace, q, qd, u, out);
    });
    add("joint_torques", {"q", "qd", none}, none, [this](V q, V qd, V, O) {
      VectorXd tau(idx(beams.joint_count())), rest(idx(beams.amplitude_count()));
      joint_torques(beams, workspace, q, qd, tau.setOnes(), tau, rest);
      return tau;
    });
    add("bias_forces", {"q", "qd", none}, "bias",
        [this](V q, V qd, V, O out) { bias_forces(beams, workspace, q, qd, out); });
    add("static_forces", {"q", none, none}, "forces",
        [this](V q, V, V, O out) { static_forces(beams, workspace, q, out); });
    add("wrenches_to_joint_torques", {"q", none, none}, "forces", [this](V q, V, V, O out) {
      const std::vector<LinkWrench> push = {{1, {{1, 2, 3}, {4, 5, 6}}, Axes::local}};
      wrenches_to_joint_torques(beams, workspace, q, push, out);
    });
    add("inertia_matrix", {"q", none, none}, none, [this](V q, V, V, O) {
      MatrixXd M(idx(beams.size()), idx(beams.size()));
      inertia_matrix(beams, workspace, q, M);
      return VectorXd(M.reshaped());
    });
    add("energy", {"q", "qd", none}, none, [this](V q, V qd, V, O) {
      return VectorXd::Constant(1, energy(beams, workspace, q, qd).total());
    });
    add("power", {none, "qd", none}, none, [this](V, V qd, V, O) {
      const VectorXd tau = VectorXd::Ones(idx(beams.joint_count()));
      return VectorXd::Constant(1, power(beams, workspace, qd, tau).actuators);
    });
    add("frame_pose", {"q", none, none}, none,
        [this](V q, V, V, O) { return frame_pose(beams, workspace, q, 1).translation; });
    add("center_of_mass", {"q", none, none}, none,
        [this](V q, V, V, O) { return center_of_mass(beams, workspace, q); });
    add("deflection", {"q", none, none}, none,
        [this](V q, V, V, O) { return deflection(beams, q, 0, 1.0); });
    add("natural_modes", {"q", none, none}, none,
        [this](V q, V, V, O) { return natural_modes(beams, q, Joints::clamped).frequencies; });
    add("static_deflection", {"q", none, none}, none,
        [this](V q, V, V, O) { return static_deflection(beams, q); });
  }

  template <class Call>
  void add(const char* name, std::array<const char*, 3> inputs, const char* output,
           const Call& call) {
    functions.emplace_back(name, inputs, output, call);
  }

  /// An even number of coordinates: check_every_kind() makes matrices of two rows.
  static FlexibleModel canadarm_with_one_more_mode() {
    DhTable table = built_in_robot("canadarm");
    table.links.front().flexible.value().modes_y = 3;
    return FlexibleModel(model_from_dh(table));
  }

  FlexibleModel beams = canadarm_with_one_more_mode();
  FlexibleWorkspace workspace{beams};
  std::vector<VectorFunction> functions;
};

TEST_F(FlexibleArguments, AreReadInPlaceOrRejectedByName) {
  ASSERT_EQ(beams.size() % 2, 0U);
  for (const VectorFunction& function : functions) {
    test::check_every_kind(function, idx(beams.size()));
  }
}

}  // namespace
}  // namespace dynamics
