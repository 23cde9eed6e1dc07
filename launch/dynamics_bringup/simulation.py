# SPDX-License-Identifier: Apache-2.0
"""simulation.launch.py: controller manager, simulated hardware, controllers, robot description."""

import dataclasses
import pathlib
import xml.etree.ElementTree as ElementTree

import yaml
from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, GroupAction, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node, PushROSNamespace

from dynamics_bringup import model
from dynamics_bringup.arguments import ArgumentError, number, numbers, positions
from dynamics_bringup.description import (has_loops, is_flexible, sensors_of, start_of,
                                          states_of, with_control)
from dynamics_bringup.processes import Files, helper, share, vital
from dynamics_bringup.robot_file import in_world, read, with_prefix

BROADCASTER = "joint_state_broadcaster"
STATES = "state_interfaces_broadcaster"
SENSOR_BROADCASTERS = {
    "force_torque": "force_torque_sensor_broadcaster/ForceTorqueSensorBroadcaster",
    "imu": "imu_sensor_broadcaster/IMUSensorBroadcaster",
}
RATE = 500  # of the controller manager without another one (Hz)
# arguments that the robots of robots:= may have
OF_A_ROBOT = ("urdf", "xacro_arguments", "prefix", "pose", "controllers_file", "controllers",
              "rate", "unclaimed", "limits", "gravity", "start", "step")


def commanded_joints(file, urdf):
    """
    Return the start positions of the joints that are commanded, {joint: position}, in file order.

    The position nearest to 0 within the limits. With closed loops these are the independent joints,
    at the position that closes the loops; `file`: a file with the text `urdf`.
    """
    start = start_of(urdf)
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


# ---- parameters of the controllers


def in_any_namespace(parameters, namespace=""):
    """Return the content of a parameters file with its nodes in any namespace that ends so."""
    start = f"/**/{namespace}/" if namespace else "/**/"
    return {node if node.startswith("/") else start + node: value
            for node, value in parameters.items()}


def read_parameters(file):
    """Return the content of a parameters file; raises ArgumentError if it is not one."""
    path = pathlib.Path(file)
    if not path.is_file():
        raise ArgumentError(f"controllers_file:='{file}': file does not exist")
    try:
        parameters = yaml.safe_load(path.read_text("utf-8"))
    except yaml.YAMLError as error:
        raise ArgumentError(f"controllers_file:='{file}': invalid YAML: {error}") from None
    if not isinstance(parameters, dict):
        raise ArgumentError(f"controllers_file:='{file}': must map names of nodes to parameters")
    return parameters


def own_parameters(joints, sensors=None):
    """
    Return config/controllers.yaml for these joints, with a controller NAME_broadcaster per sensor.

    `sensors`: as of sensors_of().
    """
    parameters = read_parameters(share("config", "controllers.yaml"))
    for name, section in parameters.items():
        if name not in ("controller_manager", BROADCASTER):
            section["ros__parameters"]["joints"] = list(joints)
    for name, (kind, frame) in (sensors or {}).items():
        parameters["controller_manager"]["ros__parameters"][f"{name}_broadcaster"] = {
            "type": SENSOR_BROADCASTERS[kind]}
        parameters[f"{name}_broadcaster"] = {
            "ros__parameters": {"sensor_name": name, "frame_id": frame}}
    return parameters


def parameters_of(node, parameters):
    """Return the parameters of a node, which are added if there are none."""
    for name, section in parameters.items():
        if name.rpartition("/")[2] == node and isinstance(section, dict):
            return section.setdefault("ros__parameters", {})
    return parameters.setdefault(node, {"ros__parameters": {}})["ros__parameters"]


def complete_parameters(parameters, controllers, rate=None, limits=True, states=(), namespace=""):
    """
    Return the parameters of the controller manager and its controllers, in any namespace.

    `rate`: replaces that of the file (Hz). Without `limits` the manager does not enforce the
    limits of the commands, unless the file says so. `states`: the state interfaces that
    state_interfaces_broadcaster publishes. `namespace`: its end, one of several robots; the
    simulated time waits for the controllers of each.
    """
    manager = parameters_of("controller_manager", parameters)
    if rate is not None:
        manager["update_rate"] = rate
    manager.setdefault("update_rate", RATE)
    if not limits:
        # default true since Kilted: efforts of a joint beyond its stop would become zero
        manager.setdefault("enforce_command_limits", False)
    if BROADCASTER in controllers:
        manager.setdefault(BROADCASTER, {}).setdefault(
            "type", "joint_state_broadcaster/JointStateBroadcaster")
    if STATES in controllers:
        manager.setdefault(STATES, {}).setdefault(
            "type", "state_interfaces_broadcaster/StateInterfacesBroadcaster")
        parameters_of(STATES, parameters).setdefault("interfaces", list(states))
    if namespace and controllers:
        manager.setdefault("wait_for_controllers", list(controllers))
    return in_any_namespace(parameters, namespace)


def major_version(package):
    """Return the major version of an installed package; None without it."""
    try:
        file = pathlib.Path(get_package_share_directory(package), "package.xml")
    except PackageNotFoundError:
        return None
    return int(ElementTree.parse(file).getroot().findtext("version").partition(".")[0])


def publishes_dynamic_joint_states():
    """Return True if joint_state_broadcaster has the topic dynamic_joint_states: before 6.0."""
    version = major_version(BROADCASTER)
    return version is None or version < 6


# ---- the plan


@dataclasses.dataclass
class Simulation:
    """The checked arguments of simulation.launch.py."""

    description: str  # empty: from the topic
    topic: str
    controllers: list
    parameters: dict
    sim_time: bool
    speed: float
    paused: bool
    publish_clock: bool

    @property
    def flexible(self):
        """Return True if links bend: their frames are published by the markers node."""
        return bool(self.description) and is_flexible(self.description)


def described(argument, files):
    """Return the URDF with its <ros2_control> block, and the joints that are commanded."""
    urdf = in_world(
        with_prefix(read(argument("urdf"), argument("xacro_arguments")), argument("prefix")),
        argument("pose"))
    file = argument("urdf")
    if has_loops(urdf):  # for the program, which reads files
        file = files.write(urdf, "robot_", ".urdf")
    default_start = commanded_joints(file, urdf)
    joints = list(default_start)
    start = positions(argument("start"), "start", joints)
    if not start and has_loops(urdf):
        start = list(default_start.values())
    # else the hardware has the same default
    parameters = {
        "gravity": " ".join(map(repr, numbers(argument("gravity"), "gravity", 3))),
        "step": repr(number(argument("step"), "step", above=True)),
        "unclaimed": argument("unclaimed"), "limits": argument("limits")}
    return with_control(urdf, parameters, zip(joints, start), joints), joints


def robots_of(argument):
    """Return the arguments of each robot: {namespace: function}; without robots:= {"": ...}."""
    text = argument("robots")
    if not text:
        return {"": argument}
    try:
        robots = yaml.load(text, Loader=yaml.BaseLoader)  # all values stay strings
    except yaml.YAMLError as error:
        raise ArgumentError(f"robots:='{text}': invalid YAML: {error}") from None
    if not isinstance(robots, dict) or not all(isinstance(own, dict) for own in robots.values()):
        raise ArgumentError(
            f"robots:='{text}': must map namespaces to arguments: "
            "{left: {prefix: left_}, right: {prefix: right_}}")
    for name, own in robots.items():
        unknown = [key for key in own if key not in OF_A_ROBOT]
        if unknown:
            raise ArgumentError(f"robots:= of '{name}': '{unknown[0]}' is not one of "
                                + ", ".join(OF_A_ROBOT))

    def of(own):
        return lambda name: own[name] if name in own else argument(name)

    return {name: of(own) for name, own in robots.items()}


def plan_simulation(argument, files, namespace=""):
    """Return the plan; raises ArgumentError or DescriptionError for invalid arguments."""
    description, joints = described(argument, files) if argument("urdf") else ("", None)
    controllers = argument("controllers").split()
    own = argument("controllers_file")
    if not own and joints is None and set(controllers) - {BROADCASTER}:
        raise ArgumentError(
            f"controllers:='{argument('controllers')}': requires controllers_file:= with their "
            "parameters, because the joints of a description from a topic are not known")
    rate = None
    if argument("rate"):
        rate = number(argument("rate"), "rate", above=True)
        if rate != int(rate):
            raise ArgumentError(f"rate:='{argument('rate')}': must be an integer (Hz)")
        rate = int(rate)
    # amplitudes and joints of one instant, for the markers node
    states = states_of(description) if description else []
    if states and not publishes_dynamic_joint_states() and STATES not in controllers:
        controllers.append(STATES)
    return Simulation(
        description=description, topic=argument("description_topic"), controllers=controllers,
        parameters=complete_parameters(
            read_parameters(own) if own else own_parameters(
                joints or [], sensors_of(description) if description else None), controllers, rate,
            argument("limits") == "true", states, namespace),
        sim_time=argument("use_sim_time") == "true", speed=number(argument("speed"), "speed"),
        paused=argument("paused") == "true", publish_clock=argument("publish_clock") == "true")


# ---- the actions


def hardware(plan, parameters, namespaces=()):
    """
    Return the node of the controller managers with the simulated hardware.

    `parameters`: files. `namespaces`: of several controller managers in simulated time.
    """
    remappings = [(name, plan.topic) for name in ("robot_description", "~/robot_description")]
    if plan.sim_time:
        own = {"use_sim_time": True, "speed": plan.speed, "start_paused": plan.paused,
               "publish_clock": plan.publish_clock}
        if plan.controllers and not namespaces:  # launch_ros has no empty lists
            own["wait_for_controllers"] = plan.controllers
        return Node(
            package="dynamics_sim", executable="simulation_node", output="screen",
            arguments=["--namespaces", *namespaces] if namespaces else [],
            parameters=[*parameters, own],
            remappings=remappings, on_exit=vital("the simulation"))
    return Node(
        package="controller_manager", executable="ros2_control_node", output="screen",
        parameters=[*parameters, {"use_sim_time": False}], remappings=remappings,
        on_exit=vital("the controller manager"))


def description_publisher(plan):
    """Return robot_state_publisher, if the description is in a file."""
    if not plan.description:
        return []
    remappings = [("robot_description", plan.topic)]
    if plan.flexible:  # the frames of a flexible robot are published by the markers node
        remappings += [("/tf", "rigid/tf"), ("/tf_static", "rigid/tf_static")]
    return [Node(
        package="robot_state_publisher", executable="robot_state_publisher",
        parameters=[{"robot_description": plan.description, "publish_frequency": 50.0,
                     "use_sim_time": plan.sim_time}],
        remappings=remappings)]


def spawner(plan, parameters):
    """Return the spawner of the controllers, if there are any."""
    if not plan.controllers:
        return []
    return [Node(
        package="controller_manager", executable="spawner", output="screen",
        arguments=[*plan.controllers, "--controller-manager", "controller_manager",
                   "--controller-manager-timeout", "120", "--param-file", parameters],
        on_exit=helper("the spawner of the controllers"))]


def in_namespace(namespace, actions):
    """Return the actions in a namespace, if it is not empty."""
    return [GroupAction([PushROSNamespace(namespace), *actions])] if namespace else actions


def start_simulation(context):
    """Return the nodes of the launch."""

    def argument(name):
        return LaunchConfiguration(name).perform(context)

    files = Files()
    plans = {name: plan_simulation(of, files, name) for name, of in robots_of(argument).items()}
    parameters = {name: files.write(yaml.safe_dump(plan.parameters), "controllers_", ".yaml")
                  for name, plan in plans.items()}
    actions = [files.cleanup()]
    one_process = argument("robots") and argument("use_sim_time") == "true"
    if one_process:
        actions.append(hardware(next(iter(plans.values())), parameters.values(), plans))
    for name, plan in plans.items():
        manager = [] if one_process else [hardware(plan, [parameters[name]])]
        actions += in_namespace(name, [
            *description_publisher(plan), *manager, *spawner(plan, parameters[name])])
    return in_namespace(argument("namespace"), actions)


def simulation_launch():
    """Return the launch description of simulation.launch.py."""

    def argument(name, default, description, **more):
        return DeclareLaunchArgument(name, default_value=default, description=description, **more)

    yes_or_no = {"choices": ["true", "false"]}
    return LaunchDescription([
        argument("namespace", "", "Namespace of all nodes, topics and controllers."),
        argument("robots", "",
                 "Several robots on one clock, each in a namespace of its own: a YAML mapping of "
                 "namespaces to arguments that differ from those of the launch, for example "
                 "{left: {prefix: left_}, right: {prefix: right_}}."),
        argument("urdf", "",
                 "URDF or xacro file (*.xacro) of the robot; empty: the description comes from "
                 "description_topic and has a <ros2_control> block."),
        argument("xacro_arguments", "", "Arguments of the xacro file: 'name:=value name:=value'."),
        argument("prefix", "", "Put before the names of links, joints and hardware of `urdf`."),
        argument("pose", "",
                 "Pose of the root link in a new root link `world`: 'x y z [roll pitch yaw]' (m, "
                 "rad); empty: no such link."),
        argument("description_topic", "robot_description",
                 "Topic of the robot description, in the namespace unless it begins with /."),
        argument("controllers_file", "",
                 "Parameters file of the controller manager and its controllers, in any namespace; "
                 "empty: config/controllers.yaml with all joints."),
        argument("controllers", BROADCASTER, "Controllers to start: names separated by spaces."),
        argument("rate", "",
                 f"Rate of the controller manager (Hz); empty: that of the file, else {RATE}."),
        argument("use_sim_time", "true",
                 "true: simulated time on /clock, repeatable; "
                 "false: real time, with ros2_control_node.", **yes_or_no),
        argument("speed", "1.0",
                 "Simulated seconds per second; 0: as fast as possible (with use_sim_time)."),
        argument("paused", "false",
                 "true: start paused; continue with simulation/set_state or simulation/step "
                 "(with use_sim_time).", **yes_or_no),
        argument("publish_clock", "true",
                 "false: another simulation publishes /clock (with use_sim_time).", **yes_or_no),
        # of the <ros2_control> block, if `urdf` has none
        argument("unclaimed", "hold",
                 "Joints without a controller (if the URDF has no <ros2_control> block).",
                 choices=["hold", "brake", "free"]),
        argument("limits", "true",
                 "Stops and limits of the URDF act (if it has no <ros2_control> block); false: the "
                 "controller manager does not enforce them either.", **yes_or_no),
        argument("gravity", "0 0 -9.81",
                 "Gravity in axes of the root link (m/s^2; if there is no <ros2_control> block)."),
        argument("start", "",
                 "Initial positions in the order of the joints in the URDF (rad, m), with closed "
                 "loops of the independent joints; empty: zero, or closed loops (if there is no "
                 "<ros2_control> block)."),
        argument("step", "0.001",
                 "Step of the simulation (s; if there is no <ros2_control> block)."),
        OpaqueFunction(function=start_simulation),
    ])
