# SPDX-License-Identifier: Apache-2.0
"""
Takes screenshots of RViz with the simulated robots at given times, on a virtual display.

    ros2 run dynamics_bringup rviz_pictures docs/images

writes those of the documentation; other ones with

    ros2 run dynamics_bringup rviz_pictures FOLDER NAME@SECONDS[,SECONDS...] LAUNCH_FILE [ARGUMENTS]
"""

import os
import pathlib
import signal
import subprocess
import sys
import time

import rclpy
from action_msgs.msg import GoalStatusArray
from dynamics_msgs.srv import SetPayload, SetSimulationState, StepSimulation
from rclpy.qos import DurabilityPolicy, QoSProfile

from dynamics_bringup.screen import Screen

GOALS = "/effort_trajectory_controller/follow_joint_trajectory/_action/status"
RATE = 500  # control periods per second, the default of the launch files
DOCUMENTED = [
    ("rviz_puma@0.25,0.7", "puma.launch.py"),
    # faster than in the paper, to make the bending visible
    ("rviz_canadarm@1.6", "canadarm.launch.py", "goal:=0.8 0.3 0.3", "period:=5"),
    ("rviz_two_arms@0.5", "two_arms.launch.py", "drag:=true"),
]
# robots in namespaces, and what their flanges carry (kg)
PAYLOADS = {"two_arms.launch.py": {"left": 5.0, "right": 4.5}}


class Screenshots:
    """A launch with RViz, stepped to the times of the screenshots."""

    def __init__(self, words, width=1280, height=800):
        """Start the launch, paused at time zero."""
        self.payloads = PAYLOADS.get(words[0], {})
        self.screen = Screen(width, height)
        self.launch = subprocess.Popen(
            ["ros2", "launch", "dynamics_bringup", *words, "gui:=true", "paused:=true",
             f"rate:={RATE}"],
            env={**os.environ, "DISPLAY": self.screen.display, "LIBGL_ALWAYS_SOFTWARE": "1"},
            start_new_session=True)
        rclpy.init()
        self.node = rclpy.create_node("screenshots")
        self.client = self.node.create_client(StepSimulation, "/simulation/step")
        self.steps = 0

    def close(self):
        """End the launch and the display."""
        self.node.destroy_node()
        rclpy.shutdown()
        self.launch.send_signal(signal.SIGINT)
        try:
            self.launch.wait(30.0)
        except subprocess.TimeoutExpired:
            os.killpg(self.launch.pid, signal.SIGKILL)  # a separate session
        self.screen.close()

    def wait_until(self, condition, what, seconds=180.0):
        """Wait for a condition; raises RuntimeError after a timeout or if the launch has ended."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end or self.launch.poll() is not None:
                raise RuntimeError(what)
            rclpy.spin_once(self.node, timeout_sec=0.1)

    def wait_for_rviz(self):
        """Wait until RViz shows robot and markers."""

        def shows(topic):
            return any(info.node_name.startswith("rviz")
                       for info in self.node.get_subscriptions_info_by_topic(topic))

        for robot in [f"/{name}" for name in self.payloads] or [""]:
            for topic in (f"{robot}/robot_description", f"{robot}/dynamics_markers/markers"):
                self.wait_until(lambda topic=topic: shows(topic), f"RViz does not show {topic}")

    def wait_for_start(self):
        """Wait until controllers are active and have received the trajectory, if there is one."""
        client = self.node.create_client(SetSimulationState, "/simulation/set_state")
        self.wait_until(client.service_is_ready, "no simulation found")
        state = SetSimulationState.Request.WAITING
        while state == SetSimulationState.Request.WAITING:
            future = client.call_async(
                SetSimulationState.Request(state=SetSimulationState.Request.QUERY))
            self.wait_until(future.done, "no response from the simulation")
            state = future.result().state
        goals = []
        self.node.create_subscription(
            GoalStatusArray, GOALS, lambda message: goals.extend(message.status_list),
            QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL))
        if self.node.count_publishers(GOALS) > 0:
            self.wait_until(lambda: goals, "the controller received no trajectory")

    def load(self):
        """Put the payloads on the flanges, for their force-torque sensors."""
        for name, mass in self.payloads.items():
            client = self.node.create_client(SetPayload, f"/{name}/dynamics/set_payload")
            self.wait_until(client.service_is_ready, f"no node in {name}")
            request = SetPayload.Request()
            request.payload.frame_id = f"{name}_tool0"
            request.payload.inertia.m = mass
            future = client.call_async(request)
            self.wait_until(future.done, f"no response from the node in {name}")
            if future.result().result.code != 0:
                raise RuntimeError(future.result().result.message)

    def go_to(self, moment):
        """Advance to a time in small steps, so that the trail of the markers is complete."""
        while self.steps < round(moment * RATE):
            count = min(RATE // 50, round(moment * RATE) - self.steps)
            future = self.client.call_async(StepSimulation.Request(steps=count))
            self.wait_until(future.done, "the simulation did not step")
            if future.result().result.code != 0:
                raise RuntimeError(future.result().result.message)
            self.steps += count
            pause = time.monotonic() + 0.03
            self.wait_until(lambda: time.monotonic() > pause, "")  # noqa: B023

    def save(self, file, settle=4.0):
        """Save a screenshot when RViz has updated."""
        end = time.monotonic() + settle
        self.wait_until(lambda: time.monotonic() > end, "the launch has ended")
        self.screen.save(file)


def take(folder, name, words):
    """Write the screenshots NAME@SECONDS,... of one launch."""
    stem, _, moments = name.partition("@")
    moments = sorted(float(moment) for moment in moments.split(","))
    screenshots = Screenshots(words)
    try:
        screenshots.wait_for_rviz()
        screenshots.wait_for_start()
        screenshots.load()
        for index, moment in enumerate(moments, 1):
            screenshots.go_to(moment)
            number = f"_{index}" if len(moments) > 1 else ""
            file = pathlib.Path(folder, f"{stem}{number}.png")
            screenshots.save(file)
            print(f"wrote {file} ({moment:g} s)", flush=True)
    finally:
        screenshots.close()


def main():
    """Take the screenshots given by the arguments."""
    words = sys.argv[1:]
    if not words or words[0] in ("-h", "--help") or len(words) == 2:
        print(__doc__.strip())
        return 0 if words and words[0] in ("-h", "--help") else 2
    for name, *launch in [words[1:]] if len(words) > 1 else DOCUMENTED:
        take(words[0], name, launch)
    return 0
