// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/energy.hpp"

#include "rigid/recursions/friction.hpp"
#include "rigid/workspace_memory.hpp"

namespace dynamics {
namespace {

void check_and_move(const Model& model, Workspace::Memory& memory, ConstVector q, ConstVector qd,
                    const std::optional<BaseMotion>& base) {
  check_vector("q", q, memory.size);
  check_vector("qd", qd, memory.size);
  check_base(base);
  world_motion(model, memory, body_positions(model, q, memory.q), body_rates(model, qd, memory.qd),
               nullptr, base);
}

Eigen::Vector3d times_inertia(const TreeBody& body, const Eigen::Vector3d& v) {
  return to_eigen(kernel::constant(body.inertia) * from_eigen(v));
}

}  // namespace

Energy energy(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
              const std::optional<BaseMotion>& base) {
  Workspace::Memory& memory = memory_for(model, workspace);
  check_and_move(model, memory, q, qd, base);
  const double* rates = body_rates(model, qd, memory.qd);
  Energy sum;
  for (std::size_t i = 0; i < memory.body_count; ++i) {
    const TreeBody& body = model.tree()[i];
    const WorldMotion& at = memory.world[i];
    const Eigen::Vector3d h = to_eigen(kernel::constant(body.first_moment));
    const Eigen::Vector3d v = at.rotation.transpose() * at.velocity;
    const Eigen::Vector3d w = at.rotation.transpose() * at.omega;
    sum.kinetic += 0.5 * (body.mass * v.squaredNorm() + w.dot(times_inertia(body, w))) +
                   v.dot(w.cross(h)) + 0.5 * body.rotor_inertia * rates[i] * rates[i];
    sum.potential -= model.gravity().dot(body.mass * at.position + at.rotation * h);
  }
  return sum;
}

Momentum momentum(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                  const std::optional<BaseMotion>& base) {
  Workspace::Memory& memory = memory_for(model, workspace);
  check_and_move(model, memory, q, qd, base);
  Momentum sum;
  Eigen::Vector3d about_origin = Eigen::Vector3d::Zero();
  for (std::size_t i = 0; i < memory.body_count; ++i) {
    const TreeBody& body = model.tree()[i];
    const WorldMotion& at = memory.world[i];
    const Eigen::Vector3d h = at.rotation * to_eigen(kernel::constant(body.first_moment));
    const Eigen::Vector3d linear = body.mass * at.velocity + at.omega.cross(h);
    about_origin += at.rotation * times_inertia(body, at.rotation.transpose() * at.omega) +
                    h.cross(at.velocity) + at.position.cross(linear);
    sum.mass += body.mass;
    sum.centre += body.mass * at.position + h;
    sum.linear += linear;
  }
  if (sum.mass > 0.0) {
    sum.centre /= sum.mass;
    sum.centre_velocity = sum.linear / sum.mass;
  }
  sum.angular = about_origin - sum.centre.cross(sum.linear);
  return sum;
}

Power power(const Model& model, Workspace& workspace, ConstVector qd, ConstVector tau) {
  Workspace::Memory& memory = memory_for(model, workspace);
  check_vector("qd", qd, memory.size);
  check_vector("tau", tau, memory.size);
  const double* rates = body_rates(model, qd, memory.qd);
  Power sum;
  for (std::size_t i = 0; i < memory.size; ++i) sum.actuators += tau[i] * qd[i];
  for (std::size_t i = 0; i < memory.body_count; ++i) {
    sum.friction +=
        rates[i] * kernel::joint_friction(model.tree()[i], rates[i], model.friction_velocity());
  }
  return sum;
}

}  // namespace dynamics
