// SPDX-License-Identifier: Apache-2.0
#pragma once

// The integrators of simulate(), by name.
//
//   for (const dynamics::ode::IntegratorName& method : dynamics::ode::integrator_names()) ...

#include <span>
#include <string_view>

namespace dynamics::ode {

struct IntegratorName {
  std::string_view name;
  bool fixed_step;   ///< always
  bool constant_ok;  ///< may run at constant step
  std::string_view summary;
};

/// All names, in the order in which they are listed to users.
std::span<const IntegratorName> integrator_names();

/// Throws std::invalid_argument listing the names if there is none such.
const IntegratorName& find_integrator(std::string_view name);

}  // namespace dynamics::ode
