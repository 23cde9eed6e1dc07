// SPDX-License-Identifier: Apache-2.0
#include "benchmark_cases.hpp"

#ifndef DYNAMICS_TEST_KDL
namespace dynamics::benchmark {
std::vector<BenchmarkCase> kdl() { return {}; }
std::string kdl_version() { return ""; }
}  // namespace dynamics::benchmark
#else

#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <memory>
#include <stdexcept>

#include "support/kdl_tree.hpp"

namespace dynamics::benchmark {
namespace {

/// KDL's solvers keep a reference to the chain.
struct Kdl {
  Kdl() : states(6, 256) {
    for (std::size_t k = 0; k < states.count; ++k) {
      q.push_back(array(states.q, k));
      qd.push_back(array(states.qd, k));
      u.push_back(array(states.u, k));
    }
  }
  static KDL::Chain make_chain() {
    KDL::Chain made;
    test::kdl_tree(puma().description()).getChain("base_link", "tool0", made);
    return made;
  }
  KDL::JntArray array(const std::vector<double>& rows, std::size_t state) const {
    KDL::JntArray values(6);
    for (unsigned j = 0; j < 6; ++j) values(j) = rows[state * 6 + j];
    return values;
  }
  static void require(int code) {
    if (code != 0) throw std::runtime_error("KDL failed");
  }
  States states;
  KDL::Chain chain = make_chain();
  KDL::Vector gravity{0.0, 0.0, -9.81};
  KDL::ChainIdSolver_RNE inverse{chain, gravity};
  KDL::ChainFdSolver_RNE forward{chain, gravity};
  KDL::ChainDynParam parameters{chain, gravity};
  KDL::Wrenches nothing{chain.getNrOfSegments(), KDL::Wrench::Zero()};
  std::vector<KDL::JntArray> q, qd, u;
  KDL::JntArray result{6};
  KDL::JntSpaceInertiaMatrix matrix{6};
};

}  // namespace

std::vector<BenchmarkCase> kdl() {
  const auto peer = std::make_shared<Kdl>();
  const auto result = [peer] { return peer->result.data; };
  const auto inverse = [peer](std::size_t k) {
    const std::size_t i = k % peer->states.count;
    Kdl::require(
        peer->inverse.CartToJnt(peer->q[i], peer->qd[i], peer->u[i], peer->nothing, peer->result));
  };
  const auto forward = [peer](std::size_t k) {
    const std::size_t i = k % peer->states.count;
    Kdl::require(
        peer->forward.CartToJnt(peer->q[i], peer->qd[i], peer->u[i], peer->nothing, peer->result));
  };
  const auto matrix = [peer](std::size_t k) {
    Kdl::require(peer->parameters.JntToMass(peer->q[k % peer->states.count], peer->matrix));
  };
  return {state_by_state("inverse", "kdl", inverse, result),
          state_by_state("forward", "kdl", forward, result),
          state_by_state("inertia matrix", "kdl", matrix, [peer] { return peer->matrix.data; })};
}

std::string kdl_version() { return DYNAMICS_KDL_VERSION; }

}  // namespace dynamics::benchmark
#endif
