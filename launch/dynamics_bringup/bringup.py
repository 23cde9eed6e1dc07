# SPDX-License-Identifier: Apache-2.0
"""Launch description of the demonstrations: scenarios of one robot on the other launch files."""

import dataclasses
import pathlib

import yaml
from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch.actions import (DeclareLaunchArgument, ExecuteProcess, GroupAction,
                            IncludeLaunchDescription, OpaqueFunction)
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from dynamics_bringup import model
from dynamics_bringup.arguments import ArgumentError, number, numbers, payload, positions
from dynamics_bringup.description import is_flexible, is_ours, wrench_topic_of
from dynamics_bringup.processes import Files, has_package, helper, share
from dynamics_bringup.robot_file import read
from dynamics_bringup.simulation import BROADCASTER, commanded_joints, own_parameters

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


def recorded_topics(namespace):
    """Return the recorded topics of a launch in this namespace; time and frames have none."""
    return [topic if topic.startswith("/") else f"{namespace.rstrip('/')}/{topic}"
            for topic in RECORDED]


def included(name, **arguments):
    """Return a launch file of this package as an action with these arguments."""
    arguments = {"namespace": "", "robots": "", "prefix": "", "pose": "", "xacro_arguments": "",
                 **arguments}
    source = PythonLaunchDescriptionSource(str(share("launch", f"{name}.launch.py")))
    # in a scope of its own: its arguments are not those of the other launch files
    return GroupAction([IncludeLaunchDescription(source, launch_arguments=arguments.items())])


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
    drag: str
    robot: dict  # its entry in config/robots.yaml

    @property
    def controllers(self):
        """Return the names of the controllers to start."""
        return [BROADCASTER, *filter(None, [CONTROLLERS[self.controller]])]

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


def plan(argument, robot, files):
    """Return the plan; raises ArgumentError or DescriptionError for invalid arguments."""
    file = pathlib.Path(argument("urdf"))
    urdf = read(file, argument("xacro_arguments"))
    if file.suffix == ".xacro":  # expanded once, for the program and all launch files
        file = pathlib.Path(files.write(urdf, "robot_", ".urdf"))
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
        period=number(argument("period"), "period", above=True), drag=argument("drag").strip())
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


# ---- the actions


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


def simulation(plan, gains, files):
    """Return the simulation with the controllers of the plan."""
    parameters = own_parameters(plan.joints)
    if gains:
        parameters["effort_trajectory_controller"]["ros__parameters"]["gains"] = gains
    return included(
        "simulation", urdf=str(plan.file), start=" ".join(map(repr, plan.start)),
        gravity=" ".join(map(repr, plan.gravity)), step=repr(plan.step),
        use_sim_time=str(plan.sim_time).lower(), speed=repr(plan.speed),
        paused=str(plan.prepared or plan.paused).lower(), publish_clock="true",
        description_topic="robot_description", controllers=" ".join(plan.controllers),
        controllers_file=files.write(yaml.safe_dump(parameters), "controllers_", ".yaml"),
        rate=str(plan.rate), **SCENARIOS[plan.scenario])


def dynamics(plan, files):
    """Return the dynamics node and the markers."""
    markers = yaml.safe_load(share("config", "markers.yaml").read_text("utf-8"))
    if "energies" in plan.robot.get("view", {}):
        for section in markers.values():
            section["ros__parameters"]["energy_place"] = [
                float(number) for number in plan.robot["view"]["energies"]]
    return included(
        "dynamics", use_sim_time=str(plan.sim_time).lower(), markers="true",
        gravity=" ".join(map(repr, plan.gravity)), description_topic="robot_description",
        # the frames of a flexible robot
        publish_frames=str(is_flexible(plan.urdf)).lower(), drag=plan.drag,
        wrench_topic=wrench_topic_of(plan.urdf),
        markers_file=files.write(yaml.safe_dump(markers), "markers_", ".yaml"))


def recorder(plan, namespace):
    """Return the recorder."""
    return ExecuteProcess(
        cmd=["ros2", "bag", "record", "--storage", "mcap", "--output", plan.record,
             "--node-name", RECORDER, "--topics", *recorded_topics(namespace)], output="screen",
        on_exit=helper("the recorder"))


def start_robot(context, robot):
    """Return the nodes of the launch."""

    def argument(name):
        return LaunchConfiguration(name).perform(context)

    files = Files()
    parsed = plan(argument, robot, files)
    actions = [files.cleanup(), simulation(parsed, gains_of(parsed), files),
               dynamics(parsed, files)]
    if parsed.record:
        actions.append(recorder(parsed, context.launch_configurations.get("ros_namespace", "")))
    if parsed.prepared:
        actions.append(scenario(parsed))
    actions.append(included(
        "view", gui=argument("gui"), urdf=str(parsed.file), namespaces="", frame="", distance="",
        focal_point="", view=yaml.safe_dump(robot.get("view", {}), default_flow_style=True),
        rviz_config="", wrenches="", drag=str(bool(parsed.drag)).lower(),
        use_sim_time=str(parsed.sim_time).lower()))
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
        DeclareLaunchArgument(
            "urdf", description="URDF or xacro file (*.xacro) of the robot.", **urdf),
        argument("xacro_arguments", "", "Arguments of the xacro file: 'name:=value name:=value'."),
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
        argument("drag", "",
                 "Link with a marker in RViz that drags the robot by a virtual spring; auto: the "
                 "end effector; empty: none."),
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
