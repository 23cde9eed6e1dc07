// SPDX-License-Identifier: Apache-2.0
#pragma once

// The commands of the program. add_NAME() registers the command NAME with its options; its callback
// runs during app.parse().

#include <CLI/CLI.hpp>
#include <stdexcept>
#include <string>

namespace dynamics::tools {

/// Bad input: main() prints the message on stderr and exits with code 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Help of the flag --json.
inline constexpr const char* json_flag_help = "print one JSON object";

/// Exit code of a command that ran: 0, or 1 if the computation failed.
struct Outcome {
  int exit_code = 0;
};

void add_inverse(CLI::App& app, Outcome& outcome);
void add_forward(CLI::App& app, Outcome& outcome);
void add_terms(CLI::App& app, Outcome& outcome);
void add_kinematics(CLI::App& app, Outcome& outcome);
void add_inverse_kinematics(CLI::App& app, Outcome& outcome);
void add_compare(CLI::App& app, Outcome& outcome);
void add_count(CLI::App& app, Outcome& outcome);
void add_simulate(CLI::App& app, Outcome& outcome);
void add_check(CLI::App& app, Outcome& outcome);
void add_urdf(CLI::App& app, Outcome& outcome);
void add_bench(CLI::App& app, Outcome& outcome);
void add_study(CLI::App& app, Outcome& outcome);
void add_view(CLI::App& app, Outcome& outcome);
void add_validate(CLI::App& app, Outcome& outcome);

}  // namespace dynamics::tools
