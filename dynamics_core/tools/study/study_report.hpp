// SPDX-License-Identifier: Apache-2.0
#pragma once

// The results of a complete study: table.csv, table.h5, summary.json, page.html, worst.html, and
// the summary on stdout.

#include <cstdint>
#include <string>
#include <vector>

#include "dynamics_core/study.hpp"

namespace dynamics::tools {

/// How the rows of a table were computed.
struct StudyExecution {
  std::uint64_t resumed = 0;           ///< rows that were there before
  std::vector<std::uint64_t> by_rank;  ///< rows that each rank computed now
  std::size_t threads = 1;             ///< per rank
  double seconds = 0.0;
};

/// Throws StateError listing missing cases.
void write_results(const Study& study, const StudyFolder& folder, const StudyExecution& execution);

/// Writes table.h5. False: this program was built without HDF5.
bool write_hdf5(const Study& study, const StudyFolder& folder);

}  // namespace dynamics::tools
