# SPDX-License-Identifier: Apache-2.0
"""Simulations: those of the program, controllers in Python, files."""
import json
import signal
import threading

import numpy as np
import pytest
from conftest import PENDULUM, URDF

import dynamics


def csv_of(program, tmp_path, robot, *arguments):
    path = tmp_path / "run.csv"
    program("simulate", robot, *arguments, "--output", path)
    return path.read_text()


@pytest.mark.parametrize("robot, arguments, options", [
    ("puma", ["--duration", 0.5], {"duration": 0.5}),
    ("planar3", ["--scenario", "forced", "--duration", 1], {"scenario": "forced", "duration": 1}),
    ("canadarm", ["--duration", 0.2, "--integrator", "radau5"],
     {"duration": 0.2, "integrator": "radau5"}),
    ("puma", ["--controller", "pd-gravity", "--bandwidth", 20, "--damping", 0.7, "--control-rate",
              500, "--push", "link3:0,20,0@0.1:0.2", "--duration", 0.5],
     {"controller": "pd-gravity", "bandwidth": 20, "damping": 0.7, "control_rate": 500,
      "pushes": [("link3", [0, 20, 0], 0.1, 0.2)], "duration": 0.5}),
    ("stanford", ["--controller", "computed-torque", "--kp", 100, "--kd", 20, "--reference",
                  "cycloid", "--period", 2, "--duration", 0.3],
     {"controller": "computed-torque", "kp": 100, "kd": 20, "reference": "cycloid", "period": 2,
      "duration": 0.3}),
    (str(URDF / "ur5e.urdf"), ["--limits", "--restitution", 0.5, "--duration", 0.5, "--lock",
                               "elbow_joint@0.2:0.1"],
     {"limits": True, "restitution": 0.5, "duration": 0.5, "locks": [("elbow_joint", 0.2, 0.2 + 0.1)]}),
    ("puma", ["--algorithm", "nasser", "--duration", 0.2, "--no-friction"],
     {"algorithm": "nasser", "duration": 0.2, "friction": False}),
    ("puma", ["--base-motion", "z:0.05:2", "--duration", 0.2],
     {"base_motion": [("z", 0.05, 2)], "duration": 0.2}),
])
def test_runs_are_those_of_the_program(program, tmp_path, robot, arguments, options):
    expected = csv_of(program, tmp_path, robot, *arguments)
    assert dynamics.load(robot).simulate(**options).to_csv() == expected


def test_payload_is_dropped(program, tmp_path, puma):
    expected = csv_of(program, tmp_path, "puma", "--payload", 2, "--drop-payload", 0.1,
                      "--duration", 0.3)
    run = puma.with_payload(2).simulate(drop_payload=0.1, duration=0.3)
    assert run.to_csv() == expected
    assert any("payload" in event.what for event in run.events)


def test_columns(puma):
    run = puma.simulate(duration=0.5)
    assert len(run) == 51 and run.t[-1] == 0.5
    assert run.names[:2] == ["t", "q_joint1"] and "kinetic" in run and list(run) == run.names
    assert (run["q_joint3"] == run.q[:, 2]).all() and (run["tau_joint1"] == 0).all()
    assert run.qd.shape == run.qdd.shape == run.tau.shape == (51, 6)
    with pytest.raises(KeyError, match="no column 'q_elbow': it must be one of t, q_joint1"):
        run["q_elbow"]
    # the recorded states obey the equations of motion, and energy is conserved
    assert np.allclose(puma.inverse(run.q, run.qd, run.qdd), run.tau, atol=1e-8)
    energy = puma.energy(run.q, run.qd)
    assert np.allclose(energy.kinetic, run.kinetic) and np.allclose(energy.potential, run.potential)
    assert run.statistics.completed and abs(run.statistics.energy_drift) < 1e-6
    assert run.desired is None and run.end_effector.shape == (51, 3)
    assert np.allclose(puma.pose(run.q)[:, :3, 3], run.end_effector)


@pytest.mark.parametrize("rate", [None, 1000])
def test_python_controller_matches_the_stock_controller(rate):
    robot = dynamics.load("planar3")
    kp, kd, start = 10.0, 0.5, robot.q0

    def law(t, q, qd):
        return robot.gravity(q) + kp * (start - q) - kd * qd

    options = {"duration": 0.5, "qd0": [1, -1, 0.5], "control_rate": rate}
    own = robot.simulate(controller=law, **options)
    stock = robot.simulate(controller="pd-gravity", kp=kp, kd=kd, **options)
    assert np.allclose(own.q, stock.q, rtol=0, atol=1e-8)
    assert np.allclose(own.tau, stock.tau, rtol=0, atol=1e-6)


def test_errors_of_a_python_controller(puma):
    class Mistake(Exception):
        pass

    def mistake(t, q, qd):
        raise Mistake("in the controller")

    with pytest.raises(Mistake, match="in the controller"):
        puma.simulate(controller=mistake, duration=1)
    with pytest.raises(dynamics.ArgumentError, match="torques: has 2 entries; 6 are needed"):
        puma.simulate(controller=lambda t, q, qd: [0, 0], duration=1)
    with pytest.raises(dynamics.ArgumentError, match="torque of joint 'joint3' is nan"):
        puma.simulate(controller=lambda t, q, qd: [0, 0, np.nan, 0, 0, 0], duration=1)
    with pytest.raises(dynamics.ArgumentError, match="the controller's torques"):
        puma.simulate(controller=lambda t, q, qd: None, duration=1)


def test_options_without_effect_are_refused(puma):
    for options, message in [
            ({"kp": 3}, "kp has no effect in scenario free-fall"),
            ({"scenario": "hold", "controller": "pd"}, "exclude each other"),
            ({"controller": "pd", "control_delay": 0.1}, "control_delay has no effect without"),
            ({"restitution": 0.5}, "restitution has no effect without limits"),
            ({"controller": lambda t, q, qd: q, "kp": 3}, "kp has no effect on a function"),
            ({"controller": "pd", "q1": np.zeros(6)}, "q1 has no effect"),
            ({"controller": "torques"}, "needs torques"),
            ({"interpolation": "zero"}, "interpolation has no effect"),
            ({"controller": "nonsense"}, "nonsense"),
            ({"integrator": "nonsense"}, "nonsense"),
            ({"duration": -1}, "duration"),
            ({"q0": np.zeros(5)}, "q0")]:
        with pytest.raises(dynamics.ArgumentError, match=message):
            puma.simulate(**options)
    with pytest.raises(TypeError, match="durations"):
        puma.simulate(durations=3)


def test_torque_history(puma):
    t = np.linspace(0, 0.5, 11)
    tau = np.outer(np.sin(t), np.ones(6))
    run = puma.simulate(torques=(t, tau), duration=0.5, sample=0.05)
    assert np.allclose(run.tau, tau)
    with pytest.raises(dynamics.ArgumentError, match="columns; 6 are needed"):
        puma.simulate(torques=(t, tau[:, :3]))


def test_reference_is_followed(puma):
    motion = dynamics.cycloid(puma.q0, puma.q0 + 0.5, 1.0)
    run = puma.simulate(controller="computed-torque", reference=motion, duration=1)
    assert np.allclose(run.q[-1], puma.q0 + 0.5, atol=1e-6)
    assert np.allclose(run.desired, motion(run.t)[0])
    own = dynamics.trajectory_from_function(
        6, lambda t: (puma.q0 + 0.1 * t**2, np.full(6, 0.2 * t), np.full(6, 0.2)))
    run = puma.simulate(controller="computed-torque", reference=own, duration=0.5)
    assert np.allclose(run.q[-1], puma.q0 + 0.1 * 0.25, atol=1e-6)


def test_events_and_progress(puma):
    pendulum = dynamics.load(PENDULUM)
    run = pendulum.simulate(q0=[-0.5], duration=5, friction=False,
                            events={"level": lambda t, q, qd: q[0]},
                            stop_at={"down": lambda t, q, qd: q[0] - 1.0})
    assert [event.what for event in run.events if "level" in event.what]
    assert run.t[-1] < 5 and np.isclose(run.q[-1, 0], 1.0)
    times = []
    run = puma.simulate(duration=2, progress=lambda t: times.append(t) or t < 0.5)
    assert times and run.t[-1] < 2 and not run.statistics.completed


def test_interrupt_ends_a_simulation(puma):
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        puma.simulate(duration=1e5, sample=10.0, rtol=1e-12)
    timer.join()


def test_closed_loops_are_simulated(program, tmp_path):
    files = sorted(URDF.glob("**/*four*bar*.urdf"))
    if not files:
        pytest.skip("this checkout has no four-bar linkage")
    expected = csv_of(program, tmp_path, files[0], "--duration", 0.2)
    run = dynamics.load(files[0]).simulate(duration=0.2)
    assert run.to_csv() == expected


def test_files(puma, program, tmp_path, monkeypatch):
    run = puma.simulate(duration=0.2)
    run.save(tmp_path / "run.csv")
    assert (tmp_path / "run.csv").read_text() == run.to_csv()
    run.save(str(tmp_path / "run.json"))
    made = json.loads((tmp_path / "run.json").read_text())
    assert made["format"] == "dynamics-run" and made["samples"]["q"][0] == run.q[:, 0].tolist()
    run.save(tmp_path / "run.mcap")
    assert dynamics.load(dynamics.read_robot_description(str(tmp_path / "run.mcap"))).size == 6
    template = tmp_path / "viewer.html"
    template.write_text("[__DYNAMICS_RUN__,__DYNAMICS_COMPARE__,__DYNAMICS_MESHES__]")
    monkeypatch.setenv("DYNAMICS_VIEWER", str(template))
    run.save(tmp_path / "run.html")
    page = json.loads((tmp_path / "run.html").read_text())
    assert page[0]["format"] == "dynamics-run" and page[1:] == [None, None]
    assert run._repr_html_().startswith("<iframe")
    template.write_text("no placeholder")
    with pytest.raises(dynamics.ParseError, match="viewer.html: does not contain"):
        run.to_html()
    monkeypatch.setenv("DYNAMICS_VIEWER", str(tmp_path / "missing.html"))
    with pytest.raises(dynamics.StateError, match="template viewer.html is not installed"):
        run.save(tmp_path / "other.html")
    assert run._repr_html_() is None
    with pytest.raises(dynamics.ArgumentError, match="must end in .csv, .json"):
        run.save(tmp_path / "run.xlsx")
    with pytest.raises(dynamics.Error, match="no_folder"):
        run.save(tmp_path / "no_folder/run.csv")


def test_logs_are_read(puma, tmp_path):
    run = puma.simulate(controller="pd-gravity", q0=np.full(6, 0.1), qd0=np.full(6, 0.3),
                        duration=0.5)
    path = tmp_path / "log.mcap"
    run.save(path)
    log = puma.read_log(path)
    assert log.topic == "/joint_states" and np.allclose(log.t, run.t)
    assert np.allclose(log.q, run.q) and np.allclose(log.qd, run.qd) and np.allclose(log.tau, run.tau)
    motion = puma.read_trajectory(path)
    assert np.allclose(motion(run.t)[0], run.q)
    assert np.allclose(puma.view_log(path, measured=True).tau, run.tau)
    assert np.allclose(puma.view_log(path).q, run.q)
    with pytest.raises(dynamics.ParseError, match="joint"):
        dynamics.load(PENDULUM).read_log(path)


def test_torques_along_a_trajectory(puma, program, tmp_path):
    path = tmp_path / "torques.csv"
    program("inverse", "puma", "--trajectory", "cycloid", "--output", path)
    run = puma.torques_along(puma.cycloid())
    assert run.to_csv() == path.read_text()
    points = dynamics.trajectory(run.t, run.q, run.qd, run.qdd)
    assert np.allclose(puma.inverse(*points(run.t)), run.tau, atol=1e-8)
    with pytest.raises(dynamics.ArgumentError, match="qd: has 3 rows"):
        dynamics.trajectory(run.t, run.q, run.qd[:3])


def test_efforts_and_time_scaling():
    robot = dynamics.load(URDF / "ur5e.urdf")
    t = np.linspace(0, 0.4, 9)
    q, qd, qdd = dynamics.cycloid(np.zeros(6), np.full(6, 1.5), 0.4)(t)
    check = robot.check_efforts(robot.inverse(q, qd, qdd))
    assert not check.within_limits and check.violation[1] in robot.names
    assert check.ratios.max() > 1 and check.peaks.shape == (6,)
    parts = robot.effort_parts(q, qd, qdd)
    assert np.allclose(sum(parts), robot.inverse(q, qd, qdd))
    scaled = robot.scale_time(t, q, qd, qdd)
    assert scaled.t[-1] > 0.4 and scaled.largest_effort_ratio <= 1 + 1e-9
    assert robot.check_efforts(robot.inverse(scaled.q, scaled.qd, scaled.qdd)).within_limits
    faster = robot.scale_time(t, q, qd, qdd, method="per_segment")
    assert faster.t[-1] <= scaled.t[-1] * (1 + 1e-9)
    with pytest.raises(dynamics.ArgumentError, match="method"):
        robot.scale_time(t, q, method="fastest")


def test_pandas_and_plots(puma):
    run = puma.simulate(duration=0.1)
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = run.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame.index.name == "t"
    assert (frame["q_joint1"].to_numpy() == run["q_joint1"]).all()
    matplotlib = pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    matplotlib.use("Agg")
    assert len(run.plot().axes) == 4
    assert len(run.plot(["q_joint1", "kinetic"]).axes) == 1
