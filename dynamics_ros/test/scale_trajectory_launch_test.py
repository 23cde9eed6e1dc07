# SPDX-License-Identifier: Apache-2.0
"""Time scaling as an action: the result of the service, progress, cancel, several at once."""
import pathlib
import sys
import unittest

import launch
import launch_ros.actions
import launch_testing.actions
import launch_testing.asserts
from action_msgs.msg import GoalStatus
from dynamics_msgs.action import ScaleTrajectory as ScaleAction
from dynamics_msgs.msg import ResultCode
from dynamics_msgs.srv import GetModel, ScaleTrajectory
from rclpy.action import ActionClient

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from node_client import PATIENCE, NodeTest, Q, at  # noqa: E402


def generate_test_description():
    node = launch_ros.actions.Node(
        package="dynamics_ros", executable="dynamics_node", name="dynamics", output="screen",
        parameters=[{"long_request_threads": 1, "long_request_queue": 1,
                     "largest_scaling": 100000}])
    return launch.LaunchDescription([node, launch_testing.actions.ReadyToTest()])


class TestScaling(NodeTest):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.action = ActionClient(cls.node, ScaleAction, "/dynamics/scale_trajectory")

    @classmethod
    def tearDownClass(cls):
        cls.action.destroy()
        super().tearDownClass()

    def goal(self, kind, interior_points):
        request = kind(method=ScaleTrajectory.Request.PER_SEGMENT, interior_points=interior_points)
        request.trajectory.joint_names = list(self.names)
        for k in range(50):
            swing = 1.0 if k % 2 == 0 else -1.0
            request.trajectory.points.append(at(
                0.2 * k, positions=[swing * value for value in Q[::-1]]))
        return request

    def send(self, goal, feedback=None):
        self.assertTrue(self.action.wait_for_server(PATIENCE), "no action")
        handle = self.wait(self.action.send_goal_async(goal, feedback_callback=feedback))
        self.assertTrue(handle.accepted)
        return handle

    def result(self, handle):
        return self.wait(handle.get_result_async(), "the result")

    def test_1_is_the_result_of_the_service(self):
        self.have_puma()
        expected = self.call(ScaleTrajectory, "scale_trajectory",
                             self.goal(ScaleTrajectory.Request, 3))
        self.assertEqual(expected.result.code, ResultCode.SUCCESS, expected.result.message)
        received = []
        answer = self.result(self.send(
            self.goal(ScaleAction.Goal, 3), lambda message: received.append(message.feedback)))
        self.assertEqual(answer.status, GoalStatus.STATUS_SUCCEEDED, answer.result.result)
        self.assertEqual(answer.result.trajectory, expected.trajectory)
        self.assertEqual(answer.result.factors, expected.factors)
        self.assertEqual(answer.result.verdict, expected.verdict)
        self.until(lambda: received, "no feedback")
        self.assertTrue(all(0.0 <= one.progress <= 1.0 for one in received))

    def test_2_canceled_in_progress_and_in_the_queue(self):
        self.have_puma()
        received = []
        long_goal = self.goal(ScaleAction.Goal, 1000)  # seconds of work
        running = self.send(long_goal, lambda message: received.append(message.feedback))
        self.until(lambda: received, "no feedback")
        waiting = self.send(long_goal)
        busy = self.result(self.send(long_goal))
        self.assertEqual(busy.status, GoalStatus.STATUS_ABORTED)
        self.assertEqual(busy.result.result.code, ResultCode.BUSY)
        self.assertIn("long_request_queue", busy.result.result.message)
        model = self.call(GetModel, "get_model", GetModel.Request())
        self.assertEqual(model.result.code, ResultCode.SUCCESS)
        results = [handle.get_result_async() for handle in (running, waiting)]
        for handle in (waiting, running):
            self.wait(handle.cancel_goal_async(), "the answer to cancel")
        for future in results:
            answer = self.wait(future, "the canceled result")
            self.assertEqual(answer.status, GoalStatus.STATUS_CANCELED)
            self.assertEqual(answer.result.result.code, ResultCode.CANCELED)
            self.assertEqual(answer.result.trajectory.points, [])

    def test_3_bad_goals_say_why(self):
        self.have_puma()
        goal = self.goal(ScaleAction.Goal, 0)
        goal.effort_share = 2.0
        answer = self.result(self.send(goal))
        self.assertEqual(answer.status, GoalStatus.STATUS_ABORTED)
        self.assertEqual(answer.result.result.code, ResultCode.INVALID_VALUE)
        self.assertIn("effort_share", answer.result.result.message)

    def test_4_an_interrupt_ends_goals_in_progress(self):
        self.have_puma()
        received = []
        self.send(self.goal(ScaleAction.Goal, 1000), received.append)
        self.until(lambda: received, "no feedback")


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):

    def test_interrupt_ends_it_cleanly(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
