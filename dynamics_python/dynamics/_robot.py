# SPDX-License-Identifier: Apache-2.0
"""Robot: the methods that are not called in loops. The others are in the extension module."""
from __future__ import annotations

import os
import warnings
from typing import Any, Dict, NamedTuple, Optional, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._motion import MotionMethods
from ._simulate import SimulationMethods

Array = NDArray[np.float64]


class ModelWarning(UserWarning):
    """A suspicious value in a robot's description."""


class Energy(NamedTuple):
    """Energies (J): numbers for one state, arrays of shape (N,) for a batch."""

    kinetic: Any
    potential: Any
    strain: Any

    @property
    def total(self) -> Any:
        return self.kinetic + self.potential + self.strain


class Payload(NamedTuple):
    """A load fixed to a frame: center of mass (m) and inertia about it (kg m^2) in its axes."""

    frame: str
    mass: float
    center: Array
    inertia: Array


class InverseKinematics(NamedTuple):
    """The result of Robot.inverse_kinematics."""

    q: Array
    reached: bool
    position_error: float
    orientation_error: float
    pose: Array


class NaturalModes(NamedTuple):
    """Frequencies (rad/s, ascending) and mode shapes, one column per mode."""

    frequencies: Array
    shapes: Array


def load(robot: Union[str, "os.PathLike[str]"], *, rigid: bool = False,
         gravity: Optional[ArrayLike] = None) -> "Robot":
    """Return a robot: a built-in name, else a file, else the text of a URDF (starts with "<").

    A file is a URDF, or a DH table if it ends in .yaml. rigid: treat flexible links as rigid.
    gravity: instead of that of the description, default (0, 0, -9.81) m/s^2.

    >>> dynamics.load("puma")
    <dynamics.Robot puma: 6 joints, 37.5 kg>
    >>> dynamics.load("no_such_robot")
    Traceback (most recent call last):
    ...
    dynamics.ArgumentError: no robot 'no_such_robot': neither a file nor one of planar3, stanford, puma, canadarm nor the text of a URDF
    """
    text, is_table, name = _core.find_source(os.fspath(robot))
    made = Robot(text, is_table, name, rigid, gravity, None)
    for warning in made.warnings:
        warnings.warn(warning, ModelWarning, stacklevel=2)
    return made


class Robot(_core.Robot, SimulationMethods, MotionMethods):
    """A robot, made by dynamics.load(). Immutable; threads may share it.

    Functions of a state take arrays of shape (n,), or (N, n) for a batch, n = `size`:
    inverse, forward, gravity, bias, friction, inertia, inverse_inertia, udut, coriolis,
    inverse_derivatives, forward_derivatives, regressor, energy, pose, velocity, jacobian,
    jacobian_rate, center_of_mass, joint_positions.

    >>> robot = dynamics.load("planar3")
    >>> robot.names
    ('joint1', 'joint2', 'joint3')
    >>> robot == dynamics.load("planar3"), robot == dynamics.load("puma")
    (True, False)
    """

    def energy(self, q: ArrayLike, qd: Optional[ArrayLike] = None, *, threads: int = 0,
               base: Optional[_core.BaseMotion] = None) -> Energy:
        """Return kinetic, potential and strain energy (J).

        >>> dynamics.load("planar3").energy([0, 0, 0], [0, 0, 0]).kinetic
        0.0
        >>> dynamics.load("planar3").energy(np.zeros((5, 3))).potential.shape
        (5,)
        """
        entries = self._energy(q, qd, threads=threads, base=base)
        if entries.ndim == 1:
            return Energy(*entries.tolist())
        return Energy(entries[:, 0], entries[:, 1], entries[:, 2])

    def inverse_kinematics(self, target: ArrayLike, *, frame: Optional[str] = None,
                           q0: Optional[ArrayLike] = None, tolerance: float = 1e-10,
                           starts: int = 500, seed: int = 0) -> InverseKinematics:
        """Return joint positions within the limits at which a frame has a pose.

        target: a 4 x 4 matrix, or three numbers for the position alone.

        >>> robot = dynamics.load("puma")
        >>> pose = robot.pose([0.1, 0.2, 0.3, 0.1, 0.2, 0.3])
        >>> found = robot.inverse_kinematics(pose, q0=np.zeros(6))
        >>> found.reached, bool(np.allclose(robot.pose(found.q), pose))
        (True, True)
        """
        return InverseKinematics(
            *self._inverse_kinematics(target, frame, q0, tolerance, starts, seed))

    def natural_modes(self, q: ArrayLike, *, clamped: bool = False) -> NaturalModes:
        """Return the natural frequencies of a robot with flexible links, at rest in q.

        clamped: with locked joints.

        >>> modes = dynamics.load("canadarm").natural_modes(np.zeros(3), clamped=True)
        >>> bool((modes.frequencies > 0).all())
        True
        """
        return NaturalModes(*self._natural_modes(q, clamped))

    def vector(self, *positions: float, **values: float) -> Array:
        """Return a vector of a state with these values by joint name, the others zero.

        >>> dynamics.load("planar3").vector(joint2=0.3).tolist()
        [0.0, 0.3, 0.0]
        """
        if positions:
            raise _core.ArgumentError("values are given by name: vector(joint1=0.3)")
        names = self.names
        entries = np.zeros(len(names))
        for name, value in values.items():
            if name not in names:
                raise _core.ArgumentError(
                    f"no joint '{name}': it must be one of {', '.join(names)}")
            entries[names.index(name)] = value
        return entries

    # ---- other versions of the robot

    def with_payload(self, mass: float, center: ArrayLike = (0.0, 0.0, 0.0),
                     inertia: Optional[ArrayLike] = None, *,
                     frame: Optional[str] = None) -> "Robot":
        """Return the robot with a load that replaces an earlier one.

        mass (kg), center of mass (m) and inertia about it (kg m^2, 3 x 3) in the axes of the frame,
        the end effector if left out.

        >>> robot = dynamics.load("planar3")
        >>> loaded = robot.with_payload(2.0)
        >>> (loaded.gravity([0, 0, 0]) - robot.gravity([0, 0, 0])).round(2).tolist()
        [15.11, 9.22, 4.32]
        """
        payload = Payload(self.end_effector if frame is None else frame, mass,
                          np.asarray(center, dtype=float),
                          np.zeros((3, 3)) if inertia is None else np.asarray(inertia))
        return Robot(*self._source[:5], payload)

    def without_payload(self) -> "Robot":
        """Return the robot without its load."""
        return Robot(*self._source[:5], None)

    def with_gravity(self, gravity: ArrayLike) -> "Robot":
        """Return the robot with another gravity (m/s^2).

        >>> dynamics.load("puma").with_gravity([0, 0, 0]).gravity(np.zeros(6)).any()
        False
        """
        return Robot(*self._source[:4], gravity, self._source[5])

    def as_rigid(self) -> "Robot":
        """Return the robot with its flexible links treated as rigid."""
        return Robot(*self._source[:3], True, *self._source[4:])

    # ---- Python's protocols

    def __repr__(self) -> str:
        kind = " with flexible links" if self.is_flexible else ""
        if self.has_loops:
            kind = f" with closed loops, {self.size} independent"
        count = len(self.joint_names)
        return (f"<dynamics.Robot {self.name}: {count} joint{'' if count == 1 else 's'}{kind}, "
                f"{self.mass:.3g} kg>")

    def __len__(self) -> int:
        return self.size

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Robot) and self._same(other)

    def __hash__(self) -> int:
        return hash(self._source[0])

    def __copy__(self) -> "Robot":
        return self

    def __deepcopy__(self, memory: Dict[int, Any]) -> "Robot":
        return self

    def __reduce__(self) -> Tuple[Any, ...]:
        return Robot, self._source
