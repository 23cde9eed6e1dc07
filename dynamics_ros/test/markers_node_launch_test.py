# SPDX-License-Identifier: Apache-2.0
"""The markers node as a process: markers and bent frames, a changing description, SIGINT."""
import math
import pathlib
import subprocess
import time
import unittest

import launch
import launch_ros.actions
import launch_testing.actions
import launch_testing.asserts
import rclpy
from ament_index_python.packages import get_package_prefix, get_package_share_directory
from composition_interfaces.srv import LoadNode
from control_msgs.msg import DynamicJointState, Float64Values, InterfaceValue, Keys
from dynamics_msgs.msg import Payload
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import Marker, MarkerArray

ROBOTS = pathlib.Path(get_package_share_directory("dynamics_description")) / "urdf"
EXECUTABLE = pathlib.Path(get_package_prefix("dynamics_ros")) / "lib/dynamics_ros/markers_node"
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
Q = [0.3, -0.5, 0.8]
LENGTHS = [6.0, 7.0, 2.0]


def generate_test_description():
    node = launch_ros.actions.Node(
        package="dynamics_ros", executable="markers_node", output="screen",
        parameters=[{"publish_frames": True, "frame_rate": 0.0, "lifetime": 1.0,
                     "show": {"inertias": True}}])
    container = launch_ros.actions.Node(
        package="rclcpp_components", executable="component_container", name="container",
        output="screen")
    parts = [node, container, launch_testing.actions.ReadyToTest()]
    return launch.LaunchDescription(parts), {"node": node}


def cantilever_tip():
    """Value and slope (times the length) of a cantilever's first mode at its tip."""
    root = 1.87510406871196
    sigma = (math.sin(root) + math.sinh(root)) / (math.cos(root) + math.cosh(root))
    value = (math.sin(root) - math.sinh(root) - sigma * (math.cos(root) - math.cosh(root)))
    slope = root * (math.cos(root) - math.cosh(root) + sigma * (math.sin(root) + math.sinh(root)))
    return value, slope


def bent_tip(amplitude):
    """Return tip and direction if the first link bends by this amplitude in its first mode."""
    value, slope = (amplitude * number for number in cantilever_tip())
    tip = [6.0 * math.cos(Q[0]) - value * math.sin(Q[0]),
           6.0 * math.sin(Q[0]) + value * math.cos(Q[0])]
    angle = Q[0] + slope / LENGTHS[0]
    for length, turn in zip(LENGTHS[1:], Q[1:]):
        angle += turn
        tip[0] += length * math.cos(angle)
        tip[1] += length * math.sin(angle)
    return *tip, angle


class TestNode(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        rclpy.init()
        cls.node = rclpy.create_node("tester")
        cls.description = cls.node.create_publisher(String, "robot_description", LATCHED)
        cls.joints = cls.node.create_publisher(JointState, "joint_states", 10)
        cls.dynamic = cls.node.create_publisher(DynamicJointState, "dynamic_joint_states", 10)
        cls.names = cls.node.create_publisher(Keys, "state_interfaces_broadcaster/names", LATCHED)
        cls.values = cls.node.create_publisher(
            Float64Values, "state_interfaces_broadcaster/values", 10)
        cls.payload = cls.node.create_publisher(Payload, "/dynamics/payload", LATCHED)
        cls.frames = {}
        cls.arrays = []
        cls.node.create_subscription(TFMessage, "/tf", cls.take_frames, 100)
        cls.node.create_subscription(TFMessage, "/tf_static", cls.take_frames, LATCHED)
        cls.node.create_subscription(
            MarkerArray, "/dynamics_markers/markers", cls.arrays.append, 100)

    @classmethod
    def tearDownClass(cls):
        cls.node.destroy_node()
        rclpy.shutdown()

    @classmethod
    def take_frames(cls, message):
        for transform in message.transforms:
            cls.frames[transform.child_frame_id] = transform

    def until(self, condition, publish=lambda: None, what="it", seconds=60.0):
        """Publish and spin until the condition holds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            publish()
            pause = time.monotonic() + 0.1
            while time.monotonic() < pause:
                rclpy.spin_once(self.node, timeout_sec=0.05)
                if condition():
                    return
        self.fail(f"{what} does not come")

    def canadarm(self, amplitude):
        """One state of the Canadarm, all in one message."""
        message = DynamicJointState()
        message.header.stamp = self.node.get_clock().now().to_msg()
        for i, angle in enumerate(Q):
            message.joint_names += [f"joint{i + 1}", f"link{i + 1}"]
            message.interface_values += [
                InterfaceValue(interface_names=["position", "velocity", "effort"],
                               values=[angle, 0.0, 300.0]),
                InterfaceValue(interface_names=["y1", "y2"],
                               values=[amplitude if i == 0 else 0.0, 0.0])]
        self.dynamic.publish(message)

    def broadcast(self, amplitude):
        """Publish the amplitude as state_interfaces_broadcaster does."""
        message = Float64Values(values=[*Q, amplitude, 0.0, 0.0])
        message.header.stamp = self.node.get_clock().now().to_msg()
        self.names.publish(Keys(keys=[f"joint{i + 1}/position" for i in range(len(Q))] + [
            "link1/y1", "link2/y1", "other/y1"]))
        self.values.publish(message)

    def tip(self):
        """Where /tf has tool0 in the plane, and its direction."""
        x = y = angle = 0.0
        chain = ["link1", "link2", "link3", "tool0"]
        if not all(link in self.frames for link in chain):
            return None
        for link in chain:
            transform = self.frames[link].transform
            place, turn = transform.translation, transform.rotation
            x += math.cos(angle) * place.x - math.sin(angle) * place.y
            y += math.sin(angle) * place.x + math.cos(angle) * place.y
            angle += 2.0 * math.atan2(turn.z, turn.w)
        return x, y, angle

    def at(self, expected):
        tip = self.tip()
        return tip is not None and all(
            abs(a - b) < 1e-12 for a, b in zip(tip, expected))

    def markers(self, name):
        """Those of the last array that shows any."""
        return [marker for array in self.arrays[-1:] for marker in array.markers
                if marker.ns == name and marker.action == Marker.ADD]

    def test_1_frames(self):
        self.description.publish(String(data=(ROBOTS / "canadarm.urdf").read_text("utf-8")))
        straight, angle = [0.0, 0.0], 0.0
        for length, turn in zip(LENGTHS, Q):
            angle += turn
            straight[0] += length * math.cos(angle)
            straight[1] += length * math.sin(angle)
        self.until(lambda: self.at((*straight, angle)), lambda: self.canadarm(0.0),
                   "the straight arm's tip")
        # the first link bends by 5 cm in its first mode: what follows is carried and turned
        self.until(lambda: self.at(bent_tip(0.05)), lambda: self.canadarm(0.05),
                   "the bent arm's tip")
        self.until(lambda: self.at(bent_tip(-0.03)), lambda: self.broadcast(-0.03),
                   "the tip from state_interfaces_broadcaster")
        self.assertEqual(self.frames["link1"].header.frame_id, "base_link")

    def test_2_markers(self):
        self.until(lambda: len(self.markers("flexible_link")) == 3, lambda: self.canadarm(0.05),
                   "the bent links")
        (energy,) = self.markers("energy")
        self.assertIn("\nS ", energy.text)
        self.assertEqual(energy.header.frame_id, "base_link")
        self.assertEqual(energy.lifetime.sec, 1)
        # 300 N m of 400 on joint3; arc and head on each joint
        self.assertEqual(len(self.markers("effort")), 6)
        # they are repeated although nothing moves any more
        self.arrays.clear()
        self.until(lambda: self.markers("energy"), what="the repeated markers")
        # the payload
        payload = Payload(frame_id="tool0")
        payload.inertia.m = 20.0
        self.payload.publish(payload)
        self.until(lambda: self.markers("payload"), what="the payload")
        self.assertEqual(self.markers("payload")[1].text, "20 kg")
        self.payload.publish(Payload())

    def test_3_a_new_description(self, proc_output, node):
        deleted = set()

        def puma():
            names = [f"joint{i + 1}" for i in range(6)]
            message = JointState(name=names, position=[0.1] * 6, velocity=[0.0] * 6)
            message.header.stamp = self.node.get_clock().now().to_msg()
            self.joints.publish(message)

        def shown():
            for array in self.arrays:
                deleted.update(marker.ns for marker in array.markers
                               if marker.action == Marker.DELETE)
            return "flexible_link" in deleted and self.markers("inertia")

        self.arrays.clear()
        self.description.publish(String(data=(ROBOTS / "puma.urdf").read_text("utf-8")))
        self.until(shown, puma, "the PUMA")
        self.assertEqual(self.markers("flexible_link"), [])
        self.assertEqual(self.markers("effort"), [])  # joint_states tell none
        # fixed joints of a rigid robot are on /tf_static
        self.assertEqual(self.frames["tool0"].header.frame_id, "link6")
        self.description.publish(String(data="<robot name='broken'>"))
        proc_output.assertWaitFor("bad robot description, going on with 'puma'", process=node,
                                  timeout=30.0, stream="stderr")
        self.arrays.clear()
        self.until(lambda: self.markers("inertia"), puma, "the PUMA still")

    def test_4_as_a_component(self):
        client = self.node.create_client(LoadNode, "/container/_container/load_node")
        self.assertTrue(client.wait_for_service(60.0))
        future = client.call_async(LoadNode.Request(
            package_name="dynamics_ros", plugin_name="dynamics_ros::MarkersNode",
            node_name="component_markers"))
        rclpy.spin_until_future_complete(self.node, future, timeout_sec=60.0)
        self.assertTrue(future.done())
        self.assertTrue(future.result().success, future.result().error_message)
        self.arrays.clear()
        self.assertEqual(future.result().full_node_name, "/component_markers")

    def test_5_bad_parameters_are_named(self):
        for bad in ("scale:=0.0", "rate:=-1.0", "colors.effort:=[1.0, 2.0, 0.0, 1.0]",
                    "trail_length:=1"):
            done = subprocess.run(
                [EXECUTABLE, "--ros-args", "-p", bad], capture_output=True, text=True, timeout=60,
                check=False)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(bad.split(":=")[0], done.stderr)


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):

    def test_interrupt_ends_it_cleanly(self, proc_info, node):
        launch_testing.asserts.assertExitCodes(proc_info, process=node)
