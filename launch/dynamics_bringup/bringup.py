# SPDX-License-Identifier: Apache-2.0
"""Launch description for all robots."""

import dataclasses
import os
import pathlib
import tempfile

import yaml
from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
from launch import LaunchDescription
from launch.actions import (DeclareLaunchArgument, ExecuteProcess, LogInfo, OpaqueFunction,
                            RegisterEventHandler, Shutdown)
from launch.event_handlers import OnShutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from dynamics_bringup import model
from dynamics_bringup.arguments import ArgumentError, number, numbers, payload, positions
from dynamics_bringup.description import (has_loops, is_flexible, is_ours, joints_of, reach_of,
                                          root_of, with_control)
from dynamics_bringup.view import rviz_configuration

SCENARIOS = {  # parameters of the hardware
    "free-fall": {"unclaimed": "free", "limits": "false"},
    "hold": {"unclaimed": "hold", "limits": "true"},
    "forced": {"unclaimed": "brake", "limits": "false"},
}
CONTROLLERS = {  # name of the controller in config/controllers.yaml
    "none": None,
    "joint_trajectory": "joint_trajectory_controller",
    "effort_trajectory": "effort_trajectory_controller",
    "forward_position": "forward_position_controller",
    "effort": "effort_controller",
}
DEFAULT_CONTROLLER = {
    "free-fall": "none", "hold": "joint_trajectory", "forced": "effort_trajectory"}
RECORDER = "dynamics_recorder"
RECORDED = ["/clock", "joint_states", "dynamic_joint_states", "robot_description", "/tf",
            "/tf_static", "dynamics/payload", "dynamics_markers/markers"]


def share(*parts):
    """Return a path in this package's share folder."""
    return pathlib.Path(get_package_share_directory("dynamics_bringup"), *parts)


def has_package(name):
    """Return True if a ROS 2 package is installed."""
    try:
        get_package_share_directory(name)
    except PackageNotFoundError:
        return False
    return True


def recorded_topics(namespace):
    """Return the recorded topics of a launch in this namespace; time and frames have none."""
    return [topic if topic.startswith("/") else f"{namespace.rstrip('/')}/{topic}"
            for topic in RECORDED]


def controller_parameters(joints, rate, gains):
    """Return config/controllers.yaml with this robot's joints, update rate and gains."""
    parameters = yaml.safe_load(share("config", "controllers.yaml").read_text("utf-8"))
    parameters["controller_manager"]["ros__parameters"]["update_rate"] = rate
    for name in filter(None, CONTROLLERS.values()):
        parameters[name]["ros__parameters"]["joints"] = list(joints)
    if gains:
        parameters["effort_trajectory_controller"]["ros__parameters"]["gains"] = gains
    return {f"/**/{node}": value for node, value in parameters.items()}


@dataclasses.dataclass
class Plan:
    """The checked arguments of a launch."""

    file: pathlib.Path
    urdf: str
    joints: list
    scenario: str
    controller: str
    gravity: list
    start: list
    rate: int
    step: float
    speed: float
    sim_time: bool
    paused: bool
    feedback: float
    payload: object
    record: str
    goal: list
    period: float
    robot: dict  # its entry in config/robots.yaml

    @property
    def controllers(self):
        """Return the names of the controllers to start."""
        return ["joint_state_broadcaster", *filter(None, [CONTROLLERS[self.controller]])]

    @property
    def prepared(self):
        """Return True if the scenario node must run before the simulated time starts."""
        return self.scenario == "forced" or self.payload is not None or bool(self.record)

    @property
    def motion(self):
        """Return the name of the forced motion."""
        if self.scenario != "forced":
            return "none"
        return "mohan-saha" if self.robot.get("rates") and not self.goal else "cycloid"


def commanded_joints(file, urdf):
    """
    Return the start positions of the joints that are commanded, {joint: position}, in file order.

    With closed loops these are the independent joints, at the position that closes the loops.
    """
    start = dict.fromkeys(joints_of(urdf), 0.0)
    if not start:
        raise ArgumentError(f"urdf:='{file}': the robot has no moving joint")
    if not has_loops(urdf):
        return start
    closed = model.closed_start(file)
    if closed is None:
        raise ArgumentError(
            f"urdf:='{file}': the robot has closed loops; their independent joints are determined "
            "by the program `dynamics` of dynamics_core, which is not in PATH")
    return {joint: closed[joint] for joint in start if joint in closed}


def plan(argument, robot):
    """Return the plan; raises ArgumentError or DescriptionError for invalid arguments."""
    file = pathlib.Path(argument("urdf"))
    if not file.is_file():
        raise ArgumentError(f"urdf:='{file}': file does not exist")
    urdf = file.read_text("utf-8")
    default_start = commanded_joints(file, urdf)
    joints = list(default_start)
    scenario = argument("scenario")
    controller = argument("controller")
    if controller == "auto":
        controller = DEFAULT_CONTROLLER[scenario]
    if scenario == "forced" and controller != "effort_trajectory":
        raise ArgumentError(
            f"controller:='{controller}': scenario:='forced' requires effort_trajectory or auto")
    rate = number(argument("rate"), "rate", above=True)
    if rate != int(rate):
        raise ArgumentError(f"rate:='{argument('rate')}': must be an integer (Hz)")
    parsed = Plan(
        file=file, urdf=urdf, joints=joints, scenario=scenario, controller=controller,
        gravity=numbers(argument("gravity"), "gravity", 3), rate=int(rate), robot=robot,
        start=positions(argument("start"), "start", joints) or list(default_start.values()),
        step=number(argument("step"), "step", above=True),
        speed=number(argument("speed"), "speed"), sim_time=argument("use_sim_time") == "true",
        paused=argument("paused") == "true",
        feedback=number(argument("feedback"), "feedback"),
        payload=payload(argument("payload"), urdf), record=argument("record").strip(),
        goal=positions(argument("goal"), "goal", joints),
        period=number(argument("period"), "period", above=True))
    if scenario == "forced" and not parsed.goal and not robot.get("rates"):
        raise ArgumentError("scenario:='forced' requires goal:='...', the final positions")
    if parsed.record and not has_package("ros2bag"):
        raise ArgumentError(
            f"record:='{parsed.record}': ros2bag is not installed: install "
            "ros-$ROS_DISTRO-ros2bag")
    if parsed.record and pathlib.Path(parsed.record).exists():
        raise ArgumentError(f"record:='{parsed.record}': already exists")
    return parsed


def gains_of(plan):
    """Return the feedback gains; raises DescriptionError if the robot has no dynamics."""
    if not is_ours(plan.urdf):
        return {}
    terms = model.terms(plan.file, dict(zip(plan.joints, plan.start)))
    if plan.controller != "effort_trajectory":
        return {}
    if terms is None:
        raise ArgumentError(
            "controller:='effort_trajectory' computes its gains with the program `dynamics` of "
            "dynamics_core, which is not in PATH")
    inertias = {joint: terms["M"][row][row] for row, joint in enumerate(model.rows_of(terms))
                if joint in plan.joints}
    return model.feedback_gains(inertias, plan.feedback)


# ---- processes whose failure ends the launch


def vital(what):
    """Return an exit handler that ends the launch, with an error if the process failed."""

    def at_exit(event, context):
        if context.is_shutdown:
            return None
        if event.returncode != 0:
            raise RuntimeError(f"{what} exited with code {event.returncode}: see its message above")
        return [Shutdown(reason=f"{what} has ended")]

    return at_exit


def helper(what):
    """Return an exit handler that ends the launch only if the process failed."""

    def at_exit(event, context):
        if event.returncode != 0 and not context.is_shutdown:
            raise RuntimeError(f"{what} exited with code {event.returncode}: see its message above")

    return at_exit


# ---- the actions


def hardware(plan, parameters):
    """Return the node of the controller manager with the simulated hardware."""
    if plan.sim_time:
        return Node(
            package="dynamics_sim", executable="simulation_node", output="screen",
            parameters=[parameters, {
                "use_sim_time": True, "speed": plan.speed, "wait_for_controllers": plan.controllers,
                "start_paused": plan.prepared or plan.paused}],
            remappings=[("~/robot_description", "robot_description")],
            on_exit=vital("the simulation"))
    return Node(
        package="controller_manager", executable="ros2_control_node", output="screen",
        parameters=[parameters, {"use_sim_time": False}],
        remappings=[("~/robot_description", "robot_description")],
        on_exit=vital("the controller manager"))


def scenario(plan):
    """Return the node that prepares the scenario before the simulated time starts."""
    parameters = {
        "joints": plan.joints, "start": plan.start, "motion": plan.motion,
        "duration": plan.period, "resume": plan.sim_time and not plan.paused,
        # in real time the arm sags before the trajectory starts: one second to return
        "approach": 0.0 if plan.sim_time else 1.0,
    }
    if plan.motion == "cycloid":
        parameters["goal"] = plan.goal
    elif plan.motion == "mohan-saha":
        parameters.update(rates=plan.robot["rates"], periods=plan.robot["periods"])
    if plan.payload:
        parameters.update(payload_mass=plan.payload.mass, payload_center=plan.payload.center,
                          payload_frame=plan.payload.frame)
    if plan.record:
        parameters["recorder"] = RECORDER
    return Node(package="dynamics_bringup", executable="scenario", output="screen",
                parameters=[parameters], on_exit=helper("the scenario"))


def window(choice):
    """Return whether to open RViz, and a message if that is not possible."""
    if choice == "false":
        return False, None
    obstacle = None
    if not has_package("rviz2"):
        obstacle = "rviz2 is not installed"
    elif not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY"):
        obstacle = "no display"
    if obstacle and choice == "true":
        raise ArgumentError(f"gui:='true': {obstacle}")
    return obstacle is None, obstacle and f"{obstacle}: continuing without RViz"


class Files:
    """Temporary files of a launch, removed at its end."""

    def __init__(self):
        """Create an empty list of files."""
        self.paths = []

    def write(self, content, prefix, suffix):
        """Write a new file and return its path."""
        with tempfile.NamedTemporaryFile(
                "w", prefix=prefix, suffix=suffix, delete=False, encoding="utf-8") as stream:
            stream.write(content)
        self.paths.append(pathlib.Path(stream.name))
        return stream.name

    def remove(self, *_):
        """Remove the files."""
        for path in self.paths:
            path.unlink(missing_ok=True)


def start_robot(context, robot):
    """Return the nodes of the launch."""

    def argument(name):
        return LaunchConfiguration(name).perform(context)

    parsed = plan(argument, robot)
    gains = gains_of(parsed)
    show, message = window(argument("gui"))
    files = Files()
    parameters = files.write(
        yaml.safe_dump(controller_parameters(parsed.joints, parsed.rate, gains)),
        "controllers_", ".yaml")
    description = with_control(
        parsed.urdf, {"gravity": " ".join(map(repr, parsed.gravity)), "step": repr(parsed.step),
                      **SCENARIOS[parsed.scenario]}, zip(parsed.joints, parsed.start),
        parsed.joints)
    sim_time = {"use_sim_time": parsed.sim_time}
    flexible = is_flexible(parsed.urdf)
    marker_parameters = {"gravity": parsed.gravity, "publish_frames": flexible}
    if "energies" in robot.get("view", {}):
        marker_parameters["energy_place"] = list(map(float, robot["view"]["energies"]))
    actions = [
        RegisterEventHandler(OnShutdown(on_shutdown=files.remove)),
        # the frames of a flexible robot are published by the markers node
        Node(package="robot_state_publisher", executable="robot_state_publisher",
             parameters=[{"robot_description": description, "publish_frequency": 50.0}, sim_time],
             remappings=[("/tf", "rigid/tf"), ("/tf_static", "rigid/tf_static")]
             if flexible else []),
        hardware(parsed, parameters),
        Node(package="controller_manager", executable="spawner", output="screen",
             arguments=[*parsed.controllers, "--controller-manager", "controller_manager",
                        "--controller-manager-timeout", "120", "--param-file", parameters],
             on_exit=helper("the spawner of the controllers")),
        Node(package="dynamics_ros", executable="dynamics_node", name="dynamics",
             parameters=[{"gravity": parsed.gravity}, sim_time],
             on_exit=vital("the dynamics node")),
        Node(package="dynamics_ros", executable="markers_node", name="dynamics_markers",
             parameters=[str(share("config", "markers.yaml")), marker_parameters,
                         sim_time]),
    ]
    if parsed.record:
        topics = recorded_topics(context.launch_configurations.get("ros_namespace", ""))
        actions.append(ExecuteProcess(
            cmd=["ros2", "bag", "record", "--storage", "mcap", "--output", parsed.record,
                 "--node-name", RECORDER, "--topics", *topics], output="screen",
            on_exit=helper("the recorder")))
    if parsed.prepared:
        actions.append(scenario(parsed))
    if message:
        actions.append(LogInfo(msg=message))
    if show:
        configuration = rviz_configuration(
            share("config", "robot.rviz").read_text("utf-8"), root_of(parsed.urdf),
            reach_of(parsed.urdf), robot.get("view"), flexible)
        actions.append(Node(
            package="rviz2", executable="rviz2", parameters=[sim_time],
            arguments=["-d", files.write(configuration, "robot_", ".rviz")],
            on_exit=Shutdown(reason="RViz was closed")))
    return actions


def robot_launch(robot=None):
    """Return the launch description of a robot of dynamics_description, or of any URDF."""
    known = {"gravity": "0 0 -9.81", "start": "", "goal": "", "period": 10.0, "scenario": "hold",
             "feedback": 30.0}
    urdf = {}
    if robot is not None:
        robots = yaml.safe_load(share("config", "robots.yaml").read_text("utf-8"))
        known.update(robots[robot])
        folder = pathlib.Path(get_package_share_directory("dynamics_description"), "urdf")
        urdf = {"default_value": str(folder / f"{robot}.urdf")}

    def argument(name, default, description, **more):
        return DeclareLaunchArgument(
            name, default_value=str(default), description=description, **more)

    return LaunchDescription([
        DeclareLaunchArgument("urdf", description="URDF file of the robot.", **urdf),
        argument("scenario", known["scenario"],
                 "free-fall: joints without controller are free, no limits; "
                 "hold: they hold their position, with limits; "
                 "forced: the papers' motion, with feedforward efforts from the dynamics node.",
                 choices=list(SCENARIOS)),
        argument("controller", "auto",
                 "Controller of the robot. auto: none for free-fall, joint_trajectory for hold, "
                 "effort_trajectory for forced.", choices=["auto", *CONTROLLERS]),
        argument("gui", "auto",
                 "RViz. auto: if there is a display and rviz2 is installed; true: otherwise an "
                 "error.",
                 choices=["auto", "true", "false"]),
        argument("use_sim_time", "true",
                 "true: simulated time on /clock, repeatable; "
                 "false: real time, with ros2_control_node.",
                 choices=["true", "false"]),
        argument("speed", "1.0",
                 "Simulated seconds per second; 0: as fast as possible (with use_sim_time)."),
        argument("paused", "false",
                 "true: start paused; continue with simulation/set_state or simulation/step "
                 "(with use_sim_time).", choices=["true", "false"]),
        argument("payload", "",
                 "Point mass on a link, 'mass [x y z] [link]' (kg, m in the link frame); default "
                 "link: the last one of the longest chain."),
        argument("record", "", "Folder of a new bag (rosbag2, MCAP) for recording; empty: none."),
        argument("start", known["start"],
                 "Initial positions in the order of the joints in the URDF (rad, m), with closed "
                 "loops of the independent joints; empty: zero, or closed loops."),
        argument("goal", known["goal"],
                 "forced: final positions of the cycloid (rad, m), joints as in start."),
        argument("period", known["period"], "forced: duration of the motion (s)."),
        argument("feedback", known["feedback"],
                 "Bandwidth of the feedback of effort_trajectory (rad/s); 0: feedforward only."),
        argument("gravity", known["gravity"], "Gravity in axes of the base link (m/s^2)."),
        argument("rate", "500", "Rate of the controller manager (Hz)."),
        argument("step", "0.001", "Step of the simulation (s)."),
        OpaqueFunction(function=start_robot, args=[known]),
    ])
