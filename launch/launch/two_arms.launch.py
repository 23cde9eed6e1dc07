# SPDX-License-Identifier: Apache-2.0
# Two UR5e in the namespaces left and right: two controller managers on one clock, one RViz. Their
# joints and links have the prefixes left_ and right_, and their root links stand in the frame
# `world`. Each flange has a force-torque sensor, with the topic
# /left/left_tool0_joint_broadcaster/wrench. An example to copy: it only includes files.
import json
import pathlib

from ament_index_python.packages import (get_package_share_directory,
                                         get_packages_with_prefixes)
from launch import LaunchDescription
from launch.actions import (DeclareLaunchArgument, GroupAction, IncludeLaunchDescription,
                            OpaqueFunction)
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration

UR5E = pathlib.Path(
    get_package_share_directory("dynamics_description"), "xacro", "ur5e.urdf.xacro")

SENSORS = "force_torque_sensor_broadcaster" in get_packages_with_prefixes()


def included(name, **arguments):
    # a group has its own arguments: those of one file are not the defaults of the next one
    file = pathlib.Path(
        get_package_share_directory("dynamics_bringup"), "launch", f"{name}.launch.py")
    return GroupAction([IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(file)), launch_arguments=arguments.items())])


def start(context):
    sensors = LaunchConfiguration("sensors").perform(context) == "true"
    drag = LaunchConfiguration("drag").perform(context)
    clock = {"use_sim_time": LaunchConfiguration("use_sim_time").perform(context)}
    robots = {}
    for name, pose in (("left", "0 0.4 0"), ("right", "0 -0.4 0 0 0 3.141592653589793")):
        controllers = ["joint_state_broadcaster", "joint_trajectory_controller"]
        if sensors:
            controllers.append(f"{name}_tool0_joint_broadcaster")
        robots[name] = {"prefix": f"{name}_", "pose": pose, "controllers": " ".join(controllers)}
    wrenches = [f"{name}/{name}_tool0_joint_broadcaster/wrench" for name in robots]
    return [
        included("simulation", robots=json.dumps(robots), urdf=str(UR5E), namespace="",
                 xacro_arguments="force_torque_sensors:=tool0_joint" if sensors else "", **clock),
        *(included("dynamics", namespace=name, drag="auto" if drag == "true" else "",
                   wrench_topic=f"{name}_ur5e/wrench", **clock) for name in robots),
        included("view", gui=LaunchConfiguration("gui"), namespaces=" ".join(robots),
                 frame="world", wrenches=" ".join(wrenches) if sensors else "", distance="3",
                 focal_point="0 0 0.4", drag=drag, **clock),
    ]


def generate_launch_description():
    return LaunchDescription([
        DeclareLaunchArgument("gui", default_value="auto", choices=["auto", "true", "false"],
                              description="RViz, as in view.launch.py."),
        DeclareLaunchArgument("sensors", default_value=str(SENSORS).lower(),
                              choices=["true", "false"],
                              description="A force-torque sensor at the flange of each arm."),
        DeclareLaunchArgument("drag", default_value="false", choices=["true", "false"],
                              description="Markers in RViz that drag the flanges."),
        DeclareLaunchArgument("use_sim_time", default_value="true", choices=["true", "false"],
                              description="true: one process with one clock; false: real time, a "
                                          "ros2_control_node for each arm."),
        OpaqueFunction(function=start),
    ])
