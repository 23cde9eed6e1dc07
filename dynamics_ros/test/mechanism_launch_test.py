# SPDX-License-Identifier: Apache-2.0
"""The node with closed loops: its services and simulations match the program's."""
import csv
import json
import pathlib
import sys
import tempfile
import unittest

import launch
import launch_ros.actions
import launch_testing.actions
import launch_testing.asserts
from dynamics_msgs.action import Simulate
from dynamics_msgs.msg import ResultCode
from dynamics_msgs.srv import ForwardDynamics, GetDynamicsTerms, InverseDynamics, ScaleTrajectory
from rclpy.action import ActionClient

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from node_client import PATIENCE, PUMA, NodeTest, at, duration, rows_of, run_core  # noqa: E402

ARM = PUMA.parent / "mechanisms" / "parallelogram_arm.urdf"
NAMES = ["drive", "turn", "shoulder"]  # another order than the program's
Q, QD, QDD = [0.2, 0.3, -0.1], [0.5, -0.4, 0.6], [1.0, 2.0, -3.0]  # turn, shoulder, drive


def in_order(values):
    return [values[2], values[0], values[1]]


def core(command, **vectors):
    """Return the answer of the program on the parallelogram arm."""
    arguments = [f"--{name}={','.join(map(repr, value))}" for name, value in vectors.items()]
    done = run_core(command, ARM, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def generate_test_description():
    node = launch_ros.actions.Node(
        package="dynamics_ros", executable="dynamics_node", name="dynamics", output="screen")
    return launch.LaunchDescription([node, launch_testing.actions.ReadyToTest()])


class TestMechanism(NodeTest):

    def have_arm(self):
        return self.describe(ARM.read_text("utf-8"), lambda answer: answer.name == ARM.stem)

    def near(self, got, expected):
        """Compare to round-off of the closed loops."""
        self.assertEqual(len(got), len(expected))
        for one, other in zip(got, expected):
            self.assertLessEqual(abs(one - other), 1e-10 * max(1.0, abs(other)))

    def test_1_services_match_the_program(self):
        model = self.have_arm()
        self.assertEqual(list(model.independent_joints), ["turn", "shoulder", "drive"])
        self.assertEqual(list(model.actuated_joints), ["turn", "shoulder", "drive"])
        self.assertEqual(list(model.constraints), ["rod_end"])
        expected = core("inverse", q=Q, qd=QD, qdd=QDD)["tau"]
        request = InverseDynamics.Request()
        request.trajectory.joint_names = NAMES
        request.trajectory.points = [at(0.0, positions=in_order(Q), velocities=in_order(QD),
                                        accelerations=in_order(QDD))]
        answer = self.call(InverseDynamics, "inverse_dynamics", request)
        self.assertEqual(answer.result.code, ResultCode.SUCCESS, answer.result.message)
        self.near(answer.trajectory.points[0].effort, in_order(expected))

        answer = self.call(ForwardDynamics, "forward_dynamics", ForwardDynamics.Request(
            joint_names=NAMES, positions=in_order(Q), velocities=in_order(QD),
            effort=in_order(expected)))
        self.assertEqual(answer.result.code, ResultCode.SUCCESS, answer.result.message)
        self.near(answer.accelerations, in_order(QDD))

        expected = core("terms", q=Q, qd=QD)
        terms = self.call(GetDynamicsTerms, "get_dynamics_terms", GetDynamicsTerms.Request(
            joint_names=NAMES, positions=in_order(Q), velocities=in_order(QD)))
        self.assertEqual(terms.result.code, ResultCode.SUCCESS, terms.result.message)
        self.assertEqual(list(terms.joint_names), NAMES)
        self.near(terms.inertia.data, sum(map(in_order, in_order(expected["M"])), []))
        self.near(terms.coriolis.data, sum(map(in_order, in_order(expected["C"])), []))
        self.near(terms.gravity, in_order(expected["g"]))
        self.near([terms.kinetic_energy, terms.potential_energy],
                  [expected["kinetic"], expected["potential"]])

    def test_2_simulation_matches_the_program(self):
        self.have_arm()
        client = ActionClient(self.node, Simulate, "/dynamics/simulate")
        self.addCleanup(client.destroy)
        self.assertTrue(client.wait_for_server(PATIENCE))
        goal = Simulate.Goal(joint_names=NAMES, positions=in_order(Q), duration=duration(0.5),
                             sample=duration(0.1))
        handle = self.wait(client.send_goal_async(goal), "the goal")
        result = self.wait(handle.get_result_async(), "the result").result
        self.assertEqual(result.result.code, ResultCode.SUCCESS, result.result.message)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "run.csv"
            done = run_core("simulate", ARM, f"--q0={','.join(map(str, Q))}", "--duration", 0.5,
                            "--sample", 0.1, "--output", file)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(file, encoding="utf-8") as stream:
                rows = list(csv.DictReader(stream))
        names = result.states.joint_names
        self.assertEqual(len(names), 5)
        positions = rows_of(result.states.positions, 5)
        self.assertEqual(len(positions), len(rows))
        for values, row in zip(positions, rows):
            self.near(values, [float(row[f"q_{joint}"]) for joint in names])
        self.assertGreater(abs(float(rows[-1]["q_shoulder"]) - Q[1]), 0.1)

    def test_3_refusals_name_robot_and_joint(self):
        self.have_arm()
        request = InverseDynamics.Request()
        request.trajectory.joint_names = ["elbow"]
        request.trajectory.points = [at(0.0, positions=[0.1])]
        answer = self.call(InverseDynamics, "inverse_dynamics", request)
        self.assertEqual(answer.result.code, ResultCode.MISSING_JOINT)
        self.assertIn("joint 'elbow' follows from the closed loops of 'parallelogram_arm'",
                      answer.result.message)
        request = ScaleTrajectory.Request()
        request.trajectory.joint_names = NAMES
        request.trajectory.points = [at(0.0, positions=[0.0] * 3), at(1.0, positions=[0.1] * 3)]
        answer = self.call(ScaleTrajectory, "scale_trajectory", request)
        self.assertEqual(answer.result.code, ResultCode.NOT_SUPPORTED)
        self.assertIn("'parallelogram_arm'", answer.result.message)


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):

    def test_interrupt_ends_it_cleanly(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
