# SPDX-License-Identifier: Apache-2.0
"""Robot dynamics from a URDF: NumPy in, NumPy out.

>>> import numpy as np
>>> import dynamics
>>> robot = dynamics.load("puma")            # a built-in name, a file, or the text of a URDF
>>> q = np.zeros(robot.size)
>>> tau = robot.inverse(q, q, q)             # one state, shape (6,)
>>> batch = np.random.default_rng(0).uniform(-1, 1, (10_000, 6))
>>> robot.forward(batch, batch, batch).shape  # a batch, one row per state
(10000, 6)
>>> run = robot.simulate(duration=0.5)       # free fall
>>> run["q_joint2"].shape
(51,)

SI units and radians. Robot lists the functions; docs/python.md has the details.
"""
from ._core import (
    ArgumentError,
    BaseMotion,
    BaseTrajectory,
    BatchError,
    Error,
    Finding,
    ModelError,
    ParseError,
    StateError,
    Trajectory,
    __version__,
    algorithms,
    built_in_robots,
    controllers,
    instruction_set,
    integrators,
    read_robot_description,
)
from ._description import check, repair
from ._motion import (
    EffortCheck,
    EffortParts,
    JointLog,
    ScaledPath,
    base_motion,
    cycloid,
    trajectory,
    trajectory_from_function,
)
from ._robot import Energy, InverseKinematics, ModelWarning, NaturalModes, Payload, Robot, load
from ._run import Run, RunEvent, RunStatistics
from ._study import study

__all__ = [
    "ArgumentError",
    "BaseMotion",
    "BaseTrajectory",
    "BatchError",
    "EffortCheck",
    "EffortParts",
    "Energy",
    "Error",
    "Finding",
    "InverseKinematics",
    "JointLog",
    "ModelError",
    "ModelWarning",
    "NaturalModes",
    "ParseError",
    "Payload",
    "Robot",
    "Run",
    "RunEvent",
    "RunStatistics",
    "ScaledPath",
    "StateError",
    "Trajectory",
    "__version__",
    "algorithms",
    "base_motion",
    "built_in_robots",
    "check",
    "controllers",
    "cycloid",
    "instruction_set",
    "integrators",
    "load",
    "read_robot_description",
    "repair",
    "study",
    "trajectory",
    "trajectory_from_function",
]
