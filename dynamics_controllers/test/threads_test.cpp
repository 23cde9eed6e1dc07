// SPDX-License-Identifier: Apache-2.0
// The control loop in one thread, services, parameters, topics and goals in others, as under a
// controller manager. `./test sanitize` runs it with ThreadSanitizer.
#include <Eigen/Geometry>
#include <atomic>
#include <control_msgs/action/follow_joint_trajectory.hpp>
#include <dynamics_core/kinematics.hpp>
#include <dynamics_msgs/srv/set_named_payload.hpp>
#include <geometry_msgs/msg/pose_stamped.hpp>
#include <geometry_msgs/msg/wrench_stamped.hpp>
#include <rclcpp_action/rclcpp_action.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <thread>
#include <trajectory_msgs/msg/joint_trajectory.hpp>

#include "plugins.hpp"
#include "ros_environment.hpp"

namespace dynamics_controllers::test {
namespace {

using Action = control_msgs::action::FollowJointTrajectory;
using SetPayload = dynamics_msgs::srv::SetNamedPayload;

/// Cycles of the loop, without pause, in a thread.
class ControlThread {
 public:
  explicit ControlThread(Loop& loop)
      : thread_([this, &loop] {
          while (!stop_) {
            loop.cycle();
            ++cycles;
          }
        }) {}
  ~ControlThread() {
    stop_ = true;
    thread_.join();
  }
  ControlThread(const ControlThread&) = delete;
  ControlThread& operator=(const ControlThread&) = delete;

  std::atomic<long> cycles{0};

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

/// The nodes' callbacks in two threads.
class SpinningThreads {
 public:
  SpinningThreads(Loop& loop, const rclcpp::Node::SharedPtr& client) {
    executor_.add_node(loop.controller->get_node()->get_node_base_interface());
    executor_.add_node(client);
    thread_ = std::thread([this] { executor_.spin(); });
  }
  ~SpinningThreads() {
    executor_.cancel();
    thread_.join();
  }
  SpinningThreads(const SpinningThreads&) = delete;
  SpinningThreads& operator=(const SpinningThreads&) = delete;

 private:
  rclcpp::executors::MultiThreadedExecutor executor_{rclcpp::ExecutorOptions(), 2};
  std::thread thread_;
};

trajectory_msgs::msg::JointTrajectory trajectory(const dynamics::Model& model, int k) {
  trajectory_msgs::msg::JointTrajectory message;
  message.joint_names = model.coordinate_names();
  message.points.resize(1);
  message.points[0].positions = start_of("panda");
  message.points[0].positions[1] += 0.01 * (k % 5);
  message.points[0].time_from_start = rclcpp::Duration::from_seconds(0.05);
  return message;
}

geometry_msgs::msg::PoseStamped pose_near_start(const dynamics::Model& model, int k) {
  dynamics::Workspace workspace(model);
  const auto pose = dynamics::frame_pose(model, workspace, start_of("panda"), model.end_effector());
  const Eigen::Quaterniond orientation(pose.rotation);
  geometry_msgs::msg::PoseStamped message;
  message.pose.position.x = pose.translation.x() + 1e-3 * (k % 5);
  message.pose.position.y = pose.translation.y();
  message.pose.position.z = pose.translation.z();
  message.pose.orientation.w = orientation.w();
  message.pose.orientation.x = orientation.x();
  message.pose.orientation.y = orientation.y();
  message.pose.orientation.z = orientation.z();
  return message;
}

/// A change of a parameter that every round makes another one.
rclcpp::Parameter change(const std::string& controller, int k) {
  const double some = 10.0 + k % 7;
  if (controller == "GravityCompensationController") return {"damping", std::vector<double>{some}};
  if (controller == "CartesianImpedanceController")
    return {"stiffness", std::vector<double>{50.0 * some, some}};
  if (controller == "ExternalTorqueBroadcaster") return {"bandwidth", std::vector<double>{some}};
  if (controller == "DynamicsStateBroadcaster") return {"publish_rate", some};
  return {"gains.bandwidth", std::vector<double>{some}};
}

TEST(Threads, LoopServicesParametersTopicsAndGoalsAtOnce) {
  for (const auto& name : all()) {
    Parameters parameters = {{"payload_ramp_time", 0.005}};
    if (name.find("Broadcaster") == std::string::npos) parameters.emplace_back("blend_time", 0.01);
    Loop loop(load(name), urdf("panda"), parameters);
    ASSERT_TRUE(loop.activate(start_of("panda"))) << name;
    const auto node = std::make_shared<rclcpp::Node>("tester");
    const auto payloads = node->create_client<SetPayload>("/controller/set_payload");
    const auto poses = node->create_publisher<geometry_msgs::msg::PoseStamped>("/controller/pose",
                                                                               rclcpp::QoS(10));
    const auto wrenches = node->create_publisher<geometry_msgs::msg::WrenchStamped>(
        "/controller/wrench", rclcpp::QoS(10));
    const auto postures = node->create_publisher<sensor_msgs::msg::JointState>(
        "/controller/posture", rclcpp::QoS(10));
    const auto paths = node->create_publisher<trajectory_msgs::msg::JointTrajectory>(
        "/controller/joint_trajectory", rclcpp::QoS(10));
    const auto goals =
        rclcpp_action::create_client<Action>(node, "/controller/follow_joint_trajectory");
    for (int activation = 0; activation < 2; ++activation) {
      if (activation == 1) {
        loop.reset(start_of("panda"));
        ASSERT_EQ(loop.controller->get_node()->activate().id(), State::PRIMARY_STATE_ACTIVE);
      }
      {
        const SpinningThreads spinning(loop, node);
        const ControlThread control(loop);
        ASSERT_TRUE(payloads->wait_for_service(std::chrono::seconds(10)));
        for (int k = 0; k < 40; ++k) {
          const long before = control.cycles;
          SetPayload::Request request;
          request.name = "load";
          request.payload.frame_id = "panda_link8";
          request.payload.inertia.m = 1e-3 * (1 + k % 3);
          auto answer =
              payloads->async_send_request(std::make_shared<SetPayload::Request>(request));
          EXPECT_TRUE(loop.controller->get_node()->set_parameter(change(name, k)).successful)
              << name;
          poses->publish(pose_near_start(loop.model(), k));
          wrenches->publish(geometry_msgs::msg::WrenchStamped());
          postures->publish(sensor_msgs::msg::JointState());
          if (k % 2 == 0) paths->publish(trajectory(loop.model(), k));
          if (k % 5 == 0 && goals->action_server_is_ready()) {
            Action::Goal goal;
            goal.trajectory = trajectory(loop.model(), k);
            goals->async_send_goal(goal);
          }
          if (k % 10 == 0) goals->async_cancel_all_goals();
          ASSERT_EQ(answer.wait_for(std::chrono::seconds(60)), std::future_status::ready) << name;
          while (control.cycles < before + 10) std::this_thread::yield();
        }
      }
      EXPECT_EQ(loop.controller->get_node()->deactivate().id(), State::PRIMARY_STATE_INACTIVE);
    }
  }
}

}  // namespace
}  // namespace dynamics_controllers::test
