// SPDX-License-Identifier: Apache-2.0
// The times of the C++ functions in the same process, for benchmark/ and docs/python.md.
#include <pybind11/pybind11.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "dynamics_core/batch.hpp"
#include "dynamics_core/error.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "robot.hpp"

namespace py = pybind11;

namespace dynamics::python {
namespace {

std::vector<double> random_numbers(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> numbers(count);
  for (double& x : numbers) x = uniform(generator);
  return numbers;
}

template <class Function>
double seconds(Function&& function) {
  const auto start = std::chrono::steady_clock::now();
  function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void require_rigid(const Robot& robot) {
  if (robot.flexible() || robot.mechanism())
    throw ArgumentError("robot", "must have neither flexible links nor closed loops");
}

/// Time of one call for one state (s): the mean over `calls`, with states that change.
double one_state(const Robot& robot, const std::string& function, std::size_t calls) {
  require_rigid(robot);
  const Model& model = robot.model();
  const std::size_t n = model.size();
  constexpr std::size_t states = 64;
  const auto q = random_numbers(states * n, 1), qd = random_numbers(states * n, 2);
  const auto last = random_numbers(states * n, 3);
  std::vector<double> out(n);
  Workspace workspace(model);
  const auto at = [&](const std::vector<double>& all, std::size_t k) {
    return ConstVector(all.data() + (k % states) * n, n);
  };
  return seconds([&] {
           for (std::size_t k = 0; k < calls; ++k) {
             if (function == "inverse") {
               inverse_dynamics(model, workspace, at(q, k), at(qd, k), at(last, k), out);
             } else {
               forward_dynamics(model, workspace, at(q, k), at(qd, k), at(last, k), out);
             }
           }
         }) /
         static_cast<double>(calls);
}

/// Times of `calls` batches (s).
py::list batches(const Robot& robot, const std::string& function, std::size_t states,
                 std::size_t threads, std::size_t calls) {
  require_rigid(robot);
  const Model& model = robot.model();
  const std::size_t n = model.size();
  const auto q = random_numbers(states * n, 1), qd = random_numbers(states * n, 2);
  const auto last = random_numbers(states * n, 3);
  std::vector<double> out(states * n);
  BatchWorkspace workspace(model, {.threads = threads});
  py::list times;
  for (std::size_t k = 0; k < calls; ++k) {
    times.append(seconds([&] {
      if (function == "inverse") {
        batch::inverse_dynamics(model, workspace, q, qd, last, out);
      } else {
        batch::forward_dynamics(model, workspace, q, qd, last, out);
      }
    }));
  }
  return times;
}

}  // namespace

void bind_benchmark(py::module_& module) {
  module.def("_measure_state", &one_state, py::arg("robot"), py::arg("function"), py::arg("calls"));
  module.def("_measure_batches", &batches, py::arg("robot"), py::arg("function"), py::arg("states"),
             py::arg("threads"), py::arg("calls"));
}

}  // namespace dynamics::python
