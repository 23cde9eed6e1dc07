// SPDX-License-Identifier: Apache-2.0
#pragma once

// The key `run` of a study: the task of every case, and the keys `vary` and `keep`.

#include "readers/yaml_tree.hpp"
#include "study/plan.hpp"

namespace dynamics::study {

/// Reads `run: {simulate: {...}}`. Throws yaml::Error.
Task read_task(const yaml::Cursor& run, const Nominal& nominal, Inputs& inputs);

/// Reads one entry of `vary`; with `each` it makes several variations. Throws yaml::Error.
void read_variation(const yaml::Cursor& entry, const Nominal& nominal, const Task& task,
                    std::vector<Variation>& variations);

/// Reads the list `keep`. Throws yaml::Error.
std::vector<Kept> read_keep(const yaml::Cursor& list, RunKind kind);

}  // namespace dynamics::study
