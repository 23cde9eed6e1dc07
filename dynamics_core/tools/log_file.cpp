// SPDX-License-Identifier: Apache-2.0
#include "log_file.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "command.hpp"
#include "report.hpp"

namespace dynamics::tools {

bool is_log_file(const std::string& path) {
  std::error_code error;
  return path.ends_with(".mcap") || std::filesystem::is_directory(path, error) ||
         is_mcap_file(path);
}

std::string log_file(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(path, error)) return path;
  std::string found;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    if (entry.path().extension() != ".mcap") continue;
    if (!found.empty())
      throw InputError(fmt::format("{}: has several MCAP files: name one of them", path));
    found = entry.path().string();
  }
  if (error) throw InputError(fmt::format("{}: cannot be read: {}", path, error.message()));
  if (found.empty()) throw InputError(fmt::format("{}: is a folder without an MCAP file", path));
  return found;
}

JointLog read_log(Robot& robot, const std::string& path, const std::string& topic,
                  JointLogOptions::Required required) {
  JointLog log =
      read_joint_log(log_file(path), robot.model, {.topic = topic, .required = required});
  for (const std::string& note : log.notes) {
    robot.warnings.push_back(note);
    fmt::print(stderr, "warning: {}\n", printable(note));
  }
  return log;
}

void check_topic(const std::string& topic, const std::string& path) {
  if (!topic.empty() && !is_log_file(path))
    throw InputError("--topic has no effect without an MCAP file: remove it");
}

}  // namespace dynamics::tools
