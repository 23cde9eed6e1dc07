# SPDX-License-Identifier: Apache-2.0
"""Dynamics of a robot from the program `dynamics`."""

import json
import shutil
import subprocess

from dynamics_bringup.description import DescriptionError


def terms(file, positions=None):
    """
    Return the terms of the equations of motion, {"joints": [...], "M": [[...]], "g": [...], ...}.

    `positions`: by joint name, default zero. Links are treated as rigid. Returns None if the
    program is not installed; raises DescriptionError with its message if the robot is invalid.
    """
    program = shutil.which("dynamics")
    if program is None:
        return None

    def run(*options):
        done = subprocess.run([program, "terms", str(file), "--rigid", "--json", *options],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            # the error follows the warnings of the model
            message = done.stderr.strip().rpartition("dynamics: ")[2] or f"exit {done.returncode}"
            named = message if message.startswith(str(file)) else f"{file}: {message}"
            raise DescriptionError(named)
        return json.loads(done.stdout)

    result = run()
    if positions:  # in the order of the program, which may differ from file order
        q = ",".join(repr(float(positions.get(joint, 0.0))) for joint in result["joints"])
        result = run(f"--q={q}")
    return result


def feedback_gains(inertias, bandwidth):
    """
    Return PD gains by joint for critically damped joints with this bandwidth.

    `inertias`: diagonal of M by joint. p = w^2 M_ii, d = 2 w M_ii.
    """
    return {joint: {"p": bandwidth**2 * inertia, "i": 0.0, "d": 2.0 * bandwidth * inertia,
                    "antiwindup_strategy": "none"}  # no integral term
            for joint, inertia in inertias.items()}
