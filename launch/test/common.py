# SPDX-License-Identifier: Apache-2.0
"""What the launch tests share."""
import pathlib
import time
import unittest

import rclpy
from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_testing.actions import ReadyToTest
from sensor_msgs.msg import JointState


def launched(robot, **arguments):
    file = pathlib.Path(
        get_package_share_directory("dynamics_bringup"), "launch", f"{robot}.launch.py")
    return LaunchDescription([
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(str(file)),
            launch_arguments={"gui": "false", "rate": "100", **arguments}.items()),
        ReadyToTest(),
    ])


class RobotTest(unittest.TestCase):
    """A test with a node that listens to /joint_states."""

    @classmethod
    def setUpClass(cls):
        rclpy.init()
        cls.node = rclpy.create_node("observer")
        cls.last = None
        cls.node.create_subscription(JointState, "joint_states", cls.hear, 10)

    @classmethod
    def hear(cls, message):
        cls.last = message

    @classmethod
    def tearDownClass(cls):
        cls.node.destroy_node()
        rclpy.shutdown()

    def wait_until(self, condition, what, seconds=90.0):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, f"{what}; last heard: {self.last}")
            rclpy.spin_once(self.node, timeout_sec=0.1)

    def positions(self):
        return dict(zip(self.last.name, self.last.position))

    def call(self, kind, name, request, seconds=60.0):
        client = self.node.create_client(kind, name)
        try:
            self.assertTrue(client.wait_for_service(seconds), f"no service {name}")
            future = client.call_async(request)
            rclpy.spin_until_future_complete(self.node, future, timeout_sec=seconds)
            self.assertTrue(future.done(), f"{name} does not answer")
            return future.result()
        finally:
            self.node.destroy_client(client)
