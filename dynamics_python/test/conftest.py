# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests: robots, random states, the program."""
import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

import dynamics

ROOT = pathlib.Path(__file__).resolve().parents[2]
URDF = ROOT / "urdf/urdf"

PENDULUM = """<robot name="pendulum"><link name="base"/>
<link name="arm"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
<inertia ixx="0.01" iyy="0.02" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="-2" upper="2" effort="30" velocity="5"/><dynamics damping="0.3" friction="0.1"/></joint>
</robot>"""


def random_states(robot, count=None, seed=1, width=None):
    shape = robot.size if width is None else width
    shape = shape if count is None else (count, shape)
    return np.random.default_rng(seed).uniform(-1.0, 1.0, shape)


@pytest.fixture(scope="session")
def puma():
    return dynamics.load("puma")


@pytest.fixture(scope="session")
def program():
    """Run the program: program("inverse", "puma", "--q", ...) returns its JSON object."""
    path = os.environ.get("DYNAMICS_PROGRAM", "")
    if not os.path.exists(path):
        pytest.skip("the program dynamics is not installed")

    def run(*arguments, text=False, fails=False):
        done = subprocess.run([path, *map(str, arguments)] + ([] if text else ["--json"]),
                              capture_output=True, text=True, check=False)
        if fails:
            assert done.returncode == 2, done
            return done.stderr
        assert done.returncode == 0, done.stderr
        return done.stdout if text else json.loads(done.stdout)

    return run


def listed(vector):
    """As an argument of the program, with all digits."""
    return ",".join(repr(float(x)) for x in vector)
