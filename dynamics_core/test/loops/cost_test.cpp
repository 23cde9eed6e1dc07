// SPDX-License-Identifier: Apache-2.0
// The cost of forward dynamics of N four-bars, each carried by the coupler of the previous one, and
// that nothing is allocated. Times are measured by benchmark/loops_benchmark.cpp.

#include <gtest/gtest.h>

#include <cmath>

#include "dynamics_core/closed_loops.hpp"
#include "loops/mechanisms.hpp"
#include "support/allocation_counter.hpp"
#include "support/executed_instructions.hpp"

namespace dynamics::test {
namespace {

TEST(LoopCost, OperationsGrowLinearly) {
  std::vector<double> logs;
  std::vector<double> counts;
  for (const std::size_t n : {4U, 16U, 64U}) {
    const Mechanism mechanism = mechanism_from_urdf(four_bar_chain_urdf(n));
    MechanismWorkspace workspace(mechanism);
    std::vector<double> q(mechanism.start().begin(), mechanism.start().end()), qd(q.size(), 0.1),
        tau(q.size(), 0.0), qdd(q.size());
    project_on_loops(mechanism, workspace, q, qd);
    const auto count = executed([&] { forward_dynamics(mechanism, workspace, q, qd, tau, qdd); });
    if (!count) GTEST_SKIP() << "the processor's instructions cannot be counted here";
    const auto sum = static_cast<double>(count->additions + count->multiplications +
                                         count->divisions + count->square_roots);
    fmt::print("{} four-bars: {} operations\n", n, sum);
    counts.push_back(sum);
    logs.push_back(std::log(static_cast<double>(n)));
  }
  const double exponent = std::log(counts.back() / counts.front()) / (logs.back() - logs.front());
  fmt::print("exponent {:.3f}\n", exponent);
  EXPECT_GT(counts.front(), 1000.0);
  EXPECT_LE(exponent, 1.1);
}

TEST(LoopCost, NothingIsAllocated) {
  if (!allocation_counter::available()) GTEST_SKIP() << "allocations cannot be counted here";
  for (const std::string& urdf : {four_bar_urdf({}), stewart_urdf({}), three_rrr_urdf()}) {
    const Mechanism mechanism = mechanism_from_urdf(urdf);
    MechanismWorkspace workspace(mechanism);
    const std::size_t n = mechanism.tree().size();
    const auto d = static_cast<Eigen::Index>(mechanism.size());
    std::vector<double> q(mechanism.start().begin(), mechanism.start().end()), qd(n, 0.1),
        qdd(n, 0.2), tau(n, 0.3), z(mechanism.size()), torques(mechanism.actuated().size());
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = q[mechanism.independent()[i]] + 0.01;
    Eigen::MatrixXd M(d, d), C(d, d), B(d, d);
    Eigen::MatrixXd loads = Eigen::MatrixXd::Identity(static_cast<Eigen::Index>(q.size()), 3);
    std::vector<Wrench> cuts(mechanism.description().constraints.size()),
        joints(mechanism.tree().body_count());
    double error = 0.0;
    Energy energy;
    allocation_counter::start();
    Status status = try_close_loops(mechanism, workspace, q, z, q);
    if (status == Status::ok) status = try_project_on_loops(mechanism, workspace, q, qd);
    if (status == Status::ok) status = try_close_velocities(mechanism, workspace, q, qd);
    if (status == Status::ok) status = try_close_accelerations(mechanism, workspace, q, qd, qdd);
    if (status == Status::ok) status = try_loop_error(mechanism, workspace, q, error);
    if (status == Status::ok) status = try_forward_dynamics(mechanism, workspace, q, qd, tau, qdd);
    if (status == Status::ok) status = try_inverse_dynamics(mechanism, workspace, q, qd, qdd, z);
    if (status == Status::ok) status = try_actuator_torques(mechanism, workspace, q, z, torques);
    if (status == Status::ok) status = try_inertia_matrix(mechanism, workspace, q, M);
    if (status == Status::ok) status = try_coriolis_matrix(mechanism, workspace, q, qd, C);
    if (status == Status::ok) status = try_gravity_forces(mechanism, workspace, q, z);
    if (status == Status::ok)
      status = try_loop_wrenches(mechanism, workspace, q, qd, qdd, tau, cuts, joints);
    if (status == Status::ok) status = try_energy(mechanism, workspace, q, qd, energy);
    if (status == Status::ok) status = try_solve_inertia(mechanism, workspace, q, loads, loads);
    if (status == Status::ok)
      status = try_inverse_dynamics_derivatives(mechanism, workspace, q, qd, qdd, M, C);
    if (status == Status::ok)
      status = try_forward_dynamics_derivatives(mechanism, workspace, q, qd, tau, M, C, B);
    const std::size_t allocations = allocation_counter::stop();
    EXPECT_EQ(status, Status::ok);
    EXPECT_EQ(allocations, 0U);
  }
}

TEST(LoopStatus, IsReturnedForBadArguments) {
  const Mechanism mechanism = mechanism_from_urdf(four_bar_urdf({}));
  MechanismWorkspace workspace(mechanism);
  std::vector<double> q(mechanism.start().begin(), mechanism.start().end()), zero(3, 0.0), qdd(3);
  const std::vector<double> open = {0.1, 0.2, 0.3}, short_one = {0.1};
  const std::vector<double> bad = {0.1, std::nan(""), 0.3};
  EXPECT_EQ(try_forward_dynamics(mechanism, workspace, open, zero, zero, qdd), Status::not_closed);
  EXPECT_EQ(try_forward_dynamics(mechanism, workspace, q, short_one, zero, qdd),
            Status::wrong_size);
  EXPECT_EQ(try_forward_dynamics(mechanism, workspace, q, zero, bad, qdd), Status::not_finite);
  const Mechanism other = mechanism_from_urdf(stewart_urdf({}));
  MechanismWorkspace others(other);
  EXPECT_EQ(try_forward_dynamics(mechanism, others, q, zero, zero, qdd), Status::wrong_workspace);
  EXPECT_THROW(forward_dynamics(mechanism, workspace, open, zero, zero, qdd), StateError);
}

}  // namespace
}  // namespace dynamics::test
