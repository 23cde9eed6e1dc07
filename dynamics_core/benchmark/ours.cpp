// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <random>
#include <thread>

#include "benchmark_cases.hpp"
#include "dynamics_core/batch.hpp"
#include "dynamics_core/dh_table.hpp"
#include "dynamics_core/forward_dynamics.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/inverse_dynamics.hpp"
#include "support/random_robot.hpp"

namespace dynamics::benchmark {

States::States(std::size_t width, std::size_t number, unsigned seed, double speed)
    : size(width), count(number) {
  std::mt19937_64 engine(seed);
  const auto fill = [&](std::vector<double>& rows, double limit) {
    std::uniform_real_distribution<double> uniform(-limit, limit);
    rows.resize(size * count);
    for (double& x : rows) x = uniform(engine);
  };
  fill(q, 3.0);
  fill(qd, speed);
  fill(u, 10.0);
}

const Model& puma() {
  static const Model model = model_from_dh(built_in_robot("puma"));
  return model;
}

namespace {

Eigen::MatrixXd column(const std::vector<double>& values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

struct OneState {
  explicit OneState(const Model& given, double speed = 3.0)
      : model(given),
        workspace(model),
        states(model.size(), 256, 1, speed),
        result(model.size()),
        matrix(static_cast<Eigen::Index>(model.size()), static_cast<Eigen::Index>(model.size())) {}
  Model model;
  Workspace workspace;
  States states;
  std::vector<double> result;
  Eigen::MatrixXd matrix;
};

struct ManyStates {
  ManyStates(std::size_t threads, std::size_t count)
      : workspace(puma(), {.threads = threads}),
        states(puma().size(), count),
        result(states.q.size()) {}
  BatchWorkspace workspace;
  States states;
  std::vector<double> result;
};

}  // namespace

std::vector<BenchmarkCase> ours_on(const Model& model) {
  // low velocities, so that long chains do not overflow
  const auto one = std::make_shared<OneState>(model, model.size() > 6 ? 0.1 : 3.0);
  const auto result = [one] { return column(one->result); };
  const auto inverse = [one, &s = one->states](std::size_t k) {
    inverse_dynamics(one->model, one->workspace, s.row(s.q, k), s.row(s.qd, k), s.row(s.u, k),
                     one->result);
  };
  const auto forward = [one, &s = one->states](std::size_t k) {
    forward_dynamics(one->model, one->workspace, s.row(s.q, k), s.row(s.qd, k), s.row(s.u, k),
                     one->result);
  };
  const auto matrix = [one, &s = one->states](std::size_t k) {
    inertia_matrix(one->model, one->workspace, s.row(s.q, k), one->matrix);
  };
  return {state_by_state("inverse", "ours", inverse, result),
          state_by_state("forward", "ours", forward, result),
          state_by_state("inertia matrix", "ours", matrix, [one] { return one->matrix; })};
}

std::vector<BenchmarkCase> batches(std::size_t threads, std::size_t states) {
  const auto many = std::make_shared<ManyStates>(threads, states);
  if (many->workspace.threads() != threads) return {};  // fewer processors than threads
  std::vector<BenchmarkCase> all;
  all.push_back({"batch inverse", "ours", threads, states, [many](std::size_t, std::size_t calls) {
                   const States& s = many->states;
                   for (std::size_t k = 0; k < calls; ++k) {
                     batch::inverse_dynamics(puma(), many->workspace, s.q, s.qd, s.u, many->result);
                   }
                 }});
  all.push_back({"batch forward", "ours", threads, states, [many](std::size_t, std::size_t calls) {
                   const States& s = many->states;
                   for (std::size_t k = 0; k < calls; ++k) {
                     batch::forward_dynamics(puma(), many->workspace, s.q, s.qd, s.u, many->result);
                   }
                 }});
  return all;
}

std::vector<BenchmarkCase> separate_halves(std::size_t states) {
  if (std::thread::hardware_concurrency() < 2) return {};
  std::vector<BenchmarkCase> all;
  const auto halves = {batches(1, states / 2), batches(1, states / 2)};
  for (std::size_t work = 0; work < halves.begin()->size(); ++work) {
    const BenchmarkCase own = halves.begin()[0][work], other = halves.begin()[1][work];
    all.push_back({own.work, "ours", 2, states, [own, other](std::size_t first, std::size_t calls) {
                     std::thread helper([&] { other.run(first, calls); });
                     own.run(first, calls);
                     helper.join();
                   }});
  }
  return all;
}

Model chain(std::size_t joints) {
  return Model(test::RandomRobot(3).robot({.joints = joints, .prismatic = 0.0}));
}
Model tree(std::size_t joints) {
  // every link has two children: trees of the same shape for every number of joints
  RobotDescription robot = test::RandomRobot(3).robot({.joints = joints, .prismatic = 0.0});
  for (std::size_t i = 1; i < joints; ++i) {
    robot.joints[i].parent = robot.joints[(i - 1) / 2].child;
  }
  return Model(robot);
}

std::vector<BenchmarkCase> all_cases() {
  std::vector<BenchmarkCase> all = ours_on(puma());
  for (const auto& others : {batches(1, batch_size), kdl(), mujoco(), pinocchio()}) {
    all.insert(all.end(), others.begin(), others.end());
  }
  return all;
}

}  // namespace dynamics::benchmark
