// SPDX-License-Identifier: Apache-2.0
// Explicit instantiations of the integrators for DoubleDouble.

#include "papers/wide/wide_integrators.hpp"

namespace dynamics::ode {

template std::unique_ptr<FixedStepIntegrator<DoubleDouble>>
make_fixed_step_integrator<DoubleDouble>(std::string_view, const System<DoubleDouble>&,
                                         Options<DoubleDouble>);
template std::unique_ptr<Integrator<DoubleDouble>> make_integrator<DoubleDouble>(
    std::string_view, const System<DoubleDouble>&, Options<DoubleDouble>);
template class Solver<DoubleDouble>;

}  // namespace dynamics::ode
