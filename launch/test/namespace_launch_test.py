# SPDX-License-Identifier: Apache-2.0
"""A launch in a namespace, with a payload: all names are relative."""

import pathlib
import signal
import subprocess
import sys
import unittest

import launch_testing
import launch_testing.asserts
from ament_index_python.packages import get_package_prefix
from dynamics_msgs.srv import GetDynamicsTerms, GetModel
from launch import LaunchDescription
from launch.actions import GroupAction
from launch_ros.actions import PushROSNamespace
from launch_testing.actions import ReadyToTest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from common import Listener, included  # noqa: E402

NODE = pathlib.Path(get_package_prefix("dynamics_ros"), "lib/dynamics_ros/dynamics_node")


def generate_test_description():
    return LaunchDescription([
        GroupAction([PushROSNamespace("left"),
                     included("puma", scenario="hold", payload="2", speed="0")]),
        ReadyToTest(),
    ])


class TestNamespace(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.robot = Listener("left")

    @classmethod
    def tearDownClass(cls):
        cls.robot.close()

    def test_1_starts_and_carries_the_payload(self):
        robot = self.robot
        robot.wait_until(lambda: robot.time() > 0.5, "the time does not start")
        robot.wait_until(lambda: "joint_trajectory_controller" in robot.active(), "no controller")

        def terms(names, positions):
            return robot.call(GetDynamicsTerms, "dynamics/get_dynamics_terms",
                              GetDynamicsTerms.Request(joint_names=names, positions=positions))

        answer = terms(list(robot.last.name), list(robot.last.position))
        self.assertEqual(answer.result.code, 0, answer.result.message)
        largest = max(map(abs, answer.gravity))
        self.assertGreater(largest, 30.0, "the PUMA's own weight and 2 kg")
        for effort, gravity in zip(robot.last.effort, answer.gravity):
            self.assertAlmostEqual(effort, gravity, delta=1e-6 * largest)

    def test_3_a_new_node_of_the_planner_does_not_unload_the_robot(self):
        robot = self.robot
        efforts = dict(zip(robot.last.name, robot.last.effort))
        self.assertGreater(max(map(abs, efforts.values())), 30.0)
        node = subprocess.Popen(
            ["env", "--default-signal=INT", str(NODE), "--ros-args", "-r", "__ns:=/left", "-r",
             "__node:=restarted", "-r", "~/payload:=dynamics/payload"])
        try:
            # as after a restart: it has no payload, and its topic is that of the hardware
            answer = robot.call(GetModel, "restarted/get_model", GetModel.Request())
            self.assertEqual(answer.payload.frame_id, "")
            robot.wait_until(
                lambda: len(robot.node.get_publishers_info_by_topic("/left/dynamics/payload")) == 2,
                "no second publisher")
            after = robot.time() + 1.0
            robot.wait_until(lambda: robot.time() > after, "the time stands")
            for joint, effort in zip(robot.last.name, robot.last.effort):
                self.assertAlmostEqual(effort, efforts[joint], delta=1e-6 * 30.0)
        finally:
            node.send_signal(signal.SIGINT)
            self.assertEqual(node.wait(30.0), 0)

    def test_2_has_no_names_outside_of_its_namespace(self):
        shared = {"/clock", "/tf", "/tf_static", "/parameter_events", "/rosout",
                  "/diagnostics"}
        outside = {name for name, _ in self.robot.node.get_topic_names_and_types()
                   if not name.startswith("/left/")}
        self.assertLessEqual(outside, shared)


@launch_testing.post_shutdown_test()
class TestAfterwards(unittest.TestCase):

    def test_nodes_end_without_error(self, proc_info):
        for name in ("simulation_node", "dynamics_node", "markers_node"):
            launch_testing.asserts.assertExitCodes(proc_info, process=name)
