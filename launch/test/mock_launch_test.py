# SPDX-License-Identifier: Apache-2.0
"""
docs/mock_components.md: one line of a URDF with mock hardware makes a simulated robot of it.

Each robot has the block of a driver package for mock_components/GenericSystem, with its parameters.
After the plugin is replaced, and nothing else, joint_trajectory_controller moves it, in the same
ros2_control_node.
"""

import pathlib
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import yaml
from ament_index_python.packages import get_package_share_directory
from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionClient
from trajectory_msgs.msg import JointTrajectoryPoint

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from common import Launch, Listener, largest_size, nothing  # noqa: E402

URDFS = pathlib.Path(get_package_share_directory("dynamics_description"), "urdf")
MOCK, OURS = "mock_components/GenericSystem", "dynamics_sim/DynamicsSystem"
STEP = 0.05  # rad or m


def generate_test_description():
    return nothing()


def with_mock(file):
    """Return a URDF with a block for mock hardware, and {commanded joint: (lower, upper)}."""
    urdf = file.read_text("utf-8")
    robot = ElementTree.fromstring(urdf)
    joints, lines = {}, []
    for joint in robot.findall("joint"):
        if joint.get("type") == "fixed":
            continue
        command = ""
        if joint.find("mimic") is None:
            command = '<command_interface name="position"/>'
            limit = {} if joint.find("limit") is None else joint.find("limit").attrib
            joints[joint.get("name")] = (
                float(limit.get("lower", "-inf")), float(limit.get("upper", "inf")))
        lines.append(f'<joint name="{joint.get("name")}">{command}'
                     '<state_interface name="position"/><state_interface name="velocity"/></joint>')
    block = f"""
  <ros2_control name="{robot.get('name')}" type="system">
    <hardware>
      <plugin>{MOCK}</plugin>
      <param name="mock_sensor_commands">false</param>
      <param name="state_following_offset">0.0</param>
    </hardware>
    {' '.join(lines)}
  </ros2_control>
"""
    return urdf.replace("</robot>", block + "</robot>"), joints


def controllers(joints):
    """Return the controllers file of a driver package."""
    return {
        "controller_manager": {"ros__parameters": {
            "update_rate": 200,
            "joint_state_broadcaster": {"type": "joint_state_broadcaster/JointStateBroadcaster"},
            "arm": {"type": "joint_trajectory_controller/JointTrajectoryController"}}},
        "arm": {"ros__parameters": {
            "joints": list(joints), "command_interfaces": ["position"],
            "state_interfaces": ["position", "velocity"]}},
    }


class TestSwap(unittest.TestCase):

    def reaches(self, robot, joints):
        """Move all joints by STEP towards the farther limit."""
        robot.wait_until(lambda: {"joint_state_broadcaster", "arm"} <= robot.active(),
                         "the controllers do not become active")
        robot.wait_until(lambda: robot.last is not None, "no joint states")
        place = dict(zip(robot.last.name, robot.last.position))
        goal = {joint: place[joint] + (STEP if upper - place[joint] > place[joint] - lower
                                       else -STEP) for joint, (lower, upper) in joints.items()}
        client = ActionClient(robot.node, FollowJointTrajectory, "arm/follow_joint_trajectory")
        robot.wait_until(client.server_is_ready, "there is no action server")
        request = FollowJointTrajectory.Goal()
        request.trajectory.joint_names = list(goal)
        request.trajectory.points = [JointTrajectoryPoint(
            positions=list(goal.values()), velocities=[0.0] * len(goal),
            time_from_start=Duration(sec=1))]
        accepted = client.send_goal_async(request)
        robot.wait_until(accepted.done, "no answer")
        self.assertTrue(accepted.result().accepted)
        result = accepted.result().get_result_async()
        robot.wait_until(result.done, "it does not end")
        self.assertEqual(result.result().result.error_code, 0, result.result().result.error_string)
        client.destroy()

        def distance():
            last = dict(zip(robot.last.name, robot.last.position))
            return largest_size(last[joint] - value for joint, value in goal.items())

        robot.wait_until(lambda: distance() < 1e-3, "it does not arrive")

    def swapped(self, name, plugin=OURS):
        urdf, joints = with_mock(URDFS / f"{name}.urdf")
        self.assertEqual(urdf.count(MOCK), 1)
        with tempfile.TemporaryDirectory() as folder:
            robot_file, own = pathlib.Path(folder, "robot.urdf"), pathlib.Path(folder, "own.yaml")
            robot_file.write_text(urdf.replace(MOCK, plugin), "utf-8")
            own.write_text(yaml.safe_dump(controllers(joints)), "utf-8")
            robot = Listener()
            launch = Launch(
                "simulation.launch.py", f"urdf:={robot_file}", f"controllers_file:={own}",
                "controllers:=joint_state_broadcaster arm", "use_sim_time:=false")
            try:
                self.reaches(robot, joints)
            finally:
                robot.close()
                code, output = launch.end()
            self.assertEqual(code, 0, output[-3000:])

    def test_mock_itself(self):
        self.swapped("ur5e", MOCK)

    def test_ur5e(self):
        self.swapped("ur5e")

    def test_panda(self):
        self.swapped("panda")

    def test_scara(self):
        self.swapped("scara")

    def test_gripper(self):
        self.swapped("gripper")

    def test_humanoid(self):
        self.swapped("humanoid")
