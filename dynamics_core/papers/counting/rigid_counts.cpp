// SPDX-License-Identifier: Apache-2.0
// Operation counts of the recursions of rigid/.

#include "papers/counting/algorithms.hpp"
#include "papers/counting/generic_state.hpp"
#include "rigid/recursions/coriolis_matrix.hpp"
#include "rigid/recursions/forward_dynamics.hpp"
#include "rigid/recursions/inertia_matrix.hpp"
#include "rigid/recursions/inverse_dynamics.hpp"
#include "rigid/recursions/udut.hpp"

namespace dynamics::counting {
namespace {

kernel::BaseState<Counted> base_of(const Model& model) {
  const Eigen::Vector3d up = -model.gravity();
  kernel::BaseState<Counted> base;
  base.acceleration = {Counted(up.x()), Counted(up.y()), Counted(up.z())};
  return base;
}

}  // namespace

std::string_view name(Computation computation) {
  switch (computation) {
    case Computation::inverse: return "inverse";
    case Computation::forward: return "forward";
    case Computation::solve: return "solve";
    case Computation::inertia_matrix: return "inertia matrix";
    case Computation::coriolis: return "coriolis";
    case Computation::gravity: return "gravity";
  }
  return "";
}

std::span<const Computation> all_computations() {
  static constexpr std::array works = {Computation::inverse,  Computation::forward,
                                       Computation::solve,    Computation::inertia_matrix,
                                       Computation::coriolis, Computation::gravity};
  return works;
}

Result count(Computation computation, const Model& model) {
  const Tree& tree = model.tree();
  const std::size_t n = tree.size();
  const auto q = generic_numbers(n, 0.3), qd = generic_numbers(n, 0.9),
             qdd_or_tau = generic_numbers(n, 1.5);
  const std::vector<Counted> zero(n, Counted(0.0));
  std::vector<Counted> result(n);
  const kernel::BaseState<Counted> base = base_of(model);
  const auto ignore = [](std::size_t, std::size_t, const Counted&) {};
  std::vector<kernel::InverseScratch<Counted>> inverse(n);
  std::vector<kernel::ForwardScratch<Counted>> forward(n);
  std::vector<kernel::UdutScratch<Counted>> udut(n);
  std::vector<kernel::CompositeScratch<Counted>> composite(n);
  std::vector<kernel::CoriolisScratch<Counted>> coriolis(n);
  const OperationCounter counter;
  switch (computation) {
    case Computation::inverse:
      kernel::inverse_dynamics<Counted>(tree, inverse.data(), base, nullptr, q.data(), qd.data(),
                                        qdd_or_tau.data(), result.data());
      break;
    case Computation::gravity:
      kernel::inverse_dynamics<Counted>(tree, inverse.data(), base, nullptr, q.data(), zero.data(),
                                        zero.data(), result.data());
      break;
    case Computation::forward:
      kernel::forward_dynamics<Counted>(tree, forward.data(), base, nullptr, q.data(), qd.data(),
                                        qdd_or_tau.data(), result.data());
      break;
    case Computation::solve:
      kernel::decompose<Counted>(tree, udut.data(), q.data());
      kernel::solve<Counted>(tree, udut.data(), qdd_or_tau.data(), result.data());
      break;
    case Computation::inertia_matrix:
      kernel::inertia_matrix<Counted>(tree, composite.data(), q.data(), ignore);
      break;
    case Computation::coriolis: {
      const Counted zero_rate(0.0);
      kernel::coriolis_matrix<Counted>(tree, coriolis.data(), {zero_rate, zero_rate, zero_rate},
                                       false, q.data(), qd.data(), ignore);
      break;
    }
  }
  return {.counts = counter.count(), .phi = {}, .lines = {}};
}

}  // namespace dynamics::counting
