// SPDX-License-Identifier: Apache-2.0
#include "dynamics_sim/system_services.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <utility>

#include "job_queue.hpp"

namespace dynamics_sim {
namespace {

using dynamics_msgs::msg::ResultCode;

/// Replaces characters that are not allowed in node names.
std::string node_name(std::string name) {
  for (char& letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  }
  return name;
}

}  // namespace

ResultCode to_result(int code, const std::string& message) {
  ResultCode result;
  result.code = code;
  result.message = message;
  return result;
}

ResultCode to_result(const RequestError& error) {
  switch (error.kind) {
    case RequestError::Kind::unknown: return to_result(ResultCode::UNKNOWN_JOINT, error.message);
    case RequestError::Kind::duplicate:
      return to_result(ResultCode::DUPLICATE_JOINT, error.message);
    case RequestError::Kind::wrong_size: return to_result(ResultCode::WRONG_SIZE, error.message);
    case RequestError::Kind::not_finite: return to_result(ResultCode::NOT_FINITE, error.message);
    case RequestError::Kind::invalid: break;
  }
  return to_result(ResultCode::INVALID_VALUE, error.message);
}

std::unique_ptr<dynamics::Plant> with_payload(const dynamics::Plant& plant,
                                              const dynamics_msgs::msg::Payload& load) {
  if (load.frame_id.empty()) return plant.with_payload(std::nullopt);
  dynamics::Payload payload;
  payload.frame = load.frame_id;
  payload.mass = load.inertia.m;
  payload.center = {load.inertia.com.x, load.inertia.com.y, load.inertia.com.z};
  const auto& i = load.inertia;
  payload.inertia << i.ixx, i.ixy, i.ixz, i.ixy, i.iyy, i.iyz, i.ixz, i.iyz, i.izz;
  return plant.with_payload(payload);
}

TimedWrench to_timed_wrench(const dynamics::Model& model,
                            const geometry_msgs::msg::WrenchStamped& message, double duration,
                            double step) {
  const auto fail = [](const std::string& text) { throw std::invalid_argument(text); };
  const std::string& link = message.header.frame_id;
  const auto frame = model.find_frame(link);
  if (!frame) fail("frame_id '" + link + "' is not a link of the robot");
  const auto& force = message.wrench.force;
  const auto& torque = message.wrench.torque;
  TimedWrench made;
  made.wrench = {
      *frame, {{torque.x, torque.y, torque.z}, {force.x, force.y, force.z}}, dynamics::Axes::local};
  if (!made.wrench.wrench.force.allFinite() || !made.wrench.wrench.moment.allFinite())
    fail("the wrench on '" + link + "' is not finite");
  if (!(duration > 0.0) || !(duration <= 1e6)) {
    fail("duration is " + std::to_string(duration) +
         " s: must be greater than 0 and at most 1000000");
  }
  made.steps = static_cast<std::uint64_t>(std::max(1LL, std::llround(duration / step)));
  return made;
}

struct SystemServices::Context {
  std::shared_ptr<SystemLink> link;
  Options options;
  rclcpp::Logger logger;
  std::atomic<bool> ended = false;          // the services are being removed
  std::atomic<std::uint64_t> canceled = 0;  // steps, by set_state

  Context(std::shared_ptr<SystemLink> given_link, Options given, const rclcpp::Logger& given_logger)
      : link(std::move(given_link)), options(std::move(given)), logger(given_logger) {}

  /// Polls the condition every millisecond for up to two seconds.
  bool wait_for(const std::function<bool()>& condition) const {
    using std::chrono::steady_clock;
    const auto end = steady_clock::now() + std::chrono::seconds(2);
    while (!condition()) {
      if (steady_clock::now() > end || ended || !rclcpp::ok()) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

  void set_payload(const dynamics_msgs::msg::Payload& load) {
    try {
      link->payload.send(std::make_unique<dynamics::RealTimeSimulation>(
          with_payload(*options.plant, load), options.simulation));
      if (load.frame_id.empty()) {
        RCLCPP_INFO(logger, "%s: payload removed", link->name().c_str());
      } else {
        RCLCPP_INFO(logger, "%s: payload of %g kg at link '%s'", link->name().c_str(),
                    load.inertia.m, load.frame_id.c_str());
      }
    } catch (const std::exception& error) {
      RCLCPP_ERROR(logger, "payload rejected, the previous one is kept: %s", error.what());
    }
  }

  void act(const TimedWrench& wrench) const {
    if (link->wrenches.send(wrench)) return;
    throw std::runtime_error(std::to_string(WrenchQueue::capacity) +
                             " wrenches wait for the control loop already");
  }

  void set_wrench(const geometry_msgs::msg::WrenchStamped& message) {
    try {
      act(to_timed_wrench(options.plant->model(), message, options.wrench_duration,
                          options.simulation.step));
    } catch (const std::exception& error) {
      RCLCPP_ERROR(logger, "wrench rejected: %s", error.what());
    }
  }

  void apply_wrench(const ApplyWrench::Request& request, ApplyWrench::Response& response) const {
    try {
      act(to_timed_wrench(options.plant->model(), request.wrench,
                          rclcpp::Duration(request.duration).seconds(), options.simulation.step));
    } catch (const std::invalid_argument& error) {
      response.result = to_result(ResultCode::INVALID_VALUE, error.what());
    } catch (const std::exception& error) {
      response.result = to_result(ResultCode::INTERNAL_ERROR, error.what());
    }
  }

  void reset_state(const Reset::Request& request, Reset::Response& response) {
    std::unique_lock one(link->requests, std::defer_lock);
    if (!wait_for([&] { return one.try_lock(); })) {
      response.result =
          to_result(ResultCode::INTERNAL_ERROR, "nothing was done: another request is in progress");
      return;
    }
    const NamedState named = {request.joint_names, request.positions, request.velocities};
    if (const auto error = check({&link, 1}, named)) {
      response.result = to_result(*error);
      return;
    }
    if (request.reset_time) {
      response.result = to_result(ResultCode::INVALID_VALUE,
                                  "the time cannot be reset here: use simulation_node");
      return;
    }
    const auto before = link->resets.load();
    link->reset.send(std::make_unique<SystemState>(link->state_from(named)));
    if (!wait_for([&] { return link->resets.load() != before; }) && link->reset.withdraw()) {
      response.result = to_result(ResultCode::INTERNAL_ERROR,
                                  "the control loop is not running; nothing was changed");
    }
    link->reset.collect();
  }

  void set_state(const SetState::Request& request, SetState::Response& response) {
    if (request.state == SetState::Request::PAUSED || request.state == SetState::Request::RUNNING) {
      canceled += link->steps.exchange(0);
      link->paused = request.state == SetState::Request::PAUSED;
    } else if (request.state != SetState::Request::QUERY) {
      response.result = to_result(ResultCode::INVALID_VALUE,
                                  "state is " + std::to_string(request.state) +
                                      ": must be 0 (query), 1 (running) or 2 (paused)");
    }
    response.state = link->paused ? SetState::Request::PAUSED : SetState::Request::RUNNING;
  }

  void step(const Step::Request& request, Step::Response& response) {
    std::unique_lock one(link->requests, std::defer_lock);
    if (!wait_for([&] { return one.try_lock(); })) {
      response.result =
          to_result(ResultCode::INTERNAL_ERROR, "nothing was done: another request is in progress");
      return;
    }
    if (request.steps == 0 || request.steps > 10'000'000) {
      response.result =
          to_result(ResultCode::INVALID_VALUE,
                    "steps is " + std::to_string(request.steps) + ": must be from 1 to 10000000");
      return;
    }
    if (!link->paused) {
      response.result = to_result(ResultCode::INVALID_VALUE, "the simulation is not paused");
      return;
    }
    canceled = 0;
    link->steps = request.steps;
    std::uint64_t left = request.steps;
    while (left > 0) {
      if (!wait_for([&] { return link->steps.load() < left; })) break;
      left = link->steps.load();
    }
    left = link->steps.exchange(0);
    response.steps = request.steps - std::min(left + canceled, request.steps);
    if (left > 0) {
      response.result = to_result(ResultCode::INTERNAL_ERROR, "the control loop is not running");
    } else if (canceled > 0) {
      response.result = to_result(ResultCode::CANCELED, "the simulation was paused or resumed");
    }
  }
};

SystemServices::SystemServices(const rclcpp::Node::SharedPtr& node,
                               std::shared_ptr<SystemLink> link, Options options)
    : node_(node ? node : std::make_shared<rclcpp::Node>(node_name(options.block))) {
  context_ = std::make_shared<Context>(std::move(link), std::move(options),
                                       node_->get_logger().get_child("simulation"));
  const std::weak_ptr<Context> weak = context_;
  const auto refuse = [](auto& response) {
    response.result = to_result(ResultCode::INTERNAL_ERROR, "the hardware is not configured");
  };
  if (!context_->options.payload_topic.empty()) {
    payload_ = node_->create_subscription<dynamics_msgs::msg::Payload>(
        context_->options.payload_topic, rclcpp::QoS(1).transient_local(),
        [weak](const dynamics_msgs::msg::Payload& load) {
          if (const auto context = weak.lock()) context->set_payload(load);
        });
  }
  wrench_ = node_->create_subscription<geometry_msgs::msg::WrenchStamped>(
      "~/wrench", rclcpp::QoS(WrenchQueue::capacity),
      [weak](const geometry_msgs::msg::WrenchStamped& message) {
        if (const auto context = weak.lock()) context->set_wrench(message);
      });
  apply_wrench_ = node_->create_service<ApplyWrench>(
      "~/apply_wrench",
      [weak, refuse](const ApplyWrench::Request::SharedPtr& request,
                     const ApplyWrench::Response::SharedPtr& response) {
        const auto context = weak.lock();
        if (!context) return refuse(*response);
        context->apply_wrench(*request, *response);
      },
      service_queue());
  if (context_->options.control) {
    jobs_ = std::make_shared<JobQueue>();
    reset_ =
        serve_in<Reset>(*node_, "~/reset", jobs_,
                        [weak, refuse](const Reset::Request& request, Reset::Response& response) {
                          const auto context = weak.lock();
                          if (!context) return refuse(response);
                          context->reset_state(request, response);
                        });
    set_state_ = node_->create_service<SetState>(
        "~/set_state",
        [weak, refuse](const SetState::Request::SharedPtr& request,
                       const SetState::Response::SharedPtr& response) {
          const auto context = weak.lock();
          if (!context) return refuse(*response);
          context->set_state(*request, *response);
        },
        service_queue());
    step_ = serve_in<Step>(*node_, "~/step", jobs_,
                           [weak, refuse](const Step::Request& request, Step::Response& response) {
                             const auto context = weak.lock();
                             if (!context) return refuse(response);
                             context->step(request, response);
                           });
  }
  if (!node) {
    executor_ = std::make_unique<rclcpp::executors::SingleThreadedExecutor>();
    executor_->add_node(node_);
    thread_ = std::thread([this] { executor_->spin(); });
  }
}

SystemServices::~SystemServices() {
  context_->ended = true;
  jobs_.reset();  // waits for a request in progress
  if (!thread_.joinable()) return;
  // cancel() has no effect before spin() has started
  while (rclcpp::ok() && !executor_->is_spinning()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  executor_->cancel();
  thread_.join();
}

}  // namespace dynamics_sim
