# SPDX-License-Identifier: Apache-2.0
"""Trajectories, efforts along them, and logs."""
from __future__ import annotations

import os
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple, Union, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._run import Run

Array = NDArray[np.float64]


class EffortCheck(NamedTuple):
    """Efforts against their limits: one entry per joint."""

    within_limits: bool
    peaks: Array  #: largest |tau|
    ratios: Array  #: peak / limit
    points: List[int]  #: where the peaks occur
    violation: Optional[Tuple[int, str]]  #: first point beyond a limit, and its joint


class EffortParts(NamedTuple):
    """Terms that add up to the effort at each point, each of shape (N, n)."""

    gravity: Array
    velocity: Array
    inertia: Array
    friction: Array


class ScaledPath(NamedTuple):
    """A trajectory that was slowed down to meet its limits."""

    t: Array
    q: Array
    qd: Array
    qdd: Optional[Array]
    factors: Array  #: duration of each segment relative to the given one; one entry for uniform
    largest_effort_ratio: float
    largest_velocity_ratio: float
    path_deviation: float


class JointLog(NamedTuple):
    """Joint states or a trajectory from an MCAP file; None where a quantity is not logged."""

    topic: str
    type: str
    start: int  #: time of t = 0 in the log (ns)
    t: Array
    q: Optional[Array]
    qd: Optional[Array]
    qdd: Optional[Array]
    tau: Optional[Array]
    notes: List[str]  #: what was skipped, interpolated or cut off


def cycloid(q0: ArrayLike, q1: ArrayLike, period: float) -> _core.Trajectory:
    """Return the cycloid from q0 to q1 in `period` s, at rest at both ends (Saha 2003, Eq. 18).

    >>> q, qd, qdd = dynamics.cycloid([0, 0], [1, -0.5], 2.0)(1.0)
    >>> q.tolist()
    [0.5, -0.25]
    """
    return _core.cycloid(q0, q1, period)


def trajectory(t: ArrayLike, q: ArrayLike, qd: Optional[ArrayLike] = None,
               qdd: Optional[ArrayLike] = None) -> _core.Trajectory:
    """Return the trajectory through points: times (N,), positions (N, n), and optionally
    velocities and accelerations. Quintic, cubic or spline segments, at rest before and after.

    >>> motion = dynamics.trajectory([0, 1, 2], [[0, 0], [0.5, -0.1], [1, 0]])
    >>> q, qd, qdd = motion(np.linspace(0, 2, 5))
    >>> q.shape
    (5, 2)
    """
    return _core.knots(t, q, qd, qdd)


def trajectory_from_function(
        size: int, function: Callable[[float], Tuple[ArrayLike, ArrayLike, ArrayLike]],
        duration: float = 0.0) -> _core.Trajectory:
    """Return a trajectory from a function t -> (q, qd, qdd) of `size` coordinates.

    >>> motion = dynamics.trajectory_from_function(1, lambda t: ([t], [1.0], [0.0]))
    >>> motion(0.5)[0].tolist()
    [0.5]
    """
    return _core.function_trajectory(size, function, duration)


def base_motion(motion: Union[str, "os.PathLike[str]", _core.Trajectory,
                              Sequence[Tuple[str, float, float]]]) -> _core.BaseTrajectory:
    """Return a motion of the base for Robot.simulate().

    motion: harmonics (axis, amplitude, Hz) with axis x, y, z, roll, pitch or yaw; a trajectory of
    these six coordinates; or a CSV file with columns of these names.

    >>> deck = dynamics.base_motion([("z", 0.05, 2.0), ("roll", 0.02, 0.5)])
    """
    if isinstance(motion, _core.Trajectory):
        return _core.base_coordinates(motion)
    if isinstance(motion, (str, os.PathLike)):
        return _core.read_base_trajectory(os.fspath(motion))
    return _core.base_harmonics([(axis, amplitude, rate) for axis, amplitude, rate in motion])


class MotionMethods:
    """The methods of Robot on trajectories."""

    def trajectory(self, t: ArrayLike, q: ArrayLike, qd: Optional[ArrayLike] = None,
                   qdd: Optional[ArrayLike] = None) -> _core.Trajectory:
        """Return the trajectory of this robot through points: see dynamics.trajectory()."""
        made = _core.knots(t, q, qd, qdd)
        if made.size != len(_robot(self).joint_names):
            raise _core.ArgumentError(
                f"q has {made.size} columns; {len(_robot(self).joint_names)} are needed")
        return made

    def cycloid(self, q1: Optional[ArrayLike] = None, *, q0: Optional[ArrayLike] = None,
                period: Optional[float] = None) -> _core.Trajectory:
        """Return the forced motion of the papers: from the start to q1 in `period` s. Both have
        defaults for the built-in robots.

        >>> dynamics.load("puma").cycloid().duration
        10.0
        """
        return _core.forced(_robot(self), q0, q1, period)

    def read_trajectory(self, path: Union[str, "os.PathLike[str]"], *,
                        topic: str = "") -> _core.Trajectory:
        """Read a trajectory: CSV, a JointTrajectory in YAML, or MCAP. Joints are found by name."""
        return _core.read_trajectory(_robot(self), os.fspath(path), topic)

    def read_log(self, path: Union[str, "os.PathLike[str]"], *, topic: str = "",
                 efforts: bool = False) -> JointLog:
        """Read joint states or a trajectory from an MCAP file. efforts: every sample needs them."""
        return JointLog(**_core.read_log(_robot(self), os.fspath(path), topic, efforts))

    def torques_along(self, trajectory: _core.Trajectory, *, duration: Optional[float] = None,
                      sample: float = 0.01, friction: bool = True) -> Run:
        """Return inverse dynamics along a trajectory, with energies and work.

        >>> robot = dynamics.load("puma")
        >>> run = robot.torques_along(robot.cycloid())
        >>> run.tau.shape
        (1001, 6)
        """
        end = trajectory.duration if duration is None else duration
        return Run(_core.torques_along(_robot(self), trajectory, end, sample, friction))

    def view_log(self, path: Union[str, "os.PathLike[str]"], *, topic: str = "",
                 measured: bool = False, friction: bool = True) -> Run:
        """Return the motion of an MCAP file as a run, with our torques or the measured ones."""
        return Run(_core.log_run(_robot(self), os.fspath(path), topic, measured, friction))

    def check_efforts(self, tau: ArrayLike) -> EffortCheck:
        """Compare efforts (N, n) with the limits of the joints.

        >>> robot = dynamics.load("planar3")
        >>> robot.check_efforts(robot.gravity(np.zeros((4, 3)))).within_limits
        True
        """
        return EffortCheck(**_core.check_efforts(_robot(self), tau))

    def effort_parts(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *,
                     friction: bool = True) -> EffortParts:
        """Return the parts of inverse dynamics: gravity, velocity, inertia and friction.

        >>> robot = dynamics.load("puma")
        >>> q = np.full((2, 6), 0.3)
        >>> parts = robot.effort_parts(q, q, q)
        >>> bool(np.allclose(sum(parts), robot.inverse(q, q, q)))
        True
        """
        return EffortParts(*_core.effort_parts(_robot(self), q, qd, qdd, friction))

    def scale_time(self, t: ArrayLike, q: ArrayLike, qd: Optional[ArrayLike] = None,
                   qdd: Optional[ArrayLike] = None, *, method: str = "uniform",
                   friction: bool = True, effort_share: float = 1.0, velocity_share: float = 1.0,
                   interior_points: int = 0) -> ScaledPath:
        """Slow a trajectory down until efforts and velocities stay within the limits.

        method: "uniform" (one rate) or "per_segment". Raises StateError, naming joint and point, if
        no slower trajectory meets the limits.
        """
        return ScaledPath(**_core.scale_time(_robot(self), t, q, qd, qdd, method, friction,
                                             effort_share, velocity_share, interior_points))


def _robot(methods: Any) -> _core.Robot:
    return cast(_core.Robot, methods)
