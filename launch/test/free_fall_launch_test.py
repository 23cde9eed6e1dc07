# SPDX-License-Identifier: Apache-2.0
"""puma.launch.py: free fall matches dynamics_core; pause, step, reset; runs are repeatable."""

import pathlib
import sys
import unittest

import launch_testing
import launch_testing.asserts
from dynamics_msgs.srv import GetModel, SetSimulationState

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from common import (  # noqa: E402
    Launch, Listener, RobotTest, core_run, largest_size, launched, seconds_of)

RUNNING, PAUSED = SetSimulationState.Request.RUNNING, SetSimulationState.Request.PAUSED
first = {}  # the states of the first launch, for the second one


def generate_test_description():
    return launched("puma", speed="2")


class TestFreeFall(RobotTest):

    def largest_difference(self, run):
        """Compare received states with those of dynamics_core at common times."""
        differences, count = [], 0
        for stamp, joints in self.robot.heard.items():
            row = run.get(round(stamp / 1e6)) if stamp % 10_000_000 == 0 else None
            if row is None:
                continue
            count += 1
            self.assertEqual(set(joints), set(row))
            differences.extend(joints[joint][0] - row[joint][0] for joint in row)
        return largest_size(differences), count

    def test_1_free_fall_matches_core(self):
        self.robot.wait_until(lambda: self.robot.time() >= 2.0, "it does not fall")
        self.set_state(PAUSED)
        run = core_run("puma", 2)
        largest, count = self.largest_difference(run)
        print(f"{count} states of 2 s: at most {largest:.2g} rad from the core's own run")
        self.assertGreater(count, 50, "too few states were heard")
        self.assertLess(largest, 1e-6)
        self.assertGreater(abs(run[2000]["joint2"][0]), 1.0)  # the arm moves
        # no efforts
        self.assertEqual(list(self.robot.last.effort), [0.0] * 6)

    def test_2_pauses_steps_and_resumes(self):
        stands = self.set_state(PAUSED)
        self.assertEqual(stands.state, PAUSED)
        after = self.step(7)
        self.assertEqual(after.steps, 7)
        self.assertAlmostEqual(seconds_of(after.time) - seconds_of(stands.time), 0.07, places=9)
        self.robot.wait_until(lambda: self.robot.time() >= seconds_of(after.time), "no new state")
        self.assertAlmostEqual(self.robot.time(), seconds_of(after.time), places=9)
        largest, count = self.largest_difference(core_run("puma", 6))
        self.assertGreater(count, 50)
        self.assertLess(largest, 1e-4)  # chaotic motion: the difference grows with time

        asked = self.set_state(0)
        self.assertEqual(asked.state, PAUSED)
        self.assertEqual(asked.time, after.time)
        self.assertEqual(self.set_state(RUNNING).state, RUNNING)
        self.robot.wait_until(
            lambda: self.robot.time() > seconds_of(after.time) + 0.2, "it does not go on")

    def test_3_reset_repeats_the_motion(self):
        first.update(self.robot.heard)
        self.set_state(PAUSED)
        self.robot.forget()
        self.reset(reset_time=True)
        self.set_state(RUNNING)
        self.robot.wait_until(lambda: 1.0 <= self.robot.time() < 2.0, "it does not fall again")
        both = [stamp for stamp in self.robot.heard if 0 < stamp < 10**9 and stamp in first]
        self.assertGreater(len(both), 20)
        for stamp in both:
            self.assertEqual(self.robot.heard[stamp], first[stamp], f"at {stamp} ns")

        # reset to a given state
        self.set_state(PAUSED)
        self.reset(joint_names=["joint2", "joint5"], positions=[-1.0, 0.25])
        time = seconds_of(self.step(1).time)
        self.robot.wait_until(lambda: self.robot.time() >= time, "no state after the reset")
        place = dict(zip(self.robot.last.name, self.robot.last.position))
        self.assertAlmostEqual(place["joint2"], -1.0, delta=0.01)
        self.assertAlmostEqual(place["joint5"], 0.25, delta=0.01)
        self.assertAlmostEqual(place["joint1"], 0.0, delta=0.01)

    def test_4_dynamics_node_has_the_model(self):
        def answer():
            return self.robot.call(GetModel, "/dynamics/get_model", GetModel.Request())

        self.robot.wait_until(lambda: answer().name == "puma", "no model")
        self.assertEqual(len(answer().joints), 6)


@launch_testing.post_shutdown_test()
class TestAfterwards(unittest.TestCase):

    def test_nodes_end_without_error(self, proc_info):
        for name in ("robot_state_publisher", "simulation_node", "dynamics_node", "markers_node"):
            launch_testing.asserts.assertExitCodes(proc_info, process=name)

    def test_second_launch_is_identical(self):
        """A second launch gives the same joint states at the same times, bit for bit."""
        self.assertTrue(first, "there was no first run")
        robot = Listener()
        launch = Launch("puma.launch.py", "gui:=false", "rate:=100", "speed:=2")
        try:
            robot.wait_until(lambda: robot.time() >= 2.0, "it does not fall")
            both = [stamp for stamp in robot.heard if stamp in first]
            print(f"{len(both)} states of two launches")
            self.assertGreater(len(both), 50)
            for stamp in both:
                self.assertEqual(robot.heard[stamp], first[stamp], f"at {stamp} ns")
        finally:
            robot.close()
            code, output = launch.end()
        self.assertEqual(code, 0, output[-3000:])
