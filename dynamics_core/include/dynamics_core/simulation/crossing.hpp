// SPDX-License-Identifier: Apache-2.0
#pragma once

// The direction in which an event function g(t, y) crosses zero, and the action that follows.

namespace dynamics::ode {

/// Which sign change of g counts, in the direction in which the run goes.
enum class Crossing { any, rising, falling };

/// What an event's action asks for.
enum class EventAction {
  proceed,  ///< go on; the state was not changed
  restart,  ///< the state was changed: start afresh from it
  stop      ///< end the run here, with the state as the action left it
};

}  // namespace dynamics::ode
