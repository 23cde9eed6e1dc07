// SPDX-License-Identifier: Apache-2.0
#pragma once

// Integrators for DoubleDouble: instantiated in wide_integrators.cpp.

#include "ode/make_integrator.hpp"
#include "ode/solve.hpp"
#include "papers/wide/double_double.hpp"

namespace dynamics::ode {

extern template std::unique_ptr<FixedStepIntegrator<DoubleDouble>>
make_fixed_step_integrator<DoubleDouble>(std::string_view, const System<DoubleDouble>&,
                                         Options<DoubleDouble>);
extern template std::unique_ptr<Integrator<DoubleDouble>> make_integrator<DoubleDouble>(
    std::string_view, const System<DoubleDouble>&, Options<DoubleDouble>);
extern template class Solver<DoubleDouble>;

}  // namespace dynamics::ode
