// SPDX-License-Identifier: Apache-2.0
#pragma once

// The shapes of dynamics_core/marker_shapes.hpp as RViz markers in the base link's frame, without a
// node:
//
//   dynamics_ros::Markers markers;
//   markers.follow(robot, options);                       // the trail of the center of mass
//   publisher->publish(markers.make(robot, options));
//
// A marker shown before that is no longer there is deleted by name and number; the first array
// deletes whatever an earlier node left.

#include <array>
#include <cstddef>
#include <cstdint>
#include <dynamics_core/marker_shapes.hpp>
#include <set>
#include <string>
#include <utility>
#include <visualization_msgs/msg/marker_array.hpp>

#include "dynamics_ros/moving_robot.hpp"

namespace dynamics_ros {

using Color = std::array<double, 4>;  ///< red, green, blue, opacity; 0 to 1

struct MarkerOptions : dynamics::ShapeOptions {
  std::size_t trail_length = 500;  ///< points
  double lifetime = 2.0;           ///< (s), 0: for ever
  std::string frame_prefix;

  Color center_color = {1.0, 0.75, 0.0, 1.0};
  Color trail_color = {1.0, 0.75, 0.0, 0.6};
  Color effort_color = {0.1, 0.7, 0.3, 0.9};
  Color excess_color = {0.9, 0.1, 0.1, 0.9};  ///< of efforts beyond their limit
  Color inertia_color = {0.3, 0.5, 0.9, 0.4};
  Color payload_color = {0.7, 0.3, 0.8, 0.7};
  Color beam_color = {0.9, 0.4, 0.1, 0.9};
  Color text_color = {0.9, 0.9, 0.9, 1.0};
};

class Markers {
 public:
  using Array = visualization_msgs::msg::MarkerArray;

  /// Adds the center of mass to the trail. A time that runs back starts a new one.
  void follow(MovingRobot& robot, const MarkerOptions& options);
  /// Clears the trail: another robot.
  void forget() { trail_.clear(); }

  /// The markers of a robot that has positions.
  Array make(MovingRobot& robot, const MarkerOptions& options);
  /// Deletes all that was shown.
  Array clear(const MovingRobot& robot, const MarkerOptions& options);

 private:
  using Name = std::pair<std::string, std::int32_t>;
  dynamics::Trail trail_;
  std::set<Name> shown_;
  bool first_ = true;
};

}  // namespace dynamics_ros
