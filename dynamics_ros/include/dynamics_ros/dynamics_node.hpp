// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <rclcpp/node.hpp>
#include <rclcpp/node_options.hpp>

namespace dynamics_ros {

/// The dynamics services of one robot. See the package's README for parameters, topics, services.
/// It may be spun by any executor: what takes long is done on threads of its own.
class DynamicsNode : public rclcpp::Node {
 public:
  explicit DynamicsNode(const rclcpp::NodeOptions& options = rclcpp::NodeOptions());
  ~DynamicsNode() override;
  DynamicsNode(const DynamicsNode&) = delete;
  DynamicsNode& operator=(const DynamicsNode&) = delete;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace dynamics_ros
