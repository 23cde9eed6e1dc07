// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "bad_inputs.hpp"
#include "support/arm_urdf.hpp"

namespace dynamics::test {
namespace {

constexpr auto refused = Outcome::refused;
constexpr auto accepted = Outcome::accepted;

const std::string good = R"(robot: two
source: a test
links:
  - {joint: j1, link: l1, type: revolute, a: 1, b: 0, alpha_deg: 0, mass: 2, r: [0.5, 0, 0], inertia: [0, 0.2, 0.2]}
  - {joint: j2, link: l2, type: prismatic, a: 0, theta_deg: 0, alpha_deg: 90, mass: 1, r: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}
start: {q: [0.1, 0.2]}
)";

struct Change {
  const char* description;
  std::string from, to;
  Outcome outcome;
  const char* message;
};

}  // namespace

std::vector<BadInput> bad_tables() {
  std::vector<BadInput> inputs;
  const auto add = [&](std::string description, std::string text, Outcome outcome,
                       std::string message) {
    inputs.push_back({std::move(description),
                      "table.yaml",
                      std::move(text),
                      {"inverse", "table.yaml", "--json"},
                      outcome,
                      std::move(message)});
  };
  const std::vector<Change> changes = {
      {"mass negative", "mass: 2", "mass: -2", refused, "negative"},
      {"mass NaN", "mass: 2", "mass: .nan", refused, "number"},
      {"mass a word", "mass: 2", "mass: two", refused, "number"},
      {"mass with a comma", "mass: 2", "mass: '2,5'", refused, "number"},
      {"mass above the range of double", "mass: 2", "mass: 1e999", refused, "range"},
      {"mass missing", "mass: 2, ", "", refused, "mass"},
      {"length a list", "a: 1", "a: [1]", refused, "one number"},
      {"length missing", "a: 1, ", "", refused, "'a'"},
      {"length 1e200", "a: 1", "a: 1e200", refused, "range of a double"},
      {"angle missing", "alpha_deg: 0, ", "", refused, "alpha"},
      {"angle twice", "alpha_deg: 0", "alpha_deg: 0, alpha: 0", refused, "not both"},
      {"r of two numbers", "r: [0.5, 0, 0]", "r: [0.5, 0]", refused, "3 numbers"},
      {"inertia of four numbers", "[0, 0.2, 0.2]", "[0, 0.2, 0.2, 0]", refused, "inertia"},
      {"inertia negative", "[0, 0.2, 0.2]", "[0, -0.2, 0.2]", refused, "negative"},
      {"inertia with large products", "[0, 0.2, 0.2]", "[0, 0.2, 0.2, 5, 5, 5]", refused,
       "negative"},
      {"joint type unknown", "type: revolute", "type: helical", refused, "helical"},
      {"joint name twice", "joint: j2", "joint: j1", refused, "twice"},
      {"link name twice", "link: l2", "link: l1", refused, "twice"},
      {"link with the name of the base", "link: l1", "link: base_link", refused, "twice"},
      {"unknown key", "mass: 2", "mass: 2, weight: 3", refused, "weight"},
      {"key twice", "mass: 2", "mass: 2, mass: 3", refused, "twice"},
      {"no links", "links:\n", "links: []\nlinks2:\n", refused, "unknown key"},
      {"start of three numbers", "q: [0.1, 0.2]", "q: [0.1, 0.2, 0.3]", refused, "2 numbers"},
      {"anchor", "a: 1", "a: &x 1", refused, "anchor"},
      {"tag", "a: 1", "a: !!python/name:os.getcwd 1", refused, "tag"},
      {"name with a line break", "robot: two", "robot: \"two\\nlines\"", refused, "one line"},
      {"control character in a name", "robot: two", "robot: \"t\\x07\"", refused, "control"},
      {"tab as indentation", "  - {joint: j1", "\t- {joint: j1", refused, "YAML"},
      {"bracket never closed", "[0.5, 0, 0]", "[0.5, 0, 0", refused, "YAML"},
      {"second document", "start:", "---\nstart:", refused, "document"},
      {"zero byte", "robot: two", "robot: t" + std::string(1, '\0') + "wo", refused, "zero byte"},
      {"not UTF-8", "robot: two", "robot: t\xFFwo", refused, "UTF-8"},
      {"UTF-8 name", "robot: two", "robot: zwei Gelenke °", accepted, ""},
      {"denormal length", "a: 1", "a: 5e-324", accepted, ""},
      {"flexible link that does not exist", "start:",
       "flexible:\n  - {link: l9, rigidity_y: 1, rigidity_z: 1, modes_y: 1, modes_z: 0}\nstart:",
       refused, "l9"},
      {"flexible link with -1 modes", "start:",
       "flexible:\n  - {link: l1, rigidity_y: 1, rigidity_z: 1, modes_y: -1, modes_z: 0}\nstart:",
       refused, "modes_y"},
      {"lower limit above upper limit",
       "start:", "joints:\n  - {joint: j1, lower: 1, upper: -1}\nstart:", refused, "above"},
  };
  for (const Change& change : changes) {
    add(change.description, replaced(good, change.from, change.to), change.outcome, change.message);
  }
  add("empty file", "", refused, "empty");
  add("a number", "3", refused, "map");
  add("a list", "[1, 2]", refused, "map");
  add(
      "Windows line ends",
      [] {
        std::string text;
        for (const char c : good) text += c == '\n' ? "\r\n" : std::string(1, c);
        return text;
      }(),
      accepted, "");
  add("byte order mark", "\xEF\xBB\xBF" + good, accepted, "");
  add("nested 100000 deep", "robot: " + repeated("[", 100'000), refused, "table.yaml");
  add("alias bomb (billion laughs)",
      "a: &a [x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a]\n"
      "c: &c [*b, *b, *b, *b, *b, *b, *b, *b]\n",
      refused, "anchor");
  add(
      "20000 links",
      [] {
        std::string text = "robot: long\nsource: test\nlinks:\n";
        for (int i = 0; i < 20'000; ++i) {
          const std::string n = std::to_string(i);
          text +=
              "  - {joint: j" + n + ", link: l" + n +
              ", type: revolute, a: 1, b: 0, alpha_deg: 0, mass: 1, r: [0, 0, 0], inertia: [1, 1, "
              "1]}\n";
        }
        return text;
      }(),
      refused, "maximum");
  add("a file of 17 MiB", "robot: x\n" + repeated("# comment\n", 1'800'000), refused, "bytes");
  add("a line of two megabytes", "robot: " + repeated("x", 2 << 20), refused, "line is longer");
  return inputs;
}

}  // namespace dynamics::test
