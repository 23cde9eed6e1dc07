// SPDX-License-Identifier: Apache-2.0
#include "loops/mechanism_memory.hpp"

namespace dynamics {
namespace {

Eigen::Index rank_of(const LoopCluster& cluster) { return eigen_index(cluster.rank); }

}  // namespace

ClusterMemory::ClusterMemory(const LoopCluster& cluster)
    : G(Eigen::MatrixXd::Zero(eigen_index(cluster.rows), eigen_index(cluster.size()))),
      lu(cluster.rows, cluster.size()),
      N(eigen_index(cluster.mobility()), eigen_index(cluster.size())),
      phi(eigen_index(cluster.rows)),
      gamma(eigen_index(cluster.rows)),
      u(eigen_index(cluster.size())),
      normal(rank_of(cluster), rank_of(cluster)),
      multipliers(rank_of(cluster)),
      factor(cluster.size(), cluster.mobility()),
      position(cluster.size()),
      step(cluster.size()) {}

DerivativeMemory::DerivativeMemory(std::size_t coordinates, std::size_t independent,
                                   std::size_t bodies)
    : q(coordinates),
      zd(coordinates),
      zdd(coordinates),
      moved(coordinates),
      constant(bodies),
      slope(bodies),
      basis(eigen_index(coordinates), eigen_index(independent)),
      tau_rates(eigen_index(independent), 3),
      qd_rates(eigen_index(bodies), 3),
      by_z(eigen_index(independent), eigen_index(independent)),
      by_zd(by_z),
      M(by_z),
      tau(eigen_index(independent)) {}

MechanismWorkspace::Memory::Memory(const Mechanism& mechanism)
    : tree(mechanism.tree()),
      kinematics(mechanism.tree()),
      bodies(mechanism.tree().body_count()),
      q(bodies.size()),
      qd(bodies.size()),
      qdd(bodies.size()),
      tau(bodies.size()),
      x(bodies.size()),
      all(mechanism.tree().size()),
      cut_wrenches(mechanism.description().constraints.size()),
      derivatives(all.size(), mechanism.size(), bodies.size()) {
  const Mechanism::Data& data = mechanism.data();
  clusters.reserve(data.clusters.size());
  for (const LoopCluster& cluster : data.clusters) clusters.emplace_back(cluster);
  for (std::size_t k = 0; k < clusters.size(); ++k) {
    const LoopCluster& cluster = data.clusters[k];
    views.push_back({cluster.bodies.data(), cluster.local_parent.data(), cluster.size(),
                     cluster.mobility(), cluster.parent, cluster.carries, clusters[k].N.data(),
                     &clusters[k].factor});
  }
  const Eigen::Index n = eigen_index(all.size()), d = eigen_index(data.independent.size()),
                     a = eigen_index(data.actuated.size());
  over_tree.resize(n, n);
  over_tree2.resize(n, n);
  basis.resize(n, d);
  basis_rate.resize(n, d);
  actuator_map.resize(d, a);
  actuator_normal.resize(d, d);
  reduced.resize(d);
}

MechanismWorkspace::MechanismWorkspace(const Mechanism& mechanism)
    : memory_(std::make_unique<Memory>(mechanism)) {}
MechanismWorkspace::~MechanismWorkspace() = default;
MechanismWorkspace::MechanismWorkspace(MechanismWorkspace&&) noexcept = default;
MechanismWorkspace& MechanismWorkspace::operator=(MechanismWorkspace&&) noexcept = default;

Workspace& tree_workspace(MechanismWorkspace& workspace) { return workspace.memory().tree; }

Checks check_mechanism(const Mechanism& mechanism, MechanismWorkspace::Memory& memory) noexcept {
  Checks checks(memory.problem);
  checks.made_for(mechanism.tree(), memory.all.size(), memory.bodies.size());
  if (checks.status() != Status::ok) return checks;
  const auto& clusters = mechanism.data().clusters;
  bool same = clusters.size() == memory.clusters.size() &&
              memory.reduced.size() == eigen_index(mechanism.size());
  for (std::size_t k = 0; same && k < clusters.size(); ++k) {
    same = memory.views[k].bodies == clusters[k].bodies.data() ||
           (memory.clusters[k].G.rows() == eigen_index(clusters[k].rows) &&
            memory.clusters[k].G.cols() == eigen_index(clusters[k].size()) &&
            memory.clusters[k].normal.rows() == eigen_index(clusters[k].rank));
  }
  if (same) {
    // the views refer to the mechanism of the last call
    for (std::size_t k = 0; k < clusters.size(); ++k) {
      if (memory.views[k].bodies == clusters[k].bodies.data()) continue;
      memory.views[k].bodies = clusters[k].bodies.data();
      memory.views[k].local_parent = clusters[k].local_parent.data();
      memory.views[k].parent = clusters[k].parent;
      memory.views[k].carries = clusters[k].carries;
      memory.clusters[k].G.setZero();  // other entries may be zero
    }
  }
  return checks.same_robot(same, "the workspace was made");
}

void to_coordinates(const Mechanism::Data& data, const std::vector<double>& bodies,
                    MutableVector out) noexcept {
  for (std::size_t c = 0; c < out.size(); ++c) out[c] = bodies[data.leading[c]];
}

void tree_forces(const Mechanism::Data& data, MechanismWorkspace::Memory& memory, const double* q,
                 const double* qd, const double* qdd, const ExternalInputs& external,
                 double* forces) noexcept {
  const Model& tree = data.tree;
  Workspace::Memory& own = memory.tree.memory();
  const auto* wrenches = body_wrenches(tree, own, q, external.wrenches, external.base);
  own.kernels.inverse_dynamics(tree.tree(), own.inverse.data(), base_state(tree, external.base),
                               wrenches, q, qd, qdd, forces);
  if (!external.friction) return;
  for (std::size_t i = 0; i < memory.bodies.size(); ++i) {
    const TreeBody& body = tree.tree()[i];
    if (body.damping == 0.0 && body.friction == 0.0) continue;
    forces[i] += kernel::joint_friction(body, qd[i], tree.friction_velocity());
  }
}

}  // namespace dynamics
