// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is wrong or suspicious with a robot's description, link by link and joint by joint, and how
// to repair it. Models refuse the first error; this lists all of them.
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
#include "dynamics_core/export.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

/// The condition number of the inertia matrix, over sampled positions within the joints' limits.
struct ConditionRange {
  std::size_t samples = 0;
  double smallest = 0.0, median = 0.0, largest = 0.0;
  /// The largest one after rows and columns have been scaled to a unit diagonal: independent of
  /// units, and what bounds the error of forward dynamics.
  double largest_scaled = 0.0;
  std::vector<double> worst_position;  ///< where `largest_scaled` was found
  std::string weakest;                 ///< the coordinate that moves the least there
};

struct CheckReport {
  std::string robot;   ///< its name
  std::string source;  ///< file, for messages
  std::size_t links = 0, joints = 0;
  std::size_t coordinates = 0;  ///< 0 where the model is refused
  double mass = 0.0;            ///< of all links (kg)
  bool loads = false;           ///< a Model can be built from it
  std::vector<Finding> findings;
  std::optional<ConditionRange> condition;  ///< where the model loads and has forward dynamics

  std::size_t count(Finding::Severity severity) const;
  /// 0 clean (information at most), 1 warnings, 2 errors
  int exit_code() const;
};

struct CheckOptions {
  bool condition = true;                    ///< sample the inertia matrix
  std::size_t condition_samples = 256;      ///< fewer for robots of many joints
  std::size_t condition_coordinates = 400;  ///< not sampled above this many
};

/// Reads a URDF's text as far as it can be read, and checks it. Throws nothing but std::bad_alloc.
CheckReport check_urdf(std::string_view text, std::string_view source = "URDF",
                       const CheckOptions& options = {});

/// The same of a DH table in YAML.
CheckReport check_dh_table(std::string_view yaml, std::string_view source = "DH table",
                           const CheckOptions& options = {});

/// The same of a description, however it was made.
CheckReport check_model(const RobotDescription& description, const CheckOptions& options = {});

/// The URDF's text with every fixable finding repaired, everything else left as it stands.
/// Repairs are those of which there is only one: an axis made a unit vector, the default axis
/// written out, limits in the wrong order, a decimal comma, a mimic tag on a fixed joint, products
/// of inertia that were left out, a tensor that misses the triangle inequality by its rounding, a
/// missing name of the robot. The same text where there is nothing to repair.
std::string repair_urdf(std::string_view text, std::string_view source = "URDF");

}  // namespace dynamics
