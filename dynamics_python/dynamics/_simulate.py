# SPDX-License-Identifier: Apache-2.0
"""Robot.simulate: its options."""
from __future__ import annotations

import math
import os
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple, Union, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._motion import base_motion as make_base_motion
from ._run import Run

Array = NDArray[np.float64]
ControlLaw = Callable[[float, Array, Array], ArrayLike]
EventFunction = Callable[[float, Array, Array], float]
Reference = Union[str, "os.PathLike[str]", _core.Trajectory]


def _error(message: str) -> _core.Error:
    return _core.ArgumentError(message)


def _refuse(given: Mapping[str, Any], names: Sequence[str], reason: str) -> None:
    for name in names:
        if given[name] is not None:
            raise _error(f"{name} has no effect {reason}")


_GAINS = ("kp", "kd", "damping", "stiffness", "frame")


class SimulationMethods:
    """The simulation of Robot."""

    def simulate(
        self,
        *,
        scenario: Optional[str] = None,
        controller: Union[None, str, ControlLaw] = None,
        duration: float = 10.0,
        q0: Optional[ArrayLike] = None,
        qd0: Optional[ArrayLike] = None,
        reference: Optional[Reference] = None,
        q1: Optional[ArrayLike] = None,
        period: Optional[float] = None,
        kp: Optional[ArrayLike] = None,
        kd: Optional[ArrayLike] = None,
        bandwidth: Optional[ArrayLike] = None,
        damping: Optional[ArrayLike] = None,
        frame: Optional[str] = None,
        stiffness: Optional[ArrayLike] = None,
        torques: Union[None, str, "os.PathLike[str]", Tuple[ArrayLike, ArrayLike]] = None,
        interpolation: Optional[str] = None,
        control_rate: Optional[float] = None,
        control_delay: Optional[float] = None,
        position_resolution: Optional[float] = None,
        velocity_resolution: Optional[float] = None,
        torque_resolution: Optional[float] = None,
        limits: bool = False,
        restitution: Optional[float] = None,
        friction: bool = True,
        base_motion: Any = None,
        pushes: Optional[Sequence[Tuple[str, ArrayLike, float, float]]] = None,
        drop_payload: Optional[float] = None,
        payload_changes: Optional[Sequence[Tuple[float, Any]]] = None,
        locks: Optional[Sequence[Tuple[Any, ...]]] = None,
        events: Optional[Mapping[str, EventFunction]] = None,
        stop_at: Optional[Mapping[str, EventFunction]] = None,
        integrator: Optional[str] = None,
        rtol: Optional[float] = None,
        atol: Optional[float] = None,
        step: Optional[float] = None,
        sample: float = 0.01,
        algorithm: Optional[str] = None,
        progress: Optional[Callable[[float], Optional[bool]]] = None,
    ) -> Run:
        """Simulate the robot. The options are those of the program `dynamics simulate`.

        >>> robot = dynamics.load("planar3")
        >>> fall = robot.simulate(duration=1)
        >>> held = robot.simulate(controller="pd-gravity", bandwidth=20, control_rate=500, duration=1)
        >>> own = robot.simulate(controller=lambda t, q, qd: -2 * qd, duration=1)

        What drives the joints, one of
          scenario      free-fall (default), forced, hold, computed-torque
          controller    a name of dynamics.controllers(), or a function f(t, q, qd) -> tau, called
                        continuously, or every 1/control_rate s
          torques       (t, tau) with shapes (N,) and (N, n), or a CSV, YAML or MCAP file;
                        interpolation: zero, linear (default), cubic
        Of controllers: kp, kd, or bandwidth (rad/s) and damping; frame and stiffness of
        operational-space-impedance; control_rate (Hz), control_delay (s), position_resolution,
        velocity_resolution, torque_resolution.
        reference: a Trajectory, "hold" (default), "cycloid" (with q1 and period), or a file.
        limits: joint stops and effort limits, with the restitution of the stops.
        pushes: (link, force, start, duration), force in world axes at the link's center of mass.
        drop_payload: time; payload_changes: (time, Payload or None); locks: (joint, start[, end]).
        base_motion: see dynamics.base_motion().
        events, stop_at: {name: f(t, q, qd)}, zero crossings that are recorded or end the run.
        integrator: a name of dynamics.integrators(); rtol, atol, step (s) of fixed-step methods.
        sample: interval of the recording (s). algorithm: of forward dynamics.
        progress: f(t), called after each step; returning False ends the run.
        """
        given: Dict[str, Any] = dict(locals())
        robot = cast(_core.Robot, given.pop("self"))
        options = dict(given)
        if torques is not None:
            if controller not in (None, "torques"):
                raise _error("torques has no effect with another controller: give one of them")
            options["controller"] = "torques"
            if isinstance(torques, (str, os.PathLike)):
                options["torques"] = _core.read_torques(robot, os.fspath(torques), "")
            else:
                options["torques"] = tuple(torques)
                if len(options["torques"]) != 2:
                    raise _error("torques must be (t, tau), or a file")
        elif interpolation is not None:
            raise _error("interpolation has no effect without torques")
        name = options["controller"]
        if name is not None and scenario is not None:
            raise _error("scenario and controller exclude each other: a scenario is a short form of "
                         "a controller")
        if name == "torques" and torques is None:
            raise _error("controller 'torques' needs torques=(t, tau)")
        if name is None and scenario is None:
            options["scenario"] = scenario = "free-fall"
        self._check_options(given, options)
        options["reference"], options["reference_name"] = self._reference(robot, given, options)
        if base_motion is not None and not isinstance(base_motion, _core.BaseTrajectory):
            options["base_motion"] = make_base_motion(base_motion)
        changes = [(drop_payload, None)] if drop_payload is not None else []
        options["payload_changes"] = changes + list(payload_changes or [])
        options["locks"] = [(*lock, math.inf)[:3] for lock in locks or []]
        options["pushes"] = [(link, force, start, time) for link, force, start, time in pushes or []]
        options["events"] = [(title, function, False) for title, function in (events or {}).items()]
        options["events"] += [(title, function, True) for title, function in (stop_at or {}).items()]
        return Run(_core.simulate(robot, options))

    @staticmethod
    def _check_options(given: Mapping[str, Any], options: Mapping[str, Any]) -> None:
        """Refuse options without effect."""
        name, scenario = options["controller"], options["scenario"]
        if callable(name):
            _refuse(given, (*_GAINS, "bandwidth"), "on a function: it computes the torques")
            _refuse(given, ("reference", "q1", "period"), "on a function, which gets no reference")
        elif name is None:
            _refuse(given, _GAINS, f"in scenario {scenario}: give a controller")
            if scenario not in ("hold", "computed-torque"):
                _refuse(given, ("bandwidth",), f"in scenario {scenario}")
            if scenario not in ("forced", "computed-torque"):
                _refuse(given, ("reference", "q1", "period"), f"in scenario {scenario}")
        elif name in ("none", "torques"):
            _refuse(given, ("reference", "q1", "period"),
                    f"on controller {name}, which follows no reference")
        if given["control_rate"] is None:
            _refuse(given, ("control_delay", "position_resolution", "velocity_resolution",
                            "torque_resolution"), "without control_rate")
        elif name == "none" or scenario == "free-fall":
            _refuse(given, ("control_rate",), "without a controller")
        if not given["limits"]:
            _refuse(given, ("restitution",), "without limits=True")

    @staticmethod
    def _reference(robot: _core.Robot, given: Mapping[str, Any],
                   options: Mapping[str, Any]) -> Tuple[Optional[_core.Trajectory], str]:
        reference = given["reference"]
        if reference is None and options["scenario"] in ("forced", "computed-torque"):
            reference = "cycloid"
        if reference != "cycloid":
            _refuse(given, ("q1", "period"), "without reference='cycloid'")
        if reference is None or (isinstance(reference, str) and reference == "hold"):
            return None, "hold" if reference else ""
        if isinstance(reference, _core.Trajectory):
            return reference, "trajectory"
        if reference == "cycloid":
            return _core.forced(robot, given["q0"], given["q1"], given["period"]), "cycloid"
        return _core.read_trajectory(robot, os.fspath(reference), ""), os.fspath(reference)
