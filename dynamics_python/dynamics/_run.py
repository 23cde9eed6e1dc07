# SPDX-License-Identifier: Apache-2.0
"""Run: the columns of a simulation, and its files."""
from __future__ import annotations

import base64
import os
import pathlib
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from . import _core

Array = NDArray[np.float64]


class RunEvent(NamedTuple):
    """An event: an impact on a joint stop, a limit exceeded, a user-defined one."""

    t: float
    what: str


class RunStatistics(NamedTuple):
    """Steps, accuracy and outcome of a run."""

    steps: int
    rejected: int
    evaluations: int
    wall_seconds: float
    energy_drift: float
    completed: bool
    ending: str


def _page_template() -> str:
    """The text of viewer.html of the package dynamics_viewer."""
    given = os.environ.get("DYNAMICS_VIEWER")
    inside = pathlib.Path("share/dynamics_viewer/viewer.html")
    if given:
        candidates = [pathlib.Path(given)]
    else:
        here = pathlib.Path(__file__).parent
        candidates = [here / "viewer.html"]
        # PREFIX/lib/python3.X/site-packages/dynamics: merged and isolated installations
        for prefix in list(here.parents)[3:5]:
            candidates += [prefix / inside, prefix.parent / "dynamics_viewer" / inside]
        for prefixes in ("AMENT_PREFIX_PATH", "COLCON_PREFIX_PATH"):
            for name in filter(None, os.environ.get(prefixes, "").split(":")):
                candidates += [pathlib.Path(name) / inside,
                               pathlib.Path(name) / "dynamics_viewer" / inside]
    for file in candidates:
        if file.is_file():
            return file.read_text("utf-8")
    raise _core.StateError(
        "the template viewer.html is not installed: build the package dynamics_viewer (./run "
        "--standalone builds it), or set DYNAMICS_VIEWER; .csv, .json and .mcap do not need it")


class Run:
    """The result of a simulation: columns by name, energies, events.

    >>> run = dynamics.load("planar3").simulate(duration=0.1)
    >>> run
    <dynamics.Run of planar3: free-fall, 0.1 s, 11 samples>
    >>> run.names[:4]
    ['t', 'q_joint1', 'q_joint2', 'q_joint3']
    >>> run["q_joint1"].shape, run.q.shape
    ((11,), (11, 3))
    """

    def __init__(self, recording: _core.Recording) -> None:
        self._recording = recording
        self._columns: Dict[str, Array] = recording.columns()
        self._blocks: Dict[str, Any] = {}

    def _block(self, name: str) -> Any:
        if name not in self._blocks:
            self._blocks[name] = self._recording.block(name)
        return self._blocks[name]

    @property
    def names(self) -> List[str]:
        """The names of the columns, as in the CSV file."""
        return list(self._columns)

    def __getitem__(self, name: str) -> Array:
        try:
            return self._columns[name]
        except KeyError:
            raise KeyError(f"no column '{name}': it must be one of {', '.join(self.names)}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        """Number of samples."""
        return len(self._recording)

    @property
    def t(self) -> Array:
        """Times of the samples (s), shape (N,)."""
        return self._columns["t"]

    @property
    def q(self) -> Array:
        """Positions of the joints, shape (N, n)."""
        return self._array("q")

    @property
    def qd(self) -> Array:
        """Velocities of the joints, shape (N, n)."""
        return self._array("qd")

    @property
    def qdd(self) -> Array:
        """Accelerations of the joints, shape (N, n)."""
        return self._array("qdd")

    @property
    def tau(self) -> Array:
        """Torques of the joints, shape (N, n)."""
        return self._array("tau")

    @property
    def amplitudes(self) -> Array:
        """Amplitudes of flexible links, shape (N, m)."""
        return self._array("amplitudes")

    @property
    def tips(self) -> Array:
        """Deflections of the tips of flexible links (m), shape (N, 2 links)."""
        return self._array("tips")

    @property
    def end_effector(self) -> Array:
        """Position of the end effector (m), shape (N, 3)."""
        return self._array("end_effector")

    @property
    def desired(self) -> Optional[Array]:
        """Reference positions, shape (N, n); None without a reference."""
        block: Optional[Array] = self._block("desired")
        return block

    def _array(self, name: str) -> Array:
        block: Array = self._block(name)
        return block

    @property
    def kinetic(self) -> Array:
        """Kinetic energy (J), shape (N,)."""
        return self._columns["kinetic"]

    @property
    def potential(self) -> Array:
        """Potential energy (J), shape (N,)."""
        return self._columns["potential"]

    @property
    def strain(self) -> Array:
        """Strain energy of flexible links (J), shape (N,)."""
        return self._columns["strain"]

    @property
    def events(self) -> List[RunEvent]:
        """Events in the order of time."""
        return [RunEvent(t, what) for t, what in self._recording.events()]

    @property
    def statistics(self) -> RunStatistics:
        """Steps, accuracy and outcome."""
        return RunStatistics(**self._recording.statistics())

    @property
    def joint_names(self) -> List[str]:
        """Names of the joints."""
        return self._recording.joint_names()

    # ---- other forms

    def to_dict(self) -> Dict[str, Array]:
        """Return the columns by name."""
        return dict(self._columns)

    def to_pandas(self) -> Any:
        """Return the columns as a pandas.DataFrame with the index t."""
        import pandas

        return pandas.DataFrame(self._columns).set_index("t")

    def plot(self, columns: Optional[Sequence[str]] = None, *, figure: Any = None) -> Any:
        """Plot positions, velocities, torques and energies, or these columns, with Matplotlib.

        Returns the figure.
        """
        if figure is None:
            import matplotlib.pyplot

            figure = matplotlib.pyplot.figure(figsize=(10, 7), layout="constrained")
        if columns is not None:
            axes = figure.subplots()
            for name in columns:
                axes.plot(self.t, self[name], label=name)
            axes.set_xlabel("t (s)")
            axes.legend()
            return figure
        grid = figure.subplots(2, 2, sharex=True).flat
        for axes, values, title in zip(grid, (self.q, self.qd, self.tau),
                                       ("position (rad, m)", "velocity (rad/s, m/s)",
                                        "torque (N m, N)")):
            axes.plot(self.t, values, label=self.joint_names)
            axes.set_title(title)
        axes = grid[3]
        for name in ("kinetic", "potential", "strain"):
            axes.plot(self.t, self[name], label=name)
        axes.set_title("energy (J)")
        axes.legend(fontsize="small")
        grid[0].legend(fontsize="small")
        for axes in grid[2:]:
            axes.set_xlabel("t (s)")
        return figure

    def to_csv(self) -> str:
        """Return the run as CSV, 17 digits."""
        return self._recording.to_csv()

    def to_json(self) -> str:
        """Return the run as one JSON object."""
        return self._recording.to_json(False)

    def to_html(self) -> str:
        """Return the run as one page with the animated robot and its plots."""
        return self._recording.to_page(_page_template())

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Write the run to a file: .csv, .json, .html (page) or .mcap; "FOLDER/" for rosbag2.

        >>> import tempfile, os
        >>> path = os.path.join(tempfile.mkdtemp(), "run.csv")
        >>> dynamics.load("planar3").simulate(duration=0.1).save(path)
        >>> open(path).readline()[:20]
        't,q_joint1,q_joint2,'
        """
        name = os.fspath(path)
        if name.endswith((".mcap", "/")):
            self._recording.write_mcap(name)
        elif name.endswith(".csv"):
            _core.write_file(name, self.to_csv())
        elif name.endswith(".json"):
            _core.write_file(name, self.to_json() + "\n")
        elif name.endswith(".html"):
            _core.write_file(name, self.to_html())
        else:
            raise _core.ArgumentError(
                f"path: '{name}' must end in .csv, .json, .html, .mcap or / (a folder for rosbag2)")

    def _repr_html_(self) -> Optional[str]:
        """The page, in a notebook."""
        try:
            page = self.to_html()
        except _core.StateError:
            return None
        data = base64.b64encode(page.encode("utf-8")).decode("ascii")
        return (f'<iframe src="data:text/html;base64,{data}" width="100%" height="600" '
                'style="border:none"></iframe>')

    def __repr__(self) -> str:
        recording = self._recording
        end = self.t[-1] if len(self) else 0.0
        return (f"<dynamics.Run of {recording.robot()}: {recording.scenario() or 'trajectory'}, "
                f"{end:g} s, {len(self)} samples>")
