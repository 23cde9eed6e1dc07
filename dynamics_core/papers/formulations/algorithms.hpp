// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functions of the published algorithms over any scalar S, by name: double in registry.cpp, the
// counting scalar in counting/, single precision in studies/.
//
//   const Algorithm<double>* algorithm = find_algorithm<double>("nasser");
//   const VectorX<double> qdd = algorithm->direct(input, tau, nullptr);
//
// Bodies are the coordinates, friction is not included. The library's own recursions (denoc, udut)
// have no entry.

#include <array>
#include <string_view>
#include <vector>

#include "papers/formulations/articulated_body.hpp"
#include "papers/formulations/denoc_matrices.hpp"
#include "papers/formulations/lagrange.hpp"
#include "papers/formulations/linear_solve.hpp"
#include "papers/formulations/nasser.hpp"
#include "papers/formulations/newton_euler.hpp"
#include "papers/formulations/saha_2003.hpp"
#include "papers/formulations/strobing.hpp"
#include "papers/formulations/walker_orin.hpp"

namespace dynamics::formulations {

/// `inverse` computes tau. Forward dynamics is either `solve` with `matrix` and `bias`, or
/// `direct`; null where the algorithm has no such part.
template <class S>
struct Algorithm {
  using Input = DynamicsInput<S>;
  using Numbers = std::vector<S>;

  std::string_view name;
  Numbers (*inverse)(const Input&, const Numbers& qdd) = nullptr;
  MatrixX<S> (*matrix)(const Input&) = nullptr;
  VectorX<S> (*bias)(const Input&) = nullptr;
  bool (*solve)(MatrixX<S>, VectorX<S>, VectorX<S>&) = nullptr;
  VectorX<S> (*direct)(const Input&, const VectorX<S>& tau, VectorX<S>* pivots) = nullptr;
};

namespace detail {

template <class S>
VectorX<S> to_vector(const std::vector<S>& numbers) {
  VectorX<S> vector(at(numbers.size()));
  for (std::size_t i = 0; i < numbers.size(); ++i) vector[at(i)] = numbers[i];
  return vector;
}

template <class S>
VectorX<S> serial_bias(std::vector<S> (*inverse)(const SerialArm<S>&, const std::vector<S>&,
                                                 const std::vector<S>&),
                       const DynamicsInput<S>& input) {
  return to_vector(inverse(serial_arm(input), input.qd, std::vector<S>(input.size(), S(0.0))));
}

}  // namespace detail

/// All algorithms over S, in the order of the papers.
template <class S>
const auto& algorithms() {
  using Input = DynamicsInput<S>;
  using Numbers = std::vector<S>;
  static const std::array<Algorithm<S>, 10> list = {{
      {.name = "lagrange",
       .inverse = [](const Input& in,
                     const Numbers& qdd) { return lagrange(serial_arm(in), in.qd, qdd); },
       .matrix = [](const Input& in) { return lagrange_inertia_matrix(serial_arm(in)); },
       .bias = [](const Input& in) { return detail::serial_bias<S>(lagrange<S>, in); },
       .solve = solve_by_elimination<S>},
      {.name = "newton-euler",
       .inverse = [](const Input& in,
                     const Numbers& qdd) { return newton_euler(serial_arm(in), in.qd, qdd); }},
      {.name = "modified-newton-euler",
       .inverse =
           [](const Input& in, const Numbers& qdd) {
             return modified_newton_euler(serial_arm(in), in.qd, qdd);
           }},
      {.name = "strobing",
       .inverse = strobed_inverse_dynamics<S>,
       .matrix = strobed_inertia_matrix<S>,
       .bias = [](const Input& in) { return detail::serial_bias<S>(modified_newton_euler<S>, in); },
       .solve = solve_by_elimination<S>},
      {.name = "walker-orin",
       .matrix = walker_orin_inertia_matrix<S>,
       .bias = walker_orin_bias<S>,
       .solve = solve_by_cholesky<S>},
      {.name = "articulated-body", .direct = articulated_body<S>},
      {.name = "nasser", .direct = nasser<S>},
      {.name = "denoc-explicit",
       .inverse =
           [](const Input& in, const Numbers& qdd) {
             const VectorX<S> tau = denoc_explicit<S>(in, detail::to_vector(qdd));
             return Numbers(tau.begin(), tau.end());
           },
       .matrix = [](const Input& in) { return denoc_inertia_matrix(denoc_matrices(in)); },
       .bias =
           [](const Input& in) {
             return denoc_explicit<S>(in, VectorX<S>::Constant(at(in.size()), S(0.0)));
           },
       .solve = solve_by_cholesky<S>},
      {.name = "saha-1999",
       .inverse = [](const Input& in,
                     const Numbers& qdd) { return saha_1999(serial_arm(in), in.qd, qdd); }},
      {.name = "saha-2003",
       .direct = [](const Input& in, const VectorX<S>& tau,
                    VectorX<S>* pivots) { return saha_2003(serial_arm(in), in.qd, tau, pivots); }},
  }};
  return list;
}

/// The algorithm of that name, or nullptr.
template <class S>
const Algorithm<S>* find_algorithm(std::string_view name) {
  for (const Algorithm<S>& algorithm : algorithms<S>()) {
    if (algorithm.name == name) return &algorithm;
  }
  return nullptr;
}

}  // namespace dynamics::formulations
