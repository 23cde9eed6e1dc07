// SPDX-License-Identifier: Apache-2.0
#pragma once

// Trajectory: joint positions, velocities and accelerations as functions of time.
//
//   const auto trajectory = dynamics::cycloid_trajectory({0.0, 0.0}, {1.0, -0.5}, 2.0);
//   std::vector<double> q(2), qd(2), qdd(2);
//   trajectory->at(0.5, q, qd, qdd);
//
// Positions in rad or m, times in s, one entry per coordinate in the order of the model.
// Trajectories are immutable: several threads may evaluate the same one. at() does not allocate.

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

/// A desired motion: q, qd and qdd as functions of time.
class Trajectory {
 public:
  virtual ~Trajectory() = default;
  virtual std::size_t size() const = 0;  ///< number of coordinates
  /// Evaluates the trajectory at any t >= 0. Each span has size() entries.
  virtual void at(double t, std::span<double> q, std::span<double> qd,
                  std::span<double> qdd) const = 0;
  /// Times at which the acceleration or one of its derivatives is discontinuous, increasing. The
  /// trajectory is smooth between them. Default: none.
  virtual std::vector<double> breakpoints() const { return {}; }
};

/// q(t) = q0 + (q1 - q0)/(2 pi) (2 pi t/T - sin(2 pi t/T)) for t <= T, then at rest at q1
/// (Saha 2003, Eq. 18). Throws ArgumentError for different sizes or T <= 0.
std::unique_ptr<Trajectory> cycloid_trajectory(std::vector<double> q0, std::vector<double> q1,
                                               double period);

/// q(t) = q0 + k (t - T/pi sin(pi t/T)) with k and T per joint (Mohan and Saha, Eq. 44). Throws
/// ArgumentError for different sizes or T <= 0.
std::unique_ptr<Trajectory> mohan_saha_trajectory(std::vector<double> q0, std::vector<double> k,
                                                  std::vector<double> T);

/// The trajectory of a DH table's forced simulation, starting at q0.
std::unique_ptr<Trajectory> forced_trajectory(const ForcedMotion& forced, std::vector<double> q0);

// Trajectories through given points.
//
// Segments between points: quintic polynomials where q, qd and qdd are given, cubic ones where q
// and qd are given, otherwise the cubic spline through q with zero velocity at both ends. The robot
// is at rest before the first and after the last point.

/// Points of a trajectory; qd and qdd may be empty. Entries: [knot][coordinate].
struct Knots {
  std::vector<double> t;  ///< increasing (s)
  std::vector<std::vector<double>> q, qd, qdd;
};

/// Throws ArgumentError naming the knot.
std::unique_ptr<Trajectory> knot_trajectory(Knots knots);

/// Reads a CSV file. The first row has the column names: `t` (s, increasing, not negative) and
/// `q_NAME` for every coordinate of the model, optionally `qd_NAME` and `qdd_NAME` for all of them.
/// Other columns are ignored. Throws ParseError with file, line and column.
Knots read_trajectory_csv(std::string_view text, std::string_view file_name, const Model& model);

/// Reads YAML in the layout of trajectory_msgs/JointTrajectory: joint_names in any order, and
/// points with positions, optional velocities and accelerations, and time_from_start (sec and
/// nanosec, or seconds as one number). Throws ParseError with file, line and key.
Knots read_trajectory_yaml(std::string_view text, std::string_view file_name, const Model& model);

// Prescribed motion of the base: a ship's deck, a vehicle, a gantry.

/// A prescribed motion of the base as a function of time.
class BaseTrajectory {
 public:
  virtual ~BaseTrajectory() = default;
  /// Pose, velocity and acceleration of the base in the world.
  virtual BaseMotion at(double t) const = 0;
};

/// One harmonic, amplitude * sin(2 pi frequency t), along or about an axis of the world.
struct BaseHarmonic {
  /// Along an axis of the world, or about it.
  enum class Axis { x, y, z, roll, pitch, yaw };
  Axis axis;
  double amplitude = 0.0;  ///< (m or rad)
  double frequency = 0.0;  ///< (Hz)
};
/// Axis by name: "x", "y", "z", "roll", "pitch", "yaw". Throws ArgumentError listing them.
BaseHarmonic::Axis base_axis_from_name(std::string_view name);

/// Sum of harmonics. Throws ArgumentError for values that are not finite or a frequency <= 0.
std::unique_ptr<BaseTrajectory> harmonic_base_trajectory(std::span<const BaseHarmonic> harmonics);

/// Base motion from a trajectory of six coordinates x, y, z (m), roll, pitch, yaw (rad), with the
/// rotation Rz(yaw) Ry(pitch) Rx(roll). Throws ArgumentError for another number of coordinates.
std::unique_ptr<BaseTrajectory> coordinate_base_trajectory(
    std::shared_ptr<const Trajectory> coordinates);

/// Reads a CSV file with a column t and any of x, y, z, roll, pitch, yaw (missing ones are zero).
/// Interpolates with a cubic spline that starts and ends at rest. Throws ParseError with file, line
/// and column.
std::unique_ptr<BaseTrajectory> read_base_trajectory_csv(std::string_view text,
                                                         std::string_view file_name);

}  // namespace dynamics
