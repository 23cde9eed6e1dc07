// SPDX-License-Identifier: Apache-2.0
#pragma once

// Desired motions: joint positions, velocities and accelerations as functions of time.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dynamics_core/dh_table.hpp"
#include "dynamics_core/export.hpp"
#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/model.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

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

// Prescribed motions of the base: a ship's deck, a vehicle, a gantry.

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

// Desired motions from files.
//
// CSV: first row: names. A column `t` (s, increasing from 0 or later) and, for every coordinate of
// the robot, `q_NAME`; optionally `qd_NAME` and `qdd_NAME` for all of them; other columns are
// ignored. YAML: the layout of trajectory_msgs/JointTrajectory: joint_names in any order, and
// points with positions, optionally velocities and accelerations, and time_from_start (sec and
// nanosec, or seconds).
//
// Between the points: a quintic where q, qd and qdd are given, a cubic where q and qd are, else the
// cubic spline through q that starts and ends at rest. Before the first and after the last point
// the robot stands.

/// Knots of a motion; qd and qdd may be empty. Entries: [knot][coordinate].
struct Knots {
  std::vector<double> t;
  std::vector<std::vector<double>> q, qd, qdd;
};

/// The motion through these knots. Throws ArgumentError naming the knot.
std::unique_ptr<Motion> knot_motion(Knots knots);

/// Throws ModelError naming file, line, column and what would be right.
Knots read_trajectory_csv(std::string_view text, std::string_view file_name, const Model& model);

Knots read_trajectory_yaml(std::string_view text, std::string_view file_name, const Model& model);

}  // namespace dynamics
