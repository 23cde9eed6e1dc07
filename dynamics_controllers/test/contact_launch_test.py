# SPDX-License-Identifier: Apache-2.0
"""Cartesian impedance and external torques under controller managers with simulated hardware."""
import copy
import math
import pathlib
import sys
import time
import unittest

import launch
import launch_testing
import launch_testing.actions
import launch_testing.asserts
import numpy
from builtin_interfaces.msg import Duration
from dynamics_msgs.msg import ExternalTorques
from geometry_msgs.msg import PoseStamped
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectoryPoint

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from controlled_robots import (STARTS, ControlledRobots, matrix,  # noqa: E402
                               nanoseconds, simulation, urdf)

HAND = 'panda_link8'
STIFFNESS, DAMPING_RATIO = 800.0, 0.3
BANDWIDTH = 50.0  # of the observer (rad/s)
CONTROLLERS = {
    'impedance': 'dynamics_controllers/CartesianImpedanceController',
    'springs': 'dynamics_controllers/CartesianImpedanceController',
    'arm_controller': 'dynamics_controllers/ComputedTorqueController',
    'external': 'dynamics_controllers/ExternalTorqueBroadcaster',
}
PARAMETERS = [
    '/**/impedance:', '  ros__parameters:', f'    frame: {HAND}',
    f'    stiffness: [{STIFFNESS}, 50.0]', '    stiffness_axes: world',
    '    posture: {bandwidth: 4.0, max_velocity: 0.5}',
    # without rotational stiffness, to see single modes
    '/**/springs:', '  ros__parameters:', f'    frame: {HAND}', f'    stiffness: [{STIFFNESS}]',
    f'    damping_ratio: {DAMPING_RATIO}', '    max_linear_velocity: 1000.0',
    '/**/external:', '  ros__parameters:', f'    bandwidth: [{BANDWIDTH}]',
    f'    frame: {HAND}', '    collision_thresholds: [2.0]', '    publish_rate: 1000.0'
]


def generate_test_description():
    return launch.LaunchDescription(
        [simulation(name, CONTROLLERS, PARAMETERS) for name in ('exact', 'noisy')] +
        [launch_testing.actions.ReadyToTest()])


def position(state):
    p = state.pose.position
    return numpy.array([p.x, p.y, p.z])


def rotation(state):
    q = state.pose.orientation
    x, y, z, w = q.x, q.y, q.z, q.w
    return numpy.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


class TestContact(ControlledRobots):

    # noise of the encoders: positions (rad) and velocities (rad/s)
    ROBOTS = {'exact': ('panda', urdf('panda')),
              'noisy': ('panda', urdf('panda', encoder_noise='1e-5 1e-3'))}

    def begin(self, name, controller):
        self.prepare(name)
        self.switch(name, (controller,), ('gravity_compensation',))
        self.addCleanup(self.switch, name, ('gravity_compensation',), (controller,))
        return self.step(name, 1.0)  # the blend is over

    def exert(self, name, state, force, seconds):
        """Push the hand with a force in the axes of the base."""
        self.push(name, HAND, rotation(state).T @ force, seconds)

    def test_1_deflects_by_force_over_stiffness(self):
        start = self.begin('exact', 'impedance')
        force = numpy.array([6.0, -8.0, 10.0])
        self.exert('exact', start, force, 10)
        moved = position(self.step('exact', 8.0)) - position(start)
        error = numpy.linalg.norm(moved - force / STIFFNESS) / numpy.linalg.norm(force / STIFFNESS)
        print(f'deflection under a steady push: {error:.2%} off F/K')
        self.assertLess(error, 0.01)

    def test_2_every_mode_has_the_damping_ratio(self):
        name = 'exact'
        publisher = self.node.create_publisher(PoseStamped, f'/{name}/springs/pose', 1)
        for mode in range(3):
            start = self.begin(name, 'springs')
            self.until(lambda: publisher.get_subscription_count() > 0, 'the controller')
            J = matrix(start.jacobian)[:3]
            mobility = J @ numpy.linalg.solve(matrix(start.inertia), J.T)
            step = 0.002 * numpy.linalg.eigh(mobility)[1][:, mode]
            goal = PoseStamped(pose=copy.deepcopy(start.pose))
            p = position(start) + step
            goal.pose.position.x, goal.pose.position.y, goal.pose.position.z = map(float, p)
            publisher.publish(goal)
            overshoot, arrived = 0.0, False
            for _ in range(600):
                now = self.step(name, 0.002)
                share = (position(now) - position(start)) @ step / (step @ step)
                overshoot = max(overshoot, share - 1.0)
                arrived = arrived or share > 0.01
                if overshoot > 0.0 and share - 1.0 < overshoot - 0.05:
                    break
            self.assertTrue(arrived)
            self.assertGreater(overshoot, 0.0)
            # overshoot = exp(-pi z / sqrt(1 - z^2))
            log = math.log(overshoot)
            found = -log / math.hypot(math.pi, log)
            print(f'damping ratio of mode {mode + 1}: {found:.4f} instead of {DAMPING_RATIO}')
            self.assertAlmostEqual(found, DAMPING_RATIO, delta=0.05 * DAMPING_RATIO)
            self.doCleanups()
        self.node.destroy_publisher(publisher)

    def test_3_the_posture_moves_without_the_hand(self):
        name = 'exact'
        publisher = self.node.create_publisher(JointState, f'/{name}/impedance/posture', 1)
        start = self.begin(name, 'impedance')
        self.until(lambda: publisher.get_subscription_count() > 0, 'the controller')
        kernel = numpy.linalg.svd(matrix(start.jacobian))[2][6]
        q0 = numpy.array(start.positions)
        publisher.publish(JointState(name=start.joint_names,
                                     position=list(map(float, q0 + 0.4 * kernel))))
        hand = moved = 0.0
        for _ in range(100):
            state = self.step(name, 0.04)
            hand = max(hand, float(numpy.linalg.norm(position(state) - position(start))))
            moved = max(moved, float(numpy.abs(numpy.array(state.positions) - q0).max()))
        print(f'posture: joints move {moved:.2g} rad, the hand {hand:.2g} m')
        self.assertGreater(moved, 0.1)
        self.assertLess(hand, 1e-4)
        self.node.destroy_publisher(publisher)

    def listen(self, name):
        """Return the list that messages of the broadcaster are appended to."""
        self.prepare(name)
        messages = []
        subscription = self.node.create_subscription(
            ExternalTorques, f'/{name}/external/external_torques', messages.append, 10000)
        self.addCleanup(self.node.destroy_subscription, subscription)
        if (name, 'external') not in self.loaded:
            self.switch(name, ('external',))
        while not messages:
            self.advance(name, 0.01)
            self.drain()
        return messages

    def estimate(self, name, messages, seconds):
        """Advance; return the time of the last estimate and its force."""
        message = self.latest(name, seconds, lambda: messages[-1] if messages else None)
        f = message.wrench.force
        return nanoseconds(message.header.stamp), numpy.array([f.x, f.y, f.z])

    def test_4_finds_a_wrench_after_five_time_constants(self):
        messages = self.listen('exact')
        start = self.begin('exact', 'impedance')
        force = numpy.array([8.0, -12.0, 18.0])
        self.exert('exact', start, force, 10)
        _, found = self.estimate('exact', messages, 5.0 / BANDWIDTH + 0.002)
        # the force is constant in the axes of the hand, which turns a little
        force = rotation(self.states['exact']) @ rotation(start).T @ force
        error = numpy.linalg.norm(found - force) / numpy.linalg.norm(force)
        print(f'wrench after five time constants: {error:.2%} off')
        self.assertLess(error, 0.01)

    def test_5_mass_error_and_noise_are_bounded(self):
        """A mass of 0.9 kg, 5 % of the arm, that the broadcaster does not know; noisy encoders."""
        name = 'noisy'
        messages = self.listen(name)
        self.set_robots_payload(name, HAND, 0.9)
        self.set_believed_payload(name, 'gravity_compensation', HAND, 0.9)
        time.sleep(0.5)
        start = self.begin(name, 'impedance')
        self.set_believed_payload(name, 'impedance', HAND, 0.9)
        self.step(name, 3.0)
        force = numpy.array([8.0, -12.0, 18.0])
        self.exert(name, start, force, 10)
        self.estimate(name, messages, 3.0)
        found = []
        for _ in range(50):
            found.append(self.estimate(name, messages, 0.02)[1])
        # the weight of the mass appears as a force; the noise of one estimate is below 1 N
        expected = force - numpy.array([0.0, 0.0, 0.9 * 9.81])
        off = numpy.linalg.norm(numpy.array(found) - expected, axis=1)
        print(f'5 % of mass unknown, noise: force off by its weight and {off.max():.2g} N')
        self.assertLess(off.max(), 1.0)

    def test_6_flags_a_collision_at_once_and_none_in_free_motion(self):
        name = 'exact'
        messages = self.listen(name)
        self.begin(name, 'arm_controller')
        start = list(STARTS['panda'].values())
        points = [
            JointTrajectoryPoint(
                positions=[q + 0.3 * math.sin(0.5 * k + i) * min(1.0, k, 120 - k)
                           for i, q in enumerate(start)],
                time_from_start=Duration(nanosec=(k % 2) * 500_000_000, sec=k // 2))
            for k in range(1, 121)
        ]
        # a collision would be published at once
        self.set_parameter(f'/{name}/external', 'publish_rate', double_value=20.0)
        messages.clear()
        self.follow(name, 'arm_controller', points, chunk=0.5)
        self.assertGreater(len(messages), 100)
        self.assertFalse(any(message.collision for message in messages))
        fastest = max(max(map(abs, message.torques)) for message in messages)
        print(f'free motion of 60 s: {len(messages)} estimates, at most {fastest:.2g} N m')
        self.set_parameter(f'/{name}/external', 'publish_rate', double_value=1000.0)
        state = self.step(name, 0.1)
        messages.clear()
        pushed = self.advance(name, 0.001)
        self.exert(name, state, numpy.array([0.0, 0.0, 30.0]), 1)
        for _ in range(40):
            self.estimate(name, messages, 0.001)  # one by one: the topic is slower than the steps
            collisions = [nanoseconds(m.header.stamp) for m in messages if m.collision]
            if collisions:
                break
        self.assertTrue(collisions)
        print(f'collision flagged {(collisions[0] - pushed) * 1e-6:.0f} ms after the push')
        self.assertLessEqual(collisions[0] - pushed, 20_000_000)


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):

    def test_processes_end_without_error(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
