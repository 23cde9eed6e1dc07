// SPDX-License-Identifier: Apache-2.0
// The cost of a study beside its bare simulations, in one process, alternating case by case. Of
// each case the fastest of many repetitions counts, so that other processes hardly do:
//
//   cmake --build build/dynamics_core --target study_cost &&
//   build/dynamics_core/test/study/study_cost
//
// The bare loop builds the model of each case and calls simulate(); the study also draws the
// values, evaluates the results and writes the row.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <limits>
#include <vector>

#include "dynamics_core/simulate.hpp"
#include "study_samples.hpp"

namespace {

/// CPU time of this thread (s): other processes do not count.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

int main() {
  using namespace dynamics;  // NOLINT(google-build-using-namespace)
  const Study study = test::study_of(R"(
robot: puma
run: {simulate: {duration: 1.5, rtol: 1e-6}}
vary: [{parameter: mass, of: all, each: true, scale: {normal: [1, 0.05, 0.8, 1.2]}}]
keep: [final q_*, peak qd_*, energy]
samples: 1000
)");
  const auto path = std::filesystem::temp_directory_path() /
                    ("dynamics_study_cost_" + std::to_string(::getpid()));
  constexpr std::uint64_t cases = 20;
  constexpr int repetitions = 50;
  double bare_sum = 0.0, study_sum = 0.0;
  {
    const StudyFolder folder(path.string(), study, {});
    StudyLog log = folder.open_log("cost");
    const DhTable table = built_in_robot("puma");
    const RobotDescription nominal = describe(table);
    SimulationOptions options;
    options.duration = 1.5;  // about 1 ms
    options.rtol = 1e-6;
    options.q0 = table.q0;
    options.qd0 = table.qd0;
    const auto bare_case = [&](const std::vector<double>& factors) {
      RobotDescription robot = nominal;
      std::size_t i = 0;
      for (LinkDescription& link : robot.links) {
        if (!link.inertial || !(link.inertial->mass > 0.0)) continue;
        link.inertial->mass *= factors[i];
        link.inertial->inertia *= factors[i++];
      }
      const Model model(std::move(robot), {.gravity = table.gravity});
      return simulate(model, options).q[0].back();
    };
    double checked = 0.0;  // the results are used
    for (std::uint64_t k = 0; k < cases; ++k) {
      const std::vector<double> factors = study.draw(k);
      double bare = std::numeric_limits<double>::infinity(), whole = bare;
      for (int repetition = 0; repetition < repetitions; ++repetition) {
        double start = cpu_seconds();
        checked += bare_case(factors);
        bare = std::min(bare, cpu_seconds() - start);
        start = cpu_seconds();
        log.append(study.run(k));
        whole = std::min(whole, cpu_seconds() - start);
      }
      bare_sum += bare;
      study_sum += whole;
    }
    if (checked != checked) fmt::print("a result is NaN\n");
  }
  std::filesystem::remove_all(path);
  fmt::print("bare simulation {:.3f} ms, study {:.3f} ms per case: {:+.1f} %\n",
             1e3 * bare_sum / static_cast<double>(cases),
             1e3 * study_sum / static_cast<double>(cases), 100.0 * (study_sum / bare_sum - 1.0));
  return 0;
}
