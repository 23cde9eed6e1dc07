#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times of the module beside C++ in the same process, PyKDL and Pinocchio.

    source install/setup.bash && /usr/bin/python3 dynamics_python/benchmark/benchmark.py [--json]

All functions run in turn, several rounds; medians. States are random and change with every call.
"""
import argparse
import json
import statistics
import threading
import time

import numpy as np

import dynamics

STATES = 64


def median(values):
    return statistics.median(values)


def time_of(function, calls):
    started = time.perf_counter()
    for _ in range(calls):
        function()
    return (time.perf_counter() - started) / calls


def cycle(function, arrays):
    """A call with the next state each time; the cost of the loop is measured and subtracted."""
    rows = [tuple(array[k] for array in arrays) for k in range(STATES)]

    def run(calls):
        started = time.perf_counter()
        for k in range(calls):
            function(*rows[k % STATES])
        spent = time.perf_counter() - started
        started = time.perf_counter()
        for k in range(calls):
            nothing(*rows[k % STATES])
        return (spent - (time.perf_counter() - started)) / calls

    return run


def nothing(*_):
    pass


def one_state(robot, rounds, calls=20_000):
    """Call overhead: the time of one Python call beside that of one C++ call."""
    arrays = [np.random.default_rng(seed).uniform(-1, 1, (STATES, robot.size)) for seed in (1, 2, 3)]
    out = np.empty(robot.size)
    results = {}
    for function in ("inverse", "forward"):
        method = getattr(robot, function)
        ours = cycle(method, arrays)
        into = cycle(lambda q, qd, x, method=method: method(q, qd, x, out=out), arrays)
        times = {"python": [], "out": [], "cpp": []}
        for _ in range(rounds):
            times["python"].append(ours(calls))
            times["out"].append(into(calls))
            times["cpp"].append(dynamics._core._measure_state(robot, function, calls))
        results[function] = {name: 1e9 * median(values) for name, values in times.items()}
    return results


def batches(robot, rounds, states=100_000):
    """Time of a batch beside the C++ batch: new arrays, and an out array."""
    arrays = [np.random.default_rng(seed).uniform(-1, 1, (states, robot.size)) for seed in (1, 2, 3)]
    out = np.empty_like(arrays[0])
    results = {}
    for function in ("inverse", "forward"):
        method = getattr(robot, function)
        times = {"python": [], "out": [], "cpp": []}
        for _ in range(rounds):
            times["cpp"] += dynamics._core._measure_batches(robot, function, states, 1, 2)[1:]
            times["python"].append(time_of(lambda: method(*arrays, threads=1), 1))
            times["out"].append(time_of(lambda: method(*arrays, out=out, threads=1), 1))
        results[function] = {name: 1e9 * median(values) / states for name, values in times.items()}
    return results


def threads(robot, rounds, states=100_000):
    """Two Python threads on one robot beside one: batches per second."""
    q = np.random.default_rng(1).uniform(-1, 1, (states, robot.size))
    outs = [np.empty_like(q) for _ in range(2)]

    def work(index):
        for _ in range(4):
            robot.forward(q, q, q, out=outs[index], threads=1)

    speedups = []
    for _ in range(rounds):
        started = time.perf_counter()
        work(0)
        alone = time.perf_counter() - started
        pair = [threading.Thread(target=work, args=(index,)) for index in range(2)]
        started = time.perf_counter()
        for thread in pair:
            thread.start()
        for thread in pair:
            thread.join()
        speedups.append(2 * alone / (time.perf_counter() - started))
    return {"median": median(speedups), "best": max(speedups)}


def pykdl(robot, rounds, calls=5_000):
    """PyKDL: inverse dynamics of one state, the arm built from our description."""
    try:
        import PyKDL as kdl
    except ImportError:
        return None
    chain = kdl_chain(kdl, robot)
    solver = kdl.ChainIdSolver_RNE(chain, kdl.Vector(*robot.gravitation.tolist()))
    n = robot.size
    wrenches = [kdl.Wrench() for _ in range(chain.getNrOfSegments())]
    arrays = [np.random.default_rng(seed).uniform(-1, 1, (STATES, n)) for seed in (1, 2, 3)]
    result = kdl.JntArray(n)
    inputs = [kdl.JntArray(n) for _ in range(3)]

    def call(*state):
        for target, values in zip(inputs, state):
            for i in range(n):
                target[i] = values[i]
        solver.CartToJnt(*inputs, wrenches, result)

    def filled(*_):
        solver.CartToJnt(*inputs, wrenches, result)

    call(*(array[0] for array in arrays))
    ours = robot.inverse(*(array[0] for array in arrays))
    difference = max(abs(result[i] - ours[i]) for i in range(n))
    runs = [(cycle(call, arrays)(calls), cycle(filled, arrays)(calls)) for _ in range(rounds)]
    return {"with_numpy": 1e9 * median([run[0] for run in runs]),
            "without_conversion": 1e9 * median([run[1] for run in runs]),
            "difference": difference}


def kdl_chain(kdl, robot):
    """The robot's URDF as a KDL chain: the URDF of a DH arm has revolute joints about z only."""
    import xml.etree.ElementTree as ElementTree

    root = ElementTree.fromstring(robot.urdf)
    links = {link.get("name"): link for link in root.findall("link")}

    def numbers(element, name, otherwise):
        text = None if element is None else element.get(name)
        return [float(x) for x in text.split()] if text else otherwise

    def frame(origin):
        xyz, rpy = numbers(origin, "xyz", [0, 0, 0]), numbers(origin, "rpy", [0, 0, 0])
        return kdl.Frame(kdl.Rotation.RPY(*rpy), kdl.Vector(*xyz))

    chain = kdl.Chain()
    for joint in root.findall("joint"):
        origin = frame(joint.find("origin"))
        axis = kdl.Vector(*numbers(joint.find("axis"), "xyz", [1, 0, 0]))
        moving = kdl.Joint(joint.get("name"), origin.p, origin.M * axis, kdl.Joint.RotAxis)
        if joint.get("type") == "fixed":
            moving = kdl.Joint(joint.get("name"), kdl.Joint.Fixed)
        inertial = links[joint.find("child").get("link")].find("inertial")
        inertia = kdl.RigidBodyInertia()
        if inertial is not None:
            at = frame(inertial.find("origin"))
            values = inertial.find("inertia").attrib
            rotational = kdl.RotationalInertia(
                *(float(values[key]) for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")))
            centered = kdl.RigidBodyInertia(float(inertial.find("mass").get("value")),
                                            kdl.Vector(), rotational)
            inertia = at * centered
        chain.addSegment(kdl.Segment(joint.get("name"), moving, origin, inertia))
    return chain


def pinocchio(robot, rounds, calls=20_000):
    """Pinocchio's Python module, where it is installed."""
    try:
        import pinocchio as pin
    except ImportError:
        return None
    model = pin.buildModelFromXML(robot.urdf)
    model.gravity.linear = robot.gravitation
    data = model.createData()
    arrays = [np.random.default_rng(seed).uniform(-1, 1, (STATES, robot.size)) for seed in (1, 2, 3)]
    rnea = cycle(lambda q, qd, qdd: pin.rnea(model, data, q, qd, qdd), arrays)
    aba = cycle(lambda q, qd, tau: pin.aba(model, data, q, qd, tau), arrays)
    state = [array[0] for array in arrays]
    difference = float(np.abs(pin.rnea(model, data, *state) - robot.inverse(*state)).max())
    runs = [(rnea(calls), aba(calls)) for _ in range(rounds)]
    return {"inverse": 1e9 * median([run[0] for run in runs]),
            "forward": 1e9 * median([run[1] for run in runs]), "difference": difference}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robot", default="puma")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    robot = dynamics.load(arguments.robot)
    results = {
        "robot": arguments.robot,
        "instruction_set": dynamics.instruction_set(),
        "one_state_ns": one_state(robot, arguments.rounds),
        "batch_ns_per_state": batches(robot, arguments.rounds),
        "threads": threads(robot, arguments.rounds),
        "pykdl_ns": pykdl(robot, arguments.rounds),
        "pinocchio_ns": pinocchio(robot, arguments.rounds),
    }
    if arguments.json:
        print(json.dumps(results))
        return
    print(f"{arguments.robot}, {results['instruction_set']}")
    print("\none state (ns)      Python    out=       C++   overhead")
    for function, times in results["one_state_ns"].items():
        print(f"  {function:14} {times['python']:10.0f} {times['out']:7.0f} {times['cpp']:9.0f} "
              f"{times['python'] - times['cpp']:10.0f}")
    print("\n100,000 states, one thread (ns per state)")
    print("                    Python    out=       C++      ratio   ratio with out=")
    for function, times in results["batch_ns_per_state"].items():
        print(f"  {function:14} {times['python']:10.1f} {times['out']:7.1f} {times['cpp']:9.1f} "
              f"{times['python'] / times['cpp']:10.2f} {times['out'] / times['cpp']:10.2f}")
    print(f"\ntwo Python threads on one robot: {results['threads']['median']:.2f} times one "
          f"(best {results['threads']['best']:.2f})")
    kdl = results["pykdl_ns"]
    if kdl is None:
        print("PyKDL is not installed")
    else:
        print(f"PyKDL, inverse dynamics of one state: {kdl['with_numpy']:.0f} ns from NumPy arrays, "
              f"{kdl['without_conversion']:.0f} ns without conversion (difference "
              f"{kdl['difference']:.1e})")
    other = results["pinocchio_ns"]
    if other is None:
        print("Pinocchio's Python module is not installed")
    else:
        print(f"Pinocchio, one state: inverse {other['inverse']:.0f} ns, forward "
              f"{other['forward']:.0f} ns (difference {other['difference']:.1e})")


if __name__ == "__main__":
    main()
