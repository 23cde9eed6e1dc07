# SPDX-License-Identifier: Apache-2.0
"""The interfaces can be made, and their files read like documentation."""
import pathlib
import re

import pytest
from dynamics_msgs import action, msg, srv

FOLDER = pathlib.Path(__file__).resolve().parents[1]
FILES = sorted(FOLDER.glob("msg/*.msg")) + sorted(FOLDER.glob("srv/*.srv")) + sorted(
    FOLDER.glob("action/*.action"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_file_is_generated(file):
    module = {".msg": msg, ".srv": srv, ".action": action}[file.suffix]
    assert hasattr(module, file.stem)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_file_says_what_it_is_for(file):
    assert re.match(r"# [A-Z]", file.read_text("utf-8"))


def test_result_codes_are_distinct_and_success_is_the_default():
    codes = {
        name: getattr(msg.ResultCode, name)
        for name in re.findall(r"^int32 (\w+)=", (FOLDER / "msg/ResultCode.msg").read_text(), re.M)
    }
    assert len(codes) == 18
    assert len(set(codes.values())) == len(codes)
    assert msg.ResultCode().code == msg.ResultCode.SUCCESS == 0


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_answer_opens_with_a_result_code(file):
    if file.suffix == ".msg":
        return
    answer = file.read_text("utf-8").split("\n---\n")[1]
    fields = [line for line in answer.splitlines() if line and not line.startswith("#")]
    assert fields[0] == "ResultCode result"
