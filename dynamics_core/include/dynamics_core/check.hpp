// SPDX-License-Identifier: Apache-2.0
#pragma once

// Checks a robot description: lists every error and every suspicious value by link and joint, and
// how to repair it. (Model throws for the first error only.)
//
//   const dynamics::CheckReport report = dynamics::check_urdf(text, "arm.urdf");
//   for (const dynamics::Finding& finding : report.findings) ...
//
// docs/checking.md lists the codes.

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dynamics_core/description.hpp"

#pragma GCC visibility push(default)
namespace dynamics {

/// Condition number of the inertia matrix over sampled positions within the joint limits.
struct ConditionRange {
  std::size_t samples = 0;
  double smallest = 0.0, median = 0.0, largest = 0.0;
  /// Largest condition number after scaling rows and columns to a unit diagonal. It does not depend
  /// on units and bounds the relative error of forward dynamics.
  double largest_scaled = 0.0;
  std::vector<double> worst_position;  ///< position with `largest_scaled`
  std::string weakest;                 ///< coordinate with the least inertia there
};

/// The findings about a robot, and its properties.
struct CheckReport {
  std::string robot;   ///< name of the robot
  std::string source;  ///< file name
  std::size_t links = 0, joints = 0;
  std::size_t coordinates = 0;  ///< 0 if no Model can be built
  double mass = 0.0;            ///< of all links (kg)
  bool loads = false;           ///< a Model can be built
  std::vector<Finding> findings;
  std::optional<ConditionRange> condition;  ///< if a Model can be built and has forward dynamics

  /// Number of findings of this severity.
  std::size_t count(Finding::Severity severity) const;
  /// 0: no warnings or errors, 1: warnings, 2: errors
  int exit_code() const;
};

/// Options of the checks.
struct CheckOptions {
  bool condition = true;                    ///< sample the inertia matrix
  std::size_t condition_samples = 256;      ///< reduced for robots with many joints
  std::size_t condition_coordinates = 400;  ///< not sampled for more coordinates than this
};

/// Reads as much of a URDF as possible and checks it. Throws only std::bad_alloc.
CheckReport check_urdf(std::string_view text, std::string_view source = "URDF",
                       const CheckOptions& options = {});

/// The same for a DH table in YAML.
CheckReport check_dh_table(std::string_view yaml, std::string_view source = "DH table",
                           const CheckOptions& options = {});

/// The same for a description from any source.
CheckReport check_model(const RobotDescription& description, const CheckOptions& options = {});

/// The URDF text with every fixable finding repaired; the rest of the text is unchanged. A finding
/// is fixable if there is only one possible repair: normalize an axis, write out the default axis,
/// exchange lower and upper limits, replace a decimal comma, remove <mimic> from a fixed joint, add
/// missing products of inertia, correct a tensor that violates the triangle inequality by rounding
/// only, add a missing robot name.
std::string repair_urdf(std::string_view text, std::string_view source = "URDF");

}  // namespace dynamics
#pragma GCC visibility pop
