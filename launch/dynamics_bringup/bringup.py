# SPDX-License-Identifier: Apache-2.0
"""One launch description for every robot."""
import os
import pathlib
import tempfile

import yaml
from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
from launch import LaunchDescription
from launch.actions import (DeclareLaunchArgument, LogInfo, OpaqueFunction, RegisterEventHandler,
                            Shutdown)
from launch.event_handlers import OnShutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from dynamics_bringup.description import joints_of, with_control

SCENARIOS = {  # parameters of the hardware
    "free-fall": {"unclaimed": "free", "limits": "false"},
    "hold": {"unclaimed": "hold", "limits": "true"},
}
CONTROLLERS = {  # name of the controller in config/controllers.yaml
    "none": None,
    "joint_trajectory": "joint_trajectory_controller",
    "forward_position": "forward_position_controller",
    "effort": "effort_controller",
}


def share(*parts):
    return pathlib.Path(get_package_share_directory("dynamics_bringup"), *parts)


def has_package(name):
    try:
        get_package_share_directory(name)
    except PackageNotFoundError:
        return False
    return True


def numbers(text, name):
    try:
        return [float(word) for word in text.replace(",", " ").split()]
    except ValueError:
        raise ValueError(f"{name}:='{text}': it must be numbers") from None


def controller_parameters(joints, rate):
    """config/controllers.yaml with this robot's joints: what the controllers and manager need."""
    parameters = yaml.safe_load(share("config", "controllers.yaml").read_text("utf-8"))
    parameters["controller_manager"]["ros__parameters"]["update_rate"] = rate
    for name in filter(None, CONTROLLERS.values()):
        parameters[name]["ros__parameters"]["joints"] = list(joints)
    return {f"/**/{node}": value for node, value in parameters.items()}


def start_robot(context):
    """The nodes, once the arguments are known."""

    def argument(name):
        return LaunchConfiguration(name).perform(context)

    file = pathlib.Path(argument("urdf"))
    if not file.is_file():
        raise FileNotFoundError(f"urdf:='{file}': there is no such file")
    urdf = file.read_text("utf-8")
    joints = joints_of(urdf)
    gravity = numbers(argument("gravity"), "gravity")
    if len(gravity) != 3:
        raise ValueError(f"gravity:='{argument('gravity')}': it must be three numbers")
    start = numbers(argument("start"), "start")
    if start and len(start) != len(joints):
        raise ValueError(
            f"start:='{argument('start')}': it must be {len(joints)} numbers, for {joints}")
    rate = int(argument("rate"))
    hardware = {"gravity": " ".join(map(repr, gravity)), **SCENARIOS[argument("scenario")]}
    description = with_control(urdf, hardware, zip(joints, start))
    sim_time = {"use_sim_time": argument("use_sim_time") == "true"}

    parameters = tempfile.NamedTemporaryFile(
        "w", prefix="controllers_", suffix=".yaml", delete=False, encoding="utf-8")
    with parameters:
        yaml.safe_dump(controller_parameters(joints, rate), parameters)

    controllers = ["joint_state_broadcaster"]
    chosen = argument("controller")
    if chosen == "auto":
        chosen = "none" if argument("scenario") == "free-fall" else "joint_trajectory"
    if CONTROLLERS[chosen] is not None:
        controllers.append(CONTROLLERS[chosen])

    actions = [
        Node(package="robot_state_publisher", executable="robot_state_publisher",
             parameters=[{"robot_description": description}, sim_time]),
        Node(package="controller_manager", executable="ros2_control_node",
             parameters=[parameters.name, sim_time],
             remappings=[("~/robot_description", "robot_description")],
             on_exit=Shutdown(reason="the controller manager has ended")),
        Node(package="controller_manager", executable="spawner",
             arguments=[*controllers, "--controller-manager", "controller_manager",
                        "--param-file", parameters.name]),
        Node(package="dynamics_ros", executable="dynamics_node", name="dynamics",
             parameters=[{"gravity": gravity}, sim_time]),
    ]
    actions.append(RegisterEventHandler(OnShutdown(
        on_shutdown=lambda event, context: pathlib.Path(parameters.name).unlink(missing_ok=True))))
    if argument("gui") == "true":
        if not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY"):
            actions.append(LogInfo(msg="no display: going on without RViz"))
        elif not has_package("rviz2"):
            actions.append(LogInfo(msg="rviz2 is not installed: going on without RViz"))
        else:
            actions.append(Node(package="rviz2", executable="rviz2", parameters=[sim_time],
                                arguments=["-d", str(share("config", "robot.rviz"))]))
    return actions


def robot_launch(robot=None):
    """The launch description of a robot of dynamics_description, or of any URDF."""
    known = {"gravity": "0 0 -9.81", "start": ""}
    urdf = {}
    if robot is not None:
        robots = yaml.safe_load(share("config", "robots.yaml").read_text("utf-8"))
        known.update(robots[robot])
        folder = pathlib.Path(get_package_share_directory("dynamics_description"), "urdf")
        urdf = {"default_value": str(folder / f"{robot}.urdf")}
    return LaunchDescription([
        DeclareLaunchArgument("urdf", description="The robot's URDF file", **urdf),
        DeclareLaunchArgument(
            "scenario", default_value="free-fall" if robot else "hold", choices=list(SCENARIOS),
            description="free-fall: joints without a controller fall, no stops and limits; "
                        "hold: they stay where they are, with stops and limits"),
        DeclareLaunchArgument(
            "controller", default_value="auto", choices=["auto", *CONTROLLERS],
            description="Who moves the robot; auto: none in free fall, else joint_trajectory"),
        DeclareLaunchArgument("gravity", default_value=known["gravity"],
                              description="Gravity in the base link's axes (m/s^2)"),
        DeclareLaunchArgument(
            "start", default_value=known["start"],
            description="Start positions, in the order of the URDF's joints (rad, m); empty: zero"),
        DeclareLaunchArgument("rate", default_value="500",
                              description="Rate of the controller manager (Hz)"),
        DeclareLaunchArgument("gui", default_value="true", choices=["true", "false"],
                              description="Show the robot in RViz, where there is a display"),
        DeclareLaunchArgument("use_sim_time", default_value="false", choices=["true", "false"],
                              description="Take the time from /clock"),
        OpaqueFunction(function=start_robot),
    ])
