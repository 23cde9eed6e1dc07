// SPDX-License-Identifier: Apache-2.0
#pragma once

// Prescribed motions of the base: a ship's deck, a vehicle, a gantry.

#include <memory>
#include <span>
#include <string_view>

#include "dynamics_core/rigid/conditions.hpp"
#include "dynamics_core/simulation/motion.hpp"

namespace dynamics {

class BaseTrajectory {
 public:
  virtual ~BaseTrajectory() = default;
  virtual BaseMotion at(double t) const = 0;
};

/// One harmonic: amplitude * sin(2 pi frequency t) along or about an axis of the world.
struct BaseHarmonic {
  enum class Axis { x, y, z, roll, pitch, yaw };
  Axis axis;
  double amplitude = 0.0;  ///< (m or rad)
  double frequency = 0.0;  ///< (Hz)
};
/// "x" ... "yaw"; throws ArgumentError listing them.
BaseHarmonic::Axis base_axis_from_name(std::string_view name);

/// The sum of these. Throws ArgumentError for numbers that are not finite or a frequency <= 0.
std::unique_ptr<BaseTrajectory> harmonic_base(std::span<const BaseHarmonic> harmonics);

/// A motion of the six coordinates x, y, z (m), roll, pitch, yaw (rad) with the rotation
/// Rz(yaw) Ry(pitch) Rx(roll).
std::unique_ptr<BaseTrajectory> coordinate_base(std::shared_ptr<const Motion> coordinates);

/// From a CSV file: a column t and any of x, y, z, roll, pitch, yaw (those not given are zero), a
/// cubic spline through the rows that starts and ends at rest. Throws ModelError naming file, line
/// and column.
std::unique_ptr<BaseTrajectory> read_base_csv(std::string_view text, std::string_view file_name);

}  // namespace dynamics
