#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare `dynamics bench` of two builds, run in turns: compare_bench.py BEFORE AFTER.

BEFORE and AFTER are `dynamics` programs, or folders in which ./run or ./test has built one.
Prints, for each row, the medians of our time and of its ratio to the peer. Exits with 1 if
our time grew by more than --allow percent in any row.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys


def program(path):
    path = pathlib.Path(path)
    for candidate in (path, path / 'install/dynamics_core/bin/dynamics'):
        if candidate.is_file():
            return str(candidate.resolve())
    raise SystemExit(f'{path}: neither a program nor a folder in which ./run has built one')


def bench(path, seconds):
    """Return {(work, peer): (our time in ns, ratio to the peer)} of one run."""
    result = subprocess.run([path, 'bench', '--json', '--seconds', str(seconds)],
                            stdout=subprocess.PIPE, check=True, text=True)
    rows = json.loads(result.stdout)['rows']
    return {(row['work'], row['peer']): (row['ours_ns'], row['ratio']) for row in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('before')
    parser.add_argument('after')
    parser.add_argument('--runs', type=int, default=5, help='runs of each program (default 5)')
    parser.add_argument('--seconds', type=float, default=4, help='per run (default 4)')
    parser.add_argument('--allow', type=float, default=3, help='growth in percent (default 3)')
    arguments = parser.parse_args()
    programs = [program(arguments.before), program(arguments.after)]
    runs = ([], [])
    for turn in range(arguments.runs):
        for which in (0, 1) if turn % 2 == 0 else (1, 0):
            print(f'run {turn + 1} of {arguments.runs}: {("before", "after")[which]}',
                  file=sys.stderr)
            runs[which].append(bench(programs[which], arguments.seconds))
    slower = []
    print(f'{"work":<16}{"peer":<11}{"before (ns)":>12}{"after (ns)":>12}{"change":>9}'
          f'{"ratio before":>14}{"after":>8}')
    for row in runs[0][0]:
        before, after = ([run[row] for run in one] for one in runs)
        times = [statistics.median(run[0] for run in one) for one in (before, after)]
        ratios = [statistics.median(run[1] for run in one) for one in (before, after)]
        change = 100 * (times[1] / times[0] - 1)
        print(f'{row[0]:<16}{row[1]:<11}{times[0]:>12.1f}{times[1]:>12.1f}{change:>+8.1f}%'
              f'{ratios[0]:>14.1f}{ratios[1]:>8.1f}')
        if not change <= arguments.allow:
            slower.append(row[0])
    if slower:
        print(f'more than {arguments.allow:g} % slower: {", ".join(sorted(set(slower)))}')
    return 1 if slower else 0


if __name__ == '__main__':
    sys.exit(main())
