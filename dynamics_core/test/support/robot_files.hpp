// SPDX-License-Identifier: Apache-2.0
#pragma once

// The URDFs of real robots for tests: those of dynamics_description (DYNAMICS_URDF_DIR), and those
// in the folder that the environment variable DYNAMICS_ROBOTS_DIR names.

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace dynamics::test {

inline std::vector<std::filesystem::path> robot_files() {
  std::vector<std::filesystem::path> folders = {DYNAMICS_URDF_DIR};
  // NOLINTNEXTLINE(concurrency-mt-unsafe)
  if (const char* given = std::getenv("DYNAMICS_ROBOTS_DIR")) folders.emplace_back(given);
  std::vector<std::filesystem::path> result;
  for (const auto& folder : folders) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".urdf") result.push_back(entry.path());
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// The name of a test on one of them.
inline std::string name_of_robot_file(const std::filesystem::path& file) {
  std::string name = file.stem().string();
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return file.parent_path() == DYNAMICS_URDF_DIR ? name : "extra_" + name;
}

}  // namespace dynamics::test
