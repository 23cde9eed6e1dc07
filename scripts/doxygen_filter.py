#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Input filter of docs/Doxyfile: prints a file with its comments in the form of Doxygen.

  scripts/doxygen_filter.py FILE

- The comment that opens a header or an example documents the file; its indented lines are code.
- A comment documents all declarations up to the next blank line: overloads share it.
- In the main page the names of headers and examples become links.

Line numbers stay the same.
"""
import re
import sys

COMMENT = re.compile(r"\s*///(?!<)")
SCOPE = re.compile(r"\s*(template|requires|struct|class|enum|namespace|using|concept)\b")


def without_tags(text):
    """Escapes XML elements outside of `code`."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"<(?=[a-z/])", r"\\<", part) for part in parts[::2]]
    return "`".join(parts)


def open_file_comment(lines):
    """Turns the comment below #pragma once or the license into one that documents the file."""
    start = lines.index("#pragma once") + 2 if "#pragma once" in lines else 1
    end = start
    while end < len(lines) and re.match(r"//(?!/)", lines[end]):
        end += 1
    if end == start:
        return
    lines[start - 1] = "/// \\file"
    code = None  # index of the last line of code
    for i in range(start, end):
        text = lines[i][2:]
        if text.startswith("   "):
            if code is None:
                lines[i - 1] += " \\code{.cpp}"
            code = i
        elif text.strip() and code is not None:
            lines[code] += " \\endcode"
            code = None
        lines[i] = "///" + (text if text.startswith("   ") else without_tags(text))
    if code is not None:
        lines[code] += " \\endcode"


def drop_specializations(lines):
    """Blanks templates of the standard library, of which Doxygen knows no declaration."""
    for i, line in enumerate(lines):
        if line.startswith("inline constexpr bool std::"):
            lines[i - 1] = lines[i] = ""


def link_files(lines):
    for i, line in enumerate(lines):
        line = re.sub(r"\[(\w+\.cpp)\]\([^)]*\)", r'\\ref \1 "\1"', line)
        if line.startswith("|"):
            line = re.sub(r"`(?!version)(\w+\.hpp)`", r"\\ref \1", line)
        lines[i] = line


def share_comments(lines):
    """Groups the declarations that follow a comment without a blank line."""
    i = 0
    while i < len(lines):
        if not COMMENT.match(lines[i]):
            i += 1
            continue
        start = i
        while i < len(lines) and COMMENT.match(lines[i]):
            i += 1
        first = i
        while i < len(lines) and lines[i].strip() and not COMMENT.match(lines[i]):
            if lines[i].strip().startswith("}") or re.match(r"\s*(private|public):", lines[i]):
                break
            i += 1
        ends = [k for k in range(first, i) if re.search(r"[;}](\s*//.*)?$", lines[k])]
        if len(ends) > 1 and not SCOPE.match(lines[first]) and "//" not in lines[ends[-1]]:
            lines[start] = "/**@{*/ " + lines[start].lstrip()
            lines[ends[-1]] += " /**@}*/"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        lines = file.read().splitlines()
    if sys.argv[1].endswith(".md"):
        link_files(lines)
    else:
        drop_specializations(lines)
        lines[:] = [without_tags(line) if COMMENT.match(line) else line for line in lines]
        open_file_comment(lines)
        share_comments(lines)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
