// SPDX-License-Identifier: Apache-2.0
// Reports unknown attributes and elements: a misspelled name would otherwise silently leave a value
// at its default.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "readers/urdf_element.hpp"

namespace dynamics::urdf_reader {
namespace {

using Names = std::vector<std::string_view>;
using Severity = Finding::Severity;

struct KnownElement {
  std::string_view element;
  Names attributes;
  Names once;      ///< children of which only the first is read
  Names repeated;  ///< children that may be repeated or belong to other programs
};

/// Element names are unambiguous below <robot>.
const std::vector<KnownElement>& known_elements() {
  static const std::vector<KnownElement> all = {
      {"robot",
       {"name", "version"},
       {},
       {"link", "joint", "material", "constraint", "loop_joint", "gazebo", "transmission",
        "ros2_control", "sensor", "mujoco", "deformable"}},
      {"link",
       {"name", "type", "concave"},
       {"inertial", "flexible"},
       {"visual", "collision", "sensor", "gazebo", "contact", "audio_source",
        "self_collision_checking", "collision_checking", "verbose"}},
      {"inertial", {}, {"origin", "mass", "inertia"}, {}},
      {"origin", {"xyz", "rpy", "quat_xyzw"}, {}, {}},
      {"mass", {"value"}, {}, {}},
      {"inertia", {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}, {}, {}},
      {"visual", {"name", "group"}, {"origin", "geometry", "material"}, {"verbose"}},
      {"collision",
       {"name", "group", "concave"},
       {"origin", "geometry"},
       {"material", "verbose", "contact_coefficients", "surface"}},
      {"geometry", {}, {"box", "cylinder", "sphere", "capsule", "mesh"}, {"plane", "sdf"}},
      {"box", {"size"}, {}, {}},
      {"cylinder", {"radius", "length"}, {}, {}},
      {"sphere", {"radius"}, {}, {}},
      {"capsule", {"radius", "length"}, {}, {}},
      {"mesh", {"filename", "scale"}, {}, {}},
      {"material", {"name"}, {"color", "texture"}, {"script"}},
      {"color", {"rgba"}, {}, {}},
      {"texture", {"filename"}, {}, {}},
      {"flexible",
       {"length", "mass_per_length", "rigidity_y", "rigidity_z", "modes_y", "modes_z", "damping",
        "tip_mass", "hub_mass", "hub_center", "hub_inertia", "stiffening", "basis"},
       {},
       {}},
      {"constraint",
       {"name", "type", "value"},
       {"parent", "parent_origin", "parent_axis", "child", "child_origin", "child_axis"},
       {}},
      {"parent_origin", {"xyz", "rpy", "quat_xyzw"}, {}, {}},
      {"child_origin", {"xyz", "rpy", "quat_xyzw"}, {}, {}},
      {"parent_axis", {"xyz"}, {}, {}},
      {"child_axis", {"xyz"}, {}, {}},
      {"joint",
       {"name", "type", "actuated", "dont_collapse"},
       {"parent", "child", "origin", "axis", "limit", "dynamics", "mimic"},
       {"safety_controller", "calibration", "hardwareInterface", "gazebo", "sensor", "mujoco"}},
      {"parent", {"link"}, {}, {}},
      {"child", {"link"}, {}, {}},
      {"axis", {"xyz"}, {}, {}},
      {"limit",
       {"lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk"},
       {},
       {}},
      {"dynamics", {"damping", "friction", "rotor_inertia"}, {}, {}},
      {"mimic", {"joint", "multiplier", "offset"}, {}, {}}};
  return all;
}

/// Elements of other programs; they and their contents are not checked.
bool is_foreign(std::string_view name) {
  constexpr std::array foreign = {"gazebo",
                                  "transmission",
                                  "ros2_control",
                                  "sensor",
                                  "mujoco",
                                  "deformable",
                                  "contact",
                                  "audio_source",
                                  "verbose",
                                  "contact_coefficients",
                                  "surface",
                                  "safety_controller",
                                  "calibration",
                                  "hardwareInterface",
                                  "script",
                                  "self_collision_checking",
                                  "collision_checking",
                                  "plane",
                                  "sdf",
                                  "loop_joint"};
  return name.find(':') != name.npos ||
         std::find(foreign.begin(), foreign.end(), name) != foreign.end();
}

bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Damerau-Levenshtein distance: insertions, deletions, replacements and swaps of neighbors.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min(
          {d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

std::string suggestion(std::string_view name, std::initializer_list<const Names*> lists) {
  std::string_view best;
  std::size_t least = 3;
  std::string all;
  for (const Names* names : lists) {
    for (const std::string_view each : *names) {
      all += fmt::format("{}{}", all.empty() ? "" : ", ", each);
      if (name.size() > 40) continue;
      const std::size_t steps = edit_distance(name, each);
      if (steps < least && steps < each.size()) least = steps, best = each;
    }
  }
  if (!best.empty()) return fmt::format("did you mean {}?", best);
  return all.empty() ? "remove it" : "known names: " + all;
}

class NameCheck {
 public:
  NameCheck(const xml::Document& document, ParsedRobot& robot) : xml_(document), robot_(robot) {}

  void run() {
    for (const KnownElement& known : known_elements()) by_name_.emplace(known.element, &known);
    std::vector<int> stack = {0};
    while (!stack.empty() && count_ < max_count_) {
      const int at = stack.back();
      stack.pop_back();
      const auto known = by_name_.find(xml_.at(at).name);
      if (known == by_name_.end()) continue;
      check(at, *known->second, stack);
    }
    if (count_ < max_count_) return;
    robot_.report(
        Severity::warning, Finding::Kind::file, robot_.source, "too-many",
        fmt::format("more than {} unknown names: further ones are not reported", max_count_),
        "check that the file is a URDF");
  }

 private:
  void report(int element, const char* code, std::string message, std::string repair) {
    const Owner owner = owner_of(xml_, element, robot_);
    robot_.report(Severity::warning, owner.kind, owner.name, code, std::move(message),
                  std::move(repair), xml_.at(element).line);
    ++count_;
  }

  void check(int at, const KnownElement& known, std::vector<int>& stack) {
    const xml::Element& element = xml_.at(at);
    for (const xml::Attribute& attribute : element.attributes) {
      const std::string_view name = attribute.name;
      if (contains(known.attributes, name) || name == "xmlns" || name.find(':') != name.npos) {
        continue;
      }
      if (count_ == max_count_) return;
      report(
          at, "attribute-unknown",
          fmt::format("unknown attribute {1} of <{0}> is ignored", element.name, shortened(name)),
          suggestion(name, {&known.attributes}));
    }
    std::map<std::string_view, int> seen;
    std::vector<int> inside;
    for (int child = element.first_child; child >= 0; child = xml_.at(child).next) {
      if (count_ == max_count_) return;
      const std::string_view name = xml_.at(child).name;
      const bool once = contains(known.once, name);
      if (!once && !contains(known.repeated, name) && name.find(':') == name.npos) {
        report(
            child, "element-unknown",
            fmt::format("unknown element <{1}> in <{0}> is ignored", element.name, shortened(name)),
            suggestion(name, {&known.once, &known.repeated}));
        continue;
      }
      if (once && ++seen[name] > 1) {
        report(child, name == "inertial" ? "inertial-twice" : "element-twice",
               fmt::format("second <{}> in <{}> is ignored: only the first is read", name,
                           element.name),
               "keep one of them");
        continue;
      }
      if (!is_foreign(name)) inside.push_back(child);
    }
    stack.insert(stack.end(), inside.rbegin(), inside.rend());
  }

  static constexpr std::size_t max_count_ = 1000;

  const xml::Document& xml_;
  ParsedRobot& robot_;
  std::map<std::string_view, const KnownElement*> by_name_;
  std::size_t count_ = 0;
};

}  // namespace

void report_unknown_names(const xml::Document& document, ParsedRobot& robot) {
  NameCheck(document, robot).run();
}

}  // namespace dynamics::urdf_reader
