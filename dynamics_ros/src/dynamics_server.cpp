// SPDX-License-Identifier: Apache-2.0
#include "dynamics_ros/dynamics_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <dynamics_core/model/from_urdf.hpp>
#include <dynamics_core/rigid/coriolis_matrix.hpp>
#include <dynamics_core/rigid/energy.hpp>
#include <dynamics_core/rigid/forward_dynamics.hpp>
#include <dynamics_core/rigid/inertia_matrix.hpp>
#include <dynamics_core/rigid/inverse_dynamics.hpp>
#include <dynamics_core/rigid/kinematics.hpp>
#include <span>
#include <utility>
#include <vector>

#include "dynamics_ros/workspace_pool.hpp"
#include "fault.hpp"
#include "model_messages.hpp"
#include "request.hpp"

namespace dynamics_ros {

using dynamics::Model;
using dynamics::Workspace;
using dynamics_msgs::msg::EffortParts;
using dynamics_msgs::msg::EffortVerdict;

struct DynamicsServer::Robot {
  explicit Robot(Model made) : model(std::move(made)), pool(model) {}
  Model model;
  WorkspacePool pool;
};

namespace {

/// The entries of these coordinates, of a vector in model order.
std::vector<double> pick(std::span<const double> values,
                         const std::vector<std::size_t>& coordinates) {
  std::vector<double> picked;
  picked.reserve(coordinates.size());
  for (const std::size_t coordinate : coordinates) picked.push_back(values[coordinate]);
  return picked;
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

/// What the efforts of one point are made of.
EffortParts parts_of(const Model& model, Workspace& workspace, std::span<const double> q,
                     std::span<const double> qd, std::span<const double> qdd, bool friction,
                     const std::vector<std::size_t>& coordinates) {
  const std::size_t n = model.size();
  std::vector<double> gravity(n), velocity(n), inertia(n), friction_part(n, 0.0);
  dynamics::Conditions frictionless;
  frictionless.friction = false;
  gravity_forces(model, workspace, q, gravity);
  bias_forces(model, workspace, q, qd, velocity, frictionless);
  inverse_dynamics(model, workspace, q, qd, qdd, inertia, frictionless);
  if (friction) friction_forces(model, workspace, qd, friction_part);
  for (std::size_t i = 0; i < n; ++i) {
    inertia[i] -= velocity[i];
    velocity[i] -= gravity[i];
  }
  EffortParts parts;
  parts.gravity = pick(gravity, coordinates);
  parts.velocity = pick(velocity, coordinates);
  parts.inertia = pick(inertia, coordinates);
  parts.friction = pick(friction_part, coordinates);
  return parts;
}

/// Efforts against limits; the efforts of point k are tau[k * size ...], in model order.
EffortVerdict judge(const Model& model, const std::vector<double>& tau, std::size_t count,
                    const std::vector<std::size_t>& coordinates) {
  EffortVerdict verdict;
  verdict.first_violating_point = -1;
  const auto ratio = [](double effort, double limit) {
    return effort == 0.0 ? 0.0 : effort / limit;  // a limit of 0 allows an effort of 0
  };
  for (const std::size_t coordinate : coordinates) {
    double peak = 0.0;
    std::uint32_t point = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const double effort = std::abs(tau[k * model.size() + coordinate]);
      if (effort > peak) {
        peak = effort;
        point = static_cast<std::uint32_t>(k);
      }
    }
    const auto& joint = model.coordinates()[coordinate];
    verdict.joint_names.push_back(joint.name);
    verdict.peak.push_back(peak);
    verdict.peak_point.push_back(point);
    verdict.limit.push_back(joint.effort);
    verdict.ratio.push_back(ratio(peak, joint.effort));
  }
  for (std::size_t k = 0; k < count && verdict.first_violating_point < 0; ++k) {
    double largest = 1.0;
    for (const std::size_t coordinate : coordinates) {
      const auto& joint = model.coordinates()[coordinate];
      const double here = ratio(std::abs(tau[k * model.size() + coordinate]), joint.effort);
      if (here > largest) {
        largest = here;
        verdict.first_violating_point = static_cast<std::int32_t>(k);
        verdict.first_violating_joint = joint.name;
      }
    }
  }
  verdict.within_limits = verdict.first_violating_point < 0;
  return verdict;
}

std::vector<double> efforts_along(const Model& model, Workspace& workspace,
                                  const RobotTrajectory& trajectory, bool friction) {
  const std::size_t n = model.size();
  std::vector<double> tau(trajectory.count * n);
  dynamics::Conditions conditions;
  conditions.friction = friction;
  for (std::size_t k = 0; k < trajectory.count; ++k) {
    const auto at = [&](const std::vector<double>& values) {
      return std::span<const double>(values).subspan(k * n, n);
    };
    inverse_dynamics(model, workspace, at(trajectory.q), at(trajectory.qd), at(trajectory.qdd),
                     std::span<double>(tau).subspan(k * n, n), conditions);
  }
  return tau;
}

}  // namespace

DynamicsServer::DynamicsServer(ServerOptions options) : options_(std::move(options)) {}
DynamicsServer::~DynamicsServer() = default;

std::shared_ptr<DynamicsServer::Robot> DynamicsServer::robot() const {
  const std::lock_guard lock(access_);
  if (robot_) return robot_;
  throw Fault(ResultCode::NO_MODEL,
              refused_.empty()
                  ? "no robot description has been received yet"
                  : "no robot description that can be used; the last one: " + refused_);
}

std::optional<Model> DynamicsServer::model() const {
  const std::lock_guard lock(access_);
  if (!robot_) return std::nullopt;
  return robot_->model;
}

dynamics_msgs::msg::Payload DynamicsServer::payload() const {
  const auto current = model();
  return current ? payload_message(*current) : dynamics_msgs::msg::Payload();
}

ResultCode DynamicsServer::set_description(const std::string& urdf) {
  const std::lock_guard one_at_a_time(change_);
  std::shared_ptr<Robot> made;
  auto outcome = guarded([&] {
    dynamics::ModelOptions options;
    options.gravity = options_.gravity;
    options.friction_velocity = options_.friction_velocity;
    try {
      Model model = dynamics::model_from_urdf(urdf, options, "robot_description");
      if (model.size() == 0) {
        throw Fault(ResultCode::INVALID_VALUE,
                    fmt::format("robot '{}' has no joint that moves", model.name()));
      }
      if (const auto current = this->model();
          current && current->payload() && model.find_frame(current->payload()->frame)) {
        model = model.with_payload(*current->payload());
      }
      made = std::make_shared<Robot>(std::move(model));
    } catch (const dynamics::ModelError& error) {
      throw Fault(ResultCode::INVALID_VALUE, error.what());
    }
  });
  const std::lock_guard lock(access_);
  refused_ = outcome.message;
  if (made) robot_ = std::move(made);  // requests in progress keep the old one until they end
  return outcome;
}

void DynamicsServer::inverse_dynamics(
    const Request<dynamics_msgs::srv::InverseDynamics>& request,
    Response<dynamics_msgs::srv::InverseDynamics>& response) const {
  respond(response, [&](auto& answer) {
    const auto now = robot();
    const Model& model = now->model;
    const RobotTrajectory motion =
        read_trajectory(model, request.trajectory, request.other_joints, options_.largest_request);
    auto loan = now->pool.take();
    const auto tau = efforts_along(model, *loan, motion, !request.without_friction);
    const std::size_t n = model.size();
    answer.trajectory = request.trajectory;
    for (std::size_t k = 0; k < motion.count; ++k) {
      const auto at = [&](const std::vector<double>& values) {
        return std::span<const double>(values).subspan(k * n, n);
      };
      answer.trajectory.points[k].effort = pick(at(tau), motion.coordinates);
      if (!request.return_parts) continue;
      answer.parts.push_back(parts_of(model, *loan, at(motion.q), at(motion.qd), at(motion.qdd),
                                      !request.without_friction, motion.coordinates));
    }
    answer.verdict = judge(model, tau, motion.count, motion.coordinates);
    answer.velocities_from_spline = motion.velocities_from_spline;
    answer.accelerations_from_spline = motion.accelerations_from_spline;
  });
}

void DynamicsServer::check_torque_limits(
    const Request<dynamics_msgs::srv::CheckTorqueLimits>& request,
    Response<dynamics_msgs::srv::CheckTorqueLimits>& response) const {
  respond(response, [&](auto& answer) {
    const auto now = robot();
    const RobotTrajectory motion = read_trajectory(now->model, request.trajectory,
                                                   request.other_joints, options_.largest_request);
    auto loan = now->pool.take();
    const auto tau = efforts_along(now->model, *loan, motion, !request.without_friction);
    answer.verdict = judge(now->model, tau, motion.count, motion.coordinates);
    answer.velocities_from_spline = motion.velocities_from_spline;
    answer.accelerations_from_spline = motion.accelerations_from_spline;
  });
}

void DynamicsServer::forward_dynamics(
    const Request<dynamics_msgs::srv::ForwardDynamics>& request,
    Response<dynamics_msgs::srv::ForwardDynamics>& response) const {
  respond(response, [&](auto& answer) {
    const auto now = robot();
    const Model& model = now->model;
    const auto& names = request.joint_names;
    const auto coordinates = read_all_joints(model, names, "joint_names");
    check_count(request.states.size(), options_.largest_request, "states");
    if (!model.singular_reason().empty()) {
      throw Fault(ResultCode::NO_SOLUTION, model.singular_reason());
    }
    const std::size_t n = model.size(), count = request.states.size();
    std::vector<double> q(count * n), qd(count * n, 0.0), tau(count * n, 0.0), qdd(n);
    const bool moving = !request.states[0].velocities.empty();
    const bool driven = !request.states[0].effort.empty();
    for (std::size_t k = 0; k < count; ++k) {
      const auto& state = request.states[k];
      const std::string field = fmt::format("states[{}]", k);
      read_values(state.positions, names, coordinates, field + ".positions", &q[k * n]);
      if (moving || !state.velocities.empty()) {
        read_values(state.velocities, names, coordinates, field + ".velocities", &qd[k * n]);
      }
      if (driven || !state.effort.empty()) {
        read_values(state.effort, names, coordinates, field + ".effort", &tau[k * n]);
      }
      if (moving == state.velocities.empty() || driven == state.effort.empty()) {
        throw Fault(ResultCode::WRONG_SIZE,
                    fmt::format("{}: velocities and effort are given in every state or in none, "
                                "unlike here and in states[0]",
                                field));
      }
    }
    auto loan = now->pool.take();
    dynamics::Conditions conditions;
    conditions.friction = !request.without_friction;
    answer.states = request.states;
    for (std::size_t k = 0; k < count; ++k) {
      const auto at = [&](const std::vector<double>& values) {
        return std::span<const double>(values).subspan(k * n, n);
      };
      try {
        dynamics::forward_dynamics(model, *loan, at(q), at(qd), at(tau), qdd, conditions);
      } catch (const dynamics::ModelError& error) {
        throw Fault(ResultCode::NO_SOLUTION, fmt::format("states[{}]: {}", k, error.what()));
      }
      answer.states[k].accelerations = pick(qdd, coordinates);
    }
  });
}

void DynamicsServer::get_dynamics_terms(
    const Request<dynamics_msgs::srv::GetDynamicsTerms>& request,
    Response<dynamics_msgs::srv::GetDynamicsTerms>& response) const {
  using Terms = Request<dynamics_msgs::srv::GetDynamicsTerms>;
  respond(response, [&](auto& answer) {
    const auto now = robot();
    const Model& model = now->model;
    const std::size_t n = model.size();
    const auto& names = request.joint_names;
    const auto coordinates = read_all_joints(model, names, "joint_names");
    std::vector<double> q(n), qd(n, 0.0);
    read_values(request.position, names, coordinates, "position", q.data());
    if (!request.velocity.empty()) {
      read_values(request.velocity, names, coordinates, "velocity", qd.data());
    }
    std::size_t frame = model.end_effector();
    if (!request.frame.empty()) {
      const auto found = model.find_frame(request.frame);
      if (!found) {
        throw Fault(ResultCode::UNKNOWN_FRAME,
                    fmt::format("frame: robot '{}' has no link '{}'", model.name(), request.frame));
      }
      frame = *found;
    }
    dynamics::Axes axes = dynamics::Axes::world;
    switch (request.jacobian_axes) {
      case Terms::WORLD: break;
      case Terms::LOCAL: axes = dynamics::Axes::local; break;
      case Terms::LOCAL_WORLD_ALIGNED: axes = dynamics::Axes::local_world_aligned; break;
      default:
        throw Fault(ResultCode::INVALID_VALUE,
                    fmt::format("jacobian_axes is {}; it must be WORLD ({}), LOCAL ({}) or "
                                "LOCAL_WORLD_ALIGNED ({})",
                                request.jacobian_axes, Terms::WORLD, Terms::LOCAL,
                                Terms::LOCAL_WORLD_ALIGNED));
    }
    auto loan = now->pool.take();
    Workspace& workspace = *loan;
    const auto size = static_cast<Eigen::Index>(n);
    Eigen::MatrixXd inertia(size, size), coriolis(size, size), jacobian(6, size);
    std::vector<double> gravity(n), friction(n);
    dynamics::inertia_matrix(model, workspace, q, inertia);
    dynamics::coriolis_matrix(model, workspace, q, qd, coriolis);
    dynamics::gravity_forces(model, workspace, q, gravity);
    dynamics::friction_forces(model, workspace, qd, friction);
    dynamics::jacobian(model, workspace, q, frame, axes, jacobian);
    const auto energy = dynamics::energy(model, workspace, q, qd);
    const auto centre = dynamics::momentum(model, workspace, q, qd).centre;

    std::vector<Eigen::Index> order(coordinates.begin(), coordinates.end());
    answer.inertia = to_message(inertia(order, order));
    answer.coriolis = to_message(coriolis(order, order));
    answer.gravity = pick(gravity, coordinates);
    answer.friction = pick(friction, coordinates);
    answer.frame = model.frames()[frame].name;
    answer.jacobian = to_message(jacobian(Eigen::all, order));
    answer.kinetic_energy = energy.kinetic;
    answer.potential_energy = energy.potential;
    answer.centre_of_mass.x = centre.x();
    answer.centre_of_mass.y = centre.y();
    answer.centre_of_mass.z = centre.z();
  });
}

void DynamicsServer::get_model(const Request<dynamics_msgs::srv::GetModel>&,
                               Response<dynamics_msgs::srv::GetModel>& response) const {
  respond(response, [&](auto& answer) { describe(robot()->model, answer); });
}

void DynamicsServer::set_payload(const Request<dynamics_msgs::srv::SetPayload>& request,
                                 Response<dynamics_msgs::srv::SetPayload>& response) {
  const std::lock_guard one_at_a_time(change_);
  response = Response<dynamics_msgs::srv::SetPayload>();
  response.result = guarded([&] {
    const auto now = robot();
    auto made = std::make_shared<Robot>(with_payload(now->model, request.payload));
    const std::lock_guard lock(access_);
    robot_ = std::move(made);
  });
  if (const auto current = model()) {
    response.payload = payload_message(*current);
    response.total_mass = current->total_mass();
  }
}

}  // namespace dynamics_ros
