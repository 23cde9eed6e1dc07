// SPDX-License-Identifier: Apache-2.0
#include "readers/urdf_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "readers/urdf_element.hpp"

namespace dynamics {
namespace urdf_reader {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Kind = Finding::Kind;
using Severity = Finding::Severity;

class UrdfReader {
 public:
  UrdfReader(const xml::Document& document, ParsedRobot& robot, std::vector<Edit>& edits_to_1_0)
      : xml_(document), robot_(robot), reader_(document, robot, edits_to_1_0) {}

  /// False if the root element is not <robot>.
  bool read() {
    if (!read_text()) return false;
    read_root();
    for (const int link : xml_.children(0, "link")) read_link(link);
    for (const int joint : xml_.children(0, "joint")) read_joint(joint);
    check_encoding_of_names();
    read_rotor_inertias(reader_);
    color_shapes(robot_, read_materials(reader_));
    read_constraints(reader_);
    report_unknown_names(xml_, robot_);
    reader_.report_defaults();
    return true;
  }

 private:
  bool read_text() {
    for (const xml::Problem& problem : xml_.problems()) {
      robot_.report(Severity::error, Kind::file, robot_.source, "xml", problem.message,
                    "correct the XML (xmllint --noout reports the same position)", problem.line);
    }
    if (!xml::is_utf8(xml_.text())) {
      robot_.report(Severity::warning, Kind::file, robot_.source, "encoding", "text is not UTF-8",
                    "save the file as UTF-8");
    }
    if (xml_.root() < 0) {
      robot_.report(Severity::error, Kind::file, robot_.source, "empty",
                    xml_.text().empty() ? "file is empty" : "file has no XML element",
                    "a URDF has a <robot> element with links and joints");
      return false;
    }
    const xml::Element& robot = xml_.at(0);
    if (robot.name == "robot") return true;
    robot_.report(Severity::error, Kind::file, robot_.source, "root",
                  fmt::format("root element is <{}>", shortened(robot.name)), "must be <robot>",
                  robot.line);
    return false;
  }

  /// Versions of urdfdom decode character references in other encodings differently.
  void check_encoding_of_names() {
    const auto same_letter = [](char a, char b) { return std::tolower(a) == b; };
    const std::string_view encoding = xml_.encoding(), utf8 = "utf-8";
    if (encoding.empty() ||
        std::equal(encoding.begin(), encoding.end(), utf8.begin(), utf8.end(), same_letter)) {
      return;
    }
    const auto check = [this](Kind kind, const std::string& name, std::size_t line) {
      if (std::all_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x80; })) return;
      robot_.report(Severity::error, kind, name, "name-encoding",
                    "encoding of the name is ambiguous",
                    "save the file as UTF-8 and write encoding=\"UTF-8\" in the first line", line);
    };
    for (const ParsedLink& link : robot_.links) check(Kind::link, link.name, link.line);
    for (const ParsedJoint& joint : robot_.joints) check(Kind::joint, joint.name, joint.line);
  }

  void read_root() {
    const xml::Element& robot = xml_.at(0);
    if (const auto* name = robot.find("name")) {
      robot_.name = name->value;
    } else {
      Finding& finding =
          robot_.report(Severity::error, Kind::robot, "", "robot-name", "<robot> has no name",
                        "write <robot name=\"...\">", robot.line);
      const std::size_t at = robot.begin + 1 + robot.name.size();
      robot_.fix(finding, {at, at, " name=\"robot\""});
    }
    const auto* version = robot.find("version");
    if (version == nullptr) return;
    if (version->value == "1.0" || version->value == "1.1" || version->value == "1.2") {
      reader_.version.minor = version->value[2] - '0';
      reader_.edits_to_1_0().push_back({version->begin, version->end, "1.0"});
      return;
    }
    robot_.report(Severity::error, Kind::robot, robot_.name, "version-unknown",
                  fmt::format("<robot version=\"{}\"> is not supported", shortened(version->value)),
                  "supported are 1.0, 1.1 and 1.2", robot.line);
  }

  void read_link(int element) {
    ParsedLink link;
    link.line = reader_.line(element);
    link.name = reader_.text(element, "name");
    if (const int inertial = xml_.child(element, "inertial"); inertial >= 0) {
      read_inertial(inertial, link);
    }
    read_shapes(reader_, element, link);
    if (const int flexible = xml_.child(element, "flexible"); flexible >= 0) {
      read_flexible(flexible, link);
    }
    robot_.links.push_back(std::move(link));
  }

  Finding& report(Severity severity, const ParsedLink& link, int element, const char* code,
                  std::string message, std::string repair) {
    Finding& finding = robot_.report(severity, link, code, std::move(message), std::move(repair));
    finding.line = reader_.line(element);
    return finding;
  }

  void read_inertial(int element, ParsedLink& link) {
    const Owner owner{Kind::link, link.name};
    link.has_inertial = true;
    link.inertial_line = reader_.line(element);
    const ElementReader::Origin at = reader_.origin(element, owner);
    link.center = at.xyz;
    const int mass = xml_.child(element, "mass");
    if (mass >= 0) link.mass = reader_.number(mass, "value", owner);
    if (mass < 0 || !reader_.has(mass, "value")) {
      report(Severity::error, link, element, "mass-missing",
             "<mass value=\"...\"/> is missing in <inertial>", "give the mass in kg");
    }
    const int inertia = xml_.child(element, "inertia");
    if (inertia < 0) {
      report(Severity::error, link, element, "inertia-missing",
             "<inertia ixx=... iyy=... izz=.../> is missing in <inertial>",
             "give the tensor about the center of mass in kg m^2");
      return;
    }
    read_tensor(inertia, at, link);
  }

  void read_tensor(int element, const ElementReader::Origin& at, ParsedLink& link) {
    struct Entry {
      const char* name;
      Eigen::Index row, column;
    };
    constexpr Entry entries[] = {{"ixx", 0, 0}, {"ixy", 0, 1}, {"ixz", 0, 2},
                                 {"iyy", 1, 1}, {"iyz", 1, 2}, {"izz", 2, 2}};
    Matrix3d tensor = Matrix3d::Zero();
    bool complete = true;
    std::string missing_moments, missing_products;
    for (std::size_t i = 0; i < 6; ++i) {
      const Entry& entry = entries[i];
      link.tensor_places[i] = reader_.place(element, entry.name);
      if (!link.tensor_places[i]) {
        (entry.row == entry.column ? missing_moments : missing_products) +=
            std::string(" ") + entry.name;
        complete = complete && entry.row != entry.column;
        continue;
      }
      const auto value = reader_.number(element, entry.name, {Kind::link, link.name});
      complete = complete && value.has_value();
      tensor(entry.row, entry.column) = tensor(entry.column, entry.row) = value.value_or(0.0);
    }
    if (!missing_moments.empty()) {
      report(Severity::error, link, element, "inertia-entry-missing",
             "<inertia> has no" + missing_moments, "give all six entries");
    }
    if (!missing_products.empty()) {
      Finding& finding = report(Severity::error, link, element, "inertia-product-missing",
                                "<inertia> has no" + missing_products, "write them as 0");
      std::string added;
      for (std::size_t i = 0; i < missing_products.size(); i += 4)
        added += missing_products.substr(i, 4) + "=\"0\"";
      const xml::Element& e = xml_.at(element);
      const std::size_t after_name = e.begin + 1 + e.name.size();
      robot_.fix(finding, {after_name, after_name, added});
    }
    if (!complete) return;
    link.tensor = tensor;
    if (at.rotation) link.inertia = *at.rotation * tensor * at.rotation->transpose();
  }

  void read_flexible(int element, ParsedLink& link) {
    const Owner owner{Kind::link, link.name};
    const auto get = [&](const char* attribute) {
      return reader_.number_or(element, attribute, 0.0, owner);
    };
    bool valid = true;
    const auto require = [&](bool condition, const char* attribute, const std::string& value,
                             const char* wanted) {
      if (condition) return;
      report(Severity::error, link, element, "flexible-value",
             fmt::format("<flexible {}=\"{}\"> is invalid", attribute, value),
             std::string("must be ") + wanted);
      valid = false;
    };
    const auto text = [](double value) { return fmt::format("{}", value); };
    BeamDescription beam;
    const std::pair<const char*, double*> amounts[] = {
        {"length", &beam.length},         {"mass_per_length", &beam.mass_per_length},
        {"rigidity_y", &beam.rigidity_y}, {"rigidity_z", &beam.rigidity_z},
        {"damping", &beam.damping},       {"tip_mass", &beam.tip_mass},
        {"hub_mass", &beam.hub_mass}};
    for (const auto& [attribute, value] : amounts) *value = get(attribute);
    const double modes_y = get("modes_y"), modes_z = get("modes_z");
    for (const auto& [attribute, value] :
         {std::pair{"hub_center", &beam.hub_center}, std::pair{"hub_inertia", &beam.hub_inertia}}) {
      if (reader_.has(element, attribute))
        *value = reader_.vector(element, attribute, owner).value_or(Vector3d::Zero());
    }
    require(beam.length > 0.0, "length", text(beam.length), "greater than zero");
    require(beam.mass_per_length > 0.0, "mass_per_length", text(beam.mass_per_length),
            "greater than zero");
    const auto is_mode_count = [](double modes) {
      return modes >= 0.0 && modes <= 6.0 && modes == std::floor(modes);
    };
    require(is_mode_count(modes_y), "modes_y", text(modes_y), "an integer from 0 to 6");
    require(is_mode_count(modes_z), "modes_z", text(modes_z), "an integer from 0 to 6");
    require(!(modes_y > 0.0) || beam.rigidity_y > 0.0, "rigidity_y", text(beam.rigidity_y),
            "greater than zero");
    require(!(modes_z > 0.0) || beam.rigidity_z > 0.0, "rigidity_z", text(beam.rigidity_z),
            "greater than zero");
    require(beam.damping >= 0.0, "damping", text(beam.damping), "zero or greater");
    require(beam.tip_mass >= 0.0, "tip_mass", text(beam.tip_mass), "zero or greater");
    require(beam.hub_mass >= 0.0, "hub_mass", text(beam.hub_mass), "zero or greater");
    require(beam.hub_inertia.minCoeff() >= 0.0, "hub_inertia",
            shortened(reader_.text(element, "hub_inertia")), "zero or greater");
    if (reader_.has(element, "stiffening")) {
      const std::string given = reader_.text(element, "stiffening");
      require(given == "true" || given == "false", "stiffening", shortened(given), "true or false");
      beam.stiffening = given == "true";
    }
    if (reader_.has(element, "basis")) {
      beam.basis = reader_.text(element, "basis");
      require(beam.basis == "clamped-free" || beam.basis == "polynomial", "basis",
              shortened(beam.basis), "clamped-free or polynomial");
    }
    if (!valid) return;
    beam.modes_y = static_cast<int>(modes_y);
    beam.modes_z = static_cast<int>(modes_z);
    link.flexible = beam;
  }

  void read_joint(int element) {
    ParsedJoint joint;
    joint.line = reader_.line(element);
    joint.name = reader_.text(element, "name");
    const Owner owner{Kind::joint, joint.name};
    read_type(element, joint);
    read_actuated(element, joint);
    joint.parent = reader_.text(xml_.child(element, "parent"), "link");
    joint.child = reader_.text(xml_.child(element, "child"), "link");
    const ElementReader::Origin at = reader_.origin(element, owner);
    joint.position = at.xyz;
    joint.rotation = at.rotation;
    read_axis(element, joint);
    if (const int limit = xml_.child(element, "limit"); limit >= 0) read_limit(limit, joint);
    if (const int dynamics = xml_.child(element, "dynamics"); dynamics >= 0) {
      joint.damping = reader_.number_or(dynamics, "damping", 0.0, owner);
      joint.friction = reader_.number_or(dynamics, "friction", 0.0, owner);
      joint.rotor_inertia = reader_.number_or(dynamics, "rotor_inertia", 0.0, owner);
      if (!reader_.has(dynamics, "damping") && !reader_.has(dynamics, "friction")) {
        report_empty_dynamics(dynamics, joint);
      }
    } else {
      reader_.record_default(element, "dynamics");
    }
    if (const int mimic = xml_.child(element, "mimic"); mimic >= 0) {
      joint.mimic =
          Mimic{reader_.text(mimic, "joint"), reader_.number_or(mimic, "multiplier", 1.0, owner),
                reader_.number_or(mimic, "offset", 0.0, owner)};
      joint.mimic_place = with_indentation(mimic);
    }
    robot_.joints.push_back(std::move(joint));
  }

  void report_empty_dynamics(int element, const ParsedJoint& joint) {
    Finding& finding =
        robot_.report(Severity::warning, joint, "dynamics-empty",
                      "<dynamics> has neither damping nor friction: urdfdom rejects the file",
                      "write damping=\"0\"");
    finding.line = reader_.line(element);
    const xml::Element& e = xml_.at(element);
    const std::size_t at = e.begin + 1 + e.name.size();
    robot_.fix(finding, {at, at, " damping=\"0\""});
    reader_.edits_to_1_0().push_back({at, at, " damping=\"0\""});
  }

  void read_type(int element, ParsedJoint& joint) {
    const std::string given = reader_.text(element, "type");
    for (const JointType type : {JointType::revolute, JointType::continuous, JointType::prismatic,
                                 JointType::fixed, JointType::planar, JointType::floating}) {
      if (given == to_string(type)) joint.type = type;
    }
    if (joint.type) return;
    robot_.report(
        Severity::error, joint, "joint-type",
        given.empty() ? "type is missing"
                      : fmt::format("type '{}' is not supported", shortened(given)),
        "use revolute, continuous, prismatic, fixed, planar or floating; model a ball joint as "
        "three revolute joints");
  }

  void read_actuated(int element, ParsedJoint& joint) {
    if (!reader_.has(element, "actuated")) return;
    const std::string given = reader_.text(element, "actuated");
    if (given == "true" || given == "false") {
      joint.actuated = given == "true";
      return;
    }
    robot_.report(Severity::error, joint, "actuated",
                  fmt::format("actuated=\"{}\" is invalid", shortened(given)),
                  "must be true or false");
  }

  void read_axis(int element, ParsedJoint& joint) {
    const int axis = xml_.child(element, "axis");
    if (axis >= 0) {
      joint.axis_element = true;
      joint.axis_line = reader_.line(axis);
      joint.has_axis = reader_.has(axis, "xyz");
      joint.axis = reader_.vector(axis, "xyz", {Kind::joint, joint.name});
      joint.axis_place = reader_.place(axis, "xyz");
      return;
    }
    const xml::Element& e = xml_.at(element);
    if (!e.closed || e.tag_end >= e.end) return;
    // on a separate line, indented like the first child
    const std::size_t child = xml_.text().find('<', e.tag_end);
    joint.axis_insertion = Edit{
        child, child,
        "<axis xyz=\"1 0 0\"/>" + std::string(xml_.text().substr(e.tag_end, child - e.tag_end))};
  }

  void read_limit(int element, ParsedJoint& joint) {
    const Owner owner{Kind::joint, joint.name};
    joint.has_limit = true;
    joint.limit_line = reader_.line(element);
    joint.lower = reader_.number(element, "lower", owner);
    joint.upper = reader_.number(element, "upper", owner);
    joint.velocity = reader_.number(element, "velocity", owner);
    joint.effort = reader_.number(element, "effort", owner);
    joint.lower_place = reader_.place(element, "lower");
    joint.upper_place = reader_.place(element, "upper");
    const auto report_missing = [&](Severity severity, const char* code, const char* attribute,
                                    const std::string& consequence, const char* repair) {
      robot_
          .report(severity, joint, code, fmt::format("<limit> has no {}{}", attribute, consequence),
                  repair)
          .line = joint.limit_line;
    };
    const bool optional_rates = reader_.version.minor >= 2;
    for (const char* attribute : {"effort", "velocity"}) {
      if (reader_.has(element, attribute)) continue;
      if (!optional_rates) {
        report_missing(Severity::error, "limit-entry-missing", attribute, "",
                       "URDF requires effort and velocity: give the limits of the drive");
        continue;
      }
      reader_.record_default(element, attribute);
      const xml::Element& e = xml_.at(element);
      const std::size_t at = e.begin + 1 + e.name.size();
      reader_.edits_to_1_0().push_back({at, at, fmt::format(" {}=\"0\"", attribute)});
    }
    for (const char* attribute : {"lower", "upper"}) {
      if (reader_.has(element, attribute)) continue;
      if (!joint.has_position_limits()) {
        reader_.record_default(element, attribute);
      } else if (optional_rates) {
        report_missing(Severity::error, "limit-entry-missing", attribute, "",
                       "URDF 1.2 requires lower and upper for revolute and prismatic joints");
      } else {
        report_missing(Severity::warning, "limit-default", attribute, ": the default is 0",
                       "write the value explicitly");
      }
    }
    const std::pair<const char*, double*> extra[] = {
        {"acceleration", &joint.extra_limits.acceleration},
        {"deceleration", &joint.extra_limits.deceleration},
        {"jerk", &joint.extra_limits.jerk}};
    for (const auto& [attribute, value] : extra) {
      const xml::Attribute* given = xml_.at(element).find(attribute);
      if (given == nullptr) continue;
      reader_.needs_version(2, element, fmt::format("<limit {}=\"...\">", attribute), owner);
      if (const auto number = reader_.number(element, attribute, owner)) *value = *number;
      const auto begin = static_cast<std::size_t>(given->name.data() - xml_.text().data());
      reader_.edits_to_1_0().push_back({begin, given->end + 1, ""});
    }
  }

  /// The element including the white space before it, from the end of the previous line.
  TextRange with_indentation(int element) const {
    const std::string_view text = xml_.text();
    std::size_t begin = xml_.at(element).begin;
    while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) --begin;
    if (begin > 0 && text[begin - 1] == '\n') --begin;
    if (begin > 0 && text[begin - 1] == '\r') --begin;
    return {begin, xml_.at(element).end};
  }

  const xml::Document& xml_;
  ParsedRobot& robot_;
  ElementReader reader_;
};

}  // namespace
}  // namespace urdf_reader

std::string apply_edits(std::string_view text, std::vector<Edit> edits) {
  std::stable_sort(edits.begin(), edits.end(),
                   [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  std::string result;
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    if (edit.begin < at) continue;  // overlaps the previous edit
    result.append(text, at, edit.begin - at).append(edit.text);
    at = edit.end;
  }
  return result.append(text, at);
}

ParsedUrdf parse_urdf(std::string_view text, std::string_view source) {
  ParsedUrdf result;
  result.robot.source = std::string(source);
  result.robot.text = text;
  result.robot.limits_required = true;
  const xml::Document document(text);
  std::vector<Edit> edits_to_1_0;
  result.is_robot = urdf_reader::UrdfReader(document, result.robot, edits_to_1_0).read();
  result.urdf_1_0 = apply_edits(text, std::move(edits_to_1_0));
  return result;
}

}  // namespace dynamics
