// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace dynamics_sim {
namespace {

const std::string option = "--namespaces";

/// The value of KEY:=VALUE, or empty.
std::string value_of(const std::string& argument, const std::string& key) {
  return argument.rfind(key + ":=", 0) == 0 ? argument.substr(key.size() + 2) : "";
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// One token of a ROS name.
bool is_name(const std::string& text) {
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

void check(const std::vector<std::string>& namespaces) {
  if (namespaces.empty())
    throw std::invalid_argument(option + ": at least one namespace must follow");
  for (auto name = namespaces.begin(); name != namespaces.end(); ++name) {
    if (!is_name(*name)) {
      throw std::invalid_argument(option + ": '" + *name +
                                  "' must be letters, digits and underscores, and begin with a "
                                  "letter");
    }
    if (std::find(namespaces.begin(), name, *name) != name)
      throw std::invalid_argument(option + ": '" + *name + "' is given twice");
  }
}

}  // namespace

CommandLine read_command_line(const std::vector<std::string>& words) {
  CommandLine line;
  const auto ros = std::find(words.begin(), words.end(), "--ros-args");
  if (words.size() > 1 && ros != words.begin() + 1) {
    if (words[1] != option) {
      throw std::invalid_argument("unknown argument '" + words[1] + "': usage: simulation_node [" +
                                  option + " NAME...] [--ros-args ...]");
    }
    line.namespaces.assign(words.begin() + 2, ros);
    check(line.namespaces);
  }
  std::string manager = "controller_manager";
  line.ros_arguments.emplace_back("--ros-args");
  for (auto word = ros; word != words.end(); ++word) {
    if (word == ros) continue;
    const bool remaps = *std::prev(word) == "-r" || *std::prev(word) == "--remap";
    if (const auto name = value_of(*word, "__node"); remaps && !name.empty()) manager = name;
    const auto name_space = value_of(*word, "__ns");
    if (remaps && !name_space.empty() && !line.namespaces.empty()) {
      line.ros_arguments.pop_back();
      line.name_space = name_space == "/" ? "" : name_space;
      if (!line.name_space.empty() && line.name_space.front() != '/')
        line.name_space.insert(0, "/");
      continue;
    }
    line.ros_arguments.push_back(*word);
  }
  line.clock_remapping = manager + ":/clock:=simulation/unused_clock";
  return line;
}

}  // namespace dynamics_sim
