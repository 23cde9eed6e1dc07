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

  // The tool's velocity is J qd, here in the axes of the world: three angular rows, then the
  // linear.
  dynamics::Workspace workspace(arm);
  Eigen::MatrixXd J(6, n), X(n, 3);
  dynamics::jacobian(arm, workspace, q, arm.frame(argv[2]), dynamics::Axes::local_world_aligned, J);
  const Eigen::MatrixXd J_linear = J.bottomRows(3), J_transposed = J_linear.transpose();
  dynamics::InertiaFactor factor(arm);  // M = U D U^T, decomposed once for all columns
  dynamics::decompose_inertia(arm, factor, q);
  dynamics::solve_inertia(arm, factor, J_transposed, X);  // X = M^-1 J^T
  const Eigen::Matrix3d mobility = J_linear * X;          // (1/kg)
  const Eigen::Matrix3d inertia = mobility.inverse();
  std::printf("operational-space inertia at %s (kg):\n", argv[2]);
  for (int i = 0; i < 3; ++i)
    std::printf("  %8.4f %8.4f %8.4f\n", inertia(i, 0), inertia(i, 1), inertia(i, 2));
  for (int i = 0; i < 3; ++i)
    std::printf("pushed along %c the tool moves like a mass of %.4f kg\n", "xyz"[i],
                1 / mobility(i, i));
} catch (const std::exception& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}
