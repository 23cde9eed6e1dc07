#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""
Plot the tracking errors of ComputedTorqueController and joint_trajectory_controller.

    ./test dynamics_controllers
    dynamics_controllers/scripts/plot_tracking.py build/dynamics_controllers/tracking.csv \
        docs/images/tracking.png

The launch test test_controllers_launch writes the CSV file. Needs Matplotlib.
"""
import argparse
import csv

import matplotlib

matplotlib.use('Agg')
import matplotlib.pyplot as plt  # noqa: E402

CONTROLLERS = (('pid_controller', 'joint_trajectory_controller, PID of the same bandwidth'),
               ('arm_controller', 'ComputedTorqueController'))


def read(path):
    """Return the rows of each controller: time, references and errors by joint."""
    runs = {}
    with open(path, encoding='utf-8', newline='') as file:
        for row in csv.DictReader(file):
            runs.setdefault(row.pop('controller'), []).append(
                {name: float(value) for name, value in row.items()})
    return runs


def plot(runs, path):
    """Draw the errors of all joints over time."""
    columns = list(next(iter(runs.values()))[0])
    joints = [name[len('error_'):] for name in columns if name.startswith('error_')]
    figure, axes = plt.subplots(3, 1, figsize=(8, 8), sharex=True, constrained_layout=True)
    rows = runs['pid_controller']
    for joint in joints:
        start = rows[0][f'reference_{joint}']
        axes[0].plot([row['t'] for row in rows],
                     [row[f'reference_{joint}'] - start for row in rows], label=joint)
    axes[0].set_title('reference: a cycloid in every joint of the PUMA')
    axes[0].set_ylabel('way (rad)')
    for axis, (controller, title) in zip(axes[1:], CONTROLLERS):
        rows = runs[controller]
        largest = 0.0
        for joint in joints:
            errors = [row[f'error_{joint}'] for row in rows]
            largest = max(largest, max(map(abs, errors)))
            axis.plot([row['t'] for row in rows], errors, label=joint)
        axis.set_title(f'{title}: at most {largest:.2g} rad')
        axis.set_ylabel('error (rad)')
        axis.grid(alpha=0.3)
    axes[0].grid(alpha=0.3)
    axes[0].legend(ncol=2, fontsize='small')
    axes[-1].set_xlabel('time (s)')
    figure.savefig(path, dpi=100)


def main():
    """Read the arguments and draw."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('csv', help='written by the launch test')
    parser.add_argument('picture', help='PNG or SVG')
    arguments = parser.parse_args()
    plot(read(arguments.csv), arguments.picture)


if __name__ == '__main__':
    main()
