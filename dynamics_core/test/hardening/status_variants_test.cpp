// SPDX-License-Identifier: Apache-2.0
// The rule of error.hpp, read from the public headers: every function that takes memory made
// beforehand has a variant try_NAME with the same arguments that is noexcept and returns a Status.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace dynamics {
namespace {

struct Declaration {
  std::string result, name;
  std::vector<std::string> parameters;  ///< without default values
  bool is_noexcept;
};

std::string without_comments(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string text;
  for (std::string line; std::getline(file, line);) {
    const auto comment = line.find("//");
    if (!line.starts_with("#")) text += line.substr(0, comment) + ' ';
  }
  return std::regex_replace(text, std::regex(" +"), " ");
}

std::vector<std::string> split_parameters(const std::string& list) {
  std::vector<std::string> parameters(1);
  int depth = 0;
  for (const char c : list) {
    depth += (c == '<' || c == '{') ? 1 : (c == '>' || c == '}') ? -1 : 0;
    if (c == ',' && depth == 0) {
      parameters.emplace_back();
    } else if (c != ' ' || !parameters.back().empty()) {
      parameters.back() += c;
    }
  }
  for (std::string& parameter : parameters) parameter = parameter.substr(0, parameter.find(" = "));
  return parameters;
}

/// The functions of a header that take memory made beforehand.
std::vector<Declaration> functions_with_memory(const std::filesystem::path& header) {
  static const std::regex declaration("([\\w:]+) (\\w+)\\(([^();]*)\\)( noexcept)?;");
  static const std::regex memory(
      "(Workspace|DerivativeWorkspace|FlexibleWorkspace|BatchWorkspace|Kinematics|InertiaFactor)& "
      "\\w+");
  const std::string text = without_comments(header);
  std::vector<Declaration> found;
  for (std::sregex_iterator i(text.begin(), text.end(), declaration), end; i != end; ++i) {
    if (!std::regex_search((*i)[3].str(), memory)) continue;
    found.push_back({(*i)[1], (*i)[2], split_parameters((*i)[3]), (*i)[4].matched});
  }
  return found;
}

/// Whether try_NAME has the arguments of NAME in the same order, and one more for a result.
bool is_variant(const Declaration& function, const Declaration& other) {
  if (other.name != "try_" + function.name || other.result != "Status" || !other.is_noexcept) {
    return false;
  }
  const std::size_t outputs = function.result == "void" ? 0 : 1;
  if (other.parameters.size() != function.parameters.size() + outputs) return false;
  std::size_t same = 0;
  for (const std::string& parameter : other.parameters) {
    if (same < function.parameters.size() && parameter == function.parameters[same]) ++same;
  }
  return same == function.parameters.size();
}

TEST(StatusVariants, EveryFunctionWithAWorkspaceHasOne) {
  const std::filesystem::path folder =
      std::filesystem::path(DYNAMICS_REPOSITORY) / "dynamics_core/include/dynamics_core";
  const std::vector<std::string> allocating = {"effort_parts", "scale_time"};
  std::size_t variants = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::vector<Declaration> functions = functions_with_memory(entry.path());
    for (const Declaration& function : functions) {
      if (function.name.starts_with("try_") || std::ranges::count(allocating, function.name) > 0) {
        continue;
      }
      const bool found = std::ranges::any_of(
          functions, [&](const Declaration& other) { return is_variant(function, other); });
      EXPECT_TRUE(found) << entry.path().filename().string() << ": " << function.name << "("
                         << testing::PrintToString(function.parameters) << ") has no variant try_"
                         << function.name << " with the same arguments, Status and noexcept";
      ++variants;
    }
  }
  EXPECT_GE(variants, 50U) << "the declarations were not found";
}

}  // namespace
}  // namespace dynamics
