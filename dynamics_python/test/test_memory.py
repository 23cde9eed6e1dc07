# SPDX-License-Identifier: Apache-2.0
"""No leak over 10^6 calls, and nothing is kept from calls that fail."""
import gc
import os
import resource
import sys

import numpy as np
import pytest

import dynamics

SANITIZED = os.environ.get("DYNAMICS_SANITIZED") == "1"


def resident():
    with open("/proc/self/statm", encoding="ascii") as stream:
        return int(stream.read().split()[1]) * resource.getpagesize()


def grows(function, count, warm_up=2000):
    """Growth of the resident memory (bytes) over `count` calls."""
    for _ in range(warm_up):
        function()
    gc.collect()
    before = resident()
    for _ in range(count):
        function()
    gc.collect()
    return resident() - before


@pytest.mark.skipif(SANITIZED, reason="AddressSanitizer keeps freed memory")
def test_a_million_calls_do_not_leak(puma):
    q = np.full(6, 0.1)
    batch = np.full((8, 6), 0.1)
    out = np.zeros(6)
    wrong, nan = np.zeros(5), np.full(6, np.nan)

    def failing(arguments):
        try:
            puma.inverse(*arguments)
        except dynamics.Error:
            pass

    calls = {
        lambda: puma.inverse(q, q, q): 400_000,
        lambda: puma.forward(q, q, q, out=out): 200_000,
        lambda: puma.inverse(batch, batch, batch): 100_000,
        lambda: puma.inverse_derivatives(q, q, q): 100_000,
        lambda: puma.gravity([0.1] * 6): 50_000,
        lambda: puma.pose(q, frame="tool0"): 50_000,
        lambda: puma.inverse(q, wrenches={"tool0": [0, 0, 0, 0, 0, 1]}): 30_000,
        lambda: failing((q, wrong, q)): 30_000,
        lambda: failing((q, nan, q)): 20_000,
        lambda: failing((q, "text", q)): 20_000,
    }
    assert sum(calls.values()) == 1_000_000
    for function, count in calls.items():
        # a leak of one small object per call would be more than 16 bytes per call
        assert grows(function, count) < max(2_000_000, 4 * count)


def test_references_are_returned(puma):
    q, out = np.full(6, 0.1), np.zeros(6)
    outs = (np.zeros((6, 6)), np.zeros((6, 6)))
    objects = [q, out, puma, *outs]
    before = [sys.getrefcount(item) for item in objects]
    for _ in range(1000):
        puma.inverse(q, q, q, out=out)
        puma.inverse(q, q, q, out=out[::-1])
        puma.inverse(q, q, q, out=q.copy())
        puma.inverse_derivatives(q, q, q, out=outs)
        with pytest.raises(dynamics.Error):
            puma.inverse(q, q, q[:3], out=out)
        with pytest.raises(dynamics.Error):
            puma.inverse_derivatives(q, q, q, out=(outs[0], out))
    assert [sys.getrefcount(item) for item in objects] == before


@pytest.mark.skipif(SANITIZED, reason="AddressSanitizer keeps freed memory")
def test_robots_and_runs_are_freed():
    def use():
        robot = dynamics.load("planar3")
        robot.inverse(np.zeros((100, 3)), threads=1)
        robot.simulate(duration=0.05, controller=lambda t, q, qd: -qd)

    assert grows(use, 300, warm_up=30) < 3_000_000
