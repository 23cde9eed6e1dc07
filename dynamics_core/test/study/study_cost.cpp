// SPDX-License-Identifier: Apache-2.0
// The cost of a study beside its bare simulations, in one process, alternating case by case:
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
  std::vector<double> ratios, bare_times;
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
    for (std::uint64_t block = 0; block < 20; ++block) {
      double bare = 0.0, whole = 0.0;
      for (std::uint64_t k = 50 * block; k < 50 * (block + 1); ++k) {
        const std::vector<double> factors = study.draw(k);
        double start = cpu_seconds();
        RobotDescription robot = nominal;
        std::size_t i = 0;
        for (LinkDescription& link : robot.links) {
          if (!link.inertial || !(link.inertial->mass > 0.0)) continue;
          link.inertial->mass *= factors[i];
          link.inertial->inertia *= factors[i++];
        }
        const Model model(std::move(robot), {.gravity = table.gravity});
        const Recording run = simulate(model, options);
        bare += cpu_seconds() - start;
        start = cpu_seconds();
        log.append(study.run(k));
        whole += cpu_seconds() - start;
      }
      ratios.push_back(whole / bare);
      bare_times.push_back(bare / 50.0);
    }
  }
  std::filesystem::remove_all(path);
  std::sort(ratios.begin(), ratios.end());
  std::sort(bare_times.begin(), bare_times.end());
  fmt::print("bare simulation {:.3f} ms; study / bare: median {:.3f}, quartiles {:.3f} to {:.3f}\n",
             1e3 * bare_times[10], ratios[10], ratios[5], ratios[15]);
  return 0;
}
