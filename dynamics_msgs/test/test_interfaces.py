# SPDX-License-Identifier: Apache-2.0
"""The interfaces are generated, documented and have result codes."""
import pathlib
import re

import pytest
from dynamics_msgs import action, msg, srv

FOLDER = pathlib.Path(__file__).resolve().parents[1]
WITH_RESPONSE = sorted(FOLDER.glob("srv/*.srv")) + sorted(FOLDER.glob("action/*.action"))
FILES = sorted(FOLDER.glob("msg/*.msg")) + WITH_RESPONSE


def test_there_are_files_of_every_kind():
    assert {file.suffix for file in FILES} == {".msg", ".srv", ".action"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_file_is_generated(file):
    module = {".msg": msg, ".srv": srv, ".action": action}[file.suffix]
    assert hasattr(module, file.stem)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_file_begins_with_a_description(file):
    assert re.match(r"# [A-Z]", file.read_text("utf-8"))


def fields_of(file):
    """Return type and name of each field."""
    for line in file.read_text("utf-8").splitlines():
        words = line.split("#")[0].split()
        if len(words) >= 2 and "=" not in words[1]:
            yield words[0], words[1]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_coordinates_have_one_name(file):
    names = [name for _, name in fields_of(file)]
    assert not {"names", "joints_names", "position", "velocity", "acceleration", "efforts",
                "frame", "link_name"}.intersection(names)
    if "positions" in names:
        assert "joint_names" in names


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_durations_are_messages(file):
    for kind, name in fields_of(file):
        if name in ("duration", "sample", "step", "time", "time_from_start", "timeout"):
            assert kind.startswith("builtin_interfaces/"), f"{kind} {name}"


def test_defaults_are_values():
    goal = action.Simulate.Goal()
    assert (goal.integrator, goal.tolerance, goal.bandwidth) == ("auto", 1e-9, 10.0)
    request = srv.ScaleTrajectory.Request()
    assert (request.effort_share, request.velocity_share, request.largest_factor) == (1, 1, 1000)
    assert srv.SetSimulationState.Request().state == srv.SetSimulationState.Request.QUERY


def test_result_codes_are_distinct_and_success_is_the_default():
    codes = {
        name: getattr(msg.ResultCode, name)
        for name in re.findall(r"^int32 (\w+)=", (FOLDER / "msg/ResultCode.msg").read_text(), re.M)
    }
    assert len(codes) == 20
    assert len(set(codes.values())) == len(codes)
    assert msg.ResultCode().code == msg.ResultCode.SUCCESS == 0


@pytest.mark.parametrize("file", WITH_RESPONSE, ids=lambda file: file.stem)
def test_every_response_begins_with_a_result_code(file):
    if file.suffix == ".srv":
        response = getattr(srv, file.stem).Response
    else:
        response = getattr(action, file.stem).Result
    fields = list(response.get_fields_and_field_types().items())
    assert fields[0] == ("result", "dynamics_msgs/ResultCode")
