// SPDX-License-Identifier: Apache-2.0
#pragma once

// A valid URDF of an arm with two links; tests modify its text.

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace dynamics::test {

/// A link with an <origin> (its attributes), mass and principal moments of inertia.
inline std::string urdf_link(const std::string& name, const std::string& origin,
                             const std::string& mass, const std::array<const char*, 3>& moments) {
  return "  <link name=\"" + name + "\">\n    <inertial>\n      <origin " + origin +
         "/>\n      <mass value=\"" + mass + "\"/>\n      <inertia ixx=\"" + moments[0] +
         "\" ixy=\"0\" ixz=\"0\" iyy=\"" + moments[1] + "\" iyz=\"0\" izz=\"" + moments[2] +
         "\"/>\n    </inertial>\n  </link>\n";
}

/// A revolute joint; `rest` are its other elements.
inline std::string urdf_joint(const std::string& name, const std::string& parent,
                              const std::string& child, const std::string& rest) {
  return "  <joint name=\"" + name + "\" type=\"revolute\">\n    <parent link=\"" + parent +
         "\"/>\n    <child link=\"" + child + "\"/>\n" + rest + "  </joint>\n";
}

inline std::string arm_urdf() {
  return R"(<robot name="arm">
  <link name="base"/>
)" + urdf_link("upper", R"(xyz="0 0 0.5" rpy="0 0 0")", "2", {"0.1", "0.1", "0.02"}) +
         urdf_link("lower", R"(xyz="0 0 0.3")", "1", {"0.05", "0.05", "0.01"}) +
         urdf_joint("shoulder", "base", "upper", R"(    <origin xyz="0 0 0.1" rpy="0 0 0"/>
    <axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="100" velocity="3"/>
)") + urdf_joint("elbow", "upper", "lower", R"(    <origin xyz="0 0 1" rpy="0 0 0"/>
    <axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="50" velocity="3"/>
)") + "</robot>\n";
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
