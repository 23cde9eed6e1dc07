// SPDX-License-Identifier: Apache-2.0
// Derivatives of mechanisms in independent coordinates, against the closed forms of four-bar and
// slider-crank and against differences of the dynamics.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>

#include "dynamics_core/closed_loops.hpp"
#include "loops/closed_forms.hpp"

namespace dynamics::test {
namespace {

/// df/dx by a central difference of eighth order; its error is below 1e-11 of the function here.
template <class Function>
double derivative(const Function& f, double x) {
  constexpr double h = 0.01;
  const auto pair = [&](int k) { return f(x + k * h) - f(x - k * h); };
  return (4.0 / 5.0 * pair(1) - 1.0 / 5.0 * pair(2) + 4.0 / 105.0 * pair(3) - pair(4) / 280.0) / h;
}

/// A state of a mechanism with one independent joint, from the closed forms.
struct State {
  std::vector<double> q, qd;
};

/// `torque`: the torque in closed form; `state`: of the joints.
template <class Torque, class StateOf>
void expect_derivatives(const Mechanism& mechanism, const Torque& torque, const StateOf& state,
                        double theta, double rate, double acceleration) {
  MechanismWorkspace workspace(mechanism);
  const State at = state(theta, rate);
  std::vector<double> qdd(at.q.size(), 0.0);
  qdd[0] = acceleration;
  Eigen::MatrixXd by_z(1, 1), by_zd(1, 1), M(1, 1);
  inverse_dynamics_derivatives(mechanism, workspace, at.q, at.qd, qdd, by_z, by_zd);
  const double expected_z =
      derivative([&](double x) { return torque(x, rate, acceleration); }, theta);
  const double expected_zd =
      derivative([&](double x) { return torque(theta, x, acceleration); }, rate);
  const double scale = 1.0 + std::abs(expected_z) + std::abs(expected_zd);
  EXPECT_NEAR(by_z(0, 0), expected_z, 1e-9 * scale);
  EXPECT_NEAR(by_zd(0, 0), expected_zd, 1e-9 * scale);

  // forward, with the torque that causes the acceleration
  std::vector<double> tau(at.q.size(), 0.0);
  tau[0] = torque(theta, rate, acceleration);
  Eigen::MatrixXd zdd_z(1, 1), zdd_zd(1, 1), zdd_tau(1, 1);
  forward_dynamics_derivatives(mechanism, workspace, at.q, at.qd, tau, zdd_z, zdd_zd, zdd_tau);
  inertia_matrix(mechanism, workspace, at.q, M);
  const double inertia = torque(theta, rate, 1.0) - torque(theta, rate, 0.0);
  EXPECT_NEAR(zdd_z(0, 0), -expected_z / inertia, 1e-9 * scale / inertia);
  EXPECT_NEAR(zdd_zd(0, 0), -expected_zd / inertia, 1e-9 * scale / inertia);
  EXPECT_NEAR(zdd_tau(0, 0), 1.0 / inertia, 1e-11 / inertia);
}

TEST(LoopDerivatives, MatchTheClosedFormOfTheFourBar) {
  const FourBar f;
  // without and with smooth friction of all joints, which the difference above can resolve
  ModelOptions options = in_plane;
  options.friction_velocity = 0.5;
  for (const double friction : {0.0, 0.3}) {
    const std::string more =
        friction > 0.0 ? R"(<dynamics damping="0.2" friction="0.3"/>)" : std::string();
    const Mechanism mechanism = mechanism_from_urdf(four_bar_urdf(f, "revolute", more), options);
    for (int k = 0; k < 12; ++k) {
      const double theta = 2.0 * std::numbers::pi * k / 12.0 + 0.1;
      for (const double elbow : {1.0, -1.0}) {
        const auto torque = [&](double x, double rate, double acceleration) {
          const FourBarAngles a = four_bar_angles(f, x, elbow);
          double sum = four_bar_dynamics(f, a).torque(rate, acceleration);
          if (friction == 0.0) return sum;
          for (const double ratio : {1.0, a.coupler.first - 1.0, a.rocker.first}) {
            const double v = ratio * rate;
            sum += ratio * v * (0.2 + 0.3 / std::sqrt(v * v + 0.25));
          }
          return sum;
        };
        const auto state = [&](double x, double rate) {
          const FourBarAngles a = four_bar_angles(f, x, elbow);
          return State{{x, a.coupler.value - x, a.rocker.value},
                       {rate, rate * (a.coupler.first - 1.0), rate * a.rocker.first}};
        };
        expect_derivatives(mechanism, torque, state, theta, 1.5 - 0.31 * k, 2.0 - 0.4 * k);
      }
    }
  }
}

TEST(LoopDerivatives, MatchTheClosedFormOfTheSliderCrank) {
  const SliderCrank s;
  const Mechanism mechanism = mechanism_from_urdf(slider_crank_urdf(s), in_plane);
  for (int k = 0; k < 24; ++k) {
    const auto torque = [&](double x, double rate, double acceleration) {
      return slider_crank_dynamics(s, slider_crank_position(s, x)).torque(rate, acceleration);
    };
    const auto state = [&](double x, double rate) {
      const SliderCrankPosition at = slider_crank_position(s, x);
      return State{{x, at.rod.value - x, at.pin.value.x()},
                   {rate, rate * (at.rod.first - 1.0), rate * at.pin.first.x()}};
    };
    expect_derivatives(mechanism, torque, state, 2.0 * std::numbers::pi * k / 24.0, 2.0 - 0.15 * k,
                       3.0 - 0.2 * k);
  }
}

/// Differences of inverse and forward dynamics of mechanisms with several independent joints.
void expect_differences(const Mechanism& mechanism) {
  MechanismWorkspace workspace(mechanism);
  const std::size_t n = mechanism.tree().size(), d = mechanism.size();
  const auto D = static_cast<Eigen::Index>(d);
  std::vector<double> z(d), zd(d), zdd(d), tau(n);
  for (std::size_t i = 0; i < d; ++i) {
    z[i] = mechanism.start()[mechanism.independent()[i]] + 0.02 * static_cast<double>(i) - 0.03;
    zd[i] = 0.3 - 0.1 * static_cast<double>(i);
    zdd[i] = 0.5 * static_cast<double>(i) - 0.7;
  }
  for (std::size_t i = 0; i < n; ++i) tau[i] = 1.0 - 0.2 * static_cast<double>(i % 7);
  struct Motion {
    std::vector<double> q, qd, qdd;
  };
  const auto motion = [&](const std::vector<double>& at, const std::vector<double>& rates) {
    Motion m{std::vector<double>(n), std::vector<double>(n, 0.0), std::vector<double>(n, 0.0)};
    for (std::size_t i = 0; i < d; ++i) {
      m.qd[mechanism.independent()[i]] = rates[i];
      m.qdd[mechanism.independent()[i]] = zdd[i];
    }
    close_loops(mechanism, workspace, mechanism.start(), at, m.q);
    close_velocities(mechanism, workspace, m.q, m.qd);
    close_accelerations(mechanism, workspace, m.q, m.qd, m.qdd);
    return m;
  };
  const auto torques = [&](const std::vector<double>& at, const std::vector<double>& rates) {
    const Motion m = motion(at, rates);
    Eigen::VectorXd result(D);
    inverse_dynamics(mechanism, workspace, m.q, m.qd, m.qdd, result);
    return result;
  };
  const auto accelerations = [&](const std::vector<double>& at, const std::vector<double>& rates) {
    const Motion m = motion(at, rates);
    std::vector<double> qdd(n);
    forward_dynamics(mechanism, workspace, m.q, m.qd, tau, qdd);
    Eigen::VectorXd result(D);
    for (std::size_t i = 0; i < d; ++i)
      result[static_cast<Eigen::Index>(i)] = qdd[mechanism.independent()[i]];
    return result;
  };
  const Motion at = motion(z, zd);
  Eigen::MatrixXd by_z(D, D), by_zd(D, D), zdd_z(D, D), zdd_zd(D, D), zdd_tau(D, D), M(D, D);
  inverse_dynamics_derivatives(mechanism, workspace, at.q, at.qd, at.qdd, by_z, by_zd);
  forward_dynamics_derivatives(mechanism, workspace, at.q, at.qd, tau, zdd_z, zdd_zd, zdd_tau);
  inertia_matrix(mechanism, workspace, at.q, M);
  EXPECT_LT((M * zdd_tau - Eigen::MatrixXd::Identity(D, D)).cwiseAbs().maxCoeff(), 1e-9);
  constexpr double h = 1e-4;
  for (std::size_t k = 0; k < d; ++k) {
    const auto at_k = [&](std::vector<double> x, double change) {
      x[k] += change;
      return x;
    };
    const Eigen::Index c = static_cast<Eigen::Index>(k);
    const auto expect = [&](const Eigen::MatrixXd& found, const Eigen::VectorXd& plus,
                            const Eigen::VectorXd& minus, const char* what) {
      const Eigen::VectorXd difference = (plus - minus) / (2.0 * h);
      EXPECT_LT((found.col(c) - difference).cwiseAbs().maxCoeff(),
                3e-6 * (1.0 + found.cwiseAbs().maxCoeff()))
          << what << " " << k;
    };
    expect(by_z, torques(at_k(z, h), zd), torques(at_k(z, -h), zd), "tau by z");
    expect(by_zd, torques(z, at_k(zd, h)), torques(z, at_k(zd, -h)), "tau by zd");
    expect(zdd_z, accelerations(at_k(z, h), zd), accelerations(at_k(z, -h), zd), "zdd by z");
    expect(zdd_zd, accelerations(z, at_k(zd, h)), accelerations(z, at_k(zd, -h)), "zdd by zd");
  }
}

TEST(LoopDerivatives, MatchDifferencesOfParallelRobots) {
  expect_differences(mechanism_from_urdf(three_rrr_urdf(), in_plane));
  expect_differences(mechanism_from_urdf(stewart_urdf({})));
}

TEST(LoopDerivatives, SingularPositionsAreReported) {
  // the slider is independent; the crank is at its dead center
  std::string urdf = slider_crank_urdf({});
  const std::string actuated = " actuated=\"true\"";
  urdf.erase(urdf.find(actuated), actuated.size());
  const std::string slider = R"(<joint name="s" type="prismatic")";
  urdf.insert(urdf.find(slider) + slider.size(), actuated);
  const Mechanism mechanism = mechanism_from_urdf(urdf, in_plane);
  MechanismWorkspace workspace(mechanism);
  const std::vector<double> q = {0.0, 0.0, SliderCrank().crank + SliderCrank().rod}, zero(3, 0.0);
  Eigen::MatrixXd by_z = Eigen::MatrixXd::Constant(1, 1, 7.0), by_zd = by_z;
  EXPECT_EQ(try_inverse_dynamics_derivatives(mechanism, workspace, q, zero, zero, by_z, by_zd),
            Status::singular_loop);
  EXPECT_EQ(by_z(0, 0), 7.0);  // nothing is written
}

}  // namespace
}  // namespace dynamics::test
