// SPDX-License-Identifier: Apache-2.0
#pragma once

// What RViz shows of a robot's dynamics, as markers in the base link's frame, without a node:
//
//   dynamics_ros::Markers markers;
//   markers.follow(robot, options);                       // the trail of the mass centre
//   publisher->publish(markers.make(robot, options));
//
// Sizes come from the robot's reach times `scale`. A marker shown before that is no longer there is
// deleted by name and number; the first array deletes whatever an earlier node left.

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <utility>
#include <visualization_msgs/msg/marker_array.hpp>

#include "dynamics_ros/moving_robot.hpp"

namespace dynamics_ros {

using Colour = std::array<double, 4>;  ///< red, green, blue, opacity; 0 to 1

struct MarkerOptions {
  bool centre_of_mass = true;
  bool trail = true;  ///< of the centre of mass
  bool efforts = true;
  bool inertias = false;
  bool energies = true;
  bool payload = true;
  bool flexible_links = true;

  double scale = 1.0;              ///< of all sizes
  std::size_t trail_length = 500;  ///< points
  bool efforts_by_limits = true;   ///< a joint's full size is its effort limit, where it has one
  double full_torque = 100.0;      ///< full size of the others (N m)
  double full_force = 100.0;       ///< (N)
  std::array<double, 3> energy_place = {0.0, 0.0, 0.75};  ///< in units of the robot's reach
  double lifetime = 2.0;                                  ///< (s), 0: for ever
  std::string frame_prefix;

  Colour centre_colour = {1.0, 0.75, 0.0, 1.0};
  Colour trail_colour = {1.0, 0.75, 0.0, 0.6};
  Colour effort_colour = {0.1, 0.7, 0.3, 0.9};
  Colour excess_colour = {0.9, 0.1, 0.1, 0.9};  ///< of efforts beyond their limit
  Colour inertia_colour = {0.3, 0.5, 0.9, 0.4};
  Colour payload_colour = {0.7, 0.3, 0.8, 0.7};
  Colour beam_colour = {0.9, 0.4, 0.1, 0.9};
  Colour text_colour = {0.9, 0.9, 0.9, 1.0};
};

/// The sides of the uniform box of this mass and these principal moments of inertia, from
/// I_x = m (b^2 + c^2)/12 and so on; zero where the moments leave no extent.
Eigen::Vector3d box_sides(double mass, const Eigen::Vector3d& moments);

/// The longest way from the base along the joints' origins, 1 where there is none: how large to
/// draw (m).
double reach(const dynamics::Model& model);

class Markers {
 public:
  using Array = visualization_msgs::msg::MarkerArray;

  /// Adds the mass centre to the trail. A time that runs back begins a new one.
  void follow(MovingRobot& robot, const MarkerOptions& options);
  /// Ends the trail: another robot.
  void forget();

  /// The markers of a robot that is placed().
  Array make(MovingRobot& robot, const MarkerOptions& options);
  /// Deletes all that was shown.
  Array clear(const MovingRobot& robot, const MarkerOptions& options);

 private:
  using Name = std::pair<std::string, std::int32_t>;
  std::deque<Eigen::Vector3d> trail_;
  double trail_time_ = 0.0;
  std::set<Name> shown_;
  bool first_ = true;
};

}  // namespace dynamics_ros
