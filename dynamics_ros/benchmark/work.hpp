// SPDX-License-Identifier: Apache-2.0
#pragma once

// Requests to the node, and whether its replies are right.

#include <cstddef>
#include <cstdint>
#include <dynamics_core/model.hpp>
#include <dynamics_core/workspace.hpp>
#include <dynamics_msgs/srv/forward_dynamics.hpp>
#include <dynamics_msgs/srv/inverse_dynamics.hpp>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace dynamics_ros::benchmark {

using dynamics_msgs::srv::ForwardDynamics;
using dynamics_msgs::srv::InverseDynamics;

/// Largest difference from the core, relative to the largest number of the state, 1 at least.
inline constexpr double tolerance = 1e-12;

/// A trajectory with the code that its inverse dynamics must be answered with.
struct InverseJob {
  InverseDynamics::Request request;
  std::int32_t code = 0;
};

/// Makes requests at random and checks replies by the core. One a thread.
class Work {
 public:
  Work(const dynamics::Model& model, std::uint64_t seed);

  InverseDynamics::Request inverse(std::size_t points);
  /// The same with the trajectory in columns.
  InverseDynamics::Request inverse_columns(std::size_t points);
  ForwardDynamics::Request forward(std::size_t states);
  /// A trajectory with a fault in it, of a kind that changes from call to call.
  InverseJob malformed();

  /// Empty where the reply is right, else what is wrong with it.
  std::string check(const InverseDynamics::Request& request,
                    const InverseDynamics::Response& response);
  std::string check(const ForwardDynamics::Request& request,
                    const ForwardDynamics::Response& response);
  static std::string check(const InverseJob& job, const InverseDynamics::Response& response);

  std::mt19937_64& generator() { return generator_; }

 private:
  double number(double largest);
  void shuffle();
  trajectory_msgs::msg::JointTrajectoryPoint state();
  /// Against the efforts in columns.
  std::string check_columns(const InverseDynamics::Request& request,
                            const InverseDynamics::Response& response);
  std::string difference(std::span<const double> got, const std::string& what) const;

  dynamics::Model model_;
  dynamics::Workspace workspace_;
  std::mt19937_64 generator_;
  std::vector<std::size_t> order_;  // coordinate of each name in a request
  std::vector<double> q_, qd_, x_, expected_;
  std::size_t fault_ = 0;
};

}  // namespace dynamics_ros::benchmark
