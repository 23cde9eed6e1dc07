// SPDX-License-Identifier: Apache-2.0
#pragma once

// Registry of the integrators of simulate(), and the types of its events.
//
//   for (const dynamics::ode::IntegratorName& method : dynamics::ode::integrator_names()) {
//     std::cout << method.name << ": " << method.summary << "\n";
//   }

#include <span>
#include <string_view>

#pragma GCC visibility push(default)
namespace dynamics {
namespace ode {

/// An integrator as it is listed to users.
struct IntegratorName {
  std::string_view name;
  bool fixed_step;     ///< always runs at constant step
  bool constant_step;  ///< can run at constant step
  std::string_view summary;
};

/// All integrators, in the order in which they are listed to users.
std::span<const IntegratorName> integrator_names();

/// Throws ArgumentError listing the names for an unknown one.
const IntegratorName& find_integrator(std::string_view name);

/// Which sign changes of an event function count, in the direction of integration.
enum class Crossing { any, rising, falling };

/// How the simulation continues after an event.
enum class EventAction {
  proceed,  ///< continue; the state was not changed
  restart,  ///< the state was changed: restart the integrator from it
  stop      ///< end here, with the state as the action left it
};

}  // namespace ode
}  // namespace dynamics
#pragma GCC visibility pop
