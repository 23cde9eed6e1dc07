// SPDX-License-Identifier: Apache-2.0
// Sampled controllers, compared with exact discrete-time solutions.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <vector>

#include "dynamics_core/readers.hpp"
#include "dynamics_core/simulate.hpp"
#include "dynamics_core/view.hpp"
#include "support/refusals.hpp"

namespace dynamics {
namespace {

using ::testing::HasSubstr;

/// A cart of 2 kg on a horizontal rail with viscous damping (N s/m).
Model cart(double damping) {
  return model_from_urdf(
      R"(<robot name="cart"><link name="base"/><link name="body"><inertial><mass value="2"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="rail" type="prismatic"><parent link="base"/><child link="body"/>
      <axis xyz="1 0 0"/><limit lower="-1000" upper="1000" effort="1e6" velocity="1e6"/>
      <dynamics damping=")" +
      std::to_string(damping) + R"("/></joint></robot>)");
}

constexpr double mass = 2.0;

/// State of the cart after time h under a constant force: exact.
struct CartState {
  double x, v;
  void advance(double h, double force, double damping) {
    if (damping == 0.0) {
      x += h * v + 0.5 * h * h * force / mass;
      v += h * force / mass;
      return;
    }
    const double decay = std::exp(-damping * h / mass), end = force / damping;
    const double reach = mass / damping * (1.0 - decay);
    x += reach * v + (h - reach) * end;
    v = decay * v + (1.0 - decay) * end;
  }
};

/// PD control at the rate 1/period with a delay shorter than the period: state at each k period.
std::vector<CartState> exact_run(double period, double delay, double kp, double kd, double damping,
                                 CartState state, std::size_t periods) {
  std::vector<CartState> states = {state};
  double force = 0.0;
  for (std::size_t k = 0; k < periods; ++k) {
    const double next = -kp * state.x - kd * state.v;
    state.advance(delay, force, damping);
    state.advance(period - delay, next, damping);
    force = next;
    states.push_back(state);
  }
  return states;
}

void expect_exact(double delay, double damping) {
  const double period = 0.02, kp = 180.0, kd = 24.0;
  constexpr std::size_t periods = 100;
  auto controller = make_controller("pd", {.gains = {.kp = {kp}, .kd = {kd}}});
  SimulationOptions options;
  options.duration = period * periods;
  options.sample = period;
  options.rtol = 1e-13;
  options.sampling = {.period = period, .delay = delay};
  options.q0 = {0.5};
  options.qd0 = {-1.0};
  options.trajectory = hold_trajectory({0.0});
  const Recording run = simulate(cart(damping), *controller, options);
  ASSERT_TRUE(run.statistics.completed);
  const auto exact = exact_run(period, delay, kp, kd, damping, {0.5, -1.0}, periods);
  ASSERT_EQ(run.size(), exact.size());
  double largest = 0.0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    largest = max_propagating_nan(largest, std::abs(run.q[0][k] - exact[k].x));
    largest = max_propagating_nan(largest, std::abs(run.qd[0][k] - exact[k].v));
  }
  EXPECT_LT(largest, 1e-10);
  EXPECT_LT(run.statistics.energy_drift, 1e-10);
}

TEST(SampledControl, PdOnADampedJointIsTheExactDiscreteSolution) { expect_exact(0.0, 3.0); }
TEST(SampledControl, DelayedPdIsTheExactDiscreteSolution) { expect_exact(0.007, 3.0); }
TEST(SampledControl, DelayOfADoubleIntegratorIsExact) { expect_exact(0.013, 0.0); }

TEST(SampledControl, DelaysLongerThanThePeriodKeepTheirOrder) {
  // the controller's output is the number of its period: the torque history is known
  double calls = 0.0;
  auto counter = function_controller(
      [&](const ControlInput&, std::span<double> tau) { tau[0] = calls += 1.0; });
  SimulationOptions options;
  options.duration = 1.0;
  options.sample = 0.05;
  options.sampling = {.period = 0.1, .delay = 0.23};
  const Recording run = simulate(cart(0.0), *counter, options);
  for (std::size_t k = 0; k < run.size(); ++k) {
    // torque of period j acts from 0.1 j + 0.23
    const double j = std::floor((run.t[k] - 0.23) / 0.1 + 1e-9);
    EXPECT_EQ(run.tau[0][k], run.t[k] < 0.23 ? 0.0 : j + 1.0) << run.t[k];
  }
}

/// Largest magnitude of the eigenvalues of one period; state x, v, held force.
double growth(double period, double delay, double kp, double kd) {
  Eigen::Matrix3d step;
  for (int column = 0; column < 3; ++column) {
    CartState state{column == 0 ? 1.0 : 0.0, column == 1 ? 1.0 : 0.0};
    const double held = column == 2 ? 1.0 : 0.0;
    const double next = -kp * state.x - kd * state.v;
    state.advance(delay, held, 0.0);
    state.advance(period - delay, next, 0.0);
    step.col(column) << state.x, state.v, next;
  }
  return step.eigenvalues().cwiseAbs().maxCoeff();
}

TEST(SampledControl, GainLimitOfADelayedDoubleIntegratorIsThatOfTheory) {
  const double period = 0.01, delay = 0.004, kp = 50.0;
  double stable = 1.0, unstable = 10.0 * mass / period;
  ASSERT_LT(growth(period, delay, kp, stable), 1.0);
  ASSERT_GT(growth(period, delay, kp, unstable), 1.0);
  while (unstable - stable > 1e-9) {
    const double middle = 0.5 * (stable + unstable);
    (growth(period, delay, kp, middle) < 1.0 ? stable : unstable) = middle;
  }
  const auto final_size = [&](double kd) {
    auto controller = make_controller("pd", {.gains = {.kp = {kp}, .kd = {kd}}});
    SimulationOptions options;
    options.duration = 150.0;
    options.sample = 150.0;
    options.sampling = {.period = period, .delay = delay};
    options.q0 = {1e-3};
    options.trajectory = hold_trajectory({0.0});
    const Recording run = simulate(cart(0.0), *controller, options);
    EXPECT_TRUE(run.statistics.completed);
    return std::abs(run.q[0].back()) + std::abs(run.qd[0].back());
  };
  // the start has the size 1e-3
  EXPECT_LT(final_size(0.999 * stable), 1e-4);
  EXPECT_GT(final_size(1.001 * stable), 1e-2);
}

TEST(SampledControl, SensorsAndActuatorsRoundToTheirResolution) {
  std::vector<double> seen_q, seen_qd;
  auto controller = function_controller([&](const ControlInput& now, std::span<double> tau) {
    seen_q.push_back(now.q[0]);
    seen_qd.push_back(now.qd[0]);
    tau[0] = 1.0 / 3.0;
  });
  SimulationOptions options;
  options.duration = 1.0;
  options.qd0 = {0.3};
  options.sampling = {.period = 0.05,
                      .position_resolution = 0.01,
                      .velocity_resolution = 0.02,
                      .torque_resolution = 0.25};
  const Recording run = simulate(cart(0.0), *controller, options);
  ASSERT_EQ(seen_q.size(), 20U);
  for (std::size_t k = 0; k < seen_q.size(); ++k) {
    const double t = 0.05 * static_cast<double>(k);
    const double x = 0.3 * t + 0.5 * 0.25 / mass * t * t, v = 0.3 + 0.25 / mass * t;
    EXPECT_NEAR(seen_q[k], 0.01 * std::round(x / 0.01), 1e-12) << k;
    EXPECT_NEAR(seen_qd[k], 0.02 * std::round(v / 0.02), 1e-12) << k;
  }
  EXPECT_EQ(run.tau[0].back(), 0.25);
}

TEST(SampledControl, RecordingIntervalDoesNotChangeTheMotion) {
  SimulationOptions options;
  options.duration = 1.0;
  options.sampling.period = 0.01;
  options.q0 = {0.2};
  options.trajectory = hold_trajectory({0.0});
  const auto end = [&](double sample) {
    options.sample = sample;
    auto controller = make_controller("pd", {.gains = {.kp = {100.0}, .kd = {10.0}}});
    return simulate(cart(1.0), *controller, options).q[0].back();
  };
  EXPECT_EQ(end(0.1), end(0.0037));
}

TEST(SampledControl, FixedStepsEndOnTheSamples) {
  SimulationOptions options;
  options.duration = 1.0;
  options.integrator = "rk4";
  options.step = 0.001;
  options.sampling.period = 0.01;
  options.q0 = {0.5};
  options.trajectory = hold_trajectory({0.0});
  auto controller = make_controller("pd", {.gains = {.kp = {180.0}, .kd = {24.0}}});
  const Recording run = simulate(cart(3.0), *controller, options);
  const auto exact = exact_run(0.01, 0.0, 180.0, 24.0, 3.0, {0.5, 0.0}, 100);
  for (std::size_t k = 0; k < run.size(); ++k) EXPECT_NEAR(run.q[0][k], exact[k].x, 1e-12);
  EXPECT_EQ(run.statistics.steps, 1000U);
}

TEST(SampledControl, RefusesSamplingThatDoesNotFit) {
  auto controller = make_controller("pd");
  const auto message = [&](const ControlSampling& sampling, double step = 0.0) {
    SimulationOptions options;
    options.sampling = sampling;
    if (step > 0.0) {
      options.integrator = "rk4";
      options.step = step;
    }
    return test::argument_error([&] { simulate(cart(0.0), *controller, options); });
  };
  EXPECT_THAT(message({.period = -1.0}), HasSubstr("sampling.period is -1"));
  EXPECT_THAT(message({.delay = 0.1}), HasSubstr("set sampling.period"));
  EXPECT_THAT(message({.period = 0.1, .delay = NAN}), HasSubstr("sampling.delay is nan"));
  EXPECT_THAT(message({.period = 20.0}), HasSubstr("at least 0.1 Hz"));
  EXPECT_THAT(message({.period = 1e-9}), HasSubstr("more than 1e9 control periods"));
  EXPECT_THAT(message({.period = 0.0015}, 0.001), HasSubstr("not a multiple of the integrator's"));
}

}  // namespace
}  // namespace dynamics
