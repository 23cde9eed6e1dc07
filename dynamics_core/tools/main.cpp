// SPDX-License-Identifier: Apache-2.0
// dynamics: robot dynamics from a URDF, a DH table, or one of the papers' robots.

#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "command.hpp"
#include "dynamics_core/instruction_set.hpp"

namespace {

constexpr int bad_input = 2;
constexpr int failure = 1;

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Robot dynamics from a URDF, a DH table (YAML), or one of the papers' robots:\n"
      "planar3, stanford, puma, canadarm.",
      "dynamics"};
  app.require_subcommand(0, 1);
  app.fallthrough(false);
  app.set_version_flag("--version", [] {
    return fmt::format("dynamics {}, kernels for {}", DYNAMICS_VERSION,
                       dynamics::name(dynamics::instruction_set()));
  });
  dynamics::tools::Outcome outcome;
  dynamics::tools::add_inverse(app, outcome);
  dynamics::tools::add_forward(app, outcome);
  dynamics::tools::add_terms(app, outcome);
  dynamics::tools::add_compare(app, outcome);
  dynamics::tools::add_simulate(app, outcome);
  dynamics::tools::add_check(app, outcome);
  dynamics::tools::add_urdf(app, outcome);
  dynamics::tools::add_bench(app, outcome);
  try {
    app.parse(argc, argv);
    if (app.get_subcommands().empty()) {
      fmt::print(stderr, "{}", app.help());
      return bad_input;
    }
    return outcome.exit_code;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help
    fmt::print(stderr, "dynamics: {}\nRun with --help for what it takes.\n", error.what());
    return bad_input;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "dynamics: out of memory\n");
    return failure;
  } catch (const std::logic_error& error) {  // arguments, options of the integrators
    fmt::print(stderr, "dynamics: {}\n", error.what());
    return bad_input;
  } catch (const std::exception& error) {
    fmt::print(stderr, "dynamics: {}\n", error.what());
    return bad_input;
  }
}
