// SPDX-License-Identifier: Apache-2.0
#pragma once

// Desired motions: joint positions, velocities and accelerations as functions of time.

#include <memory>
#include <span>
#include <vector>

#include "dynamics_core/model/dh_table.hpp"

namespace dynamics {

class Motion {
 public:
  virtual ~Motion() = default;
  virtual std::size_t size() const = 0;
  /// The motion at time t, any t from 0 on. Spans have size() entries.
  virtual void at(double t, std::span<double> q, std::span<double> qd,
                  std::span<double> qdd) const = 0;
  /// Times at which the acceleration or one of its derivatives jumps, increasing: between them the
  /// motion is smooth. None unless a motion says so.
  virtual std::vector<double> breakpoints() const { return {}; }
};

/// q0 + (q1 - q0)/(2 pi) (2 pi t/T - sin(2 pi t/T)) up to T, at rest in q1 from there on
/// (Saha 2003, Eq. 18). Throws ArgumentError for sizes that differ or T <= 0.
std::unique_ptr<Motion> cycloid_motion(std::vector<double> q0, std::vector<double> q1,
                                       double period);

/// q0 + k (t - T/pi sin(pi t/T)), joint by joint (Mohan and Saha, Eq. 44).
std::unique_ptr<Motion> mohan_saha_motion(std::vector<double> q0, std::vector<double> k,
                                          std::vector<double> T);

/// The motion of a table's forced run from q0 on.
std::unique_ptr<Motion> forced_motion(const Forced& forced, std::vector<double> q0);

}  // namespace dynamics
