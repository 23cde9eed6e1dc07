// SPDX-License-Identifier: Apache-2.0
// Operational-space inertia, (J M^-1 J^T)^-1: the mass that the environment feels at the tool.
//
//   operational_space_inertia urdf/urdf/panda.urdf panda_link8

#include <Eigen/LU>
#include <cstdio>
#include <dynamics_core/dynamics_core.hpp>
#include <exception>
#include <numbers>

int main(int argc, char** argv) try {
  if (argc != 3) return std::fprintf(stderr, "usage: %s URDF TOOL_FRAME\n", argv[0]), 2;
  const dynamics::Model arm = dynamics::model_from_urdf_file(argv[1]);
  const auto n = static_cast<Eigen::Index>(arm.size());
  Eigen::VectorXd q = Eigen::VectorXd::Zero(n);  // elbow and wrist bent, the tool points down
  q.head(6) << 0, -45, 0, -135, 0, 90;
  q *= std::numbers::pi / 180;

  // J: the tool's velocity is J qd, here in the axes of the world; rows 0 to 2 are linear.
  dynamics::Workspace workspace(arm);
  Eigen::MatrixXd J(6, n), M_inverse(n, n);
  dynamics::jacobian(arm, workspace, q, arm.frame(argv[2]), dynamics::Axes::local_world_aligned, J);
  dynamics::inverse_inertia_matrix(arm, workspace, q, M_inverse);
  const Eigen::Matrix3d mobility = J.topRows(3) * M_inverse * J.topRows(3).transpose();  // (1/kg)

  const Eigen::Matrix3d inertia = mobility.inverse();
  std::printf("operational-space inertia at %s (kg):\n", argv[2]);
  for (int i = 0; i < 3; ++i)
    std::printf("  %8.4f %8.4f %8.4f\n", inertia(i, 0), inertia(i, 1), inertia(i, 2));
  for (int i = 0; i < 3; ++i)  // a force f along an axis accelerates the tool by f / mass along it
    std::printf("pushed along %c the tool moves like a mass of %.4f kg\n", "xyz"[i],
                1 / mobility(i, i));
} catch (const std::exception& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}
