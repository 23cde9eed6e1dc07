// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

namespace dynamics_ros::test {

/// A pendulum about y: mass 2 kg at 0.5 m below the joint, inertia 0.1 kg m^2 about its center,
/// friction 0.3 N m, damping 0.7 N m s/rad, rotor 0.05 kg m^2, effort limit 12 N m.
inline constexpr const char* pendulum = R"(<robot name="pendulum">
  <link name="base"/>
  <link name="bob"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="swing" type="continuous"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/>
    <limit effort="12" velocity="3"/>
    <dynamics damping="0.7" friction="0.3" rotor_inertia="0.05"/></joint>
</robot>)";

/// A boom on a turning column, with a slide, a fixed tool and a mimic joint.
inline constexpr const char* crane = R"(<robot name="crane">
  <link name="base"/>
  <link name="column"><inertial><origin xyz="0.1 0 0.5"/><mass value="5"/>
    <inertia ixx="0.4" ixy="0.01" ixz="0" iyy="0.5" iyz="0" izz="0.3"/></inertial></link>
  <link name="boom"><inertial><origin xyz="0.4 0.02 0"/><mass value="3"/>
    <inertia ixx="0.05" ixy="0" ixz="0.01" iyy="0.3" iyz="0" izz="0.3"/></inertial></link>
  <link name="slide"><inertial><origin xyz="0.2 0 0.03"/><mass value="1.5"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>
  <link name="finger"><inertial><origin xyz="0 0 0.05"/><mass value="0.2"/>
    <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/></inertial></link>
  <link name="tool"/>
  <joint name="turn" type="revolute"><parent link="base"/><child link="column"/>
    <axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="100" velocity="2"/>
    <dynamics damping="0.4" friction="0.2"/></joint>
  <joint name="lift" type="revolute"><origin xyz="0 0 1" rpy="0 0.1 0"/><parent link="column"/>
    <child link="boom"/><axis xyz="0 -1 0"/><limit lower="-1" upper="2" effort="60" velocity="2"/>
    <dynamics damping="0.1" friction="0.5"/></joint>
  <joint name="reach" type="prismatic"><origin xyz="0.8 0 0"/><parent link="boom"/>
    <child link="slide"/><axis xyz="1 0 0"/><limit lower="0" upper="0.6" effort="40" velocity="1"/>
    </joint>
  <joint name="grip" type="revolute"><origin xyz="0.3 0 0"/><parent link="slide"/>
    <child link="finger"/><axis xyz="0 1 0"/><limit lower="-9" upper="9" effort="10" velocity="9"/>
    <mimic joint="lift" multiplier="-0.5"/></joint>
  <joint name="mount" type="fixed"><origin xyz="0.4 0 0"/><parent link="slide"/>
    <child link="tool"/></joint>
</robot>)";

/// A beam that turns about z, bending in the plane of its motion.
inline constexpr const char* flexible_boom = R"(<robot name="flexible_boom">
  <link name="base"/>
  <link name="boom"><inertial><origin xyz="1 0 0"/><mass value="4"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="1.34" iyz="0" izz="1.34"/></inertial>
    <flexible length="2" mass_per_length="2" rigidity_y="500" rigidity_z="500" modes_y="2"
      modes_z="0" damping="0"/></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="boom"/>
    <axis xyz="0 0 1"/><limit effort="50" velocity="3"/></joint>
</robot>)";

/// A four-bar linkage, cut between coupler and rocker and closed at zero; `actuated` joints have an
/// actuator.
inline std::string four_bar(const std::set<std::string>& actuated = {"crank"}) {
  const auto joint = [&](const std::string& name, const std::string& parent,
                         const std::string& child, const std::string& at) {
    return "<joint name='" + name + "' type='continuous'" +
           (actuated.count(name) > 0 ? " actuated='true'" : "") + "><origin xyz='" + at +
           "'/><parent link='" + parent + "'/><child link='" + child +
           "'/><axis xyz='0 1 0'/><limit effort='20' velocity='9'/><dynamics damping='0.3' "
           "friction='0.1'/></joint>";
  };
  return R"(<robot name="four_bar">
  <link name="base"/>
  <link name="crank_link"><inertial><origin xyz="0 0 0.15"/><mass value="1"/>
    <inertia ixx="0.002" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>
  <link name="coupler_link"><inertial><origin xyz="0.4 0 0.05"/><mass value="2"/>
    <inertia ixx="0.002" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <link name="rocker_link"><inertial><origin xyz="-0.05 0 0.2"/><mass value="1.5"/>
    <inertia ixx="0.002" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.03"/></inertial></link>
)" + joint("crank", "base", "crank_link", "0 0 0") +
         joint("coupler", "crank_link", "coupler_link", "0 0 0.3") +
         joint("rocker", "base", "rocker_link", "0.9 0 -0.1") + R"(
  <constraint name="pin" type="revolute">
    <parent link="coupler_link"/><parent_origin xyz="0.8 0 0"/><parent_axis xyz="0 1 0"/>
    <child link="rocker_link"/><child_origin xyz="-0.1 0 0.4"/><child_axis xyz="0 1 0"/>
  </constraint>
</robot>)";
}

}  // namespace dynamics_ros::test
