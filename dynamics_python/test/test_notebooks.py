# SPDX-License-Identifier: Apache-2.0
"""The notebooks run from top to bottom; their assertions hold."""
import os
import pathlib

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "notebooks"


@pytest.mark.parametrize("name", ["student", "planner", "controls_engineer", "learner"])
def test_notebook(name):
    if os.environ.get("DYNAMICS_SANITIZED") == "1":
        pytest.skip("the kernel would need the same preload")
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3",
                                     resources={"metadata": {"path": str(FOLDER)}})
    client.execute()
    assert all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code")
