# SPDX-License-Identifier: Apache-2.0
"""What must not stop the node: long work, changing models, vanishing clients, rubbish, time."""
import math
import pathlib
import re
import subprocess
import sys
import time
import unittest

import launch
import launch_ros.actions
import launch_testing.actions
import launch_testing.asserts
import rclpy
from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Time
from dynamics_msgs.action import Simulate
from dynamics_msgs.msg import ResultCode
from dynamics_msgs.srv import CheckModel, GetModel, InverseDynamics, ScaleTrajectory
from rclpy.action import ActionClient
from rosgraph_msgs.msg import Clock
from std_msgs.msg import String

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from node_client import PATIENCE, PUMA, NodeTest, duration  # noqa: E402

ENTITIES = "<!ENTITY a 'aaaaaaaaaa'>" + "".join(
    f"<!ENTITY {chr(98 + i)} '{f'&{chr(97 + i)};' * 10}'>" for i in range(9))
RUBBISH = {
    "nothing": "",
    "text": "no robot at all",
    "unfinished": "<robot name='r'><link name='a'>",
    "no joints": "<robot name='r'><link name='a'/></robot>",
    "control characters": "\x01\x02\x1b[31m<robot name='r'>",
    "a bomb": f"<!DOCTYPE r [{ENTITIES}]><robot name='&j;'><link name='a'/></robot>",
    "deep": "<robot name='r'>" + "<a>" * 100000 + "</a>" * 100000 + "</robot>",
    "cycle": "<robot name='r'><link name='a'/><link name='b'/>" + "".join(
        f"<joint name='{name}' type='continuous'><parent link='{one}'/><child link='{other}'/>"
        "<axis xyz='0 0 1'/></joint>" for name, one, other in ("jab", "kba")) + "</robot>",
    "not finite": PUMA.read_text("utf-8").replace("<mass value=\"", "<mass value=\"nan", 1),
}
VANISH = """
import os, signal, sys, time
sys.path.insert(0, {folder!r})
from node_client import NodeTest, duration
from rclpy.action import ActionClient
from dynamics_msgs.action import Simulate
from dynamics_msgs.srv import ScaleTrajectory
import rclpy
test = NodeTest()
NodeTest.setUpClass()
client = test.client(ScaleTrajectory, "scale_trajectory")
for _ in range(3):
    client.call_async(test.long_request())
action = ActionClient(test.node, Simulate, "/dynamics/simulate")
assert action.wait_for_server(60.0)
received = []
goal = Simulate.Goal(duration=duration(1e6), sample=duration(1e5))
test.wait(action.send_goal_async(goal, feedback_callback=received.append))
test.until(lambda: received, "no feedback")
print("in the middle", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def generate_test_description():
    node = launch_ros.actions.Node(
        package="dynamics_ros", executable="dynamics_node", name="dynamics", output="screen",
        parameters=[{"use_sim_time": True, "longest_simulation": 3.0}])
    return launch.LaunchDescription([node, launch_testing.actions.ReadyToTest()])


class TestHardening(NodeTest):

    def test_1_rubbish_changes_nothing(self):
        self.have_puma()
        check = CheckModel.Request(without_condition=True, return_repaired=True)
        for name, text in RUBBISH.items():
            self.description.publish(String(data=text))
            client = self.client(CheckModel, "check_model")
            self.until(lambda text=text, client=client: self.wait(
                client.call_async(check)).repaired == text, f"'{name}' is not received")
            self.assertFalse(self.wait(client.call_async(check)).loads, name)
            answer = self.call(InverseDynamics, "inverse_dynamics", self.trajectory_request())
            self.assertEqual(answer.result.code, ResultCode.SUCCESS, name)
        other = PUMA.with_name("planar3.urdf").read_text("utf-8")
        self.describe(other, lambda model: model.name == "planar3")
        answer = self.call(InverseDynamics, "inverse_dynamics", self.trajectory_request())
        self.assertEqual(answer.result.code, ResultCode.UNKNOWN_JOINT)
        self.have_puma()

    def test_2_a_description_that_changes_while_calls_run(self):
        light = PUMA.read_text("utf-8")
        heavy = re.sub(r"<mass value=\"([^\"]*)\"",
                       lambda found: f"<mass value=\"{2.0 * float(found.group(1))!r}\"", light)
        request = self.trajectory_request(400)
        mass = self.have_puma().total_mass
        efforts = []
        for text, mass_changes in ((heavy, True), (light, False)):
            self.describe(text, lambda model, changes=mass_changes: model.name == "puma" and (
                math.isclose(model.total_mass, mass) != changes))
            answer = self.call(InverseDynamics, "inverse_dynamics", request)
            efforts.append([list(point.effort) for point in answer.trajectory.points])
        self.assertNotEqual(efforts[0], efforts[1])
        clients = [self.client(InverseDynamics, "inverse_dynamics") for _ in range(3)]
        seen = [0, 0]
        for i in range(60):
            self.description.publish(String(data=(heavy, light)[i % 2]))
            for future in [client.call_async(request) for client in clients]:
                answer = self.wait(future)
                self.assertEqual(answer.result.code, ResultCode.SUCCESS)
                got = [list(point.effort) for point in answer.trajectory.points]
                self.assertIn(got, efforts, "a reply of neither model")
                seen[efforts.index(got)] += 1
            if i >= 5 and min(seen) > 0:
                break
        self.assertGreater(min(seen), 0, seen)
        self.have_puma()

    def test_3_long_requests_do_not_keep_short_ones_waiting(self):
        self.have_puma()
        long_client = self.client(ScaleTrajectory, "scale_trajectory")
        short_client = self.client(GetModel, "get_model")
        answered = 0
        for _ in range(5):  # what is long depends on the machine
            futures = [long_client.call_async(self.long_request()) for _ in range(6)]
            while not all(future.done() for future in futures):
                answer = self.wait(short_client.call_async(GetModel.Request()))
                self.assertEqual(answer.result.code, ResultCode.SUCCESS)
                answered += sum(not future.done() for future in futures) > 0
            for future in futures:
                self.assertEqual(future.result().result.code, ResultCode.SUCCESS)
            if answered >= 3:
                return
        self.fail("no short request was answered beside a long one")

    def test_4_clients_that_vanish(self):
        self.have_puma()
        script = VANISH.format(folder=str(pathlib.Path(__file__).parent))
        for _ in range(2):
            done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                                  timeout=2 * PATIENCE, check=False)
            self.assertIn("in the middle", done.stdout, done.stderr)
            self.assertEqual(done.returncode, -9)
        answer = self.call(InverseDynamics, "inverse_dynamics", self.trajectory_request())
        self.assertEqual(answer.result.code, ResultCode.SUCCESS)
        # what the vanished ones left does not block: a simulation gets its turn
        self.simulate()

    def simulate(self):
        action = ActionClient(self.node, Simulate, "/dynamics/simulate")
        self.addCleanup(action.destroy)
        self.assertTrue(action.wait_for_server(PATIENCE))
        handle = self.wait(action.send_goal_async(Simulate.Goal(
            duration=duration(0.05), sample=duration(0.01))))
        answer = self.wait(handle.get_result_async(), "the result")
        self.assertEqual(answer.status, GoalStatus.STATUS_SUCCEEDED, answer.result.result)

    def test_5_a_clock_that_jumps_back(self):
        self.have_puma()
        clock = self.node.create_publisher(Clock, "/clock", 10)
        self.addCleanup(self.node.destroy_publisher, clock)
        self.until(lambda: clock.get_subscription_count() > 0, "nobody listens to the clock")
        for seconds in (100, 101, 5000, 3, 4, 0, 2**31 - 1, 0):
            clock.publish(Clock(clock=Time(sec=seconds)))
            rclpy.spin_once(self.node, timeout_sec=0.05)
            answer = self.call(InverseDynamics, "inverse_dynamics", self.trajectory_request())
            self.assertEqual(answer.result.code, ResultCode.SUCCESS)
            self.simulate()

    @classmethod
    def tearDownClass(cls):
        # until its lease ends, the middleware waits for a killed client before it lets the node go
        end = time.monotonic() + PATIENCE
        while cls.node.get_node_names().count("client") > 1 and time.monotonic() < end:
            rclpy.spin_once(cls.node, timeout_sec=0.1)
        super().tearDownClass()


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):

    def test_interrupt_ends_it_cleanly(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
