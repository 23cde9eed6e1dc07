#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The include graph of dynamics_core: checks its layers (./test lint) and draws it.

  scripts/include_graph.py            list the edges between folders
  scripts/include_graph.py --draw     write docs/images/include_graph.svg
"""
import argparse
import collections
import pathlib
import re
import sys

# Folders that each folder may include. There is no cycle.
BASE = ["base", "spatial", "model"]
DYNAMICS = BASE + ["rigid", "flexible", "batch", "loops"]
LAYERS = {
    "base": [],
    "mcap": ["base"],
    "spatial": ["base"],
    "model": ["base", "spatial"],
    "readers": BASE,
    "rigid": BASE,
    "flexible": BASE + ["rigid"],
    "loops": BASE + ["rigid", "flexible", "readers"],
    "batch": BASE + ["rigid"],
    "trajectory": DYNAMICS + ["readers", "mcap"],
    "ode": ["base"],
    "plant": DYNAMICS + ["readers", "trajectory"],
    "control": DYNAMICS + ["readers", "trajectory", "plant"],
    "simulation": DYNAMICS + ["readers", "mcap", "trajectory", "ode", "plant", "control"],
    "check": DYNAMICS + ["readers"],
    "study": DYNAMICS + ["readers", "mcap", "trajectory", "ode", "plant", "control", "simulation"],
    "papers": DYNAMICS + ["readers", "trajectory", "ode", "plant", "control", "simulation"],
    "tools": DYNAMICS
    + ["readers", "mcap", "trajectory", "ode", "plant", "control", "simulation", "check", "study"]
    + ["papers"],
}

# The public headers (include/dynamics_core/) by the folder that implements them. They follow the
# same rules as the other headers of that folder.
PUBLIC = {
    "base": "error version view",
    "spatial": "pose",
    "model": "description model",
    "readers": "readers",
    "rigid": "derivatives energy external_inputs inertia_matrix kinematics regressor rigid_dynamics"
    " workspace",
    "flexible": "flexible_links",
    "loops": "closed_loops",
    "batch": "batch",
    "trajectory": "marker_shapes trajectory trajectory_efforts",
    "ode": "integrators",
    "plant": "plant sensors",
    "control": "control_laws controllers",
    "simulation": "real_time_simulation recording simulate",
    "check": "check",
    "study": "study",
    "papers": "formulations",
    "tools": "dynamics_core",
}

# The internal headers: other folders may include them. All other headers of src are private to
# their folder. "*" stands for any name within a folder.
INTERNAL = {
    "base": ["base64.hpp", "eigen_index.hpp", "find_by_name.hpp", "overlap.hpp",
             "replaced_file.hpp"],
    "mcap": ["*"],
    "spatial": ["*"],
    "model": ["model_data.hpp", "parsed_robot.hpp", "tree.hpp", "coupling_bound.hpp"],
    "readers": ["dh_reader.hpp", "urdf_reader.hpp", "xml_tree.hpp", "yaml_tree.hpp"],
    "rigid": ["recursions/*", "kernels/*", "generalized_momentum.hpp", "problem.hpp", "regular.hpp",
              "workspace_memory.hpp"],
    "loops": ["closed_branch.hpp"],
    "plant": ["joint_resistance.hpp"],
    "flexible": ["recursions/*", "flexible_model_data.hpp", "tree.hpp"],
    "trajectory": ["closed_form_trajectories.hpp", "csv_table.hpp", "knot_trajectory.hpp"],
    "ode": ["*"],
    "simulation": ["run.hpp", "torque_law.hpp"],
    "papers": ["*"],
}

# What a public header declares is exported. Clang looks at each declaration, so that an attribute
# of the namespace would not reach the definitions in src/; the pragma does.
EXPORTED = re.compile(
    r"^#pragma GCC visibility push\(default\)\nnamespace dynamics \{\n.*"
    r"^\}  // namespace dynamics\n#pragma GCC visibility pop$",
    re.MULTILINE | re.DOTALL,
)

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


class Graph:
    """The includes between files, and the folder of each file."""

    def __init__(self, root):
        self.root = root
        self.core = root / "dynamics_core"
        self.owner = {
            f"{name}.hpp": folder for folder, names in PUBLIC.items() for name in names.split()
        }
        self.files = {}  # path below dynamics_core -> folder
        for folder in LAYERS:
            place = folder if folder in ("papers", "tools") else f"src/{folder}"
            for file in sorted((self.core / place).rglob("*")):
                if file.suffix in (".hpp", ".cpp", ".in") and file.is_file():
                    self.files[file.relative_to(self.core).as_posix()] = folder
        self.public = sorted(
            file.name for file in (self.core / "include/dynamics_core").glob("*.hpp")
        )
        for name in self.public:
            if name in self.owner:
                self.files[f"include/dynamics_core/{name}"] = self.owner[name]
        self.edges = collections.defaultdict(list)  # file -> files
        for file in self.files:
            for text in INCLUDE.findall((self.core / file).read_text(encoding="utf-8")):
                target = self.resolve(file, text)
                if target:
                    self.edges[file].append(target)

    def resolve(self, file, text):
        """Return the file that an include directive names, or None for other libraries."""
        beside = (pathlib.PurePosixPath(file).parent / text).as_posix()
        for candidate in (f"include/{text}", f"src/{text}", text, beside):
            if candidate in self.files:
                return candidate
        return None

    def problems(self):
        yield from self.unlisted_headers()
        yield from self.hidden_headers()
        for file, targets in sorted(self.edges.items()):
            for target in targets:
                yield from self.edge_problems(file, target)
        cycle = self.cycle()
        if cycle:
            yield "include cycle: " + " -> ".join(cycle)

    def unlisted_headers(self):
        for name in self.public:
            if name not in self.owner:
                yield f"include/dynamics_core/{name}: missing in PUBLIC of scripts/include_graph.py"
        generated = {"version.hpp"}
        for name in sorted(set(self.owner) - set(self.public) - generated):
            yield f"scripts/include_graph.py: PUBLIC lists {name}, which does not exist"
        for folder in sorted(x.name for x in (self.core / "src").iterdir() if x.is_dir()):
            if folder not in LAYERS:
                yield f"src/{folder}: missing in LAYERS of scripts/include_graph.py"
        for file in sorted(self.core.glob("include/dynamics_core/*/*")):
            yield f"{file.relative_to(self.core)}: public headers must be in one folder"

    def hidden_headers(self):
        for name in self.public:
            text = (self.core / "include/dynamics_core" / name).read_text(encoding="utf-8")
            namespaces = len(re.findall(r"^namespace dynamics \{", text, re.MULTILINE))
            if namespaces != len(EXPORTED.findall(text)) or namespaces > 1:
                yield (
                    f"include/dynamics_core/{name}: its namespace must be between #pragma GCC "
                    "visibility push(default) and #pragma GCC visibility pop"
                )

    def edge_problems(self, file, target):
        source, used = self.files[file], self.files[target]
        if file.startswith("include/") and not target.startswith("include/"):
            yield f"{file} is public and includes {target}, which is not installed"
        if source == used or file == "include/dynamics_core/dynamics_core.hpp":
            return
        if used not in LAYERS[source]:
            yield f"{file} includes {target}: {source} may not use {used}"
        elif target.startswith("src/") and not self.is_internal(used, target):
            yield f"{file} includes {target}, which is private to {used}"

    @staticmethod
    def is_internal(folder, file):
        name = file.removeprefix(f"src/{folder}/")
        return any(
            pathlib.PurePosixPath(name).match(pattern) and name.count("/") == pattern.count("/")
            for pattern in INTERNAL.get(folder, [])
        )

    def cycle(self):
        """Return one cycle of files, or None."""
        done, path = set(), []

        def visit(file):
            if file in path:
                return path[path.index(file) :] + [file]
            if file in done:
                return None
            path.append(file)
            for target in self.edges[file]:
                found = visit(target)
                if found:
                    return found
            path.pop()
            done.add(file)
            return None

        for file in sorted(self.files):
            found = visit(file)
            if found:
                return found
        return None

    def folder_edges(self):
        """Count include directives by (folder, used folder), without those of dynamics_core.hpp."""
        count = collections.Counter()
        for file, targets in self.edges.items():
            if file == "include/dynamics_core/dynamics_core.hpp":
                continue
            for target in targets:
                if self.files[file] != self.files[target]:
                    count[self.files[file], self.files[target]] += 1
        return count

    def svg(self):
        """Draw folders as boxes above the folders they include; implied edges are gray."""
        edges = self.folder_edges()
        uses = {folder: {b for a, b in edges if a == folder} for folder in LAYERS}

        def reach(folder):
            return uses[folder] | {x for y in uses[folder] for x in reach(y)}

        depth = {}
        for folder in LAYERS:  # in order: a folder follows all folders that it may include
            depth[folder] = max((depth[x] + 1 for x in uses[folder]), default=0)
        rows = collections.defaultdict(list)
        for folder, level in depth.items():
            rows[level].append(folder)
        width, box, step, height = 760, (150, 44), 92, max(depth.values())
        place = {}
        for level, folders in rows.items():
            for i, folder in enumerate(folders):
                x = width * (i + 1) / (len(folders) + 1)
                place[folder] = (x, 40 + (height - level) * step)
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {80 + height * step}" '
            'font-family="sans-serif" font-size="14">',
            '<defs><marker id="end" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" '
            'markerHeight="7" orient="auto"><path d="M0 0 10 5 0 10z" fill="#35506b"/></marker>'
            "</defs>",
            '<rect width="100%" height="100%" fill="#fff"/>',
        ]
        for implied in (True, False):
            for folder, used in sorted(edges):
                others = uses[folder] - {used}
                if implied != any(used in reach(x) for x in others):
                    continue
                (x1, y1), (x2, y2) = place[folder], place[used]
                style = (
                    'stroke="#d5dbe1"'
                    if implied
                    else 'stroke="#35506b" stroke-width="1.6" marker-end="url(#end)"'
                )
                y1, y2 = y1 + box[1] / 2, y2 - box[1] / 2
                lines.append(
                    f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" {style}/>'
                )
        for folder, (x, y) in place.items():
            headers = len(PUBLIC.get(folder, "").split())
            note = f"{headers} public header{'s' * (headers != 1)}" if headers else "internal"
            if folder == "tools":
                note = "the program"
            lines.append(
                f'<rect x="{x - box[0] / 2:.0f}" y="{y - box[1] / 2:.0f}" width="{box[0]}" '
                f'height="{box[1]}" rx="6" fill="#eef3f8" stroke="#35506b"/>'
                f'<text x="{x:.0f}" y="{y - 2:.0f}" text-anchor="middle" font-weight="bold">'
                f"{folder}</text>"
                f'<text x="{x:.0f}" y="{y + 15:.0f}" text-anchor="middle" font-size="11" '
                f'fill="#555">{note}</text>'
            )
        return "\n".join(lines) + "\n</svg>\n"


def picture(root):
    return root / "docs/images/include_graph.svg"


def check(root):
    """Return the problems of the include graph and of its picture, as lines of text."""
    graph = Graph(root)
    problems = list(graph.problems())
    drawn = picture(root)
    if not drawn.exists() or drawn.read_text(encoding="utf-8") != graph.svg():
        problems.append(f"{drawn.relative_to(root)}: outdated, run scripts/include_graph.py --draw")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draw", action="store_true", help="write the picture")
    arguments = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    graph = Graph(root)
    if arguments.draw:
        picture(root).write_text(graph.svg(), encoding="utf-8")
    for (folder, used), count in sorted(graph.folder_edges().items()):
        print(f"{folder:12} -> {used:12} {count:4} includes")
    problems = list(graph.problems())
    print("\n".join(problems) or "no forbidden edge, no cycle")
    print(f"{len(graph.public) + 1} installed headers")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
