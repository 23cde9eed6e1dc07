// SPDX-License-Identifier: Apache-2.0
#include "dynamics_ros/markers_node.hpp"

#include <chrono>
#include <dynamics_ros/markers_node_parameters.hpp>
#include <exception>
#include <rclcpp_components/register_node_macro.hpp>
#include <string>
#include <utility>
#include <vector>

#include "dynamics_ros/link_frames.hpp"
#include "model_messages.hpp"

namespace dynamics_ros {
namespace {

Color color(const std::vector<double>& values) {
  return {values[0], values[1], values[2], values[3]};
}

MarkerOptions options_from(const dynamics_markers::Params& given) {
  MarkerOptions options;
  options.center_of_mass = given.show.center_of_mass;
  options.trail = given.show.trail;
  options.efforts = given.show.efforts;
  options.inertias = given.show.inertias;
  options.energies = given.show.energies;
  options.payload = given.show.payload;
  options.flexible_links = given.show.flexible_links;
  options.scale = given.scale;
  options.trail_length = static_cast<std::size_t>(given.trail_length);
  options.efforts_by_limits = given.efforts_by_limits;
  options.full_torque = given.full_torque;
  options.full_force = given.full_force;
  options.energy_place = Eigen::Vector3d::Map(given.energy_place.data());
  options.lifetime = given.lifetime;
  options.frame_prefix = given.frame_prefix;
  options.center_color = color(given.colors.center_of_mass);
  options.trail_color = color(given.colors.trail);
  options.effort_color = color(given.colors.effort);
  options.excess_color = color(given.colors.excess);
  options.inertia_color = color(given.colors.inertia);
  options.payload_color = color(given.colors.payload);
  options.beam_color = color(given.colors.flexible_link);
  options.text_color = color(given.colors.text);
  return options;
}

}  // namespace

struct MarkersNode::Parameters {
  explicit Parameters(rclcpp::Node& node)
      : listener(node.get_node_parameters_interface(), node.get_logger()),
        values(listener.get_params()) {}
  dynamics_markers::ParamListener listener;
  dynamics_markers::Params values;
};

MarkersNode::MarkersNode(const rclcpp::NodeOptions& options)
    : Node("dynamics_markers", options),
      parameters_(std::make_unique<Parameters>(*this)),
      options_(options_from(parameters_->values)),
      shown_(0, 0, RCL_STEADY_TIME) {
  const auto& parameters = parameters_->values;
  const auto latched = rclcpp::QoS(1).reliable().transient_local();
  marker_publisher_ =
      create_publisher<visualization_msgs::msg::MarkerArray>("~/markers", rclcpp::QoS(10));
  if (parameters.publish_frames) {
    moving_ = create_publisher<tf2_msgs::msg::TFMessage>("/tf", rclcpp::QoS(100));
    fixed_ = create_publisher<tf2_msgs::msg::TFMessage>("/tf_static", latched);
  }
  if (parameters.robot_description.empty()) {
    description_ = create_subscription<std_msgs::msg::String>(
        "robot_description", latched,
        [this](const std_msgs::msg::String& message) { take_description(message.data); });
  } else {
    take_description(parameters.robot_description);
  }
  joint_states_ = create_subscription<sensor_msgs::msg::JointState>(
      "joint_states", rclcpp::SensorDataQoS(),
      [this](const sensor_msgs::msg::JointState& message) { take_state(message); });
  if (!parameters.payload_topic.empty()) {
    payloads_ = create_subscription<dynamics_msgs::msg::Payload>(
        parameters.payload_topic, latched,
        [this](const dynamics_msgs::msg::Payload& message) { take_payload(message); });
  }
  timer_ = create_wall_timer(std::chrono::duration<double>(1.0 / parameters.rate),
                             [this] { publish_markers(); });
}

MarkersNode::~MarkersNode() = default;

void MarkersNode::take_description(const std::string& urdf) {
  dynamics::ModelOptions options;
  options.gravity = Eigen::Vector3d::Map(parameters_->values.gravity.data());
  try {
    MovingRobot made = MovingRobot::from_urdf(urdf, options);
    if (robot_ && marker_publisher_->get_subscription_count() > 0) {
      marker_publisher_->publish(markers_.clear(*robot_, options_));
    }
    robot_.emplace(std::move(made));
  } catch (const std::exception& error) {
    RCLCPP_ERROR(get_logger(), "bad robot description%s: %s",
                 robot_ ? (", going on with '" + robot_->model().name() + "'").c_str() : "",
                 error.what());
    return;
  }
  markers_.forget();
  framed_.reset();
  fresh_ = false;
  RCLCPP_INFO(get_logger(), "robot '%s' with %zu joints, %zu flexible links",
              robot_->model().name().c_str(), robot_->model().size(),
              robot_->flexible() != nullptr ? robot_->flexible()->links().size() : 0);
  // a rigid robot's joint states say all; the dynamic ones would be read for nothing
  dynamic_joint_states_.reset();
  names_.reset();
  values_.reset();
  if (robot_->flexible() != nullptr) {
    dynamic_joint_states_ = create_subscription<control_msgs::msg::DynamicJointState>(
        "dynamic_joint_states", rclcpp::SensorDataQoS(),
        [this](const control_msgs::msg::DynamicJointState& message) { take_state(message); });
    // joint_state_broadcaster has no dynamic_joint_states from version 6 (ROS 2 Lyrical) on
    names_ = create_subscription<control_msgs::msg::Keys>(
        "state_interfaces_broadcaster/names", rclcpp::QoS(1).transient_local(),
        [this](const control_msgs::msg::Keys& message) { interfaces_ = message; });
    values_ = create_subscription<control_msgs::msg::Float64Values>(
        "state_interfaces_broadcaster/values", rclcpp::SensorDataQoS(),
        [this](const control_msgs::msg::Float64Values& message) {
          take_state(interfaces_, message);
        });
  }
  if (payload_) take_payload(*payload_);
  if (fixed_) {
    tf2_msgs::msg::TFMessage message;
    message.transforms = fixed_frames(*robot_, options_.frame_prefix);
    for (auto& transform : message.transforms) transform.header.stamp = now();
    if (!message.transforms.empty()) fixed_->publish(message);
  }
}

void MarkersNode::take_payload(const dynamics_msgs::msg::Payload& payload) {
  payload_ = payload;
  if (!robot_) return;
  try {
    robot_->set_model(with_payload(robot_->model(), payload));
    fresh_ = true;
  } catch (const std::exception& error) {
    RCLCPP_WARN(get_logger(), "payload of '%s' not taken: %s", payload.frame_id.c_str(),
                error.what());
  }
}

template <class... State>
void MarkersNode::take_state(const State&... state) {
  if (!robot_ || !robot_->take(state...)) return;
  fresh_ = true;
  if (moving_ && robot_->has_positions()) publish_frames();
}

void MarkersNode::publish_frames() {
  rclcpp::Time stamp(robot_->stamp(), get_clock()->get_clock_type());
  if (stamp.nanoseconds() == 0) stamp = now();  // a state without a time is of now
  const double rate = parameters_->values.frame_rate;
  if (rate > 0.0 && framed_ && stamp >= *framed_ &&
      (stamp - *framed_).seconds() < (1.0 - 1e-6) / rate) {
    return;
  }
  framed_ = stamp;
  tf2_msgs::msg::TFMessage message;
  message.transforms = moving_frames(*robot_, options_.frame_prefix);
  for (auto& transform : message.transforms) transform.header.stamp = stamp;
  moving_->publish(message);
}

void MarkersNode::publish_markers() {
  if (parameters_->listener.is_old(parameters_->values)) {
    parameters_->values = parameters_->listener.get_params();
    options_ = options_from(parameters_->values);
    fresh_ = true;
  }
  if (!robot_ || !robot_->has_positions()) return;
  if (fresh_) markers_.follow(*robot_, options_);
  // what does not move is repeated before its lifetime ends
  const rclcpp::Time time(std::chrono::steady_clock::now().time_since_epoch().count(),
                          RCL_STEADY_TIME);
  const bool due = options_.lifetime > 0.0 ? (time - shown_).seconds() > 0.4 * options_.lifetime
                                           : (time - shown_).seconds() > 1.0;
  if ((!fresh_ && !due) || marker_publisher_->get_subscription_count() == 0) return;
  auto array = markers_.make(*robot_, options_);
  if (!fresh_) {  // an old stamp's transforms may be gone: the latest will do
    for (auto& marker : array.markers) marker.header.stamp = builtin_interfaces::msg::Time();
  }
  marker_publisher_->publish(array);
  shown_ = time;
  fresh_ = false;
}

}  // namespace dynamics_ros

RCLCPP_COMPONENTS_REGISTER_NODE(dynamics_ros::MarkersNode)
