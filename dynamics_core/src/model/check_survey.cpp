// SPDX-License-Identifier: Apache-2.0
// Reads a URDF for the checks: every fault is reported, and reading goes on behind it.

#include "check_survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include "dynamics_core/spatial/pose.hpp"

namespace dynamics::check {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

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

/// For messages: a few words, whatever the file holds.
std::string shortened(std::string_view text) {
  std::string result;
  for (const char c : text.substr(0, 60)) {
    result.push_back(static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c);
  }
  return result + (text.size() > 60 ? "..." : "");
}

class UrdfReader {
 public:
  UrdfReader(const xml::Document& document, Survey& survey) : xml_(document), survey_(survey) {}

  void read() {
    for (const xml::Problem& problem : xml_.problems()) {
      survey_.report(Severity::error, Kind::file, survey_.source, "xml", problem.message,
                     "make it well-formed XML (xmllint --noout names the place too)", problem.line);
    }
    if (!xml::is_utf8(xml_.text())) {
      survey_.report(Severity::warning, Kind::file, survey_.source, "encoding",
                     "is not UTF-8 throughout", "save it as UTF-8");
    }
    if (xml_.root() < 0) {
      survey_.report(Severity::error, Kind::file, survey_.source, "empty", "has no element",
                     "a URDF has a <robot> with links and joints");
      return;
    }
    const xml::Element& robot = xml_.at(0);
    if (robot.name != "robot") {
      survey_.report(Severity::error, Kind::file, survey_.source, "root",
                     fmt::format("its root element is <{}>", shortened(robot.name)),
                     "a URDF's root element is <robot>", robot.line);
      return;
    }
    if (const auto* name = robot.find("name")) {
      survey_.robot = name->value;
    } else {
      Finding& finding = survey_.report(Severity::error, Kind::robot, "", "robot-name",
                                        "<robot> has no name", "write <robot name=\"...\">");
      finding.line = robot.line;
      const std::size_t at = robot.begin + 1 + robot.name.size();
      survey_.fix(finding, {at, at, " name=\"robot\""});
    }
    for (const int link : xml_.children(0, "link")) read_link(link);
    for (const int joint : xml_.children(0, "joint")) read_joint(joint);
    if (survey_.links.empty()) {
      survey_.report(Severity::error, Kind::robot, survey_.robot, "no-links",
                     "<robot> has no <link>", "it needs at least one", robot.line);
    }
    read_drives();
  }

 private:
  /// The numbers of an attribute; nothing where it is not there or wrong, which is reported.
  std::optional<std::vector<double>> numbers(int element, const char* attribute, std::size_t count,
                                             Kind kind, const std::string& name) {
    const xml::Element& e = xml_.at(element);
    const xml::Attribute* given = e.find(attribute);
    if (given == nullptr) return std::nullopt;
    auto values = parse_numbers(given->value);
    if (values && values->size() == count) return values;
    const std::string wanted =
        count == 1 ? "one finite number" : fmt::format("{} finite numbers", count);
    Finding& finding = survey_.report(
        severity_, kind, name, "number",
        fmt::format("<{} {}=\"{}\"> is not {}", e.name, attribute, shortened(given->value), wanted),
        "write " + wanted + " with decimal points" + (count > 1 ? ", apart by blanks" : ""),
        e.line);
    // 0,5 for 0.5: the only reading that gives the right count
    std::string points = given->value;
    std::replace(points.begin(), points.end(), ',', '.');
    values = parse_numbers(points);
    if (points != given->value && values && values->size() == count) {
      finding.code = "decimal-comma";
      survey_.fix(finding, {given->begin, given->end, points});
      return values;
    }
    return std::nullopt;
  }
  std::optional<double> number(int element, const char* attribute, Kind kind,
                               const std::string& name) {
    const auto values = numbers(element, attribute, 1, kind, name);
    return values ? std::optional((*values)[0]) : std::nullopt;
  }
  std::optional<Vector3d> vector(int element, const char* attribute, Kind kind,
                                 const std::string& name) {
    const auto values = numbers(element, attribute, 3, kind, name);
    return values ? std::optional(Vector3d((*values)[0], (*values)[1], (*values)[2]))
                  : std::nullopt;
  }
  struct Origin {
    std::optional<Vector3d> xyz = Vector3d::Zero(), rpy = Vector3d::Zero();
    std::optional<Pose> pose() const {
      if (!xyz || !rpy) return std::nullopt;
      return Pose{rotation_from_rpy(*rpy), *xyz};
    }
  };
  Origin origin(int parent, Kind kind, const std::string& name) {
    Origin result;
    const int element = xml_.child(parent, "origin");
    if (element < 0) return result;
    if (xml_.at(element).find("xyz") != nullptr) result.xyz = vector(element, "xyz", kind, name);
    if (xml_.at(element).find("rpy") != nullptr) result.rpy = vector(element, "rpy", kind, name);
    return result;
  }
  std::string text(int element, const char* attribute) const {
    const auto* given = element < 0 ? nullptr : xml_.at(element).find(attribute);
    return given == nullptr ? "" : given->value;
  }

  void read_link(int element) {
    LinkSurvey link;
    link.element = element;
    link.line = xml_.at(element).line;
    link.name = text(element, "name");
    const auto inertials = xml_.children(element, "inertial");
    if (!inertials.empty()) read_inertial(inertials[0], link);
    if (inertials.size() > 1) {
      survey_.report(Severity::warning, link, "inertial-twice",
                     fmt::format("has {} <inertial> elements", inertials.size()),
                     "keep one: only the first is read");
    }
    for (const char* kind : {"visual", "collision"}) {
      double volume = 0.0;
      for (const int each : xml_.children(element, kind)) volume += read_shape(each, link);
      if (volume > 0.0) link.volume = volume;
    }
    if (const int flexible = xml_.child(element, "flexible"); flexible >= 0) {
      read_flexible(flexible, link);
    }
    survey_.links.push_back(std::move(link));
  }

  void read_inertial(int element, LinkSurvey& link) {
    link.has_inertial = true;
    link.inertial_line = xml_.at(element).line;
    const Origin at = origin(element, Kind::link, link.name);
    link.centre = at.xyz;
    const int mass = xml_.child(element, "mass");
    if (mass >= 0) link.mass = number(mass, "value", Kind::link, link.name);
    if (mass < 0 || xml_.at(mass).find("value") == nullptr) {
      survey_
          .report(Severity::error, link, "mass-missing", "<inertial> has no <mass value=.../>",
                  "give its mass in kg")
          .line = link.inertial_line;
    }
    const int inertia = xml_.child(element, "inertia");
    if (inertia < 0) {
      survey_
          .report(Severity::error, link, "inertia-missing",
                  "<inertial> has no <inertia ixx=... iyy=... izz=.../>",
                  "give the tensor about the mass centre in kg m^2")
          .line = link.inertial_line;
      return;
    }
    link.inertia_element = inertia;
    read_tensor(inertia, at, link);
  }

  void read_tensor(int element, const Origin& at, LinkSurvey& link) {
    struct Entry {
      const char* name;
      Eigen::Index row, column;
    };
    constexpr Entry entries[] = {{"ixx", 0, 0}, {"ixy", 0, 1}, {"ixz", 0, 2},
                                 {"iyy", 1, 1}, {"iyz", 1, 2}, {"izz", 2, 2}};
    Matrix3d tensor = Matrix3d::Zero();
    bool whole = true;
    std::string absent, zeros;
    for (const Entry& entry : entries) {
      if (xml_.at(element).find(entry.name) == nullptr) {
        (entry.row == entry.column ? absent : zeros) += std::string(" ") + entry.name;
        whole = whole && entry.row != entry.column;
        continue;
      }
      const auto value = number(element, entry.name, Kind::link, link.name);
      whole = whole && value.has_value();
      tensor(entry.row, entry.column) = tensor(entry.column, entry.row) = value.value_or(0.0);
    }
    const xml::Element& e = xml_.at(element);
    if (!absent.empty()) {
      survey_
          .report(Severity::error, link, "inertia-entry-missing", "<inertia> has no" + absent,
                  "give all six entries")
          .line = e.line;
    }
    if (!zeros.empty()) {
      Finding& finding = survey_.report(Severity::error, link, "inertia-product-missing",
                                        "<inertia> has no" + zeros, "write them as 0");
      finding.line = e.line;
      std::string added;
      for (std::size_t i = 0; i < zeros.size(); i += 4) added += zeros.substr(i, 4) + "=\"0\"";
      const std::size_t behind_name = e.begin + 1 + e.name.size();
      survey_.fix(finding, {behind_name, behind_name, added});
    }
    if (!whole) return;
    link.tensor = tensor;
    if (at.rpy) {
      const Matrix3d turn = rotation_from_rpy(*at.rpy);
      link.inertia = turn * tensor * turn.transpose();
    }
  }

  struct Shape {
    Vector3d half = Vector3d::Zero();
    double volume = 0.0;
  };
  /// Nothing for a mesh, and where a size could not be read.
  std::optional<Shape> read_size(int geometry, LinkSurvey& link) {
    if (const int box = xml_.child(geometry, "box"); box >= 0) {
      const auto size = vector(box, "size", Kind::link, link.name);
      if (!size) return std::nullopt;
      return Shape{0.5 * *size, size->prod()};
    }
    if (const int cylinder = xml_.child(geometry, "cylinder"); cylinder >= 0) {
      const auto radius = number(cylinder, "radius", Kind::link, link.name);
      const auto length = number(cylinder, "length", Kind::link, link.name);
      if (!radius || !length) return std::nullopt;
      return Shape{{*radius, *radius, 0.5 * *length},
                   std::numbers::pi * *radius * *radius * *length};
    }
    if (const int sphere = xml_.child(geometry, "sphere"); sphere >= 0) {
      const auto radius = number(sphere, "radius", Kind::link, link.name);
      if (!radius) return std::nullopt;
      return Shape{Vector3d::Constant(*radius),
                   4.0 / 3.0 * std::numbers::pi * std::pow(*radius, 3)};
    }
    link.meshes = link.meshes || xml_.child(geometry, "mesh") >= 0;
    return std::nullopt;
  }

  /// Grows the link's extent; the shape's volume.
  double read_shape(int element, LinkSurvey& link) {
    const auto pose = origin(element, Kind::link, link.name).pose();
    const int geometry = xml_.child(element, "geometry");
    if (geometry < 0) return 0.0;
    severity_ = Severity::warning;  // a shape that cannot be read is left out, the link is not
    const auto shape = read_size(geometry, link);
    severity_ = Severity::error;
    if (!shape) return 0.0;
    if (shape->half.minCoeff() < 0.0) {
      survey_
          .report(Severity::warning, link, "geometry-size", "has a shape of negative size",
                  "give sizes above zero")
          .line = xml_.at(geometry).line;
      return 0.0;
    }
    if (!pose) return 0.0;
    const Vector3d reach = pose->rotation.cwiseAbs() * shape->half;
    link.geometry.add(pose->translation - reach);
    link.geometry.add(pose->translation + reach);
    return shape->volume;
  }

  void read_flexible(int element, LinkSurvey& link) {
    const auto get = [&](const char* attribute) {
      return number(element, attribute, Kind::link, link.name);
    };
    const std::size_t line = xml_.at(element).line;
    const auto wrong = [&](const char* attribute, double value, const char* wanted) {
      survey_
          .report(Severity::error, link, "flexible-value",
                  fmt::format("<flexible {}=\"{}\">", attribute, value),
                  std::string(attribute) + " must be " + wanted)
          .line = line;
    };
    DhFlexible beam;
    beam.length = get("length").value_or(0.0);
    beam.mass_per_length = get("mass_per_length").value_or(0.0);
    beam.rigidity_y = get("rigidity_y").value_or(0.0);
    beam.rigidity_z = get("rigidity_z").value_or(0.0);
    beam.damping = get("damping").value_or(0.0);
    beam.tip_mass = get("tip_mass").value_or(0.0);
    beam.hub_mass = get("hub_mass").value_or(0.0);
    const double modes_y = get("modes_y").value_or(0.0), modes_z = get("modes_z").value_or(0.0);
    bool sound = true;
    const auto need = [&](bool condition, const char* attribute, double value, const char* wanted) {
      if (condition) return;
      wrong(attribute, value, wanted);
      sound = false;
    };
    const auto whole = [](double modes) {
      return modes >= 0.0 && modes <= 6.0 && modes == std::floor(modes);
    };
    need(beam.length > 0.0, "length", beam.length, "above zero");
    need(beam.mass_per_length > 0.0, "mass_per_length", beam.mass_per_length, "above zero");
    need(whole(modes_y), "modes_y", modes_y, "a whole number from 0 to 6");
    need(whole(modes_z), "modes_z", modes_z, "a whole number from 0 to 6");
    need(!(modes_y > 0.0) || beam.rigidity_y > 0.0, "rigidity_y", beam.rigidity_y, "above zero");
    need(!(modes_z > 0.0) || beam.rigidity_z > 0.0, "rigidity_z", beam.rigidity_z, "above zero");
    need(beam.damping >= 0.0, "damping", beam.damping, "zero or more");
    need(beam.tip_mass >= 0.0, "tip_mass", beam.tip_mass, "zero or more");
    need(beam.hub_mass >= 0.0, "hub_mass", beam.hub_mass, "zero or more");
    if (!sound) return;
    beam.modes_y = static_cast<int>(modes_y);
    beam.modes_z = static_cast<int>(modes_z);
    link.flexible = beam;
  }

  void read_joint(int element) {
    JointSurvey joint;
    joint.element = element;
    joint.line = xml_.at(element).line;
    joint.name = text(element, "name");
    read_type(element, joint);
    joint.parent = text(xml_.child(element, "parent"), "link");
    joint.child = text(xml_.child(element, "child"), "link");
    joint.position = origin(element, Kind::joint, joint.name).xyz;
    joint.axis_element = xml_.child(element, "axis");
    if (joint.axis_element >= 0) {
      joint.has_axis = xml_.at(joint.axis_element).find("xyz") != nullptr;
      joint.axis = vector(joint.axis_element, "xyz", Kind::joint, joint.name);
    }
    joint.limit_element = xml_.child(element, "limit");
    if (joint.limit_element >= 0) {
      joint.has_limit = true;
      const auto get = [&](const char* attribute) {
        return number(joint.limit_element, attribute, Kind::joint, joint.name);
      };
      joint.lower = get("lower");
      joint.upper = get("upper");
      joint.velocity = get("velocity");
      joint.effort = get("effort");
      for (const char* attribute : {"effort", "velocity"}) {
        if (xml_.at(joint.limit_element).find(attribute) != nullptr) continue;
        survey_
            .report(Severity::error, joint, "limit-entry-missing",
                    fmt::format("<limit> has no {}", attribute),
                    "URDF demands effort and velocity: give the drive's")
            .line = xml_.at(joint.limit_element).line;
      }
    }
    if (const int dynamics = xml_.child(element, "dynamics"); dynamics >= 0) {
      const auto get = [&](const char* attribute) {
        return number(dynamics, attribute, Kind::joint, joint.name).value_or(0.0);
      };
      joint.damping = get("damping");
      joint.friction = get("friction");
      joint.rotor_inertia = get("rotor_inertia");
    }
    joint.mimic_element = xml_.child(element, "mimic");
    if (joint.mimic_element >= 0) {
      Mimic mimic;
      mimic.joint = text(joint.mimic_element, "joint");
      const auto get = [&](const char* attribute, double otherwise) {
        return number(joint.mimic_element, attribute, Kind::joint, joint.name).value_or(otherwise);
      };
      mimic.multiplier = get("multiplier", 1.0);
      mimic.offset = get("offset", 0.0);
      joint.mimic = mimic;
    }
    survey_.joints.push_back(std::move(joint));
  }

  void read_type(int element, JointSurvey& joint) {
    const std::string given = text(element, "type");
    for (const JointType type : {JointType::revolute, JointType::continuous, JointType::prismatic,
                                 JointType::fixed, JointType::planar, JointType::floating}) {
      if (given == to_string(type)) joint.type = type;
    }
    if (joint.type) return;
    survey_.report(
        Severity::error, joint, "joint-type",
        given.empty() ? "has no type"
                      : fmt::format("its type '{}' is not supported", shortened(given)),
        "use revolute, continuous, prismatic, fixed, planar or floating; a ball joint is "
        "three revolute ones");
  }

  /// Rotor inertias that stand elsewhere, and drives of joints that do not exist.
  void read_drives() {
    std::unordered_map<std::string, std::size_t> joints;
    for (std::size_t i = 0; i < survey_.joints.size(); ++i) joints[survey_.joints[i].name] = i;
    const auto known = [&](int element, const char* where) {
      const std::string name = text(element, "name");
      const auto found = joints.find(name);
      if (found != joints.end()) return static_cast<int>(found->second);
      survey_.report(Severity::warning, Kind::joint, name, "drive-of-nothing",
                     fmt::format("{} names it, but there is no such joint", where),
                     "remove that, or correct the name", xml_.at(element).line);
      return -1;
    };
    for (const int transmission : xml_.children(0, "transmission")) {
      const int joint = xml_.child(transmission, "joint");
      if (joint < 0) continue;
      const int index = known(joint, "a <transmission>");
      const int actuator = xml_.child(transmission, "actuator");
      if (index < 0 || actuator < 0) continue;
      for (const char* name : {"rotor_inertia", "rotorInertia", "drake:rotor_inertia"}) {
        const int rotor = xml_.child(actuator, name);
        if (rotor < 0) continue;
        const std::string given = text(rotor, "value");
        const auto value = parse_numbers(given.empty() ? xml_.content(rotor) : given);
        if (value && value->size() == 1)
          survey_.joints[static_cast<std::size_t>(index)].rotor_inertia = (*value)[0];
      }
    }
    for (const int control : xml_.children(0, "ros2_control")) {
      for (const int joint : xml_.children(control, "joint")) {
        const int index = known(joint, "<ros2_control>");
        if (index < 0) continue;
        for (const int parameter : xml_.children(joint, "param")) {
          if (text(parameter, "name") != "rotor_inertia") continue;
          const auto value = parse_numbers(xml_.content(parameter));
          if (value && value->size() == 1)
            survey_.joints[static_cast<std::size_t>(index)].rotor_inertia = (*value)[0];
        }
      }
    }
  }

  const xml::Document& xml_;
  Survey& survey_;
  Severity severity_ = Severity::error;  ///< of a number that is none
};

}  // namespace

Finding& Survey::report(Severity severity, Kind kind, const std::string& name, const char* code,
                        std::string message, std::string repair, std::size_t line) {
  findings.push_back(
      {severity, kind, name, code, std::move(message), std::move(repair), false, line});
  return findings.back();
}
Finding& Survey::report(Severity severity, const LinkSurvey& link, const char* code,
                        std::string message, std::string repair) {
  return report(severity, Kind::link, link.name, code, std::move(message), std::move(repair),
                link.line);
}
Finding& Survey::report(Severity severity, const JointSurvey& joint, const char* code,
                        std::string message, std::string repair) {
  return report(severity, Kind::joint, joint.name, code, std::move(message), std::move(repair),
                joint.line);
}

void Survey::fix(Finding& finding, Edit edit) {
  if (document == nullptr) return;
  finding.fixable = true;
  edits.push_back(std::move(edit));
}

void survey_urdf(const xml::Document& document, Survey& survey) {
  survey.document = &document;
  UrdfReader(document, survey).read();
}

}  // namespace dynamics::check
