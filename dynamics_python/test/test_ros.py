# SPDX-License-Identifier: Apache-2.0
"""Messages of ROS 2 as arrays. The order of the joints is tested without ROS 2, with objects of the
same fields."""
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import random_states

import dynamics
from dynamics import ros


def message_of_state(**fields):
    empty = {"position": [], "velocity": [], "effort": []}
    return SimpleNamespace(**{**empty, **fields})


def test_joint_states_in_any_order(puma):
    names = [*reversed(puma.names), "gripper"]
    q, qd = random_states(puma, seed=1), random_states(puma, seed=2)
    state = ros.state_of(puma, message_of_state(
        name=names, position=[*q[::-1], 9.0], velocity=[*qd[::-1], 9.0]))
    assert (state.q == q).all() and (state.qd == qd).all() and state.tau is None
    with pytest.raises(dynamics.ArgumentError, match="no joint 'joint6'"):
        ros.state_of(puma, message_of_state(name=names[1:], position=[0.0] * 6))
    with pytest.raises(dynamics.ArgumentError, match="joint1' twice"):
        ros.state_of(puma, message_of_state(name=[*names, "joint1"], position=[0.0] * 8))
    with pytest.raises(dynamics.ArgumentError, match="position has 3 entries for 7 joints"):
        ros.state_of(puma, message_of_state(name=names, position=[0.0] * 3))


def test_trajectories_in_any_order(puma):
    def point(time, **fields):
        empty = {"positions": [], "velocities": [], "accelerations": [], "effort": []}
        seconds, rest = divmod(time, 1_000_000_000)
        return SimpleNamespace(time_from_start=SimpleNamespace(sec=seconds, nanosec=rest),
                               **{**empty, **fields})

    q = random_states(puma, 3)
    message = SimpleNamespace(joint_names=list(reversed(puma.names)), points=[
        point(500_000_000 * k, positions=q[k][::-1].tolist()) for k in range(3)])
    points = ros.points_of(puma, message)
    assert points.t.tolist() == [0.0, 0.5, 1.0] and (points.q == q).all() and points.qd is None
    message.points[1].positions = []
    with pytest.raises(dynamics.ArgumentError, match=r"points\[1\] has no positions"):
        ros.points_of(puma, message)


def test_messages_of_ros(puma):
    pytest.importorskip("rclpy", reason="rclpy is not installed")
    from sensor_msgs.msg import JointState
    from trajectory_msgs.msg import JointTrajectory

    t = np.array([0.0, 0.25, 1.000000001])
    q, qd = random_states(puma, 3, 1), random_states(puma, 3, 2)
    trajectory = ros.joint_trajectory(puma, t, q, qd)
    assert isinstance(trajectory, JointTrajectory)
    points = ros.points_of(puma, trajectory)
    assert np.allclose(points.t, t, atol=1e-12) and (points.q == q).all() and (points.qd == qd).all()
    state = ros.joint_state(puma, q[0], qd[0])
    assert isinstance(state, JointState)
    arrays = ros.state_of(puma, state)
    assert (arrays.q == q[0]).all() and (arrays.qd == qd[0]).all() and arrays.tau is None
    with pytest.raises(dynamics.ArgumentError, match="q has shape"):
        ros.joint_trajectory(puma, t, q[:2])
