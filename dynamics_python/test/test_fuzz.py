# SPDX-License-Identifier: Apache-2.0
"""10,000 random calls with wrong shapes, types, NaN, negative strides, read-only and overlapping
arrays: the result of a plain call, or an exception of this module. Also run under AddressSanitizer
(./test sanitize)."""
import numpy as np
import pytest
from conftest import PENDULUM

import dynamics

CALLS = 10_000
METHODS = {"inverse": ("q", "qd", "qdd"), "forward": ("q", "qd", "tau"), "gravity": ("q",),
           "bias": ("q", "qd"), "inertia": ("q",), "inverse_inertia": ("q",), "udut": ("q",),
           "coriolis": ("q", "qd"), "inverse_derivatives": ("q", "qd", "qdd"),
           "forward_derivatives": ("q", "qd", "tau"), "regressor": ("q", "qd", "qdd"),
           "_energy": ("q", "qd"), "pose": ("q",), "velocity": ("q", "qd"), "jacobian": ("q",),
           "jacobian_rate": ("q", "qd"), "center_of_mass": ("q",), "friction": ("qd",),
           "joint_positions": ("q",)}


class Fuzzer:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def chance(self, probability):
        return self.rng.random() < probability

    def pick(self, choices):
        return choices[self.rng.integers(len(choices))]

    def layout(self, values):
        """The same numbers in other memory."""
        kind = self.rng.integers(6)
        if kind == 0:
            return np.asfortranarray(values)
        if kind == 1:
            every = tuple(slice(None, None, int(self.rng.integers(1, 4))) for _ in values.shape)
            wide = np.zeros(tuple(4 * n for n in values.shape))
            view = wide[every][tuple(slice(n) for n in values.shape)]
            view[...] = values
            return view
        if kind == 2:
            back = tuple(slice(None, None, -1) for _ in values.shape)
            return values[back].copy()[back]
        if kind == 3:
            return values.astype(">f8")
        if kind == 4:
            copy = values.copy()
            copy.flags.writeable = False
            return copy
        return values.tolist()

    def spoil(self, values):
        """An argument that may be wrong."""
        kind = self.rng.integers(8)
        if kind == 0:
            return values[..., :-1]
        if kind == 1:
            return np.concatenate([values, values], axis=-1)
        if kind == 2:
            return values[None, None]
        if kind == 3:
            values = values.copy()
            if values.size:
                values.flat[self.rng.integers(values.size)] = self.pick([np.nan, np.inf, -np.inf])
            return values
        if kind == 4:
            return values.astype(self.pick([complex, str, object, bool, np.float32, np.int32]))
        if kind == 5:
            return self.pick([None, "text", 3.0, {}, [], [[1], [1, 2]], np.zeros((0, 0)),
                              np.array(2.0)])
        if kind == 6:
            return values[:1] if values.ndim == 2 else values[None]
        return values * 1e300


@pytest.mark.parametrize("name", ["planar3", "puma", "canadarm", PENDULUM])
def test_random_calls(name):
    robot = dynamics.load(name)
    fuzzer = Fuzzer(len(name))
    errors = answers = 0
    for _ in range(CALLS // 4):
        method = fuzzer.pick(list(METHODS))
        shape = (robot.size,) if fuzzer.chance(0.5) else (int(fuzzer.rng.integers(0, 20)), robot.size)
        plain = [fuzzer.rng.uniform(-1, 1, shape) for _ in METHODS[method]]
        arguments = [fuzzer.layout(a) if fuzzer.chance(0.3) else a for a in plain]
        spoiled = fuzzer.chance(0.3)
        if spoiled:
            index = int(fuzzer.rng.integers(len(arguments)))
            arguments[index] = fuzzer.spoil(plain[index])
        keywords = {}
        if fuzzer.chance(0.1):
            keywords["threads"] = fuzzer.pick([0, 1, 2, 7, -1, 0.5])
        if fuzzer.chance(0.3):
            keywords["out"] = fuzzer.pick(
                [arguments[0], np.zeros(shape), np.zeros(3), np.zeros(shape)[..., ::-1], 3,
                 np.lib.stride_tricks.as_strided(np.zeros(1), shape, (0,) * len(shape)),
                 (np.zeros(shape), np.zeros(shape))])
        before = [np.array(a, copy=True) for a in plain]
        try:
            result = getattr(robot, method)(*arguments, **keywords)
        except dynamics.Error:
            errors += 1
            continue
        answers += 1
        if spoiled:
            continue
        expected = getattr(robot, method)(*before)
        pairs = zip(result, expected) if isinstance(expected, tuple) else [(result, expected)]
        for got, wanted in pairs:
            assert got.shape == wanted.shape and (got == wanted).all(), (method, shape, keywords)
    assert errors > 300 and answers > 300
