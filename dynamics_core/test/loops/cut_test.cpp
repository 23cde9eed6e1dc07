// SPDX-License-Identifier: Apache-2.0
// The motion of a mechanism does not depend on where a loop is cut and by which constraint. Crank
// and lever with a block that slides on the lever: every kind of cut gives the same accelerations.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numbers>

#include "dynamics_core/closed_loops.hpp"
#include "loops/mechanisms.hpp"

namespace dynamics::test {
namespace {

const std::string half_turn = fmt::format("0 0 {:.17g}", std::numbers::pi);

std::string crank_and_lever() {
  return bar("crank", 1.2, 0.1, 0.02) + bar("lever", 2.0, 0.25, 0.15) +
         bar("block", 0.7, 0.03, 0.01) +
         joint("a", "continuous", "base", "crank", "0 0 0", "0 0 1", "", "0 0 0",
               " actuated=\"true\"") +
         joint("b", "continuous", "base", "lever", "0.5 0 0", "0 0 1", "", half_turn);
}

/// The block is a child of the lever; the pin between crank and block is cut.
std::string cut_at_the_pin(const std::string& type, const std::string& child_axis = "0 0 1") {
  return robot(
      "lever",
      crank_and_lever() + joint("c", "prismatic", "lever", "block", "0.3 0 0", "1 0 0") +
          constraint("cut", type, "crank", "0.2 0 0", "block", "0 0 0", "0 0 1", child_axis));
}

/// The block is a child of the crank; the guide between lever and block is cut.
std::string cut_at_the_guide(const std::string& type, const std::string& axis) {
  return robot("lever",
               crank_and_lever() +
                   joint("c", "continuous", "crank", "block", "0.2 0 0", "0 0 1", "", half_turn) +
                   constraint("cut", type, "lever", "0 0 0", "block", "0 0 0", axis, axis));
}

/// Accelerations of crank and lever, and the torque of the crank for zero acceleration.
struct Motion {
  double b, qd_b, qdd_a, qdd_b, tau;
};

Motion motion_of(const std::string& urdf, double a, double qd_a, double torque) {
  const Mechanism mechanism = mechanism_from_urdf(urdf);
  MechanismWorkspace workspace(mechanism);
  std::map<std::string, std::size_t> at;
  for (std::size_t i = 0; i < mechanism.tree().size(); ++i)
    at[mechanism.tree().coordinates()[i].name] = i;
  EXPECT_EQ(mechanism.size(), 1U);
  EXPECT_EQ(mechanism.independent()[0], at.at("a"));
  std::vector<double> q(mechanism.tree().size()), qd(q), qdd(q), tau(q);
  close_loops(mechanism, workspace, mechanism.start(), std::vector<double>{a}, q);
  qd[at.at("a")] = qd_a;
  close_velocities(mechanism, workspace, q, qd);
  tau[at.at("a")] = torque;
  forward_dynamics(mechanism, workspace, q, qd, tau, qdd);
  Motion motion{q[at.at("b")], qd[at.at("b")], qdd[at.at("a")], qdd[at.at("b")], 0.0};
  std::vector<double> none(q.size(), 0.0), exerted(1);
  close_accelerations(mechanism, workspace, q, qd, none);
  inverse_dynamics(mechanism, workspace, q, qd, none, exerted);
  motion.tau = exerted[0];
  return motion;
}

TEST(Cuts, EveryCutGivesTheSameMotion) {
  const std::map<std::string, std::string> cuts = {
      {"spherical pin", cut_at_the_pin("spherical")},
      {"universal pin", cut_at_the_pin("universal", "1 0 0")},
      {"prismatic guide", cut_at_the_guide("prismatic", "1 0 0")},
      {"planar guide", cut_at_the_guide("planar", "0 1 0")}};
  for (const double a : {0.0, 0.4, -1.1, 2.0}) {
    const Motion expected = motion_of(cut_at_the_pin("revolute"), a, 3.0, 0.5);
    EXPECT_GT(std::abs(expected.qd_b), 0.05);
    for (const auto& [name, urdf] : cuts) {
      SCOPED_TRACE(fmt::format("{}, crank at {}", name, a));
      const Motion found = motion_of(urdf, a, 3.0, 0.5);
      EXPECT_NEAR(found.b, expected.b, 1e-12);
      EXPECT_NEAR(found.qd_b, expected.qd_b, 1e-11);
      EXPECT_NEAR(found.qdd_a, expected.qdd_a, 1e-10);
      EXPECT_NEAR(found.qdd_b, expected.qdd_b, 1e-10);
      EXPECT_NEAR(found.tau, expected.tau, 1e-10);
    }
  }
}

}  // namespace
}  // namespace dynamics::test
