// SPDX-License-Identifier: Apache-2.0
#pragma once

// Recording: the result of a simulation: settings, statistics, events and samples, and its files.
//
//   const dynamics::Recording run = dynamics::simulate(model, options);
//   dynamics::write_file("run.csv", dynamics::to_csv(run));
//   const double last_angle = run.q[0].back();
//
// SI units and radians. Columns have one entry per sample.

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dynamics_core/model.hpp"
#include "dynamics_core/plant.hpp"

#pragma GCC visibility push(default)
namespace dynamics {

/// The settings of a run.
struct RunSettings {
  std::string robot;                ///< name or file, as given by the user
  std::string source;               ///< the paper's table, or the file
  std::string command;              ///< command line that repeats the simulation; may be empty
  std::string scenario;             ///< a scenario, or "control" with a user's choice of controller
  std::string controller;           ///< its name
  std::string gains;                ///< its gains; may be empty
  double control_rate = 0.0;        ///< (Hz); 0: continuous
  double control_delay = 0.0;       ///< (s)
  std::vector<std::string> inputs;  ///< pushes, payload changes and locks, as text
  std::string integrator;
  double rtol = 0.0, atol = 0.0;
  std::optional<double> step;  ///< of fixed-step methods
  double duration = 0.0;
  double sample = 0.0;
  std::vector<double> q0, qd0;
  bool friction = true;
  std::string precision = "double";
  std::string algorithm;   ///< of the forward dynamics, as chosen by the user; may be empty
  double bandwidth = 0.0;  ///< of hold and computed torque (rad/s)
  bool limits = false;
  double restitution = 0.0;
  std::string reference;    ///< reference of the controller, as given by the user
  std::string base_motion;  ///< as given by the user
  std::optional<Payload> payload;
};

/// An event: impact on a joint stop or release from it, a limit exceeded, the payload dropped, or a
/// user-defined SimulationEvent.
struct RunEvent {
  double t = 0.0;    ///< (s)
  std::string what;  ///< description
};

/// Steps, accuracy and outcome of a run.
struct RunStatistics {
  std::uint64_t steps = 0, rejected = 0, evaluations = 0;
  double wall_seconds = 0.0;
  /// Largest |energy - initial energy - work| over the samples, relative to the largest kinetic
  /// energy, or to 1e-6 of the potential and strain energy where that is larger.
  double energy_drift = 0.0;
  bool completed = true;
  std::string ending;  ///< reason if not completed
};

/// A constant force on a link, for display.
struct RunPush {
  std::string link;
  double start = 0.0, end = 0.0;                    ///< (s)
  Eigen::Vector3d force = Eigen::Vector3d::Zero();  ///< in the world's axes (N)
  Eigen::Vector3d point = Eigen::Vector3d::Zero();  ///< in the link's frame (m)
};

/// One number per sample.
using Column = std::vector<double>;

/// The samples of a run, one entry per sample in each column.
struct Recording {
  /// An empty recording of a robot.
  explicit Recording(Model model);

  Model model;
  RunSettings settings;
  RunStatistics statistics;
  std::vector<RunEvent> events;
  std::vector<RunPush> pushes;
  std::string urdf;  ///< text of the robot's URDF, for write_mcap(); may be empty

  Column t;
  std::vector<Column> q, qd, qdd, tau;  ///< [coordinate][sample]
  Column kinetic, potential, strain;    ///< (J)
  Column work;                          ///< of actuators, friction and base since the start (J)
  Column power;                         ///< of the actuators (W)
  Column energy_drift;                  ///< see RunStatistics::energy_drift, with sign
  Column power_balance;                 ///< d(energy)/dt - Plant::power() (W); may be empty
  std::vector<Column> end_effector;     ///< x, y, z of Model::end_effector() (m)
  std::vector<Column> end_effector_orientation;  ///< its quaternion x, y, z, w
  std::vector<Column> center_of_mass;            ///< x, y, z (m)
  std::vector<Column> desired;                   ///< q of the reference; empty without a controller
  std::vector<Column> desired_rates;             ///< qd of the reference; likewise

  // flexible links; empty for rigid robots
  std::vector<std::string> amplitude_names;  ///< LINK_y1, ...
  std::vector<Column> amplitudes, amplitude_rates;
  std::vector<std::string> tip_names;  ///< LINK_y, LINK_z
  std::vector<Column> tips;            ///< deflections of the tips (m)
  std::vector<BeamShapes> beams;

  std::size_t size() const { return t.size(); }  ///< number of samples
};

/// A column of the CSV file.
struct NamedColumn {
  std::string name;
  const Column* values;  ///< of the recording, which must outlive it
};

/// The columns of the CSV file, in order: t, q_*, qd_*, tau_*, kinetic, potential, strain, e_* and
/// tip_* of flexible links, qdd_*, work, power, power_balance, the pose of the end effector,
/// desired_*.
std::vector<NamedColumn> named_columns(const Recording& recording);

/// CSV with the names of named_columns() in the first row and 17 digits.
std::string to_csv(const Recording& recording);

/// The recording as one JSON object. `compact`: columns as base64 of little-endian numbers, as the
/// web page reads them: doubles for t, the coordinates and the energy drift, floats for the rest.
std::string to_json(const Recording& recording, bool compact = false);

/// What to_page() shows beside the run.
struct PageOptions {
  std::string compare = "null";  ///< JSON of a run to compare it with, as of to_json()
  std::string meshes = "null";   ///< JSON of the robot's meshes
};

/// The run as one HTML page, from the text of viewer.html of the package dynamics_viewer. Throws
/// ParseError for a text that is not this template.
std::string to_page(const Recording& recording, std::string_view page_template,
                    const PageOptions& options = {});
/// The same for the JSON of a run.
std::string to_page(std::string_view run_json, std::string_view page_template,
                    const PageOptions& options = {});

/// Options of write_mcap().
struct McapOptions {
  std::string compression = "zstd";  ///< of the chunks: "zstd", "lz4" or "" for none
};

/// Writes the run as an MCAP file of ROS 2 messages, which rosbag2, Foxglove, Rerun and PlotJuggler
/// read: /joint_states (one message per sample; stamp round(t 1e9) ns), /tf, /tf_static, /clock,
/// /robot_description (if `urdf` is given), /end_effector, /reference/joint_states, /run/COLUMN for
/// the other columns, /events; settings as metadata `dynamics_run`; attachments `run.json` and
/// `robot.urdf`. Atomic like write_file(). If the path ends in a slash, a folder is made that has
/// the file and rosbag2's metadata.yaml; it must not exist. Throws ArgumentError for a path or
/// compression that cannot be used, StateError if writing fails.
void write_mcap(const std::string& path, const Recording& recording,
                const McapOptions& options = {});

/// Writes a file atomically: first to a temporary file in the same folder, then renamed. Throws
/// ArgumentError for a path that cannot be a file, StateError if writing fails.
void write_file(const std::string& path, const std::string& text);

}  // namespace dynamics
#pragma GCC visibility pop
