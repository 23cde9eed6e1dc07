# SPDX-License-Identifier: Apache-2.0
"""Common code of the launch tests."""

import csv
import math
import os
import pathlib
import signal
import subprocess
import time
import unittest

import rclpy
from ament_index_python.packages import get_package_share_directory
from controller_manager_msgs.srv import ListControllers, SwitchController
from dynamics_msgs.srv import ResetSimulation, SetSimulationState, StepSimulation
from launch import LaunchDescription
from launch.actions import ExecuteProcess, IncludeLaunchDescription
from launch.events.process import ProcessExited
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_testing.actions import ReadyToTest
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState

DEFAULTS = {"gui": "false", "rate": "100"}


def included(robot, **arguments):
    """Return the launch file of a robot as an action, without RViz."""
    file = pathlib.Path(
        get_package_share_directory("dynamics_bringup"), "launch", f"{robot}.launch.py")
    return IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(file)),
        launch_arguments={**DEFAULTS, **arguments}.items())


def launched(robot, **arguments):
    """Return the test description for the launch file of a robot, without RViz."""
    return LaunchDescription([included(robot, **arguments), ReadyToTest()])


def nothing():
    """Return the test description of a test that starts its own processes."""
    return LaunchDescription([
        ExecuteProcess(cmd=["sleep", "1000"]),  # a launch without processes would end
        ReadyToTest(),
    ])


def largest_size(values):
    """Return the largest absolute value; NaN if any value is NaN (max() may drop it)."""
    sizes = [abs(value) for value in values]
    return math.nan if any(map(math.isnan, sizes)) else max(sizes, default=0.0)


def seconds_of(stamp):
    """Return a stamp in seconds."""
    return stamp.sec + 1e-9 * stamp.nanosec


class Listener:
    """Subscribes to joint_states, in a separate context."""

    def __init__(self, namespace=""):
        """Start the subscription."""
        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        self.node = rclpy.create_node("observer", namespace=namespace, context=self.context)
        self.executor = rclpy.executors.SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.last = None
        self.heard = {}  # by stamp in ns: (positions, velocities, efforts) by joint
        self.node.create_subscription(
            JointState, "joint_states", self.hear, QoSProfile(depth=5000))

    def hear(self, message):
        """Store the first state with each stamp."""
        self.last = message
        stamp = message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
        self.heard[stamp] = {
            name: numbers for name, *numbers in zip(
                message.name, message.position, message.velocity, message.effort)}

    def forget(self):
        """Remove the stored states."""
        self.last, self.heard = None, {}

    def close(self):
        """End the subscription."""
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)

    def wait_until(self, condition, what, seconds=120.0):
        """Spin until a condition is true; raises AssertionError after a timeout."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"{what}; last heard: {self.last}")
            self.executor.spin_once(timeout_sec=0.1)

    def time(self):
        """Return the time of the last state, -1 without one (s)."""
        return -1.0 if self.last is None else seconds_of(self.last.header.stamp)

    def call(self, kind, name, request, seconds=90.0):
        """Return the response of a service."""
        client = self.node.create_client(kind, name)
        try:
            self.wait_until(client.service_is_ready, f"no service {name}", seconds)
            future = client.call_async(request)
            self.wait_until(future.done, f"{name} does not answer", seconds)
            return future.result()
        finally:
            self.node.destroy_client(client)

    def wait_for_spawners(self, proc_info):
        """Wait until the spawners have ended: a launch that ends before interrupts them."""
        spawners = [one for one in proc_info.processes()
                    if one.process_details["name"].startswith("spawner")]
        self.wait_until(lambda: all(isinstance(proc_info[one], ProcessExited) for one in spawners),
                        "the spawners do not end")

    def active(self):
        """Return the names of the active controllers."""
        answer = self.call(ListControllers, "controller_manager/list_controllers",
                           ListControllers.Request())
        return {one.name for one in answer.controller if one.state == "active"}


class RobotTest(unittest.TestCase):
    """A test that subscribes to the joint states."""

    @classmethod
    def setUpClass(cls):
        """Start the subscription."""
        cls.robot = Listener()

    @classmethod
    def tearDownClass(cls):
        """End the subscription."""
        cls.robot.close()

    def succeeded(self, answer):
        """Fail unless the service succeeds; return its response."""
        self.assertEqual(answer.result.code, 0, answer.result.message)
        return answer

    def set_state(self, state):
        """Pause or resume the simulation."""
        return self.succeeded(self.robot.call(
            SetSimulationState, "/simulation/set_state", SetSimulationState.Request(state=state)))

    def step(self, steps):
        """Advance the paused simulation."""
        return self.succeeded(self.robot.call(
            StepSimulation, "/simulation/step", StepSimulation.Request(steps=steps)))

    def reset(self, **request):
        """Reset the simulation."""
        return self.succeeded(self.robot.call(
            ResetSimulation, "/simulation/reset", ResetSimulation.Request(**request)))

    def deactivate(self, controller):
        """Deactivate a controller."""
        answer = self.robot.call(
            SwitchController, "/controller_manager/switch_controller",
            SwitchController.Request(deactivate_controllers=[controller],
                                     strictness=SwitchController.Request.STRICT))
        self.assertTrue(answer.ok)


class Launch:
    """A `ros2 launch` process with its output and exit code, ended as by Ctrl-C."""

    def __init__(self, *words):
        """Start the process."""
        self.process = subprocess.Popen(
            ["env", "--default-signal=INT", "ros2", "launch", "dynamics_bringup", *words],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)

    def wait(self, seconds=120.0):
        """Wait until it ends; return exit code and output."""
        try:
            output, _ = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            output = self.end()[1]
            raise AssertionError(f"it does not end by itself: {output[-5000:]}") from None
        return self.process.returncode, output

    def end(self):
        """Interrupt it; return exit code and output."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            output, _ = self.process.communicate(timeout=60.0)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)  # a separate session
            output, _ = self.process.communicate()
        return self.process.returncode, output


def core_run(robot, duration, *options):
    """Return positions and velocities simulated by dynamics_core: {ms: {joint: [q, qd]}}."""
    file = pathlib.Path(os.environ.get("TMPDIR", "/tmp"), f"core_run_{os.getpid()}.csv")
    try:
        subprocess.run(["dynamics", "simulate", robot, "--duration", str(duration), "--output",
                        str(file), *options], check=True, capture_output=True)
        with open(file, encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream))
    finally:
        file.unlink(missing_ok=True)
    joints = [name[2:] for name in rows[0] if name.startswith("q_")]
    return {round(1000 * float(row["t"])):
            {joint: [float(row[f"q_{joint}"]), float(row[f"qd_{joint}"])] for joint in joints}
            for row in rows}
