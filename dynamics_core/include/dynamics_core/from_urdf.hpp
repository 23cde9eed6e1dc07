// SPDX-License-Identifier: Apache-2.0
#pragma once

// Models from URDF, versions 1.0, 1.1 and 1.2.
//
//   const dynamics::Model model = dynamics::model_from_urdf_file("arm.urdf");
//   for (const dynamics::Note& note : model.notes()) std::puts(note.message.c_str());
//
// Extensions that are read in addition to the standard elements:
//   rotor inertia    <dynamics rotor_inertia="..."/> of the joint, <param name="rotor_inertia"> of
//                    the joint in <ros2_control>, or the actuator of a <transmission>
//                    (rotorInertia or rotor_inertia, times mechanicalReduction squared)
//   flexible links   <flexible .../> in <link>, see BeamDescription

#include <string>
#include <string_view>

#include "dynamics_core/description.hpp"
#include "dynamics_core/export.hpp"
#include "dynamics_core/model.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

/// Reads a URDF. `source` is only used in messages. Warnings, such as unknown attributes, are
/// returned in the findings of the description and become notes of a Model built from it. Throws
/// ParseError for text that cannot be read and ModelError for a robot that cannot exist, for the
/// first error, with line, link or joint, and what would be right.
RobotDescription read_urdf(std::string_view text, std::string_view source = "URDF");

/// read_urdf() and Model() in one call.
Model model_from_urdf(std::string_view text, const ModelOptions& options = {},
                      std::string_view source = "URDF");

/// Reads the file. Throws ParseError also if it cannot be opened.
Model model_from_urdf_file(const std::string& path, const ModelOptions& options = {});

}  // namespace dynamics
