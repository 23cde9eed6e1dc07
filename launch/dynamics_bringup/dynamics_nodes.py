# SPDX-License-Identifier: Apache-2.0
"""dynamics.launch.py: the node with the dynamics services, and the markers for RViz."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, GroupAction, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node, PushROSNamespace

from dynamics_bringup.arguments import ArgumentError, numbers
from dynamics_bringup.processes import share, vital


def start_dynamics(context):
    """Return the nodes of the launch."""

    def argument(name):
        return LaunchConfiguration(name).perform(context)

    common = {"gravity": numbers(argument("gravity"), "gravity", 3),
              "use_sim_time": argument("use_sim_time") == "true"}
    remappings = [("robot_description", argument("description_topic"))]
    actions = [Node(
        package="dynamics_ros", executable="dynamics_node", name="dynamics", parameters=[common],
        remappings=remappings, on_exit=vital("the dynamics node"))]
    if argument("markers") == "true":
        actions.append(Node(
            package="dynamics_ros", executable="markers_node", name="dynamics_markers",
            parameters=[argument("markers_file") or str(share("config", "markers.yaml")),
                        {**common, "publish_frames": argument("publish_frames") == "true"}],
            remappings=remappings))
    if argument("drag"):
        if not argument("wrench_topic"):
            raise ArgumentError(
                f"drag:='{argument('drag')}': requires wrench_topic:=, for example arm/wrench of a "
                "block <ros2_control name='arm'>")
        actions.append(Node(
            package="dynamics_ros", executable="wrench_marker_node", name="wrench_marker",
            parameters=[{"link": "" if argument("drag") == "auto" else argument("drag"),
                         "wrench_topic": argument("wrench_topic"),
                         "use_sim_time": common["use_sim_time"]}],
            remappings=remappings))
    if argument("namespace"):
        actions = [GroupAction([PushROSNamespace(argument("namespace")), *actions])]
    return actions


def dynamics_launch():
    """Return the launch description of dynamics.launch.py."""

    def argument(name, default, description, **more):
        return DeclareLaunchArgument(name, default_value=default, description=description, **more)

    yes_or_no = {"choices": ["true", "false"]}
    return LaunchDescription([
        argument("namespace", "", "Namespace of the nodes, topics and services."),
        argument("description_topic", "robot_description",
                 "Topic of the robot description, in the namespace unless it begins with /."),
        argument("use_sim_time", "true", "true: time of /clock; false: real time.", **yes_or_no),
        argument("gravity", "0 0 -9.81", "Gravity in axes of the root link (m/s^2)."),
        argument("markers", "true", "Start the node of the markers for RViz.", **yes_or_no),
        argument("markers_file", "",
                 "Parameters file of the markers (node /**/dynamics_markers); empty: "
                 "config/markers.yaml."),
        argument("drag", "",
                 "Link with a marker in RViz that drags the simulated robot by a virtual spring; "
                 "auto: the end effector; empty: none."),
        argument("wrench_topic", "",
                 "With drag: topic ~/wrench of the simulated hardware, BLOCK/wrench."),
        argument("publish_frames", "false",
                 "true: the markers node publishes the frames of the links, as for robots with "
                 "flexible links, instead of robot_state_publisher.", **yes_or_no),
        OpaqueFunction(function=start_dynamics),
    ])
