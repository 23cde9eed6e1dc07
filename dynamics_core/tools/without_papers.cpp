// SPDX-License-Identifier: Apache-2.0
// Stands in for what a build without DYNAMICS_BUILD_PAPERS leaves out.

#include <fmt/format.h>

#include <string>

#include "command.hpp"
#include "papers/wide/wide_simulate.hpp"

namespace dynamics {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw tools::InputError(
      fmt::format("{} is not part of this build: configure it with -DDYNAMICS_BUILD_PAPERS=ON, or "
                  "run ./test, which builds everything",
                  what));
}

}  // namespace

Recording simulate_double_double(const Model&, const SimulationOptions&, const Progress&) {
  refuse("--precision double-double");
}

namespace tools {

void add_count(CLI::App& app, Outcome&) {
  CLI::App* command = app.add_subcommand("count", "Operation counts (not part of this build)");
  command->prefix_command();
  command->callback([] { refuse("count"); });
}

void add_validate(CLI::App& app, Outcome&) {
  CLI::App* command =
      app.add_subcommand("validate", "The papers' figures and tables (not part of this build)");
  command->prefix_command();
  command->callback([] { refuse("validate"); });
}

}  // namespace tools
}  // namespace dynamics
