// SPDX-License-Identifier: Apache-2.0
// The readings of force-torque sensors and IMUs. A fixed joint with a sensor is a moving joint at
// rest in a model made for the sensors: inverse dynamics gives the wrenches of all joints at once.
#include "dynamics_core/sensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dynamics_core/closed_loops.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "dynamics_core/workspace.hpp"

namespace dynamics {
namespace {

const JointDescription& find_joint(const RobotDescription& description, const std::string& name) {
  const auto& joints = description.joints;
  const auto found = std::find_if(joints.begin(), joints.end(), [&](const JointDescription& joint) {
    return joint.name == name;
  });
  if (found != joints.end()) return *found;
  std::string names;
  for (const JointDescription& joint : joints) names += (names.empty() ? "" : ", ") + joint.name;
  throw ArgumentError(fmt::format("joint '{}' does not exist; joints: {}", name, names));
}

/// Whether `link` is `root` or moves with it behind joints.
bool is_behind(const RobotDescription& description, std::string link, const std::string& root) {
  while (link != root) {
    const auto joint = std::find_if(description.joints.begin(), description.joints.end(),
                                    [&](const JointDescription& one) { return one.child == link; });
    if (joint == description.joints.end()) return false;
    link = joint->parent;
  }
  return true;
}

/// Throws if a loop closes between the two sides of the joint.
void check_loops(const Mechanism& mechanism, const JointDescription& joint) {
  for (const ConstraintDescription& constraint : mechanism.description().constraints) {
    if (is_behind(mechanism.tree().description(), constraint.parent, joint.child) ==
        is_behind(mechanism.tree().description(), constraint.child, joint.child))
      continue;
    throw ArgumentError(
        fmt::format("joint '{}' is part of the closed loop of constraint '{}': a force-torque "
                    "sensor must be at "
                    "a joint behind which no loop closes",
                    joint.name, constraint.name));
  }
}

Model sensor_model(const Plant& plant, const std::vector<ForceTorqueSensor>& sensors) {
  const Model& model = plant.model();
  if (plant.size() > plant.joints()) {
    throw ArgumentError("robot '" + model.name() +
                        "' has flexible links: sensors are computed for rigid robots only");
  }
  RobotDescription description = model.description();
  for (const ForceTorqueSensor& sensor : sensors) {
    const JointDescription& joint = find_joint(description, sensor.joint);
    if (const Mechanism* mechanism = plant.mechanism()) check_loops(*mechanism, joint);
    if (joint.type != JointType::fixed) continue;
    const auto index = static_cast<std::size_t>(&joint - description.joints.data());
    description.joints[index].type = JointType::continuous;
    description.joints[index].axis = Eigen::Vector3d::UnitX();
  }
  description.constraints.clear();
  const Model made(std::move(description), {model.gravity(), model.friction_velocity()});
  return model.payload() ? made.with_payload(*model.payload()) : made;
}

}  // namespace

class Sensors::Implementation {
 public:
  Implementation(const Plant& plant, const std::vector<ForceTorqueSensor>& force_torque,
                 const std::vector<ImuSensor>& imus)
      : model_(sensor_model(plant, force_torque)),
        workspace_(model_),
        kinematics_(model_),
        q_(model_.size(), 0.0),
        qd_(model_.size(), 0.0),
        qdd_(model_.size(), 0.0),
        tau_(model_.size(), 0.0),
        joint_wrenches_(model_.body_count()),
        gravity_(model_.gravity()),
        wrenches(force_torque.size()),
        readings(imus.size()) {
    for (const Coordinate& joint : plant.model().coordinates())
      place_.push_back(model_.coordinate(joint.name));
    for (const ForceTorqueSensor& sensor : force_torque) {
      const JointDescription& joint = find_joint(model_.description(), sensor.joint);
      const auto bodies = model_.bodies();
      const auto body = std::find_if(bodies.begin(), bodies.end(),
                                     [&](const Body& one) { return one.link == joint.child; });
      force_torque_.push_back({static_cast<std::size_t>(body - bodies.begin()),
                               model_.frame(joint.child),
                               model_.frame(sensor.frame.empty() ? joint.child : sensor.frame)});
    }
    for (const ImuSensor& imu : imus) imus_.push_back(model_.frame(imu.link));
  }

  Status measure(ConstVector q, ConstVector qd, ConstVector qdd,
                 std::span<const LinkWrench> external, const std::optional<BaseMotion>& base) {
    for (const auto& [from, to] : {std::pair{q, &q_}, std::pair{qd, &qd_}, std::pair{qdd, &qdd_}}) {
      if (from.size() != place_.size()) return Status::wrong_size;
      for (std::size_t i = 0; i < place_.size(); ++i) (*to)[place_[i]] = from[i];
    }
    const Status moved = try_forward_kinematics(model_, kinematics_, q_, qd_, qdd_, base);
    if (moved != Status::ok) return moved;
    if (!force_torque_.empty()) {
      ExternalInputs inputs;
      inputs.base = base;
      inputs.wrenches = external;
      inputs.friction = false;
      const Status status =
          try_inverse_dynamics(model_, workspace_, q_, qd_, qdd_, tau_, joint_wrenches_, inputs);
      if (status != Status::ok) return status;
    }
    for (std::size_t i = 0; i < force_torque_.size(); ++i)
      wrenches[i] = wrench_of(force_torque_[i]);
    for (std::size_t i = 0; i < imus_.size(); ++i) {
      const FrameMotion motion = frame_motion(model_, kinematics_, imus_[i], Axes::local);
      readings[i] = {motion.pose.rotation, motion.velocity.angular,
                     motion.acceleration.linear - motion.pose.rotation.transpose() * gravity_};
    }
    return Status::ok;
  }

 private:
  struct Place {
    std::size_t body, child, frame;
  };

  Wrench wrench_of(const Place& place) const {
    const Wrench& own = joint_wrenches_[place.body];  // at the child's origin, in its axes
    if (place.child == place.frame) return own;
    const Pose child = frame_pose(model_, kinematics_, place.child);
    const Pose frame = frame_pose(model_, kinematics_, place.frame);
    const Pose pose = frame.inverse() * child;
    const Eigen::Vector3d force = pose.rotation * own.force;
    return {pose.rotation * own.moment + pose.translation.cross(force), force};
  }

  Model model_;
  Workspace workspace_;
  Kinematics kinematics_;
  std::vector<double> q_, qd_, qdd_, tau_;
  std::vector<Wrench> joint_wrenches_;
  Eigen::Vector3d gravity_;
  std::vector<std::size_t> place_;  // of the coordinates of the plant
  std::vector<Place> force_torque_;
  std::vector<std::size_t> imus_;  // frames

 public:
  std::vector<Wrench> wrenches;
  std::vector<ImuReading> readings;
};

Sensors::Sensors(const Plant& plant, const std::vector<ForceTorqueSensor>& force_torque,
                 const std::vector<ImuSensor>& imus)
    : implementation_(std::make_unique<Implementation>(plant, force_torque, imus)) {}

Sensors::~Sensors() = default;
Sensors::Sensors(Sensors&&) noexcept = default;
Sensors& Sensors::operator=(Sensors&&) noexcept = default;

Status Sensors::measure(ConstVector q, ConstVector qd, ConstVector qdd,
                        std::span<const LinkWrench> wrenches,
                        const std::optional<BaseMotion>& base) noexcept {
  return implementation_->measure(q, qd, qdd, wrenches, base);
}

const Wrench& Sensors::wrench(std::size_t i) const { return implementation_->wrenches.at(i); }
const ImuReading& Sensors::imu(std::size_t i) const { return implementation_->readings.at(i); }

}  // namespace dynamics
