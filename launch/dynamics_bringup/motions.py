# SPDX-License-Identifier: Apache-2.0
"""The papers' motions: positions, velocities and accelerations as functions of time."""

import math


def cycloid(start, goal, period):
    """
    Return the motion from start to goal, at rest at both ends (Saha 2003, Eq. 18).

    q = q0 + (q1 - q0)/(2 pi) (2 pi t/T - sin(2 pi t/T)) up to T, q1 from there on.
    """

    def at(time):
        if time >= period:
            return list(goal), [0.0] * len(goal), [0.0] * len(goal)
        phase = 2.0 * math.pi * time / period
        ways = [end - begin for begin, end in zip(start, goal)]
        return (
            [begin + way / (2.0 * math.pi) * (phase - math.sin(phase))
             for begin, way in zip(start, ways)],
            [way / period * (1.0 - math.cos(phase)) for way in ways],
            [way / period * 2.0 * math.pi / period * math.sin(phase) for way in ways],
        )

    return at


def mohan_saha(start, rates, periods):
    """Return the motion q0 + k (t - T/pi sin(pi t/T)), joint by joint (Mohan and Saha, Eq. 44)."""

    def at(time):
        turns = [math.pi / period for period in periods]
        return (
            [begin + rate * (time - math.sin(turn * time) / turn)
             for begin, rate, turn in zip(start, rates, turns)],
            [rate * (1.0 - math.cos(turn * time)) for rate, turn in zip(rates, turns)],
            [rate * turn * math.sin(turn * time) for rate, turn in zip(rates, turns)],
        )

    return at
