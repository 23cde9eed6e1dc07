// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "dynamics_core/flexible_links.hpp"
#include "flexible/flexible_memory.hpp"
#include "flexible/flexible_model_data.hpp"
#include "flexible/make_beam.hpp"
#include "flexible/recursions/energy.hpp"

namespace dynamics {
namespace {

using flexible::ElasticBody;
using flexible::JointKind;
using flexible::Vec3;
using Memory = FlexibleWorkspace::Memory;

Eigen::Vector3d to_eigen(const Vec3<double>& v) { return {v.x, v.y, v.z}; }

/// Rotation from the body's axes to the parent's.
Eigen::Matrix3d rotation_to_parent(const flexible::Tree& tree, const ElasticBody& body,
                                   const flexible::LinkScratch<double>& link) {
  Eigen::Matrix3d R;
  for (int k = 0; k < 3; ++k) {
    Vec3<double> unit = {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
    if (body.has_axes_rotation) unit = spatial::rotate(body.axes, unit);
    flexible::rotate_to_parent(tree, body, link, unit);
    R.col(k) = to_eigen(unit);
  }
  return R;
}

/// (m, m c) of a body in its own axes.
Eigen::Vector4d mass_and_first_moment(const ElasticBody& body, const double* d) {
  const flexible::Beam& beam = body.beam;
  Eigen::Vector4d sum(body.mass + beam.mass, body.first_moment[0] + beam.first,
                      body.first_moment[1], body.first_moment[2]);
  const double* own = d + body.amplitude;
  for (std::size_t j = 0; j < beam.modes(); ++j) {
    sum[j < beam.modes_y ? 2 : 3] += beam.shape_integral[j] * own[j];
  }
  for (const flexible::BeamNode& node : beam.nodes) {
    const std::size_t m = beam.modes();
    for (std::size_t j = 0; j < m; ++j) {
      for (std::size_t k = 0; k < m; ++k) {
        sum[1] -= 0.5 * node.mass * node.shortening[j * m + k] * own[j] * own[k];
      }
    }
  }
  return sum;
}

/// (m, m c) summed over all bodies, in the world.
Eigen::Vector4d total_mass_and_first_moment(const FlexibleModel& model, Memory& memory,
                                            const double* d) {
  Eigen::Vector4d sum = Eigen::Vector4d::Zero();
  for (std::size_t i = 0; i < model.tree().size(); ++i) {
    const Eigen::Vector4d own = mass_and_first_moment(model.tree()[i], d);
    sum[0] += own[0];
    sum.tail<3>() +=
        own[0] * memory.world[i].translation + memory.world[i].rotation * own.tail<3>();
  }
  return sum;
}

void check_station(const FlexibleLink& beam, double x) {
  if (x >= 0.0 && x <= beam.length) return;
  throw ArgumentError(
      fmt::format("x is {} m; link '{}' has a beam from 0 to {} m", x, beam.name, beam.length));
}

const FlexibleLink& flexible_link(const FlexibleModel& model, std::size_t link) {
  if (link >= model.links().size()) {
    throw ArgumentError(fmt::format("flexible link {} does not exist; the robot has {}", link,
                                    model.links().size()));
  }
  return model.links()[link];
}

}  // namespace

Pose section_pose(const ElasticBody& body, const BeamSection& at, const double* d) {
  if (!at.deflects) return {};
  const double* own = d + body.amplitude;
  const auto deflection = flexible::deflection_at(body.beam, at, own);
  Pose pose;
  pose.translation = {at.x, deflection.u_y, deflection.u_z};
  const std::size_t m = body.beam.modes();
  if (body.beam.stiffening) {
    for (std::size_t j = 0; j < m; ++j) {
      for (std::size_t k = 0; k < m; ++k) {
        pose.translation.x() -= 0.5 * at.shortening[j * m + k] * own[j] * own[k];
      }
    }
  }
  pose.rotation = (Eigen::AngleAxisd(deflection.slope_y, Eigen::Vector3d::UnitZ()) *
                   Eigen::AngleAxisd(-deflection.slope_z, Eigen::Vector3d::UnitY()))
                      .toRotationMatrix();
  return pose;
}

void update_body_poses(const FlexibleModel& model, Memory& memory, const double* q) {
  const flexible::Tree& tree = model.tree();
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const ElasticBody& body = tree[i];
    flexible::update_position<double>(tree, memory.scratch, i, q, q + memory.joints);
    const auto& link = memory.scratch.links[i];
    const Pose in_parent{rotation_to_parent(tree, body, link), to_eigen(link.r)};
    memory.world[i] = body.parent < 0
                          ? in_parent
                          : memory.world[static_cast<std::size_t>(body.parent)] * in_parent;
  }
}

Status try_energy(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                  ConstVector qd, FlexibleEnergy& energy) noexcept {
  Memory& memory = workspace.memory();
  const Status status = check_workspace(model, memory)
                            .vector("q", q, memory.size, coordinates_hint)
                            .vector("qd", qd, memory.size, coordinates_hint)
                            .status();
  if (status != Status::ok) return status;
  const std::size_t n = memory.joints;
  flexible::body_velocities<double>(model.tree(), memory.scratch, q.data(), q.data() + n, qd.data(),
                                    qd.data() + n);
  energy.kinetic = flexible::kinetic_energy<double>(model.tree(), memory.scratch, q.data() + n,
                                                    qd.data(), qd.data() + n);
  energy.strain = flexible::strain_energy<double>(model.tree(), q.data() + n);
  update_body_poses(model, memory, q.data());
  energy.potential = -model.rigid().gravity().dot(
      total_mass_and_first_moment(model, memory, q.data() + n).tail<3>());
  return Status::ok;
}

FlexibleEnergy energy(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                      ConstVector qd) {
  FlexibleEnergy result;
  require(try_energy(model, workspace, q, qd, result), workspace.memory().problem, model.rigid());
  return result;
}

Status try_power(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector qd,
                 ConstVector tau, FlexiblePower& power) noexcept {
  Memory& memory = workspace.memory();
  const Status status =
      check_workspace(model, memory)
          .vector("qd", qd, memory.size, coordinates_hint)
          .vector("tau", tau, tau.size() == memory.size ? memory.size : memory.joints, forces_hint)
          .status();
  if (status != Status::ok) return status;
  FlexiblePower sum;
  for (std::size_t i = 0; i < tau.size(); ++i) sum.actuators += tau[i] * qd[i];
  const double* rates = qd.data() + memory.joints;
  for (const ElasticBody& body : model.tree()) {
    if (body.joint != JointKind::fixed) {
      sum.friction += qd[body.coordinate] * joint_friction(model, body, qd[body.coordinate]);
    }
    const double* own = rates + body.amplitude;
    for (const flexible::Entry& entry : body.beam.damping) {
      sum.damping += entry.value * own[entry.row] * own[entry.column];
    }
  }
  power = sum;
  return Status::ok;
}

FlexiblePower power(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector qd,
                    ConstVector tau) {
  FlexiblePower result;
  require(try_power(model, workspace, qd, tau, result), workspace.memory().problem, model.rigid());
  return result;
}

Status try_frame_pose(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                      std::size_t frame, Pose& pose) noexcept {
  Memory& memory = workspace.memory();
  const Status status = check_workspace(model, memory)
                            .vector("q", q, memory.size, coordinates_hint)
                            .frame(model.rigid(), frame)
                            .status();
  if (status != Status::ok) return status;
  const FlexibleFrame& found = model.data().frames[frame];
  if (found.body < 0) {
    pose = found.pose;
    return Status::ok;
  }
  update_body_poses(model, memory, q.data());
  const auto body = static_cast<std::size_t>(found.body);
  Pose carrier = memory.world[body];
  if (found.at.deflects) {
    carrier = carrier * section_pose(model.tree()[body], found.at, q.data() + memory.joints);
  }
  pose = carrier * found.pose;
  return Status::ok;
}

Pose frame_pose(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                std::size_t frame) {
  Pose pose;
  require(try_frame_pose(model, workspace, q, frame, pose), workspace.memory().problem,
          model.rigid());
  return pose;
}

Status try_center_of_mass(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                          Eigen::Vector3d& center) noexcept {
  Memory& memory = workspace.memory();
  const Status status =
      check_workspace(model, memory).vector("q", q, memory.size, coordinates_hint).status();
  if (status != Status::ok) return status;
  update_body_poses(model, memory, q.data());
  const Eigen::Vector4d sum = total_mass_and_first_moment(model, memory, q.data() + memory.joints);
  center = sum[0] > 0.0 ? Eigen::Vector3d(sum.tail<3>() / sum[0]) : Eigen::Vector3d::Zero();
  return Status::ok;
}

Eigen::Vector3d center_of_mass(const FlexibleModel& model, FlexibleWorkspace& workspace,
                               ConstVector q) {
  Eigen::Vector3d center;
  require(try_center_of_mass(model, workspace, q, center), workspace.memory().problem,
          model.rigid());
  return center;
}

Eigen::Vector3d deflection(const FlexibleModel& model, ConstVector q, std::size_t link, double x) {
  check_flexible_input(model, "q", q, model.size(), coordinates_hint);
  const FlexibleLink& beam = flexible_link(model, link);
  check_station(beam, x);
  Eigen::Vector3d u = Eigen::Vector3d::Zero();
  for (std::size_t j = 0; j < beam.modes(); ++j) {
    const bool y = j < beam.modes_y;
    const auto mode = static_cast<int>(y ? j : j - beam.modes_y);
    u[y ? 1 : 2] += model.basis(link).at(mode, x, beam.length).value * q[beam.first + j];
  }
  return u;
}

BeamSection cross_section(const FlexibleModel& model, std::size_t link, double x) {
  const FlexibleLink& beam = flexible_link(model, link);
  check_station(beam, x);
  const auto& links = model.rigid().description().links;
  const auto found = std::find_if(links.begin(), links.end(),
                                  [&](const auto& one) { return one.name == beam.name; });
  return flexible::beam_section(*found->flexible, model.basis(link), model.options(),
                                model.tree()[beam.body].beam.stiffening, x);
}

Pose cross_section_pose(const FlexibleModel& model, ConstVector q, std::size_t link,
                        const BeamSection& at) {
  check_flexible_input(model, "q", q, model.size(), coordinates_hint);
  const FlexibleLink& beam = flexible_link(model, link);
  const std::size_t m = beam.modes();
  const bool stiffening = model.tree()[beam.body].beam.stiffening;
  if (at.deflects && (at.shape.size() != m || at.slope.size() != m || at.x > beam.length ||
                      (stiffening && at.shortening.size() != m * m))) {
    throw ArgumentError(
        fmt::format("`at` is the cross-section of another link than '{}', which has {} modes and a "
                    "beam of {} m: take it from cross_section(model, link, x)",
                    beam.name, m, beam.length));
  }
  return section_pose(model.tree()[beam.body], at, q.data() + model.joint_count());
}

namespace {

void add_beams(const FlexibleModel& model, const char* name,
               flexible::SparseMatrix flexible::Beam::*part, Eigen::Ref<Eigen::MatrixXd> matrix) {
  const auto n = static_cast<Eigen::Index>(model.size());
  if (matrix.rows() != n || matrix.cols() != n) {
    throw ArgumentError(fmt::format("{} is {} x {}; {} x {} is required", name, matrix.rows(),
                                    matrix.cols(), n, n));
  }
  matrix.setZero();
  for (const ElasticBody& body : model.tree()) {
    const std::size_t first = model.joint_count() + body.amplitude;
    for (const flexible::Entry& entry : body.beam.*part) {
      matrix(static_cast<Eigen::Index>(first + entry.row),
             static_cast<Eigen::Index>(first + entry.column)) += entry.value;
    }
  }
}

}  // namespace

void stiffness_matrix(const FlexibleModel& model, Eigen::Ref<Eigen::MatrixXd> K) {
  add_beams(model, "K", &flexible::Beam::stiffness, K);
}

void damping_matrix(const FlexibleModel& model, Eigen::Ref<Eigen::MatrixXd> D) {
  add_beams(model, "D", &flexible::Beam::damping, D);
}

}  // namespace dynamics
