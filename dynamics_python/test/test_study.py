# SPDX-License-Identifier: Apache-2.0
"""Studies: the tables of threads, Dask and the program are the same, bit for bit."""
import json
import os
import pickle
import subprocess

import numpy as np
import pytest
from conftest import PENDULUM

import dynamics
from dynamics import _core

FALLS = """
robot: planar3
run: {simulate: {duration: 0.05, rtol: 1e-6}}
vary:
  - {parameter: mass, of: all, each: true, scale: {normal: [1, 0.05, 0.8, 1.2]}}
keep: [final q_*, energy]
samples: 40
"""


@pytest.fixture
def falls(tmp_path):
    path = tmp_path / "falls.yaml"
    path.write_text(FALLS)
    return path


def table(folder):
    return (folder / "table.csv").read_bytes()


def test_one_and_three_threads_and_any_chunks_give_the_same_table(falls, tmp_path):
    summary = dynamics.study(falls, tmp_path / "one", threads=1)
    assert summary["cases"] == 40 and summary["failed"] == 0
    assert summary["run"]["computed"] == 40
    dynamics.study(falls, tmp_path / "three", threads=3, chunk=7)
    assert table(tmp_path / "one") == table(tmp_path / "three")
    assert table(tmp_path / "one").count(b"\n") == 41


def test_program_gives_the_same_table(falls, tmp_path, program):
    subprocess.run([os.environ["DYNAMICS_PROGRAM"], "study", falls, "--output",
                    tmp_path / "program", "--threads", "2"], check=True, capture_output=True)
    dynamics.study(falls, tmp_path / "python")
    assert table(tmp_path / "program") == table(tmp_path / "python")
    # the folders are the same too: one continues the other
    again = dynamics.study(falls, tmp_path / "program", resume=True)
    assert again["run"]["resumed"] == 40 and again["run"]["computed"] == 0


def test_dask_gives_the_same_table(falls, tmp_path):
    distributed = pytest.importorskip("distributed", reason="python3-distributed is not installed")
    dynamics.study(falls, tmp_path / "threads", threads=1)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True,
                                  dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            client.wait_for_workers(2)
            summary = dynamics.study(falls, tmp_path / "dask", client=client, chunk=3)
            assert sum(summary["run"]["by_worker"].values()) == 40
            with pytest.raises(dynamics.ArgumentError, match="threads has no effect"):
                dynamics.study(falls, tmp_path / "no", client=client, threads=2)
    assert table(tmp_path / "threads") == table(tmp_path / "dask")


def test_results_may_arrive_in_any_order(falls, tmp_path):
    study = _core.Study(FALLS, "falls.yaml", str(tmp_path))
    folder = _core.StudyFolder(str(tmp_path / "out"), study, False)
    for first in (30, 10, 20, 0):
        numbers = list(range(first, first + 10))
        folder.append(numbers, *study.run(numbers))
    assert folder.missing() == []
    folder.write_results("{}")
    dynamics.study(falls, tmp_path / "whole")
    assert table(tmp_path / "out") == table(tmp_path / "whole")


def test_pickled_study_needs_no_files(tmp_path):
    (tmp_path / "arm.urdf").write_text(PENDULUM)
    text = ("robot: arm.urdf\nrun: {terms: {q: [0.5]}}\n"
            "vary: [{parameter: mass, of: arm, scale: {list: [1, 2]}}]\nkeep: [gravity_hinge]\n")
    study = _core.Study(text, "study.yaml", str(tmp_path))
    data = pickle.dumps(study)
    (tmp_path / "arm.urdf").unlink()
    values, errors = pickle.loads(data).run([0, 1])
    assert errors == {}
    np.testing.assert_array_equal(values, study.run([0, 1])[0])
    np.testing.assert_allclose(values[1, 1], 2 * values[0, 1], rtol=1e-14)


def test_resume_computes_what_is_missing_and_refuses_a_changed_study(falls, tmp_path):
    study = _core.Study(FALLS, str(falls), str(tmp_path))
    folder = _core.StudyFolder(str(tmp_path / "out"), study, False)
    folder.append([3, 4], *study.run([3, 4]))
    with pytest.raises(dynamics.ArgumentError, match="--resume"):
        dynamics.study(falls, tmp_path / "out")
    summary = dynamics.study(falls, tmp_path / "out", resume=True)
    assert summary["run"]["resumed"] == 2 and summary["run"]["computed"] == 38
    falls.write_text(FALLS + "seed: 2\n")
    with pytest.raises(dynamics.ArgumentError, match="description was changed"):
        dynamics.study(falls, tmp_path / "out", resume=True)


def test_failed_cases_are_rows_with_their_error(tmp_path):
    path = tmp_path / "masses.yaml"
    path.write_text("robot: planar3\nrun: {terms: {}}\n"
                    "vary: [{parameter: mass, of: link1, add: {list: [1, -100]}}]\n")
    summary = dynamics.study(path, tmp_path / "out")
    assert summary["failed"] == 1
    assert "link1" in summary["failures"][0]["error"]
    values, errors = _core.Study(path.read_text(), "masses.yaml", "").run([1])
    assert list(errors) == [0] and np.isnan(values[0, 1:]).all()


def test_rows_of_another_instruction_set_are_refused(falls, tmp_path, monkeypatch):
    from dynamics import _study
    monkeypatch.setattr(_study, "_rows", lambda study, numbers: (*study.run(numbers), "mips"))
    with pytest.raises(dynamics.ArgumentError, match="computes with mips"):
        dynamics.study(falls, tmp_path / "out")


@pytest.mark.parametrize("options, message", [
    ({"threads": 0}, "threads is 0"), ({"chunk": 0}, "chunk is 0")])
def test_bad_options_are_refused(falls, tmp_path, options, message):
    with pytest.raises(dynamics.ArgumentError, match=message):
        dynamics.study(falls, tmp_path / "out", **options)


def test_bad_descriptions_are_refused(falls, tmp_path):
    with pytest.raises(dynamics.ParseError, match="no such file"):
        dynamics.study(tmp_path / "nothing.yaml", tmp_path / "out")
    falls.write_text(FALLS.replace("mass", "weight"))
    with pytest.raises(dynamics.ParseError, match="unknown parameter 'weight'"):
        dynamics.study(falls, tmp_path / "out")
    falls.write_text(FALLS + "runs: csv\n")
    with pytest.raises(dynamics.ArgumentError, match="program"):
        dynamics.study(falls, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_summary_is_the_file(falls, tmp_path):
    summary = dynamics.study(falls, tmp_path / "out")
    assert summary == json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["worst"][0]["command"].startswith("dynamics study")
