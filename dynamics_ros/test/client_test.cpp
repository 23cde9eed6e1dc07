// SPDX-License-Identifier: Apache-2.0
// The client helper against a server in this process: answers, faults, silence, absence.
#include "dynamics_ros/client.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <thread>
#include <utility>
#include <vector>

namespace dynamics_ros {
namespace {

using namespace std::chrono_literals;
using dynamics_msgs::msg::ResultCode;
using dynamics_msgs::srv::GetModel;
using dynamics_msgs::srv::InverseDynamics;
using Clock = std::chrono::steady_clock;

/// Answers inverse dynamics with the number of points as effort. Has no other service.
class Server {
 public:
  Server() : node_(std::make_shared<rclcpp::Node>("server")) {
    service_ = node_->create_service<InverseDynamics>(
        "/test/inverse_dynamics",
        [this](const std::shared_ptr<rclcpp::Service<InverseDynamics>>& service,
               const std::shared_ptr<rmw_request_id_t>& id,
               const InverseDynamics::Request::SharedPtr& request) {
          ++asked;
          if (silent || asked <= deaf) return;
          InverseDynamics::Response response;
          response.trajectory = request->trajectory;
          if (request->trajectory.points.empty()) {
            response.result.code = ResultCode::EMPTY_REQUEST;
            response.result.message = "trajectory.points is empty";
          }
          for (auto& point : response.trajectory.points) {
            point.effort = {static_cast<double>(request->trajectory.points.size())};
          }
          service->send_response(*id, response);
        });
    executor_.add_node(node_);
    thread_ = std::thread([this] {
      while (!ended_) executor_.spin_once(50ms);
    });
  }
  ~Server() {
    ended_ = true;
    executor_.cancel();
    thread_.join();
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::atomic<bool> silent = false;
  std::atomic<int> deaf = 0;  ///< requests that get no answer at first
  std::atomic<int> asked = 0;

 private:
  rclcpp::Node::SharedPtr node_;
  rclcpp::Service<InverseDynamics>::SharedPtr service_;
  rclcpp::executors::SingleThreadedExecutor executor_;
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

DynamicsClient::Trajectory trajectory(std::size_t points) {
  DynamicsClient::Trajectory made;
  made.points.resize(points);
  return made;
}

InverseDynamics::Request request(std::size_t points) {
  InverseDynamics::Request made;
  made.trajectory = trajectory(points);
  return made;
}

class Client : public testing::Test {
 protected:
  static void SetUpTestSuite() { rclcpp::init(0, nullptr); }
  static void TearDownTestSuite() { rclcpp::shutdown(); }

  rclcpp::Node::SharedPtr node = std::make_shared<rclcpp::Node>("planner");
};

TEST_F(Client, gets_answers_without_anybody_spinning_its_node) {
  const Server server;
  DynamicsClient client(*node, {"/test", 30s});
  for (std::size_t points = 1; points < 20; ++points) {
    const auto reply = client.inverse_dynamics(trajectory(points));
    ASSERT_TRUE(reply) << reply.message();
    EXPECT_EQ(reply.code(), ResultCode::SUCCESS);
    ASSERT_EQ(reply->trajectory.points.size(), points);
    EXPECT_EQ(reply->trajectory.points[0].effort, std::vector<double>{static_cast<double>(points)});
  }
}

TEST_F(Client, hands_on_the_faults_of_the_node) {
  const Server server;
  DynamicsClient client(*node, {"/test", 30s});
  const auto reply = client.inverse_dynamics(trajectory(0));
  EXPECT_FALSE(reply);
  EXPECT_TRUE(reply.answered());
  EXPECT_EQ(reply.code(), ResultCode::EMPTY_REQUEST);
  EXPECT_EQ(reply.message(), "trajectory.points is empty");
}

TEST_F(Client, waits_for_a_node_that_is_late) {
  DynamicsClient client(*node, {"/test", 30s});
  auto waiting = client.async_call<InverseDynamics>(request(3));
  EXPECT_EQ(waiting.wait_for(100ms), std::future_status::timeout);
  const Server server;
  const auto reply = waiting.get();
  ASSERT_TRUE(reply) << reply.message();
  EXPECT_EQ(reply->trajectory.points.size(), 3U);
}

TEST_F(Client, does_not_wait_for_ever) {
  Server server;
  DynamicsClient client(*node, {"/test", 30s});
  ASSERT_TRUE(client.inverse_dynamics(trajectory(1)));  // found each other
  // nobody offers this one
  const auto start = Clock::now();
  const auto nobody = client.call<GetModel>(GetModel::Request(), 200ms);
  EXPECT_FALSE(nobody);
  EXPECT_FALSE(nobody.answered());
  EXPECT_EQ(nobody.code(), call_code::no_service);
  EXPECT_NE(nobody.message().find("/test/get_model"), std::string::npos);
  EXPECT_THROW(*nobody, std::bad_optional_access);
  // this one is offered, and silent
  server.silent = true;
  const auto silence = client.inverse_dynamics(trajectory(1), 200ms);
  EXPECT_EQ(silence.code(), call_code::timed_out);
  EXPECT_GE(Clock::now() - start, 400ms);
  // and speaks again
  server.silent = false;
  EXPECT_TRUE(client.inverse_dynamics(trajectory(1)));
  EXPECT_EQ(client.wait_for_model(300ms).code(), call_code::no_service);
}

TEST_F(Client, asks_again_until_a_first_answer_has_come) {
  Server server;
  server.deaf = 2;  // as when both ways are not connected yet
  DynamicsClient client(*node, {"/test", 60s});
  EXPECT_TRUE(client.inverse_dynamics(trajectory(1)));
  EXPECT_GE(server.asked, 3);
  // from now on one request is one request
  ASSERT_TRUE(client.inverse_dynamics(trajectory(2)));
  server.asked = 0;
  server.silent = true;
  EXPECT_EQ(client.inverse_dynamics(trajectory(1), 1s).code(), call_code::timed_out);
  EXPECT_EQ(server.asked, 1);
}

TEST_F(Client, can_be_called_from_a_callback_and_from_many_threads) {
  const Server server;
  DynamicsClient client(*node, {"/test", 30s});
  // within a callback of the node that is being spun: a plain client would wait for ever
  bool answered = false;
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(node);
  const auto timer = node->create_wall_timer(1ms, [&] {
    answered = static_cast<bool>(client.inverse_dynamics(trajectory(2)));
    executor.cancel();
  });
  executor.spin();
  EXPECT_TRUE(answered);
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i <= 4; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 25; ++k) {
        const auto reply = client.inverse_dynamics(trajectory(i));
        if (reply && reply->trajectory.points.size() == i) ++right;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, 100);
}

TEST_F(Client, calls_back_once) {
  const Server server;
  DynamicsClient client(*node, {"/test", 30s});
  std::promise<std::size_t> done;
  std::atomic<int> times = 0;
  client.async_call<InverseDynamics>(request(4), [&](const auto& reply) {
    ++times;
    done.set_value(reply ? reply->trajectory.points.size() : 0);
  });
  EXPECT_EQ(done.get_future().get(), 4U);
  ASSERT_TRUE(client.inverse_dynamics(trajectory(1)));
  EXPECT_EQ(times, 1);
}

TEST_F(Client, ends_its_calls_when_it_ends) {
  std::future<DynamicsClient::Result<InverseDynamics>> waiting;
  {
    DynamicsClient client(*node, {"/nowhere", 1000s});
    waiting = client.async_call<InverseDynamics>(request(1));
  }
  EXPECT_EQ(waiting.get().code(), call_code::shut_down);
}

}  // namespace
}  // namespace dynamics_ros
