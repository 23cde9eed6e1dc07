// SPDX-License-Identifier: Apache-2.0
// The papers' simulations: comparison with double-double references, conservation of energy, and
// tracking of the desired trajectories in the forced scenario.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "dynamics_core/integrators.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/simulate.hpp"
#include "dynamics_core/view.hpp"
#include "papers/wide/wide_simulate.hpp"

namespace dynamics {
namespace {

SimulationOptions start_of(const std::string& robot) {
  const DhTable table = built_in_robot(robot);
  SimulationOptions options;
  options.q0 = table.q0;
  options.qd0 = table.qd0;
  return options;
}

SimulationOptions forced(const std::string& robot) {
  SimulationOptions options = start_of(robot);
  options.scenario = Scenario::forced;
  options.trajectory = forced_trajectory(*built_in_robot(robot).forced, options.q0);
  return options;
}

Recording run(const std::string& robot, const SimulationOptions& options) {
  Recording result = simulate(model_from_dh(built_in_robot(robot)), options);
  EXPECT_TRUE(result.statistics.completed) << robot << ": " << result.statistics.ending;
  return result;
}

Recording run_double_double(const std::string& robot, const SimulationOptions& options) {
  Recording result = simulate_double_double(model_from_dh(built_in_robot(robot)), options);
  EXPECT_TRUE(result.statistics.completed) << robot << ": " << result.statistics.ending;
  return result;
}

/// Largest absolute difference; NaN if the sizes differ.
double largest_difference(const std::vector<Column>& a, const std::vector<Column>& b) {
  double largest = a.size() == b.size() ? 0.0 : std::nan("");
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = max_propagating_nan(largest, max_abs_difference(a[i], b[i]));
  return largest;
}

/// Reference: free fall with 32 digits.
Recording reference(const std::string& robot, double duration, double sample) {
  SimulationOptions options = start_of(robot);
  options.duration = duration;
  options.sample = sample;
  options.integrator = "abm";
  options.rtol = 1e-25;
  return run_double_double(robot, options);
}

TEST(PapersSimulations, FreeFallMatchesDoubleDoubleReference) {
  for (const char* robot : {"puma", "stanford"}) {
    const Recording exact = reference(robot, 2.0, 0.02);
    // the reference itself, confirmed by another method
    SimulationOptions options = start_of(robot);
    options.duration = 2.0;
    options.sample = 0.5;
    options.integrator = "gbs";
    options.rtol = 1e-22;
    const Recording other = run_double_double(robot, options);
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t k = 0; k < other.size(); ++k)
        EXPECT_NEAR(other.q[i][k], exact.q[i][25 * k], 1e-14) << robot;
    }

    options = start_of(robot);
    options.duration = 2.0;
    options.sample = 0.02;
    options.rtol = 1e-11;
    for (const char* integrator : {"dop853", "dverk", "abm", "gbs"}) {
      options.integrator = integrator;
      const Recording ours = run(robot, options);
      EXPECT_LT(largest_difference(ours.q, exact.q), 1e-7) << robot << integrator;
    }
  }
}

TEST(PapersSimulations, AdaptiveFreeFallConservesEnergyForTenSeconds) {
  for (const char* robot : {"puma", "stanford"}) {
    SimulationOptions options = start_of(robot);
    options.rtol = 1e-12;
    EXPECT_LT(run(robot, options).statistics.energy_drift, 1e-10) << robot;
  }
}

TEST(PapersSimulations, EnergyOfGauss4DoesNotDriftInThousandSeconds) {
  struct Case {
    const char* robot;
    double step, bound, drift;
  };
  for (const Case& what : {Case{"puma", 0.01, 1e-7, 3e-8}, Case{"planar3", 0.002, 1e-4, 1e-5}}) {
    SimulationOptions options = start_of(what.robot);
    options.duration = 1000.0;
    options.integrator = "gauss4";
    options.step = what.step;
    options.sample = 0.1;
    const Recording fall = run(what.robot, options);
    EXPECT_LT(fall.statistics.energy_drift, what.bound) << what.robot;
    // compare the means over the first and the last tenth
    const auto tenth = static_cast<std::ptrdiff_t>(fall.size() / 10);
    const Column& drift = fall.energy_drift;
    const auto mean = [&](auto from) {
      return std::accumulate(from, from + tenth, 0.0) / static_cast<double>(tenth);
    };
    EXPECT_LT(std::abs(mean(drift.end() - tenth) - mean(drift.begin())), what.drift) << what.robot;
  }
}

TEST(PapersSimulations, ForcedPumaFollowsTrajectoryToTheEnd) {
  // in Saha 2003, section 4, it departs from the trajectory after about 6 s
  SimulationOptions options = forced("puma");
  options.rtol = 1e-13;
  const Recording tracked = run("puma", options);
  EXPECT_EQ(tracked.t.back(), 10.0);
  EXPECT_LT(largest_difference(tracked.q, tracked.desired), 1e-6);
}

TEST(PapersSimulations, ForcedStanfordFollowsTrajectoryBeyondSixSeconds) {
  // in Saha 2003, section 4, it departs from the trajectory after about 2.5 s
  SimulationOptions options = forced("stanford");
  options.duration = 6.01;
  options.rtol = 3e-15;
  options.integrator = "abm";
  const Recording tracked = run("stanford", options);
  EXPECT_LT(largest_difference(tracked.q, tracked.desired), 1e-3);

  // in double-double up to 10 s, by two methods
  options.duration = 10.0;
  options.sample = 0.25;
  for (const auto& [integrator, rtol] : {std::pair("abm", 1e-25), std::pair("dop853", 1e-20)}) {
    options.integrator = integrator;
    options.rtol = rtol;
    const Recording complete = run_double_double("stanford", options);
    EXPECT_EQ(complete.t.back(), 10.0);
    EXPECT_LT(largest_difference(complete.q, complete.desired), 1e-3) << integrator;
  }
}

TEST(PapersSimulations, FixedStepMethodsHaveTheirOrder) {
  // PUMA in free fall for 0.5 s, error against the reference when the step is halved
  struct Case {
    const char* name;
    double order, step;
  };
  const Recording exact = reference("puma", 0.5, 0.5);
  for (const Case& what :
       {Case{"rk4", 4, 0.005}, Case{"rkf45", 5, 0.01}, Case{"dopri5", 5, 0.01},
        Case{"dverk", 6, 0.02}, Case{"dop853", 8, 0.0625}, Case{"semi_implicit_euler", 1, 0.0005},
        Case{"implicit_midpoint", 2, 0.002}, Case{"gauss4", 4, 0.01}, Case{"gauss6", 6, 0.02}}) {
    const auto error = [&](double step) {
      SimulationOptions options = start_of("puma");
      options.duration = options.sample = 0.5;
      options.integrator = what.name;
      options.step = step;
      return largest_difference(run("puma", options).q, exact.q);
    };
    const double order = std::log2(error(what.step) / error(0.5 * what.step));
    EXPECT_NEAR(order, what.order, 0.35) << what.name;
  }
}

TEST(PapersSimulations, ErrorFollowsToleranceForAdaptiveMethods) {
  const Recording exact = reference("puma", 1.0, 0.1);
  for (const auto& known : ode::integrator_names()) {
    if (known.fixed_step) continue;
    double before = 1.0;
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
      SimulationOptions options = start_of("puma");
      options.duration = 1.0;
      options.sample = 0.1;
      options.integrator = std::string(known.name);
      options.rtol = rtol;
      const double error = largest_difference(run("puma", options).q, exact.q);
      EXPECT_LT(error, 300.0 * rtol) << known.name << " " << rtol;
      EXPECT_LT(error, 0.2 * before) << known.name << " " << rtol;
      before = error;
    }
  }
}

TEST(PapersSimulations, DoubleDoubleRejectsUnsupportedOptions) {
  SimulationOptions options = start_of("puma");
  const Model puma = model_from_dh(built_in_robot("puma"));
  options.limits = true;
  EXPECT_THROW(simulate_double_double(puma, options), ArgumentError);
  options.limits = false;
  options.rtol = 1e-31;
  EXPECT_THROW(simulate_double_double(puma, options), ArgumentError);
}

}  // namespace
}  // namespace dynamics
