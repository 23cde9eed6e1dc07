# SPDX-License-Identifier: Apache-2.0
"""simulation_node repeats runs bit for bit, waits for controllers, pauses, steps and resets."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

import controller_manager_msgs.srv as cm
import launch
import launch_testing
import launch_testing.actions
import launch_testing.asserts
from dynamics_msgs.msg import ResultCode
from dynamics_msgs.srv import ResetSimulation, SetSimulationState, StepSimulation
from lifecycle_msgs.msg import State
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Float64
from std_srvs.srv import Trigger

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from simulation_client import simulation, SimulationTest, START, urdf  # noqa: E402


def generate_test_description():
    bad = simulation('bad', publish_clock=False)
    return launch.LaunchDescription([
        simulation('first', speed=0),
        simulation('second', speed=0.5, publish_clock=False),
        simulation('slow', speed=0, publish_clock=False, update_rate=500),
        simulation('blocks', speed=0, publish_clock=False),
        bad,
        launch_testing.actions.ReadyToTest(),
    ]), {'bad': bad}


class TestSimulation(SimulationTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.states = {'first': {}, 'second': {}, 'slow': {}, 'blocks': {}}
        cls.clock = []
        for name, text in (('first', urdf()), ('second', urdf()), ('bad', urdf(mass='-2')),
                           ('slow', urdf(rate="rw_rate='100'")),
                           ('blocks', urdf(blocks=2))):
            cls.describe(name, text)
        for name, seen in cls.states.items():
            cls.listen(name, seen)
        cls.node.create_subscription(
            Clock, '/clock', lambda message: cls.clock.append(message.clock),
            QoSProfile(depth=1000, reliability=ReliabilityPolicy.BEST_EFFORT))

    def reset(self, name, joint, position, velocity):
        answer = self.call(ResetSimulation,
                           f'/{name}/simulation/reset',
                           joint_names=[joint],
                           positions=[position],
                           velocities=[velocity])
        self.assertEqual(answer.result.code, ResultCode.SUCCESS, answer.result.message)
        return answer

    def test_1_waits_until_controllers_are_active(self):
        for name in self.states:
            answer = self.state(name)
            self.assertEqual(answer.state, SetSimulationState.Request.WAITING)
            self.assertEqual((answer.time.sec, answer.time.nanosec), (0, 1))
            refused = self.call(StepSimulation, f'/{name}/simulation/step', steps=1)
            self.assertEqual(refused.result.code, ResultCode.INVALID_VALUE)
            self.activate(name)
            self.until_paused(name)
            self.assertEqual(self.state(name).time.sec, 0)
            self.until(lambda name=name: 1 in self.states[name], 'the state at the start')
            self.assertEqual(self.states[name][1]['joint1/position'], START[0])

    def test_2_runs_are_identical_and_match_the_core(self):
        for name in ('first', 'second', 'blocks'):
            for steps in (1, 99, 400):
                stamp = self.step(name, steps)
            self.assertEqual(stamp, 500_000_000)
        first, second = self.states['first'], self.states['second']
        common = sorted(set(first) & set(second))
        self.assertGreater(len(common), 3)
        for stamp in common:
            self.assertEqual(first[stamp], second[stamp], stamp)
        self.assertEqual(first[500_000_000]['arm/steps'], 500.0)
        # arm and hand in two blocks are one robot
        blocks = self.states['blocks']
        common = sorted(set(first) & set(blocks))
        self.assertGreater(len(common), 3)
        for stamp in common:
            self.assertLessEqual(first[stamp].items(), blocks[stamp].items(), stamp)
        self.assertEqual(blocks[500_000_000]['hand/steps'], 500.0)
        self.assertTrue(
            self.call(cm.SwitchController,
                      '/blocks/controller_manager/switch_controller',
                      deactivate_controllers=['joint_state_broadcaster'],
                      strictness=cm.SwitchController.Request.STRICT).ok)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'two.urdf')
            with open(path, 'w', encoding='utf-8') as file:
                file.write(urdf())
            run = os.path.join(folder, 'run.csv')
            command = [os.environ['DYNAMICS_PROGRAM'], 'simulate', path, '--duration', '0.5']
            command += ['--q0', f'{START[0]},{START[1]}', '--rtol', '1e-11', '--output', run]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            with open(run, encoding='utf-8') as file:
                rows = [line.strip().split(',') for line in file]
        last = dict(zip(rows[0], map(float, rows[-1])))
        for joint in ('joint1', 'joint2'):
            self.assertAlmostEqual(first[500_000_000][f'{joint}/position'], last[f'q_{joint}'],
                                   delta=1e-6)
        self.assertGreater(abs(last['q_joint1'] - START[0]), 0.3)

    def test_3_reset_repeats_the_run(self):
        before = dict(self.states['first'])
        self.states['first'].clear()
        answer = self.call(ResetSimulation, '/first/simulation/reset', reset_time=True)
        self.assertEqual(answer.result.code, ResultCode.SUCCESS, answer.result.message)
        self.until_paused('first')
        self.assertEqual(self.state('first').time.nanosec, 1)
        self.assertEqual(self.step('first', 500), 500_000_000)
        after = self.states['first']
        common = set(before) & set(after)
        self.assertIn(500_000_000, common)
        for stamp in common:
            self.assertEqual(before[stamp], after[stamp], stamp)

    def test_4_reset_to_a_state_keeps_time(self):
        stamp = self.step('first', 1)
        answer = self.reset('first', 'joint2', 0.75, 0.5)
        self.assertEqual(answer.time.sec * 10**9 + answer.time.nanosec, stamp)
        self.until(lambda: self.states['first'][stamp]['joint2/position'] == 0.75, 'the new state')
        self.assertEqual(self.states['first'][stamp]['joint1/position'], START[0])
        self.assertEqual(self.states['first'][stamp]['joint2/velocity'], 0.5)
        for fields, code in (({'joint_names': ['joint3'], 'positions': [0.0]},
                              ResultCode.UNKNOWN_JOINT),
                             ({'joint_names': ['joint2']}, ResultCode.WRONG_SIZE),
                             ({'reset_time': True, 'keep_controllers': True},
                              ResultCode.INVALID_VALUE)):
            answer = self.call(ResetSimulation, '/first/simulation/reset', **fields)
            self.assertEqual(answer.result.code, code, answer.result.message)

    def test_5_running_equals_stepping(self):
        for name in ('first', 'second'):
            answer = self.call(ResetSimulation, f'/{name}/simulation/reset', reset_time=True)
            self.assertEqual(answer.result.code, ResultCode.SUCCESS, answer.result.message)
            self.until_paused(name)
            self.states[name].clear()
        for _ in range(30):
            self.step('second', 10)
        self.set_speed(-1.0, False)
        self.set_speed(1.0, True)
        self.clock.clear()
        self.assertTrue(self.call(Trigger, '/first/simulation/resume').success)
        self.assertEqual(self.state('first').state, SetSimulationState.Request.RUNNING)
        self.until(lambda: self.state('first').time.sec > 0, 'a second')
        self.assertTrue(self.call(Trigger, '/first/simulation/pause').success)
        paused = self.state('first')
        self.assertEqual(paused.state, SetSimulationState.Request.PAUSED)
        self.until(lambda: self.clock and self.clock[-1] == paused.time, 'the time on /clock')
        times = [stamp.sec * 10**9 + stamp.nanosec for stamp in self.clock]
        self.assertEqual(times, sorted(times), 'times must not decrease')
        self.assertTrue(all(t % 1_000_000 == 0 for t in times if t > 1), 'whole periods')
        self.assertEqual(self.state('first').time, paused.time)
        first, second = self.states['first'], self.states['second']
        common = set(first) & set(second)
        self.assertGreater(len(common), 10, 'running and stepping must be compared')
        for stamp in common:
            self.assertEqual(first[stamp], second[stamp], stamp)

    def set_speed(self, speed, accepted):
        value = ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=speed)
        answer = self.call(SetParameters,
                           '/first/simulation/set_parameters',
                           parameters=[Parameter(name='speed', value=value)])
        self.assertEqual(answer.results[0].successful, accepted, answer.results[0].reason)

    def test_6_standard_services(self):
        try:
            import simulation_interfaces.srv as standard
            from simulation_interfaces.msg import Result, SimulationState
        except ImportError:
            self.skipTest('simulation_interfaces is not installed')
        prefix = '/first/simulation/'
        features = self.call(standard.GetSimulatorFeatures, prefix + 'get_simulator_features')
        self.assertLessEqual({20, 21, 22}, set(features.features.features))
        answer = self.call(standard.SetSimulationState,
                           prefix + 'set_simulation_state',
                           state=SimulationState(state=SimulationState.STATE_PAUSED))
        already = standard.SetSimulationState.Response.ALREADY_IN_TARGET_STATE
        self.assertIn(answer.result.result, (Result.RESULT_OK, already))
        answer = self.call(standard.ResetSimulation, prefix + 'reset_simulation')
        self.assertEqual(answer.result.result, Result.RESULT_OK, answer.result.error_message)
        self.until_paused('first')
        answer = self.call(standard.StepSimulation, prefix + 'step_simulation', steps=10)
        self.assertEqual(answer.result.result, Result.RESULT_OK, answer.result.error_message)
        self.assertEqual(self.state('first').time.nanosec, 10_000_000)
        answer = self.call(standard.GetSimulationState, prefix + 'get_simulation_state')
        self.assertEqual(answer.state.state, SimulationState.STATE_PAUSED)
        # the time alone: advertised as feature 21
        self.states['first'].clear()
        moved = self.states['first'][self.step('first', 100)]['joint1/position']
        self.assertNotEqual(moved, START[0])
        self.states['first'].clear()
        answer = self.call(standard.ResetSimulation, prefix + 'reset_simulation',
                           scope=standard.ResetSimulation.Request.SCOPE_TIME)
        self.assertEqual(answer.result.result, Result.RESULT_OK, answer.result.error_message)
        self.until_paused('first')
        self.assertEqual(self.state('first').time.nanosec, 1)
        self.until(lambda: 1 in self.states['first'], 'the state at time zero')
        self.assertEqual(self.states['first'][1]['joint1/position'], moved)

    def test_7_invalid_model_ends_with_message(self, proc_output, proc_info, bad):
        proc_info.assertWaitForShutdown(process=bad, timeout=60)
        proc_output.assertWaitFor('upper', process=bad, timeout=10)
        launch_testing.asserts.assertExitCodes(proc_info, allowable_exit_codes=[1], process=bad)

    def test_8_failure_ends_component_but_not_node(self, proc_output):
        manager = '/second/controller_manager/'

        def hardware():
            answer = self.call(cm.ListHardwareComponents, manager + 'list_hardware_components')
            return answer.component[0].state.label

        self.assertEqual(hardware(), 'active')
        self.reset('second', 'joint1', 0.0, 1e200)
        self.call(StepSimulation, '/second/simulation/step', steps=3)
        self.assertEqual(hardware(), 'unconfigured')
        proc_output.assertWaitFor('is not finite any more', timeout=10)
        # nothing is changed if the reset is refused: neither the time nor the controllers
        stands = self.state('second').time
        self.assertGreater(stands.nanosec, 1)
        answer = self.call(ResetSimulation, '/second/simulation/reset', reset_time=True)
        self.assertEqual(answer.result.code, ResultCode.INTERNAL_ERROR, 'not configured')
        self.assertEqual(self.state('second').time, stands)
        # configuring again resets the state
        self.assertTrue(
            self.call(cm.SetHardwareComponentState,
                      manager + 'set_hardware_component_state',
                      name='arm',
                      target_state=State(label='active')).ok)
        self.assertEqual(hardware(), 'active')
        self.states['second'].clear()
        self.assertTrue(
            self.call(cm.SwitchController,
                      manager + 'switch_controller',
                      activate_controllers=['joint_state_broadcaster'],
                      strictness=cm.SwitchController.Request.STRICT).ok)
        stamp = self.step('second', 1)
        self.assertAlmostEqual(self.states['second'][stamp]['joint1/position'], START[0],
                               delta=1e-3)

    def test_9_slow_hardware_does_not_stall(self):
        # rw_rate is 100 Hz, update_rate 500 Hz
        slow = self.states['slow']
        read, between, stamp = (self.step('slow', steps) for steps in (245, 3, 2))
        self.assertEqual(stamp, 500_000_000)
        self.assertEqual(slow[read]['arm/steps'], 490.0)
        self.assertEqual(slow[between], slow[read], 'not read in between')
        self.assertEqual(slow[stamp]['arm/steps'], 500.0)
        self.assertNotEqual(slow[stamp]['joint1/position'], slow[read]['joint1/position'])
        # it takes requests while the time stands
        self.reset('slow', 'joint2', 0.75, 0.5)
        self.until(lambda: slow[stamp]['joint2/position'] == 0.75, 'the new state')
        answer = self.call(ResetSimulation, '/slow/simulation/reset', reset_time=True)
        self.assertEqual(answer.result.code, ResultCode.INVALID_VALUE, answer.result.message)
        self.assertEqual(self.step('slow', 5), stamp + 10_000_000)

    def test_real_time_factor_is_published(self):
        factors = []
        subscription = self.node.create_subscription(
            Float64, '/first/simulation/real_time_factor',
            lambda message: factors.append(message.data), 10)
        self.addCleanup(self.node.destroy_subscription, subscription)
        self.until(lambda: factors, 'a message')
        self.assertGreaterEqual(factors[0], 0.0)
        self.call(Trigger, '/first/simulation/resume')
        self.until(lambda: factors[-1] > 0.0, 'a factor while it runs')
        self.call(Trigger, '/first/simulation/pause')

    def test_clock_has_its_quality_of_service(self):
        infos = self.node.get_publishers_info_by_topic('/clock')
        self.assertEqual(len(infos), 1)
        self.assertEqual(infos[0].qos_profile.reliability, ReliabilityPolicy.BEST_EFFORT)

    def test_waiting_services_do_not_block_others(self):
        deep = QoSProfile(depth=1000)
        step = self.node.create_client(StepSimulation, '/first/simulation/step', qos_profile=deep)
        ask = self.node.create_client(SetSimulationState, '/first/simulation/set_state',
                                      qos_profile=deep)
        for client in (step, ask):
            self.addCleanup(self.node.destroy_client, client)
            self.until(client.service_is_ready, 'services')
        self.until_paused('first')
        # more than the executor has threads
        steps = [step.call_async(StepSimulation.Request(steps=500)) for _ in range(20)]
        asked = [ask.call_async(SetSimulationState.Request()) for _ in range(40)]
        self.until(lambda: all(future.done() for future in asked), 'all responses')
        self.assertFalse(all(future.done() for future in steps), 'they must not wait for steps')
        self.until(lambda: all(future.done() for future in steps), 'all steps')
        for future in steps:
            self.assertEqual(future.result().result.code, ResultCode.SUCCESS)

    def test_interrupt_ends_it_without_error(self):
        # twice, as by ros2 launch in a terminal; started in the background, where SIGINT is ignored
        for ignored in (False, True):
            name = f'interrupted_{ignored}'.lower()
            process = subprocess.Popen(
                [os.environ['SIMULATION_NODE'], '--ros-args', '-r', f'__ns:=/{name}', '-p',
                 'update_rate:=100', '-p', 'publish_clock:=false'],
                preexec_fn=lambda ignored=ignored: signal.signal(
                    signal.SIGINT, signal.SIG_IGN if ignored else signal.SIG_DFL))
            self.addCleanup(process.kill)
            self.assertEqual(self.state(name).state, SetSimulationState.Request.WAITING)
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(60.0), 0)


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):
    def test_other_processes_end_without_error(self, proc_info, bad):
        others = [process for process in proc_info.processes() if process is not bad]
        self.assertEqual(len(others), 4)
        for process in others:
            self.assertEqual(proc_info[process].returncode, 0)
