// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/energy.hpp"

#include "rigid/kinematics_memory.hpp"
#include "rigid/recursions/friction.hpp"
#include "rigid/workspace_memory.hpp"

namespace dynamics {
namespace {

using Eigen::Vector3d;

Vector3d times_inertia(const TreeBody& body, const Vector3d& v) {
  return to_eigen(kernel::constant(body.inertia) * from_eigen(v));
}

/// Mass times the position of a body's center of mass, in the world.
Vector3d first_moment(const TreeBody& body, const WorldMotion& at) {
  return body.mass * at.position + at.rotation * to_eigen(kernel::constant(body.first_moment));
}

Status check_state(const Model& model, Workspace::Memory& memory, ConstVector q, ConstVector qd,
                   const std::optional<BaseMotion>& base) noexcept {
  return check_workspace(model, memory)
      .vector("q", q, memory.size)
      .vector("qd", qd, memory.size)
      .base(base)
      .status();
}

/// The motion of the base and gravity, in the base's axes.
kernel::EnergyMotion<double> energy_base(const Model& model,
                                         const std::optional<BaseMotion>& base) noexcept {
  const Vector3d& g = model.gravity();
  if (!base) return {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, from_eigen(g), 0.0};
  const Eigen::Matrix3d to_base = base->pose.rotation.transpose();
  return {from_eigen(to_base * base->velocity.angular), from_eigen(to_base * base->velocity.linear),
          from_eigen(to_base * g), g.dot(base->pose.translation)};
}

/// Checks, then the pass with q and qd into memory.kinematics.
Status run_pass(const Model& model, Workspace::Memory& memory, ConstVector q, ConstVector qd,
                const std::optional<BaseMotion>& base) noexcept {
  const Status status = check_state(model, memory, q, qd, base);
  if (status != Status::ok) return status;
  world_motion(model, memory.kinematics, body_positions(model, q, memory.q),
               body_rates(model, qd, memory.qd), nullptr, base);
  return Status::ok;
}

Momentum sum_momentum(const Model& model, const Kinematics::Memory& memory) noexcept {
  Momentum sum;
  Vector3d about_origin = Vector3d::Zero();
  for (std::size_t i = 0; i < memory.body_count; ++i) {
    const TreeBody& body = model.tree()[i];
    const WorldMotion& at = memory.bodies[i];
    const Vector3d h = at.rotation * to_eigen(kernel::constant(body.first_moment));
    const Vector3d linear = body.mass * at.velocity + at.omega.cross(h);
    about_origin += at.rotation * times_inertia(body, at.rotation.transpose() * at.omega) +
                    h.cross(at.velocity) + at.position.cross(linear);
    sum.mass += body.mass;
    sum.center += body.mass * at.position + h;
    sum.linear += linear;
  }
  if (sum.mass > 0.0) {
    sum.center /= sum.mass;
    sum.center_velocity = sum.linear / sum.mass;
  }
  sum.angular = about_origin - sum.center.cross(sum.linear);
  return sum;
}

/// Column of joint i: the sum over the bodies k that it moves of m_k axis_i x (c_k - p_i) / m.
void fill_center_jacobian(const Model& model, const Kinematics::Memory& memory,
                          Eigen::Ref<Eigen::MatrixXd>& J) noexcept {
  J.setZero();
  double mass = 0.0;
  for (std::size_t k = 0; k < memory.body_count; ++k) {
    const TreeBody& moved = model.tree()[k];
    const Vector3d moment = first_moment(moved, memory.bodies[k]);
    mass += moved.mass;
    for (int b = static_cast<int>(k); b >= 0;) {
      const auto i = static_cast<std::size_t>(b);
      const TreeBody& joint = model.tree()[i];
      const WorldMotion& at = memory.bodies[i];
      const Body& body = model.bodies()[i];
      const Vector3d axis = body.multiplier * at.axis();
      auto column = J.col(static_cast<Eigen::Index>(body.coordinate));
      if (joint.prismatic) {
        column += moved.mass * axis;
      } else {
        column += axis.cross(moment - moved.mass * at.position);
      }
      b = joint.parent;
    }
  }
  if (mass > 0.0) J /= mass;
}

}  // namespace

Status try_energy(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                  Energy& energy, const std::optional<BaseMotion>& base) noexcept {
  Workspace::Memory& memory = workspace.memory();
  const Status status = check_state(model, memory, q, qd, base);
  if (status != Status::ok) return status;
  const auto sum =
      kernel::energy(model.tree(), memory.energy.data(), energy_base(model, base),
                     body_positions(model, q, memory.q), body_rates(model, qd, memory.qd));
  energy = {sum.kinetic, sum.potential};
  return Status::ok;
}

Energy energy(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
              const std::optional<BaseMotion>& base) {
  Energy result;
  require(try_energy(model, workspace, q, qd, result, base), workspace.memory().problem, model);
  return result;
}

Status try_momentum(const Model& model, const Kinematics& kinematics, Momentum& momentum) noexcept {
  const Status status = check_query(model, kinematics.memory(), 1).status();
  if (status == Status::ok) momentum = sum_momentum(model, kinematics.memory());
  return status;
}

Status try_momentum(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                    Momentum& momentum, const std::optional<BaseMotion>& base) noexcept {
  const Status status = run_pass(model, workspace.memory(), q, qd, base);
  if (status == Status::ok) momentum = sum_momentum(model, workspace.memory().kinematics);
  return status;
}

Momentum momentum(const Model& model, const Kinematics& kinematics) {
  Momentum result;
  require(try_momentum(model, kinematics, result), kinematics.memory().problem, model);
  return result;
}

Momentum momentum(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                  const std::optional<BaseMotion>& base) {
  Momentum result;
  require(try_momentum(model, workspace, q, qd, result, base), workspace.memory().problem, model);
  return result;
}

Status try_center_of_mass(const Model& model, const Kinematics& kinematics,
                          Vector3d& center) noexcept {
  Kinematics::Memory& memory = kinematics.memory();
  const Status status = check_query(model, memory, 0).status();
  if (status != Status::ok) return status;
  double mass = 0.0;
  Vector3d sum = Vector3d::Zero();
  for (std::size_t i = 0; i < memory.body_count; ++i) {
    mass += model.tree()[i].mass;
    sum += first_moment(model.tree()[i], memory.bodies[i]);
  }
  center = mass > 0.0 ? Vector3d(sum / mass) : sum;
  return Status::ok;
}

Vector3d center_of_mass(const Model& model, const Kinematics& kinematics) {
  Vector3d center;
  require(try_center_of_mass(model, kinematics, center), kinematics.memory().problem, model);
  return center;
}

Status try_center_of_mass_velocity(const Model& model, const Kinematics& kinematics,
                                   Vector3d& velocity) noexcept {
  Momentum sum;
  const Status status = try_momentum(model, kinematics, sum);
  if (status == Status::ok) velocity = sum.center_velocity;
  return status;
}

Vector3d center_of_mass_velocity(const Model& model, const Kinematics& kinematics) {
  return momentum(model, kinematics).center_velocity;
}

Status try_center_of_mass_jacobian(const Model& model, const Kinematics& kinematics,
                                   Eigen::Ref<Eigen::MatrixXd> J) noexcept {
  Kinematics::Memory& memory = kinematics.memory();
  const Status status = check_query(model, memory, 0).matrix("J", J, 3, memory.size).status();
  if (status == Status::ok) fill_center_jacobian(model, memory, J);
  return status;
}

Status try_center_of_mass_jacobian(const Model& model, Workspace& workspace, ConstVector q,
                                   Eigen::Ref<Eigen::MatrixXd> J) noexcept {
  Workspace::Memory& memory = workspace.memory();
  const Status status = check_workspace(model, memory)
                            .vector("q", q, memory.size)
                            .matrix("J", J, 3, memory.size)
                            .status();
  if (status != Status::ok) return status;
  world_motion(model, memory.kinematics, body_positions(model, q, memory.q), nullptr, nullptr,
               std::nullopt);
  fill_center_jacobian(model, memory.kinematics, J);
  return Status::ok;
}

void center_of_mass_jacobian(const Model& model, const Kinematics& kinematics,
                             Eigen::Ref<Eigen::MatrixXd> J) {
  require(try_center_of_mass_jacobian(model, kinematics, J), kinematics.memory().problem, model);
}

void center_of_mass_jacobian(const Model& model, Workspace& workspace, ConstVector q,
                             Eigen::Ref<Eigen::MatrixXd> J) {
  require(try_center_of_mass_jacobian(model, workspace, q, J), workspace.memory().problem, model);
}

Status try_power(const Model& model, Workspace& workspace, ConstVector qd, ConstVector tau,
                 Power& power) noexcept {
  Workspace::Memory& memory = workspace.memory();
  const Status status = check_workspace(model, memory)
                            .vector("qd", qd, memory.size)
                            .vector("tau", tau, memory.size)
                            .status();
  if (status != Status::ok) return status;
  const double* rates = body_rates(model, qd, memory.qd);
  Power sum;
  for (std::size_t i = 0; i < memory.size; ++i) sum.actuators += tau[i] * qd[i];
  for (std::size_t i = 0; i < memory.body_count; ++i) {
    sum.friction +=
        rates[i] * kernel::joint_friction(model.tree()[i], rates[i], model.friction_velocity());
  }
  power = sum;
  return Status::ok;
}

Power power(const Model& model, Workspace& workspace, ConstVector qd, ConstVector tau) {
  Power result;
  require(try_power(model, workspace, qd, tau, result), workspace.memory().problem, model);
  return result;
}

}  // namespace dynamics
