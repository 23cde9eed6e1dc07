// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sensors: what force-torque sensors and inertial measurement units (IMUs) of a robot measure, and
// the errors of sensors.
//
//   dynamics::Sensors sensors(plant, {{.joint = "tool_mount"}}, {{.link = "tool"}});   // allocates
//   if (sensors.measure(q, qd, qdd) == dynamics::Status::ok) use(sensors.wrench(0),
//   sensors.imu(0));
//
// Force-torque sensor. It is at a joint of the URDF, fixed or moving, and measures the wrench that
// the parent link exerts on the child link: for a body with the mass m behind the joint, the force
// m (a - g), with a the acceleration of its center of mass. Moment about the origin of the child
// link's frame, in its axes, or in those of `frame`. The wrench is that of the equations of motion
// (inverse dynamics), so also at impacts and with joints that dry friction holds; the part along a
// moving joint's axis is the actuator's effort without rotor inertia and friction.
//
// IMU. It is at the origin of a link's frame and measures orientation (of the frame in the world),
// angular velocity, and linear acceleration a - g (specific force: +g upwards at rest), the last
// two in the axes of the frame.
//
// Mechanisms with closed loops: a joint whose wrench depends on a loop has no force-torque sensor;
// one behind which no loop closes has. Robots with flexible links have no sensors yet.

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dynamics_core/error.hpp"
#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/plant.hpp"
#include "dynamics_core/pose.hpp"
#include "dynamics_core/view.hpp"

#pragma GCC visibility push(default)
namespace dynamics {

/// A force-torque sensor.
struct ForceTorqueSensor {
  std::string joint;       ///< joint of the URDF, fixed or moving
  std::string frame = {};  ///< link whose origin and axes are used; empty: the child link
};

/// An inertial measurement unit.
struct ImuSensor {
  std::string link;  ///< at the origin of its frame, in its axes
};

/// What an IMU measures.
struct ImuReading {
  Eigen::Matrix3d orientation = Eigen::Matrix3d::Identity();      ///< frame in the world
  Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();     ///< (rad/s)
  Eigen::Vector3d linear_acceleration = Eigen::Vector3d::Zero();  ///< a - g (m/s^2)
};

/// The ideal readings of the sensors of one robot, for one thread at a time.
class Sensors {
 public:
  /// Throws ArgumentError naming a joint or link that does not exist, a joint whose wrench depends
  /// on a closed loop, and robots with flexible links.
  Sensors(const Plant& plant, const std::vector<ForceTorqueSensor>& force_torque,
          const std::vector<ImuSensor>& imus);
  ~Sensors();
  Sensors(Sensors&&) noexcept;
  Sensors& operator=(Sensors&&) noexcept;
  Sensors(const Sensors&) = delete;
  Sensors& operator=(const Sensors&) = delete;

  /// Computes all readings of a state, with one entry per joint of the plant: its accelerations,
  /// and the wrenches that act on its links. O(n). Does not allocate. Unless it returns Status::ok
  /// the readings are those before.
  Status measure(ConstVector q, ConstVector qd, ConstVector qdd,
                 std::span<const LinkWrench> wrenches = {},
                 const std::optional<BaseMotion>& base = std::nullopt) noexcept;

  const Wrench& wrench(std::size_t i) const;   ///< of force-torque sensor i
  const ImuReading& imu(std::size_t i) const;  ///< of IMU i

 private:
  class [[gnu::visibility("hidden")]] Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Errors of a sensor with several channels, such as the six of a force-torque sensor.
struct SensorErrors {
  double rate = 0.0;               ///< samples per second (Hz); 0: a sample in each call
  double delay = 0.0;              ///< from a sample to its reading (s)
  double dropout = 0.0;            ///< probability that a sample is lost; the previous one is kept
  std::uint64_t seed = 0;          ///< of the random numbers
  std::vector<double> noise = {};  ///< standard deviations of white Gaussian noise; empty: none
  std::vector<double> bias = {};   ///< constant offsets; empty: none

  /// Whether readings differ from the values.
  bool any() const;
};

/// Applies SensorErrors to a sequence of values. It depends on the times and values only: the
/// random numbers are those of the seed and of the number of the sample (counter-based), so equal
/// runs have equal readings.
class SensorErrorModel {
 public:
  /// `period`: shortest time between two calls of read() (ns), which limits the memory. Throws
  /// ArgumentError for errors that are negative or not finite, a probability above 1, a delay of
  /// more than 100000 samples, and vectors whose size is not the number of channels.
  SensorErrorModel(SensorErrors errors, std::size_t channels, std::int64_t period);

  /// Forgets all samples. The next read() takes the first one, which is neither delayed nor lost.
  void reset();

  /// Replaces `values`, one per channel, by the reading at `time` (ns), which must not decrease
  /// between two calls of reset(). Does not allocate.
  void read(std::int64_t time, std::span<double> values) noexcept;

  /// The errors that the model was made with.
  const SensorErrors& errors() const { return errors_; }

 private:
  void sample(std::int64_t time, std::span<const double> values) noexcept;

  SensorErrors errors_;
  std::size_t channels_;
  std::int64_t sample_period_ = 0, delay_ = 0;  // ns
  std::vector<double> last_;                    // the reading
  std::vector<double> waiting_;                 // delayed samples, a ring of `capacity_`
  std::vector<std::int64_t> due_;               // when they are read
  std::size_t capacity_ = 0, first_ = 0, count_ = 0;
  std::int64_t next_sample_ = 0;
  std::uint64_t number_ = 0;  // of the sample
  bool started_ = false;
};

}  // namespace dynamics
#pragma GCC visibility pop
