# SPDX-License-Identifier: Apache-2.0
"""Reads what a launch file would start, without starting it."""

import dataclasses
import itertools

import yaml
from dynamics_bringup.processes import share
from launch import LaunchContext
from launch.actions import ExecuteProcess, IncludeLaunchDescription, LogInfo
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LocalSubstitution
from launch.utilities import perform_substitutions
from launch_ros.actions import Node


@dataclasses.dataclass
class Process:
    """One process of a launch."""

    executable: str
    namespace: str
    words: list  # of the command line
    parameters: dict  # by name, of all nodes of the process
    files: list  # contents of its parameters files
    remappings: dict


def _process(action, context):
    if isinstance(action, Node):
        action._perform_substitutions(context)
    words = [perform_substitutions(context, word) for word in action.cmd
             if not any(isinstance(part, LocalSubstitution) for part in word)]  # name and namespace
    parameters, files, remappings = {}, [], {}
    for flag, word in itertools.pairwise(words):
        if flag == "--params-file":
            with open(word, encoding="utf-8") as stream:
                files.append(yaml.full_load(stream))  # launch_ros writes tuples
            for section in files[-1].values():
                parameters.update(section["ros__parameters"])
        elif flag == "-p":
            name, _, value = word.partition(":=")
            parameters[name] = yaml.safe_load(value)
        elif flag == "-r":
            name, _, value = word.partition(":=")
            remappings[name] = value
    return Process(
        executable=words[0].rpartition("/")[2],
        namespace=context.launch_configurations.get("ros_namespace", ""), words=words,
        parameters=parameters, files=files, remappings=remappings)


class Launched:
    """The processes and messages of a launch file with these arguments."""

    def __init__(self, name, **arguments):
        """Visit all actions."""
        self.context, self.processes, self.messages = LaunchContext(), [], []
        source = PythonLaunchDescriptionSource(str(share("launch", f"{name}.launch.py")))
        self._visit(IncludeLaunchDescription(source, launch_arguments=arguments.items()))

    def _visit(self, action):
        if isinstance(action, ExecuteProcess):
            self.processes.append(_process(action, self.context))
        elif isinstance(action, LogInfo):
            self.messages.append(perform_substitutions(self.context, action.msg))
        else:
            for inner in action.visit(self.context) or []:
                self._visit(inner)

    def __getitem__(self, executable):
        """Return the only process of an executable."""
        (process,) = self.every(executable)
        return process

    def every(self, executable):
        """Return the processes of an executable."""
        return [one for one in self.processes if one.executable == executable]
