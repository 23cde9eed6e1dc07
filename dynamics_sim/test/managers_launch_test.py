# SPDX-License-Identifier: Apache-2.0
"""Several controller managers of one simulation_node: one clock, runs repeat bit for bit."""
import pathlib
import sys
import unittest

import controller_manager_msgs.srv as cm
import launch
import launch_testing
import launch_testing.actions
from dynamics_msgs.msg import ResultCode
from dynamics_msgs.srv import (ApplyWrench, ResetSimulation, SetSimulationState, StepSimulation)
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from std_srvs.srv import Trigger

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from simulation_client import simulation, SimulationTest, START, urdf  # noqa: E402

# the same joints in both arms; the periods are 1 ms and 2.5 ms, so not multiples of each other
RATES = {'left': 1000, 'right': 400}
MASSES = {'left': '2', 'right': '3'}


def generate_test_description():
    folder = pathlib.Path(__file__).resolve().parent
    rates = ['--ros-args', '--params-file', str(folder / 'managers.yaml')]
    several = {'speed': 0, 'update_rate': None}  # in the sections of the managers
    return launch.LaunchDescription([
        simulation('cell', '--namespaces', 'left', 'right', *rates, **several),
        simulation('again', '--namespaces', 'right', 'left', *rates, publish_clock=False,
                   **several),
        simulation('alone', speed=0, publish_clock=False, update_rate=RATES['right']),
        launch_testing.actions.ReadyToTest(),
    ])


class TestManagers(SimulationTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.states = {}
        cls.clock = []
        cls.node.create_subscription(
            Clock, '/clock', lambda message: cls.clock.append(message.clock),
            QoSProfile(depth=1000, reliability=ReliabilityPolicy.BEST_EFFORT))
        for name in ('cell/left', 'cell/right', 'again/left', 'again/right', 'alone'):
            cls.states[name] = {}
            cls.listen(name, cls.states[name])
            cls.describe(name, urdf(mass=MASSES[name.rpartition('/')[2].replace(
                'alone', 'right')]))

    def advance(self, name, steps):
        """Make steps of the fastest manager; return the time (ns)."""
        answer = self.call(StepSimulation, f'/{name}/simulation/step', steps=steps)
        self.assertEqual(answer.result.code, ResultCode.SUCCESS, answer.result.message)
        self.assertEqual(answer.steps, steps)
        return answer.time.sec * 10**9 + answer.time.nanosec

    def reset(self, name, **fields):
        """Return the response of a reset."""
        return self.call(ResetSimulation, f'/{name}/simulation/reset', **fields)

    def test_1_time_waits_for_all_managers(self):
        waiting = SetSimulationState.Request.WAITING
        for name in ('cell/left', 'again/right', 'alone'):
            self.activate(name)
        self.until_paused('alone')
        self.assertEqual(self.state('cell').state, waiting)
        for name in ('cell/right', 'again/left'):
            self.activate(name)
        for name in ('cell', 'again'):
            self.until_paused(name)
            self.assertEqual(self.state(name).time.nanosec, 1)
        for name, seen in self.states.items():
            self.until(lambda seen=seen: 1 in seen, 'the state at the start')
            self.assertEqual(seen[1]['joint1/position'], START[0])

    def test_2_robots_move_as_alone_and_as_in_another_order(self):
        end = 500_000_000
        for steps in (1, 2, 97):  # with pauses between the cycles of one of the managers
            self.assertEqual(self.advance('cell', steps) % 1_000_000, 0)
        for stop in range(100_000_000, end + 1, 100_000_000):
            if stop > 100_000_000:
                self.assertEqual(self.advance('cell', 100), stop)
            self.assertEqual(self.advance('again', 100), stop)
            self.assertEqual(self.advance('alone', 40), stop)
            for name, seen in self.states.items():
                self.until(lambda seen=seen: stop in seen,  # noqa: B023
                           f'the state of {name}')
        for one, other in (('cell/left', 'again/left'), ('cell/right', 'again/right'),
                           ('cell/right', 'alone')):
            common = set(self.states[one]) & set(self.states[other])
            self.assertGreater(len(common), 5)
            for stamp in common:
                self.assertEqual(self.states[one][stamp], self.states[other][stamp], stamp)
        left, right = self.states['cell/left'], self.states['cell/right']
        self.assertNotEqual(left[end]['joint1/position'], right[end]['joint1/position'])
        # each manager has its own period
        self.assertTrue(all(stamp % 1_000_000 == 0 for stamp in left if stamp > 1))
        self.assertTrue(all(stamp % 2_500_000 == 0 for stamp in right if stamp > 1))

    def test_3_one_clock(self):
        self.assertEqual(len(self.node.get_publishers_info_by_topic('/clock')), 1)
        self.clock.clear()
        self.assertTrue(self.call(Trigger, '/cell/simulation/resume').success)
        self.until(lambda: self.state('cell').time.sec > 0, 'a second')
        self.assertTrue(self.call(Trigger, '/cell/simulation/pause').success)
        time = self.state('cell').time
        self.until(lambda: self.clock and self.clock[-1] == time, 'the time on /clock')
        times = [stamp.sec * 10**9 + stamp.nanosec for stamp in self.clock]
        self.assertEqual(times, sorted(times), 'times must not decrease')
        self.assertTrue(all(t % 1_000_000 == 0 or t % 2_500_000 == 0 for t in times))

    def test_4_pause_between_the_cycles_changes_nothing(self):
        # 499 steps end at 0.499 s; the cycle of `right` at 0.4975 s is the last one
        for name, chunks in (('cell', (499, 1)), ('again', (500, ))):
            answer = self.reset(name, reset_time=True)
            self.assertEqual(answer.result.code, ResultCode.SUCCESS, answer.result.message)
            self.until_paused(name)
            for side in RATES:
                self.states[f'{name}/{side}'].clear()
            for steps in chunks:
                stamp = self.advance(name, steps)
                self.assertEqual(self.state(name).state, SetSimulationState.Request.PAUSED)
        self.assertEqual(stamp, 500_000_000)
        for side in RATES:
            for name in ('cell', 'again'):
                seen = self.states[f'{name}/{side}']
                self.until(lambda seen=seen: stamp in seen, 'the last state')
            self.assertEqual(self.states[f'cell/{side}'][stamp],
                             self.states[f'again/{side}'][stamp])

    def test_5_reset_names_the_robot(self):
        stamp = self.advance('cell', 5)  # due for both managers
        answer = self.reset('cell', joint_names=['joint1'], positions=[0.5])
        self.assertEqual(answer.result.code, ResultCode.INVALID_VALUE)
        self.assertIn('left/joint1, right/joint1', answer.result.message)
        answer = self.reset('cell', joint_names=['middle/joint1'], positions=[0.5])
        self.assertEqual(answer.result.code, ResultCode.UNKNOWN_JOINT)
        self.assertIn('right/joint2', answer.result.message)
        answer = self.reset('cell', joint_names=['left/joint1'], positions=[9.5])
        self.assertEqual(answer.result.code, ResultCode.SUCCESS, 'limits are off')
        answer = self.reset('cell', joint_names=['left/joint1', 'left/joint1'],
                            positions=[0.5, 0.5])
        self.assertEqual(answer.result.code, ResultCode.DUPLICATE_JOINT)
        answer = self.reset('cell', joint_names=['right/joint1'], positions=[])
        self.assertEqual(answer.result.code, ResultCode.WRONG_SIZE)
        answer = self.reset('cell', joint_names=['right/joint1'], positions=[0.75],
                            velocities=[0.5])
        self.assertEqual(answer.result.code, ResultCode.SUCCESS, answer.result.message)
        right, left = self.states['cell/right'], self.states['cell/left']
        self.until(lambda: right[stamp]['joint1/position'] == 0.75, 'the new state')
        self.until(lambda: left[stamp]['joint1/position'] == START[0], 'the initial state')
        self.assertEqual(right[stamp]['joint1/velocity'], 0.5)

    def test_6_controllers_of_all_managers_are_activated_again(self):
        for side in RATES:
            answer = self.call(cm.ListControllers,
                               f'/cell/{side}/controller_manager/list_controllers')
            self.assertEqual([one.state for one in answer.controller], ['active'])

    def test_7_wrench_acts_on_one_robot(self):
        before = self.advance('cell', 5)
        for side in RATES:
            self.until(lambda side=side: before in self.states[f'cell/{side}'], 'the state')
        left = self.states['again/left']
        for name in ('cell', 'again'):
            answer = self.reset(name, reset_time=True)
            self.assertEqual(answer.result.code, ResultCode.SUCCESS, answer.result.message)
            self.until_paused(name)
        for seen in self.states.values():
            seen.clear()
        request = ApplyWrench.Request()
        request.wrench.header.frame_id = 'lower'
        request.wrench.wrench.force.z = 50.0
        request.duration.sec = 1
        answer = self.call(ApplyWrench, '/cell/right/arm/apply_wrench', wrench=request.wrench,
                           duration=request.duration)
        self.assertEqual(answer.result.code, ResultCode.SUCCESS, answer.result.message)
        for name in ('cell', 'again'):
            stamp = self.advance(name, 100)
        for side in RATES:
            for name in ('cell', 'again'):
                seen = self.states[f'{name}/{side}']
                self.until(lambda seen=seen: stamp in seen, 'the last state')
        self.assertEqual(self.states['cell/left'][stamp], left[stamp])
        self.assertNotEqual(self.states['cell/right'][stamp], self.states['again/right'][stamp])


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):
    def test_processes_end_without_error(self, proc_info):
        for process in proc_info.processes():
            self.assertEqual(proc_info[process].returncode, 0)
