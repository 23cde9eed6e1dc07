// SPDX-License-Identifier: Apache-2.0
#pragma once

// What simulation and torques along a path share: when samples are taken, and what goes into one.

#include <span>
#include <vector>

#include "dynamics_core/plant.hpp"
#include "dynamics_core/trajectory.hpp"

namespace dynamics {

/// Throws ArgumentError naming what is not above zero.
void require_positive(const char* name, double value);

/// 0, sample, 2 sample, ..., the end included.
std::vector<double> sample_times(double duration, double sample);

/// One sample of everything that a recording has columns for, except work, drift and balance.
void record_sample(Recording& run, Plant& plant, double t, std::span<const double> q,
                   std::span<const double> qd, std::span<const double> qdd,
                   std::span<const double> tau);

/// torques_along() for a plant whose coordinates are its joints. Throws ArgumentError for others.
Recording torques_along(Plant& plant, const Motion& motion, double duration, double sample);

/// Drift of the energy against the work done, relative to the largest kinetic energy.
void finish_energies(Recording& run);

}  // namespace dynamics
