// SPDX-License-Identifier: Apache-2.0
// Cost versus accuracy: error of the joint angles after 2 s of free fall of the PUMA versus
// computing time, for every integrator and for MuJoCo's RK4 in one process. The reference has 32
// digits. Prints the CPU time that each method needs for an error of 1e-6 rad, from a straight line
// through the points with errors of 1e-8 to 1e-4 rad in logarithmic scale. The measurements are
// short, in random order, and their medians are used, so that disturbances of the machine affect
// all methods.
//
//   dynamics_simulation_benchmark --benchmark_filter='abm|dop853|mujoco'

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "dynamics_core/readers.hpp"
#include "dynamics_core/simulate.hpp"
#include "dynamics_core/view.hpp"
#include "ode/make_integrator.hpp"
#include "ode/solve.hpp"
#include "papers/wide/wide_simulate.hpp"

#ifdef DYNAMICS_TEST_MUJOCO
#include "support/mujoco_model.hpp"
#endif

namespace dynamics {
namespace {

constexpr double duration = 2.0;

const Model& puma() {
  static const Model model = model_from_dh(built_in_robot("puma"));
  return model;
}

std::vector<double> end_of(const Recording& run) {
  std::vector<double> q;
  for (const Column& column : run.q) q.push_back(column.back());
  return q;
}

const std::vector<double>& reference() {
  static const std::vector<double> end = [] {
    SimulationOptions options;
    options.duration = options.sample = duration;
    options.integrator = "abm";
    options.rtol = 1e-25;
    return end_of(simulate_double_double(puma(), options));
  }();
  return end;
}

double error_of(const std::vector<double>& q) { return max_abs_difference(q, reference()); }

/// Times the run only: model, plant and integrator are created once, like MuJoCo's model and data.
void ours(benchmark::State& state, const std::string& integrator, double setting, bool fixed) {
  const auto plant = rigid_plant(puma());
  const std::vector<double> tau(puma().size(), 0.0), y0(2 * puma().size(), 0.0);
  const auto acceleration = [&](const double& t, std::span<const double> q,
                                std::span<const double> qd, std::span<double> qdd) {
    plant->accelerations(t, q, qd, tau, qdd);
  };
  const auto system = ode::System<double>::second_order(puma().size(), acceleration);
  ode::Options<double> options;
  if (fixed) {
    options.step = setting;
  } else {
    options.rtol = setting;
  }
  const auto method = ode::make_integrator<double>(integrator, system, options);
  ode::Solver<double> solver(*method);
  ode::RunPlan<double> plan;
  plan.end_time = duration;
  for (auto _ : state) {
    const auto outcome = solver.run(0.0, y0, plan);
    if (!outcome.ok()) state.SkipWithError(outcome.message().c_str());
  }
  const auto runs = static_cast<double>(state.iterations());
  const auto q = method->state().first(puma().size());
  state.counters["error"] = error_of({q.begin(), q.end()});
  state.counters["evaluations"] = static_cast<double>(method->statistics().evaluations) / runs;
}

#ifdef DYNAMICS_TEST_MUJOCO
void mujoco(benchmark::State& state, double step) {
  test::MujocoModel peer(puma().description(), puma().gravity());
  mjModel* model = peer.model();
  model->opt.integrator = mjINT_RK4;
  model->opt.timestep = step;
  model->opt.enableflags &= ~mjENBL_ENERGY;
  const auto order = peer.order(puma().coordinate_names());
  const int steps = static_cast<int>(std::lround(duration / step));
  std::vector<double> q(puma().size());
  for (auto _ : state) {
    mj_resetData(model, peer.data());
    for (int i = 0; i < steps; ++i) mj_step(model, peer.data());
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = peer.data()->qpos[order[i]];
    benchmark::DoNotOptimize(q.data());
  }
  state.counters["error"] = error_of(q);
  state.counters["evaluations"] = 4.0 * steps;
}
#endif

struct Point {
  double error, microseconds;
};

/// Console reporter that also stores error and median time of every method.
class Reporter : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    std::map<std::string, std::vector<Point>> found;
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) {
        if (run.aggregate_name == "median") shown_.push_back(run);
        continue;
      }
      if (run.repetitions < 2 || run.error_occurred) shown_.push_back(run);
      if (run.error_occurred) continue;
      found[run.benchmark_name()].push_back(
          {run.counters.at("error").value, run.GetAdjustedCPUTime()});
    }
    for (auto& [name, points] : found) {
      const auto middle = points.begin() + static_cast<std::ptrdiff_t>(points.size() / 2);
      std::nth_element(points.begin(), middle, points.end(), [](const Point& a, const Point& b) {
        return a.microseconds < b.microseconds;
      });
      methods_[name.substr(0, name.find('/'))].push_back(*middle);
    }
  }

  /// Prints in the order of registration, not of execution.
  void Finalize() override {
    std::stable_sort(shown_.begin(), shown_.end(),
                     [](const Run& a, const Run& b) { return a.family_index < b.family_index; });
    ConsoleReporter::ReportRuns(shown_);
    ConsoleReporter::Finalize();
  }

  void print_summary(double target) const {
    const double peer = methods_.count("mujoco-rk4") != 0
                            ? time_at(methods_.at("mujoco-rk4"), target)
                            : std::nan("");
    fmt::print("\nTime for an error of {:g} rad after {:g} s of the PUMA's free fall\n", target,
               duration);
    fmt::print("{:<22}{:>12}{:>24}\n", "method", "us", "MuJoCo's time / time");
    for (const auto& [name, points] : methods_) {
      const double time = time_at(points, target);
      fmt::print("{:<22}{:>12.1f}{:>24.1f}\n", name, time, peer / time);
    }
  }

 private:
  /// Time at `target` by a least-squares fit of the logarithms; NaN unless there are points on both
  /// sides.
  static double time_at(const std::vector<Point>& points, double target) {
    double n = 0.0, x1 = 0.0, y1 = 0.0, xx = 0.0, xy = 0.0;
    bool above = false, below = false;
    for (const Point& point : points) {
      const double x = std::log(point.error / target), y = std::log(point.microseconds);
      if (std::abs(x) > std::log(100.0)) continue;
      above = above || x >= 0.0;
      below = below || x <= 0.0;
      n += 1.0;
      x1 += x;
      y1 += y;
      xx += x * x;
      xy += x * y;
    }
    if (!above || !below) return std::nan("");
    const double slope = (n * xy - x1 * y1) / (n * xx - x1 * x1);
    return std::exp((y1 - slope * x1) / n);
  }

  std::vector<Run> shown_;
  std::map<std::string, std::vector<Point>> methods_;
};

const std::vector<double> fixed_steps = {0.04, 0.025, 0.02, 0.016, 0.01, 0.005};

void register_all() {
  for (const auto& known : ode::integrator_names()) {
    const std::string name(known.name);
    if (name == "semi_implicit_euler" || name == "implicit_midpoint" || name == "rosenbrock2")
      continue;  // too slow for this accuracy
    // settings around an error of 1e-6 rad
    std::vector<double> settings = {1e-5, 3e-6, 1e-6, 3e-7,  1e-7, 3e-8,
                                    1e-8, 3e-9, 1e-9, 3e-10, 1e-10};
    if (known.fixed_step) settings = fixed_steps;
    if (name == "gauss6") settings = {0.1, 0.08, 0.05, 0.04, 0.025};
    for (const double setting : settings) {
      const std::string what =
          fmt::format("{}/{}:{:g}", name, known.fixed_step ? "step" : "rtol", setting);
      benchmark::RegisterBenchmark(what.c_str(), [name, setting, fixed = known.fixed_step](
                                                     benchmark::State& state) {
        ours(state, name, setting, fixed);
      })->Unit(benchmark::kMicrosecond);
    }
  }
#ifdef DYNAMICS_TEST_MUJOCO
  for (const double step : fixed_steps) {
    benchmark::RegisterBenchmark(fmt::format("mujoco-rk4/step:{:g}", step).c_str(),
                                 [step](benchmark::State& state) { mujoco(state, step); })
        ->Unit(benchmark::kMicrosecond);
  }
#endif
}

}  // namespace
}  // namespace dynamics

int main(int argc, char** argv) {
  // options of the user come last and override these
  std::vector<std::string> words = {argv[0], "--benchmark_repetitions=9",
                                    "--benchmark_enable_random_interleaving=true",
                                    "--benchmark_min_time=0.01"};
  words.insert(words.end(), argv + 1, argv + argc);
  std::vector<char*> arguments;
  arguments.reserve(words.size());
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  dynamics::register_all();
  dynamics::Reporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  reporter.print_summary(1e-6);
  return 0;
}
