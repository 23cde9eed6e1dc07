// SPDX-License-Identifier: Apache-2.0
// Pinocchio, where CMake finds it and can compile this file with it.
#ifdef DYNAMICS_PINOCCHIO
#include <pinocchio/fwd.hpp>
// first of all: it configures boost
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/parsers/urdf.hpp>
#endif

#include <cmath>
#include <memory>

#include "contenders.hpp"
#include "dynamics_core/model/robots.hpp"
#include "dynamics_core/model/to_urdf.hpp"

namespace dynamics::benchmark {

#ifndef DYNAMICS_PINOCCHIO
std::vector<Contender> pinocchio() { return {}; }
std::string pinocchio_version() { return ""; }
#else

namespace {

struct Pinocchio {
  Pinocchio() : states(6, 256) {
    ::pinocchio::urdf::buildModelFromXML(to_urdf(built_in_robot("puma")), model);
    data = ::pinocchio::Data(model);
    const auto eigen = [&](const std::vector<double>& rows, std::size_t k) {
      return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(rows.data() + k * 6, 6));
    };
    for (std::size_t k = 0; k < states.count; ++k) {
      // a continuous joint is a cosine and a sine there: integrate from the neutral configuration
      q.push_back(::pinocchio::integrate(model, ::pinocchio::neutral(model), eigen(states.q, k)));
      qd.push_back(eigen(states.qd, k));
      u.push_back(eigen(states.u, k));
    }
  }
  States states;
  ::pinocchio::Model model;
  ::pinocchio::Data data;
  std::vector<Eigen::VectorXd> q, qd, u;
};

}  // namespace

std::vector<Contender> pinocchio() {
  const auto peer = std::make_shared<Pinocchio>();
  std::vector<Contender> all;
  all.push_back({"inverse", "pinocchio", 1, 1,
                 [peer](std::size_t first, std::size_t calls) {
                   for (std::size_t k = first; k < first + calls; ++k) {
                     const std::size_t i = k % peer->states.count;
                     ::pinocchio::rnea(peer->model, peer->data, peer->q[i], peer->qd[i],
                                       peer->u[i]);
                   }
                 },
                 [peer] { return peer->data.tau; }});
  all.push_back({"forward", "pinocchio", 1, 1,
                 [peer](std::size_t first, std::size_t calls) {
                   for (std::size_t k = first; k < first + calls; ++k) {
                     const std::size_t i = k % peer->states.count;
                     ::pinocchio::aba(peer->model, peer->data, peer->q[i], peer->qd[i], peer->u[i]);
                   }
                 },
                 [peer] { return peer->data.ddq; }});
  all.push_back({"inertia matrix", "pinocchio", 1, 1,
                 [peer](std::size_t first, std::size_t calls) {
                   for (std::size_t k = first; k < first + calls; ++k) {
                     const std::size_t i = k % peer->states.count;
                     ::pinocchio::crba(peer->model, peer->data, peer->q[i]);
                   }
                 },
                 [peer]() -> Eigen::MatrixXd {
                   // only the upper half is filled
                   return peer->data.M.selfadjointView<Eigen::Upper>();
                 }});
  return all;
}

std::string pinocchio_version() { return DYNAMICS_PINOCCHIO; }
#endif

}  // namespace dynamics::benchmark
