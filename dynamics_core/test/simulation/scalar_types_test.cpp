// SPDX-License-Identifier: Apache-2.0
//
// The integrators with other scalar types: wide reals and dual numbers.
#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "simulation/problems.hpp"

namespace dynamics::ode {
namespace {

using boost::multiprecision::cpp_bin_float_50;
using boost::multiprecision::cpp_bin_float_quad;
using Wide = cpp_bin_float_50;
using problems::Kepler;

template <class Real>
Real largest_error(std::span<const Real> y, const std::vector<Real>& exact) {
  Real largest(0);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const Real difference = y[i] - exact[i];
    largest = larger(largest, absolute(difference));
  }
  return largest;
}

template <class Real>
Real kepler_error(std::string_view name, const Options<Real>& options, const Real& end,
                  Statistics* statistics = nullptr) {
  const Kepler<Real> kepler;
  const auto system = System<Real>::second_order(2, kepler);
  auto integrator = make_integrator<Real>(name, system, options);
  Solver<Real> solver(*integrator);
  RunPlan<Real> run;
  run.end_time = end;
  const auto y0 = Kepler<Real>::start();
  const auto outcome = solver.run(Real(0), y0, run);
  EXPECT_TRUE(outcome.ok()) << outcome.message();
  if (statistics != nullptr) *statistics = integrator->statistics();
  return largest_error<Real>(integrator->state(), Kepler<Real>::exact(end));
}

TEST(WideReals, ExtrapolationReachesTwentyFiveDigitsAndMoreOnKepler) {
  Options<Wide> options;
  options.rtol = Wide("1e-28");
  Statistics statistics;
  EXPECT_LT(kepler_error<Wide>("gbs", options, Wide(6), &statistics), Wide("1e-25"));
  EXPECT_LT(statistics.steps, 200u);
  options.rtol = Wide("1e-42");
  EXPECT_LT(kepler_error<Wide>("gbs", options, Wide(6)), Wide("1e-39"));
}

TEST(WideReals, Dop853ReachesTwentyTwoDigitsOnKepler) {
  Options<cpp_bin_float_quad> options;
  options.rtol = cpp_bin_float_quad("1e-24");
  EXPECT_LT(kepler_error<cpp_bin_float_quad>("dop853", options, cpp_bin_float_quad(2)),
            cpp_bin_float_quad("1e-22"));
}

TEST(WideReals, EveryErrorControlledMethodBeatsDouble) {
  using Quad = cpp_bin_float_quad;
  for (const char* name : {"rkf45", "dverk", "dopri5", "dop853", "abm", "gbs", "radau5"}) {
    Options<Quad> options;
    const bool low_order = std::string_view(name) == "radau5" ||
                           std::string_view(name) == "rkf45" || std::string_view(name) == "dopri5";
    options.rtol = low_order ? Quad("1e-13") : Quad("1e-19");
    const Quad error = kepler_error<Quad>(name, options, Quad(1));
    EXPECT_LT(error, options.rtol * Quad(1000)) << name;
    EXPECT_GT(error, Quad("1e-33")) << name;
  }
}

TEST(WideReals, RejectsToleranceBelowRoundOff) {
  const Kepler<Wide> kepler;
  const auto system = System<Wide>::second_order(2, kepler);
  Options<Wide> options;
  options.rtol = Wide("1e-50");
  EXPECT_THROW(make_integrator<Wide>("gbs", system, options), ArgumentError);
}

/// Observed order from two steps.
double observed(const Wide& coarse, const Wide& fine, double ratio) {
  return std::log(static_cast<double>(Wide(coarse / fine))) / std::log(ratio);
}

struct Orders {
  const char* name;
  int order;
  int dense_local_order;  // of the local error of the dense output
};
// A method of order p has a local error of O(h^(p+1)). The dense output of DOP853 is of order 7.
constexpr Orders orders[] = {{"rk4", 4, 5},    {"rkf45", 5, 6},  {"dverk", 6, 7},
                             {"dopri5", 5, 5}, {"dop853", 8, 8}, {"implicit_midpoint", 2, 3},
                             {"gauss4", 4, 5}, {"gauss6", 6, 7}, {"rosenbrock2", 2, 3}};

TEST(WideReals, ObservedOrdersMatch) {
  for (const Orders& what : orders) {
    const auto error = [&](int steps) {
      Options<Wide> options;
      options.fixed_step = true;
      options.step = Wide(Wide(1) / Wide(steps));
      return kepler_error<Wide>(what.name, options, Wide(1));
    };
    EXPECT_NEAR(observed(error(100), error(200), 2.0), what.order, 0.25) << what.name;
  }
}

TEST(WideReals, ObservedOrdersOfDenseOutputMatch) {
  for (const Orders& what : orders) {
    const Kepler<Wide> kepler;
    const auto system = System<Wide>::second_order(2, kepler);
    const auto error = [&](int steps) {
      Options<Wide> options;
      options.fixed_step = true;
      options.step = Wide(Wide(1) / Wide(steps));
      const Wide start = Wide(7) / Wide(10);
      auto integrator = make_integrator<Wide>(what.name, system, options);
      integrator->start(start, Kepler<Wide>::exact(start));
      EXPECT_EQ(integrator->advance(Wide(10)), Status::ok);
      Wide worst(0);
      std::vector<Wide> y(4);
      for (const int tenth : {1, 3, 5, 6, 8, 9}) {
        const Wide t = start + *options.step * Wide(tenth) / Wide(10);
        integrator->interpolate(t, y);
        worst = larger(worst, largest_error<Wide>(y, Kepler<Wide>::exact(t)));
      }
      return worst;
    };
    EXPECT_NEAR(observed(error(50), error(100), 2.0), what.dense_local_order, 0.15) << what.name;
  }
}

/// Value and derivative with respect to one parameter.
struct Dual {
  double value = 0.0;
  double slope = 0.0;
  Dual() = default;
  Dual(double v) : value(v) {}  // NOLINT(google-explicit-constructor): constants are duals
  Dual(double v, double s) : value(v), slope(s) {}
  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  friend Dual operator+(const Dual& a, const Dual& b) {
    return {a.value + b.value, a.slope + b.slope};
  }
  friend Dual operator-(const Dual& a, const Dual& b) {
    return {a.value - b.value, a.slope - b.slope};
  }
  friend Dual operator-(const Dual& a) { return {-a.value, -a.slope}; }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.value * b.slope + a.slope * b.value};
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    return {a.value / b.value, (a.slope * b.value - a.value * b.slope) / (b.value * b.value)};
  }
};

}  // namespace

template <>
struct ScalarTraits<Dual> {
  using Real = double;
  static double magnitude(const Dual& x) { return std::max(std::abs(x.value), std::abs(x.slope)); }
};

namespace {

TEST(DualNumbers, DifferentiateSolutionWithRespectToParameter) {
  // q'' = -w^2 q, q(0) = 1: q = cos(w t), dq/dw = -t sin(w t).
  const Dual stiffness = Dual(3.0, 1.0) * Dual(3.0, 1.0);
  const auto oscillator = [&](const double&, std::span<const Dual> q, std::span<const Dual>,
                              std::span<Dual> qdd) { qdd[0] = -stiffness * q[0]; };
  const auto system = System<Dual>::second_order(1, oscillator);
  for (const auto& name : integrator_names()) {
    Options<double> options;
    options.rtol = 1e-11;
    if (name.fixed_step) options.step = 1e-3;
    auto integrator = make_integrator<Dual>(name.name, system, options);
    Solver<Dual> solver(*integrator);
    RunPlan<Dual> run;
    run.end_time = 2.0;
    const std::vector<Dual> y0{Dual(1.0), Dual(0.0)};
    ASSERT_TRUE(solver.run(0.0, y0, run).ok()) << name.name;
    const double allowed = name.name == "semi_implicit_euler" ? 3e-2
                           : name.name == "implicit_midpoint" ? 2e-5
                           : name.name == "rosenbrock2"       ? 2e-5
                           : name.name == "rk4"               ? 1e-9
                           : name.name == "radau5"            ? 1e-7
                                                              : 2e-9;
    EXPECT_NEAR(integrator->state()[0].value, std::cos(6.0), allowed) << name.name;
    EXPECT_NEAR(integrator->state()[0].slope, -2.0 * std::sin(6.0), allowed) << name.name;
  }
}

}  // namespace
}  // namespace dynamics::ode
