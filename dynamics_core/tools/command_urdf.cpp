// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "defer_signals.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/recording.hpp"
#include "robot.hpp"

namespace dynamics::tools {

void add_urdf(CLI::App& app, Outcome&) {
  struct UrdfArguments {
    std::string table, output;
  };
  auto args = std::make_shared<UrdfArguments>();
  CLI::App* command = app.add_subcommand("urdf", "Convert a DH table to a URDF");
  command
      ->add_option("TABLE", args->table, "a DH table (YAML), or planar3, stanford, puma, canadarm")
      ->required();
  command->add_option("--output", args->output, "file to write (default: stdout)");
  command->callback([args] {
    const DhTable table = built_in_table(args->table)
                              ? built_in_robot(args->table)
                              : read_dh_table(read_file(args->table), args->table);
    const std::string urdf = to_urdf(table);
    if (args->output.empty()) {
      fmt::print("{}", urdf);
    } else {
      const DeferSignals defer_signals;
      write_file(args->output, urdf);
    }
  });
}

}  // namespace dynamics::tools
