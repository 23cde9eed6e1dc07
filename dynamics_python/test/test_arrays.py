# SPDX-License-Identifier: Apache-2.0
"""Arrays of any stride, order and type: the same numbers, or an error that names the argument."""
import numpy as np
import pytest
from conftest import random_states

import dynamics


def variants(values):
    """The same numbers in other memory."""
    wide = np.zeros(tuple(2 * n for n in values.shape))
    every_second = wide[tuple(slice(None, None, 2) for _ in values.shape)]
    every_second[...] = values
    backwards = values[tuple(slice(None, None, -1) for _ in values.shape)].copy()
    raw = np.zeros(values.nbytes + 1, dtype=np.uint8)
    unaligned = raw[1:].view(np.float64).reshape(values.shape)
    unaligned[...] = values
    read_only = values.copy()
    read_only.flags.writeable = False
    return {"fortran": np.asfortranarray(values), "strided": every_second,
            "negative": backwards[tuple(slice(None, None, -1) for _ in values.shape)],
            "swapped": values.astype(">f8"), "unaligned": unaligned, "read-only": read_only,
            "list": values.tolist(), "object with __array__": Wrapped(values)}


class Wrapped:
    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None):
        return self.values if dtype is None else self.values.astype(dtype)


@pytest.mark.parametrize("shape", [(6,), (37, 6), (1, 6)])
def test_layouts_give_the_same_numbers(puma, shape):
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.uniform(-1, 1, (3, *shape))
    expected = puma.inverse(q, qd, qdd)
    for name, values in variants(qd).items():
        assert (puma.inverse(q, values, qdd) == expected).all(), name


def test_other_types_are_converted_or_rejected(puma):
    q = np.arange(6)
    expected = puma.gravity(q.astype(float))
    for dtype in (np.int8, np.int64, np.uint16, np.float32, np.float16, np.longdouble):
        assert (puma.gravity(q.astype(dtype)) == expected).all(), dtype
    for wrong in (q.astype(complex), q.astype(str), q.astype(object), q.astype(bool), "abcdef",
                  ["1"] * 6, [None] * 6, {}, object(), 3.0, q.astype("M8[s]"),
                  np.zeros(6, dtype=[("a", float)]), [[1, 2], [3]]):
        with pytest.raises(dynamics.ArgumentError, match="^q"):
            puma.gravity(wrong)
    with pytest.raises(dynamics.ArgumentError, match="^q: is a masked array"):
        puma.gravity(np.ma.masked_array(np.zeros(6), mask=[0, 1, 0, 0, 0, 0]))


@pytest.mark.parametrize("name, values", [
    ("qd", np.zeros(5)), ("qd", np.zeros(7)), ("qd", np.zeros((2, 6))), ("qd", np.zeros((1, 1, 6))),
    ("qd", np.zeros(0)), ("qd", np.float64(1)), ("qd", np.full(6, np.nan)),
    ("qd", [0, 0, np.inf, 0, 0, 0])])
def test_wrong_arguments_are_named(puma, name, values):
    with pytest.raises(dynamics.ArgumentError, match="^qd"):
        puma.inverse(np.zeros(6), values, np.zeros(6))


def test_arguments_by_name(puma):
    q, qd, qdd = (random_states(puma, seed=seed) for seed in (1, 2, 3))
    expected = puma.inverse(q, qd, qdd)
    assert (puma.inverse(q=q, qdd=qdd, qd=qd) == expected).all()
    assert (puma.inverse(q, qdd=qdd) == puma.inverse(q, np.zeros(6), qdd)).all()
    assert (puma.inverse(q, None, None) == puma.gravity(q)).all()
    with pytest.raises(dynamics.ArgumentError, match="no argument 'tau': it takes q, qd, qdd, out"):
        puma.inverse(q, qd, tau=qdd)
    with pytest.raises(dynamics.ArgumentError, match="qd is given twice"):
        puma.inverse(q, qd, qd=qd)
    with pytest.raises(dynamics.ArgumentError, match="takes 3 arrays"):
        puma.inverse(q, qd, qdd, q)
    with pytest.raises(dynamics.ArgumentError, match="q: is missing"):
        puma.inverse()
    for wrong in (-1, 1.5, "two"):
        with pytest.raises(dynamics.ArgumentError, match="threads"):
            puma.inverse(q, qd, qdd, threads=wrong)
    with pytest.raises(dynamics.ArgumentError, match="unknown formulation|'euler'"):
        puma.inverse(q, qd, qdd, algorithm="euler")
    with pytest.raises(dynamics.ArgumentError, match="frame|no_link"):
        puma.pose(q, frame="no_link")


@pytest.mark.parametrize("count", [None, 50])
def test_out(puma, count):
    q, qd, qdd = (random_states(puma, count, seed) for seed in (1, 2, 3))
    expected = puma.inverse(q, qd, qdd)
    out = np.full_like(expected, np.nan)
    assert puma.inverse(q, qd, qdd, out=out) is out and (out == expected).all()
    for name, array in variants(np.zeros_like(expected)).items():
        if not isinstance(array, np.ndarray) or array.dtype != np.float64:
            continue
        if name == "read-only":
            with pytest.raises(dynamics.ArgumentError, match="^out: is read-only"):
                puma.inverse(q, qd, qdd, out=array)
        else:
            assert puma.inverse(q, qd, qdd, out=array) is array
            assert (array == expected).all(), name
    for wrong in (np.zeros(5), np.zeros((2, 6)), np.zeros(expected.shape, np.float32), [0.0] * 6,
                  np.zeros(expected.shape, ">f8"), np.ma.zeros(expected.shape)):
        with pytest.raises(dynamics.ArgumentError, match="^out"):
            puma.inverse(q, qd, qdd, out=wrong)
    same = np.lib.stride_tricks.as_strided(np.zeros(1), expected.shape, (0,) * expected.ndim)
    with pytest.raises(dynamics.ArgumentError, match="^out: has several entries in the same memory"):
        puma.inverse(q, qd, qdd, out=same)


def test_out_may_overlap_the_inputs(puma):
    q, qd, qdd = (random_states(puma, 50, seed) for seed in (1, 2, 3))
    expected = puma.inverse(q, qd, qdd)
    for index in range(3):
        inputs = [q.copy(), qd.copy(), qdd.copy()]
        assert (puma.inverse(*inputs, out=inputs[index]) == expected).all()
    memory = np.zeros((51, 6))  # the result one row below its input
    memory[:50] = qdd
    puma.inverse(q, qd, memory[:50], out=memory[1:])
    assert (memory[1:] == expected).all()
    memory = np.zeros((50, 6))  # and backwards
    memory[...] = qdd
    assert (puma.inverse(q, qd, memory, out=memory[::-1])[...] == expected).all()


def test_several_results(puma):
    q, qd, tau = (random_states(puma, 20, seed) for seed in (1, 2, 3))
    expected = puma.forward_derivatives(q, qd, tau)
    out = tuple(np.empty((20, 6, 6), order=order) for order in "CFC")
    result = puma.forward_derivatives(q, qd, tau, out=out)
    for array, other, given in zip(result, expected, out):
        assert array is given and (array == other).all()
    with pytest.raises(dynamics.ArgumentError, match="out: must be a tuple of 3 arrays"):
        puma.forward_derivatives(q, qd, tau, out=out[0])
    with pytest.raises(dynamics.ArgumentError, match="out: arrays 0 and 2 overlap"):
        puma.forward_derivatives(q, qd, tau, out=(out[0], out[1], out[0]))


def test_empty_batches(puma):
    empty = np.zeros((0, 6))
    assert puma.inverse(empty, empty, empty).shape == (0, 6)
    assert puma.inertia(empty).shape == (0, 6, 6)
    assert puma.regressor(empty).shape == (0, 6, len(puma.parameters))


def test_states_without_an_answer(puma):
    q, qd, tau = (random_states(puma, 100, seed) for seed in (1, 2, 3))
    expected = puma.forward(q, qd, tau)
    qd[[17, 40], 3] = np.nan
    out = np.zeros((100, 6))
    for algorithm in (None, "articulated-body"):
        with pytest.raises(dynamics.BatchError, match="state 17") as raised:
            puma.forward(q, qd, tau, out=out, algorithm=algorithm)
        assert raised.value.state == 17 and raised.value.count == 2
        assert np.isnan(out[[17, 40]]).all()
        good = np.delete(np.arange(100), [17, 40])
        assert np.allclose(out[good], expected[good], rtol=1e-9)
    assert issubclass(dynamics.BatchError, dynamics.StateError)
    reversed_out = np.zeros((100, 6))[::-1]
    with pytest.raises(dynamics.BatchError):
        puma.forward(q, qd, tau, out=reversed_out)
    assert np.allclose(reversed_out[good], expected[good], rtol=1e-9)
