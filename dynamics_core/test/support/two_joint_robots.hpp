// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small robots with two joints, for tests of real-time steps.

#include <string>

namespace dynamics::test {

/// The joints `joint1` and `joint10`, the second at `x` from the first, both with the limits
/// -2 to 2 rad and 3 rad/s. `dynamics` is added to both.
inline std::string two_joints_urdf(const std::string& x, const std::string& effort,
                                   const std::string& dynamics) {
  const auto joint = [&](const std::string& name, const std::string& parent,
                         const std::string& child, const std::string& at) {
    return "<joint name='" + name + "' type='revolute'><origin xyz='" + at +
           " 0 0'/><parent link='" + parent + "'/><child link='" + child +
           "'/><axis xyz='0 1 0'/><limit lower='-2' upper='2' effort='" + effort +
           "' velocity='3'/>" + dynamics + "</joint>";
  };
  return joint("joint1", "base", "upper", "0") + joint("joint10", "upper", "lower", x);
}

/// Two rods in a vertical plane with axes y, and a mimic joint. The effort limit is 20 N m.
inline std::string two_joint_arm_urdf(const std::string& dynamics = "",
                                      const std::string& mass = "2") {
  const auto link = [](const std::string& name, const std::string& kilograms) {
    return "<link name='" + name + "'><inertial><origin xyz='0.25 0 0'/><mass value='" + kilograms +
           "'/><inertia ixx='0.002' ixy='0' ixz='0' iyy='0.04' iyz='0' izz='0.04'/></inertial>"
           "</link>";
  };
  return "<robot name='two'><link name='base'/>" + link("upper", mass) + link("lower", "1") +
         "<link name='finger'><inertial><mass value='0.1'/><inertia ixx='1e-4' ixy='0' ixz='0' "
         "iyy='1e-4' iyz='0' izz='1e-4'/></inertial></link>" +
         two_joints_urdf("0.5", "20", dynamics) +
         "<joint name='follower' type='continuous'><origin xyz='0.5 0 0'/><parent link='lower'/>"
         "<child link='finger'/><axis xyz='0 1 0'/><mimic joint='joint10' multiplier='2' "
         "offset='0.5'/></joint></robot>";
}

/// The same robot with a beam of 1 m and 2 kg as first link, bending in the vertical plane.
inline std::string two_joint_beam_urdf(const std::string& dynamics = "",
                                       const std::string& rigidity = "200") {
  return "<robot name='bending'><link name='base'/><link name='upper'><inertial><origin "
         "xyz='0.5 0 0'/><mass value='2'/><inertia ixx='0.0001' ixy='0' ixz='0' iyy='0.16666' "
         "iyz='0' izz='0.16666'/></inertial><flexible length='1' "
         "mass_per_length='2' rigidity_y='" +
         rigidity + "' rigidity_z='" + rigidity +
         "' modes_y='0' modes_z='2' damping='0'/></link><link name='lower'><inertial><origin "
         "xyz='0.25 0 0'/><mass value='1'/><inertia ixx='0.002' ixy='0' ixz='0' iyy='0.04' "
         "iyz='0' izz='0.04'/></inertial></link>" +
         two_joints_urdf("1", "60", dynamics) + "</robot>";
}

}  // namespace dynamics::test
