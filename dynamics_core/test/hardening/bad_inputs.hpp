// SPDX-License-Identifier: Apache-2.0
#pragma once

// Inputs that users and attackers come with, and what becomes of each. The table of all of them is
// docs/bad_inputs.md, written by the test itself.

#include <string>
#include <vector>

namespace dynamics::test {

enum class Outcome {
  refused,  ///< exit code 2, one message on stderr, nothing on stdout, no file written
  accepted  ///< exit code 0, every number of the answer finite
};

struct BadInput {
  std::string description;             ///< for people
  std::string file;                    ///< name of the input file, empty: none
  std::string text;                    ///< what is in it
  std::vector<std::string> arguments;  ///< of the program
  Outcome outcome;
  std::string message;  ///< a part of the message, where it is refused
};

std::vector<BadInput> bad_urdfs();
std::vector<BadInput> bad_tables();
std::vector<BadInput> bad_trajectories();
std::vector<BadInput> bad_command_lines();

/// `text` so many times.
inline std::string repeated(const std::string& text, std::size_t times) {
  std::string result;
  result.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

}  // namespace dynamics::test
