// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/coupling_bound.hpp"
#include "rigid/workspace_memory.hpp"

namespace dynamics {

Workspace::Memory::Memory(const Model& model)
    : size(model.size()),
      body_count(model.body_count()),
      inverse(body_count),
      joint_wrenches(body_count),
      forward(body_count),
      composite(body_count),
      coriolis(body_count),
      udut(body_count),
      energy(body_count),
      kinematics(model),
      inverse_kinematics(size),
      wrenches(body_count),
      q(body_count),
      qd(body_count),
      qdd(body_count),
      tau(body_count),
      zeros(body_count, 0.0),
      result(size) {
  if (model.coordinates_are_bodies()) return;
  std::vector<std::size_t> leader_of(size);
  for (std::size_t i = 0; i < body_count; ++i) {
    if (!model.is_mimic(i)) leader_of[model.bodies()[i].coordinate] = i;
  }
  for (std::size_t i = 0; i < body_count; ++i) {
    if (!model.is_mimic(i)) continue;
    followers.push_back(i);
    leaders.push_back(leader_of[model.bodies()[i].coordinate]);
  }
  if (body_count * body_count <= max_coupling_entries) {
    over_bodies.resize(static_cast<Eigen::Index>(body_count),
                       static_cast<Eigen::Index>(body_count));
  }
  if (followers.empty()) return;
  column.resize(body_count);
  std::vector<std::size_t> depth(body_count, 0);
  for (std::size_t i = 0; i < body_count; ++i) {
    if (const int parent = model.tree()[i].parent; parent >= 0)
      depth[i] = depth[static_cast<std::size_t>(parent)] + 1;
    ancestor_count += depth[i];
  }
  // both, where they are not too large: with a payload a joint is massless no longer
  const auto n = static_cast<Eigen::Index>(size), b = static_cast<Eigen::Index>(body_count),
             k = static_cast<Eigen::Index>(followers.size());
  if (body_count * followers.size() <= max_coupling_entries) {
    coupling_columns.resize(b, k);
    coupling_matrix.resize(k, k);
    coupling_force.resize(k);
  }
  if (size * size <= max_coupling_entries) dense.resize(n, n);
}

Workspace::Workspace(const Model& model) : memory_(std::make_unique<Memory>(model)) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

namespace {

/// Whether mimic joints are the same ones and follow the same joints.
bool same_couplings(const Model& model, const Workspace::Memory& memory) {
  if (memory.followers.size() != model.body_count() - model.size()) return false;
  for (std::size_t k = 0; k < memory.followers.size(); ++k) {
    const std::size_t follower = memory.followers[k], leader = memory.leaders[k];
    if (!model.is_mimic(follower) || model.is_mimic(leader) ||
        model.bodies()[follower].coordinate != model.bodies()[leader].coordinate) {
      return false;
    }
  }
  return true;
}

}  // namespace

Checks check_workspace(const Model& model, Workspace::Memory& memory) noexcept {
  Checks checks(memory.problem);
  checks.made_for(model, memory.size, memory.body_count);
  if (checks.status() != Status::ok || model.coordinates_are_bodies()) return checks;
  // as many numbers, but not for a model with these mimic joints
  return checks.same_mimics(same_couplings(model, memory));
}

Workspace::Memory& memory_for(const Model& model, Workspace& workspace) {
  Workspace::Memory& memory = workspace.memory();
  require(check_workspace(model, memory).status(), memory.problem, model);
  return memory;
}

const double* body_positions(const Model& model, ConstVector q,
                             std::vector<double>& buffer) noexcept {
  if (model.coordinates_are_bodies()) {
    std::copy(q.begin(), q.end(), buffer.begin());
    return buffer.data();
  }
  const auto bodies = model.bodies();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    buffer[i] = bodies[i].multiplier * q[bodies[i].coordinate] + bodies[i].offset;
  }
  return buffer.data();
}

const double* body_rates(const Model& model, ConstVector qd, std::vector<double>& buffer) noexcept {
  if (model.coordinates_are_bodies()) {
    std::copy(qd.begin(), qd.end(), buffer.begin());
    return buffer.data();
  }
  const auto bodies = model.bodies();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    buffer[i] = bodies[i].multiplier * qd[bodies[i].coordinate];
  }
  return buffer.data();
}

void collect_forces(const Model& model, const double* body_forces, MutableVector forces) noexcept {
  if (model.coordinates_are_bodies()) {
    std::copy(body_forces, body_forces + forces.size(), forces.begin());
    return;
  }
  std::fill(forces.begin(), forces.end(), 0.0);
  const auto bodies = model.bodies();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    forces[bodies[i].coordinate] += bodies[i].multiplier * body_forces[i];
  }
}

kernel::BaseState<double> base_state(const Model& model,
                                     const std::optional<BaseMotion>& base) noexcept {
  kernel::BaseState<double> state;
  if (!base) {
    state.acceleration = from_eigen(-model.gravity());
    return state;
  }
  const Eigen::Matrix3d to_base = base->pose.rotation.transpose();
  state.angular_velocity = from_eigen(to_base * base->velocity.angular);
  state.angular_acceleration = from_eigen(to_base * base->acceleration.angular);
  state.acceleration = from_eigen(to_base * (base->acceleration.linear - model.gravity()));
  state.not_rotating = base->velocity.angular.isZero(0.0) && base->acceleration.angular.isZero(0.0);
  return state;
}

const kernel::BodyWrench<double>* body_wrenches(const Model& model, Workspace::Memory& memory,
                                                const double* q,
                                                std::span<const LinkWrench> wrenches,
                                                const std::optional<BaseMotion>& base) noexcept {
  if (wrenches.empty()) return nullptr;
  const bool any_world = std::any_of(wrenches.begin(), wrenches.end(),
                                     [](const LinkWrench& w) { return w.axes != Axes::local; });
  if (any_world) world_motion(model, memory.kinematics, q, nullptr, nullptr, base);
  for (auto& wrench : memory.wrenches) wrench = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  for (const LinkWrench& given : wrenches) {
    const Frame& frame = model.frames()[given.frame];
    if (frame.body < 0) continue;  // the base takes it
    const auto body = static_cast<std::size_t>(frame.body);
    Eigen::Vector3d force, moment;  // about the body's origin, in its axes
    if (given.axes == Axes::local) {
      force = frame.pose.rotation * given.wrench.force;
      moment = frame.pose.rotation * given.wrench.moment + frame.pose.translation.cross(force);
    } else {
      const WorldMotion& at = memory.kinematics.bodies[body];
      force = at.rotation.transpose() * given.wrench.force;
      moment = at.rotation.transpose() * given.wrench.moment;
      const Eigen::Vector3d point = given.axes == Axes::world
                                        ? Eigen::Vector3d(at.rotation.transpose() * -at.position)
                                        : frame.pose.translation;
      moment += point.cross(force);
    }
    memory.wrenches[body].force += from_eigen(force);
    memory.wrenches[body].moment += from_eigen(moment);
  }
  return memory.wrenches.data();
}

}  // namespace dynamics
