// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "flexible/flexible_memory.hpp"
#include "flexible/flexible_model_data.hpp"
#include "flexible/recursions/propagation.hpp"

namespace dynamics {
namespace {

using flexible::ElasticBody;
using Memory = FlexibleWorkspace::Memory;

flexible::Vec3<double> from_eigen(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

/// Adds a wrench to the eta of its body and the body's amplitudes. memory.world must be up to date.
void add_wrench(const FlexibleModel& model, Memory& memory, const double* d,
                const LinkWrench& given, WrenchPoint point) noexcept {
  const FlexibleFrame& frame = model.data().frames[given.frame];
  if (frame.body < 0) return;  // the base takes it
  const auto index = static_cast<std::size_t>(frame.body);
  const ElasticBody& body = model.tree()[index];
  const bool at_center = point == WrenchPoint::mass_center;
  const BeamSection& at = at_center ? frame.center_at : frame.at;
  const Pose section = section_pose(body, at, d);
  const Pose& in_world = memory.world[index];

  // about the center of the cross-section, in the body's axes
  Eigen::Vector3d force, moment;
  if (given.axes == Axes::local) {
    const Eigen::Matrix3d axes = section_pose(body, frame.at, d).rotation * frame.pose.rotation;
    force = axes * given.wrench.force;
    moment = axes * given.wrench.moment;
  } else {
    force = in_world.rotation.transpose() * given.wrench.force;
    moment = in_world.rotation.transpose() * given.wrench.moment;
  }
  const Eigen::Vector3d& offset = at_center ? frame.center : frame.pose.translation;
  const Eigen::Vector3d arm =
      given.axes == Axes::world
          ? Eigen::Vector3d(-section.translation -
                            in_world.rotation.transpose() * in_world.translation)
          : Eigen::Vector3d(section.rotation * offset);
  moment += arm.cross(force);

  flexible::SpatialVector<double> wrench{from_eigen(moment), from_eigen(force)};
  if (at.deflects) {
    const double* own = d + body.amplitude;
    const double slope = flexible::deflection_at(body.beam, at, own).slope_y;
    double* shortening = memory.scratch.forces.data() + body.amplitude;  // not in use here
    if (body.beam.stiffening)
      flexible::shortening_gradient(body.beam, at.shortening, own, shortening);
    flexible::add_section_forces(body.beam, at, {std::cos(slope), std::sin(slope)}, shortening,
                                 wrench, memory.scratch.eta.data() + body.amplitude);
  }
  memory.scratch.links[index].eta +=
      spatial::translate_force(from_eigen(section.translation), wrench);
}

}  // namespace

Status try_wrenches_to_joint_torques(const FlexibleModel& model, FlexibleWorkspace& workspace,
                                     ConstVector q, std::span<const LinkWrench> wrenches,
                                     MutableVector forces, WrenchPoint point) noexcept {
  Memory& memory = workspace.memory();
  const std::size_t n = memory.joints;
  const Status status = check_workspace(model, memory)
                            .vector("q", q, memory.size, coordinates_hint)
                            .output("forces", forces, memory.size)
                            .wrenches(model.rigid(), wrenches)
                            .status();
  if (status != Status::ok) return status;
  update_body_poses(model, memory, q.data());
  for (auto& link : memory.scratch.links) link.eta = spatial::zero6<double>();
  std::fill(memory.scratch.eta.begin(), memory.scratch.eta.end(), 0.0);
  for (const LinkWrench& wrench : wrenches) add_wrench(model, memory, q.data() + n, wrench, point);
  flexible::wrenches_to_forces<double>(model.tree(), memory.scratch, memory.rhs.data(),
                                       memory.rhs.data() + n);
  std::copy(memory.rhs.begin(), memory.rhs.end(), forces.begin());
  return Status::ok;
}

void wrenches_to_joint_torques(const FlexibleModel& model, FlexibleWorkspace& workspace,
                               ConstVector q, std::span<const LinkWrench> wrenches,
                               MutableVector forces, WrenchPoint point) {
  require(try_wrenches_to_joint_torques(model, workspace, q, wrenches, forces, point),
          workspace.memory().problem, model.rigid());
}

}  // namespace dynamics
