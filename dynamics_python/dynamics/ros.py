# SPDX-License-Identifier: Apache-2.0
"""ROS 2 messages as arrays, by joint names. Needs the Python messages of ROS 2, not rclpy itself.

    from dynamics import ros
    q, qd, tau = ros.state_of(robot, message)                 # sensor_msgs/JointState
    t, q, qd, qdd = ros.points_of(robot, message)             # trajectory_msgs/JointTrajectory
    publisher.publish(ros.joint_trajectory(robot, t, q, qd))  # and back
    publisher.publish(ros.joint_state(robot, q, qd, tau, stamp=node.get_clock().now().to_msg()))

Messages have the joints in any order. Joints of the message that the robot does not have are
ignored; a joint of the robot that is missing raises ArgumentError, as do values that are not there.
"""
from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._core import ArgumentError, Robot

Array = NDArray[np.float64]


class JointArrays(NamedTuple):
    """Of a JointState: q, qd and tau, shape (n,); None where the message has no values."""

    q: Optional[Array]
    qd: Optional[Array]
    tau: Optional[Array]


class PointArrays(NamedTuple):
    """Of a JointTrajectory: times (N,) in s and rows (N, n); None where the points have none."""

    t: Array
    q: Optional[Array]
    qd: Optional[Array]
    qdd: Optional[Array]
    tau: Optional[Array]


def _order(robot: Robot, names: Sequence[str], what: str) -> List[int]:
    """Index of every joint of the robot among the names of a message."""
    places = {}
    for index, name in enumerate(names):
        if name in places:
            raise ArgumentError(f"{what} has joint '{name}' twice")
        places[name] = index
    missing = [name for name in robot.joint_names if name not in places]
    if missing:
        raise ArgumentError(f"{what} has no joint '{missing[0]}'; it has {', '.join(names)}")
    return [places[name] for name in robot.joint_names]


def _values(values: Sequence[float], order: Sequence[int], count: int,
            what: str) -> Optional[Array]:
    if len(values) == 0:
        return None
    if len(values) != count:
        raise ArgumentError(f"{what} has {len(values)} entries for {count} joints")
    return np.asarray(values, dtype=float)[list(order)]


def state_of(robot: Robot, message: Any) -> JointArrays:
    """Return the arrays of a sensor_msgs/JointState in the order of robot.joint_names."""
    order = _order(robot, message.name, "the joint state")
    count = len(message.name)
    return JointArrays(*(_values(getattr(message, field), order, count, field)
                         for field in ("position", "velocity", "effort")))


def points_of(robot: Robot, message: Any) -> PointArrays:
    """Return the arrays of a trajectory_msgs/JointTrajectory in the order of robot.joint_names."""
    order = _order(robot, message.joint_names, "the trajectory")
    count = len(message.joint_names)
    times = np.array([point.time_from_start.sec + 1e-9 * point.time_from_start.nanosec
                      for point in message.points])
    blocks: List[Optional[Array]] = []
    for field in ("positions", "velocities", "accelerations", "effort"):
        rows = [_values(getattr(point, field), order, count, f"points[{index}].{field}")
                for index, point in enumerate(message.points)]
        given = [row for row in rows if row is not None]
        if given and len(given) != len(rows):
            index = next(i for i, row in enumerate(rows) if row is None)
            raise ArgumentError(f"points[{index}] has no {field}, other points do")
        blocks.append(np.stack(given) if given else None)
    return PointArrays(times, *blocks)


def _duration(seconds: float) -> Tuple[int, int]:
    nanoseconds = round(seconds * 1e9)
    return nanoseconds // 1_000_000_000, nanoseconds % 1_000_000_000


def _rows(robot: Robot, values: Optional[ArrayLike], count: int, name: str) -> Optional[Array]:
    if values is None:
        return None
    rows = np.asarray(values, dtype=float)
    shape = (count, len(robot.joint_names))
    if rows.shape != shape:
        raise ArgumentError(f"{name} has shape {rows.shape}; {shape} is needed")
    return rows


def joint_trajectory(robot: Robot, t: ArrayLike, q: ArrayLike, qd: Optional[ArrayLike] = None,
                     qdd: Optional[ArrayLike] = None, tau: Optional[ArrayLike] = None) -> Any:
    """Return a trajectory_msgs/JointTrajectory with one point per row."""
    from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

    times = np.asarray(t, dtype=float)
    fields = {"positions": _rows(robot, q, len(times), "q"),
              "velocities": _rows(robot, qd, len(times), "qd"),
              "accelerations": _rows(robot, qdd, len(times), "qdd"),
              "effort": _rows(robot, tau, len(times), "tau")}
    message = JointTrajectory(joint_names=list(robot.joint_names))
    for index, time in enumerate(times):
        point = JointTrajectoryPoint()
        point.time_from_start.sec, point.time_from_start.nanosec = _duration(float(time))
        for field, rows in fields.items():
            if rows is not None:
                setattr(point, field, rows[index].tolist())
        message.points.append(point)
    return message


def joint_state(robot: Robot, q: Optional[ArrayLike] = None, qd: Optional[ArrayLike] = None,
                tau: Optional[ArrayLike] = None, *, stamp: Any = None) -> Any:
    """Return a sensor_msgs/JointState."""
    from sensor_msgs.msg import JointState

    message = JointState(name=list(robot.joint_names))
    for field, values in (("position", q), ("velocity", qd), ("effort", tau)):
        if values is None:
            continue
        row = np.asarray(values, dtype=float)
        if row.shape != (len(robot.joint_names),):
            raise ArgumentError(
                f"{field} has shape {row.shape}; ({len(robot.joint_names)},) is needed")
        setattr(message, field, row.tolist())
    if stamp is not None:
        message.header.stamp = stamp
    return message
