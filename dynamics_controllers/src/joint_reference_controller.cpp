// SPDX-License-Identifier: Apache-2.0
#include "dynamics_controllers/joint_reference_controller.hpp"

#include <algorithm>
#include <cmath>
#include <dynamics_controllers/joint_reference_parameters.hpp>
#include <dynamics_core/inertia_matrix.hpp>
#include <tuple>

#include "settings.hpp"

namespace dynamics_controllers {
JointReferenceController::JointReferenceController() = default;
JointReferenceController::~JointReferenceController() = default;

void JointReferenceController::declare_parameters() {
  listener_ = std::make_shared<joint_reference::ParamListener>(get_node());
}

TorqueController::Settings JointReferenceController::read_settings() {
  params_ = std::make_unique<joint_reference::Params>(listener_->get_params());
  return {robot_settings(*params_), params_->blend_time, params_->limit_efforts};
}

TorqueController::Names JointReferenceController::reference_names() const {
  Names names;
  for (const auto& joint : robot().joint_names()) {
    for (const char* interface : {"position", "velocity", "acceleration", "effort"})
      names.emplace_back(joint, interface);
  }
  return names;
}

TorqueController::Names JointReferenceController::state_names() const {
  Names names;
  for (const auto& joint : robot().joint_names()) {
    names.emplace_back(joint, "position_error");
    names.emplace_back(joint, "velocity_error");
  }
  return names;
}

void JointReferenceController::prepare(const ParameterValues& values) {
  const std::size_t n = robot().joints().size();
  for (auto* const v :
       {&q_ref_, &qd_ref_, &qdd_ref_, &error_, &error_rate_, &measured_, &measured_rate_})
    v->assign(n, 0.0);
  inertia_.assign(n, 1.0);
  gains_ = gains_from(values, inertia_);
  std::vector<bool> continuous;
  const auto& bare = robot().bare_model();
  for (const std::size_t i : robot().joints()) {
    const auto& one = bare.coordinates()[i];
    continuous.push_back(!one.prismatic && std::isinf(one.lower) && std::isinf(one.upper));
  }
  follower_.configure(continuous, params_->stop_time);
  snapshots_.reset({q_ref_, q_ref_, q_ref_, q_ref_, q_ref_, 0});

  state_ = State();
  state_.joint_names = robot().joint_names();
  for (auto* const point : {&state_.reference, &state_.feedback, &state_.error, &state_.output}) {
    point->positions.assign(n, 0.0);
    point->velocities.assign(n, 0.0);
  }
  state_.reference.accelerations.assign(n, 0.0);
  state_.output.positions.clear();
  state_.output.velocities.clear();
  state_.output.effort.assign(n, 0.0);
  state_.speed_scaling_factor = 1.0;
  create_topics();
}

void JointReferenceController::create_topics() {
  auto& node = *get_node();
  publisher_ = node.create_publisher<State>("~/controller_state", rclcpp::SystemDefaultsQoS());
  realtime_publisher_ = std::make_unique<realtime_tools::RealtimePublisher<State>>(publisher_);
  size_message(*realtime_publisher_, state_);
  server_ = rclcpp_action::create_server<Action>(
      get_node(), "~/follow_joint_trajectory",
      [this](const rclcpp_action::GoalUUID&, const std::shared_ptr<const Action::Goal>& goal) {
        return handle_goal(*goal);
      },
      [](const std::shared_ptr<GoalHandle>&) { return rclcpp_action::CancelResponse::ACCEPT; },
      [this](const std::shared_ptr<GoalHandle>& goal) { accept(goal); });
  subscription_ = node.create_subscription<trajectory_msgs::msg::JointTrajectory>(
      "~/joint_trajectory", rclcpp::SystemDefaultsQoS(),
      [this](const trajectory_msgs::msg::JointTrajectory::ConstSharedPtr& message) {
        const std::scoped_lock lock(goal_mutex_);
        try {
          auto trajectory = track(*message);
          finish_goal(Action::Result::INVALID_GOAL, "replaced by a trajectory of the topic", false);
          follower_.send(std::move(trajectory));
        } catch (const std::exception& error) {
          RCLCPP_ERROR(get_node()->get_logger(), "trajectory refused: %s", error.what());
        }
      });
  timer_ =
      node.create_wall_timer(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                 std::chrono::duration<double>(1.0 / params_->action_monitor_rate)),
                             [this] { monitor(); });
}

void JointReferenceController::check(const ParameterValues& values) const {
  std::ignore = gains_from(values, std::vector<double>(robot().joints().size(), 1.0));
}

void JointReferenceController::change(const ParameterValues& values) {
  rebuild([&] { gains_ = gains_from(values, inertia_); });
}

void JointReferenceController::start() {
  // the gains, with the diagonal of M in this state
  const auto joints = robot().joints();
  const auto n = static_cast<Eigen::Index>(robot().size());
  Eigen::MatrixXd M(n, n);
  auto& evaluator = robot().evaluator();
  dynamics::inertia_matrix(evaluator.model, evaluator.workspace, robot().positions(), M);
  const ParameterValues values(*get_node());
  rebuild([&] {
    for (std::size_t k = 0; k < joints.size(); ++k) {
      const auto i = static_cast<Eigen::Index>(joints[k]);
      inertia_[k] = M(i, i);
    }
    gains_ = gains_from(values, inertia_);
  });
  robot().settle();

  const std::scoped_lock lock(goal_mutex_);
  for (std::size_t k = 0; k < joints.size(); ++k) measured_[k] = robot().positions()[joints[k]];
  follower_.start(measured_);
  snapshots_.back().q_ref = measured_;
  std::fill(snapshots_.back().qd_ref.begin(), snapshots_.back().qd_ref.end(), 0.0);
  std::fill(snapshots_.back().qdd_ref.begin(), snapshots_.back().qdd_ref.end(), 0.0);
  snapshots_.publish();
  since_publication_ = 0.0;
  active_ = true;
}

void JointReferenceController::end() {
  const std::scoped_lock lock(goal_mutex_);
  active_ = false;
  finish_goal(Action::Result::INVALID_GOAL, "the controller was deactivated", false);
}

void JointReferenceController::release() {
  timer_.reset();
  server_.reset();
  subscription_.reset();
  realtime_publisher_.reset();
  publisher_.reset();
}

/// The points of a message for all joints, from the current reference on. `partial`: joints that it
/// does not name keep their reference.
dynamics::Knots JointReferenceController::knots(
    const trajectory_msgs::msg::JointTrajectory& message, bool partial) {
  const auto& names = robot().joint_names();
  const std::size_t n = names.size(), given = message.joint_names.size();
  std::vector<std::size_t> index(given);  // of the message's joints
  std::vector<bool> seen(n, false);
  for (std::size_t k = 0; k < given; ++k) {
    const auto found = std::find(names.begin(), names.end(), message.joint_names[k]);
    if (found == names.end()) {
      throw dynamics::ArgumentError("joint_names: '" + message.joint_names[k] +
                                    "' is no joint of this controller");
    }
    index[k] = static_cast<std::size_t>(found - names.begin());
    if (seen[index[k]])
      throw dynamics::ArgumentError("joint_names: '" + *found + "' is given twice");
    seen[index[k]] = true;
  }
  if (given == 0 || (given < n && !partial)) {
    throw dynamics::ArgumentError("joint_names: " + std::to_string(given) + " of " +
                                  std::to_string(n) +
                                  " joints; allow_partial_joints_goal is not set");
  }
  if (message.points.empty()) throw dynamics::ArgumentError("points: there are none");

  bool velocities = true, accelerations = true;
  for (const auto& point : message.points) {
    velocities = velocities && !point.velocities.empty();
    accelerations = accelerations && velocities && !point.accelerations.empty();
  }
  snapshots_.refresh();
  const Snapshot& now = snapshots_.front();
  dynamics::Knots result;
  const auto add = [&](double t, const std::vector<double>& q, const std::vector<double>& qd,
                       const std::vector<double>& qdd) {
    result.t.push_back(t);
    result.q.push_back(q);
    if (velocities) result.qd.push_back(qd);
    if (accelerations) result.qdd.push_back(qdd);
  };
  const std::vector<double> zero(n, 0.0);
  const auto time_of = [](const trajectory_msgs::msg::JointTrajectoryPoint& point) {
    return rclcpp::Duration(point.time_from_start).seconds();
  };
  if (time_of(message.points.front()) > 0.0) add(0.0, now.q_ref, now.qd_ref, now.qdd_ref);
  for (std::size_t p = 0; p < message.points.size(); ++p) {
    const auto& point = message.points[p];
    std::vector<double> q = now.q_ref, qd = zero, qdd = zero;
    const auto take = [&](const std::vector<double>& values, const char* name, bool used,
                          std::vector<double>& out) {
      if (!used) return;
      if (values.size() != given) {
        throw dynamics::ArgumentError("points[" + std::to_string(p) + "]." + name + " has " +
                                      std::to_string(values.size()) + " entries instead of " +
                                      std::to_string(given));
      }
      for (std::size_t k = 0; k < given; ++k) {
        if (!std::isfinite(values[k])) {
          throw dynamics::ArgumentError("points[" + std::to_string(p) + "]." + name + "[" +
                                        std::to_string(k) + "] is not finite");
        }
        out[index[k]] = values[k];
      }
    };
    take(point.positions, "positions", true, q);
    take(point.velocities, "velocities", velocities, qd);
    take(point.accelerations, "accelerations", accelerations, qdd);
    add(time_of(point), q, qd, qdd);
  }
  return result;
}

std::unique_ptr<TrackedTrajectory> JointReferenceController::track(
    const trajectory_msgs::msg::JointTrajectory& message) {
  if (!active_) throw dynamics::ArgumentError("the controller is not active");
  if (is_in_chained_mode()) {
    throw dynamics::ArgumentError("the controller follows another controller (chained mode)");
  }
  const auto params = listener_->get_params();
  dynamics::Knots points = knots(message, params.allow_partial_joints_goal);
  const std::size_t n = robot().joints().size();
  if (!points.qd.empty() && !params.allow_nonzero_velocity_at_trajectory_end) {
    for (std::size_t k = 0; k < n; ++k) {
      if (std::abs(points.qd.back()[k]) < 1e-9) continue;
      throw dynamics::ArgumentError("points: joint '" + robot().joint_names()[k] +
                                    "' has a velocity at the end; "
                                    "allow_nonzero_velocity_at_trajectory_end is not set");
    }
  }
  auto result = std::make_unique<TrackedTrajectory>();
  result->times = points.t;
  result->start = rclcpp::Time(message.header.stamp).nanoseconds();
  if (result->start != 0 && result->start + static_cast<std::int64_t>(1e9 * result->duration()) <
                                snapshots_.front().time) {
    throw dynamics::ArgumentError("header.stamp: the trajectory ended before it was received");
  }
  result->path = points.t.size() == 1 ? dynamics::hold_trajectory(points.q[0])
                                      : dynamics::knot_trajectory(std::move(points));
  result->path_position.assign(n, 0.0);
  result->goal_position.assign(n, 0.0);
  for (std::size_t k = 0; k < params.joints.size(); ++k) {
    const auto& one = params.constraints.joints_map.at(params.joints[k]);
    result->path_position[k] = one.trajectory;
    result->goal_position[k] = one.goal;
  }
  result->goal_velocity.assign(n, params.constraints.stopped_velocity_tolerance);
  result->goal_time = params.constraints.goal_time;
  return result;
}

void JointReferenceController::apply_tolerances(const Action::Goal& goal,
                                                TrackedTrajectory& trajectory) const {
  const auto& names = robot().joint_names();
  // 0: the default, negative: none
  const auto apply = [](double given, double& tolerance) {
    if (given > 0.0) tolerance = given;
    if (given < 0.0) tolerance = 0.0;
  };
  const auto index_of = [&](const std::string& name, const char* list) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    throw dynamics::ArgumentError(std::string(list) + ": '" + name +
                                  "' is no joint of this controller");
  };
  for (const auto& one : goal.path_tolerance)
    apply(one.position, trajectory.path_position[index_of(one.name, "path_tolerance")]);
  for (const auto& one : goal.goal_tolerance) {
    const std::size_t i = index_of(one.name, "goal_tolerance");
    apply(one.position, trajectory.goal_position[i]);
    apply(one.velocity, trajectory.goal_velocity[i]);
  }
  apply(rclcpp::Duration(goal.goal_time_tolerance).seconds(), trajectory.goal_time);
}

rclcpp_action::GoalResponse JointReferenceController::handle_goal(const Action::Goal& goal) {
  const std::scoped_lock lock(goal_mutex_);
  try {
    auto trajectory = track(goal.trajectory);
    apply_tolerances(goal, *trajectory);
    return rclcpp_action::GoalResponse::ACCEPT_AND_EXECUTE;
  } catch (const std::exception& error) {
    RCLCPP_ERROR(get_node()->get_logger(), "goal refused: %s", error.what());
    return rclcpp_action::GoalResponse::REJECT;
  }
}

void JointReferenceController::accept(const std::shared_ptr<GoalHandle>& goal) {
  const std::scoped_lock lock(goal_mutex_);
  finish_goal(Action::Result::INVALID_GOAL, "replaced by another goal", false);
  try {
    auto trajectory = track(goal->get_goal()->trajectory);
    apply_tolerances(*goal->get_goal(), *trajectory);
    trajectory->id = goal_id_ = next_id_++;
    goal_ = goal;
    follower_.send(std::move(trajectory));
  } catch (const std::exception& error) {  // no longer active, for example
    auto result = std::make_shared<Action::Result>();
    result->error_code = Action::Result::INVALID_GOAL;
    result->error_string = error.what();
    goal->abort(result);
  }
}

/// Ends the current goal, if there is one.
void JointReferenceController::finish_goal(std::int32_t code, const std::string& message,
                                           bool canceled) {
  if (!goal_) return;
  const auto goal = std::move(goal_);
  goal_.reset();
  goal_id_ = 0;
  auto result = std::make_shared<Action::Result>();
  result->error_code = code;
  result->error_string = message;
  try {
    if (canceled) {
      goal->canceled(result);
    } else if (code == Action::Result::SUCCESSFUL) {
      goal->succeed(result);
    } else {
      goal->abort(result);
    }
  } catch (const std::exception& error) {  // the client canceled it at the same time
    RCLCPP_WARN(get_node()->get_logger(), "goal: %s", error.what());
  }
}

/// Reports to the client of the action.
void JointReferenceController::monitor() {
  const std::scoped_lock lock(goal_mutex_);
  if (!goal_) return;
  const auto ended = follower_.ended();
  if (ended.id == goal_id_) {
    switch (ended.outcome) {
      case Outcome::path_tolerance:
        finish_goal(Action::Result::PATH_TOLERANCE_VIOLATED, "a path tolerance was violated",
                    false);
        return;
      case Outcome::goal_tolerance:
        finish_goal(Action::Result::GOAL_TOLERANCE_VIOLATED,
                    "the goal was not reached within its tolerances and goal_time", false);
        return;
      default: finish_goal(Action::Result::SUCCESSFUL, "goal reached", false); return;
    }
  }
  if (goal_->is_canceling()) {
    follower_.send(std::make_unique<TrackedTrajectory>());
    finish_goal(Action::Result::SUCCESSFUL, "canceled", true);
    return;
  }
  snapshots_.refresh();
  const Snapshot& now = snapshots_.front();
  auto feedback = std::make_shared<Action::Feedback>();
  feedback->header.stamp = rclcpp::Time(now.time);
  feedback->joint_names = robot().joint_names();
  feedback->desired.positions = now.q_ref;
  feedback->desired.velocities = now.qd_ref;
  feedback->desired.accelerations = now.qdd_ref;
  feedback->actual.positions = now.q;
  feedback->actual.velocities = now.qd;
  for (std::size_t k = 0; k < now.q.size(); ++k) {
    feedback->error.positions.push_back(now.q_ref[k] - now.q[k]);
    feedback->error.velocities.push_back(now.qd_ref[k] - now.qd[k]);
  }
  goal_->publish_feedback(feedback);
}

void JointReferenceController::refer(const rclcpp::Time& time, double period) noexcept {
  const auto joints = robot().joints();
  for (std::size_t k = 0; k < joints.size(); ++k) {
    measured_[k] = robot().positions()[joints[k]];
    measured_rate_[k] = robot().velocities()[joints[k]];
  }
  if (is_in_chained_mode()) {
    const auto given = references();
    for (std::size_t k = 0; k < joints.size(); ++k) {
      const auto value = [&](std::size_t interface, double otherwise) {
        const double x = given[4 * k + interface];
        return std::isfinite(x) ? x : otherwise;
      };
      q_ref_[k] = value(0, follower_.q()[k]);
      qd_ref_[k] = value(1, 0.0);
      qdd_ref_[k] = value(2, 0.0);
    }
    follower_.set(q_ref_, qd_ref_, qdd_ref_);
  } else {
    follower_.update(time.nanoseconds(), period, measured_, measured_rate_);
    std::copy(follower_.q().begin(), follower_.q().end(), q_ref_.begin());
    std::copy(follower_.qd().begin(), follower_.qd().end(), qd_ref_.begin());
    std::copy(follower_.qdd().begin(), follower_.qdd().end(), qdd_ref_.begin());
  }
  for (std::size_t k = 0; k < joints.size(); ++k) {
    error_[k] = follower_.error(k, measured_[k]);
    error_rate_[k] = qd_ref_[k] - measured_rate_[k];
  }
}

void JointReferenceController::add_effort_references(std::span<double> tau) const noexcept {
  const auto joints = robot().joints();
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const double effort = references()[4 * k + 3];
    if (std::isfinite(effort)) tau[joints[k]] += effort;
  }
}

void JointReferenceController::finish(const rclcpp::Time& time, double period) noexcept {
  for (std::size_t k = 0; k < error_.size(); ++k) {
    set_state(2 * k, error_[k]);
    set_state(2 * k + 1, error_rate_[k]);
  }
  Snapshot& now = snapshots_.back();
  now.q_ref = q_ref_;
  now.qd_ref = qd_ref_;
  now.qdd_ref = qdd_ref_;
  now.q = measured_;
  now.qd = measured_rate_;
  now.time = time.nanoseconds();
  snapshots_.publish();

  since_publication_ += period;
  if (since_publication_ * params_->state_publish_rate < 1.0) return;
  since_publication_ = 0.0;
  state_.header.stamp = time;
  state_.reference.positions = q_ref_;
  state_.reference.velocities = qd_ref_;
  state_.reference.accelerations = qdd_ref_;
  state_.feedback.positions = measured_;
  state_.feedback.velocities = measured_rate_;
  state_.error.positions = error_;
  state_.error.velocities = error_rate_;
  const auto joints = robot().joints();
  for (std::size_t k = 0; k < joints.size(); ++k) state_.output.effort[k] = written()[joints[k]];
  realtime_publisher_->try_publish(state_);
}

}  // namespace dynamics_controllers
