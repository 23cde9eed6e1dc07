// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "report.hpp"

namespace dynamics::tools {

std::span<const ValidationSection> validation_sections() {
  static constexpr std::array sections = {
      ValidationSection{"planar", "planar 3R", validate_planar},
      ValidationSection{"stanford", "Stanford arm", validate_stanford},
      ValidationSection{"puma", "PUMA", validate_puma},
      ValidationSection{"tables", "torque tables", validate_tabulated_torques},
      ValidationSection{"canadarm", "Canadarm", validate_canadarm},
      ValidationSection{"stability", "stability", validate_stability},
      ValidationSection{"equivalence", "formulations", validate_equivalence},
      ValidationSection{"counts", "counts", validate_counts},
      ValidationSection{"smoothness", "smoothness", validate_smoothness},
      ValidationSection{"integrators", "integrators", validate_integrators},
  };
  return sections;
}

}  // namespace dynamics::tools
