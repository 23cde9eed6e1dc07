// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <variant>
#include <vector>

#include "dynamics_core/dh_table.hpp"

namespace dynamics {
namespace {

using JointType = DhLink::JointType;

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

/// Lines of text for inside a comment, where two hyphens may not stand together.
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

/// Constant part of frame i to frame i+1, Rz(theta) Tz(b) Tx(a) Rx(alpha). Both of URDF's angles
/// are the table's own: Rz(yaw) Ry(pitch) Rx(roll) with roll = alpha, yaw = theta.
struct Placement {
  Eigen::Vector3d xyz = Eigen::Vector3d::Zero();
  Eigen::Vector3d rpy = Eigen::Vector3d::Zero();
};

/// Sine and cosine, exact at quarter turns, so that no 6e-17 stands where the table has a zero.
struct Turn {
  explicit Turn(double angle) : sine(std::sin(angle)), cosine(std::cos(angle)) {
    constexpr double quarter = std::numbers::pi / 2.0;
    const double turns = std::round(angle / quarter);
    if (turns * quarter == angle && std::abs(turns) <= 4.0) {
      sine = std::round(sine);
      cosine = std::round(cosine);
    }
  }
  double sine;
  double cosine;
};

Eigen::Matrix3d rotation(const Eigen::Vector3d& rpy) {
  const Turn x(rpy.x());
  const Turn y(rpy.y());
  const Turn z(rpy.z());
  Eigen::Matrix3d about_x;
  Eigen::Matrix3d about_y;
  Eigen::Matrix3d about_z;
  about_x << 1.0, 0.0, 0.0, 0.0, x.cosine, -x.sine, 0.0, x.sine, x.cosine;
  about_y << y.cosine, 0.0, y.sine, 0.0, 1.0, 0.0, -y.sine, 0.0, y.cosine;
  about_z << z.cosine, -z.sine, 0.0, z.sine, z.cosine, 0.0, 0.0, 0.0, 1.0;
  return about_z * about_y * about_x;
}

Placement link_placement(const DhLink& link) {
  const Turn theta(link.theta);
  return {{link.a * theta.cosine, link.a * theta.sine, link.b}, {link.alpha, 0.0, link.theta}};
}

/// A placement given in frame i+1, in the frame of link i. Rounded: looks need no last digit.
Placement in_link_frame(const Placement& frame, const Visual& visual) {
  const Eigen::Matrix3d turn = rotation(frame.rpy);
  const Eigen::Matrix3d whole = turn * rotation(visual.rpy);
  const double across = std::hypot(whole(0, 0), whole(1, 0));
  const double pitch = std::atan2(-whole(2, 0), across);
  // at a pitch of a quarter turn only roll and yaw together are determined
  const bool upright = across < 1e-9;
  const double roll =
      upright ? std::atan2(-whole(1, 2), whole(1, 1)) : std::atan2(whole(2, 1), whole(2, 2));
  const double yaw = upright ? 0.0 : std::atan2(whole(1, 0), whole(0, 0));
  const auto rounded = [](double value) { return std::round(value * 1e9) / 1e9; };
  const Eigen::Vector3d xyz = frame.xyz + turn * visual.xyz;
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
  if (!visual.colour.empty()) {
    text += fmt::format("      <material name=\"{}\"/>\n", escaped(visual.colour));
  }
  text += "    </visual>\n";
  return text;
}

std::string materials(const DhTable& table) {
  std::map<std::string, std::array<double, 4>> known;
  std::string text;
  const auto add = [&](const std::vector<Visual>& visuals) {
    for (const Visual& visual : visuals) {
      if (visual.colour.empty()) continue;
      const auto [entry, fresh] = known.emplace(visual.colour, visual.rgba);
      if (fresh) {
        text += fmt::format("  <material name=\"{}\"><color rgba=\"{}\"/></material>\n",
                            escaped(visual.colour), numbers(visual.rgba));
      } else if (entry->second != visual.rgba) {
        throw ModelError(visual.colour, "one colour name stands for two colours");
      }
    }
  };
  add(table.base_visuals);
  for (const DhLink& link : table.links) add(link.visuals);
  return text;
}

std::string flexible_element(const DhLink& link) {
  const BeamDescription& beam = *link.flexible;
  if (link.b != 0.0 || link.theta != 0.0 || beam.length != link.a) {
    throw ModelError(link.link,
                     "a flexible link is a beam along its x: it needs b = 0, theta = 0 and a "
                     "length equal to a");
  }
  std::string rest;
  if (beam.tip_mass != 0.0) rest += fmt::format(" tip_mass=\"{}\"", number(beam.tip_mass));
  if (beam.hub_mass != 0.0) rest += fmt::format(" hub_mass=\"{}\"", number(beam.hub_mass));
  if (!beam.hub_inertia.isZero(0.0)) {
    rest += fmt::format(" hub_inertia=\"{} {} {}\"", number(beam.hub_inertia.x()),
                        number(beam.hub_inertia.y()), number(beam.hub_inertia.z()));
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
  // the tensor stays as the table has it: in a frame parallel to frame i+1
  const Eigen::Vector3d centre = frame.xyz - rotation(frame.rpy) * link.r;
  const Eigen::Matrix3d& inertia = link.inertia;
  std::string text = fmt::format(
      "  <link name=\"{}\">\n"
      "    <inertial>\n"
      "      {}\n"
      "      <mass value=\"{}\"/>\n"
      "      <inertia ixx=\"{}\" ixy=\"{}\" ixz=\"{}\" iyy=\"{}\" iyz=\"{}\" izz=\"{}\"/>\n"
      "    </inertial>\n",
      escaped(link.link), origin(centre, frame.rpy), number(link.mass), number(inertia(0, 0)),
      number(inertia(0, 1)), number(inertia(0, 2)), number(inertia(1, 1)), number(inertia(1, 2)),
      number(inertia(2, 2)));
  for (const Visual& visual : link.visuals) text += visual_element(visual, frame);
  if (link.flexible) text += flexible_element(link);
  text += "  </link>\n";
  return text;
}

/// URDF demands numbers where the table has none: a bound that no motion reaches.
constexpr double unbounded = 1e9;

std::string limit_element(const DhLink& link) {
  const bool prismatic = link.type == JointType::prismatic;
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

std::string joint_element(const DhLink& link, const std::string& parent, const Placement& place) {
  const char* type = link.type == JointType::prismatic ? "prismatic"
                     : link.lower                      ? "revolute"
                                                       : "continuous";
  std::string text = fmt::format(
      "  <joint name=\"{}\" type=\"{}\">\n"
      "    {}\n"
      "    <parent link=\"{}\"/>\n"
      "    <child link=\"{}\"/>\n"
      "    <axis xyz=\"0 0 1\"/>\n",
      escaped(link.joint), type, origin(place.xyz, place.rpy), escaped(parent), escaped(link.link));
  text += limit_element(link);
  if (link.damping != 0.0 || link.friction != 0.0 || link.rotor_inertia != 0.0) {
    std::string rotor;
    if (link.rotor_inertia != 0.0) {
      rotor = fmt::format(" rotor_inertia=\"{}\"", number(link.rotor_inertia));
    }
    text += fmt::format("    <dynamics damping=\"{}\" friction=\"{}\"{}/>\n", number(link.damping),
                        number(link.friction), rotor);
  }
  text += "  </joint>\n";
  return text;
}

std::string header(const DhTable& table) {
  std::string text = comment_lines(table.source);
  if (!table.description.empty()) text += comment_lines(table.description);
  text += comment_lines(
      fmt::format("Link i's frame is frame i of the DH table, moved by the joint; {} is frame n+1.",
                  table.tip_link));
  text += comment_lines(fmt::format("gravity {} m/s^2", numbers(table.gravity, ", ")));
  if (!table.q0.empty()) {
    text += comment_lines(fmt::format("start q {} (rad, m)", numbers(table.q0, ", ")));
  }
  if (table.forced && table.forced->kind == Forced::Kind::cycloid) {
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

/// Capsules came with URDF 1.1.
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
    throw ModelError(table.tip_link, "base and tip link have one name");
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
      "  <link name=\"{}\"/>\n"
      "</robot>\n",
      escaped(tip_joint_name(table)), origin(place.xyz, place.rpy), escaped(parent),
      escaped(table.tip_link), escaped(table.tip_link));
  return text;
}

}  // namespace dynamics
