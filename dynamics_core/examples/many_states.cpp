// SPDX-License-Identifier: Apache-2.0
// 100,000 states in one call: the largest holding torques over all angles of shoulder and elbow.
//
//   many_states urdf/urdf/ur5e.urdf

#include <chrono>
#include <cstdio>
#include <dynamics_core/dynamics_core.hpp>
#include <exception>
#include <numbers>

int main(int argc, char** argv) try {
  if (argc != 2) return std::fprintf(stderr, "usage: %s URDF\n", argv[0]), 2;
  const dynamics::Model arm = dynamics::model_from_urdf_file(argv[1]);
  const auto n = static_cast<Eigen::Index>(arm.size());

  constexpr Eigen::Index shoulder = 400, elbow = 250, states = shoulder * elbow;
  Eigen::MatrixXd q = Eigen::MatrixXd::Zero(n, states);  // one column per state
  for (Eigen::Index k = 0; k < states; ++k) {
    const Eigen::Index i = k % shoulder, j = k / shoulder;
    q(1, k) = 2 * std::numbers::pi * static_cast<double>(i) / shoulder;
    q(2, k) = 2 * std::numbers::pi * static_cast<double>(j) / elbow;
  }
  const Eigen::MatrixXd rest = Eigen::MatrixXd::Zero(n, states);
  Eigen::MatrixXd tau(n, states);

  // SIMD packs of states, on as many threads as there are processors.
  dynamics::BatchWorkspace workspace(arm, {.threads = 0});
  const auto start = std::chrono::steady_clock::now();
  dynamics::batch::inverse_dynamics(arm, workspace, q, rest, rest, tau);
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;

  std::printf("%td states, %.0f ns per state\n", states, time.count() / states);
  for (Eigen::Index i = 0; i < n; ++i)
    std::printf("%-20s %6.1f N m\n", arm.coordinates()[static_cast<std::size_t>(i)].name.c_str(),
                tau.row(i).cwiseAbs().maxCoeff());
} catch (const std::exception& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}
