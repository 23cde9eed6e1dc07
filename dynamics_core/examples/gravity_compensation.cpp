// SPDX-License-Identifier: Apache-2.0
// Gravity compensation with a payload: the joint torques that hold an arm at rest.
//
//   gravity_compensation urdf/urdf/ur5e.urdf tool0

#include <cstdio>
#include <dynamics_core/dynamics_core.hpp>
#include <exception>
#include <vector>

int main(int argc, char** argv) try {
  if (argc != 3) return std::fprintf(stderr, "usage: %s URDF TOOL_FRAME\n", argv[0]), 2;
  const dynamics::Model arm = dynamics::model_from_urdf_file(argv[1]);

  // The loaded arm is a model of its own: frame, mass (kg) and center of mass in that frame (m).
  const dynamics::Model loaded = arm.with_payload({argv[2], 2.0, {0.0, 0.0, 0.05}});

  // The workspace holds all scratch memory: in a control loop nothing is allocated.
  dynamics::Workspace workspace(arm), loaded_workspace(loaded);
  const std::vector<double> q(arm.size(), 0.0);  // measured joint positions (rad)
  std::vector<double> tau(arm.size()), loaded_tau(arm.size());
  dynamics::gravity_forces(arm, workspace, q, tau);
  dynamics::gravity_forces(loaded, loaded_workspace, q, loaded_tau);

  std::printf("%-20s %12s %12s\n", "joint", "empty (N m)", "2 kg (N m)");
  for (std::size_t i = 0; i < arm.size(); ++i)
    std::printf("%-20s %12.3f %12.3f\n", arm.coordinates()[i].name.c_str(), tau[i], loaded_tau[i]);
} catch (const std::exception& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}
