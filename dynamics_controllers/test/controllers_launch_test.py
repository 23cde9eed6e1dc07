# SPDX-License-Identifier: Apache-2.0
"""The controllers in a controller manager with simulated hardware: two robots, two namespaces."""
import csv
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import launch
import launch_testing
import launch_testing.actions
import launch_testing.asserts
from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from builtin_interfaces.msg import Duration
from control_msgs.msg import JointTrajectoryControllerState
from dynamics_msgs.msg import Payload, ResultCode
from dynamics_msgs.srv import SetPayload
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectoryPoint

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from controlled_robots import (STARTS, ControlledRobots, matrix,  # noqa: E402
                               nanoseconds, simulation, urdf)

ROBOTS = {'first': 'puma', 'second': 'panda'}
CONTROLLERS = {
    'bare_compensation': 'dynamics_controllers/GravityCompensationController',
    'arm_controller': 'dynamics_controllers/ComputedTorqueController',
    'pid_controller': 'joint_trajectory_controller/JointTrajectoryController',
    'forward_controller': 'forward_command_controller/ForwardCommandController',
}
BANDWIDTH = 20.0
CYCLOID = 1.0  # duration (s)


def parameters(robot):
    joints = list(STARTS[robot])
    return [
        '/**/bare_compensation:', '  ros__parameters:',
        '    start_from_measured_effort: false', '/**/arm_controller:', '  ros__parameters:',
        f'    joints: {joints}',
        '    state_publish_rate: 1000.0', '    action_monitor_rate: 200.0', '    gains:',
        f'      bandwidth: [{BANDWIDTH}]', '/**/forward_controller:', '  ros__parameters:',
        f'    joints: {["arm_controller/" + joint for joint in joints]}',
        '    interface_name: position'
    ]


def generate_test_description():
    return launch.LaunchDescription(
        [simulation(name, CONTROLLERS, parameters(robot)) for name, robot in ROBOTS.items()] +
        [launch_testing.actions.ReadyToTest()])


def installed(package):
    try:
        get_package_prefix(package)
        return True
    except PackageNotFoundError:
        return False


class Planner:
    """The node of dynamics_ros in the namespace of a robot."""

    def __init__(self, test, name):
        self.test, self.name = test, name
        program = os.path.join(get_package_prefix('dynamics_ros'), 'lib/dynamics_ros/dynamics_node')
        self.process = subprocess.Popen([program, '--ros-args', '-r', f'__ns:=/{name}'])
        test.addCleanup(self.process.kill)

    def set_payload(self, link, mass):
        payload = Payload(frame_id=link)
        payload.inertia.m = mass
        service = f'/{self.name}/dynamics/set_payload'
        # until it has the description
        self.test.until(lambda: self.test.call(SetPayload, service, payload=payload).result.code
                        == ResultCode.SUCCESS, "the planner's payload")
        time.sleep(0.5)
        self.test.step(self.name, 0.005)  # the robot has it then

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(30)


class TestControllers(ControlledRobots):

    ROBOTS = {name: (robot, urdf(robot)) for name, robot in ROBOTS.items()}

    def test_1_gravity_compensation_does_not_drift(self):
        for name in ROBOTS:
            self.prepare(name)
            drift = self.drift(name, 10.0)
            print(f'gravity compensation, {ROBOTS[name]}: {drift:.2g} rad after 10 s')
            self.assertLess(drift, 1e-6, name)

    def test_2_moves_when_pushed_and_stops_by_its_damping(self):
        for name, link in (('first', 'tool0'), ('second', 'panda_link8')):
            self.prepare(name)
            node = f'/{name}/gravity_compensation'
            self.assertTrue(
                self.set_parameter(node, 'damping', double_array_value=[5.0]).successful)
            refused = self.set_parameter(node, 'damping', double_array_value=[5.0, 1.0])
            self.assertFalse(refused.successful)
            self.assertIn("'damping'", refused.reason)
            self.step(name, 1.0)
            self.push(name, link, (0.0, 15.0, 10.0), 0.3)
            moving = max(map(abs, self.step(name, 0.3).velocities))
            # the slowest joint stops with the time constant M / damping
            resting = max(map(abs, self.step(name, 30.0).velocities))
            moved = self.drift(name, 0.001)
            print(f'pushed, {ROBOTS[name]}: {moving:.3g} rad/s, after 30 s {resting:.1g} rad/s '
                  f'and {moved:.2g} rad away')
            self.assertGreater(moving, 0.02)
            self.assertLess(resting, 1e-4)
            self.assertGreater(moved, 0.01)
            self.set_parameter(node, 'damping', double_array_value=[0.0])

    def test_3_a_wrong_payload_falls_as_computed(self):
        """The payload of the robot and the belief of the controller are two things."""
        import numpy
        name, link, law = 'second', 'panda_link8', 'bare_compensation'
        self.prepare(name)
        self.switch(name, (law,), ('gravity_compensation',))
        before = self.step(name, 0.001)
        self.set_robots_payload(name, link, 1.0)
        time.sleep(0.5)
        self.step(name, 0.005)
        reset = self.prepare(name)
        state = self.step(name, 0.05)
        # (M + m J^T J) qdd = m J^T g
        J = matrix(before.jacobian)[:3]
        qdd = numpy.linalg.solve(matrix(before.inertia) + J.T @ J,
                                 J.T @ numpy.array([0.0, 0.0, -9.81]))
        seconds = (nanoseconds(state.header.stamp) - reset) * 1e-9
        fallen = numpy.array(state.positions) - list(STARTS['panda'].values())
        expected = 0.5 * qdd * seconds**2
        difference = numpy.linalg.norm(fallen - expected) / numpy.linalg.norm(expected)
        print(f'1 kg that the controller does not know: {difference:.1%} off the computed fall of '
              f'{numpy.linalg.norm(expected):.3g} rad')
        self.assertLess(difference, 0.1)  # the state is that of one period before or after
        self.set_believed_payload(name, law, link, 1.0)
        self.prepare(name)
        self.assertLess(self.drift(name, 5.0), 1e-6)
        self.set_robots_payload(name, '', 0.0)
        self.set_believed_payload(name, law, '', 0.0)
        self.switch(name, ('gravity_compensation',), (law,))

    @unittest.skipUnless(installed('dynamics_ros'), 'dynamics_ros is not installed')
    def test_4_a_planners_node_that_restarts_changes_no_payload(self):
        """The node sets the payload of the simulated robot, the controller has its own belief."""
        name, link = 'second', 'panda_link8'
        self.prepare(name)
        self.set_believed_payload(name, 'gravity_compensation', link, 1.0)
        planner = Planner(self, name)
        planner.set_payload(link, 1.0)
        self.prepare(name)
        self.assertLess(self.drift(name, 2.0), 1e-6, 'belief and robot agree')
        planner.end()
        planner = Planner(self, name)
        self.assertLess(self.drift(name, 2.0), 1e-6, 'the node has no payload now')
        self.prepare(name)
        self.assertLess(self.drift(name, 2.0), 1e-6, 'the robot has it after a reset too')
        planner.set_payload(link, 0.5)
        self.prepare(name)
        self.assertGreater(self.drift(name, 2.0), 1e-2, 'the belief is still 1 kg')
        planner.set_payload('', 0.0)
        planner.end()
        self.set_believed_payload(name, 'gravity_compensation', '', 0.0)
        self.prepare(name)
        self.assertLess(self.drift(name, 1.0), 1e-6)

    def track(self, name, controller, points):
        """Run a trajectory; return the rows of ~/controller_state."""
        rows = []

        def take(message):
            rows.append((nanoseconds(message.header.stamp), list(message.reference.positions),
                         list(message.error.positions)))

        topic = f'/{name}/{controller}/controller_state'
        self.follow(name, controller, points, [(JointTrajectoryControllerState, topic, take)],
                    chunk=0.01, after=0.3)
        self.assertGreater(len(rows), 50)
        return rows

    def test_5_computed_torque_follows_a_trajectory(self):
        name = 'first'
        self.prepare(name)
        self.switch(name, ('arm_controller',), ('gravity_compensation',))
        start = list(STARTS['puma'].values())
        zero = [0.0] * len(start)
        points = [
            JointTrajectoryPoint(positions=[q + way for q in start], velocities=zero,
                                 accelerations=zero, time_from_start=Duration(sec=seconds))
            for way, seconds in ((0.3, 1), (-0.2, 3))
        ]
        rows = self.track(name, 'arm_controller', points)
        self.assertLess(max(abs(e) for _, _, error in rows for e in error), 1e-3)
        state = self.step(name, 0.001)
        for joint, q in zip(state.joint_names, state.positions):
            self.assertAlmostEqual(q, STARTS['puma'][joint] - 0.2, delta=1e-3)
        self.switch(name, ('gravity_compensation',), ('arm_controller',))

    @unittest.skipUnless(installed('joint_trajectory_controller'),
                         'joint_trajectory_controller is not installed')
    def test_6_tracks_ten_times_better_than_pid(self):
        name = 'first'
        self.prepare(name)
        state = self.step(name, 0.001)
        self.assertEqual(state.joint_names, list(STARTS['puma']))
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
            answer = self.set_parameter(f'/{name}/controller_manager',
                                        'pid_controller.params_file',
                                        string_array_value=[file.name])
            self.assertTrue(answer.successful, answer.reason)
            self.load(name, 'pid_controller')
        runs = {}
        for controller in ('pid_controller', 'arm_controller'):
            self.prepare(name)
            self.switch(name, (controller,), ('gravity_compensation',))
            self.step(name, 4.0)  # the integral carries the weight, the blend is over
            runs[controller] = self.track(name, controller, self.cycloid())
            self.switch(name, ('gravity_compensation',), (controller,))
        self.write_csv(runs, state.joint_names)
        errors = {name: max(abs(e) for _, _, error in rows for e in error)
                  for name, rows in runs.items()}
        print('tracking errors on a cycloid (rad):', errors)
        self.assertLess(10.0 * errors['arm_controller'], errors['pid_controller'])

    def cycloid(self):
        """Return the points of a cycloid of 0.4 rad in every joint."""
        start, way, points = list(STARTS['puma'].values()), 0.4, []
        for k in range(1, 101):
            s, w = k / 100.0, 2.0 * math.pi
            point = JointTrajectoryPoint(time_from_start=Duration(
                sec=int(s * CYCLOID), nanosec=round(s * CYCLOID % 1 * 1e9)))
            point.positions = [q + way * (s - math.sin(w * s) / w) for q in start]
            rate = 0.0 if k == 100 else way / CYCLOID * (1.0 - math.cos(w * s))
            point.velocities = [rate] * len(start)
            point.accelerations = [way / CYCLOID**2 * w * math.sin(w * s)] * len(start)
            points.append(point)
        return points

    def write_csv(self, runs, joints):
        """For the plot: scripts/plot_tracking."""
        path = os.environ.get('DYNAMICS_TRACKING_CSV')
        if not path:
            return
        with open(path, 'w', encoding='utf-8', newline='') as file:
            writer = csv.writer(file)
            writer.writerow(['controller', 't', *(f'reference_{joint}' for joint in joints),
                             *(f'error_{joint}' for joint in joints)])
            for controller, rows in runs.items():
                for stamp, reference, error in rows:
                    writer.writerow([controller, (stamp - rows[0][0]) * 1e-9, *reference, *error])

    @unittest.skipUnless(installed('forward_command_controller'),
                         'forward_command_controller is not installed')
    def test_7_follows_another_controller(self):
        name = 'second'
        self.prepare(name)
        self.load(name, 'arm_controller', 'forward_controller')
        self.switch(name, ('arm_controller', 'forward_controller'), ('gravity_compensation',))
        start = list(STARTS['panda'].values())
        publisher = self.node.create_publisher(Float64MultiArray,
                                               f'/{name}/forward_controller/commands', 1)
        self.until(lambda: publisher.get_subscription_count() > 0, 'the forward controller')
        self.step(name, 0.5)
        self.assertLess(self.drift(name, 0.5), 1e-4)
        publisher.publish(Float64MultiArray(data=[q + 0.05 for q in start]))
        time.sleep(0.5)
        self.step(name, 3.0)
        state = self.step(name, 0.001)
        for q, wanted in zip(state.positions, start):
            self.assertAlmostEqual(q, wanted + 0.05, delta=1e-4)
        self.node.destroy_publisher(publisher)
        self.switch(name, ('gravity_compensation',), ('forward_controller', 'arm_controller'))

    def test_8_is_loaded_and_unloaded_a_hundred_times(self):
        name = 'second'
        self.prepare(name)
        for controller in ('forward_controller', 'arm_controller'):
            if (name, controller) in self.loaded:
                self.unload(name, controller)
        for k in range(100):
            self.load(name, 'arm_controller')
            if k % 20 == 0:
                self.switch(name, ('arm_controller',), ('gravity_compensation',))
                self.switch(name, ('gravity_compensation',), ('arm_controller',))
            self.unload(name, 'arm_controller')


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):

    def test_processes_end_without_error(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
