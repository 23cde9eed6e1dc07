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


def test_result_codes_are_distinct_and_success_is_the_default():
    codes = {
        name: getattr(msg.ResultCode, name)
        for name in re.findall(r"^int32 (\w+)=", (FOLDER / "msg/ResultCode.msg").read_text(), re.M)
    }
    assert len(codes) == 19
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
