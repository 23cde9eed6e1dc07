// SPDX-License-Identifier: Apache-2.0
#pragma once

// Models from URDFs, versions 1.0, 1.1 and 1.2.
//
// Read besides the standard elements: rotor inertia from <dynamics rotor_inertia="..."/> of the
// joint, from the joint's <param name="rotor_inertia"> under <ros2_control>, or from a
// <transmission>'s actuator (rotorInertia or rotor_inertia, times mechanicalReduction squared);
// a flexible link's <flexible .../>.

#include <string>
#include <string_view>

#include "dynamics_core/description.hpp"
#include "dynamics_core/export.hpp"
#include "dynamics_core/model.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

/// Reads a URDF. `source` is only used in messages. Warnings, such as unknown attributes, are in
/// the description's findings, and in the notes of a Model built from it. Throws ModelError for the
/// first error, naming the line, the link or joint and what would be right.
RobotDescription read_urdf(std::string_view text, std::string_view source = "URDF");

Model model_from_urdf(std::string_view text, const ModelOptions& options = {},
                      std::string_view source = "URDF");

/// Throws ModelError also when the file cannot be read.
Model model_from_urdf_file(const std::string& path, const ModelOptions& options = {});

}  // namespace dynamics
