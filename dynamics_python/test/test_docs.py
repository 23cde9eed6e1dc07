# SPDX-License-Identifier: Apache-2.0
"""The examples: docstrings, README.md and docs/python.md."""
import doctest
import os
import pathlib
import re

import numpy as np
import pytest
from conftest import ROOT

import dynamics
import dynamics.ros
from dynamics import _core, _description, _motion, _robot, _run, _simulate


def documented():
    """Every function and method with a docstring."""
    seen = {}
    for module in (dynamics, _core, _description, _motion, _robot, _run, _simulate):
        for name, item in vars(module).items():
            if name.startswith("__") or not (getattr(item, "__module__", "") or "").startswith(
                    "dynamics"):
                continue
            seen[f"{module.__name__}.{name}"] = item
            if isinstance(item, type):
                for member, function in vars(item).items():
                    if not member.startswith("__"):
                        seen[f"{module.__name__}.{name}.{member}"] = function
    texts = {dynamics.__name__: dynamics.__doc__}
    texts.update({name: getattr(item, "__doc__", None) for name, item in seen.items()})
    return {name: text for name, text in texts.items() if text and ">>>" in text}


@pytest.mark.parametrize("name, text", sorted(documented().items()))
def test_docstring(name, text):
    parser = doctest.DocTestParser()
    test = parser.get_doctest(text, {"dynamics": dynamics, "np": np}, name, None, 0)
    results = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
    assert results.failed == 0 and results.attempted > 0


def test_every_method_has_an_example():
    names = documented()
    for method in ("inverse", "forward", "gravity", "inertia", "regressor", "pose", "jacobian",
                   "coriolis", "inverse_derivatives", "forward_derivatives"):
        assert f"dynamics._core.Robot.{method}" in names
    assert "dynamics._simulate.SimulationMethods.simulate" in names


def test_public_names_are_documented():
    for name in dynamics.__all__:
        if name != "__version__":
            assert getattr(dynamics, name).__doc__, name


def python_blocks(path):
    return re.findall(r"```python\n(.*?)```", path.read_text("utf-8"), re.DOTALL)


@pytest.mark.parametrize("file", ["README.md", "docs/python.md"])
def test_code_of_the_documents_runs(file, tmp_path, monkeypatch):
    blocks = python_blocks(ROOT / file)
    assert blocks
    template = tmp_path / "viewer.html"
    template.write_text("[__DYNAMICS_RUN__,__DYNAMICS_COMPARE__,__DYNAMICS_MESHES__]")
    if "DYNAMICS_VIEWER" not in os.environ:
        monkeypatch.setenv("DYNAMICS_VIEWER", str(template))
    (tmp_path / "urdf").symlink_to(ROOT / "urdf")
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks:
        if "rclpy" in block or "from dynamics import ros" in block:
            pytest.importorskip("rclpy", reason="rclpy is not installed")
        exec(compile(block, file, "exec"), names)  # one after the other, as a reader types them
    assert pathlib.Path("fall.csv").exists() or file != "README.md"
