// SPDX-License-Identifier: Apache-2.0
#pragma once

// The commands of the program. Each adds itself to the command line; its callback runs it.

#include <CLI/CLI.hpp>
#include <stdexcept>
#include <string>

namespace dynamics::tools {

/// Wrong input of the user's: one line on stderr, exit code 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a command leaves to main: 0, or 1 where the work itself did not succeed.
struct Outcome {
  int exit_code = 0;
};

void add_inverse(CLI::App& app, Outcome& outcome);
void add_forward(CLI::App& app, Outcome& outcome);
void add_terms(CLI::App& app, Outcome& outcome);
void add_compare(CLI::App& app, Outcome& outcome);
void add_count(CLI::App& app, Outcome& outcome);
void add_simulate(CLI::App& app, Outcome& outcome);
void add_check(CLI::App& app, Outcome& outcome);
void add_urdf(CLI::App& app, Outcome& outcome);
void add_bench(CLI::App& app, Outcome& outcome);
void add_validate(CLI::App& app, Outcome& outcome);

}  // namespace dynamics::tools
