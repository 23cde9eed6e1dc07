# SPDX-License-Identifier: Apache-2.0
"""record:= writes a bag that the program `dynamics` reads, joints in any order."""

import csv
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import launch_testing
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState

try:
    from rosbag2_py import ConverterOptions, SequentialReader, SequentialWriter, StorageOptions
except ImportError:
    StorageOptions = None

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from common import RobotTest, core_run, largest_size, launched, nothing, seconds_of  # noqa: E402

FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="record_test_"))
BAG = FOLDER / "bag"


def generate_test_description():
    return launched("puma", speed="2", record=str(BAG)) if StorageOptions else nothing()


def opened(tool, path):
    """Open a bag in MCAP storage for reading or writing."""
    tool.open(StorageOptions(uri=str(path), storage_id="mcap"), ConverterOptions("cdr", "cdr"))
    return tool


def shuffle(source, target):
    """Copy a bag with the joints of every joint state in another order."""
    reader, writer = opened(SequentialReader(), source), opened(SequentialWriter(), target)
    for topic in reader.get_all_topics_and_types():
        writer.create_topic(topic)
    count = 0
    while reader.has_next():
        topic, data, stamp = reader.read_next()
        if topic == "/joint_states":
            state = deserialize_message(data, JointState)
            order = sorted(range(len(state.name)), key=lambda i: (7 * i + count) % 11)
            count += 1
            for field in ("name", "position", "velocity", "effort"):
                values = getattr(state, field)
                setattr(state, field, [values[i] for i in order])
            data = serialize_message(state)
        writer.write(topic, data, stamp)
    del writer  # closes the bag
    return count


def inverse(bag, output):
    """Return the rows of inverse dynamics along a bag."""
    subprocess.run(["dynamics", "inverse", "puma", "--trajectory", str(bag), "--output",
                    str(output)], check=True, capture_output=True)
    with open(output, encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


class TestRecord(RobotTest):

    def test_runs(self):
        if not StorageOptions:
            self.skipTest("rosbag2_py is not installed")
        self.robot.wait_until(lambda: self.robot.time() >= 1.5, "it does not fall")


@launch_testing.post_shutdown_test()
class TestBag(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        if not StorageOptions:
            raise unittest.SkipTest("rosbag2_py is not installed")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(FOLDER)

    def test_program_reads_the_bag(self):
        reader, states = opened(SequentialReader(), BAG), []
        while reader.has_next():
            topic, data, _ = reader.read_next()
            if topic == "/joint_states":
                states.append(deserialize_message(data, JointState))
        self.assertGreater(len(states), 100)
        start = seconds_of(states[0].header.stamp)
        rows = {round(1000 * float(row["t"])): row for row in inverse(BAG, FOLDER / "bag.csv")}
        run = core_run("puma", 2)
        differences, from_core = [], []
        for state in states:
            row = rows.get(round(1000 * (seconds_of(state.header.stamp) - start)))
            place = dict(zip(state.name, state.position))
            if row:
                differences.extend(float(row[f"q_{joint}"]) - place[joint] for joint in place)
            core = run.get(round(1000 * seconds_of(state.header.stamp)))
            if core:
                from_core.extend(core[joint][0] - place[joint] for joint in place)
        self.assertGreater(len(differences), 500)
        # joints of up to 10 rad/s at stamps in whole nanoseconds
        self.assertLess(largest_size(differences), 2e-8)
        self.assertGreater(len(from_core), 500)
        self.assertLess(largest_size(from_core), 1e-6)

        # joints by name, in any order
        self.assertEqual(shuffle(BAG, FOLDER / "shuffled"), len(states))
        self.assertEqual(inverse(FOLDER / "shuffled", FOLDER / "shuffled.csv"),
                         inverse(BAG, FOLDER / "again.csv"))

    def test_program_makes_a_page_of_the_bag(self):
        done = subprocess.run(["dynamics", "view", str(BAG), "--output", str(FOLDER / "bag.html"),
                               "--json"], capture_output=True, text=True, check=False)
        if "template" in done.stderr:
            self.skipTest("dynamics_viewer is not installed")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater((FOLDER / "bag.html").stat().st_size, 100_000)
