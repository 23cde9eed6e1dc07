# SPDX-License-Identifier: Apache-2.0
"""The Stanford arm with a payload holds its initial position and follows a joint trajectory."""

import pathlib
import sys

from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory
from dynamics_msgs.srv import GetModel
from rclpy.action import ActionClient
from trajectory_msgs.msg import JointTrajectoryPoint

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from common import RobotTest, largest_size, launched  # noqa: E402

JOINTS = [f"joint{i}" for i in range(1, 7)]
START = [0.0, 1.5707963267948966, 0.0, 0.0, 0.0, 0.0]
GOAL = [0.3, 1.2, 0.05, -0.2, 0.4, 0.1]


def generate_test_description():
    return launched("stanford", scenario="hold", speed="4", payload="0.5 0 0 0.1")


class TestTrajectory(RobotTest):

    def test_holds_then_follows(self):
        robot = self.robot
        wanted = {"joint_state_broadcaster", "joint_trajectory_controller"}
        robot.wait_until(lambda: robot.active() == wanted, "the controllers do not become active")
        robot.wait_until(lambda: robot.time() > 0.0, "the time does not begin")
        for name, value in zip(JOINTS, START):
            place = dict(zip(robot.last.name, robot.last.position))
            self.assertAlmostEqual(place[name], value, delta=1e-4)
        model = robot.call(GetModel, "/dynamics/get_model", GetModel.Request())
        self.assertEqual(model.payload.frame_id, "tool0")
        self.assertEqual(model.payload.inertia.m, 0.5)

        client = ActionClient(robot.node, FollowJointTrajectory,
                              "joint_trajectory_controller/follow_joint_trajectory")
        robot.wait_until(client.server_is_ready, "there is no action server")
        goal = FollowJointTrajectory.Goal()
        goal.trajectory.joint_names = JOINTS
        goal.trajectory.points = [
            JointTrajectoryPoint(positions=GOAL, velocities=[0.0] * 6,
                                 time_from_start=Duration(sec=2))]
        accepted = client.send_goal_async(goal)
        robot.wait_until(accepted.done, "no answer")
        self.assertTrue(accepted.result().accepted)
        result = accepted.result().get_result_async()
        robot.wait_until(result.done, "it does not end")
        self.assertEqual(result.result().result.error_code, 0, result.result().result.error_string)

        def there():
            place = dict(zip(robot.last.name, robot.last.position))
            return all(abs(place[name] - value) < 1e-4 for name, value in zip(JOINTS, GOAL))

        robot.wait_until(there, "it does not arrive", 60.0)
        # about 30 N m hold the arm
        self.assertGreater(largest_size(robot.last.effort), 1.0)
        client.destroy()
