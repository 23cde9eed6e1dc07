# SPDX-License-Identifier: Apache-2.0
"""Processes of a launch: their packages, temporary files, and what their end means."""

import os
import pathlib
import tempfile

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
from launch.actions import RegisterEventHandler, Shutdown
from launch.event_handlers import OnShutdown

from dynamics_bringup.arguments import ArgumentError


def share(*parts):
    """Return a path in this package's share folder."""
    return pathlib.Path(get_package_share_directory("dynamics_bringup"), *parts)


def has_package(name):
    """Return True if a ROS 2 package is installed."""
    try:
        get_package_share_directory(name)
    except PackageNotFoundError:
        return False
    return True


class Files:
    """Temporary files of a launch, removed at its end."""

    def __init__(self):
        """Create an empty list of files."""
        self.paths = []

    def write(self, content, prefix, suffix):
        """Write a new file and return its path."""
        with tempfile.NamedTemporaryFile(
                "w", prefix=prefix, suffix=suffix, delete=False, encoding="utf-8") as stream:
            stream.write(content)
        self.paths.append(pathlib.Path(stream.name))
        return stream.name

    def remove(self, *_):
        """Remove the files."""
        for path in self.paths:
            path.unlink(missing_ok=True)

    def cleanup(self):
        """Return the action that removes the files when the launch ends."""
        return RegisterEventHandler(OnShutdown(on_shutdown=self.remove))


def vital(what):
    """Return an exit handler that ends the launch, with an error if the process failed."""

    def at_exit(event, context):
        if context.is_shutdown:
            return None
        if event.returncode != 0:
            raise RuntimeError(f"{what} exited with code {event.returncode}: see its message above")
        return [Shutdown(reason=f"{what} has ended")]

    return at_exit


def helper(what):
    """Return an exit handler that ends the launch only if the process failed."""

    def at_exit(event, context):
        if event.returncode != 0 and not context.is_shutdown:
            raise RuntimeError(f"{what} exited with code {event.returncode}: see its message above")

    return at_exit


def window(choice):
    """Return whether to open RViz, and a message if that is not possible."""
    if choice == "false":
        return False, None
    obstacle = None
    if not has_package("rviz2"):
        obstacle = "rviz2 is not installed"
    elif not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY"):
        obstacle = "no display"
    if obstacle and choice == "true":
        raise ArgumentError(f"gui:='true': {obstacle}")
    return obstacle is None, obstacle and f"{obstacle}: continuing without RViz"
