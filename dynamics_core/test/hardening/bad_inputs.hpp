// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bad and unusual inputs with their expected outcomes. bad_inputs_test.cpp runs the program on all
// of them and writes the table docs/bad_inputs.md.

#include <string>
#include <vector>

namespace dynamics::test {

enum class Outcome {
  refused,  ///< exit code 2, a message on stderr, nothing on stdout, no file written
  accepted  ///< exit code 0, all numbers of the result finite
};

struct BadInput {
  std::string description;             ///< shown in the table
  std::string file;                    ///< name of the input file, or empty
  std::string text;                    ///< contents of the file
  std::vector<std::string> arguments;  ///< arguments of the program
  Outcome outcome;
  std::string message;  ///< expected part of the error message, if refused
};

std::vector<BadInput> bad_urdfs();
std::vector<BadInput> bad_tables();
std::vector<BadInput> bad_trajectories();
std::vector<BadInput> bad_command_lines();

/// `text` repeated `times` times.
inline std::string repeated(const std::string& text, std::size_t times) {
  std::string result;
  result.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

}  // namespace dynamics::test
