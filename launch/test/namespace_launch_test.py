# SPDX-License-Identifier: Apache-2.0
"""A launch in a namespace, with a payload: all names are relative."""

import pathlib
import sys
import unittest

import launch_testing
import launch_testing.asserts
from dynamics_msgs.srv import GetDynamicsTerms
from launch import LaunchDescription
from launch.actions import GroupAction
from launch_ros.actions import PushROSNamespace
from launch_testing.actions import ReadyToTest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from common import Listener, included  # noqa: E402


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
