# SPDX-License-Identifier: Apache-2.0
"""Functions of one state: bit by bit those of the program, and independent checks of the others."""
import numpy as np
import pytest
from conftest import PENDULUM, URDF, listed, random_states

import dynamics

ROBOTS = ["planar3", "stanford", "puma", str(URDF / "panda.urdf"), str(URDF / "ur5e.urdf")]


@pytest.mark.parametrize("name", ROBOTS)
def test_one_state_is_bit_identical_to_the_program(program, name):
    robot = dynamics.load(name)
    q, qd, last = (random_states(robot, seed=seed) for seed in (1, 2, 3))
    state = ["--q", listed(q), "--qd", listed(qd)]
    tau = program("inverse", name, *state, "--qdd", listed(last))["tau"]
    assert robot.inverse(q, qd, last).tolist() == tau
    qdd = program("forward", name, *state, "--tau", listed(last))["qdd"]
    assert robot.forward(q, qd, last).tolist() == qdd
    terms = program("terms", name, *state)
    assert robot.inertia(q).tolist() == terms["M"]
    assert robot.coriolis(q, qd).tolist() == terms["C"]
    assert robot.gravity(q).tolist() == terms["g"]
    U, d = robot.udut(q)
    assert U.tolist() == terms["U"] and d.tolist() == terms["D"]
    energy = robot.energy(q, qd)
    assert (energy.kinetic, energy.potential) == (terms["kinetic"], terms["potential"])
    frame = program("kinematics", name, *state, "--frame", robot.end_effector)
    assert robot.jacobian(q).tolist() == frame["jacobian"]
    assert robot.pose(q)[:3, 3].tolist() == frame["frames"][0]["xyz"]
    assert robot.velocity(q, qd).tolist() == frame["velocity"]


@pytest.mark.parametrize("name", dynamics.algorithms())
def test_formulations_are_those_of_the_program(program, puma, name):
    q, qd, last = (random_states(puma, seed=seed) for seed in (1, 2, 3))
    state = ["--q", listed(q), "--qd", listed(qd), "--algorithm", name]
    if name in dynamics.algorithms("inverse"):
        tau = program("inverse", "puma", *state, "--qdd", listed(last))["tau"]
        assert puma.inverse(q, qd, last, algorithm=name).tolist() == tau
        assert np.allclose(puma.inverse(q, qd, last), tau, rtol=1e-10, atol=1e-10)
    else:
        with pytest.raises(dynamics.ArgumentError, match="supports only forward dynamics"):
            puma.inverse(q, qd, last, algorithm=name)
    if name in dynamics.algorithms("forward"):
        qdd = program("forward", "puma", *state, "--tau", listed(last))["qdd"]
        assert puma.forward(q, qd, last, algorithm=name).tolist() == qdd
        batch = puma.forward(q[None], qd[None], last[None], algorithm=name)
        assert np.allclose(batch, [qdd], rtol=1e-12)


def test_flexible_robot_is_bit_identical_to_the_program(program):
    robot = dynamics.load("canadarm")
    assert robot.is_flexible and robot.size > len(robot.joint_names) == 3
    q, qd = random_states(robot, seed=1) * 0.01, random_states(robot, seed=2)
    state = ["--q", listed(q), "--qd", listed(qd)]
    for width in (3, robot.size):
        qdd = random_states(robot, seed=3, width=width)
        tau = program("inverse", "canadarm", *state, "--qdd", listed(qdd))["tau"]
        assert robot.inverse(q, qd, qdd).tolist() == tau
    tau = random_states(robot, seed=4, width=3)
    qdd = program("forward", "canadarm", *state, "--tau", listed(tau))["qdd"]
    assert robot.forward(q, qd, tau).tolist() == qdd
    terms = program("terms", "canadarm", *state)
    assert robot.inertia(q).tolist() == terms["M"]
    assert robot.gravity(q).tolist() == terms["g"]
    assert robot.energy(q, qd).strain == terms["strain"]
    # joints alone: amplitudes of zero
    assert (robot.inertia(q[:3]) == robot.inertia(np.r_[q[:3], np.zeros(robot.size - 3)])).all()
    cholesky = robot.forward(q, qd, tau, algorithm="cholesky")
    assert np.allclose(cholesky, qdd, rtol=1e-6)
    with pytest.raises(dynamics.ArgumentError, match="rigid=True"):
        robot.inverse_derivatives(q, qd)
    rigid = robot.as_rigid()
    assert rigid.size == 3 and rigid.inverse_derivatives(np.zeros(3))[0].shape == (3, 3)


def test_closed_loops_are_bit_identical_to_the_program(program):
    path = URDF / "mechanisms/four_bar.urdf"
    if not path.exists():
        path = next(iter(sorted(URDF.glob("**/*four*bar*.urdf"))), None)
    if path is None:
        pytest.skip("this checkout has no four-bar linkage")
    robot = dynamics.load(path)
    assert robot.has_loops and robot.size < len(robot.joint_names)
    z = robot.q0 + 0.1
    zd, zdd = np.full(robot.size, 0.4), np.full(robot.size, -0.7)
    state = ["--q", listed(z), "--qd", listed(zd)]
    tau = program("inverse", path, *state, "--qdd", listed(zdd))["tau"]
    assert robot.inverse(z, zd, zdd).tolist() == tau
    qdd = program("forward", path, *state, "--tau", listed(zdd))["qdd"]
    assert robot.forward(z, zd, zdd).tolist() == qdd
    terms = program("terms", path, *state)
    assert robot.inertia(z).tolist() == terms["M"]
    assert robot.coriolis(z, zd).tolist() == terms["C"]
    assert robot.joint_positions(z).tolist() == terms["q"]
    # all joints, which close the loops
    everything = robot.joint_positions(z)
    assert np.allclose(robot.inertia(everything), terms["M"], rtol=1e-9)
    with pytest.raises(dynamics.ArgumentError, match="does not close the loops"):
        robot.inertia(everything + np.arange(len(everything)))
    # the Jacobian by the independent joints, against differences
    h = 1e-6
    for i in range(robot.size):
        step = np.eye(robot.size)[i] * h
        linear = (robot.pose(z + step)[:3, 3] - robot.pose(z - step)[:3, 3]) / (2 * h)
        assert np.allclose(robot.jacobian(z)[3:, i], linear, atol=1e-7)
    batch = robot.inverse(np.tile(z, (5, 1)), np.tile(zd, (5, 1)), np.tile(zdd, (5, 1)))
    assert (batch == tau).all()


def test_derivatives_match_complex_free_differences(puma):
    q, qd, last = (random_states(puma, seed=seed) for seed in (1, 2, 3))
    for function, derivatives in ((puma.inverse, puma.inverse_derivatives),
                                  (puma.forward, puma.forward_derivatives)):
        found = derivatives(q, qd, last)
        h = 1e-6
        for argument in range(len(found)):
            for j in range(6):
                low, high = [q.copy(), qd.copy(), last.copy()], [q.copy(), qd.copy(), last.copy()]
                low[argument][j] -= h
                high[argument][j] += h
                column = (function(*high) - function(*low)) / (2 * h)
                assert np.allclose(found[argument][:, j], column, rtol=1e-5, atol=1e-4)


def test_equations_of_motion(puma):
    q, qd, qdd = (random_states(puma, seed=seed) for seed in (1, 2, 3))
    tau = puma.inertia(q) @ qdd + puma.coriolis(q, qd) @ qd + puma.gravity(q)
    assert np.allclose(puma.inverse(q, qd, qdd), tau, rtol=1e-12)
    christoffel = puma.coriolis(q, qd, kind="christoffel")
    assert np.allclose(christoffel @ qd, puma.coriolis(q, qd) @ qd)
    assert not np.allclose(christoffel, puma.coriolis(q, qd))
    assert np.allclose(puma.regressor(q, qd, qdd) @ puma.parameters, tau, rtol=1e-9)
    assert np.allclose(puma.jacobian(q) @ qd, puma.velocity(q, qd))
    h = 1e-6
    rate = (puma.jacobian(q + h * qd) - puma.jacobian(q - h * qd)) / (2 * h)
    assert np.allclose(puma.jacobian_rate(q, qd), rate, atol=1e-8)
    assert np.isclose(puma.energy(q, qd).kinetic, 0.5 * qd @ puma.inertia(q) @ qd)


def test_closed_form_of_a_pendulum():
    robot = dynamics.load(PENDULUM)
    q, qd = 0.3, 0.7
    inertia = 0.02 + 2 * 0.5**2
    friction = 0.3 * qd + 0.1 * qd / np.hypot(qd, 0.01)
    # the axis is y: a positive angle lowers the arm
    expected = 2.0 * inertia - 2 * 9.81 * 0.5 * np.cos(q) + friction
    assert np.isclose(robot.inverse([q], [qd], [2.0])[0], expected)
    assert np.isclose(robot.inverse([q], [qd], [2.0], friction=False)[0], expected - friction)
    assert np.isclose(robot.friction([qd])[0], friction)


def test_wrenches_base_motion_and_payload(puma, program):
    q, qd, qdd = (random_states(puma, seed=seed) for seed in (1, 2, 3))
    wrench = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    tau = puma.inverse(q, qd, qdd, wrenches={"tool0": wrench})
    assert np.allclose(tau, puma.inverse(q, qd, qdd) - puma.jacobian(q, frame="tool0").T @ wrench)
    expected = program("inverse", "puma", "--q", listed(q), "--qd", listed(qd), "--qdd",
                       listed(qdd), "--wrench", "tool0:" + listed(wrench))["tau"]
    assert tau.tolist() == expected
    # a batch takes them in any axes
    for axes in ("local", "world", "local_world_aligned"):
        one = puma.forward(q, qd, qdd, wrenches={"tool0": wrench}, wrench_axes=axes)
        many = puma.forward([q] * 9, [qd] * 9, [qdd] * 9, wrenches={"tool0": wrench},
                            wrench_axes=axes)
        assert np.allclose(many, one, rtol=1e-12)
    # a base that accelerates upwards by g doubles gravity
    base = dynamics.BaseMotion(acceleration=[0, 0, 0, 0, 0, 9.81])
    assert np.allclose(puma.inverse(q, base=base), 2 * puma.gravity(q))
    loaded = puma.with_payload(2.0, [0.1, 0, 0], np.eye(3) * 0.01)
    weight = puma.inverse(q, wrenches={"tool0": [0, 0, 0, 0, 0, -2 * 9.81]})
    arm = loaded.pose(q)[:3, :3] @ [0.1, 0, 0]
    torque = puma.jacobian(q)[:3].T @ np.cross(arm, [0, 0, -2 * 9.81])
    assert np.allclose(loaded.gravity(q), weight - torque)
    assert loaded.without_payload() == puma and loaded != puma


@pytest.mark.parametrize("name", ["planar3", "puma", str(URDF / "panda.urdf"), PENDULUM])
def test_batches_match_single_states(name):
    robot = dynamics.load(name)
    count = 333
    q, qd, last = (random_states(robot, count, seed) for seed in (1, 2, 3))
    calls = {"inverse": 3, "forward": 3, "gravity": 1, "bias": 2, "inertia": 1, "coriolis": 2,
             "inverse_inertia": 1, "udut": 1, "inverse_derivatives": 3, "forward_derivatives": 3,
             "regressor": 3, "pose": 1, "velocity": 2, "jacobian": 1, "jacobian_rate": 2,
             "center_of_mass": 1, "friction": 1, "_energy": 2, "joint_positions": 1}
    for function, inputs in calls.items():
        method = getattr(robot, function)
        arguments = (q, qd, last)[:inputs]
        batch = method(*arguments)
        singles = [method(*(a[k] for a in arguments)) for k in range(count)]
        if not isinstance(batch, tuple):
            batch, singles = (batch,), [(one,) for one in singles]
        for i, results in enumerate(batch):
            expected = np.stack([one[i] for one in singles])
            assert results.shape == expected.shape and results.flags.c_contiguous, function
            scale = np.abs(expected).max() + 1e-300
            assert np.abs(results - expected).max() / scale < 1e-12, function


def test_inverse_kinematics(puma, program):
    pose = puma.pose([0.1, 0.2, 0.3, 0.1, 0.2, 0.3])
    found = puma.inverse_kinematics(pose, q0=np.zeros(6))
    assert found.reached and np.allclose(puma.pose(found.q), pose, atol=1e-9)
    position = puma.inverse_kinematics(pose[:3, 3])
    assert position.reached and np.allclose(puma.pose(position.q)[:3, 3], pose[:3, 3], atol=1e-9)
    far = puma.inverse_kinematics([10, 0, 0], starts=3)
    assert not far.reached and far.position_error > 5
    with pytest.raises(dynamics.ArgumentError, match="target"):
        puma.inverse_kinematics(np.eye(3))
