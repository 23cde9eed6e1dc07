// SPDX-License-Identifier: Apache-2.0
#pragma once

// Files of a run: CSV, JSON, or one HTML page made from the viewer's template.

#include <string>
#include <vector>

#include "dynamics_core/recording.hpp"

namespace dynamics::tools {

/// The outputs that a user asks for, checked before anything is computed.
class RunOutputs {
 public:
  /// Throws InputError for an ending that is none of .csv, .json, .html, for a folder that does not
  /// exist, for a page without a template, and for a run to compare that is none.
  RunOutputs(std::vector<std::string> paths, const std::string& compare);

  /// Writes them all, each whole or not at all.
  void write(const Recording& recording) const;

  const std::vector<std::string>& paths() const { return paths_; }

 private:
  std::vector<std::string> paths_;
  std::string template_;  ///< text of the page's template, where a page is asked for
  std::string compare_;   ///< JSON of the run to compare with, or "null"
};

}  // namespace dynamics::tools
