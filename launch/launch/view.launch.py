# SPDX-License-Identifier: Apache-2.0
from dynamics_bringup.view import view_launch


def generate_launch_description():
    return view_launch()
