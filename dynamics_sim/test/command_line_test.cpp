// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace dynamics_sim::test {
namespace {

using Words = std::vector<std::string>;

TEST(CommandLine, OneManagerKeepsTheNamespaceOfTheProcess) {
  const auto line = read_command_line({"node", "--ros-args", "-r", "__ns:=/cell"});
  EXPECT_TRUE(line.namespaces.empty());
  EXPECT_EQ(line.ros_arguments, (Words{"--ros-args", "-r", "__ns:=/cell"}));
  EXPECT_EQ(read_command_line({"node"}).ros_arguments, Words{"--ros-args"});
}

TEST(CommandLine, NamespacesReplaceThatOfTheProcess) {
  const auto line = read_command_line({"node", "--namespaces", "left", "right", "--ros-args", "-p",
                                       "speed:=0.0", "-r", "__ns:=/cell", "-r", "a:=b"});
  EXPECT_EQ(line.namespaces, (Words{"left", "right"}));
  EXPECT_EQ(line.name_space, "/cell");
  EXPECT_EQ(line.ros_arguments, (Words{"--ros-args", "-p", "speed:=0.0", "-r", "a:=b"}));
  const auto root =
      read_command_line({"node", "--namespaces", "left", "--ros-args", "--remap", "__ns:=/"});
  EXPECT_EQ(root.name_space, "");
  EXPECT_EQ(root.ros_arguments, Words{"--ros-args"});
}

TEST(CommandLine, ClockIsThatOfTheRenamedManager) {
  const auto line = read_command_line({"node", "--ros-args", "-r", "__node:=mine"});
  EXPECT_EQ(line.clock_remapping, "mine:/clock:=simulation/unused_clock");
  EXPECT_EQ(read_command_line({"node"}).clock_remapping,
            "controller_manager:/clock:=simulation/unused_clock");
}

TEST(CommandLine, RefusesInvalidNamespacesByName) {
  for (const auto& [words, part] : std::vector<std::pair<Words, std::string>>{
           {{"node", "--namespaces"}, "at least one"},
           {{"node", "--namespaces", "left", "left"}, "'left' is given twice"},
           {{"node", "--namespaces", "/left"}, "'/left'"},
           {{"node", "--namespaces", "2nd"}, "'2nd'"},
           {{"node", "left", "right"}, "'left'"}}) {
    try {
      read_command_line(words);
      FAIL() << part;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace dynamics_sim::test
