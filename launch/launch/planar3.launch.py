# SPDX-License-Identifier: Apache-2.0
from dynamics_bringup.bringup import robot_launch


def generate_launch_description():
    return robot_launch("planar3")
