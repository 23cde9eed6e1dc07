// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "flexible/flexible_memory.hpp"

namespace dynamics {
namespace {

using BodyCoordinates = FlexibleWorkspace::Memory::BodyCoordinates;

BodyCoordinates coordinates_of(const flexible::ElasticBody& body) {
  return {body.joint == flexible::JointKind::fixed ? std::nullopt : std::optional(body.coordinate),
          body.amplitude, body.beam.modes()};
}

}  // namespace

FlexibleWorkspace::Memory::Memory(const FlexibleModel& model)
    : joints(model.joint_count()),
      size(model.size()),
      scratch(model.tree()),
      q(size),
      tau(joints),
      projected_forces(scratch.largest),
      zeros(size, 0.0),
      dense(static_cast<Eigen::Index>(size), static_cast<Eigen::Index>(size)),
      rhs(static_cast<Eigen::Index>(size)),
      block(static_cast<Eigen::Index>(scratch.largest + 1),
            static_cast<Eigen::Index>(scratch.largest + 1)),
      block_columns(static_cast<Eigen::Index>(scratch.largest + 1), 6),
      psi(size),
      block_index(size),
      world(model.tree().size()) {
  for (std::size_t i = 0; i < size; ++i) block_index[model.block_order()[i]] = i;
  for (const flexible::ElasticBody& body : model.tree()) bodies.push_back(coordinates_of(body));
}

FlexibleWorkspace::FlexibleWorkspace(const FlexibleModel& model)
    : memory_(std::make_unique<Memory>(model)) {}
FlexibleWorkspace::~FlexibleWorkspace() = default;
FlexibleWorkspace::FlexibleWorkspace(FlexibleWorkspace&&) noexcept = default;
FlexibleWorkspace& FlexibleWorkspace::operator=(FlexibleWorkspace&&) noexcept = default;

Checks check_workspace(const FlexibleModel& model, FlexibleWorkspace::Memory& memory) noexcept {
  const flexible::Tree& tree = model.tree();
  // scratch and block order depend on the coordinates of each body
  bool same = memory.size == model.size() && memory.joints == model.joint_count() &&
              memory.bodies.size() == tree.size();
  for (std::size_t i = 0; same && i < tree.size(); ++i)
    same = memory.bodies[i] == coordinates_of(tree[i]);
  return Checks(memory.problem).same_beams(same, memory.joints, memory.size - memory.joints);
}

Status massless(FlexibleWorkspace::Memory& memory) noexcept {
  memory.problem.kind = Problem::Kind::massless;
  return memory.problem.status();
}

void check_flexible_input(const FlexibleModel& model, const char* name, ConstVector vector,
                          std::size_t size, const char* hint) {
  Problem problem;
  require(Checks(problem).vector(name, vector, size, hint).status(), problem, model.rigid());
}

flexible::BaseState<double> gravity_base(const FlexibleModel& model) {
  const Eigen::Vector3d& g = model.rigid().gravity();
  flexible::BaseState<double> base;
  base.angular_velocity = base.angular_acceleration = {0.0, 0.0, 0.0};
  base.acceleration = {-g.x(), -g.y(), -g.z()};
  return base;
}

double joint_friction(const FlexibleModel& model, const flexible::ElasticBody& body, double rate) {
  double force = body.damping * rate;
  if (body.friction != 0.0) {
    const double v0 = model.rigid().friction_velocity();
    force += body.friction * rate / std::sqrt(rate * rate + v0 * v0);
  }
  return force;
}

}  // namespace dynamics
