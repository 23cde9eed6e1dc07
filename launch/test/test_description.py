# SPDX-License-Identifier: Apache-2.0
"""The <ros2_control> block, and the initial positions and gravity of the robots."""
import pathlib
import re
import xml.etree.ElementTree as ElementTree

import pytest
import yaml
from ament_index_python.packages import get_package_share_directory
from dynamics_bringup.description import has_loops, joints_of, with_control

URDFS = pathlib.Path(get_package_share_directory("dynamics_description"), "urdf")
ROBOTS = yaml.safe_load(
    (pathlib.Path(__file__).resolve().parents[1] / "config/robots.yaml").read_text("utf-8"))
SMALL = """<robot name="a &amp; b"><!-- </robot> --><link name="base"/><link name="one"/>
<link name="two"/><link name="three"/>
<joint name="turn" type="continuous"><parent link="base"/><child link="one"/></joint>
<joint name="copy" type="revolute"><parent link="one"/><child link="two"/><mimic joint="turn"/>
</joint>
<joint name="weld" type="fixed"><parent link="two"/><child link="three"/></joint></robot>"""


def test_block_has_every_joint_and_interface():
    text = with_control(SMALL, {"unclaimed": "free", "note": "<&>"}, {"turn": 0.1})
    block = ElementTree.fromstring(text).find("ros2_control")
    assert block.get("type") == "system"
    assert block.findtext("hardware/plugin") == "dynamics_sim/DynamicsSystem"
    assert {one.get("name"): one.text for one in block.findall("hardware/param")} == {
        "unclaimed": "free", "note": "<&>"}
    turn, copy = block.findall("joint")
    assert [one.get("name") for one in turn.findall("command_interface")] == [
        "position", "velocity", "effort"]
    assert turn.findtext("state_interface[@name='position']/param") == "0.1"
    assert copy.get("name") == "copy"
    assert copy.findall("command_interface") == []
    assert len(copy.findall("state_interface")) == 4
    # the rest is unchanged
    assert text.startswith(SMALL[:SMALL.rindex("</robot>")])


def test_joints_without_limits_say_so():
    text = with_control(SMALL, {"limits": "false"})
    joints = ElementTree.fromstring(text).findall("ros2_control/joint")
    assert [one.find("limits").get("enable") for one in joints] == ["false", "false"]
    assert "<limits" not in with_control(SMALL, {"limits": "true"})


def test_existing_block_is_kept():
    own = SMALL.replace("</robot>", "<ros2_control name='mine' type='system'/></robot>")
    assert with_control(own, {"unclaimed": "free"}) == own


def test_only_commanded_joints_have_commands():
    arm = (URDFS / "mechanisms/parallelogram_arm.urdf").read_text("utf-8")
    assert has_loops(arm) and not has_loops(SMALL)
    text = with_control(arm, {}, {"turn": 0.1}, ["turn", "shoulder"])
    joints = {one.get("name"): one for one in ElementTree.fromstring(text).findall(
        "ros2_control/joint")}
    assert [name for name, one in joints.items() if one.find("command_interface") is not None] == [
        "turn", "shoulder"]
    assert all(len(one.findall("state_interface")) == 4 for one in joints.values())
    assert {"elbow", "rod_joint"} < set(joints)
    # an actuator that the others move
    assert joints["drive"].findtext("param[@name='unclaimed']") == "free"
    assert joints["elbow"].find("param") is None
    with pytest.raises(ValueError, match="elbow"):
        with_control(arm, {}, {"elbow": 0.1}, ["turn", "shoulder"])


def test_unknown_joints_are_errors():
    with pytest.raises(ValueError, match="copy"):
        with_control(SMALL, {}, {"copy": 0.0})


def test_built_in_robots_have_initial_positions():
    assert set(ROBOTS) >= {"planar3", "stanford", "puma", "canadarm"}


@pytest.mark.parametrize("name", sorted(ROBOTS))
def test_initial_positions_match_urdf(name):
    """Compare robots.yaml with the comment that `dynamics urdf` writes from the table."""
    text = (URDFS / f"{name}.urdf").read_text("utf-8")

    def said(what, unit):
        found = re.search(rf"{what} ([-0-9., e]+) {unit}", text).group(1)
        return [float(word) for word in found.split(",")]

    robot = ROBOTS[name]
    assert [float(word) for word in robot["gravity"].split()] == said("gravity", "m/s")
    start = [float(word) for word in robot["start"].split()]
    assert start == said("start q", r"\(rad")
    assert len(start) == len(joints_of(text))
    if "rates" in robot:
        assert robot["rates"] == said("with k", "rad/s")
        assert robot["periods"] == said(", T", "s")
    else:
        assert [float(word) for word in robot["goal"].split()] == said("cycloid to q", r"\(rad")
        assert [robot["period"]] == said("in", "s\n")
