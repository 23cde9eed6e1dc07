// SPDX-License-Identifier: Apache-2.0
#pragma once

// Fixture that runs the program in a temporary folder. DYNAMICS_PROGRAM is its path.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <Eigen/Core>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace dynamics::test {

struct Result {
  int code;
  std::string out, err;
};

/// A matrix that is printed as a list of its rows.
inline Eigen::MatrixXd matrix(const nlohmann::json& rows) {
  Eigen::MatrixXd m(static_cast<Eigen::Index>(rows.size()),
                    static_cast<Eigen::Index>(rows[0].size()));
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    for (Eigen::Index j = 0; j < m.cols(); ++j) {
      m(i, j) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
    }
  }
  return m;
}

/// The first three of a list of numbers.
inline Eigen::Vector3d vector3(const nlohmann::json& numbers) {
  const auto values = numbers.get<std::vector<double>>();
  return Eigen::Vector3d(values.at(0), values.at(1), values.at(2));
}

/// A list of numbers as the value of an option.
inline std::string option_value(const nlohmann::json& numbers) {
  std::string list;
  for (const auto& number : numbers) list += (list.empty() ? "" : ",") + number.dump();
  return list;
}

class Program : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder = std::filesystem::path(testing::TempDir()) /
             ("dynamics_program_" + std::string(info->name()) + std::to_string(::getpid()));
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string read(const std::filesystem::path& path) const {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name, std::ios::binary) << text;
    return (folder / name).string();
  }

  /// Runs the program in the temporary folder.
  Result run(const std::string& arguments) const {
    const std::string command = "cd '" + folder.string() + "' && DYNAMICS_VIEWER=" + viewer + " '" +
                                DYNAMICS_PROGRAM + "' " + arguments +
                                " >out.txt 2>err.txt </dev/null";
    const int status = std::system(command.c_str());  // NOLINT(cert-env33-c,concurrency-mt-unsafe)
    Result result{WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(folder / "out.txt"),
                  read(folder / "err.txt")};
    return result;
  }
  nlohmann::json run_json(const std::string& arguments) const {
    const Result result = run(arguments);
    EXPECT_EQ(result.code, 0) << result.err << result.out;
    return nlohmann::json::parse(result.out);
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  void expect_refused(const std::string& arguments, const std::string& message) const {
    const Result result = run(arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_THAT(result.err, testing::HasSubstr(message)) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
  }
  /// Expects that `command` refuses each of the arguments with its message and writes no file.
  void expect_all_refused(const std::string& command,
                          std::span<const std::pair<const char*, const char*>> cases) const {
    run("--help");  // out.txt and err.txt
    const auto before = files();
    for (const auto& [arguments, message] : cases) {
      expect_refused(command + arguments, message);
      EXPECT_EQ(files(), before) << arguments;
    }
  }

  std::filesystem::path folder;
  std::string viewer = "nowhere";
};

}  // namespace dynamics::test
