// SPDX-License-Identifier: Apache-2.0
#include "loops/loop_equations.hpp"

#include <array>

#include "base/eigen_index.hpp"

namespace dynamics {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::Vector3d;

const WorldMotion& motion_of_body(const Kinematics::Memory& motion, int body) {
  return body < 0 ? motion.base : motion.bodies[static_cast<std::size_t>(body)];
}

/// Largest number of equations of a constraint.
constexpr std::size_t max_rows = 6;

/// The two frames of a constraint in the world.
struct Ends {
  const WorldMotion &a, &b;
  Matrix3d axes_a, axes_b;
  Vector3d p_a, p_b, d;

  Ends(const LoopConstraint& constraint, const Kinematics::Memory& motion)
      : a(motion_of_body(motion, constraint.body_a)),
        b(motion_of_body(motion, constraint.body_b)),
        axes_a(a.rotation * constraint.axes_a),
        axes_b(Matrix3d::Zero()),
        p_a(a.position + a.rotation * constraint.point_a),
        p_b(b.position + b.rotation * constraint.point_b),
        d(p_b - p_a) {
    // only equations between directions read them
    if (constraint.type != ConstraintType::spherical &&
        constraint.type != ConstraintType::distance) {
      axes_b = b.rotation * constraint.axes_b;
    }
  }
};

double row_error(const LoopConstraint& constraint, const LoopRow& row, const Ends& ends,
                 double length) {
  switch (row.kind) {
    case LoopRow::Kind::position: return ends.axes_a.col(row.i).dot(ends.d) / length;
    case LoopRow::Kind::direction: return ends.axes_a.col(row.i).dot(ends.axes_b.col(row.j));
    default: break;
  }
  const double D = constraint.distance;
  return (ends.d.squaredNorm() - D * D) / (2.0 * D * length);
}

double coupling_scale(const Mechanism::Data& data, const LoopConstraint& constraint) {
  const auto follower = static_cast<std::size_t>(constraint.body_b);
  return data.tree.tree()[follower].prismatic ? data.length : 1.0;
}

/// x fixed to a body: its first and second time derivatives.
Vector3d first(const WorldMotion& body, const Vector3d& x) { return body.omega.cross(x); }
Vector3d second(const WorldMotion& body, const Vector3d& x) {
  return body.alpha.cross(x) + body.omega.cross(body.omega.cross(x));
}

}  // namespace

void loop_errors(const Mechanism::Data& data, const LoopCluster& cluster,
                 const Kinematics::Memory& motion, const double* q,
                 Eigen::Ref<Eigen::VectorXd> phi) noexcept {
  Index at = 0;
  for (const std::size_t k : cluster.constraints) {
    const LoopConstraint& constraint = data.constraints[k];
    if (constraint.coupling) {
      phi[at++] = (q[constraint.body_b] - constraint.multiplier * q[constraint.body_a] -
                   constraint.offset) /
                  coupling_scale(data, constraint);
      continue;
    }
    const Ends ends(constraint, motion);
    for (const LoopRow& row : constraint.rows)
      phi[at++] = row_error(constraint, row, ends, data.length);
  }
}

bool directions_agree(const Mechanism::Data& data, const LoopCluster& cluster,
                      const Kinematics::Memory& motion) noexcept {
  for (const std::size_t k : cluster.constraints) {
    const LoopConstraint& constraint = data.constraints[k];
    if (constraint.type != ConstraintType::fixed && constraint.type != ConstraintType::prismatic)
      continue;
    if (constraint.coupling) continue;
    const Ends ends(constraint, motion);
    for (const LoopRow& row : constraint.rows) {
      if (row.kind != LoopRow::Kind::direction) continue;
      // axis j of both frames
      if (ends.axes_a.col(row.j).dot(ends.axes_b.col(row.j)) < 0.0) return false;
    }
  }
  return true;
}

void loop_jacobian(const Mechanism::Data& data, const LoopCluster& cluster,
                   const Kinematics::Memory& motion, Eigen::Ref<Eigen::MatrixXd> G) noexcept {
  const Tree& tree = data.tree.tree();
  const double length = data.length;
  Index at = 0;
  for (std::size_t c = 0; c < cluster.constraints.size(); ++c) {
    const LoopConstraint& constraint = data.constraints[cluster.constraints[c]];
    const Index rows = eigen_index(constraint.rows.size());
    if (constraint.coupling) {
      const double inverse = 1.0 / coupling_scale(data, constraint);
      for (const auto& [b, sign] : cluster.moved[c]) {
        const auto body = static_cast<int>(cluster.bodies[b]);
        if (body != constraint.body_a && body != constraint.body_b) continue;
        G(at, eigen_index(b)) =
            (body == constraint.body_b ? inverse : -constraint.multiplier * inverse) *
            cluster.scale[b];
      }
      at += rows;
      continue;
    }
    const Ends ends(constraint, motion);
    // the vectors whose scalar product with the relative velocity or angular velocity is phi'
    std::array<Vector3d, max_rows> gradients;
    std::array<bool, max_rows> angular{};
    for (Index r = 0; r < rows; ++r) {
      const LoopRow& row = constraint.rows[static_cast<std::size_t>(r)];
      Vector3d& gradient = gradients[static_cast<std::size_t>(r)];
      angular[static_cast<std::size_t>(r)] = row.kind == LoopRow::Kind::direction;
      if (row.kind == LoopRow::Kind::direction) {
        gradient = ends.axes_b.col(row.j).cross(ends.axes_a.col(row.i));
      } else if (row.kind == LoopRow::Kind::position) {
        gradient = ends.axes_a.col(row.i) / length;
      } else {
        gradient = ends.d / (constraint.distance * length);
      }
    }
    for (const auto& [b, sign] : cluster.moved[c]) {
      const std::size_t body = cluster.bodies[b];
      const WorldMotion& link = motion.bodies[body];
      const Vector3d axis = sign * cluster.scale[b] * link.axis();
      const bool prismatic = tree[body].prismatic;
      const Vector3d velocity = prismatic ? axis : axis.cross(ends.p_b - link.position);
      double* column = &G(at, eigen_index(b));
      for (std::size_t r = 0; r < constraint.rows.size(); ++r) {
        if (angular[r] && prismatic) continue;
        column[r] = gradients[r].dot(angular[r] ? axis : velocity);
      }
    }
    at += rows;
  }
}

std::vector<bool> loop_pattern(const Mechanism::Data& data, const LoopCluster& cluster) {
  std::vector<bool> pattern(cluster.rows * cluster.size(), false);
  std::size_t at = 0;
  for (std::size_t c = 0; c < cluster.constraints.size(); ++c) {
    const LoopConstraint& constraint = data.constraints[cluster.constraints[c]];
    for (const LoopRow& row : constraint.rows) {
      for (const auto& [b, sign] : cluster.moved[c]) {
        const auto body = static_cast<int>(cluster.bodies[b]);
        if (constraint.coupling && body != constraint.body_a && body != constraint.body_b) continue;
        if (row.kind == LoopRow::Kind::direction && data.tree.tree()[cluster.bodies[b]].prismatic)
          continue;
        pattern[at + cluster.rows * b] = true;
      }
      ++at;
    }
  }
  return pattern;
}

void loop_bias(const Mechanism::Data& data, const LoopCluster& cluster,
               const Kinematics::Memory& motion, Eigen::Ref<Eigen::VectorXd> gamma) noexcept {
  Index at = 0;
  for (const std::size_t k : cluster.constraints) {
    const LoopConstraint& constraint = data.constraints[k];
    if (constraint.coupling) {
      gamma[at++] = 0.0;
      continue;
    }
    const Ends ends(constraint, motion);
    const WorldMotion &a = ends.a, &b = ends.b;
    const Vector3d arm_a = ends.p_a - a.position, arm_b = ends.p_b - b.position;
    const Vector3d d_rate = b.velocity + first(b, arm_b) - a.velocity - first(a, arm_a);
    const Vector3d d_rate2 = b.acceleration + second(b, arm_b) - a.acceleration - second(a, arm_a);
    for (const LoopRow& row : constraint.rows) {
      const Vector3d x = ends.axes_a.col(row.i), y = ends.axes_b.col(row.j);
      double& out = gamma[at++];
      if (row.kind == LoopRow::Kind::position) {
        out = (second(a, x).dot(ends.d) + 2.0 * first(a, x).dot(d_rate) + x.dot(d_rate2)) /
              data.length;
      } else if (row.kind == LoopRow::Kind::direction) {
        out = second(a, x).dot(y) + 2.0 * first(a, x).dot(first(b, y)) + x.dot(second(b, y));
      } else {
        out = (d_rate.squaredNorm() + ends.d.dot(d_rate2)) / (constraint.distance * data.length);
      }
    }
  }
}

Wrench constraint_wrench(const Mechanism::Data& data, const LoopConstraint& constraint,
                         const Kinematics::Memory& motion,
                         const Eigen::Ref<const Eigen::VectorXd>& lambda) noexcept {
  Wrench wrench;
  if (constraint.coupling) return wrench;
  const Ends ends(constraint, motion);
  for (std::size_t r = 0; r < constraint.rows.size(); ++r) {
    const LoopRow& row = constraint.rows[r];
    const double value = lambda[eigen_index(r)];
    if (row.kind == LoopRow::Kind::position) {
      wrench.force += value / data.length * ends.axes_a.col(row.i);
    } else if (row.kind == LoopRow::Kind::direction) {
      wrench.moment += value * ends.axes_b.col(row.j).cross(ends.axes_a.col(row.i));
    } else {
      wrench.force += value / (constraint.distance * data.length) * ends.d;
    }
  }
  return wrench;
}

Eigen::Vector3d point_b_in_world(const LoopConstraint& constraint,
                                 const Kinematics::Memory& motion) noexcept {
  const WorldMotion& b = motion_of_body(motion, constraint.body_b);
  return b.position + b.rotation * constraint.point_b;
}

}  // namespace dynamics
