#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts test results for ./test.

add      reads the results of one package's tests (CTest's JUnit file, and the result files of
         GoogleTest, pytest and launch_testing beside it), lists failures and skips, and appends
         the counts to a results file
note     appends a result without a test run: a build failure, a package not run, a lint check
summary  prints one line per package and "N passed, N failed, N skipped"; exit 1 if anything failed
"""
import argparse
import json
import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def last_line(text):
    lines = [line.strip() for line in (text or "").splitlines() if line.strip()]
    return lines[-1] if lines else ""


def skip_reason(output):
    """Return the reason of a skip: '# SKIP reason' (TAP), 'skipped: reason', or the last line."""
    for mark in ("# SKIP ", "skipped: "):
        for line in (output or "").splitlines():
            if mark in line:
                return line.split(mark, 1)[1].strip()
    return last_line(output)


def read_cases(file):
    """Return (name, outcome, reason) of every case of a JUnit-like file."""
    cases = []
    for case in ElementTree.parse(file).getroot().iter("testcase"):
        name = ".".join(filter(None, (case.get("classname"), case.get("name"))))
        failures = case.findall("failure") + case.findall("error")
        skipped = case.find("skipped")
        if failures:
            reason = failures[0].get("message") or failures[0].text or ""
            cases.append((name, "failed", reason.strip()))
        elif skipped is not None or case.get("status") in ("notrun", "disabled"):
            reason = "" if skipped is None else skipped.get("message") or skipped.text
            cases.append((name, "skipped", last_line(reason) or "no reason given"))
        else:
            cases.append((name, "passed", ""))
    return cases


def case_file(build, test):
    """Return the file with the single cases of a CTest test, or None."""
    for ending in ("gtest.xml", "xunit.xml", "junit.xml"):
        for file in sorted((build / "test_results").glob(f"**/{test}.{ending}")):
            return file
    return None


def collect(build, junit):
    cases = []
    if junit.exists():
        for test in ElementTree.parse(junit).getroot().iter("testcase"):
            name, status = test.get("name"), test.get("status")
            output = test.findtext("system-out") or ""
            inner_file = case_file(build, name)
            inner = []
            if inner_file is not None:
                try:
                    inner = read_cases(inner_file)
                except ElementTree.ParseError as error:
                    status, output = "fail", f"{inner_file}: {error}"
            cases += [(f"{name}: {case}", outcome, reason) for case, outcome, reason in inner]
            if status == "fail":
                # a crash or a timeout leaves no failed case
                if not any(outcome == "failed" for _, outcome, _ in inner):
                    failure = test.find("failure")
                    reason = "" if failure is None else failure.get("message") or ""
                    cases.append((name, "failed", f"{reason}\n{output[-3000:]}".strip()))
            elif status in ("notrun", "disabled"):
                # a missing executable is also "notrun": that is a failure, not a skip
                skipped = test.find("skipped")
                message = "" if skipped is None else skipped.get("message") or ""
                missing = "not found" in output.lower() or "unable to find" in message.lower()
                outcome = "failed" if missing else "skipped"
                cases.append((name, outcome, skip_reason(output) or message or status))
            elif not inner:
                cases.append((name, "passed", ""))
    pytest = build / "pytest.xml"
    if pytest.exists():
        cases += read_cases(pytest)
    return cases


def append(results, record):
    with open(results, "a", encoding="utf-8") as stream:
        stream.write(json.dumps(record) + "\n")


def add(arguments):
    cases = collect(arguments.build, arguments.junit)
    for name, outcome, reason in cases:
        if outcome == "failed":
            print(f"  FAILED {arguments.package}: {name}")
            for line in reason.splitlines()[-30:]:
                print(f"    {line}")
    for name, outcome, reason in cases:
        if outcome == "skipped":
            print(f"  skipped {arguments.package}: {name}: {reason}")
    counts = {
        outcome: sum(1 for case in cases if case[1] == outcome)
        for outcome in ("passed", "failed", "skipped")
    }
    if arguments.status != 0 and counts["failed"] == 0:
        print(f"  FAILED {arguments.package}: the test run ended with status {arguments.status}")
        counts["failed"] = 1
    total = sum(counts.values())
    detail = f"({total} test{'' if total == 1 else 's'}, {arguments.seconds} s)"
    if counts["failed"]:
        detail = f"({counts['failed']} of {total} tests, {arguments.seconds} s)"
    append(arguments.results, {"package": arguments.package, "detail": detail, **counts})


def note(arguments):
    record = {"package": arguments.package, "detail": arguments.detail}
    for outcome in ("passed", "failed", "skipped"):
        record[outcome] = int(outcome == arguments.outcome)
    record["outcome"] = arguments.outcome
    append(arguments.results, record)


def word(record):
    if record["failed"]:
        return "failed "
    if record.get("outcome") == "skipped":
        return "not run:"
    if sum(record[outcome] for outcome in ("passed", "failed", "skipped")) == 0:
        return "has no tests"
    return "passed " if record["passed"] else "skipped"


def summary(arguments):
    records = []
    if arguments.results.exists():
        records = [json.loads(line) for line in arguments.results.read_text("utf-8").splitlines()]
    width = max((len(record["package"]) for record in records), default=0) + 2
    for record in records:
        print(f"{record['package']:{width}} {word(record)} {record['detail']}".rstrip())
    passed, failed, skipped = (
        sum(record[outcome] for record in records) for outcome in ("passed", "failed", "skipped")
    )
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("add")
    command.add_argument("results", type=pathlib.Path)
    command.add_argument("package")
    command.add_argument("--build", type=pathlib.Path, required=True)
    command.add_argument("--junit", type=pathlib.Path, required=True)
    command.add_argument("--status", type=int, required=True)
    command.add_argument("--seconds", type=int, required=True)
    command.set_defaults(function=add)
    command = commands.add_parser("note")
    command.add_argument("results", type=pathlib.Path)
    command.add_argument("package")
    command.add_argument("outcome", choices=("passed", "failed", "skipped"))
    command.add_argument("detail")
    command.set_defaults(function=note)
    command = commands.add_parser("summary")
    command.add_argument("results", type=pathlib.Path)
    command.set_defaults(function=summary)
    arguments = parser.parse_args()
    return arguments.function(arguments)


if __name__ == "__main__":
    sys.exit(main())
