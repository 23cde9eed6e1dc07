// SPDX-License-Identifier: Apache-2.0
#include "operations.hpp"

#include <cmath>
#include <vector>

#include "contenders.hpp"
#include "dynamics_core/rigid/kernel/forward_dynamics.hpp"
#include "dynamics_core/rigid/kernel/inertia_matrix.hpp"
#include "dynamics_core/rigid/kernel/inverse_dynamics.hpp"

namespace dynamics::benchmark {
namespace {

double counted = 0.0;

struct Counting {
  double value;
  Counting() = default;
  Counting(double x) : value(x) {}  // NOLINT(google-explicit-constructor): a scalar
};
Counting note(double value, double operations = 1.0) {
  counted += operations;
  return {value};
}
Counting operator+(Counting a, Counting b) { return note(a.value + b.value); }
Counting operator-(Counting a, Counting b) { return note(a.value - b.value); }
Counting operator*(Counting a, Counting b) { return note(a.value * b.value); }
Counting operator/(Counting a, Counting b) { return note(a.value / b.value); }
Counting operator-(Counting a) { return {-a.value}; }
Counting sin(Counting a) { return note(std::sin(a.value), sine_and_cosine / 2.0); }
Counting cos(Counting a) { return note(std::cos(a.value), sine_and_cosine / 2.0); }

}  // namespace

double operations(const std::string& work) {
  const Tree& tree = puma().tree();
  const std::size_t n = tree.size();
  kernel::BaseState<Counting> base;
  base.acceleration = {0.0, 0.0, 9.81};
  std::vector<Counting> q(n, 0.3), qd(n, 0.4), u(n, 0.5), out(n);
  counted = 0.0;
  if (work.ends_with("inverse")) {
    std::vector<kernel::InverseScratch<Counting>> scratch(n);
    kernel::inverse_dynamics<Counting>(tree, scratch.data(), base, nullptr, q.data(), qd.data(),
                                       u.data(), out.data());
  } else if (work.ends_with("forward")) {
    std::vector<kernel::ForwardScratch<Counting>> scratch(n);
    kernel::forward_dynamics<Counting>(tree, scratch.data(), base, nullptr, q.data(), qd.data(),
                                       u.data(), out.data());
  } else {
    std::vector<kernel::CompositeScratch<Counting>> scratch(n);
    kernel::inertia_matrix<Counting>(tree, scratch.data(), q.data(),
                                     [](std::size_t, std::size_t, const Counting&) {});
  }
  return counted;
}

}  // namespace dynamics::benchmark
