// SPDX-License-Identifier: Apache-2.0
//
// The integrators for double, compiled once.
#include "ode/make_integrator.hpp"
#include "ode/solve.hpp"

namespace dynamics::ode {

template std::unique_ptr<FixedStepIntegrator<double>> make_fixed_step_integrator<double>(
    std::string_view, const System<double>&, Options<double>);
template std::unique_ptr<Integrator<double>> make_integrator<double>(std::string_view,
                                                                     const System<double>&,
                                                                     Options<double>);
template class Solver<double>;

}  // namespace dynamics::ode
