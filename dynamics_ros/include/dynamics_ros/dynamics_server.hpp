// SPDX-License-Identifier: Apache-2.0
#pragma once

// The services of the dynamics node in this process, without a node: requests in, responses out.
//
//   dynamics_ros::DynamicsServer server({});
//   server.set_description(urdf);
//   server.inverse_dynamics(request, response);
//
// A request is validated completely before anything is computed. The response to an invalid request
// has a result code and a message that names joint, point and field; nothing is thrown. Any number
// of threads may call; a request in progress keeps the model that it began with.

#include <Eigen/Core>
#include <cstddef>
#include <dynamics_core/closed_loops.hpp>
#include <dynamics_core/model.hpp>
#include <dynamics_msgs/action/scale_trajectory.hpp>
#include <dynamics_msgs/action/simulate.hpp>
#include <dynamics_msgs/msg/model_overrides.hpp>
#include <dynamics_msgs/msg/payload.hpp>
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
#include <memory>
#include <mutex>
#include <optional>
#include <sensor_msgs/msg/joint_state.hpp>
#include <string>

namespace dynamics_ros {

struct ServerOptions {
  Eigen::Vector3d gravity = {0.0, 0.0, -9.81};  ///< in the base link's axes (m/s^2)
  double friction_velocity = 0.01;              ///< see dynamics::ModelOptions (rad/s or m/s)
  std::size_t largest_request = 100000;         ///< points or states
  std::size_t largest_scaling = 10000;          ///< points of a trajectory to be slowed down
  std::size_t batch_threads = 1;                ///< that work on a large request, 0: all processors
  double longest_simulation = 600.0;            ///< computing time of one run (s)
  double joint_state_timeout = 1.0;             ///< age of joint states that may be used (s)
};

class JointStates;
class Robot;

class DynamicsServer {
 public:
  template <class Service>
  using Request = typename Service::Request;
  template <class Service>
  using Response = typename Service::Response;

  explicit DynamicsServer(ServerOptions options);
  ~DynamicsServer();
  DynamicsServer(const DynamicsServer&) = delete;
  DynamicsServer& operator=(const DynamicsServer&) = delete;

  /// Takes the robot's URDF in place of the previous one. One that cannot be used changes nothing;
  /// the result says why. The payload stays where the new robot has its frame, and goes otherwise.
  dynamics_msgs::msg::ResultCode set_description(const std::string& urdf);

  /// Why the last description was refused, empty where it was taken.
  std::string refusal() const;
  /// The model in use, payload included, if there is one; of a mechanism its tree.
  std::optional<dynamics::Model> model() const;
  /// The mechanism in use, if the robot has closed loops.
  std::optional<dynamics::Mechanism> mechanism() const;
  /// What the robot carries; its frame_id is empty where it carries nothing.
  dynamics_msgs::msg::Payload payload() const;

  /// Takes the positions of joints for requests with OtherJoints::JOINT_STATES.
  void take_joint_states(const sensor_msgs::msg::JointState& message);

  void inverse_dynamics(const Request<dynamics_msgs::srv::InverseDynamics>& request,
                        Response<dynamics_msgs::srv::InverseDynamics>& response) const;
  /// The same; the trajectory of the request becomes that of the response, without a copy.
  void inverse_dynamics(Request<dynamics_msgs::srv::InverseDynamics>&& request,
                        Response<dynamics_msgs::srv::InverseDynamics>& response) const;
  void check_torque_limits(const Request<dynamics_msgs::srv::CheckTorqueLimits>& request,
                           Response<dynamics_msgs::srv::CheckTorqueLimits>& response) const;
  void forward_dynamics(const Request<dynamics_msgs::srv::ForwardDynamics>& request,
                        Response<dynamics_msgs::srv::ForwardDynamics>& response) const;
  void get_dynamics_terms(const Request<dynamics_msgs::srv::GetDynamicsTerms>& request,
                          Response<dynamics_msgs::srv::GetDynamicsTerms>& response) const;
  void get_model(const Request<dynamics_msgs::srv::GetModel>& request,
                 Response<dynamics_msgs::srv::GetModel>& response) const;
  void set_payload(const Request<dynamics_msgs::srv::SetPayload>& request,
                   Response<dynamics_msgs::srv::SetPayload>& response);
  void scale_trajectory(const Request<dynamics_msgs::srv::ScaleTrajectory>& request,
                        Response<dynamics_msgs::srv::ScaleTrajectory>& response) const;
  void check_model(const Request<dynamics_msgs::srv::CheckModel>& request,
                   Response<dynamics_msgs::srv::CheckModel>& response) const;

  /// The same; `go_on` is called with the share of the work that is done, and cancels by false.
  void scale_trajectory(const dynamics_msgs::action::ScaleTrajectory::Goal& goal,
                        dynamics_msgs::action::ScaleTrajectory::Result& result,
                        const std::function<bool(double)>& go_on) const;

  /// Runs a simulation; `go_on` is called with the time reached (s), and cancels by false.
  void simulate(const dynamics_msgs::action::Simulate::Goal& goal,
                dynamics_msgs::action::Simulate::Result& result,
                const std::function<bool(double)>& go_on = {}) const;

 private:
  /// Throw Fault if there is none, or if it cannot be as the request wants it.
  std::shared_ptr<const Robot> robot() const;
  std::shared_ptr<const Robot> robot(const dynamics_msgs::msg::ModelOverrides& overrides) const;

  template <class Input, class Output>
  void scale(const Input& request, Output& response,
             const std::function<bool(double)>& go_on) const;

  ServerOptions options_;
  std::mutex change_;          // one change of the model at a time
  mutable std::mutex access_;  // guards all below
  std::shared_ptr<const Robot> robot_;
  std::shared_ptr<const std::string> received_;  // the last description, used or not
  std::string refused_;                          // why it could not be used
  // the last robot that a request changed for itself, for further ones with the same changes
  mutable std::shared_ptr<const Robot> changed_, changed_from_;
  mutable dynamics_msgs::msg::ModelOverrides changes_;
  std::unique_ptr<JointStates> joint_states_;
};

}  // namespace dynamics_ros
