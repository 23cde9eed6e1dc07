#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checks of ./test lint. Each check is one result; it is skipped if its tool is missing."""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

import include_graph
import test_results

LONGEST_FILE = 500  # lines
LLVM = "14"  # version of clang-format and clang-tidy that the configuration is written for
CPP = (".cpp", ".hpp", ".h")
SCRIPT = (".bash", ".sh")
SOURCE = CPP + SCRIPT + (".py", ".cmake", ".ts", ".mjs", ".js", ".css")
LICENSED = SOURCE + (".yaml", ".yml")
OUTPUT_FOLDERS = {"build", "install", "log", "runs", ".git"}
SPDX = "SPDX-License-Identifier: Apache-2.0"
OPTIONAL = "$DYNAMICS_WITHOUT_OPTIONAL != 1"  # condition of an optional dependency in package.xml
METAPACKAGE = "dynamics_suite"

# A CMake call that sets compile options for every target of a directory.
DIRECTORY_OPTIONS = re.compile(
    r"^[ \t]*(add_compile_options|add_definitions|set_directory_properties"
    r"|set_property\(\s*DIRECTORY|(?:set|(?:string|list)\(\s*\w+)[\s(]+CMAKE_"
    r"(?:CXX_FLAGS|COMPILE_WARNING)\w*)\b[^#]*?\)[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)


class Skip(Exception):
    """The check cannot run on this machine; the message is the reason."""


def own_files(root):
    """Return every file of the project: by git or, without git, all but build folders."""
    listing = subprocess.run(
        ["git", "-C", root, "ls-files", "-co", "--exclude-standard", "-z"],
        capture_output=True,
        check=False,
    )
    if listing.returncode == 0:
        files = [root / name for name in listing.stdout.decode().split("\0") if name]
    else:
        files = root.rglob("*")

    def inside(file):
        parts = file.relative_to(root).parts
        return parts[0] not in OUTPUT_FOLDERS and "node_modules" not in parts and file.is_file()

    return sorted(set(filter(inside, files)))


def shebang(file):
    with open(file, "rb") as stream:
        line = stream.readline(80)
    return line.decode("utf-8", "replace") if line.startswith(b"#!") else ""


def is_cmake(file):
    return file.name == "CMakeLists.txt" or file.suffix == ".cmake"


def tool(*names):
    for name in names:
        if shutil.which(name):
            return name
    raise Skip(f"{names[0]} is not installed")


def llvm_tool(name):
    found = tool(f"{name}-{LLVM}", name)
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=True)
    major = re.search(r"version (\d+)", version.stdout)
    if major is None or major.group(1) != LLVM:
        raise Skip(f"{name} {major.group(1) if major else '?'} is installed, {LLVM} is required")
    return found


def run(command, root):
    """Run a tool and return its problems: the lines of its output if it fails."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        return []
    return done.stdout.strip().splitlines() or [f"{command[0]}: exit code {done.returncode}"]


class Linter:
    def __init__(self, root, jobs, fix=False):
        self.root = root
        self.jobs = jobs
        self.fix = fix
        self.files = own_files(root)

    def select(self, test):
        return [file for file in self.files if test(file)]

    def name(self, file):
        return str(file.relative_to(self.root))

    def run_on(self, command, files):
        return run(command + [self.name(file) for file in files], self.root) if files else []

    # ---- the checks: each returns a list of problems

    def clang_format(self):
        command = [llvm_tool("clang-format")] + (
            ["-i"] if self.fix else ["--dry-run", "-Werror"])
        problems = self.run_on(command, self.select(lambda file: file.suffix in CPP))
        files = {line.split(":")[0]: line for line in problems if ": error: " in line}
        return [f"{name}: not formatted" for name in files] or problems

    def cmake_format(self):
        files = self.select(is_cmake)
        return self.run_on([tool("cmake-format"), "-i" if self.fix else "--check"], files)

    def codespell(self):
        return self.run_on([tool("codespell")], self.files)

    def shellcheck(self):
        def is_script(file):
            return file.suffix in SCRIPT or re.search(r"\b(ba)?sh\b", shebang(file)) is not None

        return self.run_on([tool("shellcheck"), "-x"], self.select(is_script))

    def python(self):
        def is_python(file):
            return file.suffix == ".py" or "python" in shebang(file)

        files = self.select(is_python)
        if shutil.which("ruff"):
            return self.run_on(["ruff", "check"], files)
        return self.run_on([tool("pyflakes3")], files)

    def xml(self):
        endings = (".xml", ".urdf", ".xacro", ".sdf", ".srdf")
        # tests contain invalid files on purpose
        files = self.select(lambda file: file.suffix in endings and "test" not in file.parts)
        return self.run_on([tool("xmllint"), "--noout", "--nonet"], files)

    def packages(self):
        """package.xml: format 3, one version, required elements, rosdep keys that are listed."""
        problems, versions = [], {}
        files = self.select(lambda file: file.name == "package.xml")
        own = {ElementTree.parse(file).getroot().findtext("name") for file in files}
        listed = (self.root / "scripts/packages.txt").read_text("utf-8")
        keys = set(re.findall(r"^[a-z].*\brosdep=(\S+)", listed, re.MULTILINE))
        for file in files:

            def problem(text, name=self.name(file)):
                problems.append(f"{name}: {text}")

            package = ElementTree.parse(file).getroot()
            if package.get("format") != "3":
                problem('<package> must have format="3"')
            for tag in ("name", "version", "description", "maintainer", "license"):
                if not (package.findtext(tag) or "").strip():
                    problem(f"<{tag}> is missing or empty")
            if package.findtext("license") != "Apache-2.0":
                problem("<license> must be Apache-2.0")
            if not re.fullmatch(r"[a-z][a-z0-9_]*", package.findtext("name") or ""):
                problem("<name> must be lower case letters, digits and underscores (REP-144)")
            build_type = package.findtext("export/build_type")
            if build_type is None:
                problem("<export> must name a <build_type>")
            if build_type == "cmake" or build_type is None:
                for dependency in package:
                    name = (dependency.text or "").strip()
                    if dependency.tag.endswith("depend") and name not in keys | own:
                        problem(f"no rosdep={name} in scripts/packages.txt")
            for dependency in package:
                if dependency.get("condition") not in (None, OPTIONAL):
                    problem(f"{dependency.text}: the condition must be '{OPTIONAL}'")
            problems += self.release_files(file, package)
            versions.setdefault(package.findtext("version"), []).append(self.name(file))
            cmake = file.parent / "CMakeLists.txt"
            if cmake.exists():
                text = cmake.read_text("utf-8")
                project = re.search(r"project\(\s*(\w+)(?:\s+VERSION\s+([\d.]+))?", text)
                if project is None or project.group(1) != package.findtext("name"):
                    problem("its name differs from project() in CMakeLists.txt")
                elif project.group(2) not in (None, package.findtext("version")):
                    problem("its version differs from project() in CMakeLists.txt")
            missing = own - {METAPACKAGE} - {one.text for one in package.iter("exec_depend")}
            if package.findtext("name") == METAPACKAGE and missing:
                problem(f"the metapackage has no <exec_depend> of {', '.join(sorted(missing))}")
        if len(versions) > 1:
            problems.append(f"packages differ in version: {versions}")
        return problems

    def release_files(self, file, package):
        """What a release needs beside package.xml: changes, quality declaration, documentation."""
        name, version = package.findtext("name"), package.findtext("version")
        for needed, patterns in {
            "CHANGELOG.rst": (rf"^Changelog for package {name}$",
                              rf"^(Forthcoming|{re.escape(version)} \(.*\))$"),
            "QUALITY_DECLARATION.md": (rf"\b{name}\b", r"Quality Level \d"),
            "README.md": (r"^# ",),
            package.findtext("export/rosdoc2") or "rosdoc2.yaml": ("rosdoc2 config",),
        }.items():
            path = file.parent / needed
            text = path.read_text("utf-8") if path.exists() else ""
            for pattern in patterns:
                if not re.search(pattern, text, re.MULTILINE):
                    yield f"{self.name(path)}: nothing matches '{pattern}'"
        if package.find("export/rosdoc2") is None:
            yield f"{self.name(file)}: <export> must have <rosdoc2>rosdoc2.yaml</rosdoc2>"

    def licenses(self):
        """Every source file has its license in the first line (the second, after a #!)."""

        def licensed(file):
            return is_cmake(file) or file.suffix in LICENSED or shebang(file)

        problems = []
        for file in self.select(licensed):
            with open(file, encoding="utf-8") as stream:
                head = [stream.readline(), stream.readline()]
            if not any(SPDX in line for line in head):
                problems.append(f"{self.name(file)}: '{SPDX}' is missing in the first line")
        return problems

    def lengths(self):
        reasons = {}
        for line in (self.root / "scripts/long_files.txt").read_text("utf-8").splitlines():
            if line.strip() and not line.startswith("#"):
                name, _, reason = line.partition(" ")
                reasons[name] = reason.strip()
        problems = [f"scripts/long_files.txt: {name} has no reason" for name in reasons
                    if not reasons[name]]
        long = set()
        for file in self.select(lambda file: is_cmake(file) or file.suffix in SOURCE):
            lines = len(file.read_text("utf-8").splitlines())
            if lines > LONGEST_FILE:
                long.add(self.name(file))
                if self.name(file) not in reasons:
                    problems.append(f"{self.name(file)}: {lines} lines, more than {LONGEST_FILE};"
                                    " split it, or list it in scripts/long_files.txt with a reason")
        problems += [f"scripts/long_files.txt: {name} is below the limit: remove it"
                     for name in reasons if name not in long]
        return problems

    def warning_scopes(self):
        """Warning flags are set on our own targets: a directory may also compile googletest."""
        problems = []
        for file in self.select(is_cmake):
            text = file.read_text("utf-8")
            for call in DIRECTORY_OPTIONS.finditer(text):
                if re.search(r"(^|[\s:;\"])[-/]W|CMAKE_COMPILE_WARNING_AS_ERROR", call.group()):
                    line = text.count("\n", 0, call.start()) + 1
                    problems.append(f"{self.name(file)}:{line}: {call.group(1)} sets warnings for"
                                    " the complete directory; use dynamics_warnings(target)")
        return problems

    def glossary(self):
        """The field's words: scripts/glossary.txt lists the words that are not used any more."""
        uses = {}
        for line in (self.root / "scripts/glossary.txt").read_text("utf-8").splitlines():
            if line and not line.startswith("#"):
                pattern, use = (part.strip() for part in line.split("|"))
                uses[pattern] = use
        words = "|".join(re.escape(word).replace(r"\*", r"\w*") for word in uses)
        forbidden = re.compile(rf"(?<![\w-])(?:{words})(?!\w)")
        problems = []
        for file in self.select(lambda file: file.suffix in SOURCE or is_cmake(file)):
            for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
                for match in forbidden.finditer(line):
                    use = next(use for word, use in uses.items()
                               if re.fullmatch(word.replace("*", r"\w*"), match.group()))
                    problems.append(f"{self.name(file)}:{number}: '{match.group()}': use {use}")
        return problems

    # ---- clang-tidy; files without problems are cached

    def clang_tidy(self):
        tidy = llvm_tool("clang-tidy")
        own = {str(file) for file in self.select(lambda file: file.suffix in CPP)}
        configuration = (self.root / ".clang-tidy").read_bytes()
        # keyed by content, so that other checkouts can use it
        cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
        memory = cache / "dynamics-lint"
        memory.mkdir(parents=True, exist_ok=True)
        plugin = self.own_code_plugin(memory)
        work = []
        for database in sorted(self.root.glob("build/*/compile_commands.json")):
            if not (self.root / "install" / database.parent.name).exists():
                continue  # the builds of the sanitizers have the same files
            read = dependencies(database.parent)
            for entry in commands_of_single_files(database):
                file = os.path.realpath(os.path.join(entry["directory"], entry["file"]))
                if file not in own:
                    continue
                command = entry.get("command", "").replace(str(self.root), "")
                digest = hashlib.sha256(configuration + command.encode())
                # every own file that the compiler read for it; all files if that is unknown
                for name in sorted((read.get(entry["compiled"]) or own) & own | {file}):
                    digest.update(pathlib.Path(name).read_bytes())
                stamp = memory / digest.hexdigest()
                if not stamp.exists():
                    work.append((file, database.parent / "clang-tidy", stamp))
        if not list(self.root.glob("build/*/compile_commands.json")):
            return ["build/: no compile_commands.json; the build failed"]
        return self.tidy_all([tidy, *plugin], work)

    def own_code_plugin(self, memory):
        """Return the options of clang-tidy that load our plugin, compiled if necessary."""
        source = self.root / "scripts" / "own_code_plugin.cpp"
        plugin = memory / f"own_code-{hashlib.sha256(source.read_bytes()).hexdigest()[:16]}.so"
        if not plugin.exists():
            made = plugin.with_suffix(f".{os.getpid()}")
            problems = run(["g++", "-std=c++17", "-O1", "-fno-rtti", "-fPIC", "-shared", "-isystem",
                            f"/usr/lib/llvm-{LLVM}/include", "-o", made, source], self.root)
            if problems:
                print(f"  clang-tidy: slow without {self.name(source)} (libclang-{LLVM}-dev and "
                      f"llvm-{LLVM}-dev are installed?):", *problems[:3], sep="\n  ")
                return []
            made.replace(plugin)
        return ["-load", plugin]

    def tidy_all(self, tidy, work):
        def check(job):
            file, build, stamp = job
            # the commands are GCC's: clang does not know all of its warning options
            problems = run([*tidy, "-p", build, "--extra-arg=-Wno-unknown-warning-option",
                            "--quiet", file], self.root)
            if not problems:
                stamp.touch()
            return [line for line in problems if not re.match(r"\d+ warnings? ", line)]

        problems, shown = [], time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for done, found in enumerate(pool.map(check, work), 1):
                problems += [line for line in found if line not in problems]
                if time.monotonic() - shown > (2 if sys.stdout.isatty() else 30):
                    shown = time.monotonic()
                    end = "\r" if sys.stdout.isatty() else "\n"
                    print(f"  clang-tidy ... {done}/{len(work)}", end=end, flush=True)
        return problems


def commands_of_single_files(database):
    """Return the compile commands of each file alone, without GCC's precompiled headers, which clang
    cannot read: every file must include what it uses. "compiled" is the file that the compiler was
    given: the file itself, or a unity file that includes several. Also written to
    BUILD/clang-tidy, for `clang-tidy -p`."""
    entries = []
    for entry in json.loads(database.read_text("utf-8")):
        compiled = os.path.realpath(os.path.join(entry["directory"], entry["file"]))
        command = re.sub(r" (-Winvalid-pch|-fpch-preprocess|-include \S*cmake_pch\.hxx)(?= )", "",
                         entry.get("command", ""))
        files = [entry["file"]]
        text = pathlib.Path(compiled).read_text("utf-8")
        if "generated by DynamicsUnity.cmake" in text.split("\n", 1)[0]:
            folders = re.findall(r"-I(\S+)", command)
            files = [next(os.path.join(folder, name) for folder in folders
                          if os.path.exists(os.path.join(folder, name)))
                     for name in re.findall(r'^#include "(.*)"', text, re.MULTILINE)]
        for file in files:
            entries.append({**entry, "file": file, "compiled": compiled,
                            "command": command.replace(entry["file"], file)})
    folder = database.parent / "clang-tidy"
    folder.mkdir(exist_ok=True)
    # clang reads no database with a key that it does not know
    known = [{key: value for key, value in entry.items() if key != "compiled"} for entry in entries]
    (folder / database.name).write_text(json.dumps(known, indent=1), "utf-8")
    return entries


def dependencies(build):
    """Return the files that each object depends on, recorded by Ninja: {source: {files}}."""
    listing = subprocess.run(
        ["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=False
    ) if shutil.which("ninja") and (build / "build.ninja").exists() else None
    read = {}
    if listing is not None:
        for block in listing.stdout.split("\n\n"):
            files = [
                os.path.realpath(os.path.join(build, line.strip()))
                for line in block.splitlines()[1:]
                if line.startswith(" ")
            ]
            if files:
                read.setdefault(files[0], set()).update(files)
    return read


CHECKS = {
    "clang-format": Linter.clang_format,
    "cmake-format": Linter.cmake_format,
    "codespell": Linter.codespell,
    "shellcheck": Linter.shellcheck,
    "python": Linter.python,
    "xml": Linter.xml,
    "package.xml": Linter.packages,
    "licenses": Linter.licenses,
    "file lengths": Linter.lengths,
    "warning scopes": Linter.warning_scopes,
    "glossary": Linter.glossary,
    "include graph": lambda linter: include_graph.check(linter.root),
    "clang-tidy": Linter.clang_tidy,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path, help="folder of the project")
    parser.add_argument("results", type=pathlib.Path, help="file to append the results to")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", choices=CHECKS, action="append",
                        help="run only this check; repeatable")
    parser.add_argument("--fix", action="store_true", help="format the files in place")
    arguments = parser.parse_args()
    linter = Linter(arguments.root.resolve(), arguments.jobs, arguments.fix)
    failed = False
    for name in arguments.only or CHECKS:
        started = time.monotonic()
        try:
            problems = CHECKS[name](linter)
        except Skip as skip:
            outcome, detail = "skipped", str(skip)
        else:
            outcome = "failed" if problems else "passed"
            detail = f"({time.monotonic() - started:.0f} s)"
            for line in problems[:60]:
                print(f"  {line}")
            if problems and name in ("clang-format", "cmake-format"):
                print("  run scripts/format to format them")
            if len(problems) > 60:
                print(f"  and {len(problems) - 60} more lines")
            failed = failed or bool(problems)
        print(f"Checking {name}: {outcome} {detail}", flush=True)
        test_results.append(
            arguments.results,
            {
                "package": f"lint: {name}",
                "detail": detail,
                "outcome": outcome,
                **{each: int(each == outcome) for each in ("passed", "failed", "skipped")},
            },
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
