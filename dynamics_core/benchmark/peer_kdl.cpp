// SPDX-License-Identifier: Apache-2.0
#include "benchmark_cases.hpp"

#ifndef DYNAMICS_TEST_KDL
namespace dynamics::benchmark {
std::vector<BenchmarkCase> kdl(const Model&) { return {}; }
std::string kdl_version() { return ""; }
}  // namespace dynamics::benchmark
#else

#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <memory>
#include <set>
#include <stdexcept>

#include "peer_states.hpp"
#include "support/kdl_tree.hpp"

namespace dynamics::benchmark {
namespace {

void require(int code) {
  if (code != 0) throw std::runtime_error("KDL failed");
}

std::size_t index_in(const KDL::Tree& tree, const std::string& joint) {
  for (const auto& [name, element] : tree.getSegments()) {
    if (element.segment.getJoint().getName() == joint) return element.q_nr;
  }
  throw std::runtime_error("KDL has no joint " + joint);
}

/// KDL's own arrays of the states.
struct KdlStates {
  KdlStates(const Model& model, const KDL::Tree& tree)
      : states(model, [&](const std::string& joint) { return index_in(tree, joint); }) {
    for (std::size_t k = 0; k < peer_states; ++k) {
      q.push_back(array(states.q(k)));
      qd.push_back(array(states.qd(k)));
      u.push_back(array(states.u(k)));
    }
  }
  static KDL::JntArray array(const Eigen::VectorXd& values) {
    KDL::JntArray result(static_cast<unsigned>(values.size()));
    result.data = values;
    return result;
  }
  PeerStates states;
  std::vector<KDL::JntArray> q, qd, u;
};

/// KDL's solvers keep a reference to the chain.
struct KdlChain {
  explicit KdlChain(const Model& model)
      : tree(test::kdl_tree(model.description())),
        states(model, tree),
        chain(chain_to(tree, model.frames().back().name)) {}
  static KDL::Chain chain_to(const KDL::Tree& tree, const std::string& frame) {
    KDL::Chain chain;
    if (!tree.getChain(tree.getRootSegment()->first, frame, chain)) {
      throw std::runtime_error("KDL: no chain to " + frame);
    }
    return chain;
  }
  KDL::Tree tree;
  KdlStates states;
  KDL::Chain chain;
  KDL::Vector gravity{0.0, 0.0, -9.81};
  KDL::ChainIdSolver_RNE inverse{chain, gravity};
  KDL::ChainFdSolver_RNE forward{chain, gravity};
  KDL::ChainDynParam parameters{chain, gravity};
  KDL::Wrenches nothing{chain.getNrOfSegments(), KDL::Wrench::Zero()};
  KDL::JntArray result{chain.getNrOfJoints()};
  KDL::JntSpaceInertiaMatrix matrix{static_cast<int>(chain.getNrOfJoints())};
};

std::vector<BenchmarkCase> chain_cases(const Model& model) {
  const auto peer = std::make_shared<KdlChain>(model);
  const auto result = [peer] { return peer->states.states.forces(peer->result.data); };
  const auto inverse = [peer](std::size_t k) {
    const std::size_t i = k % peer_states;
    require(peer->inverse.CartToJnt(peer->states.q[i], peer->states.qd[i], peer->states.u[i],
                                    peer->nothing, peer->result));
  };
  const auto forward = [peer](std::size_t k) {
    const std::size_t i = k % peer_states;
    require(peer->forward.CartToJnt(peer->states.q[i], peer->states.qd[i], peer->states.u[i],
                                    peer->nothing, peer->result));
  };
  const auto matrix = [peer](std::size_t k) {
    require(peer->parameters.JntToMass(peer->states.q[k % peer_states], peer->matrix));
  };
  const auto gravity = [peer](std::size_t k) {
    require(peer->parameters.JntToGravity(peer->states.q[k % peer_states], peer->result));
  };
  return {state_by_state("inverse", "kdl", inverse, result),
          state_by_state("forward", "kdl", forward, result),
          state_by_state("inertia matrix", "kdl", matrix,
                         [peer] { return peer->states.states.matrix(peer->matrix.data); }),
          state_by_state("gravity", "kdl", gravity, result)};
}

/// KDL has only inverse dynamics of trees.
struct KdlTree {
  explicit KdlTree(const Model& model)
      : tree(test::kdl_tree(model.description())), states(model, tree) {}
  KDL::Tree tree;
  KdlStates states;
  KDL::TreeIdSolver_RNE solver{tree, KDL::Vector(0.0, 0.0, -9.81)};
  KDL::WrenchMap nothing;
  KDL::JntArray result{tree.getNrOfJoints()};
  Eigen::VectorXd projected;
};

std::vector<BenchmarkCase> tree_cases(const Model& model) {
  const auto peer = std::make_shared<KdlTree>(model);
  const auto inverse = [peer](std::size_t k) {
    const std::size_t i = k % peer_states;
    require(peer->solver.CartToJnt(peer->states.q[i], peer->states.qd[i], peer->states.u[i],
                                   peer->nothing, peer->result));
    if (peer->states.states.has_mimic()) {
      peer->projected = peer->states.states.forces(peer->result.data);
    }
  };
  return {state_by_state("inverse", "kdl", inverse,
                         [peer] { return peer->states.states.forces(peer->result.data); })};
}

}  // namespace

std::vector<BenchmarkCase> kdl(const Model& model) {
  std::set<std::string> parents;
  for (const JointDescription& joint : model.description().joints) {
    if (!parents.insert(joint.parent).second) return tree_cases(model);
  }
  return chain_cases(model);
}

std::string kdl_version() { return DYNAMICS_KDL_VERSION; }

}  // namespace dynamics::benchmark
#endif
