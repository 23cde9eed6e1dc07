# SPDX-License-Identifier: Apache-2.0
"""Configuration of RViz for a robot."""

import yaml


def rviz_configuration(text, frame, reach, view=None, flexible=False):
    """
    Return config/robot.rviz with this robot's frame and view.

    `view` has distance, focal_point, pitch and yaw; defaults depend on the reach of the robot (m).
    A flexible robot is drawn by markers, and its rigid model is drawn transparent.
    """
    configuration = yaml.safe_load(text)
    manager = configuration["Visualization Manager"]
    manager["Global Options"]["Fixed Frame"] = frame
    view = view or {}
    size = max(reach, 0.1)
    camera = manager["Views"]["Current"]
    camera["Distance"] = float(view.get("distance", 2.5 * size))
    camera["Focal Point"] = dict(
        zip("XYZ", map(float, view.get("focal_point", (0.0, 0.0, 0.25 * size)))))
    camera["Pitch"] = float(view.get("pitch", camera["Pitch"]))
    camera["Yaw"] = float(view.get("yaw", camera["Yaw"]))
    for display in manager["Displays"]:
        if display["Class"].endswith("/Grid"):
            display["Cell Size"] = float(view.get("cell", 0.5 if size < 5.0 else 2.0))
            display["Offset"]["Z"] = float(view.get("floor", 0.0))
        if display["Class"].endswith("/RobotModel") and flexible:
            display["Alpha"] = 0.4
    return yaml.safe_dump(configuration, sort_keys=False)
