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
  void set(std::size_t k, mjtNum* u) {
    set(k);
    std::copy_n(states.row(states.u, k).data(), 6, u);
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
  mjModel* const model = peer->robot.model();
  mjData* const data = peer->robot.data();
  const auto inverse = [peer, model, data](std::size_t k) {
    peer->set(k, data->qacc);
    mj_inverse(model, data);
  };
  const auto forward = [peer, model, data](std::size_t k) {
    peer->set(k, data->qfrc_applied);
    mj_forward(model, data);
  };
  const auto matrix = [peer, model, data](std::size_t k) {
    peer->set(k);
    mj_kinematics(model, data);
    mj_comPos(model, data);
    mj_crb(model, data);
    mj_fullM(model, peer->matrix, data->qM);
  };
  return {state_by_state("inverse", "mujoco", inverse,
                         [peer, data] { return Mujoco::column(data->qfrc_inverse); }),
          state_by_state("forward", "mujoco", forward,
                         [peer, data] { return Mujoco::column(data->qacc); }),
          state_by_state("inertia matrix", "mujoco", matrix, [peer]() -> Eigen::MatrixXd {
            return Eigen::Map<const Eigen::MatrixXd>(peer->matrix, 6, 6);
          })};
}

std::string mujoco_version() { return mj_versionString(); }

}  // namespace dynamics::benchmark
#endif
