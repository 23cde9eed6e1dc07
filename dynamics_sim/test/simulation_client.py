# SPDX-License-Identifier: Apache-2.0
"""What the launch tests of simulation_node share: a robot, its process, a client."""
import os
import time
import unittest

import controller_manager_msgs.srv as cm
import launch_ros.actions
import rclpy
from control_msgs.msg import DynamicJointState
from dynamics_msgs.msg import ResultCode
from dynamics_msgs.srv import SetSimulationState, StepSimulation
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String

START = (0.3, -0.4)


def urdf(mass='2', unclaimed='free', rate='', blocks=1):
    """Two links in a vertical plane; `rate`: the attribute of the block; joint2 in the last one."""
    def link(name, kilograms):
        return (f"<link name='{name}'><inertial><origin xyz='0.25 0 0'/>"
                f"<mass value='{kilograms}'/><inertia ixx='0.002' ixy='0' ixz='0' iyy='0.04' "
                "iyz='0' izz='0.04'/></inertial></link>")

    def joint(name, parent, child, x):
        return (f"<joint name='{name}' type='revolute'><origin xyz='{x} 0 0'/>"
                f"<parent link='{parent}'/><child link='{child}'/><axis xyz='0 1 0'/>"
                "<limit lower='-9' upper='9' effort='20' velocity='9'/></joint>")

    def control(name, start):
        return (f"<joint name='{name}'><command_interface name='effort'/>"
                "<state_interface name='position'>"
                f"<param name='initial_value'>{start}</param></state_interface>"
                "<state_interface name='velocity'/></joint>")

    def begin(name):
        return (f"<ros2_control name='{name}' type='system' {rate}><hardware>"
                "<plugin>dynamics_sim/DynamicsSystem</plugin><param name='limits'>false</param>"
                f"<param name='unclaimed'>{unclaimed}</param></hardware>")

    return ("<robot name='two'><link name='base'/>" + link('upper', mass) + link('lower', '1') +
            joint('joint1', 'base', 'upper', 0) + joint('joint2', 'upper', 'lower', 0.5) +
            begin('arm') + control('joint1', START[0]) +
            ('</ros2_control>' + begin('hand') if blocks == 2 else '') +
            control('joint2', START[1]) + '</ros2_control></robot>')


def simulation(namespace, *arguments, **parameters):
    """Return the process of simulation_node in a namespace; None: no such parameter."""
    values = {
        'update_rate': 1000,
        'joint_state_broadcaster.type': 'joint_state_broadcaster/JointStateBroadcaster',
        'wait_for_controllers': ['joint_state_broadcaster'],
        'start_paused': True,
        **parameters
    }
    return launch_ros.actions.Node(
        executable=os.environ['SIMULATION_NODE'],
        namespace=namespace,
        arguments=list(arguments),
        output='screen',
        parameters=[{name: value for name, value in values.items() if value is not None}])


class SimulationTest(unittest.TestCase):
    """Publishes robot descriptions, listens to their states, calls services."""

    @classmethod
    def setUpClass(cls):
        """Start the node of the test."""
        rclpy.init()
        cls.node = rclpy.create_node('tester')
        cls.executor = SingleThreadedExecutor()
        cls.executor.add_node(cls.node)
        cls.publishers = []

    @classmethod
    def tearDownClass(cls):
        """End it."""
        cls.executor.shutdown()
        cls.node.destroy_node()
        rclpy.shutdown()

    @classmethod
    def describe(cls, name, text):
        """Publish the description of the robot in a namespace."""
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        cls.publishers.append(
            cls.node.create_publisher(String, f'/{name}/robot_description', latched))
        cls.publishers[-1].publish(String(data=text))

    @classmethod
    def listen(cls, name, seen):
        """Store the states of the robot in a namespace: {stamp (ns): {NAME/interface: value}}."""
        cls.node.create_subscription(DynamicJointState, f'/{name}/dynamic_joint_states',
                                     lambda message: cls.take(message, seen), 1000)

    @staticmethod
    def take(message, seen):
        """Store a state."""
        stamp = message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
        values = {}
        for name, value in zip(message.joint_names, message.interface_values):
            for interface, number in zip(value.interface_names, value.values):
                values[f'{name}/{interface}'] = number
        seen[stamp] = values

    def until(self, condition, what, seconds=60.0):
        """Spin until the condition holds."""
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, f'not in time: {what}')
            self.executor.spin_once(timeout_sec=0.05)

    def call(self, kind, service, /, **fields):
        """Return the answer of a service."""
        client = self.node.create_client(kind, service)
        self.until(client.service_is_ready, f'service {service}')
        future = client.call_async(kind.Request(**fields))
        self.until(future.done, f'answer of {service}')
        self.node.destroy_client(client)
        return future.result()

    def state(self, name):
        """Return the state and time of a simulation."""
        return self.call(SetSimulationState, f'/{name}/simulation/set_state',
                         state=SetSimulationState.Request.QUERY)

    def until_paused(self, name):
        """Wait until the awaited controllers are active."""
        paused = SetSimulationState.Request.PAUSED
        self.until(lambda: self.state(name).state == paused, 'paused')

    def activate(self, name):
        """Activate joint_state_broadcaster."""
        broadcaster = 'joint_state_broadcaster'
        prefix = f'/{name}/controller_manager/'
        self.assertTrue(
            self.call(cm.LoadController, prefix + 'load_controller', name=broadcaster).ok)
        self.assertTrue(
            self.call(cm.ConfigureController, prefix + 'configure_controller', name=broadcaster).ok)
        self.assertTrue(
            self.call(cm.SwitchController,
                      prefix + 'switch_controller',
                      activate_controllers=[broadcaster],
                      strictness=cm.SwitchController.Request.STRICT).ok)

    def step(self, name, steps):
        """Make steps; return the time afterwards, whose state has been received (ns)."""
        answer = self.call(StepSimulation, f'/{name}/simulation/step', steps=steps)
        self.assertEqual(answer.result.code, ResultCode.SUCCESS, answer.result.message)
        self.assertEqual(answer.steps, steps)
        stamp = answer.time.sec * 10**9 + answer.time.nanosec
        self.until(lambda: stamp in self.states[name], 'the state after the steps')
        return stamp
