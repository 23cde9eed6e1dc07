// SPDX-License-Identifier: Apache-2.0
#pragma once

// A valid URDF of an arm with two links; tests modify its text.

#include <gtest/gtest.h>

#include <string>

namespace dynamics::test {

inline std::string arm_urdf() {
  return R"(<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0 0 0.5" rpy="0 0 0"/>
      <mass value="2"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.02"/>
    </inertial>
  </link>
  <link name="lower">
    <inertial>
      <origin xyz="0 0 0.3"/>
      <mass value="1"/>
      <inertia ixx="0.05" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.01"/>
    </inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/>
    <child link="upper"/>
    <origin xyz="0 0 0.1" rpy="0 0 0"/>
    <axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="100" velocity="3"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="upper"/>
    <child link="lower"/>
    <origin xyz="0 0 1" rpy="0 0 0"/>
    <axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="50" velocity="3"/>
  </joint>
</robot>
)";
}

/// The text with the first `from` replaced. Fails the test if there is none.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) {
    ADD_FAILURE() << "not in the text: " << from;
    return text;
  }
  return text.replace(at, from.size(), to);
}

}  // namespace dynamics::test
