# SPDX-License-Identifier: Apache-2.0
"""The node as a process: every service by a real client, good requests and bad, SIGINT."""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import launch
import launch_ros.actions
import launch_testing.actions
import launch_testing.asserts
from ament_index_python.packages import get_package_prefix
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from dynamics_msgs.msg import LinkWrench, ModelFinding, OtherJoints, Payload, ResultCode
from dynamics_msgs.srv import (CheckModel, CheckTorqueLimits, ForwardDynamics, GetDynamicsTerms,
                               GetModel, InverseDynamics, ScaleTrajectory, SetPayload)
from sensor_msgs.msg import JointState
from std_msgs.msg import String

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from node_client import (LATCHED, PATIENCE, PUMA, QD, QDD, TAU, NodeTest, Q, at, core,  # noqa: E402
                         duration, rows_of, run_core)

EXECUTABLE = pathlib.Path(get_package_prefix("dynamics_ros")) / "lib/dynamics_ros/dynamics_node"


def generate_test_description():
    node = launch_ros.actions.Node(
        package="dynamics_ros", executable="dynamics_node", name="dynamics", output="screen")
    return launch.LaunchDescription([node, launch_testing.actions.ReadyToTest()])


class TestNode(NodeTest):

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
        expected = core("inverse", q=Q, qd=QD, qdd=QDD)["tau"][::-1]
        for points in (2, 600):  # one state after the other, and a batch on threads of its own
            request = self.trajectory_request(points)
            request.return_parts = True
            answer = self.call(InverseDynamics, "inverse_dynamics", request)
            self.assertEqual(answer.result.code, ResultCode.SUCCESS, answer.result.message)
            self.assertEqual(len(answer.trajectory.points), points)
            for k, point in enumerate(answer.trajectory.points):
                self.assert_close(point.effort, expected)
                parts = answer.parts
                for i, effort in enumerate(point.effort):
                    j = 6 * k + i
                    self.assertAlmostEqual(
                        parts.gravity[j] + parts.coriolis[j] + parts.inertia[j] +
                        parts.friction[j], effort, delta=1e-10)
            self.assertEqual(list(answer.verdict.joint_names), self.names)
            self.assert_close(answer.verdict.peak, [abs(value) for value in expected])
            self.assert_close(answer.verdict.ratio, [
                abs(value) / limit for value, limit in zip(expected, answer.verdict.limit)])
            self.assertEqual(len(answer.parts.gravity), 6 * points)

            check = CheckTorqueLimits.Request(trajectory=request.trajectory)
            verdict = self.call(CheckTorqueLimits, "check_torque_limits", check)
            self.assertEqual(verdict.verdict, answer.verdict)

            columns = InverseDynamics.Request()
            columns.columns.joint_names = self.names
            columns.columns.time_from_start = [duration(float(k)) for k in range(points)]
            columns.columns.positions = Q[::-1] * points
            columns.columns.velocities = QD[::-1] * points
            columns.columns.accelerations = QDD[::-1] * points
            flat = self.call(InverseDynamics, "inverse_dynamics", columns)
            self.assertEqual(flat.result.code, ResultCode.SUCCESS, flat.result.message)
            self.assertEqual(rows_of(flat.effort, 6),
                             [list(point.effort) for point in answer.trajectory.points])
            self.assertEqual(flat.verdict, answer.verdict)

    def test_3_overrides_and_wrenches(self):
        model = self.have_puma()
        before = self.call(InverseDynamics, "inverse_dynamics", self.trajectory_request())
        request = self.trajectory_request()
        request.wrenches = [LinkWrench(frame_id=model.end_effector, axes=LinkWrench.LOCAL)]
        request.wrenches[0].wrench.torque.z = 2.0  # about the axis of the last joint
        answer = self.call(InverseDynamics, "inverse_dynamics", request)
        self.assertEqual(answer.result.code, ResultCode.SUCCESS, answer.result.message)
        last = self.names.index("joint6")
        self.assertAlmostEqual(answer.trajectory.points[0].effort[last],
                               before.trajectory.points[0].effort[last] - 2.0, delta=1e-9)
        request = self.trajectory_request()
        request.overrides.replace_gravity = True
        answer = self.call(InverseDynamics, "inverse_dynamics", request)
        expected = run_core("inverse", PUMA, f"--q={','.join(map(repr, Q))}",
                            f"--qd={','.join(map(repr, QD))}", f"--qdd={','.join(map(repr, QDD))}",
                            "--gravity", "0,0,0", "--json")
        self.assert_close(answer.trajectory.points[0].effort,
                          json.loads(expected.stdout)["tau"][::-1])
        again = self.call(InverseDynamics, "inverse_dynamics", self.trajectory_request())
        self.assertEqual(again.trajectory, before.trajectory, "the node's model is as before")

    def test_3_joints_that_stand_where_joint_states_have_them(self):
        self.have_puma()
        request = InverseDynamics.Request()
        request.trajectory.joint_names = self.joints[:1]
        request.trajectory.points = [at(0.0, positions=Q[:1], velocities=[0.0],
                                        accelerations=[0.0])]
        request.other_joints.source = OtherJoints.JOINT_STATES
        answer = self.call(InverseDynamics, "inverse_dynamics", request)
        self.assertEqual(answer.result.code, ResultCode.NO_JOINT_STATE, answer.result.message)
        publisher = self.node.create_publisher(JointState, "joint_states", 10)
        self.addCleanup(self.node.destroy_publisher, publisher)
        client = self.client(InverseDynamics, "inverse_dynamics")
        end = time.monotonic() + PATIENCE
        while answer.result.code == ResultCode.NO_JOINT_STATE and time.monotonic() < end:
            publisher.publish(JointState(name=self.names, position=Q[::-1]))
            answer = self.wait(client.call_async(request))
        self.assertEqual(answer.result.code, ResultCode.SUCCESS, answer.result.message)
        self.assert_close(answer.trajectory.points[0].effort, core("inverse", q=Q)["tau"][:1])
        request.other_joints.source = OtherJoints.ZERO
        answer = self.call(InverseDynamics, "inverse_dynamics", request)
        self.assert_close(answer.trajectory.points[0].effort,
                          core("inverse", q=[Q[0], 0.0, 0.0, 0.0, 0.0, 0.0])["tau"][:1])

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
                           (GetDynamicsTerms, "get_dynamics_terms"),
                           (CheckTorqueLimits, "check_torque_limits"),
                           (ScaleTrajectory, "scale_trajectory")):
            answer = self.call(kind, name, kind.Request())
            self.assertEqual(answer.result.code, ResultCode.EMPTY_REQUEST, name)
        bad = SetPayload.Request()
        bad.payload.frame_id = "moon"
        answer = self.call(SetPayload, "set_payload", bad)
        self.assertEqual(answer.result.code, ResultCode.UNKNOWN_FRAME)

    def test_5_forward_dynamics_and_terms(self):
        self.have_puma()
        expected = core("forward", q=Q, qd=QD, tau=TAU)["qdd"][::-1]
        for count in (3, 600):
            answer = self.call(ForwardDynamics, "forward_dynamics", ForwardDynamics.Request(
                joint_names=self.names, positions=Q[::-1] * count, velocities=QD[::-1] * count,
                effort=TAU[::-1] * count))
            self.assertEqual(answer.result.code, ResultCode.SUCCESS, answer.result.message)
            self.assert_close(answer.accelerations, expected * count)

        terms = self.call(GetDynamicsTerms, "get_dynamics_terms", GetDynamicsTerms.Request(
            joint_names=self.names, positions=Q[::-1], velocities=QD[::-1]))
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
        self.addCleanup(self.node.destroy_subscription, subscription)
        # a node that was started again must not take the payload from the simulated robot
        self.until(lambda: self.node.count_publishers("/dynamics/payload") > 0, "no publisher")
        end = time.monotonic() + 1.0
        self.until(lambda: time.monotonic() > end, "")
        self.assertEqual(heard, [], "no payload has been set")
        request = SetPayload.Request()
        request.payload.frame_id = model.end_effector
        request.payload.inertia.m = 2.5
        answer = self.call(SetPayload, "set_payload", request)
        self.assertEqual(answer.result.code, ResultCode.SUCCESS, answer.result.message)
        self.assertAlmostEqual(answer.total_mass, model.total_mass + 2.5, delta=1e-9)
        self.until(lambda: heard and heard[-1] == request.payload, "the payload is not published")
        # cleared again
        answer = self.call(SetPayload, "set_payload", SetPayload.Request())
        self.assertEqual(answer.payload, Payload())
        self.assertAlmostEqual(answer.total_mass, model.total_mass, delta=1e-9)

    def test_7_scaled_trajectories_pass_the_core(self):
        self.have_puma()
        model = self.call(GetModel, "get_model", GetModel.Request())
        limits = {joint.name: joint.effort_limit for joint in model.joints}
        for method in (ScaleTrajectory.Request.UNIFORM, ScaleTrajectory.Request.PER_SEGMENT):
            request = ScaleTrajectory.Request(method=method, effort_share=0.9)
            request.trajectory.joint_names = list(self.names)
            for k, share in enumerate((0.0, 0.3, 0.8, 1.0)):
                request.trajectory.points.append(
                    at(0.1 * k, positions=[share * value for value in Q[::-1]]))
            answer = self.call(ScaleTrajectory, "scale_trajectory", request)
            self.assertEqual(answer.result.code, ResultCode.SUCCESS, answer.result.message)
            self.assertGreater(answer.duration_factor, 1.0)
            self.assertTrue(answer.verdict.within_limits)
            self.assertLessEqual(answer.largest_effort_ratio, 0.9)
            self.assertLessEqual(answer.largest_velocity_ratio, 1.0)
            # no slower than needed: something is near its limit
            self.assertGreater(
                max(answer.largest_effort_ratio / 0.9, answer.largest_velocity_ratio), 0.9)
            # what comes back is what inverse dynamics makes of it, here and in the core
            again = self.call(InverseDynamics, "inverse_dynamics", InverseDynamics.Request(
                trajectory=answer.trajectory))
            self.assertTrue(again.accelerations_from_spline)
            trajectory = [
                {"positions": list(point.positions), "velocities": list(point.velocities),
                 "time_from_start": {"sec": point.time_from_start.sec,
                                     "nanosec": point.time_from_start.nanosec}}
                for point in answer.trajectory.points]
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / "slowed.yaml"
                file.write_text(json.dumps({"joint_names": self.names, "points": trajectory}))
                end = answer.trajectory.points[-1].time_from_start
                table = pathlib.Path(folder) / "efforts.csv"
                done = run_core("inverse", PUMA, "--trajectory", file, "--duration",
                                end.sec + 1e-9 * end.nanosec, "--sample", 0.002, "--output", table)
                self.assertEqual(done.returncode, 0, done.stderr)
                rows = [line.split(",") for line in table.read_text().splitlines()]
            columns = [(name[4:], i) for i, name in enumerate(rows[0]) if name[:4] == "tau_"]
            self.assertEqual(len(columns), 6)
            self.assertGreater(len(rows), 20)
            for row in rows[1:]:
                for name, i in columns:
                    self.assertLessEqual(abs(float(row[i])), 0.9 * limits[name] * 1.02)
            self.assertEqual(len(again.trajectory.points), len(answer.trajectory.points))
            for one, other in zip(again.trajectory.points, answer.trajectory.points):
                self.assert_close(one.effort, other.effort)

        request.effort_share = 1e-3
        answer = self.call(ScaleTrajectory, "scale_trajectory", request)
        self.assertEqual(answer.result.code, ResultCode.LIMITS_NOT_MET)
        self.assertIn("gravity alone", answer.result.message)
        request.effort_share = 2.0
        answer = self.call(ScaleTrajectory, "scale_trajectory", request)
        self.assertEqual(answer.result.code, ResultCode.INVALID_VALUE)

    def test_8_check_model(self):
        self.have_puma()
        bad = PUMA.read_text("utf-8").replace("<mass value=\"", "<mass value=\"-", 1)
        for text in ("", bad):
            answer = self.call(CheckModel, "check_model", CheckModel.Request(
                source=CheckModel.Request.TEXT if text else CheckModel.Request.RECEIVED,
                urdf=text))
            self.assertEqual(answer.result.code, ResultCode.SUCCESS, answer.result.message)
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / "robot.urdf"
                file.write_text(text or PUMA.read_text("utf-8"), "utf-8")
                report = json.loads(run_core("check", file, "--json").stdout)
            self.assertEqual(answer.robot, report["robot"])
            self.assertEqual(answer.loads, report["loads"])
            self.assertEqual(answer.errors, report["errors"])
            self.assertEqual(answer.warnings, len(report["warnings"]))
            severities = {"information": ModelFinding.INFORMATION,
                          "warning": ModelFinding.WARNING, "error": ModelFinding.ERROR}
            self.assertEqual(
                [(found.severity, found.name, found.code, found.message, found.repair, found.line)
                 for found in answer.findings],
                [(severities[found["severity"]], found["name"], found["code"], found["message"],
                  found["repair"], found["line"] or 0) for found in report["findings"]])
            self.assertEqual(answer.loads, text == "")
            self.assertEqual(report["condition"] is not None, answer.loads)
            if answer.loads:
                self.assertEqual(answer.condition_largest, report["condition"]["largest"])

    def test_9_diagnostics(self):
        self.have_puma()
        latest = {}

        def hear(message):
            for status in message.status:
                latest[status.name.split(": ")[-1]] = status

        subscription = self.node.create_subscription(DiagnosticArray, "/diagnostics", hear, 10)
        self.addCleanup(self.node.destroy_subscription, subscription)
        self.call(InverseDynamics, "inverse_dynamics", InverseDynamics.Request())

        def values(name):
            return {pair.key: pair.value for pair in latest[name].values}

        self.until(lambda: "inverse_dynamics last fault" in (
            values("requests") if "requests" in latest else {}), "no diagnostics of requests")
        self.assertEqual(latest["model"].level, DiagnosticStatus.OK)
        self.assertEqual(values("model")["name"], "puma")
        self.assertEqual(values("model")["joints"], "6")
        requests = values("requests")
        self.assertGreaterEqual(int(requests["inverse_dynamics calls"]), 1)
        self.assertGreaterEqual(int(requests["inverse_dynamics faults"]), 1)
        self.assertGreater(float(requests["inverse_dynamics latency p99 (ms)"]), 0.0)
        self.assertIn("empty", requests["inverse_dynamics last fault"])
        self.assertIn("simulations running", values("load"))
        # a bad description is received, the old one is in use
        self.description.publish(String(data="<robot"))
        self.until(lambda: latest["model"].level == DiagnosticStatus.WARN, "no warning")
        self.assertEqual(values("model")["name"], "puma")
        self.assertTrue(values("model")["refused"])
        self.have_puma()
        self.until(lambda: latest["model"].level == DiagnosticStatus.OK, "the warning stays")


class TestParameters(unittest.TestCase):

    def test_a_bad_one_is_named(self):
        for bad in ("gravity:=[1.0, 2.0]", "largest_request:=0", "simulation_threads:=-1"):
            done = subprocess.run(
                [EXECUTABLE, "--ros-args", "-p", bad], capture_output=True, text=True,
                timeout=PATIENCE, check=False, env=os.environ)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(bad.split(":=")[0], done.stderr)


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):

    def test_interrupt_ends_it_cleanly(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
