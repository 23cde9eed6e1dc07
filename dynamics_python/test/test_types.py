# SPDX-License-Identifier: Apache-2.0
"""The types: mypy checks the package, a user's program and the stub of the extension module."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import dynamics

FOLDER = pathlib.Path(dynamics.__file__).parent

PROGRAM = """
import numpy as np
import dynamics

robot = dynamics.load("puma")
tau = robot.inverse(np.zeros(6), [0.0] * 6, qdd=None, wrenches={"tool0": [0, 0, 0, 0, 0, 1]})
by_q, by_qd = robot.inverse_derivatives(tau)
run = robot.simulate(controller=lambda t, q, qd: -qd, duration=1.0)
reveal_type(tau)
reveal_type(by_q)
reveal_type(run["q_joint1"])
reveal_type(robot.energy(tau).total)
reveal_type(robot.inverse_kinematics(np.eye(4)).reached)
"""

WRONG = """
import dynamics

robot = dynamics.load("puma")
robot.inverse(robot)
robot.inverse([0.0], [0.0], tau=[0.0])
robot.simulate(durations=1.0)
dynamics.load(3)
"""


def mypy(*arguments, cwd):
    if shutil.which("mypy") is None:
        pytest.skip("mypy is not installed")
    environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    environment["MYPYPATH"] = str(FOLDER.parent)
    done = subprocess.run(["mypy", "--cache-dir", str(cwd / "cache"), *map(str, arguments)],
                          cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_package_is_typed(tmp_path):
    code, output = mypy("--strict", "--ignore-missing-imports", "-p", "dynamics", cwd=tmp_path)
    assert code == 0, output


def test_types_of_a_program_and_its_mistakes(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "wrong.py").write_text(WRONG)
    code, output = mypy("--strict", "--ignore-missing-imports", "program.py", "wrong.py",
                        cwd=tmp_path)
    assert code == 1 and "program.py" not in "".join(
        line for line in output.splitlines() if ": error:" in line), output
    assert output.count("ndarray") >= 3, output
    assert 'Revealed type is "builtins.bool"' in output
    for line in (5, 6, 7, 8):
        assert f"wrong.py:{line}: error" in output, output


def test_stub_matches_the_extension_module(tmp_path):
    if os.environ.get("DYNAMICS_SANITIZED") == "1":
        pytest.skip("the interpreter of stubtest would need the same preload")
    if subprocess.run([sys.executable, "-c", "import mypy.stubtest"], check=False,
                      capture_output=True).returncode != 0:
        pytest.skip("mypy is not installed for this interpreter")
    allowed = tmp_path / "allowed"
    # names of the stub alone; pybind11's metaclass; classes that cannot be made
    classes = ("(BaseMotion|BaseTrajectory|Finding|Recording|Robot|Study|StudyFolder|"
               "Trajectory)")
    allowed.write_text("dynamics._core.(Array|Wrenches)\n"
                       f"dynamics._core.{classes}\ndynamics._core.{classes}.__init__\n")
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "dynamics._core", "--ignore-missing-stub",
         "--allowlist", str(allowed), "--ignore-unused-allowlist"],
        cwd=tmp_path, env={**os.environ, "MYPYPATH": str(FOLDER.parent)}, capture_output=True,
        text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
