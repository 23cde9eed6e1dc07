// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <random>
#include <thread>

#include "benchmark_cases.hpp"
#include "benchmark_urdfs.hpp"
#include "dynamics_core/batch.hpp"
#include "dynamics_core/derivatives.hpp"
#include "dynamics_core/flexible_links.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "support/random_robot.hpp"

namespace dynamics::benchmark {

States::States(std::size_t width, std::size_t number, unsigned seed, double speed)
    : size(width), count(number), q(width * number), qd(q.size()), u(q.size()) {
  std::mt19937_64 engine(seed);
  const auto fill = [&](double* row, double limit) {
    std::uniform_real_distribution<double> uniform(-limit, limit);
    for (std::size_t i = 0; i < size; ++i) row[i] = uniform(engine);
  };
  for (std::size_t k = 0; k < count; ++k) {
    fill(q.data() + k * size, 3.0);
    fill(qd.data() + k * size, speed);
    fill(u.data() + k * size, 10.0);
  }
}

namespace {

constexpr std::string_view batch_prefix = "batch ", float_suffix = " float";

}  // namespace

bool is_single_precision(const std::string& work) { return work.ends_with(float_suffix); }

std::string work_per_state(const std::string& work) {
  std::string name = work.starts_with(batch_prefix) ? work.substr(batch_prefix.size()) : work;
  if (is_single_precision(name)) name.resize(name.size() - float_suffix.size());
  return name;
}

namespace {

RobotDescription without_friction(RobotDescription robot) {
  for (JointDescription& joint : robot.joints) joint.damping = joint.friction = 0.0;
  return robot;
}

/// The tool on the last link of the arm.
RobotDescription with_tool(RobotDescription arm, const RobotDescription& tool,
                           const std::string& flange) {
  const std::string prefix = "tool_";
  for (LinkDescription link : tool.links) {
    link.name = prefix + link.name;
    arm.links.push_back(link);
  }
  JointDescription mount;
  mount.name = "tool_mount";
  mount.type = JointType::fixed;
  mount.parent = flange;
  mount.child = prefix + tool.links.front().name;
  arm.joints.push_back(mount);
  for (JointDescription joint : tool.joints) {
    joint.name = prefix + joint.name;
    joint.parent = prefix + joint.parent;
    joint.child = prefix + joint.child;
    if (joint.mimic) joint.mimic->joint = prefix + joint.mimic->joint;
    arm.joints.push_back(joint);
  }
  return arm;
}

std::vector<Robot> make_robots() {
  std::vector<Robot> all = {{"puma", model_from_dh(built_in_robot("puma"))}};
  if (std::string_view(panda_urdf).empty()) return all;
  const auto read = [](const char* text, const char* name) {
    return without_friction(read_urdf(text, name));
  };
  const RobotDescription panda = read(panda_urdf, "panda");
  all.push_back({"panda", Model(panda)});
  all.push_back({"humanoid", Model(read(humanoid_urdf, "humanoid"))});
  all.push_back({"panda with gripper",
                 Model(with_tool(panda, read(gripper_urdf, "gripper"), "panda_link8"))});
  return all;
}

}  // namespace

const std::vector<Robot>& robots() {
  static const std::vector<Robot> all = make_robots();
  return all;
}
const Model& puma() { return robots().front().model; }

std::size_t batch_size(const Model& model, std::size_t outputs_per_state,
                       std::size_t scalar_bytes) {
  const std::size_t bytes = scalar_bytes * (3 * model.size() + outputs_per_state);
  return std::clamp<std::size_t>(393216 / bytes / 16 * 16, 16, 2048);
}

namespace {

Eigen::MatrixXd column(const std::vector<double>& values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

struct OneState {
  explicit OneState(const Model& given, double speed = 3.0)
      : model(given),
        workspace(model),
        derivatives(model),
        states(model.size(), peer_states, 1, speed),
        result(model.size()),
        jacobian(6, static_cast<Eigen::Index>(model.size())) {
    const auto n = static_cast<Eigen::Index>(model.size());
    for (Eigen::MatrixXd& each : matrices) each.setZero(n, n);
  }
  /// The first `count` matrices side by side.
  Eigen::MatrixXd together(int count) const {
    const Eigen::Index n = matrices[0].rows();
    Eigen::MatrixXd all(n, n * count);
    for (int k = 0; k < count; ++k) all.middleCols(k * n, n) = matrices[k];
    return all;
  }
  Model model;
  Workspace workspace;
  DerivativeWorkspace derivatives;
  States states;
  std::vector<double> result;
  Eigen::MatrixXd matrices[3], jacobian;
};

template <class Real>
struct ManyStatesOf {
  using Rows = std::vector<Real>;

  ManyStatesOf(const Model& given, std::size_t threads, std::size_t count, std::size_t outputs,
               std::size_t outputs_per_state)
      : model(given),
        workspace(model, {.threads = threads}),
        states(model.size(), count),
        q(states.q.begin(), states.q.end()),
        qd(states.qd.begin(), states.qd.end()),
        u(states.u.begin(), states.u.end()),
        output(outputs, Rows(count * outputs_per_state)) {}
  /// The outputs of the first state, a matrix each where they are n x n.
  Eigen::MatrixXd first_state() const {
    const auto n = static_cast<Eigen::Index>(model.size());
    const Eigen::Index columns = static_cast<Eigen::Index>(output[0].size() / states.count) / n;
    Eigen::MatrixXd all(n, columns * static_cast<Eigen::Index>(output.size()));
    for (std::size_t k = 0; k < output.size(); ++k) {
      all.middleCols(static_cast<Eigen::Index>(k) * columns, columns) =
          Eigen::Map<const Eigen::MatrixX<Real>>(output[k].data(), n, columns)
              .template cast<double>();
    }
    return all;
  }
  Model model;
  BatchWorkspace workspace;
  States states;
  Rows q, qd, u;
  std::vector<Rows> output;
};
using ManyStates = ManyStatesOf<double>;

/// `run` computes all states of a ManyStates.
template <class Real, class Run>
BenchmarkCase batch_case(const std::string& work, const std::shared_ptr<ManyStatesOf<Real>>& many,
                         Run run) {
  std::string name = std::string(batch_prefix) + work;
  if (std::is_same_v<Real, float>) name += float_suffix;
  return {std::move(name),
          "ours",
          many->workspace.threads(),
          many->states.count,
          [many, run](std::size_t, std::size_t calls) {
            for (std::size_t k = 0; k < calls; ++k) run(*many);
          },
          [many] { return many->first_state(); }};
}
constexpr auto run_batch_inverse = [](auto& m) {
  batch::inverse_dynamics(m.model, m.workspace, m.q, m.qd, m.u, m.output[0]);
};
constexpr auto run_batch_forward = [](auto& m) {
  batch::forward_dynamics(m.model, m.workspace, m.q, m.qd, m.u, m.output[0]);
};
constexpr auto run_batch_inertia = [](auto& m) {
  batch::inertia_matrix(m.model, m.workspace, m.q, m.output[0]);
};
constexpr auto run_batch_gravity = [](auto& m) {
  batch::gravity_forces(m.model, m.workspace, m.q, m.output[0]);
};
constexpr auto run_batch_inverse_derivatives = [](ManyStates& m) {
  batch::inverse_dynamics_derivatives(m.model, m.workspace, m.q, m.qd, m.u, m.output[0],
                                      m.output[1]);
};
constexpr auto run_batch_forward_derivatives = [](ManyStates& m) {
  batch::forward_dynamics_derivatives(m.model, m.workspace, m.q, m.qd, m.u, m.output[0],
                                      m.output[1], m.output[2]);
};

}  // namespace

std::vector<BenchmarkCase> dynamics_on(const Model& model) {
  // low velocities, so that long chains do not overflow
  const auto one = std::make_shared<OneState>(model, model.size() > 32 ? 0.1 : 3.0);
  const auto result = [one] { return column(one->result); };
  const auto inverse = [one, &s = one->states](std::size_t k) {
    inverse_dynamics(one->model, one->workspace, s.row(s.q, k), s.row(s.qd, k), s.row(s.u, k),
                     one->result);
  };
  const auto forward = [one, &s = one->states](std::size_t k) {
    forward_dynamics(one->model, one->workspace, s.row(s.q, k), s.row(s.qd, k), s.row(s.u, k),
                     one->result);
  };
  return {state_by_state("inverse", "ours", inverse, result),
          state_by_state("forward", "ours", forward, result)};
}

std::vector<BenchmarkCase> ours_on(const Model& model) {
  std::vector<BenchmarkCase> all = dynamics_on(model);
  const auto one = std::make_shared<OneState>(model);
  const auto matrices = [one](int count) { return [one, count] { return one->together(count); }; };
  const auto add = [&](const char* work, const auto& call, const auto& result) {
    all.push_back(state_by_state(work, "ours", call, result));
  };
  add(
      "inertia matrix",
      [one, &s = one->states](std::size_t k) {
        inertia_matrix(one->model, one->workspace, s.row(s.q, k), one->matrices[0]);
      },
      matrices(1));
  add(
      "inverse inertia matrix",
      [one, &s = one->states](std::size_t k) {
        inverse_inertia_matrix(one->model, one->workspace, s.row(s.q, k), one->matrices[0]);
      },
      matrices(1));
  add(
      "inverse derivatives",
      [one, &s = one->states](std::size_t k) {
        inverse_dynamics_derivatives(one->model, one->derivatives, s.row(s.q, k), s.row(s.qd, k),
                                     s.row(s.u, k), one->matrices[0], one->matrices[1]);
      },
      matrices(2));
  add(
      "forward derivatives",
      [one, &s = one->states](std::size_t k) {
        forward_dynamics_derivatives(one->model, one->derivatives, s.row(s.q, k), s.row(s.qd, k),
                                     s.row(s.u, k), one->matrices[0], one->matrices[1],
                                     one->matrices[2]);
      },
      matrices(3));
  add(
      "jacobian",
      [one, &s = one->states, frame = model.frames().size() - 1](std::size_t k) {
        jacobian(one->model, one->workspace, s.row(s.q, k), frame, Axes::local, one->jacobian);
      },
      [one] { return one->jacobian; });
  add(
      "gravity",
      [one, &s = one->states](std::size_t k) {
        gravity_forces(one->model, one->workspace, s.row(s.q, k), one->result);
      },
      [one] { return column(one->result); });
  return all;
}

std::vector<BenchmarkCase> batches_on(const Model& model) {
  const std::size_t n = model.size();
  const auto doubles = [&](std::size_t outputs, std::size_t width) {
    return std::make_shared<ManyStates>(
        model, 1, batch_size(model, outputs * width, sizeof(double)), outputs, width);
  };
  const auto floats = [&](std::size_t width) {
    return std::make_shared<ManyStatesOf<float>>(model, 1, batch_size(model, width, sizeof(float)),
                                                 1, width);
  };
  return {batch_case("inverse", doubles(1, n), run_batch_inverse),
          batch_case("inverse", floats(n), run_batch_inverse),
          batch_case("forward", doubles(1, n), run_batch_forward),
          batch_case("forward", floats(n), run_batch_forward),
          batch_case("inertia matrix", doubles(1, n * n), run_batch_inertia),
          batch_case("inertia matrix", floats(n * n), run_batch_inertia),
          batch_case("inverse derivatives", doubles(2, n * n), run_batch_inverse_derivatives),
          batch_case("forward derivatives", doubles(3, n * n), run_batch_forward_derivatives),
          batch_case("gravity", doubles(1, n), run_batch_gravity),
          batch_case("gravity", floats(n), run_batch_gravity)};
}

std::vector<BenchmarkCase> matrices_on(const Model& model, std::size_t bytes) {
  const std::size_t entries = model.size() * model.size();
  const auto states = [&](std::size_t outputs) {
    return std::make_shared<ManyStates>(model, 1, bytes / (sizeof(double) * outputs * entries),
                                        outputs, entries);
  };
  return {batch_case("inertia matrix", states(1), run_batch_inertia),
          batch_case("inverse derivatives", states(2), run_batch_inverse_derivatives)};
}

std::vector<BenchmarkCase> batches(std::size_t threads, std::size_t states) {
  const auto many = std::make_shared<ManyStates>(puma(), threads, states, 1, puma().size());
  if (many->workspace.threads() != threads) return {};  // fewer processors than threads
  return {batch_case("inverse", many, run_batch_inverse),
          batch_case("forward", many, run_batch_forward)};
}

std::vector<BenchmarkCase> flexible_canadarm() {
  struct Arm {
    FlexibleModel model{model_from_dh(built_in_robot("canadarm"))};
    FlexibleWorkspace workspace{model};
    States states{model.size(), peer_states, 1, 0.1};
    std::vector<double> result = std::vector<double>(model.size());
  };
  const auto arm = std::make_shared<Arm>();
  // bent by at most some millimeters
  for (std::size_t i = 0; i < arm->states.q.size(); ++i) {
    if (i % arm->model.size() >= arm->model.joint_count()) arm->states.q[i] *= 1e-3;
  }
  const auto forward = [arm, &s = arm->states](std::size_t k) {
    forward_dynamics(arm->model, arm->workspace, s.row(s.q, k), s.row(s.qd, k),
                     ConstVector(s.row(s.u, k).data(), arm->model.joint_count()), arm->result);
  };
  return {state_by_state("forward", "ours", forward, [arm] { return column(arm->result); })};
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

std::vector<BenchmarkCase> all_cases(const Model& model) {
  std::vector<BenchmarkCase> all = ours_on(model);
  for (const auto& others : {batches_on(model), kdl(model), mujoco(model), pinocchio(model)}) {
    all.insert(all.end(), others.begin(), others.end());
  }
  return all;
}

}  // namespace dynamics::benchmark
