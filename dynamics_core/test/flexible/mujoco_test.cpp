// SPDX-License-Identifier: Apache-2.0
// The forced simulation of the flexible Canadarm (Mohan and Saha, section 7) compared with a
// different model in MuJoCo: every link is a chain of short rigid segments with torsional springs
// between them, which converges to the beam as the segments get shorter.

#include <gtest/gtest.h>

#include <cstdio>

#include "dynamics_core/flexible_links.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "dynamics_core/trajectory.hpp"
#include "dynamics_core/view.hpp"
#include "ode/make_integrator.hpp"
#include "ode/solve.hpp"
#include "sample_beams.hpp"
#include "support/compare.hpp"
#include "support/mujoco_model.hpp"

namespace dynamics {
namespace {

using test::idx;

constexpr double duration = 2.0;
const std::vector<double> sample_times = {0.4, 0.8, 1.2, 1.6, 2.0};

/// Joint angles of all samples, followed by the tip deflections of links 1 and 2.
struct Path {
  Eigen::MatrixXd angles = Eigen::MatrixXd::Constant(3, 5, std::nan("")),
                  tips = Eigen::MatrixXd::Constant(2, 5, std::nan(""));
};

/// Torques of the rigid arm along the trajectory of Eq. (44).
class Torques {
 public:
  Torques()
      : robot_(test::canadarm()),
        workspace_(robot_),
        trajectory_(forced_trajectory(*built_in_robot("canadarm").forced, {0.0, 0.0, 0.0})) {}
  void at(double t, std::span<double> tau) {
    trajectory_->at(t, q_, qd_, qdd_);
    inverse_dynamics(robot_, workspace_, q_, qd_, qdd_, tau);
  }

 private:
  Model robot_;
  Workspace workspace_;
  std::unique_ptr<Trajectory> trajectory_;
  std::vector<double> q_ = std::vector<double>(3), qd_ = q_, qdd_ = q_;
};

template <class Acceleration, class Sample>
void integrate(std::size_t size, const Acceleration& acceleration, const Sample& sample,
               double rtol) {
  const auto system = ode::System<double>::second_order(size, acceleration);
  ode::Options<double> options;
  options.rtol = rtol;
  const auto integrator = ode::make_integrator<double>("dop853", system, options);
  ode::RunPlan<double> plan;
  plan.end_time = duration;
  plan.sample_times = sample_times;
  plan.on_sample = sample;
  ode::Solver<double> solver(*integrator);
  ASSERT_TRUE(solver.run(0.0, std::vector<double>(2 * size, 0.0), plan).ok());
}

Path assumed_modes(int modes, const std::shared_ptr<const BeamBasis>& basis, bool stiffening) {
  const auto arm = test::canadarm();
  RobotDescription robot = arm.description();
  for (LinkDescription& link : robot.links) {
    if (link.flexible) link.flexible->modes_y = modes;
  }
  ModelOptions no_gravity;
  no_gravity.gravity.setZero();
  FlexibleOptions options;
  options.basis = basis;
  options.stiffening = stiffening;
  const FlexibleModel model(Model(robot, no_gravity), options);
  FlexibleWorkspace workspace(model);
  Torques torques;
  std::vector<double> tau(3);
  Path path;
  Eigen::Index column = 0;
  const auto acceleration = [&](const double& t, std::span<const double> q,
                                std::span<const double> qd, std::span<double> qdd) {
    torques.at(t, tau);
    forward_dynamics(model, workspace, q, qd, tau, qdd);
  };
  const auto sample = [&](const double&, std::span<const double> y) {
    const auto q = y.first(model.size());
    for (Eigen::Index i = 0; i < 3; ++i) path.angles(i, column) = q[static_cast<std::size_t>(i)];
    for (std::size_t i = 0; i < 2; ++i) {
      path.tips(idx(i), column) = deflection(model, q, i, model.links()[i].length).y();
    }
    ++column;
  };
  integrate(model.size(), acceleration, sample, 1e-10);
  return path;
}

/// Every link of the Canadarm in `pieces` segments of length h: half a segment is fixed to the
/// joint, springs of stiffness EI/h at h/2, 3h/2, ...; the error is O(h^2).
RobotDescription chain_of_pieces(int pieces) {
  test::RobotBuilder robot("pieces");
  std::string parent = "base";
  double before = 0.0;  // length of the parent's last segment
  const Model canadarm = test::canadarm();
  for (const LinkDescription& link : canadarm.description().links) {
    if (!link.flexible) continue;
    const BeamDescription& beam = *link.flexible;
    const double h = beam.length / pieces;
    for (int k = 0; k <= pieces; ++k) {
      const double length = k == 0 || k == pieces ? 0.5 * h : h;
      const double mass = beam.mass_per_length * length;
      const double moment = mass * length * length / 12.0;
      const std::string name = link.name + "_" + std::to_string(k);
      robot.add(JointType::continuous, "to_" + name, parent, name, Eigen::Vector3d::UnitZ(),
                test::body(mass, {0.5 * length, 0.0, 0.0}, {1e-9, moment, moment}),
                Pose{Eigen::Matrix3d::Identity(), {before, 0.0, 0.0}});
      parent = name;
      before = length;
    }
  }
  return robot;
}

Path pieces_in_mujoco(int pieces) {
  test::MujocoModel mujoco(chain_of_pieces(pieces), Eigen::Vector3d::Zero());
  std::vector<int> joints;
  for (int link = 1; link <= 3; ++link) {
    const std::string name = "to_link" + std::to_string(link) + "_";
    joints.push_back(mujoco.degree(name + "0"));
    const double h = (link == 1 ? 6.0 : link == 2 ? 7.0 : 2.0) / pieces;
    for (int k = 1; k <= pieces; ++k) {
      const int id = mj_name2id(mujoco.model(), mjOBJ_JOINT, (name + std::to_string(k)).c_str());
      mujoco.model()->jnt_stiffness[id] = 1e5 / h;
    }
  }
  mjData* data = mujoco.data();
  Torques torques;
  std::vector<double> tau(3);
  const auto set = [&](std::span<const double> q, std::span<const double> qd) {
    std::copy(q.begin(), q.end(), data->qpos);
    std::copy(qd.begin(), qd.end(), data->qvel);
  };
  const auto acceleration = [&](const double& t, std::span<const double> q,
                                std::span<const double> qd, std::span<double> qdd) {
    set(q, qd);
    torques.at(t, tau);
    for (std::size_t i = 0; i < 3; ++i) data->qfrc_applied[joints[i]] = tau[i];
    mj_forward(mujoco.model(), data);
    std::copy(data->qacc, data->qacc + qdd.size(), qdd.begin());
  };
  Path path;
  Eigen::Index column = 0;
  const auto size = static_cast<std::size_t>(mujoco.size());
  const auto sample = [&](const double&, std::span<const double> y) {
    set(y.first(size), y.last(size));
    mj_kinematics(mujoco.model(), data);
    for (std::size_t i = 0; i < 3; ++i) {
      path.angles(idx(i), column) = y[static_cast<std::size_t>(joints[i])];
    }
    for (int link = 1; link <= 2; ++link) {
      const int root = mujoco.body("link" + std::to_string(link) + "_0");
      const int next = mujoco.body("link" + std::to_string(link + 1) + "_0");
      path.tips(link - 1, column) =
          (mujoco.rotation(root).transpose() * (mujoco.position(next) - mujoco.position(root))).y();
    }
    ++column;
  };
  integrate(size, acceleration, sample, 1e-8);
  return path;
}

TEST(ForcedCanadarm, MatchesChainOfRigidSegmentsInMujoco) {
  const Path coarse = pieces_in_mujoco(4), middle = pieces_in_mujoco(8),
             fine = pieces_in_mujoco(16);
  // second order in h: Richardson extrapolation to the limit
  Path limit;
  limit.angles = fine.angles + (fine.angles - middle.angles) / 3.0;
  limit.tips = fine.tips + (fine.tips - middle.tips) / 3.0;
  const auto distance = [&](const Path& path, const char* what) {
    const double angles = max_abs(path.angles - limit.angles);
    const double tips = max_abs(path.tips - limit.tips);
    std::printf("%-34s angles %.1e rad, tips %.1e m\n", what, angles, tips);
    return max_propagating_nan(angles, tips);
  };
  std::printf("largest angle %.3f rad, largest tip deflection %.4f m; differences to the limit:\n",
              max_abs(limit.angles), max_abs(limit.tips));
  const double at3 = distance(coarse, "MuJoCo, 3 pieces a link");
  const double at6 = distance(middle, "MuJoCo, 6 pieces a link");
  const double at12 = distance(fine, "MuJoCo, 12 pieces a link");
  EXPECT_GT(at3 / at6, 3.0);
  EXPECT_GT(at6 / at12, 3.5);

  const auto bent = clamped_free_basis(), polynomial = polynomial_basis();
  const double two = distance(assumed_modes(2, bent, false), "2 clamped-free modes (the paper's)");
  const double six = distance(assumed_modes(6, bent, false), "6 clamped-free modes");
  const double four = distance(assumed_modes(4, polynomial, false), "4 polynomial modes");
  const double short_four =
      distance(assumed_modes(4, polynomial, true), "4 polynomial modes, shortening");
  const double short_five =
      distance(assumed_modes(5, polynomial, true), "5 polynomial modes, shortening");
  EXPECT_LT(six, two);
  EXPECT_LT(four, six);
  EXPECT_LT(short_four, four);
  EXPECT_LT(short_five, 2e-4);
}

}  // namespace
}  // namespace dynamics
