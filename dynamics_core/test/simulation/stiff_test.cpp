// SPDX-License-Identifier: Apache-2.0
//
// Radau5 on stiff problems, compared with the reference solutions of the Test Set for IVP Solvers
// (Mazzia, Magherini) and of Hairer and Wanner, Solving ODEs II, section IV.10.
#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <vector>

#include "dynamics_core/view.hpp"
#include "simulation/problems.hpp"

namespace dynamics::ode {
namespace {

using namespace problems;

const auto van_der_pol = [](const double&, std::span<const double> y, std::span<double> dydt) {
  dydt[0] = y[1];
  dydt[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) * 1e6;
};

const auto robertson = [](const double&, std::span<const double> y, std::span<double> dydt) {
  dydt[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
  dydt[2] = 3e7 * y[1] * y[1];
  dydt[1] = -dydt[0] - dydt[2];
};

const auto robertson_jacobian = [](const double&, std::span<const double> y, std::span<double> j) {
  j[0] = -0.04;
  j[1] = 1e4 * y[2];
  j[2] = 1e4 * y[1];
  j[6] = 0.0;
  j[7] = 6e7 * y[1];
  j[8] = 0.0;
  for (std::size_t i = 0; i < 3; ++i) j[3 + i] = -j[i] - j[6 + i];
};

TEST(Radau5, SolvesStiffVanDerPol) {
  const auto system = System<double>::first_order(2, van_der_pol);
  const std::vector<double> y0{2.0, -0.66};
  Statistics statistics;
  const auto first = final_state("radau5", system, tolerance(1e-9), 0.0, y0, 1.0, &statistics);
  EXPECT_NEAR(first[0], -1.863646254808130, 1e-6);
  EXPECT_NEAR(first[1], 0.7535430865435460, 1e-6);
  const auto second = final_state("radau5", system, tolerance(1e-9), 0.0, y0, 2.0, &statistics);
  EXPECT_NEAR(second[0], 1.706167732170456, 1e-6);
  EXPECT_NEAR(second[1], -0.8928097010248257, 1e-6);
  EXPECT_LT(statistics.evaluations, 30000u);
  EXPECT_GT(statistics.jacobians, 0u);
  EXPECT_GT(statistics.decompositions, 0u);
  EXPECT_GT(statistics.linear_solves, statistics.steps);
}

TEST(Radau5, SolvesRobertsonUpTo1e11Seconds) {
  const std::vector<double> y0{1.0, 0.0, 0.0};
  Options<double> options;
  options.rtol = 1e-9;
  options.atol_each = {1e-14, 1e-18, 1e-14};
  const auto plain = System<double>::first_order(3, robertson);
  auto with = plain;
  with.with_jacobian(robertson_jacobian);
  for (const auto& system : {plain, with}) {
    Statistics statistics;
    const auto at_40 = final_state("radau5", system, options, 0.0, y0, 40.0, &statistics);
    EXPECT_NEAR(at_40[0], 0.7158270688, 1e-8);
    EXPECT_NEAR(at_40[1], 0.9185534764e-5, 1e-13);
    EXPECT_NEAR(at_40[2], 0.2841637457, 1e-8);
    const auto late = final_state("radau5", system, options, 0.0, y0, 1e11, &statistics);
    EXPECT_NEAR(late[0] / 0.2083340149701255e-7, 1.0, 1e-5);
    EXPECT_NEAR(late[1] / 0.8333360770334713e-13, 1.0, 1e-5);
    EXPECT_NEAR(late[2], 0.9999999791665050, 1e-9);
    EXPECT_LT(statistics.steps, 2000u);
  }
}

TEST(Radau5, ErrorFollowsMappedToleranceUnderOrderReduction) {
  // Prothero and Robinson: y' = -1e6 (y - cos t) - sin t, y = cos t.
  const auto stiff = [](const double& t, std::span<const double> y, std::span<double> dydt) {
    dydt[0] = -1e6 * (y[0] - std::cos(t)) - std::sin(t);
  };
  const auto system = System<double>::first_order(1, stiff);
  const std::vector<double> y0{1.0};
  for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
    Statistics statistics;
    const auto y = final_state("radau5", system, tolerance(rtol), 0.0, y0, 10.0, &statistics);
    EXPECT_NEAR(y[0], std::cos(10.0), std::pow(rtol, 2.0 / 3.0));
    EXPECT_LT(statistics.steps, 3000u);
  }
}

TEST(Radau5, WorksWithFiftyDigits) {
  using Wide = boost::multiprecision::cpp_bin_float_50;
  const auto decay = [](const Wide& t, std::span<const Wide> y, std::span<Wide> dydt) {
    const Wide target = cos(t);
    dydt[0] = Wide(-1e6) * (y[0] - target) - sin(t);
  };
  const auto system = System<Wide>::first_order(1, decay);
  Options<Wide> options;
  options.rtol = Wide("1e-16");
  auto integrator = make_integrator<Wide>("radau5", system, options);
  Solver<Wide> solver(*integrator);
  RunPlan<Wide> plan;
  plan.end_time = Wide(1);
  const std::vector<Wide> y0{Wide(1)};
  ASSERT_TRUE(solver.run(Wide(0), y0, plan).ok());
  EXPECT_LT(abs(Wide(integrator->state()[0] - cos(Wide(1)))), Wide("2e-11"));
}

TEST(Radau5, DenseOutputHasOrderThree) {
  const Kepler<double> kepler;
  const auto system = System<double>::second_order(2, kepler);
  std::vector<double> errors;
  for (const double h : {4e-3, 2e-3}) {
    Options<double> options;
    options.rtol = 1e-11;  // for the Newton iteration; the steps themselves are far better
    options.step = h;
    auto integrator = make_integrator<double>("radau5", system, options);
    const auto start = Kepler<double>::exact(0.7);
    integrator->start(0.7, start);
    ASSERT_EQ(integrator->advance(5.0), Status::ok);
    ASSERT_NEAR(integrator->time(), 0.7 + h, 1e-15);
    std::vector<double> y(4);
    errors.push_back(0.0);
    for (const double theta : {0.1, 0.3, 0.5, 0.8, 0.9}) {
      integrator->interpolate(0.7 + theta * h, y);
      errors.back() =
          max_propagating_nan(errors.back(), distance(y, Kepler<double>::exact(0.7 + theta * h)));
    }
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 4.0, 0.6);
}

TEST(Rosenbrock2, IsStableAndOfOrderTwoForStiffDecay) {
  // y' = -1e6 (y - cos t), from y = 1: steps of 1e-2 are 1e4 times the time constant
  const auto stiff = [](const double& t, std::span<const double> y, std::span<double> dydt) {
    dydt[0] = -1e6 * (y[0] - std::cos(t));
  };
  const auto system = System<double>::first_order(1, stiff);
  const std::vector<double> y0{1.0};
  Options<double> options;
  options.step = 0.01;
  EXPECT_NEAR(final_state("rosenbrock2", system, options, 0.0, y0, 3.0)[0], std::cos(3.0), 1e-2);
  // an oscillator with a stiff damper, whose implicit solver has the damper alone
  const double damping = 1e5;
  const auto oscillator = [&](const double& t, std::span<const double> q,
                              std::span<const double> qd, std::span<double> qdd) {
    qdd[0] = -damping * (qd[0] + std::sin(t)) - std::cos(t) - (q[0] - std::cos(t));
  };
  double factor = 0.0, shift = 0.0;
  const auto prepare = [&](const double&, std::span<const double>, const double& c) {
    factor = 1.0 / (1.0 + c * damping);
    shift = c;
    return true;
  };
  const auto solve = [&](std::span<double> r) {
    r[1] *= factor;
    r[0] += shift * r[1];
  };
  auto damped = System<double>::second_order(1, oscillator);
  damped.with_implicit_solver({prepare, solve});
  const std::vector<double> start{1.0, 0.0};  // the solution is q = cos t
  std::vector<double> errors;
  for (const double h : {0.02, 0.01}) {
    options.step = h;
    const auto end = final_state("rosenbrock2", damped, options, 0.0, start, 3.0);
    errors.push_back(std::abs(end[0] - std::cos(3.0)));
  }
  EXPECT_LT(errors[1], 1e-3);
  EXPECT_GT(errors[0] / errors[1], 1.9);
}

TEST(SmallLu, SolvesRealAndComplexSystemsAndDetectsSingularMatrices) {
  SmallLu<double> lu(3);
  lu.matrix() = {0.0, 2.0, 1.0, 1.0, 0.0, 3.0, 4.0, 1.0, 0.0};
  ASSERT_TRUE(lu.decompose());
  std::vector<double> b{7.0, 10.0, 6.0};  // times (1, 2, 3)
  lu.solve(b);
  EXPECT_NEAR(b[0], 1.0, 1e-14);
  EXPECT_NEAR(b[1], 2.0, 1e-14);
  EXPECT_NEAR(b[2], 3.0, 1e-14);
  lu.matrix() = {1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 1.0, 1.0, 1.0};
  EXPECT_FALSE(lu.decompose());
  SmallLu<Complex<double>> complex(1);
  complex.matrix() = {{0.0, 2.0}};
  ASSERT_TRUE(complex.decompose());
  std::vector<Complex<double>> z{{2.0, 4.0}};
  complex.solve(z);
  EXPECT_EQ(z[0].re, 2.0);
  EXPECT_EQ(z[0].im, -1.0);
}

}  // namespace
}  // namespace dynamics::ode
