# SPDX-License-Identifier: Apache-2.0
"""Reads robot descriptions and adds the <ros2_control> block."""

import math
import xml.etree.ElementTree as ElementTree
from xml.sax.saxutils import escape, quoteattr

MOVING = ("revolute", "continuous", "prismatic")
COMMANDS = ("position", "velocity", "effort")
STATES = ("position", "velocity", "effort", "acceleration")
PLUGIN = "dynamics_sim/DynamicsSystem"


class DescriptionError(ValueError):
    """An invalid robot description, or an argument that does not match it."""


def parse(urdf, name="the robot description"):
    """Return the root element of a URDF."""
    try:
        robot = ElementTree.fromstring(urdf)
    except ElementTree.ParseError as error:
        raise DescriptionError(f"{name}: invalid XML: {error}") from None
    if robot.tag != "robot":
        raise DescriptionError(f"{name}: root element is <{robot.tag}>, must be <robot>")
    return robot


def joints_of(urdf):
    """Return the names of the joints that can be commanded, in file order."""
    return [
        joint.get("name")
        for joint in parse(urdf).findall("joint")
        if joint.get("type") in MOVING and joint.find("mimic") is None
    ]


def start_of(urdf):
    """Return the default start of the joints that can be commanded: the position nearest to 0."""
    start = {}
    for joint in parse(urdf).findall("joint"):
        limit = joint.find("limit")
        start[joint.get("name")] = 0.0
        if joint.get("type") in ("revolute", "prismatic") and limit is not None:
            lower, upper = (float(limit.get(end, "0")) for end in ("lower", "upper"))
            start[joint.get("name")] = max(lower, min(upper, 0.0))
    return {joint: start[joint] for joint in joints_of(urdf)}


def _parents(robot):
    """Return the parent joint of each link, by link name."""
    return {joint.find("child").get("link"): joint for joint in robot.findall("joint")
            if joint.find("child") is not None and joint.find("parent") is not None}


def root_of(urdf):
    """Return the name of the root link."""
    robot = parse(urdf)
    children = _parents(robot)
    for link in robot.findall("link"):
        if link.get("name") not in children:
            return link.get("name")
    raise DescriptionError(f"robot '{robot.get('name')}' has no root link")


def _chain(robot, link):
    """Return the joints from a link to the root, and the length of this chain."""
    parents, joints, length = _parents(robot), [], 0.0
    while link in parents and len(joints) <= len(parents):
        joint = parents[link]
        origin = joint.find("origin")
        if origin is not None:
            length += math.hypot(*(float(word) for word in origin.get("xyz", "0 0 0").split()))
        limit = joint.find("limit")
        if joint.get("type") == "prismatic" and limit is not None:
            length += max(abs(float(limit.get(end, "0"))) for end in ("lower", "upper"))
        joints.append(joint)
        link = joint.find("parent").get("link")
    return joints, length


def tip_of(urdf):
    """Return the link at the end of the longest chain of joints."""
    robot = parse(urdf)
    names = [link.get("name") for link in robot.findall("link")]
    if not names:
        raise DescriptionError(f"robot '{robot.get('name')}' has no links")
    # the last if several are as long, like the end effector of dynamics_core
    return max(reversed(names), key=lambda name: len(_chain(robot, name)[0]))


def reach_of(urdf):
    """Return an upper bound of the reach of the robot from its root (m)."""
    robot = parse(urdf)
    return max((_chain(robot, link.get("name"))[1] for link in robot.findall("link")), default=0.0)


def has_link(urdf, name):
    """Return True if there is a link with this name."""
    return any(link.get("name") == name for link in parse(urdf).findall("link"))


def is_flexible(urdf):
    """Return True if a link has bending modes."""
    return any(
        int(element.get(modes, "0")) > 0
        for element in parse(urdf).findall("link/flexible") for modes in ("modes_y", "modes_z"))


def has_loops(urdf):
    """Return True if joints close loops."""
    return parse(urdf).find("constraint") is not None


def is_ours(urdf):
    """Return True if dynamics_sim simulates this robot, also if it has no <ros2_control> block."""
    blocks = parse(urdf).findall("ros2_control")
    return not blocks or any(
        (block.findtext("hardware/plugin") or "").strip() == PLUGIN for block in blocks)


def wrench_topic_of(urdf):
    """Return the topic on which the simulated hardware takes wrenches; "" without such hardware."""
    robot = parse(urdf)
    for block in robot.findall("ros2_control"):
        if (block.findtext("hardware/plugin") or "").strip() == PLUGIN:
            return f"{block.get('name').lower().replace('/', '_')}/wrench"  # node of the hardware
    return "" if robot.find("ros2_control") is not None else f"{robot.get('name').lower()}/wrench"


def amplitudes_of(urdf):
    """Return the state interfaces of the flexible links: amplitudes and their rates."""
    names = []
    for link in parse(urdf).findall("link"):
        for element in link.findall("flexible"):
            for axis in "yz":
                for mode in range(1, int(element.get(f"modes_{axis}", "0")) + 1):
                    names += [f"{link.get('name')}/{axis}{mode}",
                              f"{link.get('name')}/{axis}{mode}_velocity"]
    return names


def states_of(urdf):
    """Return the state interfaces of a flexible robot and its joints; none without modes."""
    amplitudes = amplitudes_of(urdf)
    return amplitudes and amplitudes + [
        f"{joint.get('name')}/{state.get('name')}"
        for joint in parse(urdf).findall("ros2_control/joint")
        for state in joint.findall("state_interface")
        if state.get("name") in ("position", "velocity", "effort")]


def sensors_of(urdf):
    """Return the force-torque sensors and IMUs in the blocks: {name: (kind, frame)}."""
    robot, sensors = parse(urdf), {}
    children = {joint.get("name"): joint.find("child").get("link")
                for joint in robot.findall("joint") if joint.find("child") is not None}
    for sensor in robot.findall("ros2_control/sensor"):
        states = {state.get("name") for state in sensor.findall("state_interface")}
        given = {one.get("name"): (one.text or "").strip() for one in sensor.findall("param")}
        name = sensor.get("name")
        # the frame of dynamics_sim: that of the parameter, or behind the joint
        frame = given.get("frame") or children.get(given.get("joint", name), name)
        for kind, interface in (("force_torque", "force.x"), ("imu", "linear_acceleration.x")):
            if interface in states:
                sensors[name] = (kind, frame)
    return sensors


def with_control(urdf, parameters, start=None, commanded=None):
    """
    Return the URDF with a <ros2_control> block for dynamics_sim, every joint with every interface.

    A URDF that already has a block is returned unchanged. `parameters`: of the hardware; `start`:
    initial positions by joint name; `commanded`: the joints with command interfaces, default all
    that can be commanded. With the parameter limits "false" the joints are exempt from the limits
    that the controller manager enforces (default since ROS 2 Kilted).
    """
    commanded = joints_of(urdf) if commanded is None else commanded
    robot = parse(urdf)
    if robot.find("ros2_control") is not None:
        return urdf
    start = dict(start or {})
    unknown = set(start) - set(commanded)
    if unknown:
        raise DescriptionError(
            f"robot '{robot.get('name')}' has no joints {', '.join(sorted(unknown))}")
    lines = [
        f"<ros2_control name={quoteattr(robot.get('name'))} type=\"system\">",
        "  <hardware>",
        f"    <plugin>{PLUGIN}</plugin>",
    ]
    lines += [f"    <param name={quoteattr(name)}>{escape(str(value))}</param>"
              for name, value in parameters.items()]
    lines.append("  </hardware>")
    for joint in robot.findall("joint"):
        if joint.get("type") not in MOVING:
            continue
        name = joint.get("name")
        lines.append(f"  <joint name={quoteattr(name)}>")
        if parameters.get("limits") == "false":
            lines.append('    <limits enable="false"/>')
        if name in commanded:
            lines += [f'    <command_interface name="{kind}"/>' for kind in COMMANDS]
        elif joint.get("actuated") == "true":  # redundant: moved by the others
            lines.append('    <param name="unclaimed">free</param>')
        for kind in STATES:
            if kind == "position" and name in start:
                lines.append(f'    <state_interface name="{kind}"><param name="initial_value">'
                             f"{float(start[name])!r}</param></state_interface>")
            else:
                lines.append(f'    <state_interface name="{kind}"/>')
        lines.append("  </joint>")
    lines.append("</ros2_control>")
    block = "".join(f"  {line}\n" for line in lines)
    end = urdf.rindex("</robot>")
    return urdf[:end] + block + urdf[end:]
