// SPDX-License-Identifier: Apache-2.0
// The recursions themselves: sines of several joints at a time, minimal against complete inertial
// parameters, long chains against the same recursion in wider reals.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "dynamics_core/view.hpp"
#include "rigid/recursions/forward_dynamics.hpp"
#include "rigid/recursions/inverse_dynamics.hpp"
#include "rigid/recursions/joint_wrenches.hpp"
#include "rigid/recursions/udut.hpp"
#include "support/compare.hpp"
#include "support/random_robot.hpp"

namespace dynamics::test {
namespace {

using Wide = long double;

struct JointScratch {
  kernel::JointTransform<double> at;
};

/// The sines and cosines of a chain's joints, as the recursions take them.
std::vector<JointScratch> joint_rotations(const std::vector<double>& q) {
  const Tree tree(q.size());
  std::vector<JointScratch> scratch(q.size());
  kernel::joint_rotations(tree.data(), q.size(), scratch.data(), q.data());
  return scratch;
}

/// The error in units in the last place of the exact value.
double error_in_units(double value, Wide right) {
  const double size = std::abs(static_cast<double>(right));
  const double unit = std::nextafter(size, std::numeric_limits<double>::max()) - size;
  return static_cast<double>(std::abs(static_cast<Wide>(value) - right)) / unit;
}

TEST(SineCosine, ErrorIsBelowOneUnitInTheLastPlace) {
  std::mt19937_64 engine(1);
  double worst = 0.0;
  for (const double range : {1e-9, 0.8, 3.2, 1e2, 8000.0, 1e5, 1e15}) {
    std::uniform_real_distribution<double> uniform(-range, range);
    std::vector<double> q(4001);  // 4001 = 4 k + 1: the last ones overlap
    for (std::size_t i = 0; i < q.size(); ++i) {
      q[i] = uniform(engine);
      if (i % 3 == 0) {  // next to a multiple of pi/2, where digits cancel
        q[i] = std::round(q[i] / (std::numbers::pi / 2)) * (std::numbers::pi / 2);
        q[i] = std::nextafter(q[i], i % 2 == 0 ? 1e300 : -1e300);
      }
    }
    const auto scratch = joint_rotations(q);
    for (std::size_t i = 0; i < q.size(); ++i) {
      worst = max_propagating_nan(
          worst, error_in_units(scratch[i].at.s, std::sin(static_cast<Wide>(q[i]))));
      worst = max_propagating_nan(
          worst, error_in_units(scratch[i].at.c, std::cos(static_cast<Wide>(q[i]))));
    }
  }
  EXPECT_LT(worst, 1.0);
}

TEST(SineCosine, IsNanOnlyForAnglesThatAreNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::size_t count : {1U, 2U, 3U, 4U, 5U, 9U}) {
    std::vector<double> q(count, 1.0);
    for (const double bad : {infinity, -infinity, nan}) {
      q[count / 2] = bad;
      const auto scratch = joint_rotations(q);
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(std::isnan(scratch[i].at.s), i == count / 2);
        EXPECT_EQ(std::isnan(scratch[i].at.c), i == count / 2);
      }
    }
  }
}

/// A state of a tree, in any scalar.
template <class S>
struct State {
  State(const Tree& tree, unsigned seed, bool still) {
    RandomRobot random(seed);
    const auto fill = [&](std::vector<S>& to, double limit) {
      for (const double x : random.vector(tree.size(), limit)) to.emplace_back(x);
    };
    const auto vector = [&](double limit) {
      const Eigen::Vector3d v = random.vector3(limit);
      return kernel::Vec3<S>{S(v.x()), S(v.y()), S(v.z())};
    };
    fill(q, 3.0);
    fill(qd, 2.0);
    fill(qdd, 5.0);
    base.acceleration = vector(10.0);
    base.angular_velocity = vector(1.0);
    base.angular_acceleration = vector(1.0);
    base.not_rotating = still;
    for (std::size_t i = 0; i < tree.size(); ++i) wrenches.push_back({vector(5.0), vector(5.0)});
  }
  std::vector<S> q, qd, qdd;
  kernel::BaseState<S> base;
  std::vector<kernel::BodyWrench<S>> wrenches;
};

template <class S>
Eigen::VectorXd minimal_forces(const Tree& tree, const State<S>& state, bool touched) {
  std::vector<kernel::InverseScratch<S>> scratch(tree.size());
  std::vector<S> tau(tree.size());
  kernel::inverse_dynamics<S>(tree, scratch.data(), state.base,
                              touched ? state.wrenches.data() : nullptr, state.q.data(),
                              state.qd.data(), state.qdd.data(), tau.data());
  Eigen::VectorXd result(idx(tree.size()));
  for (std::size_t i = 0; i < tree.size(); ++i) result[idx(i)] = static_cast<double>(tau[i]);
  return result;
}

/// tau from the transmitted wrenches, which use the complete inertial parameters, in wider reals.
Eigen::VectorXd wide_forces(const Tree& tree, const State<Wide>& state, bool touched) {
  std::vector<kernel::WrenchScratch<Wide>> scratch(tree.size());
  kernel::joint_wrenches<Wide>(tree, scratch.data(), state.base,
                               touched ? state.wrenches.data() : nullptr, state.q.data(),
                               state.qd.data(), state.qdd.data());
  Eigen::VectorXd result(idx(tree.size()));
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const Wide force = tree[i].prismatic ? scratch[i].f.z : scratch[i].n.z;
    result[idx(i)] = static_cast<double>(force + tree[i].rotor_inertia * state.qdd[i]);
  }
  return result;
}

TEST(InverseDynamics, MinimalParametersGiveTorquesOfCompleteOnes) {
  for (unsigned seed = 1; seed <= 120; ++seed) {
    RandomRobotOptions options;
    options.joints = 1 + seed % 14;
    options.branching = seed % 2 == 0 ? 0.5 : 0.0;
    options.prismatic = seed % 3 == 0 ? 0.0 : 0.4;
    options.rotors = 0.3;
    options.aligned = seed % 5 < 2;
    const Model model(RandomRobot(seed).robot(options));
    const bool still = seed % 4 != 1, touched = seed % 7 < 3;
    const Eigen::VectorXd tau =
        minimal_forces(model.tree(), State<double>(model.tree(), seed, still), touched);
    EXPECT_CLOSE(
        "minimal parameters",
        relative(tau, wide_forces(model.tree(), State<Wide>(model.tree(), seed, still), touched)),
        1e-13);
  }
}

TEST(InverseDynamics, KeepsAccuracyInChainsOf1000Joints) {
  for (const double prismatic : {0.0, 0.05}) {
    RandomRobotOptions options;
    options.joints = 1000;
    options.prismatic = prismatic;
    const Model model(RandomRobot(7).robot(options));
    const Tree& tree = model.tree();
    const Eigen::VectorXd right = wide_forces(tree, State<Wide>(tree, 3, true), false);
    EXPECT_CLOSE("minimal parameters, 1000 joints",
                 relative(minimal_forces(tree, State<double>(tree, 3, true), false), right), 1e-12);
    // each joint by itself: the outermost forces are small beside the innermost ones
    const Eigen::VectorXd tau = minimal_forces(tree, State<double>(tree, 3, true), false);
    for (Eigen::Index i = 0; i < tau.size(); ++i) {
      const double scale = right.tail(tau.size() - i).cwiseAbs().maxCoeff();
      EXPECT_CLOSE("minimal parameters, joint by joint", std::abs(tau[i] - right[i]) / scale,
                   1e-11);
    }
  }
}

/// qdd for state.qdd taken as joint forces.
template <class S>
std::vector<S> accelerations(const Tree& tree, const State<S>& state, bool touched) {
  std::vector<kernel::ForwardScratch<S>> scratch(tree.size());
  std::vector<S> qdd(tree.size());
  kernel::forward_dynamics<S>(tree, scratch.data(), state.base,
                              touched ? state.wrenches.data() : nullptr, state.q.data(),
                              state.qd.data(), state.qdd.data(), qdd.data());
  return qdd;
}

TEST(ForwardDynamics, InverseDynamicsReturnsTheGivenTorques) {
  for (unsigned seed = 1; seed <= 160; ++seed) {
    RandomRobotOptions options;
    options.joints = 1 + seed % 13;
    options.branching = seed % 2 == 0 ? 0.5 : 0.0;
    options.prismatic = seed % 3 == 0 ? 0.0 : 0.3;
    options.rotors = seed % 5 < 2 ? 0.4 : 0.0;
    options.aligned = seed % 7 < 3;
    const Model model(RandomRobot(seed).robot(options));
    const Tree& tree = model.tree();
    const bool still = seed % 4 != 1, touched = seed % 9 < 4;
    const State<double> state(tree, seed, still);
    const Eigen::Map<const Eigen::VectorXd> given(state.qdd.data(), idx(tree.size()));
    State<Wide> wide(tree, seed, still);
    const std::vector<double> qdd = accelerations(tree, state, touched);
    wide.qdd.assign(qdd.begin(), qdd.end());
    EXPECT_CLOSE("forward dynamics", relative(wide_forces(tree, wide, touched), given), 1e-11);

    // M x = phi: no rates, no gravity
    std::vector<kernel::UdutScratch<double>> scratch(tree.size());
    for (const bool complete : {false, true}) {
      std::vector<double> x = state.qdd;
      kernel::decompose<double>(tree, scratch.data(), state.q.data(), complete);
      kernel::solve<double>(tree, scratch.data(), x.data(), x.data());
      State<Wide> rest(tree, seed, true);
      rest.base.acceleration = {0.0L, 0.0L, 0.0L};
      rest.qd.assign(tree.size(), 0.0L);
      rest.qdd.assign(x.begin(), x.end());
      EXPECT_CLOSE("solution with M", relative(wide_forces(tree, rest, false), given), 1e-11);
    }
  }
}

TEST(ForwardDynamics, KeepsAccuracyInChainsOf1000Joints) {
  for (const double prismatic : {0.0, 0.05}) {
    RandomRobotOptions options;
    options.joints = 1000;
    options.prismatic = prismatic;
    const Model model(RandomRobot(7).robot(options));
    const Tree& tree = model.tree();
    const std::vector<double> qdd = accelerations(tree, State<double>(tree, 3, true), false);
    const std::vector<Wide> right = accelerations(tree, State<Wide>(tree, 3, true), false);
    Eigen::VectorXd rounded(idx(tree.size()));
    for (std::size_t i = 0; i < tree.size(); ++i) rounded[idx(i)] = static_cast<double>(right[i]);
    EXPECT_CLOSE("forward dynamics, 1000 joints",
                 relative(Eigen::Map<const Eigen::VectorXd>(qdd.data(), idx(qdd.size())), rounded),
                 1e-12);
  }
}

}  // namespace
}  // namespace dynamics::test
