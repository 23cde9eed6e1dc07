# SPDX-License-Identifier: Apache-2.0
"""The example planner beside the node: what it prints, against the core's own program."""
import json
import os
import pathlib
import subprocess
import unittest

import launch
import launch_ros.actions
import launch_testing.actions
import launch_testing.asserts
from ament_index_python.packages import get_package_prefix, get_package_share_directory

PUMA = pathlib.Path(get_package_share_directory("dynamics_description")) / "urdf/puma.urdf"
PLANNER = pathlib.Path(
    get_package_prefix("dynamics_ros")) / "lib/dynamics_ros/straight_line_planner"
START = [0.2, -0.4, 0.1, 0.0, 0.5, -0.3]
GOAL = [1.0, 0.5, -0.5, 0.7, 0.3, 0.4]


def generate_test_description():
    node = launch_ros.actions.Node(
        package="dynamics_ros", executable="dynamics_node", name="dynamics", output="screen",
        parameters=[{"robot_description": PUMA.read_text("utf-8")}])
    return launch.LaunchDescription([node, launch_testing.actions.ReadyToTest()])


def plan(**parameters):
    arguments = [word for name, value in parameters.items() for word in ("-p", f"{name}:={value}")]
    return subprocess.run([PLANNER, "--ros-args", *arguments], capture_output=True, text=True,
                          timeout=90, check=False)


class TestPlanner(unittest.TestCase):

    def check(self, duration, code):
        done = plan(start=START, goal=GOAL, duration=duration, points=51, timeout=60.0)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        core = json.loads(subprocess.run(
            [os.environ["DYNAMICS_PROGRAM"], "inverse", PUMA, "--trajectory", "cycloid",
             f"--q0={','.join(map(repr, START))}", f"--q1={','.join(map(repr, GOAL))}",
             f"--duration={duration}", f"--period={duration}", f"--sample={duration / 50}",
             "--json"], capture_output=True, text=True, check=True).stdout)
        rows = [line.split() for line in done.stdout.splitlines()[1:7]]
        self.assertEqual([row[0] for row in rows], core["joints"])
        self.assertEqual((len(core["peak"]), len(core["limit_ratio"])), (6, 6))
        for row, peak, share in zip(rows, core["peak"], core["limit_ratio"]):
            self.assertAlmostEqual(float(row[1]), peak, delta=1e-8 * max(1.0, peak))
            self.assertAlmostEqual(float(row[3]), share, delta=1e-8 * max(1.0, share))
            self.assertAlmostEqual(float(row[1]) / float(row[2]), share,
                                   delta=1e-8 * max(1.0, share))
        return done.stdout

    def test_a_slow_path_is_within_the_limits(self):
        self.assertIn("within the limits", self.check(4.0, 0))

    def test_a_fast_one_is_not(self):
        self.assertIn("exceeds the limit of joint", self.check(0.25, 1))

    def test_it_can_be_slowed_down(self):
        done = plan(start=START, goal=GOAL, duration=0.25, points=51, timeout=60.0,
                    slow_down="true")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        words = done.stdout.splitlines()[0].split()  # slowed down from 0.25 s to ... s
        self.assertGreater(float(words[6]), 0.25)
        self.assertIn("within the limits", done.stdout)
        # no slower than needed: the effort of some joint is near its limit
        shares = [float(line.split()[3]) for line in done.stdout.splitlines()[2:8]]
        self.assertEqual(len(shares), 6)
        self.assertGreater(max(shares), 0.8)

    def test_what_is_wrong_is_said(self):
        done = plan(start="[0.0, 1.0]", goal=GOAL, timeout=60.0)
        self.assertEqual(done.returncode, 2)
        self.assertIn("start and goal must have 6 numbers", done.stderr)
        done = plan(goal=GOAL, node="/nowhere", timeout=0.5)
        self.assertEqual(done.returncode, 2)
        self.assertIn("/nowhere/get_model: nobody offers this service", done.stderr)


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):

    def test_interrupt_ends_it_cleanly(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
