# SPDX-License-Identifier: Apache-2.0
"""Threads, the GIL and child processes."""
import concurrent.futures
import multiprocessing
import os
import threading

import numpy as np
import pytest
from conftest import random_states

import dynamics


@pytest.mark.parametrize("function", ["inverse", "forward", "inverse_derivatives", "regressor"])
def test_results_do_not_depend_on_the_number_of_threads(puma, function):
    states = [random_states(puma, 5000, seed) for seed in (1, 2, 3)]
    method = getattr(puma, function)
    one, two, all_of_them = (np.asarray(method(*states, threads=n)) for n in (1, 2, 0))
    assert (one == two).all() and (one == all_of_them).all()
    part = np.asarray(method(*(array[:1234] for array in states)))
    assert (part == (one[:, :1234] if isinstance(method(states[0][0]), tuple) else one[:1234])).all()


def test_threads_share_a_robot(puma):
    states = [random_states(puma, 400, seed) for seed in range(8)]
    expected = [puma.forward(q, q, q, threads=1) for q in states]
    singles = [puma.forward(q[0], q[0], q[0]) for q in states]

    def work(index):
        q = states[index % 8]
        for _ in range(30):
            assert (puma.forward(q, q, q, threads=index % 3) == expected[index % 8]).all()
            assert (puma.forward(q[0], q[0], q[0]) == singles[index % 8]).all()
        return True

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(16)))


def test_batches_release_the_gil(puma):
    """Another thread counts while a batch is computed, which takes much longer than a switch."""
    q = random_states(puma, 300_000)
    counting, stop = threading.Event(), threading.Event()
    counts = [0]

    def count():
        while not stop.is_set():
            counts[0] += 1
            counting.set()

    thread = threading.Thread(target=count)
    thread.start()
    counting.wait()
    before = counts[0]
    for _ in range(3):
        puma.forward(q, q, q, threads=1)
    during = counts[0] - before
    stop.set()
    thread.join()
    # with the GIL held the counter stands still during each call
    assert during > 1000


def child(robot, q, queue):
    queue.put(robot.inverse(q, q, q, threads=2))
    queue.put(dynamics.load("puma") == robot)


def test_forked_process_uses_a_robot_of_its_parent(puma):
    if os.environ.get("DYNAMICS_SANITIZED") == "1":
        pytest.skip("AddressSanitizer and fork() with threads do not mix")
    q = random_states(puma, 5000)
    expected = puma.inverse(q, q, q, threads=2)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=child, args=(puma, q, queue))
    process.start()
    assert (queue.get(timeout=60) == expected).all()
    assert queue.get(timeout=60)
    process.join(60)
    assert process.exitcode == 0


def test_spawned_process_gets_a_pickled_robot(puma):
    if os.environ.get("DYNAMICS_SANITIZED") == "1":
        pytest.skip("the spawned interpreter would need the same preload")
    q = random_states(puma, 50)
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        assert (pool.apply(puma.inverse, (q, q, q)) == puma.inverse(q, q, q)).all()
