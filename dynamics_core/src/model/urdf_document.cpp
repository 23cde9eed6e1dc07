// SPDX-License-Identifier: Apache-2.0
#include "urdf_document.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <unordered_set>

#include "dynamics_core/model/error.hpp"
#include "model_data.hpp"
#include "xml_tree.hpp"

namespace dynamics {
namespace {

using tinyxml2::XMLElement;

/// Numbers of an attribute, apart by white space; nothing when one is none or is not finite.
std::optional<std::vector<double>> parse_numbers(std::string_view text) {
  std::vector<double> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    while (at != end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) ++at;
    if (at == end) return numbers;
    if (*at == '+') ++at;
    double value = 0.0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
    if (next != end && *next != ' ' && *next != '\t' && *next != '\n' && *next != '\r') {
      return std::nullopt;
    }
    numbers.push_back(value);
    at = next;
  }
}

class Inspector {
 public:
  Inspector(std::string_view text, std::string_view source) : source_(source) {
    if (text.empty())
      throw ModelError(source_, "is empty: a URDF with a <robot> element is needed");
    // bounds and nesting first: the parsers behind this one recurse
    const xml::Document first_look(text);
    if (!first_look.problems().empty()) {
      const xml::Problem& problem = first_look.problems().front();
      throw ModelError(at(static_cast<int>(problem.line)),
                       "is not well-formed XML: " + problem.message);
    }
    if (document_.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) {
      throw ModelError(at(document_.ErrorLineNum()),
                       std::string("is not well-formed XML (") + document_.ErrorName() + ")");
    }
    robot_ = document_.RootElement();
    if (robot_ == nullptr || std::string_view(robot_->Name()) != "robot") {
      throw ModelError(at(robot_ == nullptr ? 1 : robot_->GetLineNum()),
                       fmt::format("its root element is <{}>; a URDF's is <robot>",
                                   robot_ == nullptr ? "" : robot_->Name()));
    }
  }

  UrdfDocument inspect() {
    if (robot_->Attribute("name") == nullptr) {
      throw ModelError(at(robot_->GetLineNum()), "<robot> has no name: write <robot name=\"...\">");
    }
    for (const XMLElement* e = robot_->FirstChildElement("link"); e != nullptr;
         e = e->NextSiblingElement("link")) {
      inspect_link(*e);
    }
    for (const XMLElement* e = robot_->FirstChildElement("joint"); e != nullptr;
         e = e->NextSiblingElement("joint")) {
      inspect_joint(*e);
    }
    if (result_.links.empty()) {
      throw ModelError(at(robot_->GetLineNum()), "<robot> has no <link>; it needs at least one");
    }
    order_joints(skeleton_);  // urdfdom's own message about a loop or two roots says less
    read_transmissions();
    read_ros2_control();
    return std::move(result_);
  }

 private:
  std::string at(int line) const {
    return line > 0 ? fmt::format("{}:{}", source_, line) : source_;
  }

  [[noreturn]] void fail(const XMLElement& element, const std::string& what,
                         const std::string& message) const {
    throw ModelError(at(element.GetLineNum()), what + ": " + message);
  }

  /// The numbers of an attribute, `count` of them; nothing when the attribute is not there.
  std::optional<std::vector<double>> numbers(const XMLElement& element, const char* attribute,
                                             std::size_t count, const std::string& what) const {
    const char* text = element.Attribute(attribute);
    if (text == nullptr) return std::nullopt;
    auto values = parse_numbers(text);
    if (!values || values->size() != count) {
      fail(element, what,
           fmt::format("<{} {}=\"{}\"> must be {}", element.Name(), attribute, text,
                       count == 1 ? "one finite number" : fmt::format("{} finite numbers", count)));
    }
    return values;
  }

  double number(const XMLElement& element, const char* attribute, const std::string& what) const {
    const auto value = numbers(element, attribute, 1, what);
    if (!value) fail(element, what, fmt::format("<{}> has no {}", element.Name(), attribute));
    return (*value)[0];
  }

  void inspect_origin(const XMLElement& parent, const std::string& what) const {
    if (const XMLElement* origin = parent.FirstChildElement("origin")) {
      numbers(*origin, "xyz", 3, what);
      numbers(*origin, "rpy", 3, what);
    }
  }

  void inspect_link(const XMLElement& link) {
    const char* name = link.Attribute("name");
    if (name == nullptr || *name == '\0') fail(link, "link", "has no name");
    const std::string what = fmt::format("link '{}'", name);
    if (!link_names_.insert(name).second) {
      fail(link, what, "is defined twice: names of links must differ");
    }
    result_.links.emplace_back(name);
    skeleton_.links.push_back({name, std::nullopt, {}, {}, std::nullopt});
    if (const XMLElement* inertial = link.FirstChildElement("inertial")) {
      inspect_origin(*inertial, what);
      const XMLElement* mass = inertial->FirstChildElement("mass");
      if (mass == nullptr) fail(*inertial, what, "<inertial> has no <mass value=\"...\"/>");
      const double value = number(*mass, "value", what);
      if (value < 0.0) {
        fail(*mass, what, fmt::format("its mass is {} kg; a mass is zero or more", value));
      }
      const XMLElement* inertia = inertial->FirstChildElement("inertia");
      if (inertia == nullptr) {
        fail(*inertial, what, "<inertial> has no <inertia ixx=... iyy=... izz=.../>");
      }
      for (const char* entry : {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}) {
        number(*inertia, entry, what);
      }
    }
    for (const char* kind : {"visual", "collision"}) {
      for (const XMLElement* e = link.FirstChildElement(kind); e != nullptr;
           e = e->NextSiblingElement(kind)) {
        inspect_origin(*e, what);
      }
    }
    if (const XMLElement* flexible = link.FirstChildElement("flexible")) {
      result_.flexible.emplace(name, read_flexible(*flexible, what));
    }
  }

  DhFlexible read_flexible(const XMLElement& element, const std::string& what) const {
    const auto optional = [&](const char* attribute, double otherwise) {
      const auto value = numbers(element, attribute, 1, what);
      return value ? (*value)[0] : otherwise;
    };
    DhFlexible flexible;
    flexible.length = number(element, "length", what);
    flexible.mass_per_length = number(element, "mass_per_length", what);
    flexible.modes_y = static_cast<int>(optional("modes_y", 0.0));
    flexible.modes_z = static_cast<int>(optional("modes_z", 0.0));
    flexible.rigidity_y = optional("rigidity_y", 0.0);
    flexible.rigidity_z = optional("rigidity_z", 0.0);
    flexible.damping = optional("damping", 0.0);
    flexible.tip_mass = optional("tip_mass", 0.0);
    flexible.hub_mass = optional("hub_mass", 0.0);
    if (const auto hub = numbers(element, "hub_inertia", 3, what)) {
      flexible.hub_inertia = {(*hub)[0], (*hub)[1], (*hub)[2]};
    }
    if (const char* text = element.Attribute("stiffening")) {
      const std::string_view given = text;
      if (given != "true" && given != "false") {
        fail(element, what,
             fmt::format("<flexible stiffening=\"{}\"> must be true or false", given));
      }
      flexible.stiffening = given == "true";
    }
    if (const char* text = element.Attribute("basis")) {
      flexible.basis = text;
      if (flexible.basis != "clamped-free" && flexible.basis != "polynomial") {
        fail(element, what,
             fmt::format("<flexible basis=\"{}\"> must be clamped-free or polynomial", text));
      }
    }
    for (const char* attribute : {"modes_y", "modes_z"}) {
      const double modes = optional(attribute, 0.0);
      if (modes < 0.0 || modes > 6.0 || modes != std::floor(modes)) {
        fail(element, what,
             fmt::format("<flexible {}=\"{}\"> must be a whole number from 0 to 6", attribute,
                         modes));
      }
    }
    const auto positive = [&](const char* attribute, double value) {
      if (!(value > 0.0)) {
        fail(element, what,
             fmt::format("<flexible {}=\"{}\"> must be above zero", attribute, value));
      }
    };
    positive("length", flexible.length);
    positive("mass_per_length", flexible.mass_per_length);
    if (flexible.modes_y > 0) positive("rigidity_y", flexible.rigidity_y);
    if (flexible.modes_z > 0) positive("rigidity_z", flexible.rigidity_z);
    const std::pair<const char*, double> amounts[] = {
        {"damping", flexible.damping},
        {"tip_mass", flexible.tip_mass},
        {"hub_mass", flexible.hub_mass},
        {"hub_inertia", flexible.hub_inertia.minCoeff()}};
    for (const auto& [attribute, value] : amounts) {
      if (value < 0.0) {
        fail(element, what, fmt::format("<flexible {}> must be zero or more", attribute));
      }
    }
    return flexible;
  }

  void inspect_joint(const XMLElement& joint) {
    const char* name = joint.Attribute("name");
    if (name == nullptr || *name == '\0') fail(joint, "joint", "has no name");
    const std::string what = fmt::format("joint '{}'", name);
    if (!joint_names_.insert(name).second) {
      fail(joint, what, "is defined twice: names of joints must differ");
    }
    result_.joints.emplace_back(name);

    const char* type_text = joint.Attribute("type");
    const std::string type = type_text == nullptr ? "" : type_text;
    constexpr std::array known = {"revolute", "continuous", "prismatic",
                                  "fixed",    "planar",     "floating"};
    if (std::find(known.begin(), known.end(), type) == known.end()) {
      fail(joint, what,
           fmt::format("its type '{}' is not supported: use revolute, continuous, "
                       "prismatic, fixed, planar or floating",
                       type));
    }
    for (const char* end : {"parent", "child"}) {
      const XMLElement* e = joint.FirstChildElement(end);
      if (e == nullptr || e->Attribute("link") == nullptr) {
        fail(joint, what, fmt::format("has no <{} link=\"...\"/>", end));
      }
      if (!link_names_.contains(e->Attribute("link"))) {
        fail(*e, what, fmt::format("its {} link '{}' does not exist", end, e->Attribute("link")));
      }
    }
    JointDescription& bare = skeleton_.joints.emplace_back();
    bare.name = name;
    bare.parent = joint.FirstChildElement("parent")->Attribute("link");
    bare.child = joint.FirstChildElement("child")->Attribute("link");
    inspect_origin(joint, what);
    if (const XMLElement* axis = joint.FirstChildElement("axis")) {
      const auto xyz = numbers(*axis, "xyz", 3, what);
      const bool moves = type != "fixed" && type != "floating";
      if (moves && xyz && std::hypot((*xyz)[0], (*xyz)[1], (*xyz)[2]) < 1e-9) {
        fail(*axis, what, "its axis is zero: give a direction such as \"0 0 1\"");
      }
    }
    const XMLElement* limit = joint.FirstChildElement("limit");
    if (limit != nullptr) {
      for (const char* attribute : {"lower", "upper"}) numbers(*limit, attribute, 1, what);
      for (const char* attribute : {"effort", "velocity"}) number(*limit, attribute, what);
    } else if (type == "revolute" || type == "prismatic") {
      fail(joint, what,
           fmt::format("is {} and has no <limit>: give lower, upper, effort and velocity{}", type,
                       type == "revolute" ? ", or make it continuous" : ""));
    }
    if (const XMLElement* e = joint.FirstChildElement("dynamics")) {
      for (const char* attribute : {"damping", "friction"}) numbers(*e, attribute, 1, what);
      if (const auto value = numbers(*e, "rotor_inertia", 1, what)) {
        set_rotor_inertia(*e, name, (*value)[0]);
      }
    }
    if (const XMLElement* e = joint.FirstChildElement("mimic")) {
      if (e->Attribute("joint") == nullptr) fail(*e, what, "<mimic> has no joint=\"...\"");
      for (const char* attribute : {"multiplier", "offset"}) numbers(*e, attribute, 1, what);
    }
  }

  void set_rotor_inertia(const XMLElement& element, const std::string& joint, double value) {
    if (value < 0.0) {
      fail(element, fmt::format("joint '{}'", joint),
           fmt::format("its rotor inertia is {}; it must be zero or more", value));
    }
    result_.rotor_inertia.insert_or_assign(joint, value);
  }

  /// The text or `value` of the first child of one of these names.
  std::optional<double> value_of(const XMLElement& parent, std::initializer_list<const char*> names,
                                 const std::string& what) const {
    for (const char* name : names) {
      const XMLElement* e = parent.FirstChildElement(name);
      if (e == nullptr) continue;
      const char* text = e->Attribute("value") != nullptr ? e->Attribute("value") : e->GetText();
      const auto values = parse_numbers(text == nullptr ? "" : text);
      if (!values || values->size() != 1) {
        fail(*e, what, fmt::format("<{}> must hold one finite number", name));
      }
      return (*values)[0];
    }
    return std::nullopt;
  }

  void read_transmissions() {
    for (const XMLElement* t = robot_->FirstChildElement("transmission"); t != nullptr;
         t = t->NextSiblingElement("transmission")) {
      const XMLElement* joint = t->FirstChildElement("joint");
      const XMLElement* actuator = t->FirstChildElement("actuator");
      if (joint == nullptr || actuator == nullptr || joint->Attribute("name") == nullptr) continue;
      const std::string name = joint->Attribute("name");
      if (!joint_names_.contains(name)) continue;
      const std::string what = fmt::format("transmission of joint '{}'", name);
      const auto inertia =
          value_of(*actuator, {"rotor_inertia", "rotorInertia", "drake:rotor_inertia"}, what);
      if (!inertia) continue;
      const auto reduction = value_of(
          *actuator, {"mechanicalReduction", "mechanical_reduction", "drake:gear_ratio"}, what);
      const auto of_joint = value_of(*joint, {"mechanicalReduction", "mechanical_reduction"}, what);
      const double ratio = reduction.value_or(of_joint.value_or(1.0));
      set_rotor_inertia(*actuator, name, *inertia * ratio * ratio);
    }
  }

  void read_ros2_control() {
    for (const XMLElement* c = robot_->FirstChildElement("ros2_control"); c != nullptr;
         c = c->NextSiblingElement("ros2_control")) {
      for (const XMLElement* j = c->FirstChildElement("joint"); j != nullptr;
           j = j->NextSiblingElement("joint")) {
        const char* name = j->Attribute("name");
        if (name == nullptr || !joint_names_.contains(name)) continue;
        for (const XMLElement* p = j->FirstChildElement("param"); p != nullptr;
             p = p->NextSiblingElement("param")) {
          if (!p->Attribute("name", "rotor_inertia")) continue;
          const auto values = parse_numbers(p->GetText() == nullptr ? "" : p->GetText());
          if (!values || values->size() != 1) {
            fail(*p, fmt::format("joint '{}'", name),
                 "its rotor_inertia must be one finite number");
          }
          set_rotor_inertia(*p, name, (*values)[0]);
        }
      }
    }
  }

  std::string source_;
  tinyxml2::XMLDocument document_;
  const XMLElement* robot_ = nullptr;
  UrdfDocument result_;
  RobotDescription skeleton_;  ///< names and who hangs on whom
  std::unordered_set<std::string> link_names_, joint_names_;
};

}  // namespace

UrdfDocument inspect_urdf(std::string_view text, std::string_view source) {
  return Inspector(text, source).inspect();
}

}  // namespace dynamics
