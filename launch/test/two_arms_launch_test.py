# SPDX-License-Identifier: Apache-2.0
"""
two_arms.launch.py: two controller managers in two namespaces.

One of the arms moves, and one of the force-torque sensors measures a payload.
"""

import math
import pathlib
import sys
import unittest

import launch_testing
from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory
from dynamics_msgs.srv import SetPayload
from geometry_msgs.msg import WrenchStamped
from rclpy.action import ActionClient
from rclpy.qos import DurabilityPolicy, QoSProfile
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectoryPoint

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from common import Listener, launched, nothing  # noqa: E402

from dynamics_bringup.processes import has_package  # noqa: E402

CONTROLLER = "joint_trajectory_controller"
# one simulation with one clock steps both robots
SHARED = {"/tf", "/tf_static", "/parameter_events", "/rosout", "/diagnostics", "/clock",
          "/simulation/real_time_factor"}


def obstacle():
    """Return the reason why this test cannot run on this machine, or None."""
    for package in ("xacro", "force_torque_sensor_broadcaster"):
        if not has_package(package):
            return f"{package} is not installed"
    return None


def generate_test_description():
    return nothing() if obstacle() else launched("two_arms")


@unittest.skipIf(obstacle(), str(obstacle()))
class TestTwoArms(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.arms = {name: Listener(name) for name in ("left", "right")}

    @classmethod
    def tearDownClass(cls):
        for arm in cls.arms.values():
            arm.close()

    def places(self, name):
        last = self.arms[name].last
        return dict(zip(last.name, last.position))

    def test_1_both_hold(self, proc_info):
        for name, arm in self.arms.items():
            wanted = {"joint_state_broadcaster", CONTROLLER, f"{name}_tool0_joint_broadcaster"}
            arm.wait_until(lambda arm=arm, wanted=wanted: arm.active() == wanted,
                           f"{name}: the controllers do not become active")
            arm.wait_until(lambda arm=arm: arm.last is not None, f"{name}: no joint states")
            arm.wait_for_spawners(proc_info)
            self.assertTrue(all(joint.startswith(f"{name}_") for joint in arm.last.name))
            self.assertAlmostEqual(self.places(name)[f"{name}_elbow_joint"], 1.5, delta=1e-3)

    def test_2_only_left_moves(self):
        left, right = self.arms["left"], self.arms["right"]
        client = ActionClient(
            left.node, FollowJointTrajectory, f"{CONTROLLER}/follow_joint_trajectory")
        left.wait_until(client.server_is_ready, "there is no action server")
        start = self.places("left")
        goal = FollowJointTrajectory.Goal()
        goal.trajectory.joint_names = list(start)
        goal.trajectory.points = [JointTrajectoryPoint(
            positions=[value + 0.2 for value in start.values()], velocities=[0.0] * 6,
            time_from_start=Duration(sec=1))]
        accepted = client.send_goal_async(goal)
        left.wait_until(accepted.done, "no answer")
        self.assertTrue(accepted.result().accepted)
        result = accepted.result().get_result_async()
        left.wait_until(result.done, "it does not end")
        self.assertEqual(result.result().result.error_code, 0, result.result().result.error_string)
        client.destroy()
        left.wait_until(lambda: all(abs(self.places("left")[joint] - value - 0.2) < 1e-3
                                    for joint, value in start.items()), "it does not arrive")
        right.last = None
        right.wait_until(lambda: right.last is not None, "no joint states")
        self.assertAlmostEqual(self.places("right")["right_elbow_joint"], 1.5, delta=1e-3)

    def test_3_frames_have_one_root(self):
        left, parents = self.arms["left"], {}
        for topic, qos in (("/tf", QoSProfile(depth=1000)), ("/tf_static", QoSProfile(
                depth=1000, durability=DurabilityPolicy.TRANSIENT_LOCAL))):
            left.node.create_subscription(TFMessage, topic, lambda message: parents.update(
                {one.child_frame_id: one.header.frame_id for one in message.transforms}), qos)
        wanted = {f"{name}_{link}" for name in self.arms for link in ("base_link", "tool0",
                                                                      "forearm_link")}
        left.wait_until(lambda: wanted <= set(parents), f"no frames {wanted}")
        self.assertEqual({parents[f"{name}_base_link"] for name in self.arms}, {"world"})
        self.assertEqual(set(parents.values()) - set(parents), {"world"})

    def test_4_names_are_in_the_namespaces(self):
        node = self.arms["left"].node
        outside = {name for name, _ in node.get_topic_names_and_types()
                   if not name.startswith(("/left/", "/right/"))}
        self.assertLessEqual(outside, SHARED)
        for name in self.arms:
            topics = {topic for topic, _ in node.get_topic_names_and_types()}
            self.assertLessEqual({f"/{name}/dynamics_markers/markers", f"/{name}/joint_states"},
                                 topics)

    def test_5_sensor_measures_the_payload(self):
        left, wrenches = self.arms["left"], {}
        for name in self.arms:
            left.node.create_subscription(
                WrenchStamped, f"/{name}/{name}_tool0_joint_broadcaster/wrench",
                lambda message, name=name: wrenches.update({name: message}), 10)
        left.wait_until(lambda: len(wrenches) == 2, "no wrenches")

        def force(name):
            vector = wrenches[name].wrench.force
            return math.hypot(vector.x, vector.y, vector.z)

        self.assertEqual(wrenches["left"].header.frame_id, "left_tool0")
        self.assertLess(force("left"), 1e-9)
        request = SetPayload.Request()
        request.payload.frame_id = "left_tool0"
        request.payload.inertia.m = 2.0
        answer = left.call(SetPayload, "dynamics/set_payload", request)
        self.assertEqual(answer.result.code, 0, answer.result.message)
        weight = 2.0 * 9.81
        left.wait_until(lambda: abs(force("left") - weight) < 1e-3 * weight, "no weight")
        self.assertLess(force("right"), 1e-9)


@unittest.skipIf(obstacle(), str(obstacle()))
@launch_testing.post_shutdown_test()
class TestAfterwards(unittest.TestCase):

    def test_nodes_end_without_error(self, proc_info):
        for process in proc_info.processes():
            name = process.process_details["name"]
            if not name.startswith("ros2_control_node"):  # of Jazzy: killed by SIGINT
                self.assertEqual(proc_info[process].returncode, 0, name)
