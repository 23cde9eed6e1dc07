// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/find_by_name.hpp"
#include "dynamics_core/integrators.hpp"

namespace dynamics::ode {

std::span<const IntegratorName> integrator_names() {
  static constexpr std::array<IntegratorName, 14> names{{
      {"auto", false, true, "dop853, and radau5 where the equations are stiff"},
      {"rk4", true, true, "classical Runge-Kutta, order 4, fixed step"},
      {"rkf45", false, true, "Runge-Kutta-Fehlberg 4(5)"},
      {"dverk", false, true, "Verner 6(5), the coefficients of DVERK"},
      {"dopri5", false, true, "Dormand-Prince 5(4)"},
      {"dop853", false, true, "Dormand-Prince 8(5,3)"},
      {"abm", false, false, "Adams-Bashforth-Moulton, variable step and order"},
      {"gbs", false, false, "Gragg-Bulirsch-Stoer extrapolation, variable step and order"},
      {"radau5", false, false, "Radau IIA, order 5, for stiff systems"},
      {"semi_implicit_euler", true, true, "symplectic Euler, order 1, fixed step"},
      {"implicit_midpoint", true, true, "Gauss, order 2, fixed step, bounded energy error"},
      {"gauss4", true, true, "Gauss, order 4, fixed step, bounded energy error"},
      {"gauss6", true, true, "Gauss, order 6, fixed step, bounded energy error"},
      {"rosenbrock2", true, true, "Rosenbrock (ROS2), order 2, fixed step, for stiff systems"},
  }};
  return names;
}

const IntegratorName& find_integrator(std::string_view name) {
  return find_by_name(integrator_names(), "integrator", name);
}

}  // namespace dynamics::ode
