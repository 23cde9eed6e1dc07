// SPDX-License-Identifier: Apache-2.0
#pragma once

// Trajectories as Python objects.

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "dynamics_core/trajectory.hpp"

namespace dynamics::python {

/// A desired motion q, qd, qdd over time.
struct TrajectoryObject {
  std::shared_ptr<const Trajectory> trajectory;
  double duration = 0.0;    ///< of its points (s)
  std::string description;  ///< for recordings
};

/// A prescribed motion of the base.
struct BaseTrajectoryObject {
  std::shared_ptr<const BaseTrajectory> trajectory;
  std::string description;
};

/// Points from arrays: times (N,), rows (N, n) or None.
Knots knots_of(pybind11::handle t, pybind11::handle q, pybind11::handle qd, pybind11::handle qdd,
               std::size_t size);

}  // namespace dynamics::python
