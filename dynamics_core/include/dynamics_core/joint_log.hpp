// SPDX-License-Identifier: Apache-2.0
#pragma once

// Joint states and trajectories from MCAP files, as rosbag2 and write_mcap() make them:
//
//   const dynamics::JointLog log = dynamics::read_joint_log("log.mcap", model);
//   for (const std::string& note : log.notes) std::cerr << note << '\n';
//   const auto motion = dynamics::knot_trajectory(log.motion());
//
// Topics of type sensor_msgs/msg/JointState and trajectory_msgs/msg/JointTrajectory in CDR are
// read, others are skipped. Joints are found by name, in any order. Messages may have some of the
// joints only, as those of several publishers: then all joints are interpolated at the times of the
// joint with the most samples, in the interval that all joints have. A new trajectory replaces the
// points of earlier ones from its start on.
//
// A sample has the time of its header, or of the log if the headers have none. Samples out of order
// are sorted; of samples of one time the last counts. Values that are not finite are not given.
//
// Compressed (zstd, LZ4) and plain chunks, with and without summary. A file without a complete end
// is read up to its first problem, which is in `notes`; everything wrong in other files throws
// ParseError with file and offset. At most 50 million samples of a joint are read.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dynamics_core/export.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/trajectory.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

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
