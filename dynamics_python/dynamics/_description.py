# SPDX-License-Identifier: Apache-2.0
"""Checks of robot descriptions."""
from __future__ import annotations

import os
from typing import List, Union

from . import _core


def check(robot: Union[str, "os.PathLike[str]"]) -> List[_core.Finding]:
    """Return the findings about a description: errors, warnings and remarks.

    robot: the text of a URDF, a file (URDF, or DH table by .yaml), or a built-in name.

    >>> findings = dynamics.check('''<robot name="arm"><link name="base"/><link name="arm"/>
    ...   <joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/>
    ...   <limit lower="2" upper="1" effort="1" velocity="1"/></joint></robot>''')
    >>> sorted({finding.name for finding in findings if finding.severity == "error"})
    ['shoulder']
    """
    text, is_table, source = _core.find_source(os.fspath(robot))
    return _core.check(text, source, is_table)


def repair(text: str) -> str:
    """Return the text of a URDF with every finding repaired that has a single repair."""
    return _core.repair(text)
