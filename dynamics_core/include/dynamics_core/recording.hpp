// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a run leaves behind: settings, statistics and samples, and its files.

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dynamics_core/export.hpp"
#include "dynamics_core/model.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

struct RunSettings {
  std::string robot;    ///< as it was asked for
  std::string source;   ///< the paper's table, or the file
  std::string command;  ///< what repeats the run, may be empty
  std::string scenario;
  std::string integrator;
  double rtol = 0.0, atol = 0.0;
  std::optional<double> step;  ///< of fixed-step methods
  double duration = 0.0;
  double sample = 0.0;
  std::vector<double> q0, qd0;
  bool friction = true;
  std::string precision = "double";
  double bandwidth = 0.0;  ///< of closed loops (rad/s)
  bool limits = false;
  double restitution = 0.0;
  std::string trajectory;   ///< the desired motion, as it was asked for
  std::string base_motion;  ///< as it was asked for
  std::optional<Payload> payload;
  std::optional<double> drop_payload;  ///< (s)
};

/// Something that happened at an instant: a stop hit or left, a limit passed, a payload dropped, a
/// condition of the user's met.
struct RunEvent {
  double t = 0.0;
  std::string what;
};

struct RunStatistics {
  std::uint64_t steps = 0, rejected = 0, evaluations = 0;
  double wall_seconds = 0.0;
  /// Largest departure of the energy from what went in, relative to the largest kinetic energy (to
  /// a millionth of what is stored where hardly anything moves).
  double energy_drift = 0.0;
  bool completed = true;
  std::string ending;  ///< why it did not complete
};

using Column = std::vector<double>;

/// The shapes of a flexible link, from which its amplitudes give the bent line at any sample: at
/// x[i] the deflection u_y is the sum of value[j][i] d_j over the modes along y, u_z over those
/// along z, and the foreshortening u_x = -1/2 the sum of value[i] d_j d_k over `shortening`, where
/// d are the amplitudes. The cross-section there is rotated by Rz(u_y') Ry(-u_z').
struct BeamShapes {
  /// One column per place.
  struct Mode {
    Column value, slope, curvature;  ///< s, ds/dx (1/m), d2s/dx2 (1/m^2)
  };
  /// int_0^x s_j' s_k', for j <= k of one direction.
  struct Shortening {
    std::size_t j, k;
    Column value;  ///< one entry per place (1/m)
  };
  std::string link;
  std::size_t first;      ///< index of its first amplitude in Recording::amplitudes
  std::size_t modes_y;    ///< how many of the modes are along y; they come first
  std::vector<double> x;  ///< places along the undeformed beam, ascending, both ends (m)
  std::vector<Mode> modes;
  std::vector<Shortening> shortening;  ///< empty where the beam keeps its length
};

struct Recording {
  explicit Recording(Model model);

  Model model;
  RunSettings settings;
  RunStatistics statistics;
  std::vector<RunEvent> events;

  Column t;
  std::vector<Column> q, qd, qdd, tau;  ///< by coordinate
  Column kinetic, potential, strain;    ///< (J)
  Column work;                          ///< of actuators and friction since the start (J)
  Column power;                         ///< of the actuators (W)
  Column energy_drift;   ///< energy - energy(0) - work, over the largest kinetic energy
  Column power_balance;  ///< rate of the energy less the power that goes in (W), may be empty
  std::vector<Column> end_effector;       ///< x, y, z of Model::end_effector() (m)
  std::vector<Column> end_effector_turn;  ///< its quaternion x, y, z, w
  std::vector<Column> centre;             ///< of mass: x, y, z (m)
  std::vector<Column> desired;            ///< q of the motion asked for, empty where there is none

  // of flexible links, empty for rigid ones
  std::vector<std::string> amplitude_names;  ///< LINK_y1, ...
  std::vector<Column> amplitudes, amplitude_rates;
  std::vector<std::string> tip_names;  ///< LINK_y, LINK_z
  std::vector<Column> tips;            ///< deflections of the tips (m)
  std::vector<BeamShapes> beams;

  std::size_t size() const { return t.size(); }
};

/// t, q_*, qd_*, tau_*, kinetic, potential, strain, e_* and tip_* of flexible links; after these
/// qdd_*, work, power, power_balance and the pose of the end effector; 17 digits; first row names.
std::string to_csv(const Recording& recording);

/// The run as one JSON object; compact: columns as base64 of little-endian doubles (what the pose
/// of the robot follows from, and t and the drift) and floats, as the web page takes them.
std::string to_json(const Recording& recording, bool compact = false);

/// Writes a whole file or none: through a temporary one beside it. Throws std::runtime_error naming
/// the file and the reason.
void write_file(const std::string& path, const std::string& text);

}  // namespace dynamics
