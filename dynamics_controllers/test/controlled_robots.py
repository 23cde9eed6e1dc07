# SPDX-License-Identifier: Apache-2.0
"""
Robots in namespaces, each with a controller manager, for the launch tests.

The hardware is simulated by dynamics_sim and paused: the tests step it, so that nothing depends on
the load of the machine.
"""
import os
import pathlib
import re
import tempfile
import time
import unittest

import controller_manager_msgs.srv as cm
import launch_ros.actions
import rclpy
from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory
from dynamics_msgs.msg import DynamicsTerms, Payload, ResultCode
from dynamics_msgs.srv import (ApplyWrench, ResetSimulation, SetNamedPayload, SetSimulationState,
                               StepSimulation)
from geometry_msgs.msg import Vector3, WrenchStamped
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String

PERIOD = 0.001
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
STARTS = {
    'puma': {f'joint{k + 1}': q for k, q in enumerate((0.1, -0.5, 0.4, 0.3, 0.7, 0.2))},
    'panda': {f'panda_joint{k + 1}': q
              for k, q in enumerate((0.0, -0.4, 0.1, -2.0, 0.1, 1.8, 0.7))},
}


def urdf(robot, encoder_noise=''):
    """Return the robot without dry friction, which would hold it, and with simulated hardware."""
    text = pathlib.Path(os.environ['DYNAMICS_URDF_DIR'], f'{robot}.urdf').read_text('utf-8')
    text = re.sub(r'friction="[^"]*"', 'friction="0"', text)
    noise = f"<param name='encoder_noise'>{encoder_noise}</param>" if encoder_noise else ''
    joints = ''.join(
        f"<joint name='{joint}'><command_interface name='effort'/>{noise}"
        f"<state_interface name='position'><param name='initial_value'>{q}</param>"
        "</state_interface><state_interface name='velocity'/><state_interface name='effort'/>"
        '</joint>' for joint, q in STARTS[robot].items())
    return text.replace(
        '</robot>', "<ros2_control name='arm' type='system'><hardware>"
        '<plugin>dynamics_sim/DynamicsSystem</plugin></hardware>' + joints +
        '</ros2_control></robot>')


def parameter_file(lines):
    """Write parameters to a file; return the path."""
    file = tempfile.NamedTemporaryFile('w', suffix='.yaml', delete=False, encoding='utf-8')
    with file:
        file.write('\n'.join(lines) + '\n')
    return file.name


def simulation(namespace, controllers, lines):
    """Return the node of a robot; controllers: type by name; lines: their parameters."""
    lines = ['/**/dynamics_state:', '  ros__parameters:', '    publish_rate: 1000.0', *lines]
    return launch_ros.actions.Node(
        package='dynamics_sim',
        executable='simulation_node',
        namespace=namespace,
        output='screen',
        parameters=[
            parameter_file(lines), {
                'update_rate': round(1.0 / PERIOD),
                'speed': 0.0,
                'publish_clock': False,
                'start_paused': True,
                'wait_for_controllers': ['gravity_compensation', 'dynamics_state'],
                'gravity_compensation.type': 'dynamics_controllers/GravityCompensationController',
                'dynamics_state.type': 'dynamics_controllers/DynamicsStateBroadcaster',
                **{f'{name}.type': kind for name, kind in controllers.items()},
            }
        ])


def nanoseconds(stamp):
    return stamp.sec * 10**9 + stamp.nanosec


def matrix(message):
    """Return a dynamics_msgs/Matrix as an array."""
    import numpy
    return numpy.array(message.data).reshape(message.rows, message.columns)


class ControlledRobots(unittest.TestCase):
    """Base of the tests; ROBOTS: the URDF, or its name, by namespace."""

    ROBOTS = {}

    @classmethod
    def setUpClass(cls):
        rclpy.init()
        cls.node = rclpy.create_node('tester')
        cls.executor = SingleThreadedExecutor()
        cls.executor.add_node(cls.node)
        cls.states, cls.publishers, cls.payloads, cls.loaded = {}, [], {}, set()
        for name, (robot, description) in cls.ROBOTS.items():
            publisher = cls.node.create_publisher(String, f'/{name}/robot_description', LATCHED)
            publisher.publish(String(data=description))
            cls.publishers.append(publisher)
            cls.payloads[name] = cls.node.create_publisher(
                Payload, f'/{name}/dynamics/payload', LATCHED)
            cls.node.create_subscription(
                DynamicsTerms, f'/{name}/dynamics_state/dynamics_terms',
                lambda message, name=name: cls.states.update({name: message}), 1000)

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

    def drain(self):
        """Take the messages that are waiting."""
        for _ in range(100):
            self.executor.spin_once(timeout_sec=0.0)

    def call(self, kind, service, /, **fields):
        client = self.node.create_client(kind, service)
        self.until(client.service_is_ready, f'service {service}')
        future = client.call_async(kind.Request(**fields))
        self.until(future.done, f'answer of {service}', 120.0)
        self.node.destroy_client(client)
        return future.result()

    def succeed(self, kind, service, /, **fields):
        """Call a service of dynamics_msgs, which must succeed."""
        answer = self.call(kind, service, **fields)
        self.assertEqual(answer.result.code, ResultCode.SUCCESS, answer.result.message)
        return answer

    # ---- controllers

    def load(self, name, *controllers):
        prefix = f'/{name}/controller_manager/'
        for controller in controllers:
            if (name, controller) in self.loaded:
                continue
            for kind, verb in ((cm.LoadController, 'load'), (cm.ConfigureController, 'configure')):
                answer = self.call(kind, f'{prefix}{verb}_controller', name=controller)
                self.assertTrue(answer.ok, f'{verb} {controller}')
            self.loaded.add((name, controller))

    def unload(self, name, controller):
        answer = self.call(cm.UnloadController, f'/{name}/controller_manager/unload_controller',
                           name=controller)
        self.assertTrue(answer.ok)
        self.loaded.remove((name, controller))

    def switch(self, name, start, stop=()):
        self.load(name, *start)
        answer = self.call(cm.SwitchController, f'/{name}/controller_manager/switch_controller',
                           activate_controllers=list(start), deactivate_controllers=list(stop),
                           strictness=cm.SwitchController.Request.STRICT)
        self.assertTrue(answer.ok, f'{start} instead of {stop}')

    def set_parameter(self, node, name, **value):
        """Set a parameter; value: a field of ParameterValue."""
        kind = {'double_value': ParameterType.PARAMETER_DOUBLE,
                'double_array_value': ParameterType.PARAMETER_DOUBLE_ARRAY,
                'string_array_value': ParameterType.PARAMETER_STRING_ARRAY}[next(iter(value))]
        answer = self.call(SetParameters, f'{node}/set_parameters', parameters=[
            Parameter(name=name, value=ParameterValue(type=kind, **value))])
        return answer.results[0]

    # ---- time

    def prepare(self, name):
        """
        Reset the simulation to its initial state; return the time of the reset (ns).

        The first time it starts, under gravity compensation.
        """
        if (name, 'gravity_compensation') not in self.loaded:
            self.switch(name, ('gravity_compensation', 'dynamics_state'))
        paused = SetSimulationState.Request.PAUSED
        self.until(
            lambda: self.call(SetSimulationState, f'/{name}/simulation/set_state', state=0).state
            == paused, 'paused')
        return nanoseconds(self.succeed(ResetSimulation, f'/{name}/simulation/reset').time)

    def advance(self, name, seconds):
        """Step the simulation; return the time after the last step (ns)."""
        answer = self.succeed(StepSimulation, f'/{name}/simulation/step',
                              steps=max(1, round(seconds / PERIOD)))
        return nanoseconds(answer.time)

    def step(self, name, seconds):
        """Step the simulation; return the terms of its last state."""
        return self.latest(name, seconds, lambda: self.states.get(name))

    def latest(self, name, seconds, last):
        """Step the simulation; return the message of its end; last: returns the last one."""
        end = self.advance(name, seconds)
        while True:
            # messages are published by another thread, which may miss one
            patience = time.monotonic() + 0.1
            while time.monotonic() < patience:
                message = last()
                if message and nanoseconds(message.header.stamp) >= end - 2_000_000:
                    return message
                self.executor.spin_once(timeout_sec=0.01)
            end = self.advance(name, PERIOD)

    def drift(self, name, seconds):
        """Return the largest deviation from the initial state after this time."""
        state = self.step(name, seconds)
        start = STARTS[self.ROBOTS[name][0]]
        return max(abs(q - start[joint]) for joint, q in zip(state.joint_names, state.positions))

    # ---- what acts on the robot

    def push(self, name, link, force, seconds):
        """Exert a force in the axes of the link."""
        wrench = WrenchStamped()
        wrench.header.frame_id = link
        x, y, z = map(float, force)
        wrench.wrench.force = Vector3(x=x, y=y, z=z)
        self.succeed(ApplyWrench, f'/{name}/arm/apply_wrench', wrench=wrench,
                     duration=Duration(sec=int(seconds), nanosec=round(seconds % 1 * 1e9)))

    def set_robots_payload(self, name, link, mass):
        """Attach a mass to the simulated robot."""
        message = Payload(frame_id=link)
        message.inertia.m = mass
        self.payloads[name].publish(message)

    def set_believed_payload(self, name, controller, link, mass):
        payload = Payload(frame_id=link)
        payload.inertia.m = mass
        self.succeed(SetNamedPayload, f'/{name}/{controller}/set_payload', name='load',
                     payload=payload)

    def follow(self, name, controller, points, watch=(), chunk=0.1, after=0.0):
        """
        Run a trajectory, and so many seconds after it.

        watch: (type, topic, callback) to subscribe meanwhile; the last messages of each chunk of
        seconds arrive, since the simulation is faster than topics.
        """
        subscriptions = [self.node.create_subscription(kind, topic, callback, 10000)
                         for kind, topic, callback in watch]
        client = ActionClient(self.node, FollowJointTrajectory,
                              f'/{name}/{controller}/follow_joint_trajectory')
        self.until(client.server_is_ready, 'the action')
        goal = FollowJointTrajectory.Goal()
        goal.trajectory.joint_names = list(STARTS[self.ROBOTS[name][0]])
        goal.trajectory.points = points
        sent = client.send_goal_async(goal)
        self.until(sent.done, 'the goal')
        self.assertTrue(sent.result().accepted)
        result = sent.result().get_result_async()
        while not result.done():
            self.advance(name, chunk)
            self.drain()
        for _ in range(round(after / chunk)):
            self.advance(name, chunk)
            self.drain()
        self.assertEqual(result.result().result.error_code,
                         FollowJointTrajectory.Result.SUCCESSFUL,
                         result.result().result.error_string)
        client.destroy()
        for one in subscriptions:
            self.node.destroy_subscription(one)
