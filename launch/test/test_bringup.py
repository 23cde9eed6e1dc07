# SPDX-License-Identifier: Apache-2.0
"""Arguments, motions, gains and the configuration of RViz, without starting processes."""

import csv
import pathlib
import shutil
import subprocess

import pytest
import yaml
from ament_index_python.packages import get_package_prefix, get_package_share_directory

from dynamics_bringup import model
from dynamics_bringup.arguments import ArgumentError, number, numbers, payload, positions
from dynamics_bringup.bringup import recorded_topics
from dynamics_bringup.description import (DescriptionError, is_flexible, reach_of, root_of, tip_of)
from dynamics_bringup.motions import cycloid, mohan_saha
from dynamics_bringup.view import rviz_configuration

SOURCE = pathlib.Path(__file__).resolve().parents[1]
URDFS = pathlib.Path(get_package_share_directory("dynamics_description"), "urdf")
ROBOTS = yaml.safe_load((SOURCE / "config/robots.yaml").read_text("utf-8"))
PUMA = (URDFS / "puma.urdf").read_text("utf-8")
needs_program = pytest.mark.skipif(
    shutil.which("dynamics") is None, reason="the program `dynamics` is not in PATH")


@pytest.mark.parametrize("package", [
    "dynamics_core", "dynamics_description", "dynamics_msgs", "dynamics_ros", "dynamics_sim"])
def test_packages_are_in_the_index(package):
    """As for `ros2 pkg prefix`; dynamics_core is plain CMake."""
    assert (pathlib.Path(get_package_prefix(package)) / "share" / package / "package.xml").exists()


def test_numbers():
    assert numbers("1, 2 -3e1", "start") == [1.0, 2.0, -30.0]
    for text, message in (("1 two", "must be numbers"), ("nan", "finite"), ("1 2", "3 numbers")):
        with pytest.raises(ArgumentError, match=message):
            numbers(text, "gravity", 3)
    assert positions("", "start", ["a"]) == []
    with pytest.raises(ArgumentError, match="2 numbers, for a, b"):
        positions("1", "start", ["a", "b"])
    assert number("0", "speed") == 0.0
    for text in ("-1", "", "nan"):
        with pytest.raises(ArgumentError, match="speed"):
            number(text, "speed")
    with pytest.raises(ArgumentError, match="greater than 0"):
        number("0", "rate", above=True)


def test_payload():
    assert payload(" ", PUMA) is None
    alone = payload("2.5", PUMA)
    assert (alone.mass, alone.center, alone.frame) == (2.5, [0.0, 0.0, 0.0], "tool0")
    placed = payload("1 0.1, 0 -0.2 link3", PUMA)
    assert (placed.mass, placed.center, placed.frame) == (1.0, [0.1, 0.0, -0.2], "link3")
    for text, error, message in (("0", ArgumentError, "greater than 0"),
                                 ("1 2 3", ArgumentError, "x y z"),
                                 ("1 hand", DescriptionError, "link 'hand' does not exist")):
        with pytest.raises(error, match=message):
            payload(text, PUMA)


def test_reads_descriptions():
    assert root_of(PUMA) == "base_link"
    assert tip_of(PUMA) == "tool0"
    assert 0.9 < reach_of(PUMA) < 1.2
    assert not is_flexible(PUMA)
    assert is_flexible((URDFS / "canadarm.urdf").read_text("utf-8"))
    with pytest.raises(DescriptionError, match="invalid XML"):
        root_of("<robot>")
    with pytest.raises(DescriptionError, match="<sdf>"):
        root_of("<sdf/>")


def close(ours, row, kind, joints):
    assert len(ours) == len(joints)
    for joint, value in zip(joints, ours):
        assert value == pytest.approx(float(row[f"{kind}_{joint}"]), rel=1e-12, abs=1e-12)


@needs_program
@pytest.mark.parametrize("robot", sorted(ROBOTS))
def test_forced_motions_match_core(robot, tmp_path):
    """Compare the motion with `dynamics inverse --trajectory cycloid`."""
    known = ROBOTS[robot]
    start = numbers(known["start"], "start")
    period = known["period"]
    motion = (mohan_saha(start, known["rates"], known["periods"]) if "rates" in known
              else cycloid(start, numbers(known["goal"], "goal"), period))
    file = tmp_path / "torques.csv"
    subprocess.run(["dynamics", "inverse", robot, "--trajectory", "cycloid", "--output", str(file),
                    "--duration", str(period), *(["--rigid"] if "rates" in known else [])],
                   check=True, capture_output=True)
    with open(file, encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    joints = [name[2:] for name in rows[0] if name.startswith("q_")]
    assert float(rows[-1]["t"]) == period
    for row in rows[::37] + rows[-1:]:
        for kind, values in zip(("q", "qd", "qdd"), motion(float(row["t"]))):
            close(values, row, kind, joints)
    assert motion(period)[1] == pytest.approx([0.0] * len(start), abs=1e-15)


@needs_program
def test_gains_are_proportional_to_inertia():
    terms = model.terms(URDFS / "planar3.urdf")
    # inertia of three rods in line about the first joint
    rods = ((0.5, 0.3, 0.0), (0.4, 0.25, 0.3), (0.3, 0.22, 0.55))
    total = sum(mass * (length**2 / 12 + (root + length / 2)**2) for mass, length, root in rods)
    assert terms["M"][0][0] == pytest.approx(total, rel=1e-12)
    folded = model.terms(URDFS / "planar3.urdf", {"joint2": 3.0})
    assert folded["M"][0][0] < 0.5 * total
    gains = model.feedback_gains({"joint1": 2.0}, 10.0)["joint1"]
    assert (gains["p"], gains["i"], gains["d"]) == (200.0, 0.0, 40.0)


@needs_program
def test_closed_loops_have_independent_joints():
    arm = URDFS / "mechanisms/parallelogram_arm.urdf"
    assert model.closed_start(arm) == {"turn": 0.0, "shoulder": 0.0, "drive": 0.0}
    terms = model.terms(arm, {"shoulder": 0.5})
    assert model.rows_of(terms) == ["turn", "shoulder", "drive"]
    assert len(terms["M"]) == 3
    start = dict(zip(terms["joints"], terms["q"]))
    assert start["shoulder"] == 0.5 and start["elbow"] != 0.0


@needs_program
def test_invalid_inertia_is_reported(tmp_path):
    bad = tmp_path / "bad.urdf"
    bad.write_text(PUMA.replace('ixx="1.612"', 'ixx="-1.612"'), "utf-8")
    with pytest.raises(DescriptionError, match=r"^\S*bad\.urdf:\d+: link 'link1': .*negative"):
        model.terms(bad)


def test_rviz_view_depends_on_robot():
    text = (SOURCE / "config/robot.rviz").read_text("utf-8")
    shown = yaml.safe_load(rviz_configuration(text, "root", 10.0))["Visualization Manager"]
    assert shown["Global Options"]["Fixed Frame"] == "root"
    assert shown["Views"]["Current"]["Distance"] == 25.0
    shown = yaml.safe_load(rviz_configuration(text, "root", 1.0, {"distance": 7, "yaw": 1.0}, True))
    shown = shown["Visualization Manager"]
    assert shown["Views"]["Current"]["Distance"] == 7.0
    assert shown["Views"]["Current"]["Yaw"] == 1.0
    classes = {one["Class"].split("/")[1]: one for one in shown["Displays"]}
    assert classes["RobotModel"]["Alpha"] < 1.0


def test_links_are_opaque():
    displays = yaml.safe_load((SOURCE / "config/robot.rviz").read_text("utf-8"))
    displays = {one["Class"].split("/")[1]: one
                for one in displays["Visualization Manager"]["Displays"]}
    assert displays["RobotModel"]["Alpha"] == 1


def test_names_are_relative():
    """Names of RViz and the recorder work in a namespace; time and frames have none."""
    configuration = yaml.safe_load((SOURCE / "config/robot.rviz").read_text("utf-8"))
    topics = []

    def collect(value):
        if isinstance(value, dict):
            for key, inner in value.items():
                if key.endswith("Topic") and isinstance(inner, dict):
                    topics.append(inner["Value"])
                collect(inner)
        elif isinstance(value, list):
            for inner in value:
                collect(inner)

    collect(configuration)
    assert sorted(topics) == ["dynamics_markers/markers", "robot_description"]
    assert recorded_topics("") == recorded_topics("/")
    assert "/joint_states" in recorded_topics("")
    left = recorded_topics("/left")
    assert {"/clock", "/tf", "/tf_static", "/left/joint_states", "/left/dynamics/payload",
            "/left/dynamics_markers/markers"} <= set(left)
    assert sorted(topic for topic in left if not topic.startswith("/left/")) == [
        "/clock", "/tf", "/tf_static"]
