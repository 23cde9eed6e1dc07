# SPDX-License-Identifier: Apache-2.0
"""The Stanford arm waits at its start, and follows a joint trajectory."""
import pathlib
import sys

import rclpy
from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory
from controller_manager_msgs.srv import ListControllers
from rclpy.action import ActionClient
from trajectory_msgs.msg import JointTrajectoryPoint

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from common import RobotTest, launched  # noqa: E402

JOINTS = [f"joint{i}" for i in range(1, 7)]
START = [0.0, 1.5707963267948966, 0.0, 0.0, 0.0, 0.0]
GOAL = [0.3, 1.2, 0.05, -0.2, 0.4, 0.1]


def generate_test_description():
    return launched("stanford", scenario="hold")


class TestTrajectory(RobotTest):

    def test_waits_then_follows(self):
        def active():
            answer = self.call(ListControllers, "/controller_manager/list_controllers",
                               ListControllers.Request())
            return {one.name for one in answer.controller if one.state == "active"}

        wanted = {"joint_state_broadcaster", "joint_trajectory_controller"}
        self.wait_until(lambda: active() == wanted, "the controllers do not become active")
        self.wait_until(lambda: self.last is not None, "no joint states")
        for name, value in zip(JOINTS, START):
            self.assertAlmostEqual(self.positions()[name], value, delta=1e-6)

        client = ActionClient(self.node, FollowJointTrajectory,
                              "joint_trajectory_controller/follow_joint_trajectory")
        self.assertTrue(client.wait_for_server(30.0))
        goal = FollowJointTrajectory.Goal()
        goal.trajectory.joint_names = JOINTS
        goal.trajectory.points = [
            JointTrajectoryPoint(positions=GOAL, velocities=[0.0] * 6,
                                 time_from_start=Duration(sec=2))]
        accepted = client.send_goal_async(goal)
        rclpy.spin_until_future_complete(self.node, accepted, timeout_sec=30.0)
        self.assertTrue(accepted.result().accepted)
        result = accepted.result().get_result_async()
        rclpy.spin_until_future_complete(self.node, result, timeout_sec=60.0)
        self.assertEqual(result.result().result.error_code, 0, result.result().result.error_string)

        def there():
            return all(abs(self.positions()[name] - value) < 1e-4
                       for name, value in zip(JOINTS, GOAL))

        self.wait_until(there, "it does not arrive", 30.0)
        # 30 N m or so hold the arm up there
        self.assertGreater(max(map(abs, self.last.effort)), 1.0)
        client.destroy()
