// SPDX-License-Identifier: Apache-2.0
#include "latency.hpp"

#include <array>
#include <chrono>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <stdexcept>

#include "dynamics_ros/dynamics_server.hpp"
#include "dynamics_ros/service_queue.hpp"

namespace dynamics_ros::benchmark {
namespace {

using Clock = std::chrono::steady_clock;
using Request = InverseDynamics::Request;
using Response = InverseDynamics::Response;

/// Calls that do not count.
std::size_t warm_up(std::size_t points) { return points < 1000 ? 20 : 2; }

double microseconds(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

class Caller {
 public:
  Caller(rclcpp::Node& node, const std::string& service)
      : client_(node.create_client<InverseDynamics>(service, service_queue())) {
    if (!client_->wait_for_service(std::chrono::seconds(30))) {
      throw std::runtime_error("no service " + service);
    }
  }

  /// Calls until an answer comes: the first ones may get lost before both ways are connected.
  void connect(rclcpp::Executor& executor, const std::shared_ptr<Request>& request) {
    for (int k = 0; k < 30; ++k) {
      if (call(executor, request, std::chrono::seconds(1)) >= 0.0) return;
    }
    throw std::runtime_error(std::string("no answer from ") + client_->get_service_name());
  }

  /// Time of one call (us), negative where it was lost or refused.
  double call(rclcpp::Executor& executor, const std::shared_ptr<Request>& request,
              std::chrono::seconds timeout = std::chrono::seconds(30)) {
    const auto start = Clock::now();
    auto future = client_->async_send_request(request);
    const auto status = executor.spin_until_future_complete(future, timeout);
    const double took = microseconds(start);
    if (status != rclcpp::FutureReturnCode::SUCCESS) {
      client_->remove_pending_request(future.request_id);
      return -1.0;
    }
    return future.get()->result.code == 0 ? took : -1.0;
  }

 private:
  rclcpp::Client<InverseDynamics>::SharedPtr client_;
};

}  // namespace

int run_empty_server(const std::string& name_space) {
  // threads and callback group as the dynamics node has them
  rclcpp::executors::MultiThreadedExecutor executor;
  const auto node = std::make_shared<rclcpp::Node>("empty_server", name_space);
  const auto group = node->create_callback_group(rclcpp::CallbackGroupType::Reentrant);
  const auto same_size = node->create_service<InverseDynamics>(
      name_space + "/same_size",
      [](const Request::SharedPtr& request, const Response::SharedPtr& response) {
        const bool columns = !request->columns.joint_names.empty();
        const auto& names =
            columns ? request->columns.joint_names : request->trajectory.joint_names;
        response->effort = request->columns.positions;
        response->trajectory = request->trajectory;
        for (auto& point : response->trajectory.points) point.effort = point.positions;
        response->verdict.joint_names = names;
        response->verdict.peak.resize(names.size());
        response->verdict.peak_point.resize(names.size());
        response->verdict.limit.resize(names.size());
        response->verdict.ratio.resize(names.size());
      },
      service_queue(), group);
  const auto empty = node->create_service<InverseDynamics>(
      name_space + "/empty", [](const Request::SharedPtr&, const Response::SharedPtr&) {},
      service_queue(), group);
  executor.add_node(node);
  executor.spin();
  return 0;
}

Latency measure_latency(const dynamics::Model& model, const std::string& urdf,
                        const std::string& node, const std::string& empty_server,
                        std::size_t points, double seconds, std::size_t least) {
  const auto own = std::make_shared<rclcpp::Node>("latency");
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(own);
  std::array<Caller, 3> callers = {Caller(*own, node + "/inverse_dynamics"),
                                   Caller(*own, empty_server + "/same_size"),
                                   Caller(*own, empty_server + "/empty")};
  ServerOptions options;
  options.gravity = model.gravity();
  DynamicsServer server(options);
  server.set_description(urdf);

  Latency times;
  times.points = points;
  Work work(model, 1);
  const auto request = std::make_shared<Request>(work.inverse(points));
  const auto columns = std::make_shared<Request>(work.inverse_columns(points));
  const auto small = std::make_shared<Request>(work.inverse(1));
  for (Caller& caller : callers) caller.connect(executor, small);
  const auto start = Clock::now();
  for (std::size_t k = 0; k < warm_up(points) + least || microseconds(start) < 1e6 * seconds; ++k) {
    if (!rclcpp::ok()) throw std::runtime_error("interrupted");
    bool failed = false;
    const auto in_process = [&](const Request& what) {
      const auto begin = Clock::now();
      Response response;
      server.inverse_dynamics(what, response);
      if (response.result.code != 0) failed = true;
      return microseconds(begin);
    };
    const double points_here = in_process(*request), columns_here = in_process(*columns);
    // in turns: whoever comes after a pause waits for the processor to wake up
    struct Call {
      std::size_t caller;
      std::shared_ptr<Request> request;
    };
    const std::array<Call, 5> calls = {
        {{0, request}, {1, request}, {2, request}, {0, columns}, {1, columns}}};
    std::array<double, calls.size()> took{};
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const std::size_t turn = (k + i) % calls.size();
      took[turn] = callers[calls[turn].caller].call(executor, calls[turn].request);
      if (took[turn] < 0.0) failed = true;
    }
    if (failed) {
      ++times.failed;
    } else if (k >= warm_up(points)) {
      times.in_process.push_back(points_here);
      times.node.push_back(took[0]);
      times.same_size.push_back(took[1]);
      times.empty.push_back(took[2]);
      times.columns_in_process.push_back(columns_here);
      times.columns_node.push_back(took[3]);
      times.columns_same_size.push_back(took[4]);
    }
  }
  return times;
}

}  // namespace dynamics_ros::benchmark
