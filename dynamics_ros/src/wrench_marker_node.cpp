// SPDX-License-Identifier: Apache-2.0
#include "dynamics_ros/wrench_marker_node.hpp"

#include <Eigen/Geometry>
#include <chrono>
#include <dynamics_core/marker_shapes.hpp>
#include <dynamics_ros/wrench_marker_node_parameters.hpp>
#include <exception>
#include <interactive_markers/interactive_marker_server.hpp>
#include <interactive_markers/menu_handler.hpp>
#include <map>
#include <rclcpp_components/register_node_macro.hpp>
#include <utility>
#include <visualization_msgs/msg/interactive_marker.hpp>
#include <visualization_msgs/msg/interactive_marker_control.hpp>
#include <visualization_msgs/msg/marker.hpp>

namespace dynamics_ros {
namespace {

using visualization_msgs::msg::InteractiveMarker;
using visualization_msgs::msg::InteractiveMarkerControl;
using visualization_msgs::msg::Marker;

constexpr const char* marker_name = "wrench";
constexpr double marker_rate = 10.0;  // of its pose while it is not dragged (Hz)
constexpr double patience = 2.0;      // without feedback it is not dragged any more (s)

rclcpp::Time steady_now() {
  return rclcpp::Time(std::chrono::steady_clock::now().time_since_epoch().count(), RCL_STEADY_TIME);
}

geometry_msgs::msg::Pose to_message(const dynamics::Pose& pose) {
  geometry_msgs::msg::Pose message;
  message.position.x = pose.translation.x();
  message.position.y = pose.translation.y();
  message.position.z = pose.translation.z();
  const Eigen::Quaterniond turn = Eigen::Quaterniond(pose.rotation).normalized();
  message.orientation.x = turn.x();
  message.orientation.y = turn.y();
  message.orientation.z = turn.z();
  message.orientation.w = turn.w();
  return message;
}

dynamics::Pose to_pose(const geometry_msgs::msg::Pose& message) {
  const auto& turn = message.orientation;
  return {Eigen::Quaterniond(turn.w, turn.x, turn.y, turn.z).normalized().toRotationMatrix(),
          {message.position.x, message.position.y, message.position.z}};
}

/// A control along or about an axis of the marker, or in all directions without one.
InteractiveMarkerControl control(std::uint8_t mode, const char* name, const Eigen::Vector3d& axis) {
  InteractiveMarkerControl made;
  made.name = name;
  made.interaction_mode = mode;
  // the control's x axis
  const auto turn = Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitX(), axis);
  made.orientation.x = turn.x();
  made.orientation.y = turn.y();
  made.orientation.z = turn.z();
  made.orientation.w = turn.w();
  return made;
}

VirtualSpring spring_from(const wrench_marker::Params& given) {
  return {.stiffness = given.stiffness,
          .damping = given.damping,
          .rotational_stiffness = given.rotational_stiffness,
          .rotational_damping = given.rotational_damping,
          .max_force = given.max_force,
          .max_torque = given.max_torque};
}

}  // namespace

struct WrenchMarkerNode::Parameters {
  explicit Parameters(rclcpp::Node& node)
      : listener(node.get_node_parameters_interface(), node.get_logger()),
        values(listener.get_params()) {}
  wrench_marker::ParamListener listener;
  wrench_marker::Params values;
};

struct WrenchMarkerNode::Server {
  explicit Server(rclcpp::Node& node) : markers(node.get_fully_qualified_name(), &node) {}
  interactive_markers::InteractiveMarkerServer markers;
  interactive_markers::MenuHandler menu;
  std::map<std::string, interactive_markers::MenuHandler::EntryHandle> entries;  // by link
};

WrenchMarkerNode::WrenchMarkerNode(const rclcpp::NodeOptions& options)
    : Node("wrench_marker", options),
      parameters_(std::make_unique<Parameters>(*this)),
      server_(std::make_unique<Server>(*this)),
      wanted_(parameters_->values.link),
      dragged_(spring_from(parameters_->values)),
      heard_(steady_now()),
      sent_(steady_now()) {
  wrenches_ = create_publisher<geometry_msgs::msg::WrenchStamped>(parameters_->values.wrench_topic,
                                                                  rclcpp::QoS(10));
  own_ = create_publisher<geometry_msgs::msg::WrenchStamped>("~/wrench", rclcpp::QoS(10));
  if (parameters_->values.robot_description.empty()) {
    description_ = create_subscription<std_msgs::msg::String>(
        "robot_description", rclcpp::QoS(1).reliable().transient_local(),
        [this](const std_msgs::msg::String& message) { take_description(message.data); });
  } else {
    take_description(parameters_->values.robot_description);
  }
  joint_states_ = create_subscription<sensor_msgs::msg::JointState>(
      "joint_states", rclcpp::SensorDataQoS(),
      [this](const sensor_msgs::msg::JointState& message) { take_state(message); });
  timer_ = create_wall_timer(std::chrono::duration<double>(1.0 / marker_rate),
                             [this] { update_marker(); });
}

WrenchMarkerNode::~WrenchMarkerNode() = default;

void WrenchMarkerNode::take_description(const std::string& urdf) {
  try {
    MovingRobot made = MovingRobot::from_urdf(urdf);
    release();
    robot_.emplace(std::move(made));
  } catch (const std::exception& error) {
    RCLCPP_ERROR(get_logger(), "bad robot description: %s", error.what());
    return;
  }
  server_->markers.clear();
  server_->markers.applyChanges();
  link_.clear();
  server_->menu = interactive_markers::MenuHandler();
  server_->entries.clear();
  for (const auto& link : robot_->model().description().links) {
    server_->entries[link.name] = server_->menu.insert(
        link.name, [this, name = link.name](const Feedback::ConstSharedPtr&) { selected_ = name; });
  }
}

/// Moves the marker to this link; empty: the end effector.
void WrenchMarkerNode::choose(const std::string& link) {
  const dynamics::Model& model = robot_->model();
  const std::string chosen = link.empty() ? model.frames()[model.end_effector()].name : link;
  if (!model.find_frame(chosen)) {
    RCLCPP_ERROR(get_logger(), "parameter 'link': '%s' is not a link of robot '%s'", chosen.c_str(),
                 model.name().c_str());
    return;
  }
  release();
  wanted_ = link;
  link_ = chosen;
  dragged_.forget();
  for (const auto& [name, entry] : server_->entries) {
    using Menu = interactive_markers::MenuHandler;
    server_->menu.setCheckState(entry, name == chosen ? Menu::CHECKED : Menu::UNCHECKED);
  }
  insert_marker();
}

void WrenchMarkerNode::insert_marker() {
  const double size = 0.15 * dynamics::reach(robot_->model());
  InteractiveMarker marker;
  marker.header.frame_id = parameters_->values.frame_prefix + robot_->model().base_link();
  marker.name = marker_name;
  marker.description = link_;
  marker.scale = static_cast<float>(size);
  shown_ = robot_->pose(link_);
  marker.pose = to_message(shown_);
  auto grip = control(InteractiveMarkerControl::MOVE_3D, "drag", Eigen::Vector3d::UnitX());
  grip.always_visible = true;
  Marker& ball = grip.markers.emplace_back();
  ball.type = Marker::SPHERE;
  ball.scale.x = ball.scale.y = ball.scale.z = 0.4 * size;
  ball.color.r = 1.0F;
  ball.color.g = 0.6F;
  ball.color.b = 0.1F;
  ball.color.a = 0.6F;
  marker.controls.push_back(grip);
  const std::pair<const char*, Eigen::Vector3d> axes[] = {{"x", Eigen::Vector3d::UnitX()},
                                                          {"y", Eigen::Vector3d::UnitY()},
                                                          {"z", Eigen::Vector3d::UnitZ()}};
  for (const auto& [name, axis] : axes) {
    marker.controls.push_back(control(InteractiveMarkerControl::MOVE_AXIS, name, axis));
    if (parameters_->values.rotational_stiffness > 0.0) {
      marker.controls.push_back(control(InteractiveMarkerControl::ROTATE_AXIS,
                                        (std::string("rotate_") + name).c_str(), axis));
    }
  }
  server_->markers.insert(
      marker, [this](const Feedback::ConstSharedPtr& feedback) { take_feedback(*feedback); });
  server_->menu.apply(server_->markers, marker_name);
  server_->markers.applyChanges();
}

void WrenchMarkerNode::take_feedback(const Feedback& feedback) {
  heard_ = steady_now();
  switch (feedback.event_type) {
    case Feedback::MOUSE_DOWN:
    case Feedback::POSE_UPDATE: target_ = to_pose(feedback.pose); break;
    case Feedback::MOUSE_UP: release(); break;
    default: break;
  }
}

/// Ends dragging: no wrench acts, and the marker returns to the link.
void WrenchMarkerNode::release() {
  if (!target_) return;
  shown_ = *target_;
  target_.reset();
  publish({});
}

void WrenchMarkerNode::take_state(const sensor_msgs::msg::JointState& state) {
  if (!robot_ || !robot_->take(state) || !robot_->has_positions()) return;
  if (link_.empty()) choose(wanted_);
  if (link_.empty()) return;
  const rclcpp::Time stamp(state.header.stamp);
  dragged_.follow(robot_->pose(link_), stamp.seconds());
  const rclcpp::Time now = steady_now();
  if (!target_ || (now - sent_).seconds() < 1.0 / parameters_->values.rate) return;
  sent_ = now;
  publish(dragged_.wrench(*target_));
}

void WrenchMarkerNode::publish(const dynamics::Wrench& wrench) {
  geometry_msgs::msg::WrenchStamped message;
  message.header.frame_id = link_;
  message.header.stamp = robot_->stamp();
  message.wrench.force.x = wrench.force.x();
  message.wrench.force.y = wrench.force.y();
  message.wrench.force.z = wrench.force.z();
  message.wrench.torque.x = wrench.moment.x();
  message.wrench.torque.y = wrench.moment.y();
  message.wrench.torque.z = wrench.moment.z();
  wrenches_->publish(message);
  own_->publish(message);
}

/// The marker follows the link, unless it is dragged.
void WrenchMarkerNode::update_marker() {
  if (parameters_->listener.is_old(parameters_->values)) read_parameters();
  if (link_.empty()) return;
  if (selected_) choose(*std::exchange(selected_, std::nullopt));
  if (target_ && (steady_now() - heard_).seconds() > patience) {
    RCLCPP_WARN(get_logger(), "RViz does not respond any more: the marker is released");
    release();
  }
  if (target_) return;
  // RViz loses updates that come faster than it draws: only those of a link that moves
  const dynamics::Pose& pose = robot_->pose(link_);
  if ((pose.translation - shown_.translation).norm() < 1e-5 &&
      (pose.rotation - shown_.rotation).norm() < 1e-4) {
    return;
  }
  shown_ = pose;
  server_->markers.setPose(marker_name, to_message(pose));
  server_->markers.applyChanges();
}

void WrenchMarkerNode::read_parameters() {
  const std::string before = parameters_->values.link;
  parameters_->values = parameters_->listener.get_params();
  dragged_.set_spring(spring_from(parameters_->values));
  if (link_.empty()) {
    wanted_ = parameters_->values.link;
  } else if (parameters_->values.link != before) {
    choose(parameters_->values.link);
  } else if (!target_) {
    insert_marker();  // its controls
  }
}

}  // namespace dynamics_ros

RCLCPP_COMPONENTS_REGISTER_NODE(dynamics_ros::WrenchMarkerNode)
