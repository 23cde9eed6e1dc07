# SPDX-License-Identifier: Apache-2.0
from dynamics_bringup.simulation import simulation_launch


def generate_launch_description():
    return simulation_launch()
