// SPDX-License-Identifier: Apache-2.0
// Properties of joints given outside the joint, in <transmission> or <ros2_control>: rotor inertias
// and command interfaces.

#include <fmt/format.h>

#include "readers/urdf_element.hpp"

namespace dynamics::urdf_reader {
namespace {

using Severity = Finding::Severity;

class RotorInertiaReader {
 public:
  explicit RotorInertiaReader(ElementReader& reader) : reader_(reader), xml_(reader.xml()) {
    const auto& joints = reader.robot().joints;
    for (std::size_t i = 0; i < joints.size(); ++i) joints_.try_emplace(joints[i].name, i);
  }

  void read() {
    for (const int transmission : xml_.children(0, "transmission")) read_transmission(transmission);
    for (const int control : xml_.children(0, "ros2_control")) {
      for (const int element : xml_.children(control, "joint")) {
        ParsedJoint* joint = find(element, "<ros2_control>");
        if (joint == nullptr) continue;
        if (xml_.child(element, "command_interface") >= 0) joint->in_ros2_control = true;
        for (const int parameter : xml_.children(element, "param")) {
          if (reader_.text(parameter, "name") != "rotor_inertia") continue;
          if (const auto value = number(parameter, *joint)) joint->rotor_inertia = *value;
        }
      }
    }
  }

 private:
  ParsedJoint* find(int element, const char* where) {
    const std::string name = reader_.text(element, "name");
    const auto found = joints_.find(name);
    if (found != joints_.end()) return &reader_.robot().joints[found->second];
    reader_.robot().report(Severity::warning, Finding::Kind::joint, name, "drive-of-nothing",
                           fmt::format("{} refers to this joint, which does not exist", where),
                           "correct or remove the name", reader_.line(element));
    return nullptr;
  }

  /// Number in the attribute `value` or in the text of the element.
  std::optional<double> number(int element, const ParsedJoint& joint) {
    const auto values = parse_numbers(reader_.has(element, "value")
                                          ? std::string_view(xml_.at(element).find("value")->value)
                                          : xml_.content(element));
    if (values && values->size() == 1) return (*values)[0];
    const std::string name = xml_.at(element).name == "param"
                                 ? reader_.text(element, "name")
                                 : fmt::format("<{}>", xml_.at(element).name);
    reader_.robot()
        .report(Severity::error, joint, "number", fmt::format("{} is not one finite number", name),
                "write one finite number with a decimal point")
        .line = reader_.line(element);
    return std::nullopt;
  }

  std::optional<double> first_of(int parent, std::initializer_list<const char*> names,
                                 const ParsedJoint& joint) {
    for (const char* name : names) {
      if (const int element = xml_.child(parent, name); element >= 0) return number(element, joint);
    }
    return std::nullopt;
  }

  /// Inertia reflected through the gear: rotor inertia times gear ratio squared.
  void read_transmission(int transmission) {
    const int element = xml_.child(transmission, "joint");
    if (element < 0) return;
    ParsedJoint* joint = find(element, "a <transmission>");
    const int actuator = xml_.child(transmission, "actuator");
    if (joint == nullptr || actuator < 0) return;
    const auto inertia =
        first_of(actuator, {"rotor_inertia", "rotorInertia", "drake:rotor_inertia"}, *joint);
    if (!inertia) return;
    const auto reduction = first_of(
        actuator, {"mechanicalReduction", "mechanical_reduction", "drake:gear_ratio"}, *joint);
    const auto of_joint =
        first_of(element, {"mechanicalReduction", "mechanical_reduction"}, *joint);
    const double ratio = reduction.value_or(of_joint.value_or(1.0));
    joint->rotor_inertia = *inertia * ratio * ratio;
  }

  ElementReader& reader_;
  const xml::Document& xml_;
  std::unordered_map<std::string, std::size_t> joints_;
};

}  // namespace

void read_rotor_inertias(ElementReader& reader) { RotorInertiaReader(reader).read(); }

}  // namespace dynamics::urdf_reader
