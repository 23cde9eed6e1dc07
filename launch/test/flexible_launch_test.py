# SPDX-License-Identifier: Apache-2.0
"""canadarm.launch.py: motion of Mohan and Saha, deflected frames on /tf, recorded in a bag."""

import pathlib
import shutil
import sys
import tempfile
import unittest

import launch_testing
import yaml
from rclpy.qos import QoSProfile
from tf2_msgs.msg import TFMessage

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from common import RobotTest, core_run, largest_size, launched, seconds_of  # noqa: E402

from dynamics_bringup.bringup import has_package  # noqa: E402

FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="bag_"))
RECORD = {"record": str(FOLDER / "run")} if has_package("ros2bag") else {}


def generate_test_description():
    return launched("canadarm", speed="2", rate="500", **RECORD)


class TestFlexible(RobotTest):

    def test_motion_matches_core(self):
        robot = self.robot
        slopes = []  # rotation of link2 in the frame of link1, by the joint and the tip of the beam
        robot.node.create_subscription(
            TFMessage, "/tf", lambda message: slopes.extend(
                (round(1000 * seconds_of(one.header.stamp)), one.transform.translation.y)
                for one in message.transforms if one.child_frame_id == "link2"),
            QoSProfile(depth=1000))
        robot.wait_until(lambda: robot.time() >= 5.0, "it does not move")
        run = core_run("canadarm", 5, "--scenario", "forced")
        differences, count = [], 0
        for stamp, joints in robot.heard.items():
            row = run.get(round(stamp / 1e6)) if stamp % 10_000_000 == 0 else None
            if row is not None:
                count += 1
                self.assertEqual(set(joints), set(row))
                differences.extend(joints[joint][0] - row[joint][0] for joint in row)
        largest = largest_size(differences)
        print(f"{count} states of 5 s: at most {largest:.2g} rad from the core's own run")
        self.assertGreater(count, 50)
        # torques are continuous in dynamics_core and piecewise constant (2 ms) in the controller
        self.assertLess(largest, 1e-3)
        # deflection of the tip of the first boom, some centimeters
        self.assertGreater(len(slopes), 10)
        self.assertGreater(largest_size(y for _, y in slopes), 0.01)


@launch_testing.post_shutdown_test()
class TestBag(unittest.TestCase):

    def test_bag_starts_at_time_zero(self):
        self.addCleanup(shutil.rmtree, FOLDER, ignore_errors=True)
        if not RECORD:
            self.skipTest("ros2bag is not installed")
        bag = yaml.safe_load((FOLDER / "run/metadata.yaml").read_text("utf-8"))
        counts = {one["topic_metadata"]["name"]: one["message_count"]
                  for one in bag["rosbag2_bagfile_information"]["topics_with_message_count"]}
        for topic in ("/joint_states", "/dynamic_joint_states", "/tf", "/clock"):
            self.assertGreater(counts.get(topic, 0), 100, counts)
        self.assertEqual(counts["/robot_description"], 1)
