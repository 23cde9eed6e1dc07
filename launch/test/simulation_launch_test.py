# SPDX-License-Identifier: Apache-2.0
"""
simulation.launch.py in a namespace, with its own controllers file and a description from a topic.

The controller manager enforces the limits of commands, as it does by default since Kilted, and the
block of a robot without limits exempts its joints.
"""

import atexit
import pathlib
import shutil
import sys
import tempfile
import unittest

import launch_testing
import launch_testing.asserts
import yaml
from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch_ros.actions import Node
from launch_testing.actions import ReadyToTest
from std_msgs.msg import Float64MultiArray

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from common import Listener, included  # noqa: E402

from dynamics_bringup.description import with_control  # noqa: E402

FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="simulation_test_"))
atexit.register(shutil.rmtree, FOLDER)
PUMA = pathlib.Path(
    get_package_share_directory("dynamics_description"), "urdf", "puma.urdf").read_text("utf-8")
GOAL = 3.0  # of joint5, whose limits are 1.745 rad
CONTROLLERS = {
    "controller_manager": {"ros__parameters": {
        "update_rate": 100, "enforce_command_limits": True,
        "mine": {"type": "forward_command_controller/ForwardCommandController"}}},
    "mine": {"ros__parameters": {"joints": ["joint5"], "interface_name": "position"}},
}


def generate_test_description():
    file = FOLDER / "own.yaml"
    file.write_text(yaml.safe_dump(CONTROLLERS), "utf-8")
    description = with_control(PUMA, {"limits": "false", "unclaimed": "hold"})
    return LaunchDescription([
        Node(package="robot_state_publisher", executable="robot_state_publisher", namespace="left",
             parameters=[{"robot_description": description, "use_sim_time": True}],
             remappings=[("robot_description", "robot")]),
        included("simulation", namespace="left", description_topic="robot", rate="", speed="2",
                 controllers="joint_state_broadcaster mine", controllers_file=str(file)),
        ReadyToTest(),
    ])


class TestSimulation(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.robot = Listener("left")

    @classmethod
    def tearDownClass(cls):
        cls.robot.close()

    def test_own_controller_moves_beyond_the_limit(self, proc_info):
        robot = self.robot
        robot.wait_until(lambda: robot.active() == {"joint_state_broadcaster", "mine"},
                         "the controllers do not become active")
        publisher = robot.node.create_publisher(Float64MultiArray, "mine/commands", 10)
        robot.wait_until(lambda: publisher.get_subscription_count() > 0, "nobody listens")
        publisher.publish(Float64MultiArray(data=[GOAL]))

        def position():
            return dict(zip(robot.last.name, robot.last.position))["joint5"]

        robot.wait_until(lambda: robot.last is not None and abs(position() - GOAL) < 1e-3,
                         "it does not arrive", 60.0)
        self.assertEqual(len(robot.last.name), 6)
        robot.wait_for_spawners(proc_info)


@launch_testing.post_shutdown_test()
class TestAfterwards(unittest.TestCase):

    def test_node_ends_without_error(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info, process="simulation_node")
