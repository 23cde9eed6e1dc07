// SPDX-License-Identifier: Apache-2.0
// Changes every attribute of every URDF in the repository (misspelled, with a unit, with a comma,
// duplicated, missing): each mutation is reported or does not change the description.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "dynamics_core/check.hpp"
#include "dynamics_core/readers.hpp"

namespace dynamics {
namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<fs::path> urdf_files() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(DYNAMICS_URDF_DIR)) {
    if (entry.path().extension() == ".urdf") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

struct AttributePlace {
  std::size_t begin, value,
      end;  ///< name="value": begin of the name, of the value, end after the quote
};

/// Every attribute between '<' and '>', outside of comments and declarations.
std::vector<AttributePlace> attributes(const std::string& text) {
  std::vector<AttributePlace> places;
  for (std::size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
    if (text.compare(at, 4, "<!--") == 0) {
      at = text.find("-->", at);
      continue;
    }
    const std::size_t close = text.find('>', at);
    if (text[at + 1] == '?' || text[at + 1] == '/') continue;
    for (std::size_t equal = text.find("=\"", at); equal < close;) {
      std::size_t begin = equal;
      while (std::isspace(static_cast<unsigned char>(text[begin - 1])) == 0) --begin;
      const std::size_t end = text.find('"', equal + 2) + 1;
      places.push_back({begin, equal + 2, end});
      equal = text.find("=\"", end);
    }
  }
  return places;
}

bool is_numeric(const std::string& value) {
  return !value.empty() && value.find_first_not_of("0123456789+-.eE ") == value.npos &&
         value.find_first_of("0123456789") != value.npos;
}

std::string misspelled(std::string name, std::mt19937& random) {
  const std::size_t at = random() % name.size();
  switch (random() % 3) {
    case 0: return name.insert(at, 1, name[at]);
    case 1: return name.size() > 1 ? name.erase(at, 1) : name + "s";
    default: name[at] = static_cast<char>(std::toupper(name[at])); return name;
  }
}

/// The mutated texts of one attribute, by kind.
std::map<std::string, std::string> mutations(const std::string& text, const AttributePlace& place,
                                             std::mt19937& random) {
  const std::string name = text.substr(place.begin, place.value - 2 - place.begin);
  const std::string value = text.substr(place.value, place.end - 1 - place.value);
  const auto with = [&](const std::string& attribute) {
    return std::string(text).replace(place.begin, place.end - place.begin, attribute);
  };
  std::map<std::string, std::string> result;
  result["misspelled"] = with(misspelled(name, random) + "=\"" + value + "\"");
  result["duplicate"] = with(fmt::format("{0}=\"{1}\" {0}=\"{1}\"", name, value));
  result["missing"] = with("");
  if (is_numeric(value)) {
    const char* units[] = {"mm", " deg", "kg", "rad"};
    result["unit"] = with(name + "=\"" + value + units[random() % 4] + "\"");
    std::string comma = value;
    const std::size_t point = comma.find_first_of(". ");
    point == comma.npos ? comma += ",5" : comma.replace(point, 1, ",");
    result["comma"] = with(name + "=\"" + comma + "\"");
  }
  return result;
}

std::string print(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& f : findings)
    text += fmt::format("{} {} {}: {}\n", to_string(f.severity), f.name, f.code, f.message);
  return text;
}

template <class Vector>
std::string numbers(const Vector& v) {
  std::string text;
  for (const double x : v) text += fmt::format(" {}", x);
  return text;
}

/// Everything in a description.
std::string dump(const RobotDescription& robot) {
  std::string text = robot.name + "\n";
  for (const LinkDescription& link : robot.links) {
    text += "link " + link.name;
    if (link.inertial) {
      text += fmt::format(" {}", link.inertial->mass) + numbers(link.inertial->center) +
              numbers(link.inertial->inertia.reshaped());
    }
    for (const Visual& v : link.visuals) {
      text += " visual" + numbers(v.xyz) + numbers(v.rpy) + v.color + numbers(v.rgba);
      text += std::visit(
          [](const auto& shape) {
            if constexpr (requires { shape.size; })
              return numbers(shape.size);
            else if constexpr (requires { shape.length; })
              return fmt::format(" {} {}", shape.radius, shape.length);
            else
              return fmt::format(" {}", shape.radius);
          },
          v.geometry);
    }
    for (const MeshVisual& m : link.meshes) {
      text += " mesh " + m.filename + numbers(m.scale) + numbers(m.xyz) + numbers(m.rpy);
    }
    if (link.flexible) {
      const BeamDescription& b = *link.flexible;
      text += fmt::format(" beam {} {} {} {} {} {} {} {} {} {} {}", b.length, b.mass_per_length,
                          b.rigidity_y, b.rigidity_z, b.modes_y, b.modes_z, b.damping, b.tip_mass,
                          b.hub_mass, b.stiffening, b.basis) +
              numbers(b.hub_center) + numbers(b.hub_inertia);
    }
    text += "\n";
  }
  for (const JointDescription& j : robot.joints) {
    text += fmt::format("joint {} {} {} {} {} {} {}", j.name, to_string(j.type), j.parent, j.child,
                        j.damping, j.friction, j.rotor_inertia) +
            numbers(j.origin.translation) + numbers(j.origin.rotation.reshaped()) + numbers(j.axis);
    if (j.limits) {
      const JointLimits& l = *j.limits;
      text += fmt::format(" limits {} {} {} {} {} {} {}", l.lower, l.upper, l.velocity, l.effort,
                          l.acceleration, l.deceleration, l.jerk);
    }
    if (j.mimic) {
      text += fmt::format(" mimic {} {} {}", j.mimic->joint, j.mimic->multiplier, j.mimic->offset);
    }
    text += "\n";
  }
  return text;
}

TEST(Mutations, AreReportedOrHarmless) {
  CheckOptions options;
  options.condition = false;
  std::mt19937 random(1717);
  std::map<std::string, int> reported, harmless;
  for (const fs::path& path : urdf_files()) {
    const std::string text = read_text(path);
    const std::string original = dump(read_urdf(text));
    const std::string findings = print(check_urdf(text, "r", options).findings);
    for (const AttributePlace& place : attributes(text)) {
      for (const auto& [kind, mutated] : mutations(text, place, random)) {
        const CheckReport report = check_urdf(mutated, "r", options);
        if (print(report.findings) != findings) {
          ++reported[kind];
          continue;
        }
        ++harmless[kind];
        ASSERT_TRUE(report.loads);
        EXPECT_EQ(dump(read_urdf(mutated)), original)
            << path.filename() << ": " << kind << " "
            << text.substr(place.begin, place.end - place.begin);
      }
    }
  }
  for (const char* kind : {"misspelled", "unit", "comma", "duplicate"}) {
    EXPECT_GT(reported[kind], 100) << kind;
    EXPECT_EQ(harmless[kind], 0) << kind;
  }
  EXPECT_GT(reported["missing"], 100);
}

TEST(Mutations, OriginalFilesHaveOnlyExpectedFindings) {
  // the PUMA's tensors of the papers are too large for its links (docs/checking.md)
  const std::map<std::string, std::set<std::string>> expected = {{"puma.urdf", {"inertia-large"}}};
  for (const fs::path& path : urdf_files()) {
    const CheckReport report = check_urdf(read_text(path), path.filename().string());
    for (const Finding& finding : report.findings) {
      if (finding.severity == Finding::Severity::information) continue;
      const auto known = expected.find(path.filename().string());
      EXPECT_TRUE(known != expected.end() && known->second.contains(finding.code))
          << path.filename() << ": " << print({finding});
    }
    EXPECT_TRUE(report.loads) << path;
  }
}

}  // namespace
}  // namespace dynamics
