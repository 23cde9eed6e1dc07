# SPDX-License-Identifier: Apache-2.0
"""Robot descriptions: what a launch has to know of one, and made ready for ros2_control."""

import math
import xml.etree.ElementTree as ElementTree
from xml.sax.saxutils import escape, quoteattr

MOVING = ("revolute", "continuous", "prismatic")
COMMANDS = ("position", "velocity", "effort")
STATES = ("position", "velocity", "effort", "acceleration")
PLUGIN = "dynamics_sim/DynamicsSystem"


class DescriptionError(ValueError):
    """A robot description, or an argument about it, that cannot be."""


def parse(urdf, name="the robot description"):
    """Return the root element of a URDF."""
    try:
        robot = ElementTree.fromstring(urdf)
    except ElementTree.ParseError as error:
        raise DescriptionError(f"{name}: it is not XML: {error}") from None
    if robot.tag != "robot":
        raise DescriptionError(f"{name}: it starts with <{robot.tag}>, a URDF with <robot>")
    return robot


def joints_of(urdf):
    """Return the names of the joints that can be commanded, in the order of the file."""
    return [
        joint.get("name")
        for joint in parse(urdf).findall("joint")
        if joint.get("type") in MOVING and joint.find("mimic") is None
    ]


def _parents(robot):
    """Return each link's joint to its parent, by the link's name."""
    return {joint.find("child").get("link"): joint for joint in robot.findall("joint")
            if joint.find("child") is not None and joint.find("parent") is not None}


def root_of(urdf):
    """Return the name of the link that is no joint's child."""
    robot = parse(urdf)
    children = _parents(robot)
    for link in robot.findall("link"):
        if link.get("name") not in children:
            return link.get("name")
    raise DescriptionError(f"robot '{robot.get('name')}': no link is its root")


def _way(robot, link):
    """Return the joints from the root to a link, and the length of the way."""
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
    """Return the link at the end of the longest chain: the one that has most joints below it."""
    robot = parse(urdf)
    names = [link.get("name") for link in robot.findall("link")]
    if not names:
        raise DescriptionError(f"robot '{robot.get('name')}' has no links")
    # of several the last, as the core chooses its end effector
    return max(reversed(names), key=lambda name: len(_way(robot, name)[0]))


def reach_of(urdf):
    """Return how far from its root the robot can get at most, along its joints (m)."""
    robot = parse(urdf)
    return max((_way(robot, link.get("name"))[1] for link in robot.findall("link")), default=0.0)


def has_link(urdf, name):
    """Tell whether there is a link of this name."""
    return any(link.get("name") == name for link in parse(urdf).findall("link"))


def is_flexible(urdf):
    """Tell whether a link has modes of bending."""
    return any(
        int(element.get(modes, "0")) > 0
        for element in parse(urdf).findall("link/flexible") for modes in ("modes_y", "modes_z"))


def is_ours(urdf):
    """Tell whether dynamics_sim simulates this robot, or will, for want of another block."""
    blocks = parse(urdf).findall("ros2_control")
    return not blocks or any(
        (block.findtext("hardware/plugin") or "").strip() == PLUGIN for block in blocks)


def with_control(urdf, parameters, start=None):
    """
    Return the URDF with a <ros2_control> block for dynamics_sim, every joint with every interface.

    A URDF that has a block of its own is returned as it is. `parameters` are the hardware's,
    `start` the initial positions by joint name.
    """
    robot = parse(urdf)
    if robot.find("ros2_control") is not None:
        return urdf
    start = dict(start or {})
    unknown = set(start) - set(joints_of(urdf))
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
        if joint.find("mimic") is None:
            lines += [f'    <command_interface name="{kind}"/>' for kind in COMMANDS]
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
