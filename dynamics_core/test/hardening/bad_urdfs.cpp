// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "bad_inputs.hpp"
#include "support/arm_urdf.hpp"

namespace dynamics::test {
namespace {

constexpr auto refused = Outcome::refused;
constexpr auto accepted = Outcome::accepted;

/// A chain or a star of `count` joints; with `mimic` each joint mimics the previous one.
std::string many_joints(std::size_t count, bool chain, bool mimic = false) {
  std::string text = "<robot name=\"many\"><link name=\"l0\"/>";
  for (std::size_t i = 1; i <= count; ++i) {
    text += fmt::format(
        "<link name=\"l{0}\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" "
        "iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link><joint name=\"j{0}\" "
        "type=\"continuous\"><parent link=\"l{1}\"/><child link=\"l{0}\"/>{2}</joint>",
        i, chain ? i - 1 : 0, mimic && i > 1 ? fmt::format("<mimic joint=\"j{}\"/>", i - 1) : "");
  }
  return text + "</robot>";
}

std::string utf16(const std::string& text) {
  std::string wide = "\xFF\xFE";
  for (const char c : text) (wide += c) += '\0';
  return wide;
}

const std::string limit = R"(<limit lower="-2" upper="2" effort="100" velocity="3"/>)";
const std::string axis = R"(<axis xyz="0 1 0"/>)";
const std::string mass = R"(<mass value="2"/>)";
const std::string moments = R"(ixx="0.1")";
const std::string base = R"(<link name="base"/>)";
const std::string shoulder = R"(<joint name="shoulder" type="revolute">)";

struct Change {
  const char* description;
  std::string from, to;
  Outcome outcome;
  const char* message;
};

std::vector<Change> changes() {
  return {
      // numbers
      {"mass negative", mass, R"(<mass value="-2"/>)", refused, "link 'upper'"},
      {"mass NaN", mass, R"(<mass value="nan"/>)", refused, "finite"},
      {"mass infinite", mass, R"(<mass value="inf"/>)", refused, "finite"},
      {"mass above the range of double", mass, R"(<mass value="1e999"/>)", refused, "finite"},
      {"mass a word", mass, R"(<mass value="heavy"/>)", refused, "heavy"},
      {"mass empty", mass, R"(<mass value=""/>)", refused, "mass"},
      {"mass with a decimal comma", mass, R"(<mass value="2,5"/>)", refused, "2,5"},
      {"mass hexadecimal", mass, R"(<mass value="0x2"/>)", refused, "0x2"},
      {"mass with a unit", mass, R"(<mass value="2kg"/>)", refused, "2kg"},
      {"mass denormal", mass, R"(<mass value="5e-324"/>)", accepted, ""},
      {"mass below the range of double", mass, R"(<mass value="1e-999"/>)", refused, "finite"},
      {"mass with a plus", mass, R"(<mass value="+2"/>)", accepted, ""},
      {"mass zero, inertia nonzero", mass, R"(<mass value="0"/>)", accepted, ""},
      {"mass 1e300", mass, R"(<mass value="1e300"/>)", accepted, ""},
      {"mass 1e308 at 1e10 m", R"(xyz="0 0 0.5" rpy="0 0 0"/>
      <mass value="2"/>)",
       R"(xyz="0 0 1e10"/><mass value="1e308"/>)", refused, "range of a double"},
      {"mass missing", mass, "", refused, "<mass"},
      {"mass without value", mass, "<mass/>", refused, "value"},
      {"moment of inertia NaN", moments, R"(ixx="nan")", refused, "ixx"},
      {"moment of inertia missing", moments, "", refused, "ixx"},
      {"moment of inertia negative", R"(izz="0.02")", R"(izz="-0.02")", refused, "negative"},
      {"moments violate the triangle inequality", R"(izz="0.02")", R"(izz="9")", accepted, ""},
      {"product of inertia too large", R"(ixy="0")", R"(ixy="5")", refused, "negative"},
      {"mass center with two numbers", R"(xyz="0 0 0.5")", R"(xyz="0 0.5")", refused, "3 finite"},
      {"mass center with four numbers", R"(xyz="0 0 0.5")", R"(xyz="0 0 0.5 1")", refused,
       "3 finite"},
      {"mass center with commas", R"(xyz="0 0 0.5")", R"(xyz="0,0,0.5")", refused, "3 finite"},
      {"mass center infinite", R"(xyz="0 0 0.5")", R"(xyz="0 0 -inf")", refused, "finite"},
      {"mass center at 1e200 m", R"(xyz="0 0 0.5")", R"(xyz="0 0 1e200")", refused,
       "range of a double"},
      {"joint origin NaN", R"(xyz="0 0 0.1")", R"(xyz="0 nan 0.1")", refused, "'shoulder'"},
      {"joint origin denormal", R"(xyz="0 0 0.1")", R"(xyz="0 0 1e-320")", accepted, ""},
      {"joint angles of a million", R"(xyz="0 0 0.1" rpy="0 0 0")",
       R"(xyz="0 0 0.1" rpy="1e6 1e6 1e6")", accepted, ""},
      {"joint angles of 1e300", R"(xyz="0 0 0.1" rpy="0 0 0")", R"(xyz="0 0 0.1" rpy="1e300 0 0")",
       accepted, ""},
      {"number after 1000 blanks", mass, "<mass value=\"" + repeated(" ", 1000) + "2\"/>", accepted,
       ""},
      {"number of 100000 digits", mass, "<mass value=\"2." + repeated("0", 100'000) + "\"/>",
       accepted, ""},
      // versions
      {"version 1.1", R"(<robot name="arm">)", R"(<robot name="arm" version="1.1">)", accepted, ""},
      {"version 1.3", R"(<robot name="arm">)", R"(<robot name="arm" version="1.3">)", refused,
       "1.0, 1.1 and 1.2"},
      {"quaternion of zeros", R"(xyz="0 0 0.1" rpy="0 0 0")", R"(quat_xyzw="0 0 0 0")", refused,
       "zero"},
      {"quaternion of three numbers", R"(xyz="0 0 0.1" rpy="0 0 0")", R"(quat_xyzw="0 0 1")",
       refused, "4 finite"},
      {"quaternion and rpy", R"(xyz="0 0 0.1" rpy="0 0 0")", R"(rpy="0 0 0" quat_xyzw="0 0 0 1")",
       refused, "both"},
      {"attribute misspelled", R"(xyz="0 0 0.1" rpy="0 0 0")", R"(xzy="0 0 0.1" rpy="0 0 0")",
       accepted, ""},
      {"constraint without type", "</robot>", R"(<constraint name="bar"/></robot>)", refused,
       "type is missing"},
      // axes
      {"axis zero", axis, R"(<axis xyz="0 0 0"/>)", refused, "axis is zero"},
      {"axis tiny", axis, R"(<axis xyz="0 1e-12 0"/>)", refused, "axis is zero"},
      {"axis huge", axis, R"(<axis xyz="0 1e200 0"/>)", accepted, ""},
      {"axis of two numbers", axis, R"(<axis xyz="0 1"/>)", refused, "3 finite"},
      {"axis missing (URDF: 1 0 0)", axis, "", accepted, ""},
      {"axis without xyz", axis, "<axis/>", refused, "no xyz"},
      // limits
      {"limits missing", limit, "", refused, "<limit> is missing"},
      {"limits without effort", limit, R"(<limit lower="0" upper="1" velocity="1"/>)", refused,
       "effort"},
      {"lower limit above upper limit", R"(lower="-2")", R"(lower="3")", refused,
       "above the upper"},
      {"limit infinite", R"(lower="-2")", R"(lower="-inf")", refused, "lower"},
      {"velocity limit negative", R"(velocity="3")", R"(velocity="-3")", refused, "velocity"},
      {"effort limit 0", R"(effort="100")", R"(effort="0")", accepted, ""},
      {"damping negative", limit, limit + R"(<dynamics damping="-1"/>)", refused, "damping"},
      {"friction NaN", limit, limit + R"(<dynamics friction="nan"/>)", refused, "friction"},
      {"rotor inertia negative", limit, limit + R"(<dynamics rotor_inertia="-1"/>)", refused,
       "rotor"},
      // joints and tree
      {"joint type unknown", shoulder, R"(<joint name="shoulder" type="ball">)", refused, "ball"},
      {"joint type missing", shoulder, R"(<joint name="shoulder">)", refused, "type"},
      {"joint type in capitals", shoulder, R"(<joint name="shoulder" type="Revolute">)", refused,
       "Revolute"},
      {"link without name", base, "<link/>", refused, "no name"},
      {"joint without name", shoulder, R"(<joint type="revolute">)", refused, "no name"},
      {"robot without name", R"(<robot name="arm">)", "<robot>", refused, "name"},
      {"link twice", base, base + base, refused, "twice"},
      {"joint twice", R"(name="elbow")", R"(name="shoulder")", refused, "twice"},
      {"parent unknown", R"(<parent link="base"/>)", R"(<parent link="b"/>)", refused, "'b'"},
      {"parent missing", R"(<parent link="base"/>)", "", refused, "<parent"},
      {"child unknown", R"(<child link="lower"/>)", R"(<child link="x"/>)", refused, "'x'"},
      {"loop", R"(<parent link="base"/>)", R"(<parent link="lower"/>)", refused, "loop"},
      {"link is its own parent", R"(<parent link="upper"/>)", R"(<parent link="lower"/>)", refused,
       "loop"},
      {"two parents", R"(<child link="lower"/>)", R"(<child link="upper"/>)", refused, "loop"},
      {"two roots", base, base + R"(<link name="spare"/>)", refused, "root"},
      {"mimic of an unknown joint", limit, limit + R"(<mimic joint="knee"/>)", refused, "knee"},
      {"mimic of itself", limit, limit + R"(<mimic joint="shoulder"/>)", refused, "itself"},
      {"mimic without joint", limit, limit + "<mimic/>", refused, "mimic"},
      {"mimic multiplier NaN", limit, limit + R"(<mimic joint="elbow" multiplier="nan"/>)", refused,
       "multiplier"},
      {"flexible beam of length -1", R"(<link name="lower">)",
       R"(<link name="lower"><flexible length="-1" mass_per_length="1"/>)", refused, "length"},
      {"flexible beam with 1e9 modes", R"(<link name="lower">)",
       R"(<link name="lower"><flexible length="1" mass_per_length="1" modes_y="1e9"/>)", refused,
       "modes_y"},
      // text and XML
      {"comment never closed", base, base + "<!-- ", refused, "comment"},
      {"attribute without quotes", mass, "<mass value=2/>", refused, "quotes"},
      {"attribute never closed", mass, "<mass value=\"2/>", refused, "attribute"},
      {"tag never closed", "</link>", "", refused, "not closed"},
      {"tags not nested", "</inertial>\n  </link>", "</link></inertial>", refused, "XML"},
      {"robot never closed", "</robot>", "", refused, "not closed"},
      {"two robots", "</robot>", "</robot><robot name='b'/>", refused, "second"},
      {"text after the robot", "</robot>", "</robot> and so on", refused, "outside"},
      {"bare ampersand in a name", R"(name="arm")", R"(name="arm & hand")", refused, "&amp;"},
      {"bare ampersand as a joint's name", R"(name="elbow")", R"(name="&")", refused, "&amp;"},
      {"unknown entity in a name", R"(name="arm")", R"(name="&arm;")", refused, "&amp;"},
      {"character reference &#0; in a name", R"(name="arm")", R"(name="&#0;")", refused, "&amp;"},
      {"character reference in a name", R"(name="arm")", R"(name="&#x41;rm")", accepted, ""},
      {"zero byte", base, base + std::string(1, '\0'), refused, "zero byte"},
      {"control characters in a name", R"(name="arm")", "name=\"a\x1b[2J\x07\"", accepted, ""},
      {"Latin-1 in a comment", base, base + "<!-- 90\xB0 -->", accepted, ""},
      {"UTF-8 name", R"(name="arm")", R"(name="机械臂 Ärmchen 🦾")", accepted, ""},
      {"unknown elements", base, base + "<gazebo><x><y/></x></gazebo><foo/>", accepted, ""},
      {"mesh file missing", "</inertial>",
       R"(</inertial><visual><geometry><mesh filename="package://no/such.stl"/></geometry></visual>)",
       accepted, ""},
      {"mesh file:///etc/passwd", "</inertial>",
       R"(</inertial><visual><geometry><mesh filename="file:///etc/passwd"/></geometry></visual>)",
       accepted, ""},
      {"geometry without shape", "</inertial>", "</inertial><collision><geometry/></collision>",
       accepted, ""},
      {"box of two numbers", "</inertial>",
       R"(</inertial><visual><geometry><box size="1 1"/></geometry></visual>)", accepted, ""},
      {"material undefined", "</inertial>",
       R"(</inertial><visual><geometry><sphere radius="1"/></geometry><material name="x"/></visual>)",
       accepted, ""},
      {"color of three numbers", "</inertial>",
       R"(</inertial><visual><geometry><sphere radius="1"/></geometry><material name="x"><color rgba="1 0 0"/></material></visual>)",
       accepted, ""},
      {"transmission with a bad rotor inertia", "</robot>",
       R"(<transmission><joint name="elbow"/><actuator><rotorInertia>big</rotorInertia></actuator></transmission></robot>)",
       refused, "rotorInertia"},
      {"ros2_control with a bad rotor inertia", "</robot>",
       R"(<ros2_control><joint name="elbow"><param name="rotor_inertia">x</param></joint></ros2_control></robot>)",
       refused, "rotor_inertia"},
      {"name of a megabyte", R"(name="arm")", "name=\"" + repeated("x", 1 << 20) + "\"", accepted,
       ""},
      {"element with 2000 attributes", base,
       [] {
         std::string link = "<link name=\"base\"";
         for (int i = 0; i < 2000; ++i) link += fmt::format(" a{}=\"\"", i);
         return link + "/>";
       }(),
       refused, "attributes"},
      {"attribute twice", base, R"(<link name="base" name="base"/>)", refused, "twice"},
  };
}

}  // namespace

std::vector<BadInput> bad_urdfs() {
  std::vector<BadInput> inputs;
  const auto add = [&](std::string description, std::string text, Outcome outcome,
                       std::string message) {
    inputs.push_back({std::move(description),
                      "robot.urdf",
                      std::move(text),
                      {"inverse", "robot.urdf", "--json"},
                      outcome,
                      std::move(message)});
  };
  for (const Change& change : changes()) {
    add(change.description, replaced(arm_urdf(), change.from, change.to), change.outcome,
        change.message);
  }
  const std::string good = arm_urdf();
  add("empty file", "", refused, "empty");
  add("only blanks", " \n\t ", refused, "robot");
  add("one byte", "<", refused, "XML");
  add("plain text", "hello", refused, "XML");
  add("HTML", "<html><body/></html>", refused, "<html>");
  add("SDF", "<sdf version='1.6'><model name='m'/></sdf>", refused, "<sdf>");
  add("JSON", R"({"robot": "arm"})", refused, "XML");
  add("robot without links", "<robot name='r'/>", refused, "<link>");
  add("a single link", "<robot name='r'><link name='a'/></robot>", accepted, "");
  add(
      "Windows line ends",
      [&] {
        std::string text;
        for (const char c : good) text += c == '\n' ? "\r\n" : std::string(1, c);
        return text;
      }(),
      accepted, "");
  add("byte order mark", "\xEF\xBB\xBF" + good, accepted, "");
  add("byte order mark and declaration",
      "\xEF\xBB\xBF<?xml version='1.0' encoding='utf-8'?>" + good, accepted, "");
  add("UTF-16", utf16(good), refused, "UTF-16");
  add("half of the file", good.substr(0, good.size() / 2), refused, "XML");
  add(
      "random bytes",
      [] {
        std::string bytes;
        unsigned state = 1;
        for (int i = 0; i < 4096; ++i)
          bytes += static_cast<char>((state = state * 1103515245 + 12345) >> 16);
        return bytes;
      }(),
      refused, "XML");
  add("entity bomb (billion laughs)",
      "<?xml version='1.0'?><!DOCTYPE r [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>"
      "<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;'>]><robot name='&c;'><link name='a'/></robot>",
      refused, "ENTITY");
  add("external entity (file)",
      "<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><robot name='&x;'><link "
      "name='a'/></robot>",
      refused, "ENTITY");
  add("character references in a Latin-1 file",
      "<?xml version='1.0' encoding='ISO-8859-1'?><robot name='r'><link name='a'/><link "
      "name='&#200;'/><joint name='j' type='fixed'><parent link='a'/><child link='&#200;'/></joint>"
      "</robot>",
      refused, "UTF-8");
  add("document type without declarations",
      "<!DOCTYPE robot SYSTEM 'http://example.org/robot.dtd'>" + good, accepted, "");
  add("nested 65 deep",
      "<robot name='r'><link name='a'>" + repeated("<x>", 65) + repeated("</x>", 65) +
          "</link></robot>",
      refused, "deeper");
  add("nested a million deep", "<robot name='r'>" + repeated("<x>", 1'000'000), refused, "deeper");
  add("a million '<'", "<robot name='r'>" + repeated("<", 1'000'000), refused, "XML");
  add("a million end tags", "<robot name='r'>" + repeated("</x>", 1'000'000), refused, "XML");
  add("a file of 65 MiB", "<robot name='r'>" + std::string(65u << 20, ' '), refused, "bytes");
  add("a million empty elements",
      "<robot name='r'><link name='a'/>" + repeated("<x/>", 1'000'000) + "</robot>", refused,
      "elements");
  add("a million joints", many_joints(1'000'000, true), refused, "bytes");
  add("20000 joints in a chain", many_joints(20'000, true), accepted, "");
  add("20000 joints on one link", many_joints(20'000, false), accepted, "");
  add("3000 mimic joints, each of the previous one", many_joints(3'000, true, true), accepted, "");
  add("20000 mimic joints, each of the previous one", many_joints(20'000, true, true), accepted,
      "");
  inputs.push_back({"20000 mimic joints, forward dynamics",
                    "robot.urdf",
                    many_joints(20'000, true, true),
                    {"forward", "robot.urdf", "--json"},
                    accepted,
                    ""});
  return inputs;
}

}  // namespace dynamics::test
