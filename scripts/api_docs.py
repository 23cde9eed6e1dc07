#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the API documentation with Doxygen: build/docs/html/index.html.

  scripts/api_docs.py

Every warning of Doxygen is an error, except that some members need no comment of their own: data
members (their struct is documented), the functions of every container, moves, and memory() and
data(), which only the library calls. docs/api.md, the main page, must name every header.
Exit code: 0 no warning, 1 warnings, which are printed.
"""
import pathlib
import re
import subprocess
import sys

NEEDS_NO_COMMENT = re.compile(
    r"Member (\S+ \(variable\)"
    r"|.*&& *\w*\)( noexcept)? \(function\)"
    r"|(size|rows|cols|empty|begin|end|operator\[\]|operator bool|memory|data)\(.*\)( const)?( ?=0)? \(function\))"
    r" of .* is not documented\."
)


def warnings(root):
    """Runs Doxygen; returns its warnings as 'FILE:LINE: TEXT'."""
    (root / "build/docs").mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ["doxygen", "docs/Doxyfile"], cwd=root, capture_output=True, text=True, check=False
    )
    lines = [line.replace(f"{root}/", "") for line in done.stderr.splitlines() if line.strip()]
    lines = [line for line in lines if not NEEDS_NO_COMMENT.search(line)]
    page = (root / "docs/api.md").read_text(encoding="utf-8")
    for header in sorted((root / "dynamics_core/include/dynamics_core").glob("*.hpp")):
        if f"`{header.name}`" not in page:
            lines.append(f"docs/api.md: does not name {header.name}")
    if done.returncode and not lines:
        lines.append(f"doxygen ended with {done.returncode}")
    return lines


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    lines = warnings(root)
    print("\n".join(lines[:50]) or f"{root}/build/docs/html/index.html")
    if len(lines) > 50:
        print(f"... {len(lines)} warnings")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
