// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parts of the JSON of a run that other files contain too.

#include <nlohmann/json.hpp>

#include "dynamics_core/recording.hpp"

namespace dynamics {

/// The settings of the run, by name.
nlohmann::json settings_json(const Recording& recording);

}  // namespace dynamics
