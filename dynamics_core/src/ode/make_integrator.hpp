// SPDX-License-Identifier: Apache-2.0
//
// Factory of the integrators by name.
//
//   auto integrator = make_integrator<double>("dop853", system, options);
//
// error-controlled:   auto                           dop853, radau5 where the equations are stiff
//                     rkf45, dverk, dopri5, dop853   embedded Runge-Kutta pairs
//                     abm                            Adams, variable order
//                     gbs                            extrapolation, for the highest precision
//                     radau5                         stiff
// fixed step:         rk4, semi_implicit_euler (first order in step, second-order systems only),
//                     implicit_midpoint, gauss4, gauss6 (bounded energy error), rosenbrock2 (stiff)
//
// With `options.fixed_step` the embedded pairs run at constant step without error control.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "dynamics_core/error.hpp"
#include "dynamics_core/integrators.hpp"
#include "ode/adams.hpp"
#include "ode/embedded_runge_kutta.hpp"
#include "ode/extrapolation.hpp"
#include "ode/fixed_step.hpp"
#include "ode/gauss.hpp"
#include "ode/radau5.hpp"
#include "ode/rosenbrock2.hpp"
#include "ode/semi_implicit_euler.hpp"
#include "ode/stiffness_switching.hpp"
#include "ode/tableau_dop853.hpp"
#include "ode/tableaux.hpp"

namespace dynamics::ode {

/// The tableau of an explicit Runge-Kutta method by name. Throws ArgumentError for other
/// methods.
template <class Real>
Tableau<Real> make_tableau(std::string_view name) {
  for (const auto& printed : printed_tableaux()) {
    if (printed.name == name) return tableau_of<Real>(printed);
  }
  if (name == "dop853" || name == "auto") return dop853_tableau<Real>();
  throw ArgumentError("integrator '" + std::string(find_integrator(name).name) +
                      "' has no explicit Runge-Kutta tableau");
}

/// A constant-step method, with `step` for real-time loops. options.step is the step of `advance`.
template <class Scalar>
std::unique_ptr<FixedStepIntegrator<Scalar>> make_fixed_step_integrator(
    std::string_view name, const System<Scalar>& system, Options<RealOf<Scalar>> options) {
  if (!find_integrator(name).constant_step) {
    throw ArgumentError("integrator '" + std::string(name) +
                        "' is a variable-step method: it cannot run at fixed step");
  }
  if (name == "semi_implicit_euler") {
    return std::make_unique<SemiImplicitEuler<Scalar>>(system, std::move(options));
  }
  if (name == "rosenbrock2") {
    return std::make_unique<Rosenbrock2<Scalar>>(system, std::move(options));
  }
  const std::size_t gauss_stages = name == "implicit_midpoint" ? 1
                                   : name == "gauss4"          ? 2
                                   : name == "gauss6"          ? 3
                                                               : 0;
  if (gauss_stages > 0) {
    return std::make_unique<GaussLegendre<Scalar>>(gauss_stages, system, std::move(options));
  }
  return std::make_unique<FixedRungeKutta<Scalar>>(make_tableau<RealOf<Scalar>>(name), system,
                                                   std::move(options));
}

template <class Scalar>
std::unique_ptr<Integrator<Scalar>> make_integrator(std::string_view name,
                                                    const System<Scalar>& system,
                                                    Options<RealOf<Scalar>> options) {
  if (find_integrator(name).fixed_step || options.fixed_step) {
    return make_fixed_step_integrator<Scalar>(name, system, std::move(options));
  }
  if (name == "auto")
    return std::make_unique<StiffnessSwitching<Scalar>>(system, std::move(options));
  if (name == "abm") return std::make_unique<Adams<Scalar>>(system, std::move(options));
  if (name == "gbs") return std::make_unique<Extrapolation<Scalar>>(system, std::move(options));
  if (name == "radau5") return std::make_unique<Radau5<Scalar>>(system, std::move(options));
  return std::make_unique<EmbeddedRungeKutta<Scalar>>(make_tableau<RealOf<Scalar>>(name), system,
                                                      std::move(options));
}

extern template std::unique_ptr<FixedStepIntegrator<double>> make_fixed_step_integrator<double>(
    std::string_view, const System<double>&, Options<double>);
extern template std::unique_ptr<Integrator<double>> make_integrator<double>(std::string_view,
                                                                            const System<double>&,
                                                                            Options<double>);

}  // namespace dynamics::ode
