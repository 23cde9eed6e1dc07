// SPDX-License-Identifier: Apache-2.0
// Reader of DH tables: the built-in robots have the papers' numbers, the defaults and units are
// right, and errors give file, line and key.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <clocale>
#include <locale>
#include <numbers>
#include <ostream>
#include <string>

#include "dynamics_core/readers.hpp"
#include "readers/yaml_tree.hpp"

namespace dynamics {
namespace {

using std::numbers::pi;
using testing::ElementsAre;
using testing::HasSubstr;

/// A row as the papers print it: a, b, alpha (deg), m, r, Ixx, Iyy, Izz.
struct Row {
  double a, b, alpha_deg, mass, rx, ry, rz, ixx, iyy, izz;
};

void expect_rows(const DhTable& table, const std::vector<Row>& rows) {
  ASSERT_EQ(table.links.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const DhLink& link = table.links[i];
    const Row& row = rows[i];
    SCOPED_TRACE(link.link);
    EXPECT_EQ(link.joint, "joint" + std::to_string(i + 1));
    EXPECT_EQ(link.link, "link" + std::to_string(i + 1));
    EXPECT_EQ(link.a, row.a);
    EXPECT_EQ(link.b, row.b);
    EXPECT_EQ(link.alpha, row.alpha_deg / 180.0 * pi);
    EXPECT_EQ(link.theta, 0.0);
    EXPECT_EQ(link.mass, row.mass);
    EXPECT_EQ(link.r, Eigen::Vector3d(row.rx, row.ry, row.rz));
    EXPECT_EQ(link.inertia,
              Eigen::Matrix3d(Eigen::Vector3d(row.ixx, row.iyy, row.izz).asDiagonal()));
    EXPECT_EQ(link.damping, 0.0);
    EXPECT_EQ(link.friction, 0.0);
    EXPECT_EQ(link.rotor_inertia, 0.0);
  }
}

TEST(BuiltInRobots, CanBeLoadedByName) {
  EXPECT_THAT(built_in_robots(), ElementsAre("planar3", "stanford", "puma", "canadarm"));
  for (const std::string_view name : built_in_robots()) {
    ASSERT_TRUE(built_in_table(name).has_value());
    EXPECT_EQ(built_in_robot(name).name, name);
    EXPECT_THAT(built_in_robot(name).source, HasSubstr("Saha"));
  }
  EXPECT_FALSE(built_in_table("nosuchrobot").has_value());
  try {
    built_in_robot("nosuchrobot");
    FAIL();
  } catch (const ArgumentError& error) {
    EXPECT_EQ(error.element(), "nosuchrobot");
    EXPECT_THAT(error.what(), HasSubstr("planar3, stanford, puma, canadarm"));
  }
}

TEST(BuiltInRobots, Planar3HasUniformRods) {
  const DhTable table = built_in_robot("planar3");
  const auto rod = [](double a, double m) {
    return Row{a, 0, 0, m, a / 2, 0, 0, 0, m * a * a / 12, m * a * a / 12};
  };
  expect_rows(table, {rod(0.3, 0.5), rod(0.25, 0.4), rod(0.22, 0.3)});
  EXPECT_EQ(table.gravity, Eigen::Vector3d(0, -9.81, 0));
  EXPECT_THAT(table.q0, ElementsAre(0, 0, 0));
  ASSERT_TRUE(table.forced);
  EXPECT_EQ(table.forced->kind, ForcedMotion::Kind::cycloid);
  EXPECT_THAT(table.forced->q1, ElementsAre(pi, pi, pi));
  EXPECT_EQ(table.forced->period, 10.0);
}

TEST(BuiltInRobots, StanfordMatchesTable2OfSaha2003) {
  const DhTable table = built_in_robot("stanford");
  expect_rows(table, {{0, 0.1, -90, 9, 0, -0.1, 0, 0.01, 0.02, 0.01},
                      {0, 0.1, -90, 6, 0, 0, 0, 0.05, 0.06, 0.01},
                      {0, 0, 0, 4, 0, 0, 0, 0.4, 0.4, 0.01},
                      {0, 0.6, 90, 1, 0, -0.1, 0, 0.001, 0.001, 0.0005},
                      {0, 0, -90, 0.6, 0, 0, 0, 0.0005, 0.0005, 0.0002},
                      {0, 0, 0, 0.5, 0, 0, 0, 0.003, 0.001, 0.002}});
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(table.links[i].type == DhLink::JointType::prismatic, i == 2);
  }
  EXPECT_EQ(table.gravity, Eigen::Vector3d(0, 0, -9.81));
  EXPECT_THAT(table.q0, ElementsAre(0, pi / 2, 0, 0, 0, 0));
  EXPECT_THAT(table.qd0, ElementsAre(0, 0, 0, 0, 0, 0));
  ASSERT_TRUE(table.forced);
  const double end = 60.0 / 180.0 * pi;
  EXPECT_THAT(table.forced->q1, ElementsAre(end, end, 0.1, end, end, end));
  EXPECT_EQ(table.forced->period, 10.0);
}

TEST(BuiltInRobots, PumaMatchesTable2OfSaha2003) {
  const DhTable table = built_in_robot("puma");
  expect_rows(table, {{0, 0, -90, 10.521, 0, 0, 0.054, 1.612, 1.612, 0.5091},
                      {0.432, 0.149, 0, 15.761, 0.292, 0, 0, 0.4898, 8.0783, 8.2672},
                      {0.02, 0, 90, 8.767, -0.02, 0, -0.197, 3.3768, 3.3768, 0.3009},
                      {0, 0.432, -90, 1.052, 0, -0.057, 0, 0.181, 0.1273, 0.181},
                      {0, 0, 90, 1.052, 0, 0, -0.007, 0.0735, 0.1273, 0.0735},
                      {0, 0.056, 0, 0.351, 0, 0, 0.019, 0.0071, 0.0071, 0.0141}});
  EXPECT_EQ(table.gravity, Eigen::Vector3d(0, 0, -9.81));
  EXPECT_THAT(table.q0, ElementsAre(0, 0, 0, 0, 0, 0));
  ASSERT_TRUE(table.forced);
  EXPECT_THAT(table.forced->q1, ElementsAre(pi, pi, pi, pi, pi, pi));
}

TEST(BuiltInRobots, CanadarmMatchesTable2OfMohanAndSaha) {
  const DhTable table = built_in_robot("canadarm");
  const auto rod = [](double a, double m) {
    return Row{a, 0, 0, m, a / 2, 0, 0, 0, m * a * a / 12, m * a * a / 12};
  };
  expect_rows(table, {rod(6, 140), rod(7, 85), rod(2, 95)});
  EXPECT_EQ(table.gravity, Eigen::Vector3d::Zero());
  for (const DhLink& link : table.links) {
    ASSERT_TRUE(link.flexible);
    EXPECT_EQ(link.flexible->length, link.a);
    EXPECT_EQ(link.flexible->mass_per_length, link.mass / link.a);
    EXPECT_EQ(link.flexible->rigidity_y, 1e5);
    EXPECT_EQ(link.flexible->rigidity_z, 1e5);
    EXPECT_EQ(link.flexible->modes_y, 2);
    EXPECT_EQ(link.flexible->modes_z, 0);
    EXPECT_EQ(link.flexible->damping, 0.0);
  }
  ASSERT_TRUE(table.forced);
  EXPECT_EQ(table.forced->kind, ForcedMotion::Kind::mohan_saha);
  EXPECT_THAT(table.forced->k, ElementsAre(0.075, 0.05, 0.1));
  EXPECT_THAT(table.forced->T, ElementsAre(10, 5, 5));
}

TEST(BuiltInRobots, InertiasArePhysical) {
  for (const std::string_view name : built_in_robots()) {
    for (const DhLink& link : built_in_robot(name).links) {
      SCOPED_TRACE(std::string(name) + " " + link.link);
      const Eigen::Vector3d moments =
          Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(link.inertia).eigenvalues();
      EXPECT_GE(moments(0), 0.0);
      // the largest moment is at most the sum of the others; Stanford's link 6 is at the bound
      EXPECT_LE(moments(2), (moments(0) + moments(1)) * (1 + 1e-12));
      EXPECT_GT(link.mass, 0.0);
    }
  }
}

TEST(BuiltInRobots, InitialPositionIsWithinLimits) {
  for (const std::string_view name : built_in_robots()) {
    const DhTable table = built_in_robot(name);
    for (std::size_t i = 0; i < table.links.size(); ++i) {
      const DhLink& link = table.links[i];
      SCOPED_TRACE(std::string(name) + " " + link.joint);
      ASSERT_TRUE(link.lower && link.upper && link.velocity && link.effort);
      EXPECT_LE(*link.lower, table.q0[i]);
      EXPECT_GE(*link.upper, table.q0[i]);
      EXPECT_GT(*link.velocity, 0.0);
      EXPECT_GT(*link.effort, 0.0);
      EXPECT_FALSE(link.visuals.empty());
    }
    EXPECT_FALSE(table.base_visuals.empty());
  }
}

const std::string head = "robot: arm\nsource: here\n";
const std::string row_end = ", mass: 1, r: [0, 0, 0], inertia: [1, 1, 1]}\n";
const std::string good =
    head + "links:\n  - {joint: j, link: l, type: revolute, a: 1, b: 0, alpha_deg: 90" + row_end;

TEST(DhTableReader, UsesDefaults) {
  const DhTable table = read_dh_table(good, "arm.yaml");
  EXPECT_EQ(table.name, "arm");
  EXPECT_EQ(table.base_link, "base_link");
  EXPECT_EQ(table.tip_link, "tool0");
  EXPECT_EQ(table.gravity, Eigen::Vector3d(0, 0, -9.81));
  EXPECT_EQ(table.links[0].alpha, pi / 2);
  EXPECT_FALSE(table.links[0].lower);
  EXPECT_FALSE(table.forced);
  EXPECT_THAT(table.q0, ElementsAre(0));
  EXPECT_THAT(table.qd0, ElementsAre(0));
}

TEST(DhTableReader, ReadsOffsetsRadiansAndProductsOfInertia) {
  const DhTable table =
      read_dh_table(head +
                        "links:\n"
                        "  - {joint: j1, link: l1, type: prismatic, a: -1e-1, b: +0.5, alpha: "
                        "0.25, theta_deg: 30,\n"
                        "     mass: 0, r: [1, 2, 3], inertia: [4, 5, 6, 0.1, 0.2, 0.3]}\n"
                        "joints:\n"
                        "  - {joint: j1, damping: 0.1, friction: 0.2, rotor_inertia: 0.3}\n"
                        "start: {q: [0.125], qd: [1]}\n",
                    "arm.yaml");
  const DhLink& link = table.links[0];
  EXPECT_EQ(link.type, DhLink::JointType::prismatic);
  EXPECT_EQ(link.a, -0.1);
  EXPECT_EQ(link.b, 0.5);
  EXPECT_EQ(link.alpha, 0.25);
  EXPECT_DOUBLE_EQ(link.theta, pi / 6);
  Eigen::Matrix3d inertia;
  inertia << 4, 0.1, 0.3, 0.1, 5, 0.2, 0.3, 0.2, 6;
  EXPECT_EQ(link.inertia, inertia);
  EXPECT_EQ(link.damping, 0.1);
  EXPECT_EQ(link.friction, 0.2);
  EXPECT_EQ(link.rotor_inertia, 0.3);
  EXPECT_THAT(table.q0, ElementsAre(0.125));
  EXPECT_THAT(table.qd0, ElementsAre(1));
}

TEST(DhTableReader, RotatesVisuals) {
  const auto rpy = [](const std::string& keys) {
    const DhTable table = read_dh_table(
        good + "looks:\n  l: [{shape: cylinder, radius: 1, length: 2" + keys + "}]\n", "arm.yaml");
    return table.links[0].visuals.at(0).rpy;
  };
  EXPECT_EQ(rpy(""), Eigen::Vector3d(0, 0, 0));
  EXPECT_EQ(rpy(", axis: z"), Eigen::Vector3d(0, 0, 0));
  EXPECT_EQ(rpy(", axis: x"), Eigen::Vector3d(0, pi / 2, 0));
  EXPECT_EQ(rpy(", axis: y"), Eigen::Vector3d(-pi / 2, 0, 0));
  EXPECT_TRUE(rpy(", rpy_deg: [90, 180, -90]").isApprox(Eigen::Vector3d(pi / 2, pi, -pi / 2)));
}

TEST(DhTableReader, ReadsWindowsLineEndsByteOrderMarkAndUtf8) {
  std::string text = "robot: Größe\nsource: 日本\n" + good.substr(head.size());
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) {
    text.replace(at, 1, "\r\n");
  }
  const DhTable table = read_dh_table("\xEF\xBB\xBF" + text, "arm.yaml");
  EXPECT_EQ(table.name, "Größe");
  EXPECT_EQ(table.source, "日本");
  EXPECT_EQ(table.links.size(), 1u);
}

class DecimalComma : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(DhTableReader, DoesNotDependOnLocale) {
  const std::string c_locale = std::setlocale(LC_ALL, nullptr);
  const std::locale before = std::locale::global(std::locale(std::locale(), new DecimalComma));
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"}) {
    if (std::setlocale(LC_ALL, name) != nullptr) break;
  }
  const DhTable table = built_in_robot("puma");
  std::locale::global(before);
  std::setlocale(LC_ALL, c_locale.c_str());
  EXPECT_EQ(table.links[1].mass, 15.761);
  EXPECT_EQ(table.links[1].a, 0.432);
}

/// An invalid text, and element and part of the message of the error.
struct InvalidTable {
  std::string name;
  std::string text;
  std::string element;
  std::string message;
};

void PrintTo(const InvalidTable& table, std::ostream* out) { *out << table.name; }

class DhTableErrors : public testing::TestWithParam<InvalidTable> {};

TEST_P(DhTableErrors, GiveFileLineAndKey) {
  try {
    read_dh_table(GetParam().text, "arm.yaml");
    FAIL() << "no error";
  } catch (const ParseError& error) {
    EXPECT_EQ(error.element(), GetParam().element) << error.what();
    EXPECT_THAT(error.what(), HasSubstr(GetParam().message));
  }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("no " + from);
  return text.replace(at, from.size(), to);
}

/// The good table with a change in its only link; the error names the key `where` of that link.
InvalidTable invalid_link(const std::string& name, const std::string& from, const std::string& to,
                          const std::string& where, const std::string& message) {
  return {name, replaced(good, from, to), "arm.yaml:4: links[1]" + where, message};
}

std::string bomb() {
  std::string text = "a: &a [x, x]\n";
  for (char c = 'b'; c < 'z'; ++c) {
    const std::string before(1, static_cast<char>(c - 1));
    text += std::string(1, c) + ": &" + c + " [*" + before + ", *" + before + "]\n";
  }
  return text;
}

std::string blocks(std::size_t depth) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += std::string(i, ' ') + "a:\n";
  return text;
}

std::string two_links(const std::string& second_joint, const std::string& second_link) {
  return good + "  - {joint: " + second_joint + ", link: " + second_link +
         ", type: revolute, a: 1, b: 0, alpha_deg: 0" + row_end;
}

INSTANTIATE_TEST_SUITE_P(
    , DhTableErrors,
    testing::Values(
        InvalidTable{"empty", "", "arm.yaml", "file is empty"},
        InvalidTable{"not_yaml", "robot: [1, 2\nsource: }", "arm.yaml:2", "invalid YAML"},
        InvalidTable{"list", "- 1\n", "arm.yaml:1", "must be a map"},
        invalid_link("missing_key", "mass: 1, ", "", "", "key 'mass' is missing"),
        invalid_link("missing_angle", ", alpha_deg: 90", "", "",
                     "key 'alpha_deg' (or 'alpha', in radians) is missing"),
        InvalidTable{"missing_links", head, "arm.yaml:1", "key 'links' is missing"},
        InvalidTable{"no_links", head + "links: []\n", "arm.yaml:3: links", "at least one link"},
        invalid_link("unknown_key", "mass:", "masse:", "",
                     "unknown key 'masse'; known keys: joint, link, type, a, b, alpha, alpha_deg"),
        InvalidTable{"unknown_top_key", good + "speed:\n  - 1\n", "arm.yaml:5",
                     "unknown key 'speed'; known keys: robot, source"},
        InvalidTable{"key_twice", good + "source: there\n", "arm.yaml:5",
                     "'source' is given twice"},
        invalid_link("both_angles", "alpha_deg: 90", "alpha_deg: 90, alpha: 1", ".alpha_deg",
                     "not both"),
        invalid_link("short_list", "[0, 0, 0]", "[0, 0]", ".r", "a list of 3 numbers; found 2"),
        invalid_link("inertia_length", "[1, 1, 1]", "[1, 1, 1, 0]", ".inertia",
                     "[Ixx, Iyy, Izz, Ixy, Iyz, Izx]; found 4"),
        invalid_link("negative_inertia", "[1, 1, 1]", "[1, -1, 1]", ".inertia[2]",
                     "must not be negative"),
        invalid_link("nan", "mass: 1", "mass: nan", ".mass", "must be a finite number"),
        invalid_link("yaml_nan", "mass: 1", "mass: .nan", ".mass",
                     "must be a number with a decimal point"),
        invalid_link("infinite", "a: 1", "a: inf", ".a", "must be a finite number"),
        invalid_link("too_large", "a: 1", "a: 1e999", ".a", "exceeds the range"),
        invalid_link("decimal_comma", "a: 1", "a: \"1,5\"", ".a",
                     "must be a number with a decimal point"),
        invalid_link("unit", "a: 1", "a: 1 m", ".a", "found '1 m'"),
        invalid_link("no_value", "a: 1", "a:", ".a", "must be a number"),
        invalid_link("negative_mass", "mass: 1", "mass: -1", ".mass", "must not be negative (kg)"),
        invalid_link("joint_type", "revolute", "helical", ".type",
                     "must be revolute or prismatic; found 'helical'"),
        InvalidTable{"joint_twice", two_links("j", "m"), "arm.yaml:5: links[2].joint",
                     "joint name 'j' is used twice"},
        InvalidTable{"link_twice", two_links("k", "l"), "arm.yaml:5: links[2].link",
                     "link name 'l' is used twice"},
        InvalidTable{"link_named_like_the_base", two_links("k", "base_link"),
                     "arm.yaml:5: links[2].link", "'base_link' is used twice"},
        InvalidTable{"start_length", good + "start: {q_deg: [0, 0]}\n", "arm.yaml:5: start.q_deg",
                     "a list of 1 numbers; found 2"},
        InvalidTable{"forced_kind", good + "forced: {kind: jump}\n", "arm.yaml:5: forced.kind",
                     "cycloid or mohan-saha"},
        InvalidTable{"forced_end", good + "forced: {kind: cycloid, period: 1}\n",
                     "arm.yaml:5: forced", "'q1_deg'"},
        InvalidTable{"period", good + "forced: {kind: cycloid, q1: [1], period: 0}\n",
                     "arm.yaml:5: forced.period", "greater than zero"},
        InvalidTable{"unknown_joint", good + "joints:\n  - {joint: x, effort: 1}\n",
                     "arm.yaml:6: joints[1].joint", "joint 'x' does not exist"},
        InvalidTable{"half_range", good + "joints:\n  - {joint: j, lower: 1}\n",
                     "arm.yaml:6: joints[1]", "lower and upper, or neither"},
        InvalidTable{"empty_range", good + "joints:\n  - {joint: j, lower: 1, upper: 0}\n",
                     "arm.yaml:6: joints[1]", "lower is above upper"},
        InvalidTable{"stiffness",
                     good + "flexible:\n  - {link: l, rigidity_y: 0, rigidity_z: 1, modes_y: 1, "
                            "modes_z: 0}\n",
                     "arm.yaml:6: flexible[1].rigidity_y", "greater than zero"},
        InvalidTable{"modes",
                     good + "flexible:\n  - {link: l, rigidity_y: 1, rigidity_z: 1, modes_y: 1.5, "
                            "modes_z: 0}\n",
                     "arm.yaml:6: flexible[1].modes_y", "integer from 0 to 6"},
        InvalidTable{"beam_without_length",
                     replaced(good, "a: 1", "a: 0") + "flexible:\n  - {link: l, rigidity_y: 1, "
                                                      "rigidity_z: 1, modes_y: 1, modes_z: 0}\n",
                     "arm.yaml:6: flexible[1]", "must have a > 0"},
        InvalidTable{"shape", good + "looks:\n  l:\n    - {shape: cone}\n",
                     "arm.yaml:7: looks.l[1].shape", "box, cylinder or sphere"},
        InvalidTable{"visual_axis",
                     good + "looks:\n  l: [{shape: cylinder, radius: 1, length: 2, axis: w}]\n",
                     "arm.yaml:6: looks.l[1].axis", "must be x, y or z"},
        InvalidTable{"color", good + "looks:\n  l: [{shape: sphere, radius: 1, color: blue}]\n",
                     "arm.yaml:6: looks.l[1].color", "color 'blue' does not exist"},
        InvalidTable{"bright", good + "colors: {blue: [0, 0, 255]}\n", "arm.yaml:5: colors.blue[3]",
                     "from 0 to 1"},
        InvalidTable{"alias_bomb", bomb(), "arm.yaml:1", "anchors and aliases are not supported"},
        InvalidTable{"tag", replaced(good, "mass: 1", "mass: !!float 1"), "arm.yaml:4",
                     "tags are not supported"},
        InvalidTable{"two_documents", good + "---\n" + good, "arm.yaml:6", "second YAML document"},
        InvalidTable{"latin1",
                     "robot: Gr\xF6\xDF"
                     "e\n",
                     "arm.yaml:1", "not UTF-8"},
        InvalidTable{"binary", head + std::string("links: \0", 8), "arm.yaml:3", "zero byte"},
        InvalidTable{"control", "robot: \"a\\eb\"\nsource: s\n", "arm.yaml:1: robot",
                     "control character"},
        InvalidTable{"deep", "robot: " + std::string(40, '[') + std::string(40, ']'), "arm.yaml:1",
                     "nested deeper than 16 levels"},
        InvalidTable{"deep_blocks", blocks(100), "arm.yaml:17", "nested deeper than 16 levels"},
        InvalidTable{"very_deep", "robot: " + std::string(100'000, '['), "arm.yaml:1", ""},
        InvalidTable{"deep_map", "robot: " + std::string(400, '{'), "arm.yaml:1",
                     "a key must be a scalar"}),
    [](const auto& param) { return param.param.name; });

TEST(YamlTree, LimitsNumberOfKeysAndValues) {
  yaml::Bounds bounds;
  bounds.nodes = 5;  // map, key, list and two entries
  EXPECT_EQ(yaml::read("a: [1, 2]\n", "f", bounds).items[0].items.size(), 2u);
  EXPECT_THROW(yaml::read("a: [1, 2, 3]\n", "f", bounds), ParseError);
  EXPECT_THROW(yaml::read("a: [1]\nb: 2\n", "f", bounds), ParseError);
}

TEST(YamlTree, KeepsLineNumbers) {
  const yaml::Node tree = yaml::read("# first\na:\n  - x\n  - {b: y,\n     c: z}\n", "f");
  ASSERT_EQ(tree.keys, std::vector<std::string>{"a"});
  EXPECT_EQ(tree.key_lines[0], 2u);
  const yaml::Node& list = tree.items[0];
  ASSERT_EQ(list.items.size(), 2u);
  EXPECT_EQ(list.items[0].line, 3u);
  EXPECT_EQ(list.items[0].text, "x");
  EXPECT_EQ(list.items[1].key_lines, (std::vector<std::size_t>{4, 5}));
}

std::string error_message(const std::string& text) {
  try {
    read_dh_table(text, "arm.yaml");
  } catch (const ParseError& error) {
    return error.what();
  }
  return "no error";
}

TEST(DhTableReader, LimitsSizeOfInput) {
  EXPECT_THAT(error_message(std::string((16u << 20) + 1, '\n')),
              HasSubstr("bytes: the maximum is 16777216"));
  EXPECT_THAT(error_message("robot: x\n" + std::string(2u << 20, '[')),
              HasSubstr("arm.yaml:2: line is longer than 1048576 bytes"));

  std::string many = head + "links:\n";
  for (std::size_t i = 0; i <= max_dh_links; ++i) {
    const std::string n = std::to_string(i);
    many +=
        "  - {joint: j" + n + ", link: l" + n + ", type: revolute, a: 1, b: 0, alpha: 0" + row_end;
  }
  EXPECT_THAT(error_message(many), HasSubstr("10001 links: the maximum is 10000"));
  many.erase(many.rfind("  - {"));
  EXPECT_EQ(read_dh_table(many, "arm.yaml").links.size(), max_dh_links);
}

}  // namespace
}  // namespace dynamics
