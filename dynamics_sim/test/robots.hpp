// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace dynamics_sim::test {

/// The joints `joint1` and `joint10`, the second at `x` from the first.
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

/// Two rods in a vertical plane with axes y. The joints are `joint1` and `joint10`, of which one
/// name is a prefix of the other. `dynamics` is added to both joints.
inline std::string arm_urdf(const std::string& control = "", const std::string& dynamics = "",
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
         "offset='0.5'/></joint>" +
         control + "</robot>";
}

/// The same robot with a beam of 1 m and 2 kg as first link, bending in the vertical plane.
inline std::string flexible_urdf(const std::string& control = "", const std::string& dynamics = "",
                                 const std::string& rigidity = "200") {
  return "<robot name='bending'><link name='base'/><link name='upper'><inertial><origin "
         "xyz='0.5 0 0'/><mass value='2'/><inertia ixx='0.0001' ixy='0' ixz='0' iyy='0.16666' "
         "iyz='0' izz='0.16666'/></inertial><flexible length='1' "
         "mass_per_length='2' rigidity_y='" +
         rigidity + "' rigidity_z='" + rigidity +
         "' modes_y='0' modes_z='2' damping='0'/></link><link name='lower'><inertial><origin "
         "xyz='0.25 0 0'/><mass value='1'/><inertia ixx='0.002' ixy='0' ixz='0' iyy='0.04' "
         "iyz='0' izz='0.04'/></inertial></link>" +
         two_joints_urdf("1", "60", dynamics) + control + "</robot>";
}

/// Both joints with every interface, and the states of the mimic joint; initial positions 0.3 and
/// -0.4.
inline std::string control_block(const std::string& parameters = "",
                                 const std::string& joint_parameters = "",
                                 const std::string& interfaces = "", bool follower = true) {
  const auto joint = [&](const std::string& name, const std::string& start) {
    return "<joint name='" + name +
           "'><command_interface name='position'/><command_interface name='velocity'/>"
           "<command_interface name='effort'/><state_interface name='position'><param "
           "name='initial_value'>" +
           start +
           "</param></state_interface><state_interface name='velocity'/>"
           "<state_interface name='effort'/><state_interface name='acceleration'/>" +
           interfaces + joint_parameters + "</joint>";
  };
  return "<ros2_control name='arm' type='system'><hardware><plugin>dynamics_sim/DynamicsSystem"
         "</plugin>" +
         parameters + "</hardware>" + joint("joint1", "0.3") + joint("joint10", "-0.4") +
         (follower ? "<joint name='follower'><state_interface name='position'/><state_interface "
                     "name='velocity'/></joint>"
                   : "") +
         "</ros2_control>";
}

/// A four-bar linkage in a vertical plane with axes y: `crank`, `coupler` and `rocker`, cut at the
/// pin between the last two. It is closed at zero. `crank_attributes`: of the crank's <joint>.
inline std::string four_bar_urdf(const std::string& control = "",
                                 const std::string& crank_attributes = "",
                                 const std::string& closing = "revolute") {
  const auto link = [](const std::string& name, const std::string& center, const std::string& kg) {
    return "<link name='" + name + "'><inertial><origin xyz='" + center + "'/><mass value='" + kg +
           "'/><inertia ixx='0.002' ixy='0' ixz='0' iyy='0.02' iyz='0' izz='0.02'/></inertial>"
           "</link>";
  };
  const auto joint = [](const std::string& name, const std::string& parent,
                        const std::string& child, const std::string& at,
                        const std::string& attributes) {
    return "<joint name='" + name + "' type='revolute' " + attributes + "><origin xyz='" + at +
           "'/><parent link='" + parent + "'/><child link='" + child +
           "'/><axis xyz='0 1 0'/><limit lower='-3' upper='3' effort='50' velocity='10'/></joint>";
  };
  return "<robot name='four_bar'><link name='base'/>" + link("crank_link", "0 0 0.15", "1") +
         link("coupler_link", "0.4 0 0.05", "2") + link("rocker_link", "-0.05 0 0.2", "1.5") +
         joint("crank", "base", "crank_link", "0 0 0", crank_attributes) +
         joint("coupler", "crank_link", "coupler_link", "0 0 0.3", "") +
         joint("rocker", "base", "rocker_link", "0.9 0 -0.1", "") +
         "<constraint name='pin' type='" + closing +
         "'><parent link='coupler_link'/><parent_origin xyz='0.8 0 0'/><parent_axis xyz='0 1 0'/>"
         "<child link='rocker_link'/><child_origin xyz='-0.1 0 0.4'/><child_axis xyz='0 1 0'/>"
         "</constraint>" +
         control + "</robot>";
}

/// All joints with their states; `commands` are the joints with command interfaces, `initial` has
/// values of the states position by joint.
inline std::string four_bar_block(const std::string& parameters = "",
                                  const std::vector<std::string>& commands = {"crank"},
                                  const std::map<std::string, std::string>& initial = {}) {
  std::string joints;
  for (const std::string name : {"crank", "coupler", "rocker"}) {
    joints += "<joint name='" + name + "'>";
    if (std::find(commands.begin(), commands.end(), name) != commands.end()) {
      joints +=
          "<command_interface name='position'/><command_interface name='velocity'/>"
          "<command_interface name='effort'/>";
    }
    const auto start = initial.find(name);
    joints +=
        "<state_interface name='position'>" +
        (start == initial.end() ? ""
                                : "<param name='initial_value'>" + start->second + "</param>") +
        "</state_interface><state_interface name='velocity'/>"
        "<state_interface name='effort'/><state_interface name='acceleration'/></joint>";
  }
  return "<ros2_control name='arm' type='system'><hardware><plugin>dynamics_sim/DynamicsSystem"
         "</plugin>" +
         parameters + "</hardware>" + joints + "</ros2_control>";
}

inline std::string parameter(const std::string& name, const std::string& value) {
  return "<param name='" + name + "'>" + value + "</param>";
}

}  // namespace dynamics_sim::test
