// SPDX-License-Identifier: Apache-2.0
// A flexible arm: a slender beam on a motor, described in a URDF. How far does it sag under its own
// weight, and at which frequencies does it vibrate with the brake on and with the brake off?

#include <cstdio>
#include <dynamics_core/dynamics_core.hpp>
#include <numbers>

int main() {
  // The beam lies along the link's x; <flexible> is ignored by readers that do not know it.
  dynamics::FlexibleModel arm(dynamics::model_from_urdf(R"(
    <robot name="boom">
      <link name="base"/>
      <joint name="motor" type="continuous">
        <origin rpy="1.5707963267948966 0 0"/> <axis xyz="0 0 1"/>
        <parent link="base"/> <child link="boom"/>
      </joint>
      <link name="boom">
        <inertial>
          <origin xyz="1 0 0"/> <mass value="3"/>
          <inertia ixx="0" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
        </inertial>
        <flexible length="2" mass_per_length="1.5" rigidity_y="500" rigidity_z="500" modes_y="4"/>
      </link>
    </robot>)"));

  // Coordinates: the joint, then four amplitudes of bending along y.
  const Eigen::VectorXd level = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(arm.size()));
  const Eigen::VectorXd q = dynamics::static_deflection(arm, level);
  std::printf("the tip sags by %.2f mm\n", -1e3 * dynamics::deflection(arm, q, 0, 2.0).y());
  using dynamics::Joints;
  for (const auto& [text, joints] : {std::pair{"on", Joints::clamped}, {"off", Joints::free}}) {
    const Eigen::VectorXd w = dynamics::natural_modes(arm, level, joints).frequencies.tail(4);
    std::printf("brake %s: %.2f Hz, %.2f Hz\n", text, w[0] / (2 * std::numbers::pi),
                w[1] / (2 * std::numbers::pi));
  }
}
