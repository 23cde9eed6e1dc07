# SPDX-License-Identifier: Apache-2.0
"""The papers' motions: positions, velocities and accelerations as functions of time."""

import math


def cycloid(start, goal, period):
    """
    Return the cycloid from start to goal, at rest at both ends (Saha 2003, Eq. 18).

    q = q0 + (q1 - q0)/(2 pi) (2 pi t/T - sin(2 pi t/T)) for t < T, then q1.
    """

    def at(time):
        if time >= period:
            return list(goal), [0.0] * len(goal), [0.0] * len(goal)
        phase = 2.0 * math.pi * time / period
        distances = [end - begin for begin, end in zip(start, goal)]
        return (
            [begin + distance / (2.0 * math.pi) * (phase - math.sin(phase))
             for begin, distance in zip(start, distances)],
            [distance / period * (1.0 - math.cos(phase)) for distance in distances],
            [distance / period * 2.0 * math.pi / period * math.sin(phase)
             for distance in distances],
        )

    return at


def mohan_saha(start, rates, periods):
    """Return the motion q0 + k (t - T/pi sin(pi t/T)), for each joint (Mohan and Saha, Eq. 44)."""

    def at(time):
        frequencies = [math.pi / period for period in periods]
        return (
            [begin + rate * (time - math.sin(w * time) / w)
             for begin, rate, w in zip(start, rates, frequencies)],
            [rate * (1.0 - math.cos(w * time)) for rate, w in zip(rates, frequencies)],
            [rate * w * math.sin(w * time) for rate, w in zip(rates, frequencies)],
        )

    return at
