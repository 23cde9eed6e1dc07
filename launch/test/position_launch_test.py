# SPDX-License-Identifier: Apache-2.0
"""Real time with ros2_control_node: holds, moves to a position, holds when released."""

import pathlib
import sys
import time

from std_msgs.msg import Float64MultiArray

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from common import RobotTest, largest_size, launched  # noqa: E402

JOINTS = [f"joint{i}" for i in range(1, 7)]
START = [0.0, 1.5707963267948966, 0.0, 0.0, 0.0, 0.0]
GOAL = [0.1, 1.5, 0.02, -0.1, 0.1, 0.1]
CONTROLLER = "forward_position_controller"


def generate_test_description():
    return launched(
        "stanford", scenario="hold", controller="forward_position", use_sim_time="false")


class TestPosition(RobotTest):

    def at(self, goal):
        last = self.robot.last
        place = {} if last is None else dict(zip(last.name, last.position))
        return bool(place) and all(
            abs(place[name] - value) < 1e-4 for name, value in zip(JOINTS, goal))

    def test_holds_moves_and_holds(self):
        robot = self.robot
        robot.wait_until(lambda: robot.active() == {"joint_state_broadcaster", CONTROLLER},
                         "the controllers do not become active")
        robot.wait_until(lambda: robot.last is not None, "no joint states")
        self.assertTrue(self.at(START), robot.last)

        publisher = robot.node.create_publisher(Float64MultiArray, f"{CONTROLLER}/commands", 10)
        robot.wait_until(lambda: publisher.get_subscription_count() > 0, "nobody listens")
        publisher.publish(Float64MultiArray(data=GOAL))
        robot.wait_until(lambda: self.at(GOAL), "it does not arrive", 60.0)

        self.deactivate(CONTROLLER)
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            robot.executor.spin_once(timeout_sec=0.1)
            self.assertTrue(self.at(GOAL), "it falls")
        # the drives compensate gravity
        self.assertGreater(largest_size(robot.last.effort), 1.0)
