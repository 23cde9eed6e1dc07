// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rclcpp/qos.hpp>

namespace dynamics_ros {

/// The quality of service of the node's services, for server and clients alike. A reply goes to all
/// clients of a service, and each picks its own: with the usual queue of ten, a client that does
/// not run for some milliseconds loses its reply to those of others. Depth is no matter of
/// compatibility: clients with the usual queue work too.
inline rclcpp::QoS service_queue() {
  rclcpp::QoS queue = rclcpp::ServicesQoS();
  return queue.keep_last(1000);
}

}  // namespace dynamics_ros
