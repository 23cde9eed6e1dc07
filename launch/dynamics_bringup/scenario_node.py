# SPDX-License-Identifier: Apache-2.0
"""
Starts a scenario: what has to be in place before the simulated time begins to run.

It hands the payload to the dynamics node, asks it for the efforts of the papers' motion, gives the
trajectory with them to the controller, waits for the recorder, and lets the simulation begin. So
the first instant of a run is the same every time. Ends when the trajectory has ended.
"""

import math
import signal
import sys
import time

import rclpy
from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTrajectoryControllerState
from dynamics_msgs.msg import ResultCode
from dynamics_msgs.srv import InverseDynamics, SetPayload, SetSimulationState
from rclpy.action import ActionClient
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from dynamics_bringup.motions import cycloid, mohan_saha


class ScenarioError(RuntimeError):
    """The scenario cannot be; says why."""


def sampled(joints, motion, duration, step):
    """Return the motion as a trajectory, a point every `step` and at its end (s)."""
    trajectory = JointTrajectory(joint_names=list(joints))
    count = max(1, math.ceil(duration / step - 1e-9))
    for index in range(count + 1):
        moment = min(index * step, duration)
        positions, velocities, accelerations = motion(moment)
        nanoseconds = round(moment * 1e9)
        trajectory.points.append(JointTrajectoryPoint(
            positions=positions, velocities=velocities, accelerations=accelerations,
            time_from_start=Duration(sec=nanoseconds // 10**9, nanosec=nanoseconds % 10**9)))
    return trajectory


class ScenarioNode(Node):
    """Every step waits for those it needs, at most `patience` seconds of wall time."""

    def __init__(self):
        super().__init__("scenario")

        def declared(name, default):
            return self.declare_parameter(name, default).value

        self.joints = list(declared("joints", [""]))
        self.start = list(declared("start", [0.0]))
        self.goal = list(declared("goal", [0.0]))
        self.motion = declared("motion", "none")  # none, cycloid or mohan-saha
        self.duration = declared("duration", 10.0)
        self.rates = list(declared("rates", [0.0]))
        self.periods = list(declared("periods", [0.0]))
        self.sample = declared("sample", 0.01)
        self.approach = declared("approach", 0.0)
        self.controller = declared("controller", "effort_trajectory_controller")
        self.payload_mass = declared("payload_mass", 0.0)
        self.payload_centre = list(declared("payload_centre", [0.0, 0.0, 0.0]))
        self.payload_frame = declared("payload_frame", "")
        self.recorder = declared("recorder", "")  # the name of the recorder's node
        self.resume = declared("resume", False)
        self.patience = declared("patience", 120.0)
        self.name = {"cycloid": "cycloid", "mohan-saha": "motion of Mohan and Saha"}.get(
            self.motion, self.motion)
        self.largest = None  # tracking error and joint
        self.following = False

    # ---- waiting

    def wait_until(self, condition, what, pause=0.05):
        end = time.monotonic() + self.patience
        while not condition():
            if time.monotonic() > end:
                raise ScenarioError(f"waited {self.patience:g} s in vain: {what}")
            rclpy.spin_once(self, timeout_sec=pause)

    def wait_for(self, future, what):
        self.wait_until(future.done, what)
        return future.result()

    def call(self, kind, name, request):
        client = self.create_client(kind, name)
        self.wait_until(client.service_is_ready, f"there is no service {name}")
        answer = self.wait_for(client.call_async(request), f"{name} does not answer")
        self.destroy_client(client)
        return answer

    def ask(self, kind, name, request):
        """Call a service of the dynamics node, which may not have the model yet."""
        end = time.monotonic() + self.patience
        while True:
            answer = self.call(kind, name, request)
            if answer.result.code != ResultCode.NO_MODEL or time.monotonic() > end:
                break
            rclpy.spin_once(self, timeout_sec=0.1)
        if answer.result.code != ResultCode.SUCCESS:
            raise ScenarioError(f"{name}: {answer.result.message}")
        return answer

    # ---- the steps

    def run(self):
        if self.payload_mass > 0.0:
            self.set_payload()
        goal = None
        if self.motion != "none":
            goal = self.send(self.feed_forward())
        if self.recorder:
            self.wait_until(self.recorder_listens, f"{self.recorder} does not record joint_states")
        if self.resume:
            request = SetSimulationState.Request(state=SetSimulationState.Request.RUNNING)
            answer = self.call(SetSimulationState, "simulation/set_state", request)
            if answer.result.code != ResultCode.SUCCESS:
                raise ScenarioError(f"the simulation does not run: {answer.result.message}")
        if goal is not None:
            self.follow(goal)

    def set_payload(self):
        request = SetPayload.Request()
        request.payload.frame = self.payload_frame
        inertia = request.payload.inertia
        inertia.m = self.payload_mass
        inertia.com.x, inertia.com.y, inertia.com.z = self.payload_centre
        answer = self.ask(SetPayload, "dynamics/set_payload", request)
        self.get_logger().info(
            f"carries {self.payload_mass:g} kg on {self.payload_frame}, {answer.total_mass:g} kg "
            "in all")
        # the hardware hears it from the dynamics node, and does not say when it has
        self.wait_until(lambda: self.count_subscribers("dynamics/payload") > 0,
                        "nobody listens to dynamics/payload")
        end = time.monotonic() + 0.5
        self.wait_until(lambda: time.monotonic() > end, "")

    def feed_forward(self):
        """Return the motion as a trajectory with the efforts that it takes."""
        if self.motion == "cycloid":
            motion = cycloid(self.start, self.goal, self.duration)
        else:
            motion = mohan_saha(self.start, self.rates, self.periods)
        trajectory = sampled(self.joints, motion, self.duration, self.sample)
        answer = self.ask(InverseDynamics, "dynamics/inverse_dynamics",
                          InverseDynamics.Request(trajectory=trajectory))
        verdict = answer.verdict
        if not verdict.within_limits:
            self.get_logger().warning(
                f"the motion takes more than {verdict.first_violating_joint} can exert, from "
                f"{verdict.first_violating_point * self.sample:g} s on")
        # the time to get there counts for the controller, not for the dynamics
        shift = round(self.approach * 1e9)
        for point in answer.trajectory.points:
            total = point.time_from_start.sec * 10**9 + point.time_from_start.nanosec + shift
            point.time_from_start = Duration(sec=total // 10**9, nanosec=total % 10**9)
        return answer.trajectory

    def send(self, trajectory):
        """Return the goal's handle, once the controller has taken it."""
        self.create_subscription(
            JointTrajectoryControllerState, f"{self.controller}/controller_state", self.hear, 10)
        client = ActionClient(
            self, FollowJointTrajectory, f"{self.controller}/follow_joint_trajectory")
        self.wait_until(client.server_is_ready, f"there is no {self.controller}")
        goal = FollowJointTrajectory.Goal(trajectory=trajectory)
        end = time.monotonic() + self.patience
        while True:
            handle = self.wait_for(
                client.send_goal_async(goal), f"{self.controller} does not answer")
            if handle.accepted:
                self.get_logger().info(
                    f"{self.controller} has the {self.name}: {len(trajectory.points)} points, "
                    f"{self.duration:g} s, with their efforts")
                return handle
            # it takes goals only while it is active
            if time.monotonic() > end:
                raise ScenarioError(f"{self.controller} does not accept the trajectory")
            rclpy.spin_once(self, timeout_sec=0.2)

    def recorder_listens(self):
        return any(info.node_name == self.recorder
                   for info in self.get_subscriptions_info_by_topic("joint_states"))

    def hear(self, state):
        if not self.following:
            return
        for joint, error in zip(state.joint_names, state.error.positions):
            if self.largest is None or abs(error) > self.largest[0]:
                self.largest = (abs(error), joint)

    def follow(self, handle):
        self.following = True
        future = handle.get_result_async()
        while not future.done():  # as long as the simulation takes, or stands
            rclpy.spin_once(self, timeout_sec=0.5)
        answer = future.result()
        if answer.status != GoalStatus.STATUS_SUCCEEDED:  # it was deactivated, or given another
            self.get_logger().warning(
                f"{self.controller} did not end the {self.name}: "
                f"{answer.result.error_string or 'canceled'}")
            return
        heard = "" if self.largest is None else (
            f", at most {self.largest[0]:.2g} rad or m off ({self.largest[1]})")
        self.get_logger().info(f"the {self.name} is done{heard}")


def main():
    """Run the scenario; exit 1 with a message where it cannot be."""
    rclpy.init()
    node = ScenarioNode()
    try:
        node.run()
    except ScenarioError as error:
        node.get_logger().fatal(str(error))
        return 1
    except (KeyboardInterrupt, rclpy.executors.ExternalShutdownException):
        pass
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # ros2 launch may repeat the terminal's
        node.destroy_node()
        rclpy.try_shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
