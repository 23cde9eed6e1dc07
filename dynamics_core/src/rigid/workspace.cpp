// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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
      world(body_count),
      wrenches(body_count),
      q(body_count),
      qd(body_count),
      qdd(body_count),
      tau(body_count),
      zeros(body_count, 0.0),
      result(size) {
  if (model.plain()) return;
  std::vector<std::size_t> leader_of(size);
  for (std::size_t i = 0; i < body_count; ++i) {
    if (!model.is_mimic(i)) leader_of[model.bodies()[i].coordinate] = i;
  }
  for (std::size_t i = 0; i < body_count; ++i) {
    if (!model.is_mimic(i)) continue;
    followers.push_back(i);
    leaders.push_back(leader_of[model.bodies()[i].coordinate]);
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

Workspace::Memory& memory_for(const Model& model, Workspace& workspace) {
  Workspace::Memory& memory = workspace.memory();
  if (memory.size != model.size() || memory.body_count != model.body_count()) {
    throw ArgumentError(fmt::format(
        "the workspace was made for a model of {} coordinates and {} bodies, '{}' has "
        "{} and {}",
        memory.size, memory.body_count, model.name(), model.size(), model.body_count()));
  }
  if (model.plain()) return memory;
  // as many numbers, but not for a model with these mimic joints
  if (!same_couplings(model, memory)) {
    throw ArgumentError(
        fmt::format("the workspace was made for a model with other mimic joints than those of '{}'",
                    model.name()));
  }
  return memory;
}

void check_vector(const char* name, ConstVector vector, std::size_t size) {
  if (!(vector.checked_size() == size)) {
    throw ArgumentError(vector.checked_size().problem(name, size));
  }
  // x - x is zero for every finite x and not a number for the others
  double sum = 0.0;
  for (const double x : vector) sum += x - x;
  if (sum == 0.0) return;
  for (std::size_t i = 0; i < size; ++i) {
    if (!std::isfinite(vector[i])) {
      throw ArgumentError(
          fmt::format("{}[{}] is {}; finite numbers are needed", name, i, vector[i]));
    }
  }
}

void check_output(const char* name, MutableVector vector, std::size_t expected) {
  if (!vector.checked_size().is_vector()) {
    throw ArgumentError(vector.checked_size().problem(name, expected));
  }
  check_output(name, vector.size(), expected);
}

void check_output(const char* name, std::size_t size, std::size_t expected) {
  if (size != expected) {
    throw ArgumentError(
        fmt::format("{} has room for {} entries; {} are needed", name, size, expected));
  }
}

void check_matrix(const char* name, Eigen::Index rows, Eigen::Index cols, std::size_t expected_rows,
                  std::size_t expected_cols) {
  if (rows != static_cast<Eigen::Index>(expected_rows) ||
      cols != static_cast<Eigen::Index>(expected_cols)) {
    throw ArgumentError(fmt::format("{} is {} x {}; {} x {} is needed", name, rows, cols,
                                    expected_rows, expected_cols));
  }
}

void check_frame(const Model& model, std::size_t frame) {
  if (frame >= model.frames().size()) {
    throw ArgumentError(fmt::format("frame {} does not exist; '{}' has {} frames", frame,
                                    model.name(), model.frames().size()));
  }
}

void check_base(const std::optional<BaseMotion>& base) {
  if (!base) return;
  if (!base->pose.rotation.allFinite() || !base->pose.translation.allFinite()) {
    throw ArgumentError("the base's pose is not finite");
  }
  if (!is_rotation(base->pose.rotation)) {
    throw ArgumentError("the base's pose.rotation is not a rotation matrix");
  }
  if (!base->velocity.angular.allFinite() || !base->velocity.linear.allFinite()) {
    throw ArgumentError("the base's velocity is not finite");
  }
  if (!base->acceleration.angular.allFinite() || !base->acceleration.linear.allFinite()) {
    throw ArgumentError("the base's acceleration is not finite");
  }
}

void check_wrenches(const Model& model, std::span<const LinkWrench> wrenches) {
  for (std::size_t i = 0; i < wrenches.size(); ++i) {
    if (wrenches[i].frame >= model.frames().size()) {
      throw ArgumentError(fmt::format("wrenches[{}] acts on frame {}; '{}' has {} frames", i,
                                      wrenches[i].frame, model.name(), model.frames().size()));
    }
    if (!wrenches[i].wrench.force.allFinite() || !wrenches[i].wrench.moment.allFinite()) {
      throw ArgumentError(fmt::format("wrenches[{}] is not finite", i));
    }
  }
}

const double* body_positions(const Model& model, ConstVector q, std::vector<double>& buffer) {
  if (model.plain()) return q.data();
  const auto bodies = model.bodies();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    buffer[i] = bodies[i].multiplier * q[bodies[i].coordinate] + bodies[i].offset;
  }
  return buffer.data();
}

const double* body_rates(const Model& model, ConstVector qd, std::vector<double>& buffer) {
  if (model.plain()) return qd.data();
  const auto bodies = model.bodies();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    buffer[i] = bodies[i].multiplier * qd[bodies[i].coordinate];
  }
  return buffer.data();
}

void collect_forces(const Model& model, const double* body_forces, MutableVector forces) {
  if (model.plain()) {
    std::copy(body_forces, body_forces + forces.size(), forces.begin());
    return;
  }
  std::fill(forces.begin(), forces.end(), 0.0);
  const auto bodies = model.bodies();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    forces[bodies[i].coordinate] += bodies[i].multiplier * body_forces[i];
  }
}

kernel::BaseState<double> base_state(const Model& model, const std::optional<BaseMotion>& base) {
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
                                                const std::optional<BaseMotion>& base) {
  if (wrenches.empty()) return nullptr;
  const bool any_world = std::any_of(wrenches.begin(), wrenches.end(),
                                     [](const LinkWrench& w) { return w.axes != Axes::local; });
  if (any_world) world_motion(model, memory, q, nullptr, nullptr, base);
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
      const WorldMotion& at = memory.world[body];
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
