# SPDX-License-Identifier: Apache-2.0
"""scenario:=forced: the PUMA follows the papers' cycloid on efforts, and brakes when let go."""

import math
import pathlib
import sys

from dynamics_bringup.motions import cycloid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from common import RobotTest, launched  # noqa: E402

CONTROLLER = "effort_trajectory_controller"
PERIOD = 10.0
LET_GO = 6.0


def generate_test_description():
    return launched("puma", scenario="forced", speed="2", rate="500")


class TestForced(RobotTest):

    def test_follows_then_brakes(self):
        robot = self.robot
        robot.wait_until(lambda: robot.time() >= LET_GO, "it does not move")
        self.deactivate(CONTROLLER)
        robot.wait_until(lambda: CONTROLLER not in robot.active(), "the controller stays active")
        released = robot.time()

        motion = cycloid([0.0] * 6, [math.pi] * 6, PERIOD)
        largest, count, effort = 0.0, 0, 0.0
        for stamp, joints in robot.heard.items():
            moment = 1e-9 * stamp
            if moment > LET_GO:
                continue
            count += 1
            for joint, wanted in zip(sorted(joints), motion(moment)[0]):
                largest = max(largest, abs(joints[joint][0] - wanted))
                effort = max(effort, abs(joints[joint][2]))
        print(f"{count} states of {LET_GO:g} s: at most {largest:.2g} rad from the cycloid")
        self.assertGreater(count, 100)
        self.assertLess(largest, 1e-3)
        self.assertGreater(effort, 30.0)  # gravity alone takes as much

        # 0.6 rad/s were left; a joint that is let go falls a radian in half a second
        robot.wait_until(lambda: robot.time() >= released + 0.3, "the time does not go on")
        place = dict(zip(robot.last.name, robot.last.position))
        self.assertLess(max(map(abs, robot.last.velocity)), 1e-3, robot.last)
        robot.wait_until(lambda: robot.time() >= released + 0.8, "the time does not go on")
        for name, position, velocity in zip(
                robot.last.name, robot.last.position, robot.last.velocity):
            self.assertLess(abs(velocity), 1e-3, name)
            self.assertAlmostEqual(position, place[name], delta=1e-3)
        self.assertGreater(max(map(abs, robot.last.effort)), 10.0)  # the brakes bear the arm
