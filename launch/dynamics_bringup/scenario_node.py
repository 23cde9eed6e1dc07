# SPDX-License-Identifier: Apache-2.0
"""
Prepares a scenario before the simulated time starts.

Sets the payload in the dynamics node, gets the efforts of the papers' motion from it, sends the
trajectory with these efforts to the controller, waits for the recorder and resumes the simulation.
Runs thus start in the same state every time. Exits when the trajectory has ended.
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
    """The scenario cannot be started; the message gives the reason."""


def sampled(joints, motion, duration, step):
    """Return the motion as a trajectory, with one point per `step` (s) and one at its end."""
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
    """Runs the steps of a scenario; each waits at most `patience` seconds of wall time."""

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
        self.payload_center = list(declared("payload_center", [0.0, 0.0, 0.0]))
        self.payload_frame = declared("payload_frame", "")
        self.recorder = declared("recorder", "")  # name of the node of the recorder
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
                raise ScenarioError(f"timeout after {self.patience:g} s: {what}")
            rclpy.spin_once(self, timeout_sec=pause)

    def wait_for(self, future, what):
        self.wait_until(future.done, what)
        return future.result()

    def call(self, kind, name, request):
        client = self.create_client(kind, name)
        self.wait_until(client.service_is_ready, f"service {name} not found")
        answer = self.wait_for(client.call_async(request), f"no response from {name}")
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
            self.wait_until(self.recorder_is_ready,
                            f"{self.recorder} has not subscribed to joint_states")
        if self.resume:
            request = SetSimulationState.Request(state=SetSimulationState.Request.RUNNING)
            answer = self.call(SetSimulationState, "simulation/set_state", request)
            if answer.result.code != ResultCode.SUCCESS:
                raise ScenarioError(f"the simulation cannot be resumed: {answer.result.message}")
        if goal is not None:
            self.follow(goal)

    def set_payload(self):
        request = SetPayload.Request()
        request.payload.frame_id = self.payload_frame
        inertia = request.payload.inertia
        inertia.m = self.payload_mass
        inertia.com.x, inertia.com.y, inertia.com.z = self.payload_center
        answer = self.ask(SetPayload, "dynamics/set_payload", request)
        self.get_logger().info(
            f"payload of {self.payload_mass:g} kg on {self.payload_frame}, total mass "
            f"{answer.total_mass:g} kg")
        # the hardware receives it from the dynamics node and sends no confirmation
        self.wait_until(lambda: self.count_subscribers("dynamics/payload") > 0,
                        "dynamics/payload has no subscriber")
        end = time.monotonic() + 0.5
        self.wait_until(lambda: time.monotonic() > end, "")

    def feed_forward(self):
        """Return the motion as a trajectory with its efforts."""
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
                f"the motion exceeds the effort limit of {verdict.first_violating_joint} from "
                f"{verdict.first_violating_point * self.sample:g} s on")
        # the approach is added for the controller, not for the dynamics
        shift = round(self.approach * 1e9)
        for point in answer.trajectory.points:
            total = point.time_from_start.sec * 10**9 + point.time_from_start.nanosec + shift
            point.time_from_start = Duration(sec=total // 10**9, nanosec=total % 10**9)
        return answer.trajectory

    def send(self, trajectory):
        """Send the trajectory and return the handle of the accepted goal."""
        self.create_subscription(
            JointTrajectoryControllerState, f"{self.controller}/controller_state",
            self.record_error, 10)
        client = ActionClient(
            self, FollowJointTrajectory, f"{self.controller}/follow_joint_trajectory")
        self.wait_until(client.server_is_ready, f"{self.controller} not found")
        goal = FollowJointTrajectory.Goal(trajectory=trajectory)
        end = time.monotonic() + self.patience
        while True:
            handle = self.wait_for(
                client.send_goal_async(goal), f"no response from {self.controller}")
            if handle.accepted:
                self.get_logger().info(
                    f"sent the {self.name} to {self.controller}: {len(trajectory.points)} points "
                    f"with efforts, {self.duration:g} s")
                return handle
            # goals are accepted only while it is active
            if time.monotonic() > end:
                raise ScenarioError(f"{self.controller} rejects the trajectory")
            rclpy.spin_once(self, timeout_sec=0.2)

    def recorder_is_ready(self):
        return any(info.node_name == self.recorder
                   for info in self.get_subscriptions_info_by_topic("joint_states"))

    def record_error(self, state):
        if not self.following:
            return
        for joint, error in zip(state.joint_names, state.error.positions):
            if self.largest is None or abs(error) > self.largest[0]:
                self.largest = (abs(error), joint)

    def follow(self, handle):
        self.following = True
        future = handle.get_result_async()
        while not future.done():  # without timeout: the simulation may be slow or paused
            rclpy.spin_once(self, timeout_sec=0.5)
        answer = future.result()
        if answer.status != GoalStatus.STATUS_SUCCEEDED:  # deactivated, or replaced by another goal
            self.get_logger().warning(
                f"{self.controller} did not complete the {self.name}: "
                f"{answer.result.error_string or 'canceled'}")
            return
        error = "" if self.largest is None else (
            f", largest tracking error {self.largest[0]:.2g} rad or m ({self.largest[1]})")
        self.get_logger().info(f"the {self.name} is complete{error}")


def main():
    """Run the scenario; exit 1 with a message if it fails."""
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
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # ros2 launch may repeat that of the terminal
        node.destroy_node()
        rclpy.try_shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
