// SPDX-License-Identifier: Apache-2.0
// The recursions of rigid/, counted.

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

std::string_view name(Work work) {
  switch (work) {
    case Work::inverse: return "inverse";
    case Work::forward: return "forward";
    case Work::solve: return "solve";
    case Work::inertia_matrix: return "inertia matrix";
    case Work::coriolis: return "coriolis";
    case Work::gravity: return "gravity";
  }
  return "";
}

std::span<const Work> all_works() {
  static constexpr std::array works = {Work::inverse,        Work::forward,  Work::solve,
                                       Work::inertia_matrix, Work::coriolis, Work::gravity};
  return works;
}

Result count(Work work, const Model& model) {
  const Tree& tree = model.tree();
  const std::size_t n = tree.size();
  const auto q = generic_numbers(n, 0.3), qd = generic_numbers(n, 0.9),
             third = generic_numbers(n, 1.5);
  const std::vector<Counted> zero(n, Counted(0.0));
  std::vector<Counted> result(n);
  const kernel::BaseState<Counted> base = base_of(model);
  const auto ignore = [](std::size_t, std::size_t, const Counted&) {};
  std::vector<kernel::InverseScratch<Counted>> inverse(n);
  std::vector<kernel::ForwardScratch<Counted>> forward(n);
  std::vector<kernel::UdutScratch<Counted>> udut(n);
  std::vector<kernel::CompositeScratch<Counted>> composite(n);
  std::vector<kernel::CoriolisScratch<Counted>> coriolis(n);
  const Tally tally;
  switch (work) {
    case Work::inverse:
      kernel::inverse_dynamics<Counted>(tree, inverse.data(), base, nullptr, q.data(), qd.data(),
                                        third.data(), result.data());
      break;
    case Work::gravity:
      kernel::inverse_dynamics<Counted>(tree, inverse.data(), base, nullptr, q.data(), zero.data(),
                                        zero.data(), result.data());
      break;
    case Work::forward:
      kernel::forward_dynamics<Counted>(tree, forward.data(), base, nullptr, q.data(), qd.data(),
                                        third.data(), result.data());
      break;
    case Work::solve:
      kernel::decompose<Counted>(tree, udut.data(), q.data());
      kernel::solve<Counted>(tree, udut.data(), third.data(), result.data());
      break;
    case Work::inertia_matrix:
      kernel::inertia_matrix<Counted>(tree, composite.data(), q.data(), ignore);
      break;
    case Work::coriolis: {
      const Counted still(0.0);
      kernel::coriolis_matrix<Counted>(tree, coriolis.data(), {still, still, still}, false,
                                       q.data(), qd.data(), ignore);
      break;
    }
  }
  return {.counts = tally.counts(), .phi = {}, .lines = {}};
}

}  // namespace dynamics::counting
