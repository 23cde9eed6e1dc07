// SPDX-License-Identifier: Apache-2.0
#pragma once

// The integrators for DoubleDouble are compiled into the library, as those for double are.

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
