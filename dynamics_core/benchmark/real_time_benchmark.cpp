// SPDX-License-Identifier: Apache-2.0
// Cost of one control period of RealTimeSimulation: step(), evaluate() and energy(), which is what
// the simulated hardware of dynamics_sim calls per cycle. For each kind of command, without limits
// as in dynamics_sim_benchmark, and with the limits of real arms.
//
//   dynamics_real_time_benchmark [CASE [CYCLES]]
//
// Prints the median time of one period. All cases do the same work in every run, so that their
// instructions can be counted:
//
//   valgrind --tool=callgrind --toggle-collect='measure*' dynamics_real_time_benchmark
//   puma/position 2000

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "dynamics_core/readers.hpp"
#include "dynamics_core/real_time_simulation.hpp"

namespace {

using dynamics::JointCommand;
using dynamics::Model;
using dynamics::RealTimeSimulation;

/// The command of all joints in a period.
using Commands = std::function<JointCommand(std::size_t cycle)>;

struct Case {
  std::string name;
  Model model;
  bool limits;
  Commands commands;
};

}  // namespace

/// Its name is the pattern of callgrind's option.
[[gnu::noinline]] bool measure(RealTimeSimulation& robot, const Commands& commands,
                               std::size_t first, std::size_t cycles) {
  double sum = 0.0;
  for (std::size_t k = first; k < first + cycles; ++k) {
    const JointCommand command = commands(k);
    for (JointCommand& each : robot.commands()) each = command;
    robot.begin(1);
    if (!robot.step() || !robot.evaluate()) return false;
    sum += robot.energy().total();
  }
  return sum == sum;  // uses the energies
}

namespace {

double median_time(const Case& one, std::size_t cycles) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t batches = 21;
  RealTimeSimulation robot(one.model, {.limits = one.limits});
  const std::vector<double> q(robot.joints(), 0.0);
  std::vector<double> nanoseconds;
  for (std::size_t batch = 0; batch < batches; ++batch) {
    robot.reset(q, q);
    const auto start = Clock::now();
    if (!measure(robot, one.commands, 0, cycles)) {
      fmt::print(stderr, "{}: {}\n", one.name, robot.fault());
      std::exit(1);
    }
    const std::chrono::duration<double, std::nano> passed = Clock::now() - start;
    nanoseconds.push_back(passed.count() / static_cast<double>(cycles));
  }
  std::nth_element(nanoseconds.begin(), nanoseconds.begin() + batches / 2, nanoseconds.end());
  return nanoseconds[batches / 2];
}

std::vector<Case> cases() {
  const Commands position = [](std::size_t) { return JointCommand::position(0.1); };
  const Commands moving = [](std::size_t k) {
    return JointCommand::position(1e-5 * static_cast<double>(k));
  };
  const Commands velocity = [](std::size_t) { return JointCommand::velocity(0.1); };
  const Commands effort = [](std::size_t) { return JointCommand::effort(0.1); };
  const Commands falling = [](std::size_t) { return JointCommand::effort(0.0); };
  std::vector<Case> list;
  for (const char* robot : {"puma", "canadarm"}) {
    const Model model = dynamics::model_from_dh(dynamics::built_in_robot(robot));
    const std::string name = robot;
    list.push_back({name + "/position", model, false, position});
    list.push_back({name + "/position_moving", model, false, moving});
    list.push_back({name + "/velocity", model, false, velocity});
    list.push_back({name + "/effort", model, false, effort});
    list.push_back({name + "/falling", model, false, falling});
  }
  for (const char* robot : {"ur5e", "scara"}) {
    const Model model =
        dynamics::model_from_urdf_file(std::string(DYNAMICS_URDF_DIR "/") + robot + ".urdf");
    const std::string name = std::string(robot) + "_limits";
    list.push_back({name + "/position", model, true, position});
    list.push_back({name + "/position_moving", model, true, moving});
  }
  return list;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string chosen = count > 1 ? arguments[1] : "";
  const std::size_t cycles = count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 2000;
  bool found = false;
  for (const Case& one : cases()) {
    if (!chosen.empty() && chosen != one.name) continue;
    found = true;
    fmt::print("{:<30} {:8.0f} ns\n", one.name, median_time(one, cycles));
  }
  if (!found) fmt::print(stderr, "no case '{}'\n", chosen);
  return found ? 0 : 2;
}
