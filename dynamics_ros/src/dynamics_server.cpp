// SPDX-License-Identifier: Apache-2.0
#include "dynamics_ros/dynamics_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <dynamics_core/kinematics.hpp>
#include <dynamics_core/readers.hpp>
#include <span>
#include <utility>
#include <vector>

#include "closed_states.hpp"
#include "dynamics_terms.hpp"
#include "efforts.hpp"
#include "fault.hpp"
#include "joint_states.hpp"
#include "model_messages.hpp"
#include "overrides.hpp"
#include "request.hpp"
#include "robot.hpp"
#include "trajectory_request.hpp"

namespace dynamics_ros {

using dynamics::Model;

namespace {

std::shared_ptr<const Robot> make_robot(const std::string& urdf,
                                        const dynamics::ModelOptions& options,
                                        std::size_t batch_threads) {
  dynamics::RobotDescription description = dynamics::read_urdf(urdf, "robot_description");
  if (!description.constraints.empty()) {
    return std::make_shared<const Robot>(dynamics::Mechanism(std::move(description), options),
                                         batch_threads);
  }
  Model model(std::move(description), options);
  if (model.size() == 0) {
    throw Fault(ResultCode::INVALID_VALUE,
                fmt::format("robot '{}' has no joint that moves", model.name()));
  }
  return std::make_shared<const Robot>(std::move(model), batch_threads);
}

/// Rows from the library's order of six-vectors (angular first, see kinematics.hpp) to that of
/// geometry_msgs (linear first).
Eigen::MatrixXd in_message_order(const Eigen::MatrixXd& jacobian) {
  Eigen::MatrixXd result(jacobian.rows(), jacobian.cols());
  result << jacobian.bottomRows(3), jacobian.topRows(3);
  return result;
}

dynamics_msgs::msg::Matrix to_message(const Eigen::MatrixXd& matrix) {
  dynamics_msgs::msg::Matrix message;
  message.rows = static_cast<std::uint32_t>(matrix.rows());
  message.columns = static_cast<std::uint32_t>(matrix.cols());
  message.data.reserve(static_cast<std::size_t>(matrix.size()));
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) message.data.push_back(matrix(i, j));
  }
  return message;
}

struct Efforts {
  RobotTrajectory motion;
  Loads loads;
  std::vector<double> tau;  ///< one row of joints per point
};

/// The efforts along the trajectory of a request. Writes the verdict on them, and how they were
/// computed, to the answer.
template <class Request, class Answer>
Efforts judged_efforts(const Robot& robot, const Request& request, const JointStateSource& source,
                       std::size_t largest_request, Answer& answer) {
  Loads loads = {!request.without_friction, read_wrenches(robot.model, request.wrenches)};
  RobotTrajectory motion =
      read_trajectory(robot, MotionFields::of(request), source, largest_request);
  auto tau = efforts_along(robot, motion, loads);
  answer.verdict = judge(robot.model, tau, motion.coordinates);
  answer.velocities_from_spline = motion.velocities_from_spline();
  answer.accelerations_from_spline = motion.accelerations_from_spline();
  answer.flexible_as_rigid = robot.flexible.has_value();
  return {std::move(motion), std::move(loads), std::move(tau)};
}

using InverseDynamics = dynamics_msgs::srv::InverseDynamics;

/// `echo` gives the trajectory of the request, once.
template <class Echo>
void answer_inverse(const Robot& robot, const InverseDynamics::Request& request,
                    const JointStateSource& source, std::size_t largest_request,
                    InverseDynamics::Response& answer, const Echo& echo) {
  const bool columns = MotionFields::of(request).in_columns();
  const auto [motion, loads, tau] = judged_efforts(robot, request, source, largest_request, answer);
  const std::size_t n = robot.model.size();
  if (request.return_parts) answer.parts = parts_along(robot, motion, loads);
  if (columns) {
    answer.effort = pick_columns(tau, n, motion.coordinates);
    return;
  }
  answer.trajectory = echo();
  for (std::size_t k = 0; k < answer.trajectory.points.size(); ++k) {
    answer.trajectory.points[k].effort = pick(row(tau, k, n), motion.coordinates);
  }
}

}  // namespace

DynamicsServer::DynamicsServer(ServerOptions options)
    : options_(std::move(options)), joint_states_(std::make_unique<JointStates>()) {}
DynamicsServer::~DynamicsServer() = default;

void DynamicsServer::take_joint_states(const sensor_msgs::msg::JointState& message) {
  joint_states_->take(message);
}

std::shared_ptr<const Robot> DynamicsServer::robot() const {
  const std::lock_guard lock(access_);
  if (robot_) return robot_;
  throw Fault(ResultCode::NO_MODEL,
              refused_.empty()
                  ? "no robot description has been received yet"
                  : "no robot description that can be used; the last one: " + refused_);
}

std::shared_ptr<const Robot> DynamicsServer::robot(
    const dynamics_msgs::msg::ModelOverrides& overrides) const {
  auto now = robot();
  if (!changes_model(overrides)) return now;
  {
    const std::lock_guard lock(access_);
    if (changed_from_ == now && changes_ == overrides) return changed_;
  }
  auto made = with_overrides(*now, overrides);
  const std::lock_guard lock(access_);
  changed_ = made;
  changed_from_ = std::move(now);
  changes_ = overrides;
  return made;
}

std::optional<Model> DynamicsServer::model() const {
  const std::lock_guard lock(access_);
  if (!robot_) return std::nullopt;
  return robot_->model;
}

std::optional<dynamics::Mechanism> DynamicsServer::mechanism() const {
  const std::lock_guard lock(access_);
  if (!robot_) return std::nullopt;
  return robot_->mechanism;
}

std::string DynamicsServer::refusal() const {
  const std::lock_guard lock(access_);
  return refused_;
}

dynamics_msgs::msg::Payload DynamicsServer::payload() const {
  const auto current = model();
  return current ? payload_message(*current) : dynamics_msgs::msg::Payload();
}

ResultCode DynamicsServer::set_description(const std::string& urdf) {
  const std::lock_guard one_at_a_time(change_);
  std::shared_ptr<const Robot> made;
  std::shared_ptr<const std::string> received;
  auto outcome = guarded([&] {
    received = std::make_shared<const std::string>(urdf);
    dynamics::ModelOptions options;
    options.gravity = options_.gravity;
    options.friction_velocity = options_.friction_velocity;
    try {
      made = make_robot(urdf, options, options_.batch_threads);
      if (const auto current = this->model();
          current && current->payload() && made->model.find_frame(current->payload()->frame)) {
        made = made->with_payload(current->payload());
      }
    } catch (const dynamics::Error& error) {
      throw Fault(ResultCode::INVALID_VALUE, error.what());
    }
  });
  const std::lock_guard lock(access_);
  received_ = std::move(received);
  refused_ = outcome.message;
  if (made) robot_ = std::move(made);  // requests in progress keep the old one until they end
  return outcome;
}

void DynamicsServer::inverse_dynamics(const Request<InverseDynamics>& request,
                                      Response<InverseDynamics>& response) const {
  respond(response, [&](auto& answer) {
    answer_inverse(*robot(request.overrides), request,
                   {*joint_states_, options_.joint_state_timeout}, options_.largest_request, answer,
                   [&] { return request.trajectory; });
  });
}

void DynamicsServer::inverse_dynamics(Request<InverseDynamics>&& request,
                                      Response<InverseDynamics>& response) const {
  respond(response, [&](auto& answer) {
    answer_inverse(*robot(request.overrides), request,
                   {*joint_states_, options_.joint_state_timeout}, options_.largest_request, answer,
                   [&] { return std::move(request.trajectory); });
  });
}

void DynamicsServer::check_torque_limits(
    const Request<dynamics_msgs::srv::CheckTorqueLimits>& request,
    Response<dynamics_msgs::srv::CheckTorqueLimits>& response) const {
  respond(response, [&](auto& answer) {
    judged_efforts(*robot(request.overrides), request,
                   {*joint_states_, options_.joint_state_timeout}, options_.largest_request,
                   answer);
  });
}

void DynamicsServer::forward_dynamics(
    const Request<dynamics_msgs::srv::ForwardDynamics>& request,
    Response<dynamics_msgs::srv::ForwardDynamics>& response) const {
  respond(response, [&](auto& answer) {
    const auto now = robot(request.overrides);
    const Model& model = now->model;
    const auto& names = request.joint_names;
    const Loads loads = {!request.without_friction, read_wrenches(model, request.wrenches)};
    const auto further =
        now->flexible ? now->flexible->amplitude_names() : std::span<const std::string>();
    const auto coordinates = read_all_joints(*now, names, "joint_names", further);
    const Rows states = {"state", count_rows(request.positions, names, "positions", "state",
                                             options_.largest_request)};
    if (!now->mechanism && !model.singular_reason().empty()) {
      throw Fault(ResultCode::NO_SOLUTION, model.singular_reason());
    }
    const std::size_t n = model.size() + further.size(), size = states.count * n;
    std::vector<double> q(size, 0.0), qd(size, 0.0), tau(size, 0.0), qdd(size);
    const auto read = [&](const std::vector<double>& values, const char* field,
                          std::vector<double>& into) {
      read_matrix(values, names, coordinates, field, states, n, into.data());
    };
    const bool moving = !request.velocities.empty();
    read(request.positions, "positions", q);
    if (moving) read(request.velocities, "velocities", qd);
    if (!request.effort.empty()) read(request.effort, "effort", tau);
    close_states(*now, coordinates, "states", q, moving ? &qd : nullptr);
    if (now->flexible) {
      now->flexible_forward_dynamics(q, qd, tau, qdd, loads, "states");
    } else {
      now->forward_dynamics(q, qd, tau, qdd, loads, "states");
    }
    answer.accelerations = pick_columns(qdd, n, coordinates);
  });
}

void DynamicsServer::get_dynamics_terms(
    const Request<dynamics_msgs::srv::GetDynamicsTerms>& request,
    Response<dynamics_msgs::srv::GetDynamicsTerms>& response) const {
  respond(response, [&](auto& answer) {
    const auto now = robot(request.overrides);
    const Model& model = now->model;
    const std::size_t n = model.size();
    const auto& names = request.joint_names;
    const auto coordinates = read_all_joints(*now, names, "joint_names");
    std::vector<double> q(n), qd(n, 0.0);
    read_values(request.positions, names, coordinates, {"positions"}, q.data());
    if (!request.velocities.empty()) {
      read_values(request.velocities, names, coordinates, {"velocities"}, qd.data());
    }
    std::size_t frame = model.end_effector();
    if (!request.frame_id.empty()) {
      const auto found = model.find_frame(request.frame_id);
      if (!found) {
        throw Fault(ResultCode::UNKNOWN_FRAME, fmt::format("frame_id: robot '{}' has no link '{}'",
                                                           model.name(), request.frame_id));
      }
      frame = *found;
    }
    const dynamics::Axes axes = read_axes(request.jacobian_axes, "jacobian_axes");
    close_states(*now, coordinates, "", q, &qd);
    const DynamicsTerms terms = terms_at(*now, q, qd, coordinates, frame, axes);
    for (const std::size_t coordinate : terms.coordinates)
      answer.joint_names.push_back(model.coordinates()[coordinate].name);
    answer.inertia = to_message(terms.inertia);
    answer.coriolis = to_message(terms.coriolis);
    answer.gravity = terms.gravity;
    answer.friction = terms.friction;
    if (!request.frame_id.empty()) {
      answer.jacobian = to_message(in_message_order(terms.jacobian));
    }
    answer.kinetic_energy = terms.energy.kinetic;
    answer.potential_energy = terms.energy.potential;
    answer.center_of_mass.x = terms.center_of_mass.x();
    answer.center_of_mass.y = terms.center_of_mass.y();
    answer.center_of_mass.z = terms.center_of_mass.z();
    answer.flexible_as_rigid = now->flexible.has_value();
  });
}

void DynamicsServer::get_model(const Request<dynamics_msgs::srv::GetModel>&,
                               Response<dynamics_msgs::srv::GetModel>& response) const {
  respond(response, [&](auto& answer) { describe(*robot(), answer); });
}

void DynamicsServer::set_payload(const Request<dynamics_msgs::srv::SetPayload>& request,
                                 Response<dynamics_msgs::srv::SetPayload>& response) {
  const std::lock_guard one_at_a_time(change_);
  response = Response<dynamics_msgs::srv::SetPayload>();
  response.result = guarded([&] {
    const auto now = robot();
    auto made = now->with_payload(read_payload(now->model, request.payload));
    const std::lock_guard lock(access_);
    robot_ = std::move(made);
  });
  if (const auto current = model()) {
    response.payload = payload_message(*current);
    response.total_mass = current->total_mass();
  }
}

}  // namespace dynamics_ros
