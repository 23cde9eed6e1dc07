# SPDX-License-Identifier: Apache-2.0
"""The marker of drag:= pulls the simulated robot by its virtual spring."""

import math
import pathlib
import sys
import unittest

import launch_testing
import launch_testing.asserts
from visualization_msgs.msg import InteractiveMarkerFeedback
from visualization_msgs.srv import GetInteractiveMarkers

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from common import launched, nothing, RobotTest  # noqa: E402

from dynamics_bringup.processes import has_package  # noqa: E402

LENGTHS = (0.3, 0.25, 0.22)
START = (0.5, -1.0, 0.7)
TARGET = (0.55, -0.2)


def obstacle():
    """Return the reason why this test cannot run on this machine, or None."""
    return None if has_package("interactive_markers") else "interactive_markers is not installed"


def generate_test_description():
    return nothing() if obstacle() else launched(
        "planar3", rate="500", gravity="0 0 0", start=" ".join(map(str, START)), drag="auto")


def tip(angles):
    """Return the end effector of the planar arm."""
    x = y = angle = 0.0
    for length, turn in zip(LENGTHS, angles):
        angle += turn
        x, y = x + length * math.cos(angle), y + length * math.sin(angle)
    return x, y


@unittest.skipIf(obstacle(), str(obstacle()))
class TestDrag(RobotTest):

    def place(self):
        """Return where the end effector is."""
        places = dict(zip(self.robot.last.name, self.robot.last.position))
        return tip([places[f"joint{i}"] for i in (1, 2, 3)])

    def test_marker_drags_the_robot(self, proc_info):
        robot = self.robot
        robot.wait_until(lambda: robot.time() > 0.2, "the time does not start")
        robot.wait_for_spawners(proc_info)
        start = self.place()
        self.assertLess(math.dist(start, tip(START)), 1e-9, "nothing acts on it")
        feedback = robot.node.create_publisher(
            InteractiveMarkerFeedback, "wrench_marker/feedback", 10)

        def marker():
            return robot.call(GetInteractiveMarkers, "wrench_marker/get_interactive_markers",
                              GetInteractiveMarkers.Request()).markers

        robot.wait_until(lambda: marker(), "no marker")
        pose = marker()[0].pose
        self.assertLess(math.dist((pose.position.x, pose.position.y), start), 1e-9)

        def send(event):
            message = InteractiveMarkerFeedback(
                client_id="rviz", marker_name="wrench", event_type=event, pose=pose)
            message.header.frame_id = "base_link"
            feedback.publish(message)

        robot.wait_until(lambda: feedback.get_subscription_count() > 0, "no subscription")
        pose.position.x, pose.position.y = TARGET

        def arrived():
            send(InteractiveMarkerFeedback.POSE_UPDATE)
            return math.dist(self.place(), TARGET) < 0.02

        robot.wait_until(arrived, "it does not follow the marker")
        send(InteractiveMarkerFeedback.MOUSE_UP)
        robot.wait_until(
            lambda: math.dist((marker()[0].pose.position.x, marker()[0].pose.position.y),
                              self.place()) < 0.1, "the marker does not return")


@unittest.skipIf(obstacle(), str(obstacle()))
@launch_testing.post_shutdown_test()
class TestAfterwards(unittest.TestCase):

    def test_nodes_end_without_error(self, proc_info):
        for name in ("simulation_node", "wrench_marker_node"):
            launch_testing.asserts.assertExitCodes(proc_info, process=name)
