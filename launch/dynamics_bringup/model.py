# SPDX-License-Identifier: Apache-2.0
"""What the `dynamics` program says of a robot, before anything is started."""

import json
import shutil
import subprocess

from dynamics_bringup.description import DescriptionError


def terms(file, positions=None):
    """
    Return the terms of the robot's equations, {"joints": [...], "M": [[...]], "g": [...], ...}.

    `positions` by joint name; joints without one are at zero. Links are taken as rigid. None where
    the program is not there; a robot without dynamics is a DescriptionError with its message.
    """
    program = shutil.which("dynamics")
    if program is None:
        return None

    def ask(*options):
        done = subprocess.run([program, "terms", str(file), "--rigid", "--json", *options],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            # the error is behind the model's warnings
            message = done.stderr.strip().rpartition("dynamics: ")[2] or f"exit {done.returncode}"
            named = message if message.startswith(str(file)) else f"{file}: {message}"
            raise DescriptionError(named)
        return json.loads(done.stdout)

    answer = ask()
    if positions:  # in the order of the program, which need not be the file's
        q = ",".join(repr(float(positions.get(joint, 0.0))) for joint in answer["joints"])
        answer = ask(f"--q={q}")
    return answer


def feedback_gains(inertias, bandwidth):
    """
    Return the PD gains by joint that make each one a critically damped drive of this bandwidth.

    `inertias` are what the joints move, the diagonal of M: p = w^2 M_ii, d = 2 w M_ii.
    """
    return {joint: {"p": bandwidth**2 * inertia, "i": 0.0, "d": 2.0 * bandwidth * inertia,
                    "antiwindup_strategy": "none"}  # there is no integral to wind up
            for joint, inertia in inertias.items()}
