// SPDX-License-Identifier: Apache-2.0
#pragma once

// The options --meshes and --package of commands that write a page.
//
//   MeshArguments meshes;
//   meshes.add_to(command);
//   const RunOutputs outputs(paths, compare, meshes.load(robot, paths));

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "robot.hpp"

namespace dynamics::tools {

struct MeshArguments {
  bool meshes = false;
  std::vector<std::string> packages;  ///< NAME=FOLDER

  /// Adds both options. Returns --meshes, --package.
  std::vector<CLI::Option*> add_to(CLI::App& command);

  /// The robot's meshes as JSON for the page; "null" without --meshes. Meshes that cannot be
  /// embedded are added to robot.warnings and printed on stderr. Throws InputError for a --package
  /// that is not NAME=FOLDER, and if no output is a page.
  std::string load(Robot& robot, const std::vector<std::string>& outputs) const;
};

}  // namespace dynamics::tools
