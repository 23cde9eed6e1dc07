// SPDX-License-Identifier: Apache-2.0
// The program `dynamics`: robot dynamics of a URDF, a DH table or a built-in robot.
// Exit codes: 0 success, 1 failure of the computation or of the system, 2 bad input.

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <string>
#include <system_error>

#include "command.hpp"
#include "dynamics_core/version.hpp"
#include "dynamics_core/workspace.hpp"
#include "report.hpp"

namespace {

constexpr int bad_input = 2;
constexpr int failure = 1;

int report_error(int code, const std::string& message) {
  fmt::print(stderr, "dynamics: {}\n", dynamics::tools::printable(message));
  return code;
}

/// Flushes stdout: a full disk may show only when the last bytes are written.
int finish(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return report_error(failure, "cannot write to stdout: " + std::generic_category().message(errno));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Robot dynamics of a URDF, a DH table (YAML) or a built-in robot\n"
      "(planar3, stanford, puma, canadarm).",
      "dynamics"};
  app.require_subcommand(0, 1);
  app.fallthrough(false);
  app.set_version_flag("--version", [] {
    return fmt::format("dynamics {}, kernels for {}", DYNAMICS_CORE_VERSION,
                       dynamics::name(dynamics::instruction_set()));
  });
  dynamics::tools::Outcome outcome;
  dynamics::tools::add_inverse(app, outcome);
  dynamics::tools::add_forward(app, outcome);
  dynamics::tools::add_terms(app, outcome);
  dynamics::tools::add_kinematics(app, outcome);
  dynamics::tools::add_inverse_kinematics(app, outcome);
  dynamics::tools::add_compare(app, outcome);
  dynamics::tools::add_count(app, outcome);
  dynamics::tools::add_simulate(app, outcome);
  dynamics::tools::add_study(app, outcome);
  dynamics::tools::add_view(app, outcome);
  dynamics::tools::add_check(app, outcome);
  dynamics::tools::add_urdf(app, outcome);
  dynamics::tools::add_bench(app, outcome);
  dynamics::tools::add_validate(app, outcome);
  // an option whose value is an empty variable of the shell would silently get its default
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] == '\0') {
      return report_error(bad_input, fmt::format("argument {} is empty{}: give a value", i,
                                                 i > 1 ? fmt::format(" (after '{}')", argv[i - 1])
                                                       : std::string()));
    }
  }
  try {
    app.parse(argc, argv);
    if (app.get_subcommands().empty()) {
      fmt::print(stderr, "{}", app.help());
      return bad_input;
    }
    return finish(outcome.exit_code);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return finish(app.exit(error));  // --help
    return report_error(bad_input,
                        std::string(error.what()) + "\nRun with --help for the options.");
  } catch (const std::bad_alloc&) {
    return report_error(failure, "out of memory");
  } catch (const std::system_error& error) {  // terminal or pipe
    return report_error(failure, error.what());
  } catch (const std::exception& error) {
    return report_error(bad_input, error.what());
  }
}
