# SPDX-License-Identifier: Apache-2.0
"""Dynamics of a robot from the program `dynamics`."""

import json
import shutil
import subprocess

from dynamics_bringup.description import DescriptionError


def _run(file, command, *options):
    """Return the JSON of the program, None without the program; raises DescriptionError."""
    program = shutil.which("dynamics")
    if program is None:
        return None
    done = subprocess.run([program, command, str(file), "--rigid", "--json", *options],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        # the error follows the warnings of the model
        message = done.stderr.strip().rpartition("dynamics: ")[2] or f"exit {done.returncode}"
        named = message if message.startswith(str(file)) else f"{file}: {message}"
        raise DescriptionError(named)
    return json.loads(done.stdout)


def closed_start(file):
    """
    Return the start of a robot with closed loops, {joint: position}, for its independent joints.

    Returns None and raises as terms().
    """
    result = _run(file, "kinematics")
    if result is None:
        return None
    start = dict(zip(result["joints"], result["q"]))
    return {joint: start[joint] for joint in result["independent"]}


def terms(file, positions=None):
    """
    Return the terms of the equations of motion, {"joints": [...], "M": [[...]], "g": [...], ...}.

    `positions`: by joint name, default zero; with closed loops of the independent joints. Links are
    treated as rigid. Returns None if the program is not installed; raises DescriptionError with its
    message if the robot is invalid.
    """
    result = _run(file, "terms")
    if result and positions:  # in the order of the program, which may differ from file order
        q = ",".join(repr(float(positions.get(joint, 0.0))) for joint in rows_of(result))
        result = _run(file, "terms", f"--q={q}")
    return result


def rows_of(result):
    """Return the joints of the rows of M in terms(): with closed loops the independent ones."""
    return result.get("independent", result["joints"])


def feedback_gains(inertias, bandwidth):
    """
    Return PD gains by joint for critically damped joints with this bandwidth.

    `inertias`: diagonal of M by joint. p = w^2 M_ii, d = 2 w M_ii.
    """
    return {joint: {"p": bandwidth**2 * inertia, "i": 0.0, "d": 2.0 * bandwidth * inertia,
                    "antiwindup_strategy": "none"}  # no integral term
            for joint, inertia in inertias.items()}
