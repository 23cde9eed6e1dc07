// SPDX-License-Identifier: Apache-2.0
// MuJoCo without contacts, constraints and energies: only the smooth dynamics.
#include "benchmark_cases.hpp"

#ifndef DYNAMICS_TEST_MUJOCO
namespace dynamics::benchmark {
std::vector<BenchmarkCase> mujoco(const Model&) { return {}; }
std::string mujoco_version() { return ""; }
}  // namespace dynamics::benchmark
#else

#include <algorithm>
#include <memory>

#include "peer_states.hpp"
#include "support/mujoco_model.hpp"

namespace dynamics::benchmark {
namespace {

struct Mujoco {
  explicit Mujoco(const Model& given)
      : robot(given.description()),
        states(given,
               [this](const std::string& joint) {
                 return static_cast<std::size_t>(robot.degree(joint));
               }),
        n(robot.model()->nv),
        matrix(n, n),
        identity(Eigen::MatrixXd::Identity(n, n)),
        vector(n) {
    model->opt.enableflags &= ~mjENBL_ENERGY;
    std::fill_n(data->qvel, n, 0.0);
    std::fill_n(data->qacc, n, 0.0);
  }
  void copy(const Eigen::VectorXd& from, mjtNum* to) const { std::copy_n(from.data(), n, to); }
  void set_position(std::size_t k) {
    copy(states.q(k), data->qpos);
    mj_kinematics(model, data);
    mj_comPos(model, data);
  }
  void set(std::size_t k, mjtNum* u) const {
    copy(states.q(k), data->qpos);
    copy(states.qd(k), data->qvel);
    copy(states.u(k), u);
  }
  void crb(std::size_t k) {
    set_position(k);
    mj_crb(model, data);
  }

  test::MujocoModel robot;
  mjModel* model = robot.model();
  mjData* data = robot.data();
  PeerStates states;
  Eigen::Index n;
  Eigen::MatrixXd matrix, identity;
  Eigen::VectorXd vector;  ///< result, over bodies
  Eigen::MatrixXd projected;
};

}  // namespace

std::vector<BenchmarkCase> mujoco(const Model& model) {
  const auto peer = std::make_shared<Mujoco>(model);
  const bool mimic = peer->states.has_mimic();
  // with mimic joints the projection is a part of the work
  const auto with_forces = [peer, mimic](const char* work, const auto& compute) {
    return state_by_state(
        work, "mujoco",
        [peer, mimic, compute](std::size_t k) {
          compute(k);
          if (mimic) peer->projected = peer->states.forces(peer->vector);
        },
        [peer] { return peer->states.forces(peer->vector); });
  };
  const auto with_matrix = [peer, mimic](const char* work, const auto& compute) {
    return state_by_state(
        work, "mujoco",
        [peer, mimic, compute](std::size_t k) {
          compute(k);
          if (mimic) peer->projected = peer->states.matrix(peer->matrix);
        },
        [peer] { return peer->states.matrix(peer->matrix); });
  };
  std::vector<BenchmarkCase> all = {
      with_forces("inverse",
                  [peer](std::size_t k) {
                    peer->set(k, peer->data->qacc);
                    mj_inverse(peer->model, peer->data);
                    std::copy_n(peer->data->qfrc_inverse, peer->n, peer->vector.data());
                  }),
      with_matrix("inertia matrix",
                  [peer](std::size_t k) {
                    peer->crb(k);
                    mj_fullM(peer->model, peer->matrix.data(), peer->data->qM);
                  }),
      with_forces("gravity", [peer](std::size_t k) {
        std::fill_n(peer->data->qvel, peer->n, 0.0);
        peer->set_position(k);
        mj_comVel(peer->model, peer->data);
        mj_rne(peer->model, peer->data, 0, peer->vector.data());
      })};
  if (mimic) return all;  // forward dynamics and M^-1 with mimic joints: not by MuJoCo's functions
  all.push_back(with_forces("forward", [peer](std::size_t k) {
    peer->set(k, peer->data->qfrc_applied);
    mj_forward(peer->model, peer->data);
    std::copy_n(peer->data->qacc, peer->n, peer->vector.data());
  }));
  all.push_back(with_matrix("inverse inertia matrix", [peer](std::size_t k) {
    peer->crb(k);
    mj_factorM(peer->model, peer->data);
    mj_solveM(peer->model, peer->data, peer->matrix.data(), peer->identity.data(),
              static_cast<int>(peer->n));
  }));
  return all;
}

std::string mujoco_version() { return mj_versionString(); }

}  // namespace dynamics::benchmark
#endif
