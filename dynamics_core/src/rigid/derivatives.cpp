// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/rigid/derivatives.hpp"

#include <cmath>

#include "coordinate_matrix.hpp"
#include "dynamics_core/rigid/forward_dynamics.hpp"
#include "dynamics_core/rigid/udut.hpp"
#include "workspace_memory.hpp"

// Spatial vectors and matrices of all bodies in the base's axes, about the base's origin, angular
// part first. With s_j a joint's axis, v and a of its parent (gravity in a), and
//   psi_j' = v x s_j,   psi_j'' = a x s_j + v x psi_j',   s_j' = v_j x s_j
// the motions of all bodies beyond j change with q_j by psi_j' and psi_j'', with qd_j by s_j and
// psi_j' + s_j'. What forces that takes follows from sums over the bodies beyond the outer joint:
// their inertia I, their force f, and
//   B = ((v x*) I - I (v x) + (I v) x-*) / 2
// (Echeandia and Wensing 2021; Singh, Russell and Wensing 2022). For i beyond j or j itself:
//   d tau_i / d q_j  = s_i^T (2 B_i psi_j' + I_i psi_j'')
//   d tau_j / d q_i  = s_j^T (2 B_i psi_i' + I_i psi_i'' + s_i x* f_i)
//   d tau_i / d qd_j = s_i^T (2 B_i s_j + I_i (psi_j' + s_j')), and the same for i and j exchanged.

namespace dynamics {
namespace {

using Six = Eigen::Matrix<double, 6, 1, Eigen::DontAlign>;
using Six6 = Eigen::Matrix<double, 6, 6, Eigen::DontAlign>;

Six motion_cross(const Six& v, const Six& w) {
  Six r;
  r << v.head<3>().cross(w.head<3>()),
      v.head<3>().cross(w.tail<3>()) + v.tail<3>().cross(w.head<3>());
  return r;
}
Six force_cross(const Six& v, const Six& f) {
  Six r;
  r << v.head<3>().cross(f.head<3>()) + v.tail<3>().cross(f.tail<3>()),
      v.head<3>().cross(f.tail<3>());
  return r;
}
/// v x as a matrix; v x* is minus its transpose.
Six6 motion_cross_matrix(const Six& v) {
  Six6 m = Six6::Zero();
  m.topLeftCorner<3, 3>() = m.bottomRightCorner<3, 3>() = skew(v.head<3>());
  m.bottomLeftCorner<3, 3>() = skew(v.tail<3>());
  return m;
}
/// f x-*: (f x-*) v = v x* f
Six6 force_cross_matrix(const Six& f) {
  Six6 m = Six6::Zero();
  m.topLeftCorner<3, 3>() = -skew(f.head<3>());
  m.topRightCorner<3, 3>() = m.bottomLeftCorner<3, 3>() = -skew(f.tail<3>());
  return m;
}

}  // namespace

struct DerivativeWorkspace::Memory {
  explicit Memory(const Model& model)
      : rigid(model),
        bodies(model.body_count()),
        qdd(model.size()),
        solved(static_cast<Eigen::Index>(model.size()), static_cast<Eigen::Index>(model.size())) {}

  struct Body {
    Eigen::Matrix3d rotation;
    Eigen::Vector3d position;
    Six s, v, a, psi_rate, psi_rate2, s_rate, force;
    Six6 inertia, B;
  };
  Workspace rigid;
  std::vector<Body> bodies;
  std::vector<double> qdd;
  Eigen::MatrixXd solved;
};

DerivativeWorkspace::DerivativeWorkspace(const Model& model)
    : memory_(std::make_unique<Memory>(model)) {}
DerivativeWorkspace::~DerivativeWorkspace() = default;
DerivativeWorkspace::DerivativeWorkspace(DerivativeWorkspace&&) noexcept = default;
DerivativeWorkspace& DerivativeWorkspace::operator=(DerivativeWorkspace&&) noexcept = default;

namespace {

using MovingBody = DerivativeWorkspace::Memory::Body;

void outward(const Model& model, std::vector<MovingBody>& bodies,
             const kernel::BaseState<double>& base, const kernel::BodyWrench<double>* wrenches,
             const double* q, const double* qd, const double* qdd) {
  Six base_velocity = Six::Zero(), base_acceleration = Six::Zero();
  if (!base.still) {
    base_velocity.head<3>() = to_eigen(base.angular_velocity);
    base_acceleration.head<3>() = to_eigen(base.angular_acceleration);
  }
  base_acceleration.tail<3>() = to_eigen(base.acceleration);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const TreeBody& tree = model.tree()[i];
    MovingBody& body = bodies[i];
    const bool root = tree.parent < 0;
    const MovingBody* parent = root ? nullptr : &bodies[static_cast<std::size_t>(tree.parent)];
    const auto at = kernel::place(tree, q[i]);
    using Vector = kernel::Vec3<double>;
    body.rotation.col(0) = to_eigen(kernel::to_parent(tree, at, Vector{1.0, 0.0, 0.0}));
    body.rotation.col(1) = to_eigen(kernel::to_parent(tree, at, Vector{0.0, 1.0, 0.0}));
    body.rotation.col(2) = to_eigen(kernel::to_parent(tree, at, Vector{0.0, 0.0, 1.0}));
    body.position = to_eigen(at.r);
    if (!root) {
      body.rotation = (parent->rotation * body.rotation).eval();
      body.position = (parent->position + parent->rotation * body.position).eval();
    }
    const Eigen::Vector3d axis = body.rotation.col(2);
    if (tree.prismatic) {
      body.s << Eigen::Vector3d::Zero(), axis;
    } else {
      body.s << axis, body.position.cross(axis);
    }
    const Six& v = root ? base_velocity : parent->v;
    const Six& a = root ? base_acceleration : parent->a;
    body.psi_rate = motion_cross(v, body.s);
    body.psi_rate2 = motion_cross(a, body.s) + motion_cross(v, body.psi_rate);
    body.v = v + body.s * qd[i];
    body.s_rate = motion_cross(body.v, body.s);
    body.a = a + body.s * qdd[i] + body.psi_rate * qd[i];

    // the body's own inertia about the base's origin
    const auto& j = tree.inertia;
    Eigen::Matrix3d J;
    J << j[0], j[1], j[2], j[1], j[3], j[4], j[2], j[4], j[5];
    const Eigen::Matrix3d h =
        skew(body.rotation * Eigen::Vector3d(tree.moment[0], tree.moment[1], tree.moment[2]));
    const Eigen::Matrix3d p = skew(body.position);
    const Eigen::Matrix3d H = h + tree.mass * p;
    body.inertia.topLeftCorner<3, 3>() =
        body.rotation * J * body.rotation.transpose() - p * h - h * p - tree.mass * p * p;
    body.inertia.topRightCorner<3, 3>() = H;
    body.inertia.bottomLeftCorner<3, 3>() = -H;
    body.inertia.bottomRightCorner<3, 3>() = tree.mass * Eigen::Matrix3d::Identity();
    const Six momentum = body.inertia * body.v;
    const Six6 V = motion_cross_matrix(body.v);
    body.B =
        0.5 * (-V.transpose() * body.inertia - body.inertia * V + force_cross_matrix(momentum));
    body.force = body.inertia * body.a + force_cross(body.v, momentum);
    if (wrenches != nullptr) {
      const Eigen::Vector3d force = body.rotation * to_eigen(wrenches[i].force);
      body.force.head<3>() -=
          body.rotation * to_eigen(wrenches[i].moment) + body.position.cross(force);
      body.force.tail<3>() -= force;
    }
  }
}

void require_local(std::span<const LinkWrench> wrenches) {
  for (const LinkWrench& wrench : wrenches) {
    if (wrench.axes != Axes::local) {
      throw ArgumentError(
          "the derivatives take wrenches that turn with their links: give them in Axes::local");
    }
  }
}

}  // namespace

void inverse_dynamics_derivatives(const Model& model, DerivativeWorkspace& workspace, ConstVector q,
                                  ConstVector qd, ConstVector qdd,
                                  Eigen::Ref<Eigen::MatrixXd> tau_by_q,
                                  Eigen::Ref<Eigen::MatrixXd> tau_by_qd,
                                  const Conditions& conditions) {
  DerivativeWorkspace::Memory& memory = workspace.memory();
  Workspace::Memory& rigid = memory_for(model, memory.rigid);
  check_vector("q", q, rigid.size);
  check_vector("qd", qd, rigid.size);
  check_vector("qdd", qdd, rigid.size);
  check_matrix("tau_by_q", tau_by_q.rows(), tau_by_q.cols(), rigid.size, rigid.size);
  check_matrix("tau_by_qd", tau_by_qd.rows(), tau_by_qd.cols(), rigid.size, rigid.size);
  check_base(conditions.base);
  check_wrenches(model, conditions.wrenches);
  require_local(conditions.wrenches);

  const double* positions = body_positions(model, q, rigid.q);
  const double* rates = body_rates(model, qd, rigid.qd);
  const double* accelerations = body_rates(model, qdd, rigid.qdd);
  const auto* wrenches =
      body_wrenches(model, rigid, positions, conditions.wrenches, conditions.base);
  std::vector<MovingBody>& bodies = memory.bodies;
  outward(model, bodies, base_state(model, conditions.base), wrenches, positions, rates,
          accelerations);

  CoordinateMatrix by_q(model, tau_by_q), by_qd(model, tau_by_qd);
  for (std::size_t i = bodies.size(); i-- > 0;) {
    const TreeBody& tree = model.tree()[i];
    const MovingBody& body = bodies[i];
    // forces of the bodies beyond i for this joint's own changes
    const Six q_force = 2.0 * (body.B * body.psi_rate) + body.inertia * body.psi_rate2 +
                        force_cross(body.s, body.force);
    const Six qd_force = 2.0 * (body.B * body.s) + body.inertia * (body.psi_rate + body.s_rate);
    // and how tau_i answers to changes of motion
    const Six row_B = 2.0 * (body.B.transpose() * body.s), row_I = body.inertia * body.s;
    double own = body.s.dot(qd_force);
    if (conditions.friction && (tree.damping != 0.0 || tree.friction != 0.0)) {
      const double v = rates[i], e = model.friction_velocity(), w = v * v + e * e;
      own += tree.damping + tree.friction * e * e / (w * std::sqrt(w));
    }
    by_q.add(i, i, body.s.dot(q_force));
    by_qd.add(i, i, own);
    for (int k = tree.parent; k >= 0; k = model.tree()[static_cast<std::size_t>(k)].parent) {
      const auto j = static_cast<std::size_t>(k);
      const MovingBody& inner = bodies[j];
      by_q.add(j, i, inner.s.dot(q_force));
      by_qd.add(j, i, inner.s.dot(qd_force));
      by_q.add(i, j, row_B.dot(inner.psi_rate) + row_I.dot(inner.psi_rate2));
      by_qd.add(i, j, row_B.dot(inner.s) + row_I.dot(inner.psi_rate + inner.s_rate));
    }
    if (tree.parent < 0) continue;
    MovingBody& parent = bodies[static_cast<std::size_t>(tree.parent)];
    parent.inertia += body.inertia;
    parent.B += body.B;
    parent.force += body.force;
  }
}

void forward_dynamics_derivatives(const Model& model, DerivativeWorkspace& workspace, ConstVector q,
                                  ConstVector qd, ConstVector tau,
                                  Eigen::Ref<Eigen::MatrixXd> qdd_by_q,
                                  Eigen::Ref<Eigen::MatrixXd> qdd_by_qd,
                                  // NOLINTNEXTLINE(performance-unnecessary-value-param): a view
                                  Eigen::Ref<Eigen::MatrixXd> qdd_by_tau,
                                  const Conditions& conditions) {
  DerivativeWorkspace::Memory& memory = workspace.memory();
  const std::size_t n = memory_for(model, memory.rigid).size;
  check_matrix("qdd_by_q", qdd_by_q.rows(), qdd_by_q.cols(), n, n);
  check_matrix("qdd_by_qd", qdd_by_qd.rows(), qdd_by_qd.cols(), n, n);
  check_matrix("qdd_by_tau", qdd_by_tau.rows(), qdd_by_tau.cols(), n, n);
  require_local(conditions.wrenches);
  forward_dynamics(model, memory.rigid, q, qd, tau, memory.qdd, conditions);
  inverse_inertia_matrix(model, memory.rigid, q, qdd_by_tau);
  inverse_dynamics_derivatives(model, workspace, q, qd, memory.qdd, qdd_by_q, qdd_by_qd,
                               conditions);
  // M qdd + ... = tau, differentiated: M dqdd = -dtau at constant qdd. The products are lazy: a
  // blocked one would allocate.
  memory.solved = -qdd_by_tau.lazyProduct(qdd_by_q);
  qdd_by_q = memory.solved;
  memory.solved = -qdd_by_tau.lazyProduct(qdd_by_qd);
  qdd_by_qd = memory.solved;
}

}  // namespace dynamics
