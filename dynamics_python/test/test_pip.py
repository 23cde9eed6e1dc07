# SPDX-License-Identifier: Apache-2.0
"""pip install in a virtual environment with the system's packages, without network."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT


def test_pip_install(tmp_path, program):
    if os.environ.get("DYNAMICS_SANITIZED") == "1":
        pytest.skip("pip builds without sanitizers")
    venv = tmp_path / "venv"
    made = subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", str(venv)],
                          capture_output=True, text=True, check=False)
    if made.returncode != 0:
        pytest.skip("venv is not installed (package python3-venv)")
    environment = {key: value for key, value in os.environ.items()
                   if key not in ("PYTHONPATH", "LD_PRELOAD")}
    prefix = pathlib.Path(os.environ["DYNAMICS_PROGRAM"]).parents[1]
    environment["CMAKE_PREFIX_PATH"] = f"{prefix}:{environment.get('CMAKE_PREFIX_PATH', '')}"
    environment["PIP_NO_INDEX"] = "1"
    # the installation is tested, not the speed of the module: compile faster
    environment["CMAKE_ARGS"] = "-DCMAKE_CXX_FLAGS_RELEASE=-O0"
    # pip leaves its build folder behind: not in the sources
    package = tmp_path / "dynamics_python"
    shutil.copytree(ROOT / "dynamics_python", package,
                    ignore=shutil.ignore_patterns("build", "*.egg-info"))
    done = subprocess.run(
        [str(venv / "bin/pip"), "install", "--no-build-isolation", "--no-input", "-v",
         str(package)],
        env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    code = ("import dynamics; print(dynamics.__file__); "
            "print(dynamics.load('puma').inverse([0.1] * 6).tolist())")
    result = subprocess.run([str(venv / "bin/python"), "-c", code], env=environment, cwd=tmp_path,
                            capture_output=True, text=True, check=True).stdout.splitlines()
    assert result[0].startswith(str(venv))
    tau = program("inverse", "puma", "--q", ",".join(["0.1"] * 6))["tau"]
    assert result[1] == str(tau)
