# SPDX-License-Identifier: Apache-2.0
"""The marker of wrench_marker_node follows its link; a dragged one publishes a spring's wrench."""
import math
import pathlib
import time
import unittest

import launch
import launch_ros.actions
import launch_testing.actions
import launch_testing.asserts
import rclpy
from ament_index_python.packages import get_package_prefix, get_package_share_directory
from geometry_msgs.msg import WrenchStamped
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from visualization_msgs.msg import InteractiveMarkerFeedback, InteractiveMarkerUpdate
from visualization_msgs.srv import GetInteractiveMarkers

ROBOTS = pathlib.Path(get_package_share_directory("dynamics_description")) / "urdf"
EXECUTABLE = pathlib.Path(get_package_prefix("dynamics_ros"),
                          "lib/dynamics_ros/wrench_marker_node")
STIFFNESS = 250.0


def obstacle():
    """Return the reason why this test cannot run on this machine, or None."""
    return None if EXECUTABLE.exists() else "interactive_markers is not installed"


def generate_test_description():
    node = launch.actions.ExecuteProcess(cmd=["true"]) if obstacle() else launch_ros.actions.Node(
        package="dynamics_ros", executable="wrench_marker_node", output="screen",
        namespace="cell", parameters=[{
            "wrench_topic": "arm/wrench", "stiffness": STIFFNESS, "damping": 0.0}])
    parts = [node, launch_testing.actions.ReadyToTest()]
    return launch.LaunchDescription(parts), {"node": node}


@unittest.skipIf(obstacle(), str(obstacle()))
class TestNode(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        rclpy.init()
        cls.node = rclpy.create_node("tester", namespace="cell")
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        cls.description = cls.node.create_publisher(String, "robot_description", latched)
        cls.description.publish(String(data=(ROBOTS / "planar3.urdf").read_text("utf-8")))
        cls.joints = cls.node.create_publisher(JointState, "joint_states", 10)
        cls.feedback = cls.node.create_publisher(
            InteractiveMarkerFeedback, "wrench_marker/feedback", 10)
        cls.updates, cls.wrenches, cls.shown = [], [], []
        cls.node.create_subscription(
            InteractiveMarkerUpdate, "wrench_marker/update", cls.updates.append, 100)
        cls.node.create_subscription(WrenchStamped, "arm/wrench", cls.wrenches.append, 100)
        cls.node.create_subscription(
            WrenchStamped, "wrench_marker/wrench", cls.shown.append, 100)

    @classmethod
    def tearDownClass(cls):
        cls.node.destroy_node()
        rclpy.shutdown()

    def until(self, condition, what, q=(0.0, 0.0, 0.0), seconds=60.0):
        """Publish a joint state repeatedly until the condition holds."""
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, f"not in time: {what}")
            state = JointState(name=["joint1", "joint2", "joint3"], position=list(q))
            state.header.stamp = self.node.get_clock().now().to_msg()
            self.joints.publish(state)
            rclpy.spin_once(self.node, timeout_sec=0.02)

    def send(self, event, pose, **fields):
        """Publish what RViz sends."""
        feedback = InteractiveMarkerFeedback(
            client_id="rviz", marker_name="wrench", event_type=event, pose=pose, **fields)
        feedback.header.frame_id = "base_link"
        self.feedback.publish(feedback)

    def markers(self):
        """Return the markers of the node as RViz gets them."""
        client = self.node.create_client(GetInteractiveMarkers,
                                         "wrench_marker/get_interactive_markers")
        self.until(client.service_is_ready, "the service of the markers")
        future = client.call_async(GetInteractiveMarkers.Request())
        self.until(future.done, "the markers")
        self.node.destroy_client(client)
        return future.result().markers

    def follows(self, q, place):
        """Wait until the marker is at this place."""

        def there():
            poses = [pose.pose.position for update in self.updates for pose in update.poses]
            return poses and math.dist((poses[-1].x, poses[-1].y, poses[-1].z), place) < 1e-9

        self.until(there, f"the marker at {place}", q)

    def test_1_marker_is_at_the_end_effector(self):
        found = []

        def inserted():
            found[:] = self.markers()
            return found

        self.until(inserted, "the marker")
        (marker,) = found
        place = marker.pose.position
        self.assertLess(math.dist((place.x, place.y, place.z), (0.77, 0.0, 0.0)), 1e-9)
        self.assertEqual((marker.name, marker.description), ("wrench", "tool0"))
        self.assertEqual(marker.header.frame_id, "base_link")
        self.assertEqual({entry.title for entry in marker.menu_entries},
                         {"[ ] base_link", "[ ] link1", "[ ] link2", "[ ] link3", "[x] tool0"})
        self.assertEqual({control.name for control in marker.controls}, {"drag", "x", "y", "z"})
        self.follows((math.pi / 2, 0.0, 0.0), (0.0, 0.77, 0.0))
        self.assertEqual(self.wrenches, [], "nothing is dragged")

    def test_2_dragging_publishes_the_force_of_the_spring(self):
        up = (math.pi / 2, 0.0, 0.0)
        self.follows(up, (0.0, 0.77, 0.0))
        pose = self.updates[-1].poses[-1].pose if self.updates[-1].poses else (
            self.markers()[0].pose)
        self.send(InteractiveMarkerFeedback.MOUSE_DOWN, pose)
        pose.position.x, pose.position.y = 0.1, 0.77
        self.send(InteractiveMarkerFeedback.POSE_UPDATE, pose)

        def pulled(messages):
            # 25 N along x of the base: along -y of the hand, which points up
            force = messages[-1].wrench.force if messages else None
            return force and math.dist((force.x, force.y, force.z), (0.0, -25.0, 0.0)) < 1e-9

        self.until(lambda: pulled(self.wrenches), "the wrench", up)
        self.assertEqual(self.wrenches[-1].header.frame_id, "tool0")
        self.until(lambda: pulled(self.shown), "the wrench for RViz", up)
        # the link follows: the force decreases
        turned = math.pi / 2 - math.asin(0.05 / 0.77)
        self.until(lambda: math.hypot(self.wrenches[-1].wrench.force.x,
                                      self.wrenches[-1].wrench.force.y) < 13.0,
                   "a smaller force", (turned, 0.0, 0.0))
        # keep-alive messages of RViz without motion
        self.send(InteractiveMarkerFeedback.KEEP_ALIVE, pose)
        self.send(InteractiveMarkerFeedback.MOUSE_UP, pose)
        self.until(lambda: self.wrenches[-1].wrench.force.x == 0.0 and
                   self.wrenches[-1].wrench.force.y == 0.0, "the end of the wrench", up)
        self.follows(up, (0.0, 0.77, 0.0))
        self.wrenches.clear()
        self.follows((0.0, 0.0, 0.0), (0.77, 0.0, 0.0))
        self.assertEqual(self.wrenches, [], "released")

    def test_3_menu_chooses_the_link(self):
        self.follows((0.0, 0.0, 0.0), (0.77, 0.0, 0.0))
        (marker,) = self.markers()
        entry = next(one for one in marker.menu_entries if one.title == "[ ] link2")
        self.send(InteractiveMarkerFeedback.MENU_SELECT, marker.pose, menu_entry_id=entry.id)
        self.until(lambda: self.markers()[0].description == "link2", "the marker at link2")
        self.assertIn("[x] link2", {one.title for one in self.markers()[0].menu_entries})
        self.follows((math.pi / 2, 0.0, 0.0), (0.0, 0.3, 0.0))

    def test_4_a_client_that_is_gone_releases_the_marker(self, proc_output, node):
        (marker,) = self.markers()
        self.wrenches.clear()
        marker.pose.position.x += 0.1
        self.send(InteractiveMarkerFeedback.POSE_UPDATE, marker.pose)
        self.until(lambda: self.wrenches, "a wrench")
        proc_output.assertWaitFor("the marker is released", process=node, timeout=20)
        self.until(lambda: self.wrenches[-1].wrench.force.x == 0.0, "the end of the wrench")


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):

    def test_ends_without_error(self, proc_info, node):
        launch_testing.asserts.assertExitCodes(proc_info, process=node)
