// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "dynamics_core/readers.hpp"
#include "readers/dh_reader.hpp"
#include "readers/dh_values.hpp"

namespace dynamics {
namespace {

using dh::find_named;
using dh::not_negative;
using dh::one_line;
using dh::positive;
using dh::radians;
using dh::true_or_false;
using dh::vector3;
using yaml::Cursor;

/// The value of `name` (SI) or of `name`_deg; nothing if neither is given.
template <class Read>
auto si_or_degrees(const Cursor& row, const std::string& name, Read read)
    -> std::optional<decltype(read(row, false))> {
  const auto si = row.find(name);
  const auto degrees = row.find(name + "_deg");
  if (si && degrees) degrees->fail("give " + name + " or " + name + "_deg, not both");
  if (si) return read(*si, false);
  if (degrees) return read(*degrees, true);
  return std::nullopt;
}

std::optional<double> angle(const Cursor& row, const std::string& name) {
  return si_or_degrees(row, name, [](const Cursor& at, bool degrees) {
    return degrees ? radians(at.number()) : at.number();
  });
}

double required_angle(const Cursor& row, const std::string& name) {
  const auto value = angle(row, name);
  if (!value) row.fail("key '" + name + "_deg' (or '" + name + "', in radians) is missing");
  return *value;
}

/// The joints that have a coordinate: all but mimic joints.
std::vector<const DhLink*> independent_joints(const std::vector<DhLink>& links) {
  std::vector<const DhLink*> joints;
  for (const DhLink& link : links) {
    if (!link.mimic) joints.push_back(&link);
  }
  return joints;
}

/// One number per independent joint: rad and m, or degrees for revolute joints if the key ends with
/// _deg.
std::optional<std::vector<double>> joint_values(const Cursor& row, const std::string& name,
                                                const std::vector<DhLink>& links) {
  return si_or_degrees(row, name, [&](const Cursor& at, bool degrees) {
    const auto joints = independent_joints(links);
    auto values = at.numbers(joints.size());
    for (std::size_t i = 0; i < joints.size() && degrees; ++i) {
      if (joints[i]->type == DhLink::JointType::revolute) values[i] = radians(values[i]);
    }
    return values;
  });
}

Eigen::Matrix3d read_inertia(const Cursor& at) {
  const std::size_t count = at.entries().size();
  if (count != 3 && count != 6) {
    at.fail("must be [Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Iyz, Izx]; found " +
            std::to_string(count) + " numbers");
  }
  auto v = at.numbers(count);
  v.resize(6, 0.0);
  for (std::size_t i = 0; i < 3; ++i) {
    if (v[i] < 0.0) {
      at.entries()[i].fail("a moment of inertia must not be negative (kg m^2)");
    }
  }
  Eigen::Matrix3d inertia;
  inertia << v[0], v[3], v[5], v[3], v[1], v[4], v[5], v[4], v[2];
  return inertia;
}

DhLink read_link(const Cursor& row) {
  row.allow_keys({"joint", "link", "type", "a", "b", "alpha", "alpha_deg", "theta", "theta_deg",
                  "mass", "r", "inertia"});
  DhLink link;
  link.joint = one_line(row.at("joint"));
  link.link = one_line(row.at("link"));
  const std::string type = row.at("type").text();
  if (type != "revolute" && type != "prismatic") {
    row.at("type").fail("must be revolute or prismatic; found '" + type + "'");
  }
  const bool prismatic = type == "prismatic";
  link.type = prismatic ? DhLink::JointType::prismatic : DhLink::JointType::revolute;

  // the parameter that the joint changes is optional, zero by default
  link.a = row.at("a").number();
  link.b = prismatic && !row.has("b") ? 0.0 : row.at("b").number();
  link.alpha = required_angle(row, "alpha");
  link.theta = prismatic ? required_angle(row, "theta") : angle(row, "theta").value_or(0.0);

  link.mass = not_negative(row.at("mass"), "kg");
  link.r = vector3(row.at("r"));
  link.inertia = read_inertia(row.at("inertia"));
  return link;
}

void read_joint(const Cursor& row, DhLink& link) {
  row.allow_keys({"joint", "lower", "lower_deg", "upper", "upper_deg", "velocity", "velocity_deg",
                  "effort", "damping", "friction", "rotor_inertia", "mimic", "actuated"});
  if (link.type == DhLink::JointType::prismatic) {
    for (const char* key : {"lower_deg", "upper_deg", "velocity_deg"}) {
      if (const auto at = row.find(key))
        at->fail("joint '" + link.joint + "' is prismatic: give the value in meters");
    }
  }
  link.lower = angle(row, "lower");
  link.upper = angle(row, "upper");
  if (link.lower.has_value() != link.upper.has_value())
    row.fail("give both lower and upper, or neither");
  if (link.lower && *link.lower > *link.upper) row.fail("lower is above upper");
  link.velocity = angle(row, "velocity");
  if (link.velocity && *link.velocity < 0.0) row.fail("velocity must not be negative");
  if (const auto at = row.find("effort")) link.effort = not_negative(*at, "N m or N");
  if (const auto at = row.find("damping")) link.damping = not_negative(*at, "N m s/rad or N s/m");
  if (const auto at = row.find("friction")) link.friction = not_negative(*at, "N m or N");
  if (const auto at = row.find("rotor_inertia")) {
    link.rotor_inertia = not_negative(*at, "kg m^2 or kg");
  }
  if (const auto at = row.find("actuated")) link.actuated = true_or_false(*at);
  if (const auto at = row.find("mimic")) {
    at->allow_keys({"joint", "multiplier", "offset"});
    link.mimic.emplace().joint = one_line(at->at("joint"));
    if (const auto factor = at->find("multiplier")) link.mimic->multiplier = factor->number();
    if (const auto offset = at->find("offset")) link.mimic->offset = offset->number();
  }
}

/// Adds the rigid rod along Z_i, from the joint at z = -b to the root of the beam, to the hub
/// (Mohan and Saha, Eqs. 16 to 18).
void add_rod(BeamDescription& beam, double b) {
  const double mass = beam.mass_per_length * std::abs(b);
  if (mass == 0.0) return;
  beam.hub_mass += mass;
  beam.hub_center.z() = -0.5 * b * mass / beam.hub_mass;
  const double moment = mass * b * b / 3.0;
  beam.hub_inertia += Eigen::Vector3d(moment, moment, 0.0);
}

BeamDescription read_flexible(const Cursor& row, const DhLink& link) {
  row.allow_keys({"link", "rigidity_y", "rigidity_z", "modes_y", "modes_z", "damping", "tip_mass",
                  "hub_mass", "hub_inertia", "stiffening", "basis"});
  if (link.a <= 0.0) {
    row.fail("a flexible link is a beam of length a along its x axis: link '" + link.link +
             "' must have a > 0");
  }
  if (link.mass <= 0.0)
    row.fail("a flexible link must have a mass: link '" + link.link + "' has none");
  BeamDescription beam;
  beam.length = link.a;
  if (const auto at = row.find("tip_mass")) beam.tip_mass = not_negative(*at, "kg");
  if (const auto at = row.find("hub_mass")) beam.hub_mass = not_negative(*at, "kg");
  const double mass = link.mass - beam.tip_mass - beam.hub_mass;
  if (mass <= 0.0)
    row.fail("tip_mass and hub_mass are part of the link mass and must be less than it");
  beam.mass_per_length = mass / (link.a + std::abs(link.b));
  beam.rigidity_y = positive(row.at("rigidity_y"), "N m^2");
  beam.rigidity_z = positive(row.at("rigidity_z"), "N m^2");
  constexpr int max_modes = 6;
  beam.modes_y = row.at("modes_y").integer(0, max_modes);
  beam.modes_z = row.at("modes_z").integer(0, max_modes);
  if (const auto at = row.find("damping")) beam.damping = not_negative(*at, "ratio of critical");
  if (const auto at = row.find("hub_inertia")) {
    beam.hub_inertia = vector3(*at);
    if (beam.hub_inertia.minCoeff() < 0.0) at->fail("a moment of inertia must not be negative");
  }
  add_rod(beam, link.b);
  if (const auto at = row.find("stiffening")) beam.stiffening = true_or_false(*at);
  if (const auto at = row.find("basis")) {
    beam.basis = at->text();
    if (beam.basis != "clamped-free" && beam.basis != "polynomial") {
      at->fail("must be clamped-free or polynomial; found '" + beam.basis + "'");
    }
  }
  return beam;
}

using Colors = std::map<std::string, std::array<double, 4>, std::less<>>;

Colors read_colors(const Cursor& section) {
  Colors colors;
  const auto values = section.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t count = values[i].entries().size();
    if (count != 3 && count != 4)
      values[i].fail("must be [red, green, blue] or [red, green, blue, opacity]");
    std::array<double, 4> rgba = {0.0, 0.0, 0.0, 1.0};
    for (std::size_t j = 0; j < count; ++j) {
      rgba[j] = values[i].entries()[j].number();
      if (rgba[j] < 0.0 || rgba[j] > 1.0) values[i].entries()[j].fail("must be from 0 to 1");
    }
    if (section.keys()[i].empty()) values[i].fail("a color must have a name");
    colors[section.keys()[i]] = rgba;
  }
  return colors;
}

Visual read_visual(const Cursor& row, const Colors& colors) {
  Visual visual;
  const std::string shape = row.at("shape").text();
  if (shape == "box") {
    row.allow_keys({"shape", "size", "xyz", "rpy_deg", "color"});
    const Eigen::Vector3d size = vector3(row.at("size"));
    if (size.minCoeff() <= 0.0) row.at("size").fail("edges must be greater than zero (m)");
    visual.geometry = Visual::Box{size};
  } else if (shape == "cylinder") {
    row.allow_keys({"shape", "radius", "length", "xyz", "rpy_deg", "axis", "color"});
    visual.geometry =
        Visual::Cylinder{positive(row.at("radius"), "m"), positive(row.at("length"), "m")};
  } else if (shape == "sphere") {
    row.allow_keys({"shape", "radius", "xyz", "color"});
    visual.geometry = Visual::Sphere{positive(row.at("radius"), "m")};
  } else {
    row.at("shape").fail("must be box, cylinder or sphere; found '" + shape + "'");
  }
  if (const auto at = row.find("xyz")) visual.xyz = vector3(*at);
  if (const auto at = row.find("rpy_deg")) {
    visual.rpy = vector3(*at).unaryExpr(&radians);
  }
  if (const auto at = row.find("axis")) {
    if (row.has("rpy_deg")) at->fail("give axis or rpy_deg, not both");
    const std::string axis = at->text();
    if (axis == "x") {
      visual.rpy.y() = radians(90.0);
    } else if (axis == "y") {
      visual.rpy.x() = radians(-90.0);
    } else if (axis != "z") {
      at->fail("must be x, y or z; found '" + axis + "'");
    }
  }
  if (const auto at = row.find("color")) {
    visual.color = at->text();
    visual.rgba = find_named(*at, visual.color, colors, "color");
  }
  return visual;
}

ForcedMotion read_forced(const Cursor& row, const std::vector<DhLink>& links) {
  ForcedMotion forced;
  const std::string kind = row.at("kind").text();
  if (kind == "cycloid") {
    row.allow_keys({"kind", "q1", "q1_deg", "period"});
    auto q1 = joint_values(row, "q1", links);
    if (!q1) row.fail("key 'q1_deg' (or 'q1', in radians) is missing");
    forced.q1 = std::move(*q1);
    forced.period = positive(row.at("period"), "s");
  } else if (kind == "mohan-saha") {
    row.allow_keys({"kind", "k", "T"});
    forced.kind = ForcedMotion::Kind::mohan_saha;
    const std::size_t joints = independent_joints(links).size();
    forced.k = row.at("k").numbers(joints);
    forced.T = row.at("T").numbers(joints);
    for (const Cursor& at : row.at("T").entries()) positive(at, "s");
  } else {
    row.at("kind").fail("must be cycloid or mohan-saha; found '" + kind + "'");
  }
  return forced;
}

/// Runs parts of the reader. An error in a part is stored, and reading continues with the next
/// part.
class ErrorCollector {
 public:
  explicit ErrorCollector(std::vector<yaml::Error>& errors) : errors_(errors) {}

  /// False if the part has an error.
  template <class Part>
  bool operator()(Part&& part) {
    try {
      part();
      return true;
    } catch (const yaml::Error& error) {
      if (errors_.size() < max_errors) errors_.push_back(error);
      return false;
    }
  }

 private:
  static constexpr std::size_t max_errors = 100;
  std::vector<yaml::Error>& errors_;
};

/// False if a link has an error.
bool read_links(const Cursor& root, DhTable& table, ErrorCollector& collect) {
  std::vector<Cursor> rows;
  bool valid = collect([&] {
    rows = root.at("links").entries();
    if (rows.empty()) root.at("links").fail("must have at least one link");
    if (rows.size() > max_dh_links) {
      const std::size_t count = rows.size();
      rows.clear();
      root.at("links").fail("has " + std::to_string(count) + " links: the maximum is " +
                            std::to_string(max_dh_links));
    }
  });
  table.links.reserve(rows.size());
  std::set<std::string> joints;
  std::set<std::string> links = {table.base_link, table.tip_link};
  for (const Cursor& row : rows) {
    const bool valid_row = collect([&] {
      DhLink link = read_link(row);
      if (!joints.insert(link.joint).second) {
        row.at("joint").fail("joint name '" + link.joint + "' is used twice");
      }
      if (!links.insert(link.link).second) {
        row.at("link").fail("link name '" + link.link + "' is used twice");
      }
      table.links.push_back(std::move(link));
    });
    valid = valid && valid_row;
  }
  return valid;
}

/// The sections that refer to links and joints by name: joints, flexible, constraints, looks.
void read_named_sections(const Cursor& root, DhTable& table, ErrorCollector& collect) {
  std::map<std::string, DhLink*> by_joint;
  std::map<std::string, DhLink*> by_link;
  for (DhLink& link : table.links) {
    by_joint[link.joint] = &link;
    by_link[link.link] = &link;
  }
  std::set<std::string> seen;
  const auto require_unique = [&](const Cursor& at, const std::string& name) {
    if (!seen.insert(name).second) at.fail("'" + name + "' is given twice");
  };
  const auto for_each_row = [&](const char* section, auto read_row) {
    seen.clear();
    collect([&] {
      if (const auto rows = root.find(section)) {
        for (const Cursor& row : rows->entries()) collect([&] { read_row(row); });
      }
    });
  };

  for_each_row("joints", [&](const Cursor& row) {
    const auto at = row.at("joint");
    require_unique(at, at.text());
    DhLink& link = *find_named(at, at.text(), by_joint, "joint");
    read_joint(row, link);
    if (link.mimic) find_named(row.at("mimic").at("joint"), link.mimic->joint, by_joint, "joint");
  });
  for_each_row("flexible", [&](const Cursor& row) {
    const auto at = row.at("link");
    require_unique(at, at.text());
    DhLink& link = *find_named(at, at.text(), by_link, "link");
    link.flexible = read_flexible(row, link);
  });
  std::set<std::string> links = {table.base_link, table.tip_link}, names;
  for (const DhLink& link : table.links) {
    links.insert(link.link);
    names.insert(link.joint);
  }
  for_each_row("constraints", [&](const Cursor& row) {
    table.constraints.push_back(dh::read_constraint(row, links, names));
  });
  Colors colors;
  const bool has_colors = collect([&] {
    if (const auto section = root.find("colors")) colors = read_colors(*section);
  });
  if (!has_colors) return;  // the shapes refer to them
  collect([&] {
    const auto section = root.find("looks");
    if (!section) return;
    const auto values = section->values();
    for (std::size_t i = 0; i < values.size(); ++i) {
      collect([&] {
        const std::string& name = section->keys()[i];
        auto& visuals = name == table.base_link
                            ? table.base_visuals
                            : find_named(values[i], name, by_link, "link")->visuals;
        for (const Cursor& row : values[i].entries()) {
          collect([&] { visuals.push_back(read_visual(row, colors)); });
        }
      });
    }
  });
}

}  // namespace

ParsedDhTable parse_dh_table(std::string_view yaml_text, std::string_view file_name) {
  ParsedDhTable parsed;
  DhTable& table = parsed.table;
  ErrorCollector collect(parsed.errors);
  const std::string file(file_name);
  yaml::Node tree;
  if (!collect([&] { tree = yaml::read(yaml_text, file); })) return parsed;
  const Cursor root(tree, "", file);
  collect([&] {
    root.allow_keys({"robot", "source", "description", "base_link", "tip_link", "gravity", "links",
                     "joints", "flexible", "constraints", "start", "forced", "colors", "looks"});
  });
  if (!root.is_map()) return parsed;
  collect([&] { table.name = one_line(root.at("robot")); });
  collect([&] { table.source = root.at("source").text(); });
  collect([&] {
    if (const auto at = root.find("description")) table.description = at->text();
  });
  collect([&] {
    if (const auto at = root.find("base_link")) table.base_link = one_line(*at);
    if (const auto at = root.find("tip_link")) table.tip_link = one_line(*at);
    if (table.base_link == table.tip_link)
      root.fail("base_link and tip_link must have different names");
  });
  collect([&] {
    if (const auto at = root.find("gravity")) table.gravity = vector3(*at);
  });

  if (!read_links(root, table, collect)) return parsed;
  read_named_sections(root, table, collect);

  table.q0.assign(independent_joints(table.links).size(), 0.0);
  table.qd0 = table.q0;
  collect([&] {
    const auto at = root.find("start");
    if (!at) return;
    at->allow_keys({"q", "q_deg", "qd", "qd_deg"});
    if (auto q = joint_values(*at, "q", table.links)) table.q0 = std::move(*q);
    if (auto qd = joint_values(*at, "qd", table.links)) table.qd0 = std::move(*qd);
  });
  collect([&] {
    if (const auto at = root.find("forced")) table.forced = read_forced(*at, table.links);
  });
  return parsed;
}

DhTable read_dh_table(std::string_view yaml_text, std::string_view file_name) {
  ParsedDhTable parsed = parse_dh_table(yaml_text, file_name);
  if (!parsed.errors.empty()) throw yaml::Error(parsed.errors.front());
  return std::move(parsed.table);
}

}  // namespace dynamics
