// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "bad_inputs.hpp"
#include "support/arm_urdf.hpp"

namespace dynamics::test {

std::vector<BadInput> bad_command_lines() {
  constexpr auto refused = Outcome::refused;
  constexpr auto accepted = Outcome::accepted;
  std::vector<BadInput> inputs;
  const auto add = [&](std::string description, std::vector<std::string> arguments, Outcome outcome,
                       std::string message) {
    inputs.push_back({std::move(description), "robot.urdf", arm_urdf(), std::move(arguments),
                      outcome, std::move(message)});
  };
  add("no arguments", {}, refused, "Usage");
  add("unknown command", {"invert", "puma"}, refused, "invert");
  add("unknown option", {"inverse", "puma", "--speed", "1"}, refused, "--speed");
  add("no robot", {"inverse"}, refused, "ROBOT");
  add("two robots", {"inverse", "puma", "stanford"}, refused, "stanford");
  add("robot unknown", {"inverse", "pummel"}, refused, "pummel");
  add("robot empty", {"inverse", ""}, refused, "");
  add("robot a folder", {"inverse", "."}, refused, "folder");
  add("robot /dev/null", {"inverse", "/dev/null"}, refused, "empty");
  add("robot with a name of 100000 characters", {"inverse", repeated("x", 100'000)}, refused,
      "no robot");
  add("positions too few", {"inverse", "puma", "--q", "1,2"}, refused, "2 numbers");
  add("positions too many", {"inverse", "planar3", "--q", "1,2,3,4"}, refused, "4 numbers");
  add("position a word", {"inverse", "planar3", "--q", "1,two,3"}, refused, "two");
  add("position empty", {"inverse", "planar3", "--q", "1,,3"}, refused, "entry 2");
  add("position NaN", {"inverse", "planar3", "--q", "1,nan,3"}, refused, "nan");
  add("position infinite", {"inverse", "planar3", "--q", "1,inf,3"}, refused, "inf");
  add("position above the range of double", {"inverse", "planar3", "--q", "1,1e999,3"}, refused,
      "1e999");
  add("positions separated by semicolons", {"inverse", "planar3", "--q", "1;2;3"}, refused,
      "1;2;3");
  add("trailing comma", {"inverse", "planar3", "--q", "1,2,3,"}, refused, "entry 4");
  add("positions of 1e15", {"inverse", "planar3", "--q", "1e15,1e15,1e15", "--json"}, accepted, "");
  add("velocities of 1e300", {"inverse", "planar3", "--qd", "1e300,1e300,1e300", "--json"}, refused,
      "");
  add("option without value", {"inverse", "planar3", "--q"}, refused, "--q");
  add("option twice", {"inverse", "planar3", "--q", "1,2,3", "--q", "1,2,3"}, refused, "--q");
  add("algorithm unknown", {"inverse", "planar3", "--algorithm", "magic"}, refused, "magic");
  add("gravity of two numbers", {"inverse", "planar3", "--gravity", "0,0"}, refused, "--gravity");
  add("gravity NaN", {"inverse", "planar3", "--gravity", "0,0,nan"}, refused, "--gravity");
  add("duration negative", {"simulate", "planar3", "--duration", "-1"}, refused, "duration");
  add("duration NaN", {"simulate", "planar3", "--duration", "nan"}, refused, "duration");
  add("duration infinite", {"simulate", "planar3", "--duration", "inf"}, refused, "duration");
  add("duration a word", {"simulate", "planar3", "--duration", "long"}, refused, "long");
  add("duration 1e300", {"simulate", "planar3", "--duration", "1e300"}, refused, "");
  add("sample of 0", {"simulate", "planar3", "--duration", "1", "--sample", "0"}, refused,
      "sample");
  add("sample of 1e-300", {"simulate", "planar3", "--duration", "1", "--sample", "1e-300"}, refused,
      "");
  add("tolerance of 0", {"simulate", "planar3", "--duration", "1", "--rtol", "0"}, refused, "rtol");
  add("tolerance negative", {"simulate", "planar3", "--duration", "1", "--rtol", "-1"}, refused,
      "rtol");
  add("integrator unknown", {"simulate", "planar3", "--integrator", "magic"}, refused, "magic");
  add("scenario unknown", {"simulate", "planar3", "--scenario", "dance"}, refused, "dance");
  add("step of 0", {"simulate", "planar3", "--integrator", "rk4", "--step", "0"}, refused, "step");
  add("step of 1e-300",
      {"simulate", "planar3", "--integrator", "rk4", "--duration", "1", "--step", "1e-300"},
      refused, "");
  add("output with an unknown extension",
      {"simulate", "planar3", "--duration", "0.1", "--output", "a.txt"}, refused, ".csv");
  add("output in a missing folder",
      {"simulate", "planar3", "--duration", "0.1", "--output", "no/such/a.csv"}, refused, "folder");
  add("output a folder", {"urdf", "planar3", "--output", "."}, refused, "folder");
  add("trajectory file missing", {"inverse", "planar3", "--trajectory", "no.csv"}, refused,
      "no.csv");
  add("cycloid without an end position", {"inverse", "robot.urdf", "--trajectory", "cycloid"},
      refused, "--q1");
  add("wrench on an unknown link", {"inverse", "planar3", "--wrench", "hand:0,0,0,1,0,0"}, refused,
      "hand");
  add("wrench of five numbers", {"inverse", "planar3", "--wrench", "tool0:0,0,0,1,0"}, refused,
      "5 numbers");
  add("wrench without a link", {"forward", "planar3", "--wrench", "0,0,0,1,0,0"}, refused, "LINK:");
  add("wrench NaN", {"forward", "planar3", "--wrench", "tool0:0,0,0,nan,0,0"}, refused, "nan");
  add("wrench of 1e300 N", {"inverse", "planar3", "--wrench", "tool0:0,0,0,0,1e300,0", "--json"},
      accepted, "");
  add("base motion without a time", {"inverse", "planar3", "--base-motion", "z:1:1"}, refused,
      "--time");
  add("base motion at an infinite time",
      {"inverse", "planar3", "--base-motion", "z:1:1", "--time", "inf"}, refused, "--time");
  add("frame unknown", {"kinematics", "planar3", "--frame", "hand"}, refused, "tool0");
  add("axes unknown", {"kinematics", "planar3", "--frame", "tool0", "--axes", "body"}, refused,
      "local_world_aligned");
  add("kinematics of 1e300 rad", {"kinematics", "planar3", "--q", "1e300,0,0", "--json"}, accepted,
      "");
  add("pose of four numbers",
      {"inverse-kinematics", "planar3", "--frame", "tool0", "--pose", "1,2,3,4"}, refused,
      "4 numbers");
  add("pose NaN", {"inverse-kinematics", "planar3", "--frame", "tool0", "--pose", "nan,0,0"},
      refused, "nan");
  add("pose without a frame", {"inverse-kinematics", "planar3", "--pose", "0,0,0"}, refused,
      "--frame");
  add("samples negative", {"compare", "planar3", "--samples", "-1"}, refused, "samples");
  add("URDF given as a DH table", {"urdf", "robot.urdf"}, refused, "robot.urdf");
  add("--json twice", {"inverse", "planar3", "--json", "--json"}, accepted, "");
  add("help of a command", {"inverse", "--help"}, accepted, "");
  add("shell command as a robot", {"inverse", "$(touch owned); `touch owned` | x"}, refused,
      "no robot");
  add("shell command as a joint vector", {"inverse", "planar3", "--q", "1,2,3; touch owned"},
      refused, "entry 3");
  add("format string as a robot", {"inverse", "%s%n{}{0}"}, refused, "%s%n{}{0}");
  return inputs;
}

}  // namespace dynamics::test
