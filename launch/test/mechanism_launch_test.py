# SPDX-License-Identifier: Apache-2.0
"""robot.launch.py with closed loops: joint states that close them; fall, hold, forced motion."""

import pathlib
import sys
import unittest
import xml.etree.ElementTree as ElementTree

import launch_testing
import launch_testing.asserts
import numpy
from ament_index_python.packages import get_package_share_directory
from dynamics_bringup.motions import cycloid
from dynamics_msgs.msg import ResultCode
from dynamics_msgs.srv import GetModel, ResetSimulation, SetSimulationState
from rclpy.qos import QoSProfile
from tf2_msgs.msg import TFMessage

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from common import (  # noqa: E402
    Launch, Listener, RobotTest, core_run, largest_size, launched, seconds_of)

URDFS = pathlib.Path(get_package_share_directory("dynamics_description"), "urdf", "mechanisms")
ARM = str(URDFS / "parallelogram_arm.urdf")
GRIPPER = str(URDFS / "four_bar_gripper.urdf")


def generate_test_description():
    return launched("robot", urdf=ARM, scenario="free-fall", speed="2")


def vector(element, name, default="0 0 0"):
    text = default if element is None else element.get(name, default)
    return numpy.array([float(word) for word in text.split()])


def rotation(axis, angle):
    """Return the rotation matrix about an axis (Rodrigues)."""
    x, y, z = axis / numpy.linalg.norm(axis)
    cross = numpy.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return numpy.eye(3) + numpy.sin(angle) * cross + (1.0 - numpy.cos(angle)) * cross @ cross


def frame(element):
    """Return rotation and translation of an <origin>."""
    roll, pitch, yaw = vector(element, "rpy")
    turn = (rotation(numpy.array([0, 0, 1.0]), yaw) @ rotation(numpy.array([0, 1.0, 0]), pitch)
            @ rotation(numpy.array([1.0, 0, 0]), roll))
    return turn, vector(element, "xyz")


class Loops:
    """The distance of the cut points of a URDF, from its text alone."""

    def __init__(self, file):
        """Read the joints and the cuts."""
        robot = ElementTree.parse(file).getroot()
        self.joints = {joint.find("child").get("link"): joint for joint in robot.findall("joint")}
        self.cuts = robot.findall("constraint")

    def pose(self, link, q):
        """Return rotation and translation of a link in the root link."""
        if link not in self.joints:
            return numpy.eye(3), numpy.zeros(3)
        joint = self.joints[link]
        turn, place = self.pose(joint.find("parent").get("link"), q)
        own_turn, own_place = frame(joint.find("origin"))
        turn, place = turn @ own_turn, place + turn @ own_place
        if joint.get("type") == "fixed":
            return turn, place
        return turn @ rotation(vector(joint.find("axis"), "xyz", "1 0 0"),
                               q[joint.get("name")]), place

    def gap(self, q):
        """Return the largest distance of two cut points (m)."""
        def point(cut, side):
            turn, place = self.pose(cut.find(side).get("link"), q)
            return place + turn @ vector(cut.find(f"{side}_origin"), "xyz")

        return largest_size(
            numpy.linalg.norm(point(cut, "parent") - point(cut, "child")) for cut in self.cuts)


class TestMechanism(RobotTest):

    def test_1_free_fall_matches_program_and_closes_the_loops(self):
        robot, frames = self.robot, set()
        robot.node.create_subscription(
            TFMessage, "/tf", lambda message: frames.update(
                one.child_frame_id for one in message.transforms), QoSProfile(depth=1000))
        robot.wait_until(lambda: robot.time() >= 1.0, "it does not fall")
        self.set_state(SetSimulationState.Request.PAUSED)
        run, loops = core_run(ARM, 1), Loops(ARM)
        differences, gaps = [], []
        for stamp, joints in robot.heard.items():
            gaps.append(loops.gap({joint: numbers[0] for joint, numbers in joints.items()}))
            row = run.get(round(stamp / 1e6)) if stamp % 10_000_000 == 0 else None
            if row is not None:
                self.assertEqual(set(joints), set(row))
                differences.extend(joints[joint][0] - row[joint][0] for joint in row)
        print(f"{len(gaps)} states of 1 s: loops open by at most {largest_size(gaps):.2g} m, "
              f"{largest_size(differences):.2g} rad from the program")
        self.assertGreater(len(differences), 100, "too few states were heard")
        self.assertLess(largest_size(differences), 1e-6)
        self.assertLess(largest_size(gaps), 1e-9)
        self.assertGreater(abs(run[1000]["shoulder"][0]), 0.3)  # the arm moves
        self.assertGreater(loops.gap(dict.fromkeys(run[0], 0.1)), 1e-3)  # the check can fail
        self.assertGreaterEqual(frames, {"forearm", "crank", "rod"})

    def test_2_dynamics_node_has_the_mechanism(self):
        def answer():
            return self.robot.call(GetModel, "/dynamics/get_model", GetModel.Request())

        self.robot.wait_until(lambda: answer().name == "parallelogram_arm", "no model")
        self.assertEqual(list(answer().constraints), ["rod_end"])
        self.assertEqual(list(answer().independent_joints), ["turn", "shoulder", "drive"])

    def test_3_reset_takes_independent_joints(self):
        self.reset(joint_names=["shoulder", "drive"], positions=[0.3, -0.2])
        time = seconds_of(self.step(1).time)
        self.robot.wait_until(lambda: self.robot.time() >= time, "no state after the reset")
        place = dict(zip(self.robot.last.name, self.robot.last.position))
        self.assertAlmostEqual(place["shoulder"], 0.3, delta=0.01)
        self.assertAlmostEqual(place["drive"], -0.2, delta=0.01)
        self.assertLess(Loops(ARM).gap(place), 1e-9)
        answer = self.robot.call(
            ResetSimulation, "/simulation/reset",
            ResetSimulation.Request(joint_names=["elbow"], positions=[0.1]))
        self.assertEqual(answer.result.code, ResultCode.INVALID_VALUE)
        self.assertIn("joint 'elbow': follows from the closed loops", answer.result.message)


@launch_testing.post_shutdown_test()
class TestAfterwards(unittest.TestCase):

    def test_nodes_end_without_error(self, proc_info):
        for name in ("robot_state_publisher", "simulation_node", "dynamics_node", "markers_node"):
            launch_testing.asserts.assertExitCodes(proc_info, process=name)

    def run_launch(self, file, check, *words):
        """Call check(listener) with a launch; the loops stay closed."""
        robot, loops = Listener(), Loops(file)
        launch = Launch("robot.launch.py", f"urdf:={file}", "gui:=false", *words)
        try:
            check(robot)
            gaps = [loops.gap({joint: numbers[0] for joint, numbers in joints.items()})
                    for joints in robot.heard.values()]
            self.assertGreater(len(gaps), 20)
            self.assertLess(largest_size(gaps), 1e-9)
        finally:
            robot.close()
            code, output = launch.end()
        self.assertEqual(code, 0, output[-3000:])

    def test_hold(self):
        def check(robot):
            robot.wait_until(lambda: robot.time() >= 0.5, "no states")
            last = {name: numbers for name, *numbers in zip(
                robot.last.name, robot.last.position, robot.last.velocity, robot.last.effort)}
            self.assertAlmostEqual(last["right_drive"][0], 0.3, delta=1e-6)
            self.assertAlmostEqual(last["left_drive"][0], -0.3, delta=1e-6)  # mimic
            self.assertLess(largest_size(numbers[1] for numbers in last.values()), 1e-6)
            self.assertNotEqual(last["right_drive"][2], 0.0)
            self.assertEqual(last["right_knuckle"][2], 0.0)

        self.run_launch(GRIPPER, check, "start:=0.3", "rate:=100")

    def test_forced(self):
        goal = {"turn": 0.5, "shoulder": 0.4, "drive": -0.2}
        motion = cycloid([0.0] * 3, list(goal.values()), 2.0)

        def check(robot):
            robot.wait_until(lambda: robot.time() >= 1.9, "it does not move")
            differences = [
                joints[joint][0] - wanted for stamp, joints in robot.heard.items()
                if stamp <= 19 * 10**8
                for joint, wanted in zip(goal, motion(1e-9 * stamp)[0])]
            print(f"{len(differences)} positions: {largest_size(differences):.2g} rad")
            self.assertGreater(len(differences), 100)
            self.assertLess(largest_size(differences), 1e-3)

        self.run_launch(ARM, check, "scenario:=forced", "goal:=0.5 0.4 -0.2", "period:=2")
