// SPDX-License-Identifier: Apache-2.0
#include "dynamics_controllers/robot_in_loop.hpp"

#include <algorithm>
#include <cmath>
#include <dynamics_core/readers.hpp>
#include <tuple>
#include <utility>

namespace dynamics_controllers {
namespace {

using controller_interface::return_type;
using dynamics_msgs::msg::ResultCode;

constexpr double stale_distance = 1e-3;  // rad or m
constexpr double stale_window = 0.2;     // s

dynamics::Payload from_message(const dynamics_msgs::msg::Payload& message) {
  const auto& inertia = message.inertia;
  dynamics::Payload payload{message.frame_id, inertia.m, {}, {}};
  payload.center = {inertia.com.x, inertia.com.y, inertia.com.z};
  payload.inertia << inertia.ixx, inertia.ixy, inertia.ixz,  //
      inertia.ixy, inertia.iyy, inertia.iyz,                 //
      inertia.ixz, inertia.iyz, inertia.izz;
  return payload;
}

/// A link and a fixed joint for each payload.
dynamics::Model with_payloads(const dynamics::Model& bare,
                              const std::map<std::string, dynamics_msgs::msg::Payload>& payloads) {
  if (payloads.empty()) return bare;
  dynamics::RobotDescription description = bare.description();
  for (const auto& [name, message] : payloads) {
    const dynamics::Payload payload = from_message(message);
    dynamics::LinkDescription link;
    link.name = "payload " + name;
    link.inertial = dynamics::Inertial{payload.mass, payload.center, payload.inertia};
    description.links.push_back(link);
    dynamics::JointDescription joint;
    joint.name = link.name;
    joint.parent = payload.frame;
    joint.child = link.name;
    description.joints.push_back(joint);
  }
  return dynamics::Model(std::move(description), {bare.gravity(), bare.friction_velocity()});
}

std::string in_quotes(const std::string& name) { return "'" + name + "'"; }

}  // namespace

RobotInLoop::RobotInLoop() = default;
RobotInLoop::~RobotInLoop() = default;

void RobotInLoop::configure(rclcpp_lifecycle::LifecycleNode& node, const std::string& urdf,
                            const RobotSettings& settings) {
  if (urdf.empty()) throw dynamics::ArgumentError("the robot description is empty");
  const std::scoped_lock lock(payload_mutex_);
  settings_ = settings;
  const Eigen::Vector3d gravity(settings.gravity.at(0), settings.gravity.at(1),
                                settings.gravity.at(2));
  bare_ = dynamics::model_from_urdf(
      urdf, {.gravity = gravity, .friction_velocity = settings.friction_velocity},
      "robot_description");
  const auto coordinates = bare_->coordinates();
  const std::size_t n = coordinates.size();

  joint_names_ = settings.joints;
  if (joint_names_.empty()) {
    for (const auto& one : coordinates) {
      const auto& passive = settings.passive_joints;
      if (std::find(passive.begin(), passive.end(), one.name) == passive.end())
        joint_names_.push_back(one.name);
    }
  }
  const auto index_of = [&](const std::string& name, const char* parameter) {
    if (const auto index = bare_->find_coordinate(name)) return *index;
    throw dynamics::ArgumentError(std::string("parameter '") + parameter + "': the robot " +
                                  in_quotes(bare_->name()) + " has no joint " + in_quotes(name) +
                                  " that moves by itself");
  };
  std::vector<bool> known(n, false);
  const auto add = [&](const std::string& name, const char* parameter) {
    const std::size_t index = index_of(name, parameter);
    if (known[index]) {
      throw dynamics::ArgumentError(std::string("parameter '") + parameter + "': joint " +
                                    in_quotes(name) + " is given twice");
    }
    known[index] = true;
    measured_.push_back(index);
    measured_names_.push_back(name);
    return index;
  };
  joints_.clear();
  measured_.clear();
  measured_names_.clear();
  for (const auto& name : joint_names_) joints_.push_back(add(name, "joints"));
  for (const auto& name : settings.passive_joints) add(name, "passive_joints");
  for (std::size_t i = 0; i < n; ++i) {
    if (!known[i]) {
      RCLCPP_WARN(node.get_logger(),
                  "joint %s is neither in 'joints' nor in 'passive_joints': it is assumed to be at "
                  "rest at zero",
                  in_quotes(coordinates[i].name).c_str());
    }
  }
  effort_limits_.clear();
  for (const auto& one : coordinates) effort_limits_.push_back(one.effort);
  for (auto* const values : {&q_, &qd_, &effort_, &gravity_, &other_, &last_})
    values->assign(n, 0.0);
  read_.assign(3 * n, 0.0);
}

void RobotInLoop::open(rclcpp_lifecycle::LifecycleNode& node, Factory factory) {
  const std::scoped_lock lock(payload_mutex_);
  factory_ = std::move(factory);
  next_.reset();
  retired_.reset();
  mailbox_.send(nullptr);
  current_ = make_evaluator(0.0);
  service_ = node.create_service<SetPayload>(
      "~/set_payload", [this](const SetPayload::Request::SharedPtr& request,
                              const SetPayload::Response::SharedPtr& response) {
        set_payload(*request, *response);
      });
}

void RobotInLoop::release() {
  service_.reset();
  const std::scoped_lock lock(payload_mutex_);
  payloads_.clear();
}

std::vector<std::string> RobotInLoop::state_names() const {
  std::vector<std::string> names;
  for (const auto& joint : measured_names_) {
    names.push_back(joint + "/position");
    names.push_back(joint + "/velocity");
  }
  if (settings_.measure_effort) {
    for (const auto& joint : joint_names_) names.push_back(joint + "/effort");
  }
  return names;
}

std::vector<std::string> RobotInLoop::command_names() const {
  std::vector<std::string> names;
  if (!settings_.command_effort) return names;
  for (const auto& joint : joint_names_) names.push_back(joint + "/effort");
  return names;
}

std::unique_ptr<Evaluator> RobotInLoop::make_evaluator(double ramp_time) const {
  auto result = factory_(with_payloads(*bare_, payloads_));
  result->ramp_time = ramp_time;
  return result;
}

void RobotInLoop::rebuild(double ramp_time, const std::function<void()>& change) {
  const std::scoped_lock lock(payload_mutex_);
  change();
  mailbox_.send(make_evaluator(ramp_time));
}

void RobotInLoop::set_payload(const SetPayload::Request& request, SetPayload::Response& response) {
  const std::scoped_lock lock(payload_mutex_);
  const auto before = payloads_;
  double mass = 0.0;
  try {
    if (request.name.empty()) throw dynamics::ArgumentError("name: the payload has no name");
    const double ramp_time = rclcpp::Duration(request.ramp_time).seconds();
    if (!request.default_ramp_time && ramp_time < 0.0)
      throw dynamics::ArgumentError("ramp_time: it must not be negative");
    if (request.payload.frame_id.empty()) {
      payloads_.erase(request.name);
    } else {
      if (!bare_->find_frame(request.payload.frame_id)) {
        response.result.code = ResultCode::UNKNOWN_FRAME;
        throw dynamics::ArgumentError("payload.frame_id: the robot has no link " +
                                      in_quotes(request.payload.frame_id));
      }
      (void)bare_->with_payload(from_message(request.payload));  // checks its values
      payloads_[request.name] = request.payload;
    }
    auto next = make_evaluator(request.default_ramp_time ? settings_.payload_ramp_time : ramp_time);
    mass = next->model.total_mass();
    mailbox_.send(std::move(next));
  } catch (const std::exception& error) {
    payloads_ = before;
    if (response.result.code == ResultCode::SUCCESS)
      response.result.code = ResultCode::INVALID_VALUE;
    response.result.message = error.what();
    mass = with_payloads(*bare_, payloads_).total_mass();
  }
  for (const auto& [name, payload] : payloads_) {
    response.payload_names.push_back(name);
    response.payloads.push_back(payload);
  }
  response.total_mass = mass;
}

void RobotInLoop::settle() noexcept {
  if (next_) current_ = std::move(next_);
  retired_.reset();
  if (auto pending = mailbox_.take()) current_ = std::move(pending);
  ramp_ = 0.0;
}

bool RobotInLoop::start(const States& states) noexcept {
  settle();
  invalid_ = 0.0;
  moved_.assign(q_.size(), 0.0);
  fault_ = "";
  written_ = false;
  const bool valid = read(states, 0.0);
  std::copy(effort_.begin(), effort_.end(), last_.begin());
  written_ = valid && settings_.measure_effort;
  return valid;
}

void RobotInLoop::begin_cycle(double period) noexcept {
  if (retired_) mailbox_.retire(retired_);
  if (next_) {
    ramp_ += next_->ramp_time > 0.0 ? period / next_->ramp_time : 1.0;
    if (ramp_ < 1.0) return;
    next_->continue_from(*current_);
    retired_ = std::move(current_);
    current_ = std::move(next_);
    mailbox_.retire(retired_);
  }
  if (retired_) return;
  next_ = mailbox_.take();
  ramp_ = 0.0;
}

bool RobotInLoop::read(const States& states, double period) noexcept {
  const std::size_t expected =
      2 * measured_.size() + (settings_.measure_effort ? joints_.size() : 0);
  if (states.size() != expected) {
    fault_ = "the state interfaces are missing";
    return false;
  }
  for (std::size_t k = 0; k < states.size(); ++k) {
    const auto value = states[k].get_optional();
    read_[k] = value ? *value : std::nan("");
    if (std::isfinite(read_[k])) continue;
    fault_ = value ? "a measured state is not finite" : "a measured state cannot be read";
    return false;
  }
  bool same = true;
  for (std::size_t k = 0; k < measured_.size(); ++k) {
    const std::size_t i = measured_[k];
    same = same && q_[i] == read_[2 * k];
    q_[i] = read_[2 * k];
    qd_[i] = read_[2 * k + 1];
  }
  if (settings_.measure_effort) {
    for (std::size_t k = 0; k < joints_.size(); ++k)
      effort_[joints_[k]] = read_[2 * measured_.size() + k];
  }
  const double kept = std::max(0.0, 1.0 - period / stale_window);
  for (std::size_t i = 0; i < q_.size(); ++i) {
    moved_[i] = same ? kept * moved_[i] + qd_[i] * period : 0.0;
    if (std::abs(moved_[i]) <= stale_distance) continue;
    fault_ = "the measured positions stay the same while the velocities are not zero";
    return false;
  }
  return true;
}

bool RobotInLoop::limit(std::span<double> tau) noexcept {
  bool beyond = false;
  for (const std::size_t i : joints_) beyond = beyond || std::abs(tau[i]) > effort_limits_[i];
  if (!beyond) return false;
  const auto gravity = [this](Evaluator& robot, std::span<double> g) {
    return dynamics::try_gravity_forces(robot.model, robot.workspace, q_, g);
  };
  if (!evaluate(gravity, gravity_)) std::fill(gravity_.begin(), gravity_.end(), 0.0);
  double share = 1.0;
  for (const std::size_t i : joints_) {
    if (std::abs(tau[i]) <= effort_limits_[i]) continue;
    const double more = tau[i] - gravity_[i];
    const double room = std::copysign(effort_limits_[i], tau[i]) - gravity_[i];
    share = std::min(share, more == 0.0 ? 0.0 : std::clamp(room / more, 0.0, 1.0));
  }
  for (const std::size_t i : joints_) {
    const double wanted = gravity_[i] + share * (tau[i] - gravity_[i]);
    tau[i] = std::clamp(wanted, -effort_limits_[i], effort_limits_[i]);
  }
  return true;
}

/// False if a command could not be written.
bool RobotInLoop::send(Commands& commands, std::span<const double> tau) noexcept {
  bool complete = commands.size() == joints_.size();
  for (std::size_t k = 0; k < joints_.size() && k < commands.size(); ++k)
    complete = commands[k].set_value(tau[joints_[k]]) && complete;
  return complete;
}

return_type RobotInLoop::write(Commands& commands, std::span<const double> tau,
                               double period) noexcept {
  const bool complete = send(commands, tau);
  std::copy(tau.begin(), tau.end(), last_.begin());
  written_ = true;
  if (complete) {
    invalid_ = 0.0;
    return return_type::OK;
  }
  fault_ = "a command cannot be written";
  invalid_ += period;
  return invalid_ > settings_.stale_time ? return_type::ERROR : return_type::OK;
}

return_type RobotInLoop::hold(Commands& commands, double period) noexcept {
  invalid_ += period;
  if (invalid_ > settings_.stale_time) return return_type::ERROR;
  if (written_) std::ignore = send(commands, last_);
  return return_type::OK;
}

}  // namespace dynamics_controllers
