# SPDX-License-Identifier: Apache-2.0
"""Invalid launches end with one message that gives the reason, and a nonzero exit code."""

import pathlib
import sys
import tempfile
import unittest

from ament_index_python.packages import get_package_share_directory

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from common import Launch, nothing  # noqa: E402

PUMA = pathlib.Path(
    get_package_share_directory("dynamics_description"), "urdf", "puma.urdf").read_text("utf-8")
BLOCK = """<ros2_control name="puma" type="system">
  <hardware>
    <plugin>dynamics_sim/DynamicsSystem</plugin><param name="unclaimed">fly</param>
  </hardware>
  <joint name="joint1"><command_interface name="effort"/><state_interface name="position"/></joint>
</ros2_control></robot>"""


def generate_test_description():
    return nothing()


class TestFailures(unittest.TestCase):

    def fails(self, urdf, message, *words):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "arm.urdf")
            file.write_text(urdf, "utf-8")
            code, output = Launch(
                "robot.launch.py", f"urdf:={file}", "gui:=false", *words).wait()
        self.assertNotEqual(code, 0, output)
        self.assertIn(message, output)

    def test_invalid_inertia(self):
        self.fails(PUMA.replace('ixx="1.612"', 'ixx="-1.612"'),
                   "link 'link1': inertia has the negative principal moment")

    def test_invalid_argument(self):
        self.fails(PUMA, "start:='1 2': must be 6 numbers", "start:=1 2")

    def test_hardware_error(self):
        self.fails(PUMA.replace("</robot>", BLOCK), "must be free, brake or hold")
