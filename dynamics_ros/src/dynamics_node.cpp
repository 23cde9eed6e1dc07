// SPDX-License-Identifier: Apache-2.0
#include "dynamics_ros/dynamics_node.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <diagnostic_updater/diagnostic_updater.hpp>
#include <dynamics_ros/dynamics_node_parameters.hpp>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_components/register_node_macro.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <span>
#include <std_msgs/msg/string.hpp>
#include <string>
#include <utility>
#include <vector>

#include "action_server.hpp"
#include "call_statistics.hpp"
#include "durations.hpp"
#include "dynamics_ros/dynamics_server.hpp"
#include "dynamics_ros/service_queue.hpp"
#include "worker_pool.hpp"

namespace dynamics_ros {
namespace {

using dynamics_msgs::msg::ResultCode;
using Status = diagnostic_updater::DiagnosticStatusWrapper;

constexpr const char* long_requests_full =
    "as many long requests wait as parameter long_request_queue allows: ask again later";

ServerOptions server_options(const ::dynamics_node::Params& parameters) {
  const auto size = [](std::int64_t value) { return static_cast<std::size_t>(value); };
  ServerOptions options;
  options.gravity = Eigen::Vector3d::Map(parameters.gravity.data());
  options.friction_velocity = parameters.friction_velocity;
  options.largest_request = size(parameters.largest_request);
  options.largest_scaling = size(parameters.largest_scaling);
  options.batch_threads = size(parameters.batch_threads);
  options.longest_simulation = parameters.longest_simulation;
  options.joint_state_timeout = parameters.joint_state_timeout;
  return options;
}

}  // namespace

class DynamicsNode::Work {
 public:
  Work(DynamicsNode& node, const ::dynamics_node::Params& parameters)
      : node_(node),
        server_(server_options(parameters)),
        short_request_(static_cast<std::size_t>(parameters.short_request)),
        group_(node.create_callback_group(rclcpp::CallbackGroupType::Reentrant)),
        long_requests_(static_cast<std::size_t>(parameters.long_request_threads),
                       static_cast<std::size_t>(parameters.long_request_queue)),
        simulations_(static_cast<std::size_t>(parameters.simulation_threads),
                     static_cast<std::size_t>(parameters.simulation_queue)),
        diagnostics_(&node) {
    const auto latched = rclcpp::QoS(1).reliable().transient_local();
    payload_ = node.create_publisher<dynamics_msgs::msg::Payload>("~/payload", latched);
    if (parameters.robot_description.empty()) {
      description_ = node.create_subscription<std_msgs::msg::String>(
          "robot_description", latched,
          [this](const std_msgs::msg::String& message) { take_description(message.data); });
    } else {
      take_description(parameters.robot_description);
    }
    rclcpp::SubscriptionOptions in_group;
    in_group.callback_group = group_;
    joint_states_ = node.create_subscription<sensor_msgs::msg::JointState>(
        "joint_states", rclcpp::SensorDataQoS(),
        [this](const sensor_msgs::msg::JointState& message) { server_.take_joint_states(message); },
        in_group);
    offer_services();
    offer_actions();
    diagnostics_.setHardwareID(node.get_fully_qualified_name());
    diagnostics_.add("model", [this](Status& status) { report_model(status); });
    diagnostics_.add("requests", [this](Status& status) { report_requests(status); });
    diagnostics_.add("load", [this](Status& status) { report_load(status); });
  }

  ~Work() {
    simulate_->cancel_all();
    scale_trajectory_->cancel_all();
    simulations_.end();
    long_requests_.end();
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

 private:
  CallStatistics& add_statistics(const std::string& name) {
    statistics_.emplace_back().first = name;
    return statistics_.back().second;
  }

  void offer_services() {
    namespace srv = dynamics_msgs::srv;
    const auto points = [](const auto& request) {
      return std::max(request.trajectory.points.size(), request.columns.time_from_start.size());
    };
    const auto one = [](const auto&) { return std::size_t{1}; };
    const auto inverse_dynamics = [](DynamicsServer& server, srv::InverseDynamics::Request& request,
                                     srv::InverseDynamics::Response& response) {
      server.inverse_dynamics(std::move(request), response);
    };
    serve<srv::InverseDynamics>("inverse_dynamics", inverse_dynamics, points);
    serve<srv::CheckTorqueLimits>("check_torque_limits", &DynamicsServer::check_torque_limits,
                                  points);
    serve<srv::ForwardDynamics>(
        "forward_dynamics", &DynamicsServer::forward_dynamics, [](const auto& request) {
          return request.positions.size() / std::max<std::size_t>(request.joint_names.size(), 1);
        });
    serve<srv::GetDynamicsTerms>("get_dynamics_terms", &DynamicsServer::get_dynamics_terms, one);
    serve<srv::GetModel>("get_model", &DynamicsServer::get_model, one);
    const auto scale_trajectory = [](const DynamicsServer& server,
                                     const srv::ScaleTrajectory::Request& request,
                                     srv::ScaleTrajectory::Response& response) {
      server.scale_trajectory(request, response);
    };
    serve<srv::ScaleTrajectory>(
        "scale_trajectory", scale_trajectory, [points](const auto& request) {
          constexpr std::size_t rounds = 32;  // of inverse dynamics at each point, about
          return rounds * points(request) * (std::size_t{request.interior_points} + 1);
        });
    serve<srv::CheckModel>("check_model", &DynamicsServer::check_model, [](const auto& request) {
      constexpr std::size_t samples = 256;  // of the condition number
      return request.without_condition ? std::size_t{1} : samples + 1;
    });
    const auto set_payload = [this](DynamicsServer& server, const srv::SetPayload::Request& request,
                                    srv::SetPayload::Response& response) {
      const std::lock_guard in_order(publishing_);
      server.set_payload(request, response);
      if (response.result.code != ResultCode::SUCCESS) return;
      payload_set_ = true;
      payload_->publish(server.payload());
    };
    serve<srv::SetPayload>("set_payload", set_payload, one);
  }

  void offer_actions() {
    using Simulate = dynamics_msgs::action::Simulate;
    using ScaleTrajectory = dynamics_msgs::action::ScaleTrajectory;
    using GoOn = std::function<bool(double)>;
    simulate_ = std::make_unique<ActionServer<Simulate>>(
        node_, "simulate", add_statistics("simulate"), simulations_,
        "as many simulations wait as parameter simulation_queue allows: ask again later",
        [this](const Simulate::Goal& goal, Simulate::Result& result, const GoOn& go_on) {
          server_.simulate(goal, result, go_on);
        },
        [](const Simulate::Goal& goal, double time) {
          Simulate::Feedback feedback;
          feedback.time_from_start = duration_message(std::llround(time * 1e9));
          feedback.progress = time / seconds(goal.duration);
          return feedback;
        });
    scale_trajectory_ = std::make_unique<ActionServer<ScaleTrajectory>>(
        node_, "scale_trajectory", add_statistics("scale_trajectory action"), long_requests_,
        long_requests_full,
        [this](const ScaleTrajectory::Goal& goal, ScaleTrajectory::Result& result,
               const GoOn& go_on) { server_.scale_trajectory(goal, result, go_on); },
        [](const ScaleTrajectory::Goal&, double progress) {
          ScaleTrajectory::Feedback feedback;
          feedback.progress = progress;
          return feedback;
        });
  }

  /// Answers requests by a function of the server: short ones at once, in the executor's thread,
  /// long ones on threads of their own, so that they never keep short ones waiting.
  template <class Service, class Answer, class Size>
  void serve(const std::string& name, Answer answer, Size size) {
    using Handle = std::shared_ptr<rclcpp::Service<Service>>;
    CallStatistics& statistics = add_statistics(name);
    const auto callback = [this, answer, size, &statistics](
                              Handle service, std::shared_ptr<rmw_request_id_t> id,
                              std::shared_ptr<typename Service::Request> request) {
      const auto begin = std::chrono::steady_clock::now();
      const auto send = [this, service = std::move(service), id = std::move(id), begin,
                         &statistics](auto& response) {
        if (response.result.code != ResultCode::SUCCESS) {
          RCLCPP_DEBUG(node_.get_logger(), "%s: %s", service->get_service_name(),
                       response.result.message.c_str());
        }
        try {
          service->send_response(*id, response);
        } catch (const std::exception& error) {  // a client that is gone, a node that ends
          RCLCPP_WARN(node_.get_logger(), "%s: no answer could be sent: %s",
                      service->get_service_name(), error.what());
        }
        statistics.add(response.result, std::chrono::steady_clock::now() - begin);
      };
      const auto work = [this, answer, request, send] {
        typename Service::Response response;
        std::invoke(answer, server_, *request, response);
        send(response);
      };
      if (size(*request) <= short_request_) return work();
      if (long_requests_.submit(work)) return;
      typename Service::Response busy;
      busy.result.code = ResultCode::BUSY;
      busy.result.message = long_requests_full;
      send(busy);
    };
    services_.push_back(
        node_.create_service<Service>("~/" + name, callback, service_queue(), group_));
  }

  void take_description(const std::string& urdf) {
    const std::lock_guard in_order(publishing_);
    const ResultCode taken = server_.set_description(urdf);
    const auto model = server_.model();
    if (taken.code == ResultCode::SUCCESS) {
      RCLCPP_INFO(node_.get_logger(), "robot '%s' with %zu joints, %.6g kg", model->name().c_str(),
                  model->size(), model->total_mass());
      const auto warn = [&](std::span<const dynamics::Note> notes) {
        for (const auto& note : notes) {
          if (note.severity != dynamics::Note::Severity::warning) continue;
          RCLCPP_WARN(node_.get_logger(), "'%s' %s", note.element.c_str(), note.message.c_str());
        }
      };
      warn(model->notes());
      const auto mechanism = server_.mechanism();
      if (mechanism) warn(mechanism->notes());
    } else if (model) {
      RCLCPP_ERROR(node_.get_logger(), "bad robot description, going on with '%s': %s",
                   model->name().c_str(), taken.message.c_str());
    } else {
      RCLCPP_ERROR(node_.get_logger(), "bad robot description: %s", taken.message.c_str());
    }
    // a node that was restarted must not take the payload from the robot
    if (payload_set_) payload_->publish(server_.payload());
  }

  void report_model(Status& status) const {
    const auto model = server_.model();
    const std::string refusal = server_.refusal();
    if (!model) {
      status.summary(Status::ERROR,
                     refusal.empty() ? "no robot description yet" : "bad robot description");
    } else if (!refusal.empty()) {
      status.summary(Status::WARN, "bad robot description, going on with the one before");
    } else {
      status.summary(Status::OK, "robot '" + model->name() + "'");
    }
    if (!refusal.empty()) status.add("refused", refusal);
    if (!model) return;
    status.add("name", model->name());
    status.add("joints", model->size());
    if (const auto mechanism = server_.mechanism()) {
      status.add("independent joints", mechanism->size());
    }
    status.add("mass (kg)", model->total_mass());
    status.add("payload (kg)", model->payload() ? model->payload()->mass : 0.0);
    status.add("payload frame", model->payload() ? model->payload()->frame : "");
    const bool loops = server_.mechanism().has_value();
    status.add("forward dynamics",
               loops || model->singular_reason().empty() ? "yes" : model->singular_reason());
  }

  void report_requests(Status& status) {
    std::uint64_t calls = 0, faults = 0, internal = 0;
    for (const auto& [name, of_service] : statistics_) {
      const CallStatistics::Summary summary = of_service.summary();
      calls += summary.calls;
      faults += summary.faults;
      internal += summary.internal_errors;
      if (summary.calls == 0) continue;
      status.add(name + " calls", summary.calls);
      status.add(name + " faults", summary.faults);
      status.add(name + " latency p50 (ms)", 1e3 * summary.median);
      status.add(name + " latency p99 (ms)", 1e3 * summary.p99);
      status.add(name + " latency max (ms)", 1e3 * summary.largest);
      if (summary.faults > 0) {
        status.add(name + " last fault",
                   std::to_string(summary.last_fault.code) + ": " + summary.last_fault.message);
      }
    }
    status.add("calls", calls);
    status.add("faults", faults);
    // a bad request is its sender's fault; the node's own is worth a look for as long as it is new
    const bool fresh = internal > internal_errors_;
    internal_errors_ = internal;
    status.summary(fresh ? Status::WARN : Status::OK,
                   fresh ? "internal errors: see the last faults"
                         : std::to_string(calls) + " calls, " + std::to_string(faults) + " faults");
  }

  void report_load(Status& status) const {
    const auto add = [&status](const std::string& name, const WorkerPool::Load& load) {
      status.add(name + " running", load.running);
      status.add(name + " waiting", load.waiting);
    };
    status.summary(Status::OK, "");
    add("long requests", long_requests_.load());
    add("simulations", simulations_.load());
  }

  DynamicsNode& node_;
  DynamicsServer server_;
  const std::size_t short_request_;
  rclcpp::CallbackGroup::SharedPtr group_;  // reentrant: requests are answered side by side
  std::mutex publishing_;                   // payloads are published in the order they are set
  bool payload_set_ = false;                // by a request
  std::list<std::pair<std::string, CallStatistics>> statistics_;
  std::uint64_t internal_errors_ = 0;  // reported
  rclcpp::Publisher<dynamics_msgs::msg::Payload>::SharedPtr payload_;
  WorkerPool long_requests_;
  WorkerPool simulations_;
  std::unique_ptr<ActionServer<dynamics_msgs::action::Simulate>> simulate_;
  std::unique_ptr<ActionServer<dynamics_msgs::action::ScaleTrajectory>> scale_trajectory_;
  std::vector<rclcpp::ServiceBase::SharedPtr> services_;
  rclcpp::Subscription<std_msgs::msg::String>::SharedPtr description_;
  rclcpp::Subscription<sensor_msgs::msg::JointState>::SharedPtr joint_states_;
  diagnostic_updater::Updater diagnostics_;
};

DynamicsNode::DynamicsNode(const rclcpp::NodeOptions& options) : Node("dynamics", options) {
  const auto parameters =
      ::dynamics_node::ParamListener(get_node_parameters_interface(), get_logger()).get_params();
  work_ = std::make_unique<Work>(*this, parameters);
}

DynamicsNode::~DynamicsNode() = default;

}  // namespace dynamics_ros

RCLCPP_COMPONENTS_REGISTER_NODE(dynamics_ros::DynamicsNode)
