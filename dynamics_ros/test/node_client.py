# SPDX-License-Identifier: Apache-2.0
"""What the launch tests share: a client of the dynamics node, and the core's own answers."""
import csv
import io
import json
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

import rclpy
from ament_index_python.packages import get_package_share_directory
from builtin_interfaces.msg import Duration
from dynamics_msgs.srv import GetModel, InverseDynamics, ScaleTrajectory
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectoryPoint

PUMA = pathlib.Path(get_package_share_directory("dynamics_description")) / "urdf/puma.urdf"
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
PATIENCE = 60.0  # s, for what takes a fraction of it on a machine that does nothing else
Q = [0.1, -0.7, 0.4, 1.2, -0.5, 0.9]
QD = [0.5, 0.3, -1.1, 0.2, 0.7, -0.4]
QDD = [1.5, -2.0, 0.6, 3.0, -1.0, 0.8]
TAU = [3.0, -40.0, 12.0, 0.3, 0.2, -0.1]


def run_core(*arguments):
    """Run the core's own program."""
    command = [os.environ["DYNAMICS_PROGRAM"], *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)


def core(command, **vectors):
    """Return the answer of the core's own program on the PUMA."""
    arguments = [f"--{name}={','.join(map(repr, value))}" for name, value in vectors.items()]
    done = run_core(command, PUMA, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def core_run(robot, *arguments):
    """Return the rows of a simulation by the core's own program."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "run.csv"
        done = run_core("simulate", robot, *arguments, "--output", file)
        assert done.returncode == 0, done.stderr
        rows = csv.DictReader(io.StringIO(file.read_text("utf-8")))
        return [{name: float(value) for name, value in row.items()} for row in rows]


def duration(seconds):
    """Return a message of that duration."""
    nanoseconds = round(seconds * 1e9)
    return Duration(sec=nanoseconds // 10**9, nanosec=nanoseconds % 10**9)


def at(seconds, **fields):
    """Return a point of a trajectory."""
    return JointTrajectoryPoint(time_from_start=duration(seconds), **fields)


def rows_of(matrix, columns):
    """Return the rows of a row-major matrix."""
    return [list(matrix[k:k + columns]) for k in range(0, len(matrix), columns)]


class NodeTest(unittest.TestCase):
    """Tests with a node that calls /dynamics."""

    @classmethod
    def setUpClass(cls):
        rclpy.init()
        cls.node = rclpy.create_node("client")
        cls.description = cls.node.create_publisher(String, "robot_description", LATCHED)
        cls.joints = core("inverse", q=Q)["joints"]
        cls.names = list(reversed(cls.joints))

    @classmethod
    def tearDownClass(cls):
        cls.node.destroy_node()
        rclpy.shutdown()

    def client(self, kind, name):
        made = self.node.create_client(kind, f"/dynamics/{name}")
        self.addCleanup(self.node.destroy_client, made)
        self.assertTrue(made.wait_for_service(PATIENCE), f"no service {name}")
        return made

    def wait(self, future, what="an answer"):
        rclpy.spin_until_future_complete(self.node, future, timeout_sec=PATIENCE)
        self.assertTrue(future.done(), f"{what} does not come")
        return future.result()

    def until(self, condition, what):
        """Spin until a condition holds."""
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            rclpy.spin_once(self.node, timeout_sec=0.1)

    def call(self, kind, name, request):
        return self.wait(self.client(kind, name).call_async(request), name)

    def describe(self, text, until):
        """Publish a description and wait until the node's model is as wanted."""
        self.description.publish(String(data=text))
        client = self.client(GetModel, "get_model")
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            answer = self.wait(client.call_async(GetModel.Request()))
            if until(answer):
                return answer
        self.fail(f"the description is not taken: {answer.result}")

    def have_puma(self):
        return self.describe(PUMA.read_text("utf-8"), lambda answer: answer.name == "puma")

    def assert_close(self, got, expected, scale=1.0):
        self.assertEqual(len(got), len(expected))
        for one, other in zip(got, expected):
            self.assertLessEqual(abs(one - other), 1e-12 * max(scale, abs(other)))

    def trajectory_request(self, points=2):
        request = InverseDynamics.Request()
        request.trajectory.joint_names = list(self.names)
        for k in range(points):
            request.trajectory.points.append(at(
                float(k), positions=Q[::-1], velocities=QD[::-1], accelerations=QDD[::-1]))
        return request

    def long_request(self):
        """Return a request that is small but takes the node a second or so."""
        request = ScaleTrajectory.Request(
            method=ScaleTrajectory.Request.PER_SEGMENT, interior_points=190)
        request.trajectory.joint_names = list(self.names)
        for k in range(50):
            swing = 1.0 if k % 2 == 0 else -1.0
            request.trajectory.points.append(at(
                0.2 * k, positions=[swing * value for value in Q[::-1]]))
        return request
