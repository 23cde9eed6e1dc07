# SPDX-License-Identifier: Apache-2.0
from dynamics_bringup.dynamics_nodes import dynamics_launch


def generate_launch_description():
    return dynamics_launch()
