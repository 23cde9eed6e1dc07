// SPDX-License-Identifier: Apache-2.0
#pragma once

// The integrators of simulate(), by name, and how they treat events.
//
//   for (const dynamics::ode::IntegratorName& method : dynamics::ode::integrator_names()) ...

#include <span>
#include <string_view>

#include "dynamics_core/export.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {
namespace ode {

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

/// Which sign change of g counts, in the direction in which the run goes.
enum class Crossing { any, rising, falling };

/// What an event's action asks for.
enum class EventAction {
  proceed,  ///< go on; the state was not changed
  restart,  ///< the state was changed: start afresh from it
  stop      ///< end the run here, with the state as the action left it
};

}  // namespace ode
}  // namespace dynamics
