// SPDX-License-Identifier: Apache-2.0
#include "bad_inputs.hpp"

namespace dynamics::test {

std::vector<BadInput> bad_trajectories() {
  constexpr auto refused = Outcome::refused;
  constexpr auto accepted = Outcome::accepted;
  std::vector<BadInput> inputs;
  const auto add = [&](std::string description, std::string text, Outcome outcome,
                       std::string message) {
    inputs.push_back({std::move(description),
                      "path.csv",
                      std::move(text),
                      {"inverse", "planar3", "--trajectory", "path.csv", "--duration", "1",
                       "--sample", "0.5", "--json"},
                      outcome,
                      std::move(message)});
  };
  const std::string header = "t,q_joint1,q_joint2,q_joint3\n";
  add("empty file", "", refused, "empty");
  add("only blank lines", "\n \n", refused, "path.csv");
  add("only the header", header, refused, "no rows");
  add("no column t", "time,q_joint1,q_joint2,q_joint3\n0,0,0,0\n", refused, "'t'");
  add("a joint missing", "t,q_joint1,q_joint2\n0,0,0\n", refused, "q_joint3");
  add("velocities of some joints only", "t,q_joint1,q_joint2,q_joint3,qd_joint1\n0,0,0,0,0\n",
      refused, "qd_joint2");
  add("a column twice", "t,t,q_joint1,q_joint2,q_joint3\n0,0,0,0,0\n", refused, "twice");
  add("too few cells", header + "0,0,0\n", refused, "3 cells");
  add("too many cells", header + "0,0,0,0,0\n", refused, "5 cells");
  add("a word", header + "0,zero,0,0\n", refused, "zero");
  add("an empty cell", header + "0,,0,0\n", refused, "not a finite number");
  add("NaN", header + "0,nan,0,0\n", refused, "nan");
  add("infinity", header + "0,inf,0,0\n", refused, "inf");
  add("above the range of double", header + "0,1e999,0,0\n", refused, "1e999");
  add("decimal commas and semicolons", "t;q_joint1;q_joint2;q_joint3\n0;0,5;0;0\n", refused, "'t'");
  add("time decreases", header + "0,0,0,0\n1,0,0,0\n0.5,0,0,0\n", refused, "path.csv:4");
  add("the same time twice", header + "0,0,0,0\n0,0,0,0\n", refused, "is not after");
  add("time negative", header + "-1,0,0,0\n1,0,0,0\n", refused, "is negative");
  add("time NaN", header + "nan,0,0,0\n", refused, "nan");
  add("one point", header + "0,0.1,0.2,0.3\n", accepted, "");
  add("two points 5e-324 s apart", header + "0,0,0,0\n5e-324,1,1,1\n", refused, "");
  add("positions of 1e300", header + "0,0,0,0\n1,1e300,0,0\n", refused, "overflows");
  add("times of 1e308", header + "0,0,0,0\n1e308,0.1,0,3\n", refused, "overflows");
  add("velocities of 1e308",
      "t,q_joint1,q_joint2,q_joint3,qd_joint1,qd_joint2,qd_joint3\n0,0,0,0,0,0,0\n"
      "1,0,0,0,0,1e308,0\n",
      refused, "path.csv: trajectory points 0 and 1, joint 1");
  add("positions of 1e9", header + "0,0,0,0\n1,1e9,0,0\n", accepted, "");
  add("Windows line ends", "t,q_joint1,q_joint2,q_joint3\r\n0,0,0,0\r\n1,1,1,1\r\n", accepted, "");
  add("byte order mark", "\xEF\xBB\xBF" + header + "0,0,0,0\n1,1,1,1\n", accepted, "");
  add("no newline at the end", header + "0,0,0,0\n1,1,1,1", accepted, "");
  add("zero byte", header + "0,0,0,0\n1,1," + std::string(1, '\0') + ",1\n", refused, "zero byte");
  add("random bytes", "\x01\x02\xFF\xFE" + repeated("\x80,", 1000), refused, "path.csv");
  add(
      "200000 rows",
      [&] {
        std::string text = header;
        for (int i = 0; i < 200'000; ++i) text += std::to_string(i * 1e-5) + ",0,0,0\n";
        return text;
      }(),
      accepted, "");
  add(
      "100000 columns",
      [&] {
        std::string names = "t,q_joint1,q_joint2,q_joint3", row = "0,0,0,0";
        for (int i = 0; i < 100'000; ++i) {
          names += ",x" + std::to_string(i);
          row += ",0";
        }
        std::string text = names;
        return text.append("\n").append(row).append("\n");
      }(),
      accepted, "");

  const auto yaml = [&](std::string description, std::string text, Outcome outcome,
                        std::string message) {
    inputs.push_back({std::move(description),
                      "path.yaml",
                      std::move(text),
                      {"inverse", "planar3", "--trajectory", "path.yaml", "--duration", "1",
                       "--sample", "0.5", "--json"},
                      outcome,
                      std::move(message)});
  };
  const std::string names = "joint_names: [joint3, joint1, joint2]\n";
  const std::string first = "points:\n  - {positions: [0, 0, 0], time_from_start: 0}\n";
  yaml("YAML: joints in another order",
       names + first + "  - {positions: [1, 1, 1], time_from_start: {sec: 1, nanosec: 0}}\n",
       accepted, "");
  yaml("YAML: empty file", "", refused, "empty");
  yaml("YAML: no names", first, refused, "joint_names");
  yaml("YAML: no points", names, refused, "points");
  yaml("YAML: points empty", names + "points: []\n", refused, "no points");
  yaml("YAML: points a number", names + "points: 3\n", refused, "path.yaml");
  yaml("YAML: joint unknown", "joint_names: [a, joint1, joint2]\n" + first, refused, "'a'");
  yaml("YAML: joint twice", "joint_names: [joint1, joint1, joint2]\n" + first, refused, "twice");
  yaml("YAML: joint missing", "joint_names: [joint1]\n" + first, refused, "missing");
  yaml("YAML: positions too few", names + "points:\n  - {positions: [0], time_from_start: 0}\n",
       refused, "3 numbers");
  yaml("YAML: position NaN", names + "points:\n  - {positions: [0, .nan, 0], time_from_start: 0}\n",
       refused, "number");
  yaml("YAML: velocities a number",
       names + "points:\n  - {positions: [0, 0, 0], velocities: 3, time_from_start: 0}\n", refused,
       "list");
  yaml("YAML: velocities of one point only",
       names + first + "  - {positions: [1, 1, 1], velocities: [0, 0, 0], time_from_start: 1}\n",
       refused, "all points");
  yaml("YAML: time decreases", names + first + "  - {positions: [1, 1, 1], time_from_start: -1}\n",
       refused, "is negative");
  yaml("YAML: time missing", names + "points:\n  - {positions: [0, 0, 0]}\n", refused,
       "time_from_start");
  yaml("YAML: unknown key", names + "speed: 3\n" + first, refused, "speed");
  yaml("YAML: alias bomb", "joint_names: &a [x]\npoints: [*a, *a]\n", refused, "anchor");
  return inputs;
}

}  // namespace dynamics::test
