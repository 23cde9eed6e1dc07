// SPDX-License-Identifier: Apache-2.0
#pragma once

// Services whose handlers wait, for example for steps of the simulation. The handlers run in a
// thread of their own, so that they keep neither the executor nor other services waiting.
//
//   const auto jobs = std::make_shared<JobQueue>();
//   const auto service = serve_in<Step>(*node, "~/step", jobs,
//       [](const Step::Request& request, Step::Response& response) { ... });

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <thread>
#include <utility>

namespace dynamics_sim {

/// Runs jobs in one thread, in the order in which they were submitted.
class JobQueue {
 public:
  JobQueue();
  /// Waits for the job in progress; the others are dropped.
  ~JobQueue();
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  void submit(std::function<void()> job);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool ended_ = false;
  std::thread thread_;
};

/// QoS of the services, for requests of many clients at once: the usual queue of ten drops further
/// ones. The depth does not affect compatibility.
inline rclcpp::QoS service_queue() { return rclcpp::ServicesQoS().keep_last(1000); }

/// A service that calls handler(request, response) in the thread of `jobs`, which may end before.
template <class Service, class Handler>
typename rclcpp::Service<Service>::SharedPtr serve_in(
    rclcpp::Node& node, const std::string& name, const std::shared_ptr<JobQueue>& jobs,
    Handler handler, const rclcpp::CallbackGroup::SharedPtr& group = nullptr) {
  const auto callback = [weak = std::weak_ptr(jobs), handler](
                            std::shared_ptr<rclcpp::Service<Service>> service,
                            std::shared_ptr<rmw_request_id_t> id,
                            std::shared_ptr<typename Service::Request> request) {
    const auto queue = weak.lock();
    if (!queue) return;
    queue->submit(
        [handler, service = std::move(service), id = std::move(id), request = std::move(request)] {
          typename Service::Response response;
          handler(*request, response);
          try {
            service->send_response(*id, response);
          } catch (const std::exception& error) {  // ROS was shut down
            RCLCPP_DEBUG(rclcpp::get_logger("dynamics_sim"), "no response: %s", error.what());
          }
        });
  };
  return node.create_service<Service>(name, callback, service_queue(), group);
}

}  // namespace dynamics_sim
