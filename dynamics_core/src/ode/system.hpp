// SPDX-License-Identifier: Apache-2.0
//
// System: the differential equations of an integrator, either y' = f(t, y) or the mechanical
// q'' = a(t, q, q'), whose state is y = [q; q'].
//
//   auto pendulum = [](const double&, std::span<const double> q, std::span<const double>,
//                      std::span<double> qdd) { qdd[0] = -9.81 * std::sin(q[0]); };
//   const auto system = System<double>::second_order(1, pendulum);
//   system.size();   // 2: angle and rate
//
// The callables are referenced, not copied: they must outlive every integrator of the system. They
// must not keep the spans that they receive.
#pragma once

#include <cstddef>
#include <span>

#include "dynamics_core/error.hpp"
#include "ode/function_ref.hpp"
#include "ode/scalar.hpp"

namespace dynamics::ode {

template <class Scalar>
class System {
 public:
  using Real = RealOf<Scalar>;
  /// f(t, y, dydt)
  using Derivative = FunctionRef<void(const Real&, Input<Scalar>, Output<Scalar>)>;
  /// a(t, q, qd, qdd)
  using Acceleration = FunctionRef<void(const Real&, Input<Scalar>, Input<Scalar>, Output<Scalar>)>;
  /// df/dy, row-major, size() x size()
  using Jacobian = FunctionRef<void(const Real&, Input<Scalar>, Output<Scalar>)>;
  /// Solves (1 - c J) x = r with an approximation J of df/dy, which may omit what is not stiff:
  /// prepare(t, y, c), which returns false if there is no solution, then solve(r), in place.
  struct ImplicitSolver {
    FunctionRef<bool(const Real&, Input<Scalar>, const Real&)> prepare;
    FunctionRef<void(Output<Scalar>)> solve;
  };

  static System first_order(std::size_t size, Derivative derivative) {
    if (size == 0) throw ArgumentError("system size is 0: it must be at least 1");
    System system;
    system.size_ = size;
    system.derivative_ = derivative;
    return system;
  }

  static System second_order(std::size_t degrees_of_freedom, Acceleration acceleration) {
    if (degrees_of_freedom == 0) {
      throw ArgumentError("number of degrees of freedom is 0: it must be at least 1");
    }
    System system;
    system.size_ = 2 * degrees_of_freedom;
    system.acceleration_ = acceleration;
    return system;
  }

  /// The Jacobian of the first-order form, used by the implicit methods instead of differences.
  System& with_jacobian(Jacobian jacobian) {
    jacobian_ = jacobian;
    return *this;
  }

  /// Used by linearly implicit methods instead of the Jacobian.
  System& with_implicit_solver(ImplicitSolver solver) {
    implicit_solver_ = solver;
    return *this;
  }

  std::size_t size() const { return size_; }
  bool is_second_order() const { return static_cast<bool>(acceleration_); }
  std::size_t degrees_of_freedom() const { return is_second_order() ? size_ / 2 : 0; }
  bool has_jacobian() const { return static_cast<bool>(jacobian_); }

  void derivative(const Real& t, Input<Scalar> y, Output<Scalar> dydt) const {
    if (!is_second_order()) {
      derivative_(t, y, dydt);
      return;
    }
    const std::size_t half = size_ / 2;
    for (std::size_t i = 0; i < half; ++i) dydt[i] = y[half + i];
    acceleration_(t, y.first(half), y.last(half), dydt.last(half));
  }

  void acceleration(const Real& t, Input<Scalar> q, Input<Scalar> qd, Output<Scalar> qdd) const {
    acceleration_(t, q, qd, qdd);
  }

  void jacobian(const Real& t, Input<Scalar> y, Output<Scalar> row_major) const {
    jacobian_(t, y, row_major);
  }

  bool has_implicit_solver() const { return static_cast<bool>(implicit_solver_.solve); }
  const ImplicitSolver& implicit_solver() const { return implicit_solver_; }

 private:
  System() = default;

  std::size_t size_ = 0;
  Derivative derivative_;
  Acceleration acceleration_;
  Jacobian jacobian_;
  ImplicitSolver implicit_solver_;
};

}  // namespace dynamics::ode
