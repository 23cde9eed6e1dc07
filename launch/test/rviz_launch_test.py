# SPDX-License-Identifier: Apache-2.0
"""RViz starts with our configuration on a virtual display, and no display reports an error."""

import atexit
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription, SetEnvironmentVariable
from launch.events.process import ProcessExited
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_testing.actions import ReadyToTest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from common import DEFAULTS, RobotTest, nothing  # noqa: E402

from dynamics_bringup.bringup import share  # noqa: E402
from dynamics_bringup.screen import Screen  # noqa: E402


def obstacle():
    """Return the reason why this test cannot run on this machine, or None."""
    try:
        get_package_prefix("rviz2")
    except PackageNotFoundError:
        return "rviz2 is not installed"
    if shutil.which("Xvfb") is None:
        return "there is no Xvfb"
    if not os.access(os.environ.get("RVIZ_STATUS", ""), os.X_OK):
        return "rviz_common was not there when this was built"
    return None


screen = None if obstacle() else Screen(1024, 700)
if screen is not None:
    atexit.register(screen.close)  # after RViz has ended


def generate_test_description():
    if screen is None:
        return nothing()
    return LaunchDescription([
        SetEnvironmentVariable("DISPLAY", screen.display),
        SetEnvironmentVariable("LIBGL_ALWAYS_SOFTWARE", "1"),
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(str(share("launch", "puma.launch.py"))),
            launch_arguments={**DEFAULTS, "gui": "true"}.items()),
        ReadyToTest(),
    ])


@unittest.skipIf(obstacle(), str(obstacle()))
class TestRviz(RobotTest):

    def test_starts_without_errors(self, proc_info, proc_output):
        robot = self.robot
        robot.wait_until(lambda: robot.time() > 0.5, "it does not fall")
        process = next(one for one in proc_info.processes()
                       if one.process_details["name"].startswith("rviz2"))
        command = process.process_details["cmd"]

        def subscribed():
            return any(info.node_name.startswith("rviz") for info in
                       robot.node.get_subscriptions_info_by_topic("/dynamics_markers/markers"))

        robot.wait_until(subscribed, "RViz does not subscribe to the markers")
        # the configuration that it was started with
        configuration = command[command.index("-d") + 1]
        done = subprocess.run(
            [os.environ["RVIZ_STATUS"], configuration, "60", "--ros-args", "-p",
             "use_sim_time:=true"],
            env={**os.environ, "DISPLAY": screen.display, "LIBGL_ALWAYS_SOFTWARE": "1"},
            capture_output=True, text=True, timeout=120, check=False)
        print(done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for display in ("Robot", "Dynamics"):
            self.assertRegex(done.stdout, rf"ok: {display}, Topic: \d+ messages received")
        # RViz is still running, without error messages
        self.assertNotIsInstance(proc_info[process], ProcessExited)
        said = "".join(line.text.decode() for line in proc_output[process])
        self.assertNotIn("[ERROR]", said)
