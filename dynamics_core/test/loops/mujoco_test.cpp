// SPDX-License-Identifier: Apache-2.0
// Against MuJoCo's equality constraints. They are soft: with impedance d the constraint force is
// reduced so that the acceleration of the constraint is (1 - d) of what it is without it (MuJoCo's
// documentation, "Constraint model"). At rest the accelerations of a four-bar then differ from the
// exact ones in proportion to 1 - d. In motion MuJoCo also neglects G' qd, which does not vanish
// with d, so that only states at rest are compared.

#include <gtest/gtest.h>

#include <cmath>

#include "dynamics_core/closed_loops.hpp"
#include "loops/mechanisms.hpp"
#include "support/load_mujoco.hpp"

namespace dynamics::test {
namespace {

/// The four-bar, closed where MuJoCo's joints are at zero.
std::string mjcf(const FourBar& f, const std::vector<double>& q, double impedance) {
  const auto inertial = [&](int k) {
    return fmt::format(
        R"(<inertial pos="{:.17g} 0 0" mass="{:.17g}" diaginertia="{:.17g} {:.17g} {:.17g}"/>)",
        f.center[k], f.mass[k], 0.6 * f.moment[k], 0.7 * f.moment[k], f.moment[k]);
  };
  const auto joint = [](const char* name) {
    return fmt::format(R"(<joint name="{}" type="hinge" axis="0 0 1"/>)", name);
  };
  return fmt::format(
      R"(<mujoco><compiler angle="radian" balanceinertia="false"/>
<option gravity="0 -9.81 0" solver="Newton" tolerance="0" iterations="200"/>
<worldbody>
<body name="crank" euler="0 0 {:.17g}">{}{}
  <body name="coupler" pos="{:.17g} 0 0" euler="0 0 {:.17g}">{}{}</body></body>
<body name="rocker" pos="{:.17g} 0 0" euler="0 0 {:.17g}">{}{}</body>
</worldbody>
<equality><connect body1="coupler" body2="rocker" anchor="{:.17g} 0 0"
  solimp="{:.17g} {:.17g} 0.001 0.5 2" solref="0.02 1"/></equality></mujoco>)",
      q[0], joint("a"), inertial(0), f.length[0], q[1], joint("b"), inertial(1), f.ground, q[2],
      joint("d"), inertial(2), f.length[1], impedance, impedance);
}

TEST(MujocoEquality, ApproachesTheExactAccelerationsWithItsImpedance) {
  const FourBar f;
  const Mechanism mechanism = mechanism_from_urdf(
      four_bar_urdf(f), {.gravity = {0.0, -9.81, 0.0}, .friction_velocity = 0.01});
  MechanismWorkspace workspace(mechanism);
  for (const double angle : {0.4, 1.1, 2.5}) {
    std::vector<double> q(3), zero(3, 0.0), exact(3);
    const std::vector<double> z = {angle};
    close_loops(mechanism, workspace, mechanism.start(), z, q);
    forward_dynamics(mechanism, workspace, q, zero, zero, exact);
    double before = 0.0;
    for (const double impedance : {0.99, 0.999, 0.9999}) {
      const MujocoModelPointer model = load_mujoco("four_bar.xml", mjcf(f, q, impedance));
      model->opt.disableflags = mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_WARMSTART;
      const MujocoDataPointer data(mj_makeData(model.get()));
      mj_forward(model.get(), data.get());
      double difference = 0.0, size = 0.0;
      for (std::size_t i = 0; i < 3; ++i) {
        difference = std::max(difference, std::abs(data->qacc[i] - exact[i]));
        size = std::max(size, std::abs(exact[i]));
      }
      fmt::print("angle {}: impedance {}: difference {:.2g} of {:.3g} rad/s^2\n", angle, impedance,
                 difference, size);
      EXPECT_LT(difference, 20.0 * (1.0 - impedance) * size);
      if (before > 0.0) {
        EXPECT_NEAR(before / difference, 10.0, 2.0);
      }
      before = difference;
    }
  }
}

}  // namespace
}  // namespace dynamics::test
