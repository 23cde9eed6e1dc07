#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reproduces the stability study of Mohan and Saha, section 7.2: the forced run of the flexible
Canadarm with recursive forward dynamics and with the Cholesky decomposition of the inertia matrix.

    scripts/flexible_stability.py [PROGRAM]

For several integrators, prints the quantities of the paper's Figures 6 to 8: the error of joint 1
relative to the desired path, the power balance, and the smoothness of the acceleration of joint 1;
also the largest difference between the two runs.
"""

import csv
import math
import pathlib
import subprocess
import sys
import tempfile

DURATION = 10.0
CASES = [
    ("dop853, rtol 1e-9", ["--integrator", "dop853", "--rtol", "1e-9"]),
    ("rkf45, rtol 1e-6", ["--integrator", "rkf45", "--rtol", "1e-6"]),
    ("rkf45, rtol 1e-4", ["--integrator", "rkf45", "--rtol", "1e-4"]),
    ("rk4, step 1 ms", ["--integrator", "rk4", "--step", "0.001"]),
]


def run(program, algorithm, options, folder):
    """Simulate, and return the columns of the run by name."""
    path = folder / f"{algorithm}.csv"
    command = [program, "simulate", "canadarm", "--scenario", "forced", "--duration", str(DURATION)]
    command += ["--algorithm", algorithm, "--output", str(path), *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    return {name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0])}


def largest(values):
    """Return the largest absolute value; NaN if any value is NaN."""
    sizes = [abs(x) for x in values]
    return math.nan if any(map(math.isnan, sizes)) else max(sizes, default=0.0)


def until(columns, name, end):
    """Return the entries of a column up to a time."""
    return [x for t, x in zip(columns["t"], columns[name]) if t <= end + 1e-9]


def error(columns, end):
    """Return the largest error of joint 1 relative to the desired path."""
    pairs = zip(
        until(columns, "q_joint1", end), until(columns, "desired_joint1", end), strict=True
    )
    return largest(a - b for a, b in pairs)


def roughness(columns):
    """Return the largest second difference of the acceleration of joint 1."""
    a = columns["qdd_joint1"]
    return largest(a[i + 1] - 2 * a[i] + a[i - 1] for i in range(1, len(a) - 1))


def main():
    """Print the table."""
    program = sys.argv[1] if len(sys.argv) > 1 else "install/dynamics_core/bin/dynamics"
    if not pathlib.Path(program).exists():
        sys.exit(f"{program}: program not found; build it or give its path")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for title, options in CASES:
            runs = {a: run(program, a, options, folder) for a in ("udut", "cholesky")}
            print(title)
            for algorithm, columns in runs.items():
                errors = ", ".join(f"{error(columns, t):.6f}" for t in (3.5, 5.0, 7.0, DURATION))
                print(
                    f"  {algorithm:9} error of joint 1 up to 3.5, 5, 7, 10 s: {errors} rad;"
                    f" power balance {largest(columns['power_balance']):.1e} W;"
                    f" roughness of its acceleration {roughness(columns):.6f} rad/s^2"
                )
            columns = [k for k in runs["udut"] if k.startswith(("q_", "e_"))]
            difference = largest(
                a - b
                for k in columns
                for a, b in zip(runs["udut"][k], runs["cholesky"][k], strict=True)
            )
            print(f"  largest difference of joints and amplitudes: {difference:.1e}")


if __name__ == "__main__":
    main()
