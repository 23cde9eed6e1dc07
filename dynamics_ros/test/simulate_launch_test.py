# SPDX-License-Identifier: Apache-2.0
"""The action of the node: the core's own runs, progress, cancel, bad goals, several at once."""
import json
import pathlib
import sys
import tempfile
import unittest

import launch
import launch_ros.actions
import launch_testing.actions
import launch_testing.asserts
from action_msgs.msg import GoalStatus
from dynamics_msgs.action import Simulate
from dynamics_msgs.msg import DynamicStates, ResultCode
from dynamics_msgs.srv import GetModel
from rclpy.action import ActionClient

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from node_client import (PATIENCE, PUMA, NodeTest, Q, at, core_run, duration,  # noqa: E402
                         rows_of)

FOREVER = 1e7  # s of simulated time


def generate_test_description():
    node = launch_ros.actions.Node(
        package="dynamics_ros", executable="dynamics_node", name="dynamics", output="screen",
        parameters=[{"simulation_threads": 2, "simulation_queue": 1}])
    return launch.LaunchDescription([node, launch_testing.actions.ReadyToTest()])


class TestSimulate(NodeTest):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.action = ActionClient(cls.node, Simulate, "/dynamics/simulate")

    @classmethod
    def tearDownClass(cls):
        cls.action.destroy()
        super().tearDownClass()

    def send(self, feedback=None, **fields):
        self.assertTrue(self.action.wait_for_server(PATIENCE), "no action")
        fields.setdefault("sample", 0.01)
        for name in ("duration", "sample"):
            fields[name] = duration(fields[name])
        goal = Simulate.Goal(**fields)
        handle = self.wait(self.action.send_goal_async(goal, feedback_callback=feedback))
        self.assertTrue(handle.accepted)
        return handle

    def result(self, handle):
        return self.wait(handle.get_result_async(), "the result")

    def assert_same_run(self, states, rows):
        """Compare number for number: the program writes all digits."""
        joints = {name[2:] for name in rows[0] if name.startswith("q_")}
        self.assertEqual(set(states.joint_names), joints)
        self.assertEqual(len(states.time_from_start), len(rows))
        for matrix, prefix in ((states.positions, "q"), (states.velocities, "qd"),
                               (states.accelerations, "qdd"), (states.effort, "tau")):
            self.assertEqual(rows_of(matrix, len(joints)), [
                [row[f"{prefix}_{name}"] for name in states.joint_names] for row in rows])
        self.assertEqual(list(states.kinetic_energy), [row["kinetic"] for row in rows])
        self.assertEqual(list(states.potential_energy), [row["potential"] for row in rows])

    def test_1_without_a_model(self):
        answer = self.result(self.send(duration=1.0))
        self.assertEqual(answer.status, GoalStatus.STATUS_ABORTED)
        self.assertEqual(answer.result.result.code, ResultCode.NO_MODEL)

    def test_2_free_fall_and_hold_are_the_cores_own(self):
        self.have_puma()
        for scenario, name in ((Simulate.Goal.FREE_FALL, "free-fall"),
                               (Simulate.Goal.HOLD, "hold")):
            received = []
            handle = self.send(lambda message: received.append(message.feedback), scenario=scenario,
                               joint_names=self.names, positions=Q[::-1], duration=1.0,
                               sample=0.05)
            answer = self.result(handle)
            self.assertEqual(answer.status, GoalStatus.STATUS_SUCCEEDED, answer.result.result)
            self.assertEqual(answer.result.result, ResultCode())
            self.assert_same_run(answer.result.states, core_run(
                PUMA, "--scenario", name, "--duration", 1.0, "--sample", 0.05,
                f"--q0={','.join(map(repr, Q))}"))
            self.until(lambda: received, "no feedback")
            self.assertTrue(all(0.0 <= one.progress <= 1.0 for one in received))
            for one in received:
                time = one.time_from_start.sec + 1e-9 * one.time_from_start.nanosec
                self.assertAlmostEqual(time, one.progress, delta=1e-9)

    def test_3_trajectories(self):
        self.have_puma()
        points = [at(0.0, positions=Q[::-1]), at(0.4, positions=[1.1 * q for q in Q[::-1]]),
                  at(0.7, positions=[0.9 * q for q in Q[::-1]])]
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "path.yaml"
            file.write_text(json.dumps({"joint_names": self.names, "points": [
                {"positions": list(point.positions),
                 "time_from_start": {"sec": point.time_from_start.sec,
                                     "nanosec": point.time_from_start.nanosec}}
                for point in points]}))
            for scenario, name in ((Simulate.Goal.FORCED, "forced"),
                                   (Simulate.Goal.COMPUTED_TORQUE, "computed-torque")):
                goal = Simulate.Goal()
                goal.trajectory.joint_names = self.names
                goal.trajectory.points = points
                answer = self.result(self.send(
                    scenario=scenario, joint_names=self.names, positions=Q[::-1],
                    trajectory=goal.trajectory, duration=0.8, sample=0.1, tolerance=1e-7))
                self.assertEqual(answer.result.result, ResultCode())
                self.assert_same_run(answer.result.states, core_run(
                    PUMA, "--scenario", name, "--duration", 0.8, "--sample", 0.1, "--rtol", 1e-7,
                    "--trajectory", file, f"--q0={','.join(map(repr, Q))}"))

    def test_4_flexible_links_bend(self):
        robot = PUMA.with_name("canadarm.urdf")
        self.describe(robot.read_text("utf-8"), lambda model: model.name == "canadarm")
        model = self.call(GetModel, "get_model", GetModel.Request())
        self.assertTrue(model.flexible_links)
        self.assertTrue(model.amplitude_names)
        start = [0.1 * i for i in range(len(model.joints))]
        answer = self.result(self.send(
            joint_names=[joint.name for joint in model.joints], positions=start, duration=0.05,
            sample=0.01, tolerance=1e-6))
        self.assertEqual(answer.result.result, ResultCode())
        rows = core_run(robot, "--duration", 0.05, "--sample", 0.01, "--rtol", 1e-6,
                        f"--q0={','.join(map(repr, start))}")
        self.assert_same_run(answer.result.states, rows)
        states = answer.result.states
        names = list(states.amplitude_names)
        self.assertEqual(names, list(model.amplitude_names))
        self.assertEqual(rows_of(states.amplitudes, len(names)),
                         [[row[name] for name in names] for row in rows])

    def test_5_bad_goals_say_why(self):
        self.have_puma()
        for fields, code, word in (
                ({"duration": -1.0}, ResultCode.INVALID_VALUE, "duration"),
                ({"duration": 1.0, "sample": 1e-9}, ResultCode.TOO_LARGE, "states"),
                ({"duration": 1.0, "scenario": 7}, ResultCode.INVALID_VALUE, "scenario"),
                ({"duration": 1.0, "integrator": "magic"}, ResultCode.INVALID_VALUE, "magic"),
                ({"duration": 1.0, "joint_names": ["tail"], "positions": [0.0]},
                 ResultCode.UNKNOWN_JOINT, "tail"),
                ({"duration": 1.0, "scenario": Simulate.Goal.FORCED}, ResultCode.EMPTY_REQUEST,
                 "trajectory")):
            answer = self.result(self.send(**fields))
            self.assertEqual(answer.status, GoalStatus.STATUS_ABORTED)
            self.assertEqual(answer.result.result.code, code, answer.result.result.message)
            self.assertIn(word, answer.result.result.message)
            self.assertEqual(answer.result.states, DynamicStates())

    def test_6_several_at_once_and_canceled(self):
        self.have_puma()
        received = [[], [], [], []]
        handles = [
            self.send(lambda message, received=received[i]: received.append(message.feedback),
                      duration=FOREVER, sample=FOREVER / 10.0)
            for i in range(2)]
        self.until(lambda: received[0] and received[1], "two do not run side by side")
        handles.append(self.send(duration=FOREVER, sample=FOREVER / 10.0))  # waits
        busy = self.result(self.send(duration=1.0))
        self.assertEqual(busy.status, GoalStatus.STATUS_ABORTED)
        self.assertEqual(busy.result.result.code, ResultCode.BUSY)
        self.assertIn("simulation_queue", busy.result.result.message)
        # services answer meanwhile
        model = self.call(GetModel, "get_model", GetModel.Request())
        self.assertEqual(model.result.code, ResultCode.SUCCESS)
        results = [handle.get_result_async() for handle in handles]
        for handle in reversed(handles):  # the one that waits first, or it would get its turn
            self.wait(handle.cancel_goal_async(), "the cancel's answer")
        for i, future in enumerate(results):
            answer = self.wait(future, "the canceled result")
            self.assertEqual(answer.status, GoalStatus.STATUS_CANCELED)
            self.assertEqual(answer.result.result.code, ResultCode.CANCELED)
            self.assertIn("canceled", answer.result.result.message)
            self.assertEqual(len(answer.result.states.time_from_start), 1 if i < 2 else 0)
        answer = self.result(self.send(duration=0.01))
        self.assertEqual(answer.status, GoalStatus.STATUS_SUCCEEDED)

    def test_7_an_interrupt_ends_runs_in_progress(self):
        received = []
        self.send(received.append, duration=FOREVER, sample=FOREVER / 10.0)
        self.until(lambda: received, "it does not run")


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):

    def test_interrupt_ends_it_cleanly(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
