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
//
// JointLog: joint states and trajectories from MCAP files, as rosbag2 and write_mcap() make them.
//
//   const dynamics::JointLog log = dynamics::read_joint_log("log.mcap", model);
//   for (const std::string& note : log.notes) std::cerr << note << '\n';
//   const auto motion = dynamics::knot_trajectory(log.motion());

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/readers.hpp"

#pragma GCC visibility push(default)
namespace dynamics {

/// A desired motion: q, qd and qdd as functions of time.
class Trajectory {
 public:
  virtual ~Trajectory() = default;
  virtual std::size_t size() const = 0;  ///< number of coordinates
  /// Evaluates the trajectory at any t. Each span has size() entries; the trajectories of this
  /// library throw ArgumentError otherwise.
  virtual void at(double t, std::span<double> q, std::span<double> qd,
                  std::span<double> qdd) const = 0;
  /// Times at which the acceleration or one of its derivatives is discontinuous, increasing. The
  /// trajectory is smooth between them. Default: none.
  virtual std::vector<double> breakpoints() const { return {}; }
};

/// q(t) = q0 + (q1 - q0)/(2 pi) (2 pi t/T - sin(2 pi t/T)) for 0 <= t <= T; at rest at q0 before
/// and at q1 after (Saha 2003, Eq. 18). Throws ArgumentError for different sizes, numbers that are
/// not finite or T <= 0.
std::unique_ptr<Trajectory> cycloid_trajectory(std::vector<double> q0, std::vector<double> q1,
                                               double period);

/// q(t) = q0 + k (t - T/pi sin(pi t/T)) with k and T per joint (Mohan and Saha, Eq. 44). Throws
/// ArgumentError for different sizes or T <= 0.
std::unique_ptr<Trajectory> mohan_saha_trajectory(std::vector<double> q0, std::vector<double> k,
                                                  std::vector<double> T);

/// At rest at q. Throws ArgumentError for numbers that are not finite.
std::unique_ptr<Trajectory> hold_trajectory(std::vector<double> q);

/// A trajectory from a function f(t, q, qd, qdd) that fills its spans of `size` entries, and the
/// times at which its acceleration jumps, increasing. Called from each thread that evaluates it.
std::unique_ptr<Trajectory> function_trajectory(
    std::size_t size,
    std::function<void(double, std::span<double>, std::span<double>, std::span<double>)> function,
    std::vector<double> breakpoints = {});

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
/// `q_NAME` for every coordinate of the model, optionally `qd_NAME`, and with them `qdd_NAME`, for
/// all of them. Other columns are ignored, but q_, qd_ and qdd_ of other names are errors. Throws
/// ParseError with file, line and column. `coordinates`: only these are read, in this order, such
/// as Mechanism::independent(); empty: all.
Knots read_trajectory_csv(std::string_view text, std::string_view file_name, const Model& model,
                          std::span<const std::size_t> coordinates = {});

/// Reads YAML in the layout of trajectory_msgs/JointTrajectory: joint_names in any order, and
/// points with positions, optional velocities (and with them accelerations), and time_from_start
/// (sec and nanosec, or seconds as one number). Throws ParseError with file, line and key.
/// `coordinates`: as above.
Knots read_trajectory_yaml(std::string_view text, std::string_view file_name, const Model& model,
                           std::span<const std::size_t> coordinates = {});

/// Reads joint torques over time: a CSV file with a column `t` and `tau_NAME` for every coordinate
/// (other columns are ignored, but tau_ of other names are errors), or a JointTrajectory in YAML
/// whose points have `effort`. The torques are in `q` of the knots. Throws ParseError with file,
/// line and column or key.
Knots read_torques_csv(std::string_view text, std::string_view file_name, const Model& model);
Knots read_torques_yaml(std::string_view text, std::string_view file_name, const Model& model);

// Trajectories as points with time stamps, as planners exchange them:
//
//   dynamics::TimedPath path;
//   path.times = {0, 500'000'000, 1'000'000'000};       // ns
//   path.q = {0.0, 0.0, 0.4, -0.1, 1.0, -0.3};          // two coordinates at three points
//   std::vector<double> q(2), qd(2), qdd(2);
//   dynamics::interpolate(path)->at(0.25, q, qd, qdd);  // s
//
// The segments are those of Knots. The functions of a TimedPath throw ArgumentError, naming the
// array and the point, if an array does not have one row of coordinates per point, if a number is
// not finite, or if the times are negative or do not increase. They allocate, and may be called
// from several threads at once.

/// Positions at points in time, and optionally velocities and accelerations. Entry k * size() + i
/// is coordinate i at point k; units are rad or m, and s.
struct TimedPath {
  std::vector<std::int64_t> times;  ///< one per point (ns)
  std::vector<double> q;
  std::vector<double> qd, qdd;  ///< may be empty

  /// Number of points.
  std::size_t points() const { return times.size(); }
  /// Coordinates of the robot.
  std::size_t size() const { return times.empty() ? 0 : q.size() / times.size(); }
};

/// Nanoseconds as seconds, rounded as the trajectory files are: sec + 1e-9 nanosec.
inline double to_seconds(std::int64_t nanoseconds) {
  constexpr std::int64_t second = 1'000'000'000;
  const std::int64_t whole = nanoseconds / second, rest = nanoseconds % second;
  return static_cast<double>(whole) + 1e-9 * static_cast<double>(rest);
}

/// The trajectory through the points.
std::unique_ptr<Trajectory> interpolate(const TimedPath& path);

/// The same points with qd and qdd of the interpolation where the path has none. At an inner point
/// qdd is that of the segment that starts there.
TimedPath with_derivatives(const TimedPath& path);

/// The same trajectory with `interior` more points between any two, evenly spaced in time. The path
/// must have qd. Throws ArgumentError if two points are less than `interior` + 1 ns apart.
TimedPath with_interior_points(const TimedPath& path, std::size_t interior);

/// Largest distance of a coordinate of `made` from the nearest state of `path`, sampled between the
/// points. `made` passes the points of `path` at times of its own: both have the same points().
double path_deviation(const TimedPath& made, const TimedPath& path);

/// Samples of a segment between its two points: of path_deviation() and of time scaling.
inline constexpr std::size_t samples_between_points = 7;

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

/// Reads a CSV file with a column t and any of x, y, z, roll, pitch, yaw (missing ones are zero;
/// others are errors).
/// Interpolates with a cubic spline that starts and ends at rest. Throws ParseError with file, line
/// and column.
std::unique_ptr<BaseTrajectory> read_base_trajectory_csv(std::string_view text,
                                                         std::string_view file_name);

// Logs. Topics of type sensor_msgs/msg/JointState and trajectory_msgs/msg/JointTrajectory in CDR
// are read, others are skipped. Joints are found by name, in any order. Messages may have some of
// the joints only, as those of several publishers: then all joints are interpolated at the times of
// the joint with the most samples, in the interval that all joints have. A new trajectory replaces
// the points of earlier ones from its start on.
//
// A sample has the time of its header, or of the log if the headers have none. Samples out of order
// are sorted; of samples of one time the last counts. Values that are not finite are not given.
//
// Compressed (zstd, LZ4) and plain chunks, with and without summary. A file without a complete end
// is read up to its first problem, which is in `notes`; everything wrong in other files throws
// ParseError with file and offset. At most 50 million samples of a joint are read.

/// Options of read_joint_log().
struct JointLogOptions {
  /// The topic. Empty: /joint_states, else the only one with joint states, else the only one with
  /// trajectories.
  std::string topic = {};
  /// What every sample must have; samples of joints without it are left out.
  enum class Required { positions, efforts };
  Required required = Required::positions;
};

/// Samples of all coordinates of a model. Rows: [sample][coordinate].
struct JointLog {
  std::string topic, type;
  std::int64_t start = 0;                         ///< time of t = 0 in the log (ns)
  std::vector<double> t;                          ///< from 0, increasing (s)
  std::vector<std::vector<double>> q;             ///< empty if not given in every sample
  std::vector<std::vector<double>> qd, qdd, tau;  ///< likewise
  /// What was skipped, interpolated or cut off; gaps.
  std::vector<std::string> notes;

  /// q with qd and qdd where given; throws ArgumentError without q.
  Knots motion() const;
  /// tau, in `q` of the knots; throws ArgumentError without tau.
  Knots torques() const;
};

/// Reads a file. Throws ParseError for a file that cannot be read or is damaged, a topic that is
/// missing or ambiguous, and a joint of the model that has no sample.
JointLog read_joint_log(const std::string& path, const Model& model,
                        const JointLogOptions& options = {});

/// The same for a file in memory. `file_name` is used in messages only.
JointLog parse_joint_log(std::string_view data, const std::string& file_name, const Model& model,
                         const JointLogOptions& options = {});

/// The first robot description (URDF) that was published on a topic .../robot_description, or the
/// attachment robot.urdf; empty if there is none. Throws ParseError.
std::string read_robot_description(const std::string& path);

/// True if the file can be opened and begins like an MCAP file.
bool is_mcap_file(const std::string& path);

}  // namespace dynamics
#pragma GCC visibility pop
