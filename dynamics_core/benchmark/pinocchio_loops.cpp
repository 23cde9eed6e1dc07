// SPDX-License-Identifier: Apache-2.0
// Compiled if CMake finds Pinocchio.
#include <pinocchio/fwd.hpp>
// must be the first include: it configures Boost
#include <map>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <stdexcept>
#include <utility>

#include "dynamics_core/kinematics.hpp"
#include "pinocchio_loops.hpp"

namespace dynamics::benchmark {

struct PinocchioLoops::Data {
  pinocchio::Model model;
  std::unique_ptr<pinocchio::Data> data;
  std::vector<pinocchio::RigidConstraintModel> constraints;
  std::vector<pinocchio::RigidConstraintData> constraint_data;
  // the constraint's force is accurate to 1e-13 after two or three iterations
  pinocchio::ProximalSettings settings{1e-13, 1e-10, 20};
  Eigen::VectorXd q, v, tau;
};

namespace {

pinocchio::SE3 to_pinocchio(const Pose& pose) { return {pose.rotation, pose.translation}; }

/// Joints about or along a coordinate axis have the faster types that the URDF parser chooses.
pinocchio::JointModel joint_model(const JointDescription& joint) {
  const Eigen::Vector3d axis = joint.axis.normalized();
  const Eigen::Vector3d x = Eigen::Vector3d::UnitX(), y = Eigen::Vector3d::UnitY(),
                        z = Eigen::Vector3d::UnitZ();
  switch (joint.type) {
    case JointType::revolute:
    case JointType::continuous:
      if (axis == x) return pinocchio::JointModelRX();
      if (axis == y) return pinocchio::JointModelRY();
      if (axis == z) return pinocchio::JointModelRZ();
      return pinocchio::JointModelRevoluteUnaligned(axis);
    case JointType::prismatic:
      if (axis == x) return pinocchio::JointModelPX();
      if (axis == y) return pinocchio::JointModelPY();
      if (axis == z) return pinocchio::JointModelPZ();
      return pinocchio::JointModelPrismaticUnaligned(axis);
    case JointType::floating: return pinocchio::JointModelFreeFlyer();
    default: break;
  }
  throw std::invalid_argument("the type of joint '" + joint.name + "' is not supported here");
}

}  // namespace

PinocchioLoops::PinocchioLoops(const Mechanism& mechanism) : data_(std::make_unique<Data>()) {
  const RobotDescription& robot = mechanism.description();
  pinocchio::Model& model = data_->model;
  model.gravity.linear() = mechanism.tree().gravity();
  std::map<std::string, pinocchio::JointIndex> joint_of_link;
  std::map<std::string, const Inertial*> bodies;
  for (const LinkDescription& link : robot.links)
    bodies[link.name] = link.inertial ? &*link.inertial : nullptr;
  for (const JointDescription& joint : robot.joints) {
    // a link that is not yet in the map is the base
    const pinocchio::JointIndex parent = joint_of_link.try_emplace(joint.parent, 0).first->second;
    const pinocchio::JointIndex index =
        model.addJoint(parent, joint_model(joint), to_pinocchio(joint.origin), joint.name);
    if (const Inertial* body = bodies.at(joint.child)) {
      model.appendBodyToJoint(index, pinocchio::Inertia(body->mass, body->center, body->inertia),
                              pinocchio::SE3::Identity());
    }
    joint_of_link[joint.child] = index;
  }
  for (const ConstraintDescription& each : robot.constraints) {
    data_->constraints.emplace_back(pinocchio::CONTACT_3D, model, joint_of_link[each.parent],
                                    to_pinocchio(each.parent_origin), joint_of_link[each.child],
                                    to_pinocchio(each.child_origin), pinocchio::LOCAL);
    data_->constraint_data.emplace_back(data_->constraints.back());
  }
  data_->data = std::make_unique<pinocchio::Data>(model);
  pinocchio::initConstraintDynamics(model, *data_->data, data_->constraints);
  data_->q = pinocchio::neutral(model);
  data_->v = Eigen::VectorXd::Zero(model.nv);
  data_->tau = Eigen::VectorXd::Zero(model.nv);
}

PinocchioLoops::~PinocchioLoops() = default;

void PinocchioLoops::set(const Mechanism& mechanism, const std::vector<double>& q,
                         const std::vector<double>& qd, const std::vector<double>& tau) {
  const Model& tree = mechanism.tree();
  Kinematics kinematics(tree);
  forward_kinematics(tree, kinematics, q, qd);
  for (const JointDescription& joint : mechanism.description().joints) {
    const auto& own = data_->model.joints[data_->model.getJointId(joint.name)];
    if (joint.type == JointType::floating) {
      // the joint's parent is the base
      const std::size_t frame = tree.frame(joint.child);
      const Pose pose = frame_pose(tree, kinematics, frame);
      const Eigen::Quaterniond turn(joint.origin.rotation.transpose() * pose.rotation);
      data_->q.segment<3>(own.idx_q()) =
          joint.origin.rotation.transpose() * (pose.translation - joint.origin.translation);
      data_->q.segment<4>(own.idx_q() + 3) = turn.coeffs();
      const Twist twist = frame_velocity(tree, kinematics, frame, Axes::local);
      data_->v.segment<3>(own.idx_v()) = twist.linear;
      data_->v.segment<3>(own.idx_v() + 3) = twist.angular;
      continue;
    }
    const std::size_t coordinate = tree.coordinate(joint.name);
    data_->q[own.idx_q()] = q[coordinate];
    data_->v[own.idx_v()] = qd[coordinate];
    data_->tau[own.idx_v()] = tau[coordinate];
  }
}

void PinocchioLoops::forward() {
  pinocchio::constraintDynamics(data_->model, *data_->data, data_->q, data_->v, data_->tau,
                                data_->constraints, data_->constraint_data, data_->settings);
}

double PinocchioLoops::acceleration(const std::string& joint) const {
  const auto& own = data_->model.joints[data_->model.getJointId(joint)];
  return data_->data->ddq[own.idx_v()];
}

int PinocchioLoops::iterations() const { return data_->settings.iter; }

std::string pinocchio_loops_version() { return DYNAMICS_PINOCCHIO; }

}  // namespace dynamics::benchmark
