// SPDX-License-Identifier: Apache-2.0
// Writes a DH table as a URDF.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <variant>
#include <vector>

#include "dynamics_core/readers.hpp"

namespace dynamics {
namespace {

/// Shortest decimal that reads back as the same double, in any locale.
std::string number(double value) {
  return fmt::format("{}", value == 0.0 ? 0.0 : value);  // no "-0"
}

template <class Values>
std::string numbers(const Values& values, const char* separator = " ") {
  std::string text;
  for (const double value : values) {
    if (!text.empty()) text += separator;
    text += number(value);
  }
  return text;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}

/// Text as lines of an XML comment, in which "--" is not allowed.
std::string comment_lines(const std::string& text) {
  std::string result(4, ' ');
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') {
      if (i + 1 < text.size()) result.append("\n    ");
      continue;
    }
    if (text[i] == '-' && result.back() == '-') result.push_back(' ');
    result.push_back(text[i]);
  }
  if (result.back() == '-') result.push_back(' ');
  result.push_back('\n');
  return result;
}

std::string origin(const Eigen::Vector3d& xyz, const Eigen::Vector3d& rpy) {
  return fmt::format(R"(<origin xyz="{}" rpy="{}"/>)", numbers(xyz), numbers(rpy));
}

/// Transform from frame i to frame i+1 at q = 0, Rz(theta) Tz(b) Tx(a) Rx(alpha), as xyz and rpy:
/// roll = alpha, pitch = 0, yaw = theta.
struct Placement {
  Eigen::Vector3d xyz = Eigen::Vector3d::Zero();
  Eigen::Vector3d rpy = Eigen::Vector3d::Zero();
};

/// Sine and cosine, exact at multiples of 90 degrees, so that the URDF has 0 instead of 6e-17.
struct ExactSineCosine {
  explicit ExactSineCosine(double angle) : sine(std::sin(angle)), cosine(std::cos(angle)) {
    constexpr double quarter = std::numbers::pi / 2.0;
    const double quarters = std::round(angle / quarter);
    if (quarters * quarter == angle && std::abs(quarters) <= 4.0) {
      sine = std::round(sine);
      cosine = std::round(cosine);
    }
  }
  double sine;
  double cosine;
};

Eigen::Matrix3d rotation(const Eigen::Vector3d& rpy) {
  const ExactSineCosine x(rpy.x());
  const ExactSineCosine y(rpy.y());
  const ExactSineCosine z(rpy.z());
  Eigen::Matrix3d about_x;
  Eigen::Matrix3d about_y;
  Eigen::Matrix3d about_z;
  about_x << 1.0, 0.0, 0.0, 0.0, x.cosine, -x.sine, 0.0, x.sine, x.cosine;
  about_y << y.cosine, 0.0, y.sine, 0.0, 1.0, 0.0, -y.sine, 0.0, y.cosine;
  about_z << z.cosine, -z.sine, 0.0, z.sine, z.cosine, 0.0, 0.0, 0.0, 1.0;
  return about_z * about_y * about_x;
}

/// Frame i+1 in the frame of link i.
Placement link_placement(const DhLink& link) {
  if (link.flexible) return {{link.a, 0.0, 0.0}, {link.alpha, 0.0, 0.0}};
  const ExactSineCosine theta(link.theta);
  return {{link.a * theta.cosine, link.a * theta.sine, link.b}, {link.alpha, 0.0, link.theta}};
}

/// Placement of a shape, given in frame i+1, in the frame of link i; rounded to 1e-9.
Placement in_link_frame(const Placement& frame, const Visual& visual) {
  const Eigen::Matrix3d frame_rotation = rotation(frame.rpy);
  const Eigen::Matrix3d R = frame_rotation * rotation(visual.rpy);
  const double cos_pitch = std::hypot(R(0, 0), R(1, 0));
  const double pitch = std::atan2(-R(2, 0), cos_pitch);
  // at a pitch of +-90 degrees only the sum or difference of roll and yaw is determined
  const bool singular = cos_pitch < 1e-9;
  const double roll = singular ? std::atan2(-R(1, 2), R(1, 1)) : std::atan2(R(2, 1), R(2, 2));
  const double yaw = singular ? 0.0 : std::atan2(R(1, 0), R(0, 0));
  const auto rounded = [](double value) { return std::round(value * 1e9) / 1e9; };
  const Eigen::Vector3d xyz = frame.xyz + frame_rotation * visual.xyz;
  return {xyz.unaryExpr(rounded), Eigen::Vector3d(roll, pitch, yaw).unaryExpr(rounded)};
}

std::string geometry_element(const Visual& visual) {
  if (const auto* box = std::get_if<Visual::Box>(&visual.geometry)) {
    return fmt::format(R"(<box size="{}"/>)", numbers(box->size));
  }
  if (const auto* cylinder = std::get_if<Visual::Cylinder>(&visual.geometry)) {
    return fmt::format(R"(<cylinder radius="{}" length="{}"/>)", number(cylinder->radius),
                       number(cylinder->length));
  }
  if (const auto* capsule = std::get_if<Visual::Capsule>(&visual.geometry)) {
    return fmt::format(R"(<capsule radius="{}" length="{}"/>)", number(capsule->radius),
                       number(capsule->length));
  }
  return fmt::format(R"(<sphere radius="{}"/>)",
                     number(std::get<Visual::Sphere>(visual.geometry).radius));
}

std::string visual_element(const Visual& visual, const Placement& frame) {
  const Placement placed = in_link_frame(frame, visual);
  std::string text = fmt::format("    <visual>\n      {}\n      <geometry>{}</geometry>\n",
                                 origin(placed.xyz, placed.rpy), geometry_element(visual));
  if (!visual.color.empty()) {
    text += fmt::format("      <material name=\"{}\"/>\n", escaped(visual.color));
  }
  text += "    </visual>\n";
  return text;
}

std::string materials(const DhTable& table) {
  std::map<std::string, std::array<double, 4>> known;
  std::string text;
  const auto add = [&](const std::vector<Visual>& visuals) {
    for (const Visual& visual : visuals) {
      if (visual.color.empty()) continue;
      const auto [entry, is_new] = known.emplace(visual.color, visual.rgba);
      if (is_new) {
        text += fmt::format("  <material name=\"{}\"><color rgba=\"{}\"/></material>\n",
                            escaped(visual.color), numbers(visual.rgba));
      } else if (entry->second != visual.rgba) {
        throw ModelError(visual.color, "color name is used for two different colors");
      }
    }
  };
  add(table.base_visuals);
  for (const DhLink& link : table.links) add(link.visuals);
  return text;
}

std::string flexible_element(const DhLink& link) {
  const BeamDescription& beam = *link.flexible;
  if (beam.length != link.a) {
    throw ModelError(link.link,
                     fmt::format("a flexible link is a beam of length a = {} m along its x axis; "
                                 "its beam has {} m",
                                 link.a, beam.length));
  }
  std::string rest;
  if (beam.tip_mass != 0.0) rest += fmt::format(" tip_mass=\"{}\"", number(beam.tip_mass));
  if (beam.hub_mass != 0.0) rest += fmt::format(" hub_mass=\"{}\"", number(beam.hub_mass));
  for (const auto& [attribute, value] :
       {std::pair{"hub_center", &beam.hub_center}, std::pair{"hub_inertia", &beam.hub_inertia}}) {
    if (!value->isZero(0.0)) rest += fmt::format(" {}=\"{}\"", attribute, numbers(*value));
  }
  if (beam.stiffening) rest += " stiffening=\"true\"";
  if (beam.basis != "clamped-free") rest += fmt::format(" basis=\"{}\"", beam.basis);
  return fmt::format(
      "    <flexible length=\"{}\" mass_per_length=\"{}\" rigidity_y=\"{}\" rigidity_z=\"{}\" "
      "modes_y=\"{}\" modes_z=\"{}\" damping=\"{}\"{}/>\n",
      number(beam.length), number(beam.mass_per_length), number(beam.rigidity_y),
      number(beam.rigidity_z), beam.modes_y, beam.modes_z, number(beam.damping), rest);
}

std::string link_element(const DhLink& link) {
  const Placement frame = link_placement(link);
  // the tensor is written unchanged, in a frame parallel to frame i+1
  const Eigen::Vector3d center = frame.xyz - rotation(frame.rpy) * link.r;
  const Eigen::Matrix3d& inertia = link.inertia;
  std::string text = fmt::format(
      "  <link name=\"{}\">\n"
      "    <inertial>\n"
      "      {}\n"
      "      <mass value=\"{}\"/>\n"
      "      <inertia ixx=\"{}\" ixy=\"{}\" ixz=\"{}\" iyy=\"{}\" iyz=\"{}\" izz=\"{}\"/>\n"
      "    </inertial>\n",
      escaped(link.link), origin(center, frame.rpy), number(link.mass), number(inertia(0, 0)),
      number(inertia(0, 1)), number(inertia(0, 2)), number(inertia(1, 1)), number(inertia(1, 2)),
      number(inertia(2, 2)));
  for (const Visual& visual : link.visuals) text += visual_element(visual, frame);
  if (link.flexible) text += flexible_element(link);
  text += "  </link>\n";
  return text;
}

/// Limit written where URDF requires a number and the table has none.
constexpr double unbounded = 1e9;

std::string limit_element(const DhLink& link) {
  const bool prismatic = link.type == DhLink::JointType::prismatic;
  if (!prismatic && !link.lower && !link.velocity && !link.effort) return "";
  std::string range;
  if (prismatic || link.lower) {
    range = fmt::format(" lower=\"{}\" upper=\"{}\"", number(link.lower.value_or(-unbounded)),
                        number(link.upper.value_or(unbounded)));
  }
  return fmt::format("    <limit{} velocity=\"{}\" effort=\"{}\"/>\n", range,
                     number(link.velocity.value_or(unbounded)),
                     number(link.effort.value_or(unbounded)));
}

/// The frame of link i at q = 0 where frame i is `frame`. That of a flexible link is at the root of
/// its beam, which lies along X_{i+1}.
Placement joint_placement(const DhLink& link, const Placement& frame) {
  if (!link.flexible || (link.b == 0.0 && link.theta == 0.0)) return frame;
  const Eigen::Matrix3d axes = rotation(frame.rpy);
  Placement result{frame.xyz + link.b * axes.col(2), frame.rpy};
  if (link.theta != 0.0) result.rpy = rpy_from_rotation(axes * rotation({0.0, 0.0, link.theta}));
  return result;
}

std::string joint_element(const DhLink& link, const std::string& parent, const Placement& frame) {
  const Placement place = joint_placement(link, frame);
  const char* type = link.type == DhLink::JointType::prismatic ? "prismatic"
                     : link.lower                              ? "revolute"
                                                               : "continuous";
  const char* actuated = !link.actuated   ? ""
                         : *link.actuated ? " actuated=\"true\""
                                          : " actuated=\"false\"";
  std::string text = fmt::format(
      "  <joint name=\"{}\" type=\"{}\"{}>\n"
      "    {}\n"
      "    <parent link=\"{}\"/>\n"
      "    <child link=\"{}\"/>\n"
      "    <axis xyz=\"0 0 1\"/>\n",
      escaped(link.joint), type, actuated, origin(place.xyz, place.rpy), escaped(parent),
      escaped(link.link));
  text += limit_element(link);
  if (link.damping != 0.0 || link.friction != 0.0 || link.rotor_inertia != 0.0) {
    std::string rotor;
    if (link.rotor_inertia != 0.0) {
      rotor = fmt::format(" rotor_inertia=\"{}\"", number(link.rotor_inertia));
    }
    text += fmt::format("    <dynamics damping=\"{}\" friction=\"{}\"{}/>\n", number(link.damping),
                        number(link.friction), rotor);
  }
  if (link.mimic) {
    text += fmt::format("    <mimic joint=\"{}\" multiplier=\"{}\" offset=\"{}\"/>\n",
                        escaped(link.mimic->joint), number(link.mimic->multiplier),
                        number(link.mimic->offset));
  }
  text += "  </joint>\n";
  return text;
}

/// One end of a constraint: link, origin in the link's frame, axis.
std::string constraint_end(const char* which, const std::string& link, const Pose& pose,
                           const Eigen::Vector3d& axis, bool has_axis) {
  std::string text = fmt::format(
      "    <{0} link=\"{1}\"/>\n"
      "    <{0}_origin xyz=\"{2}\" rpy=\"{3}\"/>\n",
      which, escaped(link), numbers(pose.translation), numbers(rpy_from_rotation(pose.rotation)));
  if (has_axis) text += fmt::format("    <{}_axis xyz=\"{}\"/>\n", which, numbers(axis));
  return text;
}

/// Constraints as describe() gives them: in the frames of the URDF's links.
std::string constraint_elements(const DhTable& table) {
  if (table.constraints.empty()) return "";
  std::string text;
  for (const ConstraintDescription& each : describe(table).constraints) {
    const bool distance = each.type == ConstraintType::distance;
    const bool has_axis =
        !distance && each.type != ConstraintType::fixed && each.type != ConstraintType::spherical;
    text += fmt::format(
        "\n  <constraint name=\"{}\" type=\"{}\"{}>\n{}{}  </constraint>\n", escaped(each.name),
        to_string(each.type),
        distance ? fmt::format(" value=\"{}\"", number(each.distance)) : std::string(),
        constraint_end("parent", each.parent, each.parent_origin, each.parent_axis, has_axis),
        constraint_end("child", each.child, each.child_origin, each.child_axis, has_axis));
  }
  return text;
}

std::string header(const DhTable& table) {
  std::string text = comment_lines(table.source);
  if (!table.description.empty()) text += comment_lines(table.description);
  text += comment_lines(
      fmt::format("Link i's frame is frame i of the DH table, moved by the joint; {} is frame n+1.",
                  table.tip_link));
  const auto is_moved = [](const DhLink& link) {
    return link.flexible && (link.b != 0.0 || link.theta != 0.0);
  };
  if (std::any_of(table.links.begin(), table.links.end(), is_moved))
    text += comment_lines("The frame of a flexible link is at the root of its beam, x along it.");
  text += comment_lines(fmt::format("gravity {} m/s^2", numbers(table.gravity, ", ")));
  if (!table.q0.empty()) {
    text += comment_lines(fmt::format("start q {} (rad, m)", numbers(table.q0, ", ")));
  }
  if (table.forced && table.forced->kind == ForcedMotion::Kind::cycloid) {
    text +=
        comment_lines(fmt::format("forced: cycloid to q {} (rad, m) in {} s",
                                  numbers(table.forced->q1, ", "), number(table.forced->period)));
  } else if (table.forced) {
    text +=
        comment_lines(fmt::format("forced: k (t - T/pi sin(pi t/T)) with k {} rad/s, T {} s",
                                  numbers(table.forced->k, ", "), numbers(table.forced->T, ", ")));
  }
  return fmt::format("  <!--\n{}  -->\n", text);
}

/// Capsules require URDF 1.1.
bool needs_version_1_1(const DhTable& table) {
  const auto is_capsule = [](const Visual& visual) {
    return std::holds_alternative<Visual::Capsule>(visual.geometry);
  };
  const auto any = [&](const std::vector<Visual>& visuals) {
    return std::any_of(visuals.begin(), visuals.end(), is_capsule);
  };
  return any(table.base_visuals) ||
         std::any_of(table.links.begin(), table.links.end(),
                     [&](const DhLink& link) { return any(link.visuals); });
}

std::string tip_joint_name(const DhTable& table) { return table.tip_link + "_joint"; }

void check_names(const DhTable& table) {
  std::set<std::string> links = {table.base_link};
  std::set<std::string> joints = {tip_joint_name(table)};
  if (!links.insert(table.tip_link).second) {
    throw ModelError(table.tip_link, "base_link and tip_link must have different names");
  }
  for (const DhLink& link : table.links) {
    if (!links.insert(link.link).second) throw ModelError(link.link, "link name is used twice");
    if (!joints.insert(link.joint).second) throw ModelError(link.joint, "joint name is used twice");
  }
}

}  // namespace

std::string to_urdf(const DhTable& table) {
  check_names(table);
  std::string text =
      fmt::format("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<robot name=\"{}\"{}>\n{}{}\n",
                  escaped(table.name), needs_version_1_1(table) ? " version=\"1.1\"" : "",
                  header(table), materials(table));

  if (table.base_visuals.empty()) {
    text += fmt::format("  <link name=\"{}\"/>\n", escaped(table.base_link));
  } else {
    text += fmt::format("  <link name=\"{}\">\n", escaped(table.base_link));
    for (const Visual& visual : table.base_visuals) text += visual_element(visual, Placement{});
    text += "  </link>\n";
  }

  std::string parent = table.base_link;
  Placement place;
  for (const DhLink& link : table.links) {
    text += fmt::format("\n{}{}", joint_element(link, parent, place), link_element(link));
    parent = link.link;
    place = link_placement(link);
  }

  text += fmt::format(
      "\n"
      "  <joint name=\"{}\" type=\"fixed\">\n"
      "    {}\n"
      "    <parent link=\"{}\"/>\n"
      "    <child link=\"{}\"/>\n"
      "  </joint>\n"
      "  <link name=\"{}\"/>\n",
      escaped(tip_joint_name(table)), origin(place.xyz, place.rpy), escaped(parent),
      escaped(table.tip_link), escaped(table.tip_link));
  return text + constraint_elements(table) + "</robot>\n";
}

}  // namespace dynamics
