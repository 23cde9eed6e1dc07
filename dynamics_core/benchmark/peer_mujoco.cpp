// SPDX-License-Identifier: Apache-2.0
// MuJoCo without contacts, constraints and energies: only the smooth dynamics.
#include "benchmark_cases.hpp"

#ifndef DYNAMICS_TEST_MUJOCO
namespace dynamics::benchmark {
std::vector<BenchmarkCase> mujoco() { return {}; }
std::string mujoco_version() { return ""; }
}  // namespace dynamics::benchmark
#else

#include <algorithm>
#include <memory>

#include "support/mujoco_model.hpp"

namespace dynamics::benchmark {
namespace {

struct Mujoco {
  Mujoco() { robot.model()->opt.enableflags &= ~mjENBL_ENERGY; }
  void set(std::size_t k) {
    std::copy_n(states.row(states.q, k).data(), 6, robot.data()->qpos);
    std::copy_n(states.row(states.qd, k).data(), 6, robot.data()->qvel);
  }
  static Eigen::MatrixXd column(const mjtNum* values) {
    return Eigen::Map<const Eigen::VectorXd>(values, 6);
  }
  test::MujocoModel robot{puma().description()};
  States states{6, 256};
  double matrix[36] = {};
};

}  // namespace

std::vector<BenchmarkCase> mujoco() {
  const auto peer = std::make_shared<Mujoco>();
  std::vector<BenchmarkCase> all;
  all.push_back({"inverse", "mujoco", 1, 1,
                 [peer](std::size_t first, std::size_t calls) {
                   for (std::size_t k = first; k < first + calls; ++k) {
                     peer->set(k);
                     std::copy_n(peer->states.row(peer->states.u, k).data(), 6,
                                 peer->robot.data()->qacc);
                     mj_inverse(peer->robot.model(), peer->robot.data());
                   }
                 },
                 [peer] { return Mujoco::column(peer->robot.data()->qfrc_inverse); }});
  all.push_back({"forward", "mujoco", 1, 1,
                 [peer](std::size_t first, std::size_t calls) {
                   for (std::size_t k = first; k < first + calls; ++k) {
                     peer->set(k);
                     std::copy_n(peer->states.row(peer->states.u, k).data(), 6,
                                 peer->robot.data()->qfrc_applied);
                     mj_forward(peer->robot.model(), peer->robot.data());
                   }
                 },
                 [peer] { return Mujoco::column(peer->robot.data()->qacc); }});
  all.push_back({"inertia matrix", "mujoco", 1, 1,
                 [peer](std::size_t first, std::size_t calls) {
                   for (std::size_t k = first; k < first + calls; ++k) {
                     peer->set(k);
                     mj_kinematics(peer->robot.model(), peer->robot.data());
                     mj_comPos(peer->robot.model(), peer->robot.data());
                     mj_crb(peer->robot.model(), peer->robot.data());
                     mj_fullM(peer->robot.model(), peer->matrix, peer->robot.data()->qM);
                   }
                 },
                 [peer]() -> Eigen::MatrixXd {
                   return Eigen::Map<const Eigen::MatrixXd>(peer->matrix, 6, 6);
                 }});
  return all;
}

std::string mujoco_version() { return mj_versionString(); }

}  // namespace dynamics::benchmark
#endif
