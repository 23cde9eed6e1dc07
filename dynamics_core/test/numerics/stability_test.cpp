// SPDX-License-Identifier: Apache-2.0
// Errors of forward dynamics for ill-conditioned inertia matrices: the recursive UDU^T algorithm
// (Saha 2003) and Cholesky decomposition of M, each compared with itself in 50 digits.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>

#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "dynamics_core/view.hpp"
#include "error_table.hpp"
#include "papers/formulations/linear_solve.hpp"
#include "rigid/recursions/forward_dynamics.hpp"
#include "rigid/recursions/inertia_matrix.hpp"
#include "rigid/recursions/inverse_dynamics.hpp"
#include "support/random_robot.hpp"
#include "support/small_robots.hpp"

namespace dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>,
                                           boost::multiprecision::et_off>;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

Eigen::Index idx(std::size_t i) { return static_cast<Eigen::Index>(i); }

kernel::BaseState<Wide> base_of(const Model& model) {
  kernel::BaseState<Wide> base;
  const Vector3d& g = model.gravity();
  base.acceleration = {Wide(-g.x()), Wide(-g.y()), Wide(-g.z())};
  return base;
}

std::vector<Wide> widened(const VectorXd& v) { return {v.begin(), v.end()}; }

VectorXd rounded(const std::vector<Wide>& v) {
  VectorXd result(idx(v.size()));
  for (std::size_t i = 0; i < v.size(); ++i) result[idx(i)] = static_cast<double>(v[i]);
  return result;
}

std::vector<Wide> wide_forward(const Model& model, const VectorXd& q, const VectorXd& qd,
                               const VectorXd& tau) {
  std::vector<Wide> qdd(model.size());
  std::vector<kernel::ForwardScratch<Wide>> scratch(model.size());
  kernel::forward_dynamics<Wide>(model.tree(), scratch.data(), base_of(model), nullptr,
                                 widened(q).data(), widened(qd).data(), widened(tau).data(),
                                 qdd.data());
  return qdd;
}

std::vector<Wide> wide_inverse(const Model& model, const VectorXd& q, const VectorXd& qd,
                               const std::vector<Wide>& qdd) {
  std::vector<Wide> tau(model.size());
  std::vector<kernel::InverseScratch<Wide>> scratch(model.size());
  kernel::inverse_dynamics<Wide>(model.tree(), scratch.data(), base_of(model), nullptr,
                                 widened(q).data(), widened(qd).data(), qdd.data(), tau.data());
  return tau;
}

std::vector<Wide> wide_cholesky(const Model& model, const VectorXd& q, const VectorXd& qd,
                                const VectorXd& tau) {
  const std::size_t n = model.size();
  formulations::MatrixX<Wide> M = formulations::MatrixX<Wide>::Zero(idx(n), idx(n));
  std::vector<kernel::CompositeScratch<Wide>> scratch(n);
  kernel::inertia_matrix<Wide>(model.tree(), scratch.data(), widened(q).data(),
                               [&](std::size_t i, std::size_t j, const Wide& value) {
                                 M(idx(i), idx(j)) = M(idx(j), idx(i)) = value;
                               });
  const std::vector<Wide> bias = wide_inverse(model, q, qd, std::vector<Wide>(n, Wide(0)));
  formulations::VectorX<Wide> right(idx(n)), x;
  for (std::size_t i = 0; i < n; ++i) right[idx(i)] = Wide(tau[idx(i)]) - bias[i];
  EXPECT_TRUE(formulations::solve_by_cholesky<Wide>(M, right, x));
  return {x.begin(), x.end()};
}

struct Measured {
  double condition = 0.0, scaled = 0.0;    ///< of M, and of M scaled to unit diagonal
  double recursive = 0.0, cholesky = 0.0;  ///< relative errors of qdd
  bool positive = true;                    ///< Cholesky found M positive definite
};

Measured measure(const Model& model, const VectorXd& q, const VectorXd& qd, const VectorXd& tau) {
  Workspace workspace(model);
  const auto n = idx(model.size());
  Measured result;
  VectorXd qdd(n), bias(n);
  const VectorXd exact = rounded(wide_forward(model, q, qd, tau));
  forward_dynamics(model, workspace, q, qd, tau, qdd);
  result.recursive = (qdd - exact).norm() / exact.norm();
  // the two algorithms round different constants of the model, so that each has its own reference
  const VectorXd exact_cholesky = rounded(wide_cholesky(model, q, qd, tau));
  MatrixXd M(n, n);
  inertia_matrix(model, workspace, q, M);
  bias_forces(model, workspace, q, qd, bias);
  const Eigen::LLT<MatrixXd> factor(M);
  result.positive = factor.info() == Eigen::Success;
  result.cholesky = (factor.solve(tau - bias) - exact_cholesky).norm() / exact_cholesky.norm();
  const auto condition = [](const MatrixXd& matrix) {
    const VectorXd values =
        Eigen::SelfAdjointEigenSolver<MatrixXd>(matrix, Eigen::EigenvaluesOnly).eigenvalues();
    return values[values.size() - 1] / std::max(values[0], 1e-300);
  };
  result.condition = condition(M);
  const VectorXd scale = M.diagonal().cwiseSqrt().cwiseInverse();
  result.scaled = condition(scale.asDiagonal() * M * scale.asDiagonal());
  return result;
}

/// Maxima over several random states.
Measured worst(const RobotDescription& robot, unsigned seed, int states) {
  const Model model(robot);
  test::RandomRobot random(seed);
  Measured all;
  for (int i = 0; i < states; ++i) {
    const VectorXd q = random.vector(model.size(), 3.0), qd = random.vector(model.size(), 1.0);
    const Measured one = measure(model, q, qd, random.vector(model.size(), 10.0));
    all.condition = max_propagating_nan(all.condition, one.condition);
    all.scaled = max_propagating_nan(all.scaled, one.scaled);
    all.recursive = max_propagating_nan(all.recursive, one.recursive);
    all.cholesky = max_propagating_nan(all.cholesky, one.cholesky);
    all.positive = all.positive && one.positive;
  }
  EXPECT_TRUE(std::isfinite(all.recursive));
  return all;
}

int states() { return test::sanitized ? 2 : 20; }

/// Rods of 1 m with alternating joint axes; the last one has the mass `load`.
RobotDescription rods(std::size_t count, double load) {
  test::RobotBuilder robot;
  std::string parent = "base";
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = "rod" + std::to_string(i);
    const double mass = i + 1 == count ? load : 1.0;
    const Pose origin{rotation_from_rpy({i % 2 == 0 ? 0.0 : 1.0, 0.0, 0.0}),
                      {i == 0 ? 0.0 : 1.0, 0.0, 0.0}};
    robot.add(JointType::continuous, "j" + std::to_string(i), parent, name, Vector3d::UnitZ(),
              test::body(mass, {0.5, 0, 0}, mass * Vector3d(1e-3, 0.084, 0.084)), origin);
    parent = name;
  }
  return robot;
}

void add_row(const std::string& robot, const Measured& m) {
  // if Cholesky fails, its error counts as 1
  test::ErrorTables::instance().add_row(
      "condition", robot, {fmt::format("{:.0e}", m.condition), fmt::format("{:.0e}", m.scaled)},
      {m.recursive, m.positive ? m.cholesky : 1.0});
}

TEST(Stability, ErrorFollowsScaledConditionForLoadAtTip) {
  for (int exponent = 0; exponent <= 12; exponent += 2) {
    const Measured m = worst(rods(6, std::pow(10.0, exponent)), 5, states());
    add_row(fmt::format("6 rods of 1 kg, the last 1e{} kg", exponent), m);
    EXPECT_LT(m.recursive, 10.0 * epsilon * m.scaled);
  }
}

TEST(Stability, LightWristLosesNoDigits) {
  for (int exponent = 2; exponent <= 12; exponent += 2) {
    RobotDescription robot = rods(6, 1.0);
    for (std::size_t i = 4; i < 7; ++i) {
      robot.links[i].inertial->mass *= std::pow(10.0, -exponent);
      robot.links[i].inertial->inertia *= std::pow(10.0, -exponent);
    }
    const Measured m = worst(robot, 6, states());
    add_row(fmt::format("6 rods, the last three of 1e-{} kg", exponent), m);
    // the condition of M comes from the scale of its rows; scaled to unit diagonal, no digit is
    // lost
    EXPECT_LT(m.recursive, 1e-13);
  }
}

TEST(Stability, LongChainsLoseNoDigits) {
  for (const std::size_t count : {10U, 30U, 100U, 300U}) {
    if (test::sanitized && count > 30) continue;
    const Measured m = worst(rods(count, 1.0), 7, count > 100 || test::sanitized ? 1 : 4);
    add_row(fmt::format("{} rods of 1 kg", count), m);
    // the condition number grows with the cube of the length, the error of the recursion does not
    EXPECT_LT(m.recursive, 1e-13);
  }
}

TEST(Stability, ErrorFollowsScaledConditionForNearlyCoincidentAxes) {
  // two parallel axes with almost no mass between them: M is nearly singular
  for (int exponent = 1; exponent <= 6; ++exponent) {
    const double distance = std::pow(10.0, -exponent);
    RobotDescription robot = rods(5, 1.0);
    robot.links[3].inertial = test::body(0.1 * distance, {0.5 * distance, 0, 0},
                                         Vector3d::Constant(0.1 * distance * distance));
    robot.joints[3].origin = {Eigen::Matrix3d::Identity(), {distance, 0.0, 0.0}};
    const Measured m = worst(robot, 8, states());
    add_row(fmt::format("5 rods, the third 1e-{} m and almost nothing", exponent), m);
    EXPECT_LT(m.recursive, 100.0 * epsilon * m.scaled);
  }
}

TEST(Stability, ReferencesAgree) {
  // different recursions in 50 digits: they differ by the rounding of the model's constants
  const Model model(rods(10, 1.0));
  test::RandomRobot random(9);
  const VectorXd q = random.vector(10, 3.0), qd = random.vector(10, 1.0);
  const VectorXd tau = random.vector(10, 10.0);
  const std::vector<Wide> qdd = wide_forward(model, q, qd, tau);
  const VectorXd accelerations = rounded(qdd);
  const VectorXd forces = rounded(wide_inverse(model, q, qd, qdd));
  Workspace workspace(model);
  VectorXd bias(10);
  bias_forces(model, workspace, q, qd, bias);
  EXPECT_LT((forces - tau).norm() / (bias.norm() + tau.norm()), 1e-14);
  const VectorXd other = rounded(wide_cholesky(model, q, qd, tau));
  EXPECT_LT((other - accelerations).norm() / accelerations.norm(), 1e-12);
}

TEST(Stability, ThousandRodsAreAccurateToRoundOff) {
  const Model model(rods(1000, 1.0));
  test::RandomRobot random(10);
  const VectorXd q = random.vector(1000, 3.0), qd = random.vector(1000, 1.0);
  const VectorXd tau = random.vector(1000, 10.0);
  const VectorXd exact = rounded(wide_forward(model, q, qd, tau));
  Workspace workspace(model);
  VectorXd qdd(1000);
  forward_dynamics(model, workspace, q, qd, tau, qdd);
  const double error = (qdd - exact).norm() / exact.norm();
  EXPECT_LT(error, 1e-13);
  test::ErrorTables::instance().add_row("scale", "1000 rods, forward dynamics against 50 digits",
                                        {}, {error});
}

}  // namespace
}  // namespace dynamics
