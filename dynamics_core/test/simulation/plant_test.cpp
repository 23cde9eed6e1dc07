// SPDX-License-Identifier: Apache-2.0
// Plants: the rigid plant, and a custom plant simulated with simulate().

#include "dynamics_core/plant.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dynamics_core/readers.hpp"
#include "dynamics_core/simulate.hpp"
#include "dynamics_core/trajectory.hpp"
#include "dynamics_core/view.hpp"
#include "simulation/sampling.hpp"

namespace dynamics {
namespace {

const char* const slider_urdf = R"(
<robot name="slider"><link name="base"/>
  <link name="cart"><inertial><mass value="2"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="rail" type="prismatic"><parent link="base"/><child link="cart"/><axis xyz="1 0 0"/>
    <limit lower="-9" upper="9" effort="99" velocity="99"/></joint>
</robot>)";

/// A cart of 2 kg on a rail, and on it 1 kg on a spring of 6 N/m: one joint, one amplitude.
class SpringCart final : public Plant {
 public:
  SpringCart() : model_(model_from_urdf(slider_urdf)) {}
  static constexpr double cart = 2.0, load = 1.0, stiffness = 6.0;

  const Model& model() const override { return model_; }
  std::size_t size() const override { return 2; }
  void accelerations(const double&, ConstVector q, ConstVector, ConstVector tau,
                     MutableVector qdd) override {
    // (cart + load) x'' + load e'' = tau, load (x'' + e'') = -stiffness e
    const double spring = -stiffness * q[1];
    qdd[0] = (tau[0] - spring) / cart;
    qdd[1] = spring / load - qdd[0];
  }
  void feedforward_torques(const double&, ConstVector, ConstVector, ConstVector qdd,
                           MutableVector tau) override {
    tau[0] = (cart + load) * qdd[0];
  }
  void computed_torques(const double&, ConstVector q, ConstVector, ConstVector qdd,
                        MutableVector tau) override {
    tau[0] = cart * qdd[0] - stiffness * q[1];
  }
  bool exchanges_energy() const override { return false; }
  double power(const double&, ConstVector, ConstVector qd, ConstVector, ConstVector tau) override {
    return tau[0] * qd[0];
  }
  double energy_rate(double, ConstVector q, ConstVector qd, ConstVector qdd) override {
    return cart * qd[0] * qdd[0] + load * (qd[0] + qd[1]) * (qdd[0] + qdd[1]) +
           stiffness * q[1] * qd[1];
  }
  PlantEnergy energy(double, ConstVector q, ConstVector qd) override {
    return {0.5 * cart * qd[0] * qd[0] + 0.5 * load * (qd[0] + qd[1]) * (qd[0] + qd[1]), 0.0,
            0.5 * stiffness * q[1] * q[1]};
  }
  Pose frame_pose(double, ConstVector, std::size_t) override { return {}; }
  Eigen::Vector3d center_of_mass(double, ConstVector, ConstVector) override {
    return Eigen::Vector3d::Zero();
  }
  std::vector<std::string> amplitude_names() const override { return {"cart_y1"}; }
  std::vector<BeamShapes> beams() const override {
    return {{"cart", 0, 1, {0.0, 1.0}, {{{0.0, 1.0}, {1.0, 1.0}, {0.0, 0.0}}}, {}}};
  }
  Eigen::Vector3d tip_deflection(ConstVector q, std::size_t) override { return {0.0, q[1], 0.0}; }

 private:
  Model model_;
};

/// Forwards to another plant; derived classes override one function.
class ForwardingPlant : public Plant {
 public:
  explicit ForwardingPlant(Plant& plant) : plant_(plant) {}
  const Model& model() const override { return plant_.model(); }
  std::size_t size() const override { return plant_.size(); }
  void accelerations(const double& t, ConstVector q, ConstVector qd, ConstVector tau,
                     MutableVector qdd) override {
    plant_.accelerations(t, q, qd, tau, qdd);
  }
  void feedforward_torques(const double& t, ConstVector q, ConstVector qd, ConstVector qdd,
                           MutableVector tau) override {
    plant_.feedforward_torques(t, q, qd, qdd, tau);
  }
  void computed_torques(const double& t, ConstVector q, ConstVector qd, ConstVector qdd,
                        MutableVector tau) override {
    plant_.computed_torques(t, q, qd, qdd, tau);
  }
  bool exchanges_energy() const override { return plant_.exchanges_energy(); }
  double power(const double& t, ConstVector q, ConstVector qd, ConstVector qdd,
               ConstVector tau) override {
    return plant_.power(t, q, qd, qdd, tau);
  }
  double energy_rate(double t, ConstVector q, ConstVector qd, ConstVector qdd) override {
    return plant_.energy_rate(t, q, qd, qdd);
  }
  PlantEnergy energy(double t, ConstVector q, ConstVector qd) override {
    return plant_.energy(t, q, qd);
  }
  Pose frame_pose(double t, ConstVector q, std::size_t frame) override {
    return plant_.frame_pose(t, q, frame);
  }
  Eigen::Vector3d center_of_mass(double t, ConstVector q, ConstVector qd) override {
    return plant_.center_of_mass(t, q, qd);
  }

 private:
  Plant& plant_;
};

/// A spring that is stretched by 0.1 m at the start.
SimulationOptions stretched_spring(double duration) {
  SimulationOptions options;
  options.q0 = {0.0, 0.1};
  options.duration = duration;
  return options;
}

TEST(Plant, CustomPlantRunsEveryScenario) {
  SpringCart plant;
  SimulationOptions options = stretched_spring(3.0);
  const Recording free = simulate(plant, options);
  const double rate =
      std::sqrt(SpringCart::stiffness * (1.0 / SpringCart::cart + 1.0 / SpringCart::load));
  for (std::size_t k = 0; k < free.size(); ++k) {
    EXPECT_NEAR(free.amplitudes[0][k], 0.1 * std::cos(rate * free.t[k]), 1e-8);
    EXPECT_NEAR(free.power_balance[k], 0.0, 1e-14);
  }
  EXPECT_LT(free.statistics.energy_drift, 1e-6);

  // hold: the cart stays and the load oscillates alone
  options.scenario = Scenario::hold;
  const Recording held = simulate(plant, options);
  EXPECT_NEAR(held.q[0].back(), 0.0, 1e-12);
  EXPECT_NEAR(held.amplitudes[0].back(), 0.1 * std::cos(std::sqrt(6.0) * 3.0), 1e-7);

  // q0 for the joints only: the amplitudes start at zero
  options.scenario = Scenario::forced;
  options.q0 = {0.0};
  options.trajectory = cycloid_trajectory({0.0}, {1.0}, 3.0);
  const Recording forced = simulate(plant, options);
  EXPECT_NEAR(forced.q[0].back(), 1.0, 0.2);
  EXPECT_LT(forced.statistics.energy_drift, 1e-7);
  EXPECT_GT(std::abs(forced.work[150]), 0.1);

  options.q0 = {0.0, 0.0, 0.0};
  EXPECT_THROW(simulate(plant, options), ArgumentError);
}

TEST(Plant, EnergyDriftPropagatesNan) {
  // NaN in any sample makes the drift NaN; std::max would drop it
  class Broken final : public ForwardingPlant {
   public:
    Broken(Plant& plant, std::size_t sample) : ForwardingPlant(plant), sample_(sample) {}
    PlantEnergy energy(double t, ConstVector q, ConstVector qd) override {
      PlantEnergy energies = ForwardingPlant::energy(t, q, qd);
      const double at = 0.01 * static_cast<double>(sample_);
      if (std::abs(t - at) < 1e-9) energies.kinetic = std::nan("");
      return energies;
    }

   private:
    std::size_t sample_;
  };
  const auto rigid = rigid_plant(model_from_dh(built_in_robot("planar3")));
  SimulationOptions options;
  options.duration = 0.05;
  for (const std::size_t sample : {0U, 2U, 5U}) {
    Broken plant(*rigid, sample);
    const Recording run = simulate(plant, options);
    ASSERT_EQ(run.size(), 6U);
    EXPECT_TRUE(std::isnan(run.statistics.energy_drift))
        << "NaN in sample " << sample << ", drift " << run.statistics.energy_drift;
    EXPECT_TRUE(std::isnan(run.energy_drift[sample]));
  }
}

/// For planar3: a cycloid that ends between two samples, and knots with discontinuous
/// accelerations.
std::vector<std::unique_ptr<Trajectory>> trajectories_of_three_joints() {
  std::vector<std::unique_ptr<Trajectory>> trajectories;
  trajectories.push_back(cycloid_trajectory({0.1, 0.2, 0.3}, {2.0, -1.0, 1.5}, 0.913));
  trajectories.push_back(
      knot_trajectory({.t = {0.0, 0.313, 0.77, 1.0},
                       .q = {{0, 0, 0}, {1, 0.5, -0.2}, {0.5, 1, 0.7}, {0, 0.2, 0.1}},
                       .qd = {{0, 0, 0}, {1, 0, -1}, {-2, 0.5, 1}, {0, 0, 0}},
                       .qdd = {}}));
  return trajectories;
}

TEST(TorquesAlong, WorkMatchesEnergyChangeWithFriction) {
  const Model planar = model_from_dh(built_in_robot("planar3"));
  RobotDescription robot = planar.description();
  for (JointDescription& joint : robot.joints) joint.damping = joint.friction = 0.7;
  const Model model(robot, {.gravity = {0.0, -9.81, 0.0}});
  for (const auto& trajectory : trajectories_of_three_joints()) {
    for (const double sample : {0.01, 0.3}) {
      const Recording run = torques_along(model, *trajectory, 1.0, sample);
      EXPECT_LT(run.statistics.energy_drift, 1e-9) << sample;
      EXPECT_GT(max_abs(run.work), 1.0);
    }
  }
}

TEST(TorquesAlong, EnergyDriftRevealsWrongTorques) {
  class Scaled final : public ForwardingPlant {
   public:
    using ForwardingPlant::ForwardingPlant;
    void feedforward_torques(const double& t, ConstVector q, ConstVector qd, ConstVector qdd,
                             MutableVector tau) override {
      ForwardingPlant::feedforward_torques(t, q, qd, qdd, tau);
      for (std::size_t i = 0; i < tau.size(); ++i) tau[i] *= 1.001;
    }
  };
  class OtherGravity final : public ForwardingPlant {
   public:
    OtherGravity(Plant& plant, Plant& other) : ForwardingPlant(plant), other_(other) {}
    void feedforward_torques(const double& t, ConstVector q, ConstVector qd, ConstVector qdd,
                             MutableVector tau) override {
      other_.feedforward_torques(t, q, qd, qdd, tau);
    }

   private:
    Plant& other_;
  };
  const Model model = model_from_dh(built_in_robot("planar3"));
  const auto right = rigid_plant(model);
  const auto heavy = rigid_plant(model.with_gravity({0.0, -9.82, 0.0}));
  Scaled scaled(*right);
  OtherGravity other_gravity(*right, *heavy);
  for (const auto& trajectory : trajectories_of_three_joints()) {
    EXPECT_LT(torques_along(*right, *trajectory, 1.0, 0.01).statistics.energy_drift, 1e-9);
    EXPECT_GT(torques_along(scaled, *trajectory, 1.0, 0.01).statistics.energy_drift, 1e-4);
    EXPECT_GT(torques_along(other_gravity, *trajectory, 1.0, 0.01).statistics.energy_drift, 1e-4);
  }
  SpringCart cart;
  EXPECT_THROW(torques_along(cart, *cycloid_trajectory({0.0}, {1.0}, 1.0), 1.0, 0.1),
               ArgumentError);
}

TEST(Plant, WritesFlexibleColumns) {
  SpringCart plant;
  const Recording run = simulate(plant, stretched_spring(0.02));
  const std::string csv = to_csv(run);
  EXPECT_TRUE(
      csv.starts_with("t,q_rail,qd_rail,tau_rail,kinetic,potential,strain,e_cart_y1,"
                      "tip_cart_y,tip_cart_z,qdd_rail,work,"))
      << csv;
  const std::string text = to_json(run);
  EXPECT_NE(text.find(R"("shapes":{"amplitude":0,)"), std::string::npos);
  EXPECT_NE(text.find(R"("names":["cart_y1"])"), std::string::npos);
}

TEST(Plant, DefaultImpulseResponseMatchesDecomposition) {
  const auto rigid = rigid_plant(model_from_dh(built_in_robot("puma")));
  const std::vector<double> q = {0.3, -0.5, 0.9, 0.2, -0.7, 1.1};
  std::vector<double> exact(6), differences(6);
  for (std::size_t joint = 0; joint < 6; ++joint) {
    rigid->impulse_response(0.0, q, joint, exact);
    rigid->Plant::impulse_response(0.0, q, joint, differences);
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_NEAR(differences[i], exact[i], 1e-11 * std::abs(exact[joint]));
  }
}

TEST(Plant, PowerBalanceOfRigidPlantIsAtRoundOff) {
  const DhTable table = built_in_robot("stanford");
  SimulationOptions options;
  options.scenario = Scenario::forced;
  options.q0 = table.q0;
  options.trajectory = forced_trajectory(*table.forced, table.q0);
  options.duration = 2.0;
  const Recording run = simulate(model_from_dh(table), options);
  ASSERT_EQ(run.power_balance.size(), run.size());
  for (const double residual : run.power_balance) EXPECT_NEAR(residual, 0.0, 1e-11);
  // the quaternion has length one
  for (std::size_t k = 0; k < run.size(); ++k) {
    double square = 0.0;
    for (const Column& part : run.end_effector_orientation) square += part[k] * part[k];
    EXPECT_NEAR(square, 1.0, 1e-14);
  }
}

}  // namespace
}  // namespace dynamics
