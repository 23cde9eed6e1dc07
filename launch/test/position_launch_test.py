# SPDX-License-Identifier: Apache-2.0
"""The Stanford arm waits at its start, goes where it is told, and stays there when released."""
import pathlib
import sys

import rclpy
from controller_manager_msgs.srv import ListControllers, SwitchController
from std_msgs.msg import Float64MultiArray

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from common import RobotTest, launched  # noqa: E402

JOINTS = [f"joint{i}" for i in range(1, 7)]
START = [0.0, 1.5707963267948966, 0.0, 0.0, 0.0, 0.0]
GOAL = [0.1, 1.5, 0.02, -0.1, 0.1, 0.1]


def generate_test_description():
    return launched("stanford", scenario="hold", controller="forward_position")


class TestPosition(RobotTest):

    def active(self):
        answer = self.call(ListControllers, "/controller_manager/list_controllers",
                           ListControllers.Request())
        return {one.name for one in answer.controller if one.state == "active"}

    def at(self, goal):
        return self.last is not None and all(
            abs(self.positions()[name] - value) < 1e-4 for name, value in zip(JOINTS, goal))

    def test_waits_goes_and_stays(self):
        wanted = {"joint_state_broadcaster", "forward_position_controller"}
        self.wait_until(lambda: self.active() == wanted, "the controllers do not become active")
        self.wait_until(lambda: self.last is not None, "no joint states")
        self.assertTrue(self.at(START), self.last)

        publisher = self.node.create_publisher(
            Float64MultiArray, "forward_position_controller/commands", 10)
        self.wait_until(lambda: publisher.get_subscription_count() > 0, "nobody listens")
        publisher.publish(Float64MultiArray(data=GOAL))
        self.wait_until(lambda: self.at(GOAL), "it does not arrive", 30.0)

        answer = self.call(SwitchController, "/controller_manager/switch_controller",
                           SwitchController.Request(
                               deactivate_controllers=["forward_position_controller"],
                               strictness=SwitchController.Request.STRICT))
        self.assertTrue(answer.ok)
        end = self.node.get_clock().now().nanoseconds + 500_000_000
        while self.node.get_clock().now().nanoseconds < end:
            rclpy.spin_once(self.node, timeout_sec=0.1)
            self.assertTrue(self.at(GOAL), "it falls")
        # gravity is there, and the drives hold against it
        self.assertGreater(max(map(abs, self.last.effort)), 1.0)
