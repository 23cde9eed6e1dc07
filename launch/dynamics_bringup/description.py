# SPDX-License-Identifier: Apache-2.0
"""Robot descriptions made ready for ros2_control."""
import xml.etree.ElementTree as ElementTree
from xml.sax.saxutils import escape, quoteattr

MOVING = ("revolute", "continuous", "prismatic")
COMMANDS = ("position", "velocity", "effort")
STATES = ("position", "velocity", "effort", "acceleration")


def joints_of(urdf):
    """The names of the joints that can be commanded, in the order of the file."""
    return [
        joint.get("name")
        for joint in ElementTree.fromstring(urdf).findall("joint")
        if joint.get("type") in MOVING and joint.find("mimic") is None
    ]


def with_control(urdf, parameters, start=None):
    """
    The URDF with a <ros2_control> block for dynamics_sim, every joint with every interface.

    A URDF that has a block of its own is returned as it is. `parameters` are the hardware's,
    `start` the initial positions by joint name.
    """
    robot = ElementTree.fromstring(urdf)
    if robot.find("ros2_control") is not None:
        return urdf
    start = dict(start or {})
    unknown = set(start) - set(joints_of(urdf))
    if unknown:
        raise ValueError(f"robot '{robot.get('name')}' has no joints {', '.join(sorted(unknown))}")
    lines = [
        f"<ros2_control name={quoteattr(robot.get('name'))} type=\"system\">",
        "  <hardware>",
        "    <plugin>dynamics_sim/DynamicsSystem</plugin>",
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
            lines += [f"    <command_interface name=\"{kind}\"/>" for kind in COMMANDS]
        for kind in STATES:
            if kind == "position" and name in start:
                lines.append(f"    <state_interface name=\"{kind}\"><param name=\"initial_value\">"
                             f"{float(start[name])!r}</param></state_interface>")
            else:
                lines.append(f"    <state_interface name=\"{kind}\"/>")
        lines.append("  </joint>")
    lines.append("</ros2_control>")
    block = "".join(f"  {line}\n" for line in lines)
    end = urdf.rindex("</robot>")
    return urdf[:end] + block + urdf[end:]
