// SPDX-License-Identifier: Apache-2.0
#include "plant/base_power.hpp"

#include <Eigen/Geometry>

#include "dynamics_core/rigid_dynamics.hpp"
#include "model/tree.hpp"

namespace dynamics {

double BasePower::operator()(const Model& model, Workspace& workspace, ConstVector q,
                             ConstVector qd, ConstVector qdd, const ExternalInputs& external) {
  inverse_dynamics(model, workspace, q, qd, qdd, forces_, wrenches_, external);
  const BaseMotion& base = *external.base;
  double sum = 0.0;
  for (std::size_t i = 0; i < wrenches_.size(); ++i) {
    const TreeBody& joint = model.tree()[i];
    if (joint.parent >= 0) continue;
    const Body& body = model.bodies()[i];
    // pose of the body in the base frame (see TreeBody)
    const double position = body.multiplier * q[body.coordinate] + body.offset;
    Eigen::Matrix3d rz_beta, rx_alpha;
    rz_beta << joint.cos_beta, -joint.sin_beta, 0, joint.sin_beta, joint.cos_beta, 0, 0, 0, 1;
    rx_alpha << 1, 0, 0, 0, joint.cos_alpha, -joint.sin_alpha, 0, joint.sin_alpha, joint.cos_alpha;
    const double angle = joint.offset + (joint.prismatic ? 0.0 : position);
    const Eigen::Matrix3d axes =
        rz_beta * rx_alpha * Eigen::AngleAxisd(angle, Eigen::Vector3d::UnitZ()).toRotationMatrix();
    Eigen::Vector3d origin(joint.position[0], joint.position[1], joint.position[2]);
    if (joint.prismatic) origin += axes.col(2) * position;
    // to world axes; wrenches are in the axes of the link's frame if the body has one
    const Eigen::Matrix3d from_body = base.pose.rotation * axes;
    const Eigen::Matrix3d from_wrench =
        body.link.empty() ? from_body : Eigen::Matrix3d(from_body * body.axes.transpose());
    const Eigen::Vector3d arm = base.pose.rotation * origin;
    const Eigen::Vector3d velocity = base.velocity.linear + base.velocity.angular.cross(arm);
    sum += (from_wrench * wrenches_[i].force).dot(velocity) +
           (from_wrench * wrenches_[i].moment).dot(base.velocity.angular);
  }
  return sum;
}

}  // namespace dynamics
