// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/error.hpp"

namespace dynamics {

std::string_view to_string(Status status) noexcept {
  switch (status) {
    case Status::ok: return "ok";
    case Status::wrong_workspace: return "workspace of another model";
    case Status::wrong_size: return "wrong size";
    case Status::not_finite: return "not finite";
    case Status::unknown_frame: return "unknown frame";
    case Status::not_a_rotation: return "not a rotation matrix";
    case Status::out_of_range: return "option out of range";
    case Status::wrong_axes: return "wrench not in local axes";
    case Status::shared_memory: return "arguments share memory";
    case Status::not_computed: return "not computed yet";
    case Status::singular: return "singular inertia matrix";
    case Status::not_closed: return "loops not closed";
    case Status::singular_loop: return "singular position of a loop";
  }
  return "unknown status";
}

}  // namespace dynamics
