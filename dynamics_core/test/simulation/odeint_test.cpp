// SPDX-License-Identifier: Apache-2.0
//
// Comparison with Boost.odeint: the same tableaux step by step, and independent methods at tight
// tolerance.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "simulation/problems.hpp"

// odeint causes warnings with our flags.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wuninitialized"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <boost/numeric/odeint/integrate/integrate_adaptive.hpp>
#include <boost/numeric/odeint/integrate/integrate_const.hpp>
#include <boost/numeric/odeint/stepper/adams_bashforth_moulton.hpp>
#include <boost/numeric/odeint/stepper/controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/generation.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>

namespace dynamics::ode {
namespace {

using namespace problems;
namespace odeint = boost::numeric::odeint;
using State = std::array<double, 4>;

const Arenstorf arenstorf;
const auto odeint_arenstorf = [](const State& y, State& dydt, double t) { arenstorf(t, y, dydt); };

State start() {
  const auto y = Arenstorf::start();
  return {y[0], y[1], y[2], y[3]};
}

TEST(Odeint, StepsMatchForSameTableaux) {
  const auto system = System<double>::first_order(4, arenstorf);
  const double h = 1e-3;
  State rk4 = start();
  State dopri5 = start();
  odeint::runge_kutta4<State> rk4_stepper;
  odeint::runge_kutta_dopri5<State> dopri5_stepper;
  auto ours_rk4 = make_fixed_step_integrator<double>("rk4", system, constant_step(h));
  auto ours_dopri5 = make_fixed_step_integrator<double>("dopri5", system, constant_step(h));
  std::vector<double> y_rk4 = Arenstorf::start();
  std::vector<double> y_dopri5 = Arenstorf::start();
  for (int i = 0; i < 100; ++i) {
    rk4_stepper.do_step(odeint_arenstorf, rk4, i * h, h);
    dopri5_stepper.do_step(odeint_arenstorf, dopri5, i * h, h);
    ASSERT_EQ(ours_rk4->step(i * h, h, y_rk4), Status::ok);
    ASSERT_EQ(ours_dopri5->step(i * h, h, y_dopri5), Status::ok);
  }
  EXPECT_GT(distance(y_rk4, Arenstorf::start()), 0.05);
  EXPECT_LT(distance(y_rk4, rk4), 1e-11);
  EXPECT_LT(distance(y_dopri5, dopri5), 1e-11);
  EXPECT_GT(distance(y_rk4, dopri5), 1e-10) << "the two methods should differ";
}

TEST(Odeint, ErrorControlledMethodsMatchFehlberg78) {
  const auto system = System<double>::first_order(4, arenstorf);
  const double end = 5.0;
  State reference = start();
  odeint::integrate_adaptive(
      odeint::make_controlled<odeint::runge_kutta_fehlberg78<State>>(1e-14, 1e-14),
      odeint_arenstorf, reference, 0.0, end, 1e-4);
  for (const char* name : {"rkf45", "dverk", "dopri5", "dop853", "abm", "gbs", "radau5"}) {
    const auto y = final_state(name, system, tolerance(1e-12), 0.0, Arenstorf::start(), end);
    EXPECT_LT(distance(y, reference), 1e-7) << name;
  }
}

TEST(Odeint, AdamsMatchesAdamsBashforthMoulton) {
  const Pendulum pendulum;
  using Pair = std::array<double, 2>;
  const auto right = [&](const Pair& y, Pair& dydt, double) {
    dydt[0] = y[1];
    dydt[1] = -std::sin(y[0]);
  };
  Pair reference{2.0, 0.0};
  odeint::adams_bashforth_moulton<8, Pair> stepper;
  odeint::integrate_const(stepper, right, reference, 0.0, 10.0, 0.001);
  const auto system = System<double>::second_order(1, pendulum);
  const auto y0 = Pendulum::start();
  const auto y = final_state("abm", system, tolerance(1e-13), 0.0, y0, 10.0);
  EXPECT_LT(distance(y, reference), 1e-9);
}

}  // namespace
}  // namespace dynamics::ode
#pragma GCC diagnostic pop
