# SPDX-License-Identifier: Apache-2.0
"""view.launch.py: RViz with its configuration for one or several robots."""

import copy

import yaml
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction, Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from dynamics_bringup.arguments import ArgumentError, number, numbers
from dynamics_bringup.description import is_flexible, reach_of, root_of
from dynamics_bringup.processes import Files, share, window
from dynamics_bringup.robot_file import in_world, read, with_prefix


def rviz_configuration(
        text, frame, reach, view=None, flexible=False, namespaces=(), wrenches=(), drag=False):
    """
    Return config/robot.rviz with this robot's frame and view.

    `view` has distance, focal_point, pitch and yaw; defaults depend on the reach of the robot (m).
    A flexible robot is drawn by markers, and its rigid model is drawn transparent. `namespaces`:
    one robot is shown for each; default: one, with relative names. `wrenches`: topics of
    force-torque sensors. `drag`: the markers of wrench_marker_node and its wrenches.
    """
    configuration = yaml.safe_load(text)
    manager = configuration["Visualization Manager"]
    manager["Global Options"]["Fixed Frame"] = frame
    view = view or {}
    size = max(reach, 0.1)
    camera = manager["Views"]["Current"]
    camera["Distance"] = float(view.get("distance", 2.5 * size))
    camera["Focal Point"] = dict(
        zip("XYZ", map(float, view.get("focal_point", (0.0, 0.0, 0.25 * size)))))
    camera["Pitch"] = float(view.get("pitch", camera["Pitch"]))
    camera["Yaw"] = float(view.get("yaw", camera["Yaw"]))
    displays = []
    for display in manager["Displays"]:
        if display["Class"].endswith("/Grid"):
            display["Cell Size"] = float(view.get("cell", 0.5 if size < 5.0 else 2.0))
            display["Offset"]["Z"] = float(view.get("floor", 0.0))
        if display["Class"].endswith("/RobotModel") and flexible:
            display["Alpha"] = 0.4
        displays += [of_namespace(display, name) for name in namespaces] if topics_of(
            display) and namespaces else [display]
    manager["Displays"] = displays + [wrench_display(topic, size) for topic in wrenches]
    for start in [f"{name.rstrip('/')}/" for name in namespaces] or [""] if drag else []:
        manager["Displays"] += [marker_display(f"{start}wrench_marker"),
                                wrench_display(f"{start}wrench_marker/wrench", size)]
    return yaml.safe_dump(configuration, sort_keys=False)


def wrench_display(topic, size):
    """Return the display of a force-torque sensor; 100 N are as long as the reach."""
    return {
        "Class": "rviz_default_plugins/Wrench", "Name": topic, "Enabled": True, "Value": True,
        "Accept NaN Values": False, "Alpha": 1, "Arrow Width": 0.3, "History Length": 1,
        "Force Arrow Scale": 0.01 * size, "Torque Arrow Scale": 0.01 * size,
        "Force Color": "204; 51; 51", "Torque Color": "204; 204; 51",
        "Topic": {"Value": topic, "Depth": 5, "Durability Policy": "Volatile",
                  "History Policy": "Keep Last", "Reliability Policy": "Best Effort"},
    }


def marker_display(name):
    """Return the display of the interactive marker of a node."""
    return {
        "Class": "rviz_default_plugins/InteractiveMarkers", "Name": name, "Enabled": True,
        "Value": True, "Interactive Markers Namespace": name, "Show Descriptions": False,
        "Show Axes": False, "Show Visual Aids": False, "Enable Transparency": True,
    }


def topics_of(display):
    """Return the topics of a display: mappings with a Value."""
    return [value for key, value in display.items()
            if key.endswith("Topic") and isinstance(value, dict)]


def of_namespace(display, namespace):
    """Return a copy of a display for the robot in a namespace."""
    display = copy.deepcopy(display)
    display["Name"] = f"{display['Name']} ({namespace.strip('/')})"
    for topic in topics_of(display):
        topic["Value"] = f"{namespace.rstrip('/')}/{topic['Value']}"
    return display


def view_of(argument):
    """Return (frame, reach, view, flexible) of the arguments."""
    frame, reach, flexible = argument("frame"), 1.0, False
    if argument("urdf"):
        urdf = in_world(
            with_prefix(read(argument("urdf"), argument("xacro_arguments")), argument("prefix")),
            argument("pose"))
        frame, reach, flexible = frame or root_of(urdf), reach_of(urdf), is_flexible(urdf)
    if not frame:
        raise ArgumentError("frame:='': required without urdf:=, the fixed frame of RViz")
    view = yaml.safe_load(argument("view") or "{}")
    if not isinstance(view, dict):
        raise ArgumentError(f"view:='{argument('view')}': must be a YAML mapping")
    if argument("distance"):
        view["distance"] = number(argument("distance"), "distance", above=True)
    if argument("focal_point"):
        view["focal_point"] = numbers(argument("focal_point"), "focal_point", 3)
    return frame, reach, view, flexible


def start_view(context):
    """Return RViz, or a message why there is none."""

    def argument(name):
        return LaunchConfiguration(name).perform(context)

    show, message = window(argument("gui"))
    if not show:
        return [LogInfo(msg=message)] if message else []
    files = Files()
    file = argument("rviz_config")
    if not file:
        frame, reach, view, flexible = view_of(argument)
        file = files.write(rviz_configuration(
            share("config", "robot.rviz").read_text("utf-8"), frame, reach, view, flexible,
            argument("namespaces").split(), argument("wrenches").split(),
            argument("drag") == "true"), "robot_", ".rviz")
    return [
        files.cleanup(),
        Node(package="rviz2", executable="rviz2", arguments=["-d", file],
             parameters=[{"use_sim_time": argument("use_sim_time") == "true"}],
             on_exit=Shutdown(reason="RViz was closed")),
    ]


def view_launch():
    """Return the launch description of view.launch.py."""

    def argument(name, default, description, **more):
        return DeclareLaunchArgument(name, default_value=default, description=description, **more)

    return LaunchDescription([
        argument("gui", "auto",
                 "RViz. auto: if there is a display and rviz2 is installed; true: otherwise an "
                 "error.", choices=["auto", "true", "false"]),
        argument("namespaces", "",
                 "Namespaces of the robots to show, separated by spaces; empty: one robot, in the "
                 "namespace of the launch."),
        argument("urdf", "",
                 "URDF or xacro file of the robot, for the frame and the distance; empty: frame."),
        argument("xacro_arguments", "", "Arguments of the xacro file: 'name:=value name:=value'."),
        argument("prefix", "", "As in simulation.launch.py."),
        argument("pose", "", "As in simulation.launch.py."),
        argument("frame", "", "Fixed frame; empty: the root link of `urdf`."),
        argument("distance", "", "Distance of the camera (m); empty: 2.5 times the reach."),
        argument("focal_point", "", "What the camera looks at: 'x y z' (m)."),
        argument("view", "", "The same and more as YAML: keys of `view` in config/robots.yaml."),
        argument("wrenches", "",
                 "Topics of force-torque sensors (WrenchStamped) to show, separated by spaces."),
        argument("drag", "false",
                 "true: the markers of dynamics.launch.py with drag:=, and their wrenches.",
                 choices=["true", "false"]),
        argument("rviz_config", "", "Configuration file of RViz instead of config/robot.rviz."),
        argument("use_sim_time", "true", "true: time of /clock; false: real time.",
                 choices=["true", "false"]),
        OpaqueFunction(function=start_view),
    ])
