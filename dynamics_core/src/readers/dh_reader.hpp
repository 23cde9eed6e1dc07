// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reader of DH tables that continues after errors. read_dh_table() throws the first one,
// check_dh_table() lists all of them.

#include <string_view>
#include <vector>

#include "dynamics_core/readers.hpp"
#include "readers/yaml_tree.hpp"

namespace dynamics {

struct ParsedDhTable {
  DhTable table;                    ///< complete if there are no errors
  std::vector<yaml::Error> errors;  ///< in reading order, at most 100
};

/// Reads as much as possible. An error ends the reading of one link, joint, flexible link, shape or
/// single value; sections that refer to links are read only if all links are valid. Throws only
/// std::bad_alloc.
ParsedDhTable parse_dh_table(std::string_view yaml_text, std::string_view file_name);

}  // namespace dynamics
