# SPDX-License-Identifier: Apache-2.0
"""The node as a process: real clients, good requests and bad, a changing description, SIGINT."""
import json
import math
import os
import pathlib
import subprocess
import unittest

import launch
import launch_ros.actions
import launch_testing.actions
import launch_testing.asserts
import rclpy
from ament_index_python.packages import get_package_prefix, get_package_share_directory
from builtin_interfaces.msg import Duration
from dynamics_msgs.msg import Payload, ResultCode
from dynamics_msgs.srv import (CheckTorqueLimits, ForwardDynamics, GetDynamicsTerms, GetModel,
                               InverseDynamics, SetPayload)
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectoryPoint

PUMA = pathlib.Path(get_package_share_directory("dynamics_description")) / "urdf/puma.urdf"
EXECUTABLE = pathlib.Path(get_package_prefix("dynamics_ros")) / "lib/dynamics_ros/dynamics_node"
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
Q = [0.1, -0.7, 0.4, 1.2, -0.5, 0.9]
QD = [0.5, 0.3, -1.1, 0.2, 0.7, -0.4]
QDD = [1.5, -2.0, 0.6, 3.0, -1.0, 0.8]
TAU = [3.0, -40.0, 12.0, 0.3, 0.2, -0.1]


def generate_test_description():
    node = launch_ros.actions.Node(
        package="dynamics_ros", executable="dynamics_node", name="dynamics", output="screen")
    parts = [node, launch_testing.actions.ReadyToTest()]
    return launch.LaunchDescription(parts), {"node": node}


def core(command, **vectors):
    """The answer of the core's own program."""
    arguments = [f"--{name}={','.join(map(repr, value))}" for name, value in vectors.items()]
    done = subprocess.run([os.environ["DYNAMICS_PROGRAM"], command, PUMA, *arguments, "--json"],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


class TestNode(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        rclpy.init()
        cls.node = rclpy.create_node("client")
        cls.description = cls.node.create_publisher(String, "robot_description", LATCHED)
        cls.joints = core("inverse", q=Q)["joints"]
        cls.names = list(reversed(cls.joints))

    @classmethod
    def tearDownClass(cls):
        cls.node.destroy_node()
        rclpy.shutdown()

    def call(self, kind, name, request):
        client = self.node.create_client(kind, f"/dynamics/{name}")
        try:
            self.assertTrue(client.wait_for_service(20.0), f"no service {name}")
            future = client.call_async(request)
            rclpy.spin_until_future_complete(self.node, future, timeout_sec=20.0)
            self.assertTrue(future.done(), f"{name} does not answer")
            return future.result()
        finally:
            self.node.destroy_client(client)

    def describe(self, text, until):
        """Publishes a description and waits until the node's model is as wanted."""
        self.description.publish(String(data=text))
        for _ in range(100):
            answer = self.call(GetModel, "get_model", GetModel.Request())
            if until(answer):
                return answer
        self.fail(f"the description is not taken: {answer.result}")

    def have_puma(self):
        return self.describe(PUMA.read_text("utf-8"), lambda answer: answer.name == "puma")

    def assert_close(self, got, expected, scale=1.0):
        self.assertEqual(len(got), len(expected))
        for one, other in zip(got, expected):
            self.assertLessEqual(abs(one - other), 1e-12 * max(scale, abs(other)))

    def trajectory_request(self):
        request = InverseDynamics.Request()
        request.trajectory.joint_names = list(self.names)
        for k in range(2):
            request.trajectory.points.append(JointTrajectoryPoint(
                positions=Q[::-1], velocities=QD[::-1], accelerations=QDD[::-1],
                time_from_start=Duration(sec=k)))
        return request

    def test_1_without_a_model(self):
        answer = self.call(InverseDynamics, "inverse_dynamics", self.trajectory_request())
        self.assertEqual(answer.result.code, ResultCode.NO_MODEL)
        self.assertIn("no robot description", answer.result.message)

    def test_2_model(self):
        answer = self.have_puma()
        self.assertEqual(answer.result, ResultCode())
        self.assertEqual([joint.name for joint in answer.joints], self.joints)
        self.assertEqual(answer.gravity.z, -9.81)

    def test_3_inverse_dynamics(self):
        self.have_puma()
        request = self.trajectory_request()
        request.return_parts = True
        answer = self.call(InverseDynamics, "inverse_dynamics", request)
        self.assertEqual(answer.result.code, ResultCode.SUCCESS, answer.result.message)
        expected = core("inverse", q=Q, qd=QD, qdd=QDD)["tau"][::-1]
        for k, point in enumerate(answer.trajectory.points):
            self.assert_close(point.effort, expected)
            parts = answer.parts[k]
            for i, effort in enumerate(point.effort):
                self.assertAlmostEqual(
                    parts.gravity[i] + parts.velocity[i] + parts.inertia[i] + parts.friction[i],
                    effort, delta=1e-10)
        self.assertEqual(list(answer.verdict.joint_names), self.names)
        self.assert_close(answer.verdict.peak, [abs(value) for value in expected])
        for peak, limit, ratio in zip(
                answer.verdict.peak, answer.verdict.limit, answer.verdict.ratio):
            self.assertAlmostEqual(ratio, peak / limit, delta=1e-12)

        check = CheckTorqueLimits.Request(trajectory=request.trajectory)
        verdict = self.call(CheckTorqueLimits, "check_torque_limits", check)
        self.assertEqual(verdict.verdict, answer.verdict)

    def test_4_faults(self):
        self.have_puma()
        request = self.trajectory_request()
        request.trajectory.points[1].velocities[2] = math.nan
        answer = self.call(InverseDynamics, "inverse_dynamics", request)
        self.assertEqual(answer.result.code, ResultCode.NOT_FINITE)
        self.assertIn(f"points[1].velocities[2] of joint '{self.names[2]}'", answer.result.message)
        self.assertEqual(answer.trajectory.points, [])
        request = self.trajectory_request()
        request.trajectory.joint_names[0] = "tentacle"
        answer = self.call(InverseDynamics, "inverse_dynamics", request)
        self.assertEqual(answer.result.code, ResultCode.UNKNOWN_JOINT)
        self.assertIn("tentacle", answer.result.message)
        for kind, name in ((ForwardDynamics, "forward_dynamics"),
                           (GetDynamicsTerms, "get_dynamics_terms")):
            answer = self.call(kind, name, kind.Request())
            self.assertEqual(answer.result.code, ResultCode.EMPTY_REQUEST)

    def test_5_forward_dynamics_and_terms(self):
        self.have_puma()
        state = JointTrajectoryPoint(positions=Q[::-1], velocities=QD[::-1], effort=TAU[::-1])
        answer = self.call(ForwardDynamics, "forward_dynamics",
                           ForwardDynamics.Request(joint_names=self.names, states=[state] * 3))
        self.assertEqual(answer.result.code, ResultCode.SUCCESS, answer.result.message)
        expected = core("forward", q=Q, qd=QD, tau=TAU)["qdd"][::-1]
        self.assertEqual(len(answer.states), 3)
        for one in answer.states:
            self.assert_close(one.accelerations, expected)

        terms = self.call(GetDynamicsTerms, "get_dynamics_terms", GetDynamicsTerms.Request(
            joint_names=self.names, position=Q[::-1], velocity=QD[::-1]))
        self.assertEqual(terms.result.code, ResultCode.SUCCESS, terms.result.message)
        expected = core("terms", q=Q, qd=QD)
        inertia = [value for row in expected["M"][::-1] for value in row[::-1]]
        coriolis = [value for row in expected["C"][::-1] for value in row[::-1]]
        self.assert_close(terms.inertia.data, inertia)
        self.assert_close(terms.coriolis.data, coriolis)
        self.assert_close(terms.gravity, expected["g"][::-1])
        self.assert_close([terms.kinetic_energy, terms.potential_energy],
                          [expected["kinetic"], expected["potential"]])

    def test_6_payload(self):
        model = self.have_puma()
        heard = []
        subscription = self.node.create_subscription(
            Payload, "/dynamics/payload", heard.append, LATCHED)
        request = SetPayload.Request()
        request.payload.frame = model.end_effector
        request.payload.inertia.m = 2.5
        answer = self.call(SetPayload, "set_payload", request)
        self.assertEqual(answer.result.code, ResultCode.SUCCESS, answer.result.message)
        self.assertAlmostEqual(answer.total_mass, model.total_mass + 2.5, delta=1e-9)
        for _ in range(100):
            if heard and heard[-1] == request.payload:
                break
            rclpy.spin_once(self.node, timeout_sec=0.1)
        self.assertEqual(heard[-1], request.payload)
        self.node.destroy_subscription(subscription)
        # cleared again
        answer = self.call(SetPayload, "set_payload", SetPayload.Request())
        self.assertEqual(answer.payload, Payload())
        self.assertAlmostEqual(answer.total_mass, model.total_mass, delta=1e-9)

    def test_7_a_bad_description_changes_nothing(self, proc_output, node):
        self.have_puma()
        self.description.publish(String(data=PUMA.read_text("utf-8").replace(
            "<mass value=\"", "<mass value=\"-", 1)))
        proc_output.assertWaitFor("bad robot description, going on with 'puma'", process=node,
                                  timeout=20.0, stream="stderr")
        answer = self.call(InverseDynamics, "inverse_dynamics", self.trajectory_request())
        self.assertEqual(answer.result.code, ResultCode.SUCCESS)
        other = PUMA.with_name("planar3.urdf").read_text("utf-8")
        self.describe(other, lambda model: model.name == "planar3")
        answer = self.call(InverseDynamics, "inverse_dynamics", self.trajectory_request())
        self.assertEqual(answer.result.code, ResultCode.UNKNOWN_JOINT)


class TestParameters(unittest.TestCase):

    def test_a_bad_one_is_named(self):
        for bad in ("gravity:=[1.0, 2.0]", "largest_request:=0", "friction_velocity:=-1.0"):
            done = subprocess.run(
                [EXECUTABLE, "--ros-args", "-p", bad], capture_output=True, text=True, timeout=30,
                check=False)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(bad.split(":=")[0], done.stderr)


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):

    def test_interrupt_ends_it_cleanly(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
