# SPDX-License-Identifier: Apache-2.0
"""puma.launch.py as it is: the PUMA falls, and the dynamics node knows it."""
import math
import pathlib
import sys
import unittest

import launch_testing
import launch_testing.asserts
from dynamics_msgs.srv import GetModel

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from common import RobotTest, launched  # noqa: E402


def generate_test_description():
    return launched("puma")


class TestFreeFall(RobotTest):

    def test_falls(self):
        names = {f"joint{i}" for i in range(1, 7)}
        self.wait_until(lambda: self.last and set(self.last.name) == names, "no joint states")
        self.wait_until(lambda: abs(self.positions()["joint2"]) > 0.5, "it does not fall")
        self.assertTrue(all(map(math.isfinite, [*self.last.position, *self.last.velocity])))
        # nothing drives it
        self.assertEqual(list(self.last.effort), [0.0] * 6)

    def test_dynamics_node_has_the_model(self):
        def model():
            return self.call(GetModel, "/dynamics/get_model", GetModel.Request())

        self.wait_until(lambda: model().name == "puma", "no model")
        self.assertEqual(len(model().joints), 6)


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):

    def test_nodes_end_well(self, proc_info):
        for name in ("robot_state_publisher", "ros2_control_node", "dynamics_node"):
            launch_testing.asserts.assertExitCodes(proc_info, process=name)
