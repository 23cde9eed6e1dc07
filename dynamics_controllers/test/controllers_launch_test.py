# SPDX-License-Identifier: Apache-2.0
"""The controllers in a controller manager with simulated hardware: two robots, two namespaces."""
import os
import pathlib
import re
import tempfile
import time
import unittest

import controller_manager_msgs.srv as cm
import launch
import launch_ros.actions
import launch_testing
import launch_testing.actions
import launch_testing.asserts
import rclpy
from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTrajectoryControllerState
from dynamics_msgs.msg import DynamicsTerms, Payload, ResultCode
from dynamics_msgs.srv import (ResetSimulation, SetNamedPayload, SetSimulationState,
                               StepSimulation)
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectoryPoint

ROBOTS = {
    'first': ('puma', {f'joint{k + 1}': q
                       for k, q in enumerate((0.1, -0.5, 0.4, 0.3, 0.7, 0.2))}),
    'second': ('panda', {f'panda_joint{k + 1}': q
                         for k, q in enumerate((0.0, -0.4, 0.1, -2.0, 0.1, 1.8, 0.7))}),
}
CONTROLLERS = {
    'gravity_compensation': 'dynamics_controllers/GravityCompensationController',
    'dynamics_state': 'dynamics_controllers/DynamicsStateBroadcaster',
    'arm_controller': 'dynamics_controllers/ComputedTorqueController',
    'pid_controller': 'joint_trajectory_controller/JointTrajectoryController',
}
BANDWIDTH = 20.0


def urdf(name):
    """Return the robot without dry friction, which would hold it, and with simulated hardware."""
    file, start = ROBOTS[name]
    text = pathlib.Path(os.environ['DYNAMICS_URDF_DIR'], f'{file}.urdf').read_text('utf-8')
    text = re.sub(r'friction="[^"]*"', 'friction="0"', text)
    joints = ''.join(
        f"<joint name='{joint}'><command_interface name='effort'/>"
        f"<state_interface name='position'><param name='initial_value'>{q}</param>"
        "</state_interface><state_interface name='velocity'/><state_interface name='effort'/>"
        '</joint>' for joint, q in start.items())
    return text.replace(
        '</robot>', "<ros2_control name='arm' type='system'><hardware>"
        '<plugin>dynamics_sim/DynamicsSystem</plugin></hardware>' + joints +
        '</ros2_control></robot>')


def parameter_file(name):
    """Write the parameters of the controllers; return the path."""
    joints = list(ROBOTS[name][1])
    lines = ['/**/dynamics_state:', '  ros__parameters:', '    publish_rate: 1000.0']
    lines += ['/**/arm_controller:', '  ros__parameters:', f'    joints: {joints}']
    lines += ['    state_publish_rate: 1000.0', '    action_monitor_rate: 200.0']
    lines += ['    gains:', f'      bandwidth: [{BANDWIDTH}]']
    file = tempfile.NamedTemporaryFile('w', suffix='.yaml', delete=False, encoding='utf-8')
    with file:
        file.write('\n'.join(lines) + '\n')
    return file.name


def simulation(name):
    return launch_ros.actions.Node(
        package='dynamics_sim',
        executable='simulation_node',
        namespace=name,
        output='screen',
        parameters=[
            parameter_file(name), {
                'update_rate': 1000,
                'speed': 0.0,
                'publish_clock': False,
                'start_paused': True,
                'wait_for_controllers': ['gravity_compensation', 'dynamics_state'],
                **{f'{controller}.type': kind
                   for controller, kind in CONTROLLERS.items()},
            }
        ])


def generate_test_description():
    return launch.LaunchDescription(
        [simulation(name) for name in ROBOTS] + [launch_testing.actions.ReadyToTest()])


class TestControllers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        rclpy.init()
        cls.node = rclpy.create_node('tester')
        cls.executor = SingleThreadedExecutor()
        cls.executor.add_node(cls.node)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        cls.states, cls.descriptions, cls.payloads, cls.loaded = {}, [], {}, set()
        for name in ROBOTS:
            publisher = cls.node.create_publisher(String, f'/{name}/robot_description', latched)
            publisher.publish(String(data=urdf(name)))
            cls.descriptions.append(publisher)
            cls.payloads[name] = cls.node.create_publisher(Payload, f'/{name}/dynamics/payload',
                                                           latched)
            cls.node.create_subscription(
                DynamicsTerms, f'/{name}/dynamics_state/dynamics_terms',
                lambda message, name=name: cls.states.update({name: message}), 10)

    @classmethod
    def tearDownClass(cls):
        cls.executor.shutdown()
        cls.node.destroy_node()
        rclpy.shutdown()

    def until(self, condition, what, seconds=60.0):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, f'not in time: {what}')
            self.executor.spin_once(timeout_sec=0.02)

    def call(self, kind, service, /, **fields):
        client = self.node.create_client(kind, service)
        self.until(client.service_is_ready, f'service {service}')
        future = client.call_async(kind.Request(**fields))
        self.until(future.done, f'answer of {service}', 120.0)
        self.node.destroy_client(client)
        return future.result()

    def load(self, name, *controllers):
        prefix = f'/{name}/controller_manager/'
        for controller in controllers:
            if (name, controller) in self.loaded:
                continue
            for kind, verb in ((cm.LoadController, 'load'), (cm.ConfigureController, 'configure')):
                answer = self.call(kind, f'{prefix}{verb}_controller', name=controller)
                self.assertTrue(answer.ok, f'{verb} {controller}')
            self.loaded.add((name, controller))

    def switch(self, name, start, stop=()):
        self.load(name, *start)
        answer = self.call(cm.SwitchController, f'/{name}/controller_manager/switch_controller',
                           activate_controllers=list(start), deactivate_controllers=list(stop),
                           strictness=cm.SwitchController.Request.STRICT)
        self.assertTrue(answer.ok, f'{start} instead of {stop}')

    def prepare(self, name):
        """Start the simulation, if it is not, at the initial state under gravity compensation."""
        if (name, 'gravity_compensation') not in self.loaded:
            self.switch(name, ('gravity_compensation', 'dynamics_state'))
        paused = SetSimulationState.Request.PAUSED
        self.until(
            lambda: self.call(SetSimulationState, f'/{name}/simulation/set_state', state=0).state
            == paused, 'paused')
        answer = self.call(ResetSimulation, f'/{name}/simulation/reset')
        self.assertEqual(answer.result.code, ResultCode.SUCCESS, answer.result.message)

    def step(self, name, steps):
        answer = self.call(StepSimulation, f'/{name}/simulation/step', steps=steps)
        self.assertEqual(answer.result.code, ResultCode.SUCCESS, answer.result.message)
        # the last states are published by another thread
        stamp = answer.time.sec * 10**9 + answer.time.nanosec

        def is_last():
            message = self.states.get(name)
            if message is None:
                return False
            seen = message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
            return seen >= stamp - 20_000_000

        while not is_last():
            self.call(StepSimulation, f'/{name}/simulation/step', steps=1)
            stamp = max(stamp, 0)
        return self.states[name]

    def drift(self, name, steps):
        start = ROBOTS[name][1]
        state = self.step(name, steps)
        return max(abs(q - start[joint]) for joint, q in zip(state.joint_names, state.positions))

    def test_1_gravity_compensation_does_not_drift(self):
        for name in ROBOTS:
            self.prepare(name)
            self.assertLess(self.drift(name, 10000), 1e-6, name)

    def test_2_payload_of_the_robot_and_of_the_controller_are_two_things(self):
        name, link = 'second', 'panda_link8'
        self.prepare(name)
        payload = Payload(frame_id=link)
        payload.inertia.m = 1.0
        self.payloads[name].publish(payload)
        time.sleep(0.5)
        # the controller does not know: the arm falls
        self.step(name, 5)
        self.prepare(name)
        time.sleep(0.2)
        self.assertGreater(self.drift(name, 1000), 1e-2)
        answer = self.call(SetNamedPayload, f'/{name}/gravity_compensation/set_payload',
                           name='load', payload=payload)
        self.assertEqual(answer.result.code, ResultCode.SUCCESS, answer.result.message)
        self.prepare(name)
        self.assertLess(self.drift(name, 5000), 1e-6)
        # without the payload again
        self.payloads[name].publish(Payload())
        self.call(SetNamedPayload, f'/{name}/gravity_compensation/set_payload', name='load')
        time.sleep(0.5)
        self.prepare(name)
        self.assertLess(self.drift(name, 1000), 1e-6)

    def follow(self, name, controller, points):
        """Run a trajectory; return the largest error on ~/controller_state."""
        errors = []
        subscription = self.node.create_subscription(
            JointTrajectoryControllerState, f'/{name}/{controller}/controller_state',
            lambda message: errors.append(max(map(abs, message.error.positions))), 10000)
        client = ActionClient(self.node, FollowJointTrajectory,
                              f'/{name}/{controller}/follow_joint_trajectory')
        self.until(client.server_is_ready, 'the action')
        goal = FollowJointTrajectory.Goal()
        goal.trajectory.joint_names = list(ROBOTS[name][1])
        goal.trajectory.points = points
        sent = client.send_goal_async(goal)
        self.until(sent.done, 'the goal')
        self.assertTrue(sent.result().accepted)
        result = sent.result().get_result_async()
        while not result.done():
            self.call(StepSimulation, f'/{name}/simulation/step', steps=100)
            self.executor.spin_once(timeout_sec=0.05)
        self.assertEqual(result.result().result.error_code,
                         FollowJointTrajectory.Result.SUCCESSFUL,
                         result.result().result.error_string)
        client.destroy()
        self.node.destroy_subscription(subscription)
        self.assertGreater(len(errors), 10)
        return max(errors)

    def test_3_computed_torque_follows_a_trajectory(self):
        name = 'first'
        self.prepare(name)
        self.switch(name, ('arm_controller',), ('gravity_compensation',))
        start = list(ROBOTS[name][1].values())
        zero = [0.0] * len(start)
        points = [
            JointTrajectoryPoint(positions=[q + way for q in start], velocities=zero,
                                 accelerations=zero, time_from_start=Duration(sec=seconds))
            for way, seconds in ((0.3, 1), (-0.2, 3))
        ]
        error = self.follow(name, 'arm_controller', points)
        self.assertLess(error, 1e-3)
        state = self.step(name, 1)
        for joint, q in zip(state.joint_names, state.positions):
            self.assertAlmostEqual(q, ROBOTS[name][1][joint] - 0.2, delta=1e-3)
        self.switch(name, ('gravity_compensation',), ('arm_controller',))

    def test_4_tracks_ten_times_better_than_pid(self):
        try:
            get_package_prefix('joint_trajectory_controller')
        except PackageNotFoundError:
            self.skipTest('joint_trajectory_controller is not installed')
        name = 'first'
        self.prepare(name)
        self.step(name, 1)
        state = self.states[name]
        self.assertEqual(state.joint_names, list(ROBOTS[name][1]))
        # gains of the same bandwidth and damping, from the diagonal of M
        inertia = [state.inertia.data[k * (state.inertia.columns + 1)] for k in range(6)]
        lines = ['/**:', '  ros__parameters:', f'    joints: {state.joint_names}',
                 '    command_interfaces: [effort]', '    state_interfaces: [position, velocity]',
                 '    state_publish_rate: 1000.0', '    gains:']
        for joint, m in zip(state.joint_names, inertia):
            lines += [f'      {joint}:', f'        p: {m * BANDWIDTH**2}',
                      f'        d: {2.0 * BANDWIDTH * m}', f'        i: {0.2 * BANDWIDTH**3 * m}',
                      '        u_clamp_max: 1000.0', '        u_clamp_min: -1000.0',
                      '        i_clamp_max: 1000.0', '        i_clamp_min: -1000.0']
        with tempfile.NamedTemporaryFile('w', suffix='.yaml', encoding='utf-8') as file:
            file.write('\n'.join(lines) + '\n')
            file.flush()
            self.set_parameters_file(name, 'pid_controller', file.name)
            self.load(name, 'pid_controller')
        start = list(ROBOTS[name][1].values())
        zero = [0.0] * len(start)
        points = [
            JointTrajectoryPoint(positions=[q + 0.4 for q in start], velocities=zero,
                                 accelerations=zero, time_from_start=Duration(sec=1))
        ]
        errors = {}
        for controller in ('pid_controller', 'arm_controller'):
            self.prepare(name)
            self.switch(name, (controller,), ('gravity_compensation',))
            errors[controller] = self.follow(name, controller, points)
            self.switch(name, ('gravity_compensation',), (controller,))
        print('tracking errors (rad):', errors)
        self.assertLess(10.0 * errors['arm_controller'], errors['pid_controller'])

    def set_parameters_file(self, name, controller, path):
        from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
        from rcl_interfaces.srv import SetParameters
        value = ParameterValue(type=ParameterType.PARAMETER_STRING_ARRAY,
                               string_array_value=[path])
        answer = self.call(SetParameters, f'/{name}/controller_manager/set_parameters',
                           parameters=[Parameter(name=f'{controller}.params_file', value=value)])
        self.assertTrue(answer.results[0].successful, answer.results[0].reason)

    def test_5_is_loaded_and_unloaded_a_hundred_times(self):
        name = 'second'
        self.prepare(name)
        prefix = f'/{name}/controller_manager/'
        for k in range(100):
            self.load(name, 'arm_controller')
            if k % 20 == 0:
                self.switch(name, ('arm_controller',), ('gravity_compensation',))
                self.switch(name, ('gravity_compensation',), ('arm_controller',))
            answer = self.call(cm.UnloadController, prefix + 'unload_controller',
                               name='arm_controller')
            self.assertTrue(answer.ok)
            self.loaded.remove((name, 'arm_controller'))


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):
    def test_processes_end_without_error(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
