# SPDX-License-Identifier: Apache-2.0
"""The node as a component, loaded by `ros2 component load` into a single-threaded container."""
import pathlib
import subprocess
import sys
import time
import unittest

import launch
import launch_ros.actions
import launch_testing.actions
import launch_testing.asserts
from dynamics_msgs.msg import ResultCode
from dynamics_msgs.srv import GetModel, InverseDynamics, ScaleTrajectory

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from node_client import PATIENCE, QD, QDD, NodeTest, Q, core  # noqa: E402


def generate_test_description():
    container = launch_ros.actions.Node(
        package="rclcpp_components", executable="component_container", name="container",
        output="screen")
    return launch.LaunchDescription([container, launch_testing.actions.ReadyToTest()])


def component(verb, *arguments):
    done = subprocess.run(
        ["ros2", "component", verb, "--no-daemon", "--spin-time", "2", "/container", *arguments],
        capture_output=True, text=True, timeout=PATIENCE, check=False)
    return done.returncode, done.stdout + done.stderr


class TestComponent(NodeTest):

    def test_1_load(self):
        end = time.monotonic() + PATIENCE
        status, output = component("load", "dynamics_ros", "dynamics_ros::DynamicsNode")
        while status != 0 and "Unable to find container" in output and time.monotonic() < end:
            status, output = component("load", "dynamics_ros", "dynamics_ros::DynamicsNode")
        self.assertEqual(status, 0, output)
        self.assertIn("'/dynamics'", output)

    def test_2_answers(self):
        self.have_puma()
        answer = self.call(InverseDynamics, "inverse_dynamics", self.trajectory_request())
        self.assertEqual(answer.result.code, ResultCode.SUCCESS, answer.result.message)
        self.assert_close(answer.trajectory.points[0].effort,
                          core("inverse", q=Q, qd=QD, qdd=QDD)["tau"][::-1])

    def test_3_one_thread_is_enough_beside_long_requests(self):
        long_client = self.client(ScaleTrajectory, "scale_trajectory")
        short_client = self.client(GetModel, "get_model")
        answered = 0
        for _ in range(5):
            futures = [long_client.call_async(self.long_request()) for _ in range(6)]
            while not all(future.done() for future in futures):
                self.wait(short_client.call_async(GetModel.Request()))
                answered += sum(not future.done() for future in futures) > 0
            if answered >= 3:
                return
        self.fail("no short request was answered beside a long one")

    def test_4_unload(self):
        status, output = component("unload", "1")
        self.assertEqual(status, 0, output)
        client = self.node.create_client(GetModel, "/dynamics/get_model")
        self.addCleanup(self.node.destroy_client, client)
        self.until(lambda: not client.service_is_ready(), "the service is still there")


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):

    def test_interrupt_ends_it_cleanly(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
