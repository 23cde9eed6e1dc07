# SPDX-License-Identifier: Apache-2.0
"""The xacro macro of the <ros2_control> block."""

import pathlib
import xml.etree.ElementTree as ElementTree

import pytest
from ament_index_python.packages import get_package_share_directory
from dynamics_bringup.arguments import ArgumentError
from dynamics_bringup.description import DescriptionError, joints_of, with_control
from dynamics_bringup.robot_file import read

FOLDER = pathlib.Path(get_package_share_directory("dynamics_description"), "xacro")
ARM = FOLDER / "ur5e.urdf.xacro"
UR5E = (FOLDER.parent / "urdf/ur5e.urdf").read_text("utf-8")
pytest.importorskip("xacro", reason="xacro is not installed")


def block_of(text):
    """Return the block as {(element, name): text or children}."""
    return ElementTree.fromstring(text).find("ros2_control")


def interfaces(block, tag):
    return {joint.get("name"): [one.get("name") for one in joint.findall(tag)]
            for joint in block.findall("joint")}


def expanded(tmp_path, call):
    file = tmp_path / "robot.urdf.xacro"
    file.write_text(
        '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename='
        '"$(find dynamics_description)/xacro/dynamics_sim.ros2_control.xacro"/>'
        f"<xacro:dynamics_sim_ros2_control {call}/></robot>", "utf-8")
    return block_of(read(file))


def test_block_is_that_of_the_launch_files():
    made = block_of(read(ARM))
    parameters = {"gravity": "0 0 -9.81", "step": "0.001", "unclaimed": "hold", "limits": "true"}
    launched = block_of(with_control(UR5E, parameters))
    for tag in ("command_interface", "state_interface"):
        assert interfaces(made, tag) == interfaces(launched, tag)
    assert made.findtext("hardware/plugin") == launched.findtext("hardware/plugin")
    given = {one.get("name"): one.text for one in made.findall("hardware/param")}
    assert parameters.items() <= given.items()
    start = {joint.get("name"): joint.findtext("state_interface[@name='position']/param")
             for joint in made.findall("joint")}
    assert start["elbow_joint"] == "1.5" and start["shoulder_pan_joint"] is None
    # the robot is that of the URDF
    assert joints_of(read(ARM)) == joints_of(UR5E)


def test_prefix_and_passive_joints(tmp_path):
    block = expanded(
        tmp_path, 'name="arm" prefix="left_" joints="a b" passive="c" commands="effort" '
        'states="position velocity" initial_positions="${dict(b=0.5)}"')
    assert block.get("name") == "left_arm"
    assert interfaces(block, "command_interface") == {
        "left_a": ["effort"], "left_b": ["effort"], "left_c": []}
    assert interfaces(block, "state_interface") == dict.fromkeys(
        ("left_a", "left_b", "left_c"), ["position", "velocity"])
    assert [one.text for one in block.iter("param") if one.get("name") == "initial_value"] == [
        "0.5"]


def test_sensors(tmp_path):
    block = expanded(tmp_path, 'name="arm" prefix="left_" joints="a" '
                               'force_torque_sensors="mount other" imus="hand"')
    sensors = {one.get("name"): one for one in block.findall("sensor")}
    assert list(sensors) == ["left_mount", "left_other", "left_hand"]
    assert sensors["left_mount"].findtext("param[@name='joint']") == "left_mount"
    assert sensors["left_hand"].findtext("param[@name='frame']") == "left_hand"
    states = [one.get("name") for one in sensors["left_other"].findall("state_interface")]
    assert states == [f"{kind}.{axis}" for kind in ("force", "torque") for axis in "xyz"]
    assert len(sensors["left_hand"].findall("state_interface")) == 10
    assert expanded(tmp_path, 'name="arm" joints="a"').find("sensor") is None


def test_limits(tmp_path):
    block = expanded(tmp_path, 'name="arm" joints="a b"')
    assert block.find("joint/limits") is None
    assert block.findtext("hardware/param[@name='limits']") == "true"
    block = expanded(tmp_path, 'name="arm" joints="a b" limits="false"')
    assert [one.get("enable") for one in block.findall("joint/limits")] == ["false", "false"]
    assert block.findtext("hardware/param[@name='limits']") == "false"


def test_plugin_is_an_argument():
    block = block_of(read(ARM, "plugin:=mock_components/GenericSystem"))
    assert block.findtext("hardware/plugin") == "mock_components/GenericSystem"
    assert block.findall("hardware/param") == []
    with pytest.raises(ArgumentError, match="must be name:=value"):
        read(ARM, "plugin=mock")


def test_errors_of_xacro_name_the_file(tmp_path):
    file = tmp_path / "bad.urdf.xacro"
    file.write_text("<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>"
                    "<xacro:no_such_macro/></robot>", "utf-8")
    with pytest.raises(DescriptionError, match="bad.urdf.xacro: xacro: .*no_such_macro"):
        read(file)
