# SPDX-License-Identifier: Apache-2.0
"""Reads a robot from a URDF or xacro file, renames it, and places it in the frame `world`."""

import pathlib
import shlex
import xml.etree.ElementTree as ElementTree
from xml.sax.saxutils import quoteattr

from dynamics_bringup.arguments import ArgumentError, numbers
from dynamics_bringup.description import DescriptionError, has_link, parse, root_of

# the elements and attributes with names of links, joints and parts of the hardware
NAMED = (
    ("link", "name"), ("joint", "name"), ("joint/parent", "link"), ("joint/child", "link"),
    ("joint/mimic", "joint"), ("constraint", "name"), ("constraint/parent", "link"),
    ("constraint/child", "link"), ("transmission", "name"), ("transmission/joint", "name"),
    ("transmission/actuator", "name"), ("gazebo", "reference"), ("ros2_control", "name"),
    ("ros2_control/joint", "name"), ("ros2_control/sensor", "name"), ("ros2_control/gpio", "name"),
    ("ros2_control/transmission", "name"), ("ros2_control/transmission/joint", "name"),
    ("ros2_control/transmission/actuator", "name"),
)
# parameters of joints and sensors in a <ros2_control> block whose values are such names
NAMED_PARAMETERS = ("mimic", "joint", "frame", "frame_id")


def _expanded(file, words):
    """Return the URDF of a xacro file."""
    try:
        import xacro
    except ImportError:
        raise ArgumentError(
            f"urdf:='{file}': xacro is not installed: install ros-$ROS_DISTRO-xacro") from None
    mappings = {}
    for word in words:
        name, found, value = word.partition(":=")
        if not found or not name:
            raise ArgumentError(f"xacro_arguments: '{word}': must be name:=value")
        mappings[name] = value
    try:
        return xacro.process_file(str(file), mappings=mappings).toprettyxml(indent="  ")
    except Exception as error:  # xacro raises errors of many types, also those of expressions
        raise DescriptionError(f"{file}: xacro: {error}") from None


def read(file, xacro_arguments=""):
    """Return the URDF in a file; xacro files (*.xacro) are expanded with name:=value arguments."""
    file = pathlib.Path(file)
    if not file.is_file():
        raise ArgumentError(f"urdf:='{file}': file does not exist")
    words = shlex.split(xacro_arguments)
    if file.suffix == ".xacro":
        return _expanded(file, words)
    if words:
        raise ArgumentError(
            f"xacro_arguments:='{xacro_arguments}': '{file}' is not a xacro file (*.xacro)")
    return file.read_text("utf-8")


def with_prefix(urdf, prefix):
    """Return the URDF with a prefix before the names of its links, joints and hardware."""
    if not prefix:
        return urdf
    robot = parse(urdf)
    for path, attribute in NAMED:
        for element in robot.findall(path):
            if element.get(attribute) is not None:
                element.set(attribute, prefix + element.get(attribute))
    for parameter in robot.findall("ros2_control/*/param"):
        if parameter.get("name") in NAMED_PARAMETERS:
            parameter.text = prefix + (parameter.text or "").strip()
    return ElementTree.tostring(robot, encoding="unicode")


def in_world(urdf, pose):
    """
    Return the URDF with its root link fixed to a new root link `world`.

    `pose`: 'x y z [roll pitch yaw]' of the root link (m, rad); empty: the URDF is not changed.
    """
    if not pose.split():
        return urdf
    values = numbers(pose, "pose")
    if len(values) not in (3, 6):
        raise ArgumentError(f"pose:='{pose}': must be 'x y z' or 'x y z roll pitch yaw'")
    if has_link(urdf, "world"):
        raise ArgumentError(f"pose:='{pose}': the robot already has a link 'world'")
    values += [0.0] * (6 - len(values))
    root = root_of(urdf)
    joint = (f'  <link name="world"/>\n'
             f'  <joint name={quoteattr(f"world_to_{root}")} type="fixed">\n'
             f'    <parent link="world"/><child link={quoteattr(root)}/>\n'
             f'    <origin xyz="{" ".join(map(repr, values[:3]))}" '
             f'rpy="{" ".join(map(repr, values[3:]))}"/>\n  </joint>\n')
    end = urdf.rindex("</robot>")
    return urdf[:end] + joint + urdf[end:]
