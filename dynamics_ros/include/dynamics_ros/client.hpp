// SPDX-License-Identifier: Apache-2.0
#pragma once

// The dynamics node for C++ programs, in a few lines:
//
//   dynamics_ros::DynamicsClient dynamics(*node);
//   const auto torques = dynamics.inverse_dynamics(trajectory);
//   if (!torques) {
//     RCLCPP_ERROR(node->get_logger(), "%s", torques.message().c_str());
//   } else if (torques->verdict.within_limits) {
//     follow(torques->trajectory);  // effort is filled in
//   }
//
// Answers are received by a thread of the client's own: calls may be made from any thread, also
// from callbacks, and whether or not the node is being spun. No call takes longer than its timeout:
// a node that is not there, does not answer or is shut down is a result like any other.

#include <chrono>
#include <cstdint>
#include <dynamics_msgs/msg/result_code.hpp>
#include <dynamics_msgs/srv/check_model.hpp>
#include <dynamics_msgs/srv/check_torque_limits.hpp>
#include <dynamics_msgs/srv/forward_dynamics.hpp>
#include <dynamics_msgs/srv/get_dynamics_terms.hpp>
#include <dynamics_msgs/srv/get_model.hpp>
#include <dynamics_msgs/srv/inverse_dynamics.hpp>
#include <dynamics_msgs/srv/scale_trajectory.hpp>
#include <dynamics_msgs/srv/set_payload.hpp>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <rclcpp/node.hpp>
#include <string>
#include <trajectory_msgs/msg/joint_trajectory.hpp>
#include <utility>

namespace dynamics_ros {

/// Codes of calls that the node has not answered; the others are those of
/// dynamics_msgs/ResultCode.
namespace call_code {
inline constexpr std::int32_t no_service = -1;  ///< nobody offers the service
inline constexpr std::int32_t timed_out = -2;   ///< it is offered, but no answer came in time
inline constexpr std::int32_t shut_down = -3;   ///< ROS or the client has ended
}  // namespace call_code

/// How a call ended: the response, or why there is none.
template <class Response>
class CallResult {
 public:
  explicit CallResult(Response response) : response_(std::move(response)) {
    code_ = response_->result.code;
    message_ = response_->result.message;
  }
  CallResult(std::int32_t code, std::string message) : code_(code), message_(std::move(message)) {}

  /// Answered with success.
  explicit operator bool() const { return code_ == dynamics_msgs::msg::ResultCode::SUCCESS; }
  std::int32_t code() const { return code_; }
  /// Empty on success, else for a human reader.
  const std::string& message() const { return message_; }

  /// Whether the node has answered, be it with a fault: then the response is there.
  bool answered() const { return response_.has_value(); }
  /// Throws std::bad_optional_access where there is none.
  const Response& operator*() const { return response_.value(); }
  const Response* operator->() const { return &response_.value(); }
  Response& operator*() { return response_.value(); }
  Response* operator->() { return &response_.value(); }

 private:
  std::optional<Response> response_;
  std::int32_t code_;
  std::string message_;
};

class DynamicsClient {
 public:
  using Trajectory = trajectory_msgs::msg::JointTrajectory;
  using Timeout = std::chrono::duration<double>;
  template <class Service>
  using Result = CallResult<typename Service::Response>;
  template <class Service>
  using Callback = std::function<void(Result<Service>)>;

  struct Options {
    std::string node = "/dynamics";  ///< whose services are called
    Timeout timeout{10.0};           ///< of calls that name none
  };

  /// The node must outlive the client.
  explicit DynamicsClient(rclcpp::Node& node);
  DynamicsClient(rclcpp::Node& node, Options options);
  /// Calls under way end with shut_down.
  ~DynamicsClient();
  DynamicsClient(const DynamicsClient&) = delete;
  DynamicsClient& operator=(const DynamicsClient&) = delete;

  /// Waits for the node's services and its robot: the model, or why there is none.
  Result<dynamics_msgs::srv::GetModel> wait_for_model(std::optional<Timeout> timeout = {});

  /// Efforts along a trajectory, and how they stand to the limits. Not from within a callback of
  /// this client.
  Result<dynamics_msgs::srv::InverseDynamics> inverse_dynamics(Trajectory trajectory,
                                                               std::optional<Timeout> timeout = {});

  /// Any service of the node: dynamics_msgs::srv::InverseDynamics, CheckModel,
  /// CheckTorqueLimits, ForwardDynamics, GetDynamicsTerms, GetModel, ScaleTrajectory or SetPayload.
  template <class Service>
  Result<Service> call(typename Service::Request request, std::optional<Timeout> timeout = {}) {
    return async_call<Service>(std::move(request), timeout).get();
  }

  /// The same without waiting; the future is ready at the timeout at the latest.
  template <class Service>
  std::future<Result<Service>> async_call(typename Service::Request request,
                                          std::optional<Timeout> timeout = {}) {
    const auto promise = std::make_shared<std::promise<Result<Service>>>();
    auto future = promise->get_future();
    async_call<Service>(
        std::move(request),
        [promise](Result<Service> result) { promise->set_value(std::move(result)); }, timeout);
    return future;
  }

  /// The same; the callback is called once, by the client's thread. It must not wait for calls.
  template <class Service>
  void async_call(typename Service::Request request, Callback<Service> callback,
                  std::optional<Timeout> timeout = {});

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace dynamics_ros
