// SPDX-License-Identifier: Apache-2.0
#pragma once

// Output files of a run: CSV, JSON, MCAP, or one HTML page made from the template of
// dynamics_viewer.
//
//   const RunOutputs outputs({"run.csv", "run.html"}, "");  // throws before anything is computed
//   outputs.write(recording);

#include <string>
#include <vector>

#include "dynamics_core/recording.hpp"

namespace dynamics::tools {

/// The outputs given with --output, checked before the run.
class RunOutputs {
 public:
  /// `compare`: path of a recorded run (JSON) for the page, or "". `meshes`: JSON of the robot's
  /// meshes for the page (MeshArguments). Throws InputError for an extension other than .csv,
  /// .json, .mcap, .html, a folder that does not exist, a missing template, a file `compare` that
  /// is not a recorded run, or a path with a slash at its end (MCAP with metadata.yaml) that
  /// exists.
  RunOutputs(std::vector<std::string> paths, const std::string& compare,
             std::string meshes = "null");

  /// Writes all files. A file is either written completely or not changed.
  void write(const Recording& recording) const;
  /// Writes all paths, which must be .html, as pages of a run and of one to compare it with, both
  /// in JSON; `compare` may be "null".
  void write_pages(const std::string& run, const std::string& compare) const;

  const std::vector<std::string>& paths() const { return paths_; }

 private:
  std::vector<std::string> paths_;
  std::string template_;  ///< text of the template, if an HTML page is requested
  std::string compare_;   ///< JSON of the run to compare with, or "null"
  std::string meshes_;    ///< JSON of the meshes, or "null"
};

}  // namespace dynamics::tools
