# SPDX-License-Identifier: Apache-2.0
"""Robot: loading, names, copies, pickles, comparison; checks of descriptions."""
import copy
import pathlib
import pickle
import warnings

import numpy as np
import pytest
from conftest import PENDULUM, ROOT, URDF

import dynamics


def test_load_takes_names_files_and_text(tmp_path):
    assert dynamics.load("puma").name == "puma"
    file = tmp_path / "arm.urdf"
    file.write_text(PENDULUM)
    table = ROOT / "dynamics_core/robots/planar3.yaml"
    assert dynamics.load(file) == dynamics.load(str(file)) == dynamics.load(PENDULUM)
    assert dynamics.load("\n  " + PENDULUM).size == 1
    assert dynamics.load(table) == dynamics.load("planar3")
    # a built-in name wins over a file of that name in the current folder
    assert dynamics.load("puma").size == 6
    with pytest.raises(dynamics.ArgumentError, match="neither a file nor one of planar3, stanford"):
        dynamics.load("nonsense")
    with pytest.raises(dynamics.ParseError, match="is a folder"):
        dynamics.load(tmp_path)
    with pytest.raises(TypeError):
        dynamics.load(3)


def test_messages_are_those_of_the_program(program, tmp_path):
    for text in ("<robot", "<robot name='x'/>", PENDULUM.replace('value="2"', 'value="-2"'),
                 PENDULUM.replace("<parent link=\"base\"/>", "")):
        file = tmp_path / "bad.urdf"
        file.write_text(text)
        with pytest.raises((dynamics.ParseError, dynamics.ModelError)) as raised:
            dynamics.load(file)
        assert str(raised.value) in program("inverse", file, fails=True)


def test_errors_have_an_element_and_a_common_base():
    with pytest.raises(dynamics.Error) as raised:
        dynamics.load(PENDULUM.replace('value="2"', 'value="-2"'))
    assert raised.value.element == "URDF:2" and "link 'arm'" in str(raised.value)
    for kind in (dynamics.ParseError, dynamics.ModelError, dynamics.ArgumentError,
                 dynamics.StateError):
        assert issubclass(kind, dynamics.Error)
    assert issubclass(dynamics.ArgumentError, ValueError)


def test_singular_robot_raises_a_state_error():
    massless = PENDULUM.replace('value="2"', 'value="0"').replace("0.02", "0").replace(
        "0.01", "0").replace("0.03", "0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = dynamics.load(massless)
    with pytest.raises(dynamics.StateError):
        robot.forward([0.0])
    with pytest.raises(dynamics.StateError):
        robot.forward(np.zeros((3, 1)))


def test_warnings_of_the_description():
    suspicious = PENDULUM.replace('iyy="0.02"', 'iyy="2.0"').replace('upper="2"', 'upper="180"')
    with pytest.warns(dynamics.ModelWarning):
        robot = dynamics.load(suspicious)
    assert robot.warnings


@pytest.mark.parametrize("make", [
    lambda: dynamics.load("puma"), lambda: dynamics.load("canadarm"),
    lambda: dynamics.load("canadarm", rigid=True), lambda: dynamics.load(PENDULUM),
    lambda: dynamics.load("puma", gravity=[0, 0, -1.62]),
    lambda: dynamics.load("puma").with_payload(2, [0.1, 0, 0], np.eye(3), frame="link3")])
def test_copies_and_pickles_are_equal(make):
    robot = make()
    for other in (pickle.loads(pickle.dumps(robot)), copy.copy(robot), copy.deepcopy(robot), make()):
        assert other == robot and hash(other) == hash(robot) and not other != robot
        q = np.full(robot.size, 0.01)
        assert (other.inverse(q, q, q) == robot.inverse(q, q, q)).all()
        assert type(other) is dynamics.Robot
    assert robot != "puma" and robot != dynamics.load("stanford")


def test_names_and_properties(puma):
    assert puma.names == puma.joint_names == tuple(f"joint{i}" for i in range(1, 7))
    assert len(puma) == puma.size == 6 and bool(puma)
    assert repr(puma).startswith("<dynamics.Robot puma: 6 joints")
    assert "tool0" in puma.frames and puma.end_effector == "tool0"
    assert puma.vector(joint1=0.3, joint6=-1).tolist() == [0.3, 0, 0, 0, 0, -1]
    with pytest.raises(dynamics.ArgumentError, match="no joint 'elbow': it must be one of joint1"):
        puma.vector(elbow=1)
    with pytest.raises(dynamics.ArgumentError, match="by name"):
        puma.vector(1, 2)
    pendulum = dynamics.load(PENDULUM)
    assert (pendulum.lower, pendulum.upper) == (-2, 2)
    assert (pendulum.effort_limits, pendulum.velocity_limits) == (30, 5)
    assert pendulum.mass == 2 and pendulum.gravitation.tolist() == [0, 0, -9.81]
    assert len(puma.parameters) == len(puma.parameter_names)
    assert dynamics.load(puma.urdf).size == 6
    flexible = dynamics.load("canadarm")
    assert flexible.names[:3] == flexible.joint_names
    assert all(name.startswith("e_") for name in flexible.names[3:])


def test_robot_that_was_never_initialized():
    robot = dynamics.Robot.__new__(dynamics.Robot)
    with pytest.raises(dynamics.ArgumentError, match="never initialized"):
        robot.inverse([0.0])
    with pytest.raises(TypeError):
        dynamics.Robot.inverse(3, [0.0])


def test_check_and_repair():
    assert all(finding.severity != "error" for finding in dynamics.check("puma"))
    broken = PENDULUM.replace('xyz="0 1 0"', 'xyz="0 2 0"').replace('value="2"', 'value="-2"')
    findings = dynamics.check(broken)
    errors = [finding for finding in findings if finding.severity == "error"]
    assert errors and errors[0].kind == "link" and errors[0].line > 0 and "mass" in errors[0].code
    assert "arm" in repr(errors[0])
    fixable = [finding for finding in findings if finding.fixable]
    assert fixable and 'xyz="0 1 0"' in dynamics.repair(broken)
    file = next(iter(sorted(URDF.glob("*.urdf"))))
    assert isinstance(dynamics.check(pathlib.Path(file)), list)
