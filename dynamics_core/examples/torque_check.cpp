// SPDX-License-Identifier: Apache-2.0
// A planner's torque check: how fast may an arm make a motion within its effort limits?
//
//   torque_check urdf/urdf/ur5e.urdf

#include <cmath>
#include <cstdio>
#include <dynamics_core/dynamics_core.hpp>
#include <exception>
#include <vector>

int main(int argc, char** argv) try {
  if (argc != 2) return std::fprintf(stderr, "usage: %s URDF\n", argv[0]), 2;
  const dynamics::Model arm = dynamics::model_from_urdf_file(argv[1]);
  dynamics::Workspace workspace(arm);
  const std::vector<double> start(arm.size(), 0.0), end(arm.size(), -1.0);  // (rad)
  std::vector<double> q(arm.size()), qd(q), qdd(q), tau(q);

  for (const double duration : {2.0, 1.0, 0.5}) {  // (s)
    const auto trajectory = dynamics::cycloid_trajectory(start, end, duration);
    double largest = 0, time = 0;  // torque relative to its limit
    std::size_t joint = 0;
    for (int k = 0; k <= 100; ++k) {
      trajectory->at(k * duration / 100, q, qd, qdd);
      dynamics::inverse_dynamics(arm, workspace, q, qd, qdd, tau);
      for (std::size_t i = 0; i < arm.size(); ++i) {
        const double ratio = std::abs(tau[i]) / arm.coordinates()[i].effort;
        if (ratio > largest) largest = ratio, joint = i, time = k * duration / 100;
      }
    }
    std::printf("%.1f s: %s, %s uses %.2f %% of its effort limit at t = %.3f s\n", duration,
                largest <= 1 ? "feasible" : "too fast", arm.coordinates()[joint].name.c_str(),
                100 * largest, time);
  }
} catch (const std::exception& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}
