# SPDX-License-Identifier: Apache-2.0
"""scenario:=forced: the PUMA follows the papers' cycloid with efforts, and brakes if released."""

import math
import pathlib
import sys

from dynamics_bringup.motions import cycloid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from common import RobotTest, largest_size, launched  # noqa: E402

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

        motion = cycloid([0.0] * 6, [math.pi] * 6, PERIOD)
        differences, efforts, count = [], [], 0
        for stamp, joints in robot.heard.items():
            moment = 1e-9 * stamp
            if moment > LET_GO:
                continue
            count += 1
            self.assertEqual(len(joints), 6)
            for joint, wanted in zip(sorted(joints), motion(moment)[0]):
                differences.append(joints[joint][0] - wanted)
                efforts.append(joints[joint][2])
        largest = largest_size(differences)
        print(f"{count} states of {LET_GO:g} s: at most {largest:.2g} rad from the cycloid")
        self.assertGreater(count, 100)
        self.assertLess(largest, 1e-3)
        self.assertGreater(largest_size(efforts), 30.0)  # gravity alone requires this

        # Initially 0.6 rad/s; a free joint would fall by 1 rad in 0.5 s. The last state may be
        # older than the response of the service, but is of a time before the cycloid's end.
        robot.wait_until(lambda: largest_size(robot.last.velocity) < 1e-3, "it does not brake")
        self.assertLess(robot.time(), 0.9 * PERIOD)
        released = robot.time()
        place = dict(zip(robot.last.name, robot.last.position))
        self.assertEqual(len(robot.last.velocity), 6)
        robot.wait_until(lambda: robot.time() >= released + 0.5, "the time does not go on")
        for name, position, velocity in zip(
                robot.last.name, robot.last.position, robot.last.velocity):
            self.assertLess(abs(velocity), 1e-3, name)
            self.assertAlmostEqual(position, place[name], delta=1e-3)
        self.assertGreater(largest_size(robot.last.effort), 10.0)  # the brakes hold the arm
