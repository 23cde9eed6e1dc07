// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sampling shared by simulate() and torques_along(): sample times and the contents of a sample.

#include <span>
#include <vector>

#include "dynamics_core/plant.hpp"
#include "dynamics_core/recording.hpp"
#include "dynamics_core/trajectory.hpp"

namespace dynamics {

/// Throws ArgumentError with `name` unless the value is positive and finite.
void require_positive(const char* name, double value);

/// 0, sample, 2 sample, ..., duration. Throws ArgumentError for more than 1e8 samples.
std::vector<double> sample_times(double duration, double sample);

/// Names and shapes of the flexible links, and their columns.
void prepare_columns(Recording& run, const Plant& plant);

/// Appends one sample to all columns of the recording except work, energy_drift and power_balance.
void record_sample(Recording& run, Plant& plant, double t, std::span<const double> q,
                   std::span<const double> qd, std::span<const double> qdd,
                   std::span<const double> tau);

/// torques_along() for a plant without other coordinates than its joints. Throws ArgumentError for
/// other plants.
Recording torques_along(Plant& plant, const Trajectory& trajectory, double duration, double sample);

/// Fills energy_drift: energy minus initial energy minus work, relative to the largest kinetic
/// energy.
void finish_energies(Recording& run);
/// The same for a motion that was not simulated: its first sample is the initial state.
void finish_motion(Recording& run);

}  // namespace dynamics
