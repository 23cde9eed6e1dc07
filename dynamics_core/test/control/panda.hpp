// SPDX-License-Identifier: Apache-2.0
#pragma once

// A Panda for the control laws, and a position in front of it.

#include <vector>

#include "dynamics_core/readers.hpp"

namespace dynamics::test {

/// Without Coulomb friction: the plant's sticks, that of the law is smooth.
inline Model panda() {
  const Model model = model_from_urdf_file(DYNAMICS_URDF_DIR "/panda.urdf");
  RobotDescription description = model.description();
  for (JointDescription& joint : description.joints) joint.friction = 0.0;
  return Model(description);
}

inline const std::vector<double> ready = {0.0, -0.4, 0.1, -2.0, 0.1, 1.8, 0.7};

}  // namespace dynamics::test
