// SPDX-License-Identifier: Apache-2.0
#include "readers/urdf_element.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

namespace dynamics::urdf_reader {

using Eigen::Vector3d;
using Severity = Finding::Severity;

std::optional<std::vector<double>> parse_numbers(std::string_view text) {
  std::vector<double> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto space = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (true) {
    while (at != end && space(*at)) ++at;
    if (at == end) return numbers;
    if (*at == '+') ++at;
    double value = 0.0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
    if (next != end && !space(*next)) return std::nullopt;
    numbers.push_back(value);
    at = next;
  }
}

std::string shortened(std::string_view text) {
  std::string result;
  for (const char c : text.substr(0, 60)) {
    result.push_back(static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c);
  }
  return result + (text.size() > 60 ? "..." : "");
}

std::string ElementReader::text(int element, std::string_view attribute) const {
  const auto* given = element < 0 ? nullptr : xml_.at(element).find(attribute);
  return given == nullptr ? "" : given->value;
}

bool ElementReader::has(int element, std::string_view attribute) const {
  return xml_.at(element).find(attribute) != nullptr;
}

std::optional<TextRange> ElementReader::place(int element, std::string_view attribute) const {
  const auto* given = xml_.at(element).find(attribute);
  if (given == nullptr) return std::nullopt;
  return TextRange{given->begin, given->end};
}

std::optional<std::vector<double>> ElementReader::numbers(int element, const char* attribute,
                                                          std::size_t count, const Owner& owner) {
  const xml::Element& e = xml_.at(element);
  const xml::Attribute* given = e.find(attribute);
  if (given == nullptr) return std::nullopt;
  auto values = parse_numbers(given->value);
  if (values && values->size() == count) return values;
  const std::string wanted =
      count == 1 ? "one finite number" : fmt::format("{} finite numbers", count);
  Finding& finding = robot_.report(
      severity, owner.kind, owner.name, "number",
      fmt::format("<{} {}=\"{}\"> is not {}", e.name, attribute, shortened(given->value), wanted),
      "write " + wanted + " with decimal points" + (count > 1 ? ", separated by spaces" : ""),
      e.line);
  // decimal comma: replacing it gives the right number of values
  std::string points = given->value;
  std::replace(points.begin(), points.end(), ',', '.');
  values = parse_numbers(points);
  if (points != given->value && values && values->size() == count) {
    finding.code = "decimal-comma";
    robot_.fix(finding, {given->begin, given->end, points});
    return values;
  }
  return std::nullopt;
}

std::optional<double> ElementReader::number(int element, const char* attribute,
                                            const Owner& owner) {
  const auto values = numbers(element, attribute, 1, owner);
  return values ? std::optional((*values)[0]) : std::nullopt;
}

std::optional<Vector3d> ElementReader::vector(int element, const char* attribute,
                                              const Owner& owner) {
  const auto values = numbers(element, attribute, 3, owner);
  return values ? std::optional(Vector3d((*values)[0], (*values)[1], (*values)[2])) : std::nullopt;
}

double ElementReader::number_or(int element, const char* attribute, double otherwise,
                                const Owner& owner) {
  if (!has(element, attribute)) {
    record_default(element, attribute);
    return otherwise;
  }
  return number(element, attribute, owner).value_or(otherwise);
}

std::optional<Pose> ElementReader::Origin::pose() const {
  if (!xyz || !rotation) return std::nullopt;
  return Pose{*rotation, *xyz};
}

ElementReader::Origin ElementReader::origin(int parent, const Owner& owner, const char* name) {
  Origin result;
  const int element = xml_.child(parent, name);
  if (element < 0) {
    record_default(parent, name);
    return result;
  }
  if (has(element, "xyz")) {
    result.xyz = vector(element, "xyz", owner);
  } else {
    record_default(element, "xyz");
  }
  if (has(element, "quat_xyzw")) {
    read_quaternion(element, result, owner);
    return result;
  }
  if (!has(element, "rpy")) {
    record_default(element, "rpy");
    return result;
  }
  result.rotation = std::nullopt;
  if (const auto rpy = vector(element, "rpy", owner)) {
    result.rpy = *rpy;
    result.rotation = rotation_from_rpy(*rpy);
    constexpr double turn = 2.0 * std::numbers::pi;
    if (rpy->cwiseAbs().maxCoeff() > 1.01 * turn) {
      const Eigen::Vector3d radians = *rpy / 360.0 * turn;
      robot_.report(
          Severity::warning, owner.kind, owner.name, "origin-degrees",
          fmt::format("<{} rpy=\"{}\"> looks like degrees", name, shortened(text(element, "rpy"))),
          fmt::format("in radians it would be {:.6g} {:.6g} {:.6g}", radians.x(), radians.y(),
                      radians.z()),
          line(element));
    }
  }
  return result;
}

void ElementReader::read_quaternion(int element, Origin& origin, const Owner& owner) {
  origin.rotation = std::nullopt;
  if (has(element, "rpy")) {
    robot_.report(Severity::error, owner.kind, owner.name, "orientation-twice",
                  "<origin> has both rpy and quat_xyzw", "keep one of them", line(element));
    return;
  }
  needs_version(1, element, "<origin quat_xyzw=\"...\">", owner);
  const auto q = numbers(element, "quat_xyzw", 4, owner);
  if (!q) return;
  const Eigen::Quaterniond quaternion((*q)[3], (*q)[0], (*q)[1], (*q)[2]);
  const double norm = quaternion.coeffs().stableNorm();
  if (!(norm > 1e-9)) {
    robot_.report(
        Severity::error, owner.kind, owner.name, "quaternion-zero",
        fmt::format("<origin quat_xyzw=\"{}\"> is zero", shortened(text(element, "quat_xyzw"))),
        "give a unit quaternion x y z w; \"0 0 0 1\" is the identity", line(element));
    return;
  }
  if (std::abs(norm - 1.0) > 1e-3) {
    robot_.report(Severity::warning, owner.kind, owner.name, "quaternion-not-unit",
                  fmt::format("<origin quat_xyzw=\"{}\"> has norm {:.6g}: it is normalized",
                              shortened(text(element, "quat_xyzw")), norm),
                  "give a unit quaternion", line(element));
  }
  // in two steps: the square of a large norm would overflow
  const Eigen::Quaterniond unit =
      Eigen::Quaterniond(Eigen::Vector4d(quaternion.coeffs() / norm)).normalized();
  origin.rotation = unit.toRotationMatrix();
  origin.rpy = rpy_from_rotation(*origin.rotation);
  const xml::Attribute& given = *xml_.at(element).find("quat_xyzw");
  // from the attribute's name to its closing quote
  const auto begin = static_cast<std::size_t>(given.name.data() - xml_.text().data());
  edits_to_1_0_.push_back({begin, given.end + 1,
                           fmt::format("rpy=\"{:.17g} {:.17g} {:.17g}\"", origin.rpy.x(),
                                       origin.rpy.y(), origin.rpy.z())});
}

void ElementReader::needs_version(int minor, int element, const std::string& what,
                                  const Owner& owner) {
  if (version.minor >= minor) return;
  robot_.report(
      Severity::warning, owner.kind, owner.name, "version",
      fmt::format("{} requires URDF 1.{} and the file is URDF 1.{}: it is read here, but other "
                  "programs ignore it",
                  what, minor, version.minor),
      fmt::format("write <robot name=\"...\" version=\"1.{}\">", minor), line(element));
}

void ElementReader::record_default(int element, const std::string& what) {
  defaults_[fmt::format("<{}> without {}", xml_.at(element).name, what)].push_back(line(element));
}

void ElementReader::report_defaults() {
  if (defaults_.empty()) return;
  std::string list;
  for (const auto& [what, lines] : defaults_) {
    list += fmt::format("{}{} ({} times, first in line {})", list.empty() ? "" : "; ", what,
                        lines.size(), lines.front());
  }
  robot_.report(Severity::information, Finding::Kind::robot, robot_.name, "defaults",
                "default values are used: " + list, "");
}

Owner owner_of(const xml::Document& document, int element, const ParsedRobot& robot) {
  for (int at = element; at > 0; at = document.at(at).parent) {
    const xml::Element& e = document.at(at);
    if (e.parent != 0) continue;
    const auto kind = e.name == "link"         ? Finding::Kind::link
                      : e.name == "joint"      ? Finding::Kind::joint
                      : e.name == "constraint" ? Finding::Kind::constraint
                                               : Finding::Kind::robot;
    if (kind == Finding::Kind::robot) continue;
    const xml::Attribute* name = e.find("name");
    return {kind, name == nullptr ? "" : name->value};
  }
  return {Finding::Kind::robot, robot.name};
}

}  // namespace dynamics::urdf_reader
