// SPDX-License-Identifier: Apache-2.0
#pragma once

// Calls every public function of rigid/ on a model, with random arguments generated in advance.

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dynamics_core/derivatives.hpp"
#include "dynamics_core/energy.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/regressor.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "support/random_robot.hpp"

namespace dynamics::test {

/// A caller with its own workspace, arguments and results, on a shared model.
class EveryEntryPoint {
 public:
  EveryEntryPoint(const Model& model, unsigned seed, std::size_t states)
      : model_(model),
        workspace_(model),
        kinematics_(model),
        factor_(model),
        derivatives_(model),
        n_(static_cast<Eigen::Index>(model.size())),
        M_(n_, n_),
        A_(n_, n_),
        B_(n_, n_),
        Y_(n_, static_cast<Eigen::Index>(parameter_count(model))),
        J_(6, n_),
        J3_(3, n_),
        out_(n_),
        d_(n_),
        poses_(model.frames().size()),
        joint_wrenches_(model.body_count()),
        articulated_(model.body_count()) {
    RandomRobot random(seed);
    for (std::size_t i = 0; i < states; ++i) {
      State state;
      state.q = random.vector(model.size(), 3.0);
      for (const std::size_t pitch : model.pitch_coordinates()) {
        state.q[static_cast<Eigen::Index>(pitch)] *= 0.4;
      }
      state.qd = random.vector(model.size(), 2.0);
      state.qdd = random.vector(model.size(), 5.0);
      state.frame = random.index(model.frames().size());
      state.axes = static_cast<Axes>(random.index(3));
      BaseMotion base;
      base.pose = {random.rotation(), random.vector3(1.0)};
      base.velocity = {random.vector3(1.0), random.vector3(1.0)};
      base.acceleration = {random.vector3(1.0), random.vector3(1.0)};
      if (random.chance(0.7)) state.base = base;
      for (std::size_t k = random.index(4); k > 0; --k) {
        state.wrenches.push_back({random.index(model.frames().size()),
                                  {random.vector3(5.0), random.vector3(5.0)},
                                  static_cast<Axes>(random.index(3))});
      }
      states_.push_back(std::move(state));
    }
    for (State& state : states_) {
      state.external.base = state.base;
      state.external.wrenches = state.wrenches;
      state.external.friction = state.wrenches.size() % 2 == 0;
      state.without_wrenches = state.external;
      state.without_wrenches.wrenches = {};
    }
    clear_results();
    make_calls();
  }

  std::size_t call_count() const { return calls_.size(); }
  std::size_t state_count() const { return states_.size(); }
  const std::string& call_name(std::size_t call) const { return calls_[call].first; }

  /// Runs one call on one state. Does not allocate by itself.
  void run(std::size_t call, std::size_t state) { calls_[call].second(states_[state]); }

  void clear_results() {
    M_.setZero();
    J_.setZero();
    J3_.setZero();
    out_.setZero();
    d_.setZero();
    scalars_.fill(0.0);
  }

  /// Appends the results of the last call.
  void append_results(std::vector<double>& results) const {
    results.insert(results.end(), M_.data(), M_.data() + M_.size());
    results.insert(results.end(), J_.data(), J_.data() + J_.size());
    results.insert(results.end(), J3_.data(), J3_.data() + J3_.size());
    results.insert(results.end(), out_.data(), out_.data() + out_.size());
    results.insert(results.end(), d_.data(), d_.data() + d_.size());
    results.insert(results.end(), scalars_.begin(), scalars_.end());
  }

 private:
  struct State {
    Eigen::VectorXd q, qd, qdd;
    std::size_t frame = 0;
    Axes axes = Axes::world;
    std::optional<BaseMotion> base;
    std::vector<LinkWrench> wrenches;
    ExternalInputs external, without_wrenches;
  };

  void keep(std::size_t at, const Eigen::Vector3d& v) {
    for (Eigen::Index i = 0; i < 3; ++i) scalars_[3 * at + static_cast<std::size_t>(i)] = v[i];
  }
  void keep(std::size_t at, const Pose& pose) {
    keep(at, pose.translation);
    for (Eigen::Index i = 0; i < 3; ++i) {
      keep(at + 1 + static_cast<std::size_t>(i), Eigen::Vector3d(pose.rotation.col(i)));
    }
  }

  void add(std::string name, std::function<void(const State&)> call) {
    calls_.emplace_back(std::move(name), std::move(call));
  }

  void make_calls() {
    add("inverse_dynamics", [this](const State& s) {
      inverse_dynamics(model_, workspace_, s.q, s.qd, s.qdd, out_, s.external);
    });
    add("inverse_dynamics with wrenches", [this](const State& s) {
      inverse_dynamics(model_, workspace_, s.q, s.qd, s.qdd, out_, joint_wrenches_, s.external);
      if (joint_wrenches_.empty()) return;
      keep(0, joint_wrenches_.back().force);
      keep(1, joint_wrenches_.front().moment);
    });
    add("gravity_forces",
        [this](const State& s) { gravity_forces(model_, workspace_, s.q, out_); });
    add("bias_forces",
        [this](const State& s) { bias_forces(model_, workspace_, s.q, s.qd, out_, s.external); });
    add("wrenches_to_joint_torques", [this](const State& s) {
      wrenches_to_joint_torques(model_, workspace_, s.q, s.wrenches, out_, s.base);
    });
    add("friction_forces",
        [this](const State& s) { friction_forces(model_, workspace_, s.qd, out_); });
    add("forward_dynamics", [this](const State& s) {
      forward_dynamics(model_, workspace_, s.q, s.qd, s.qdd, out_, s.external);
    });
    add("inertia_matrix", [this](const State& s) { inertia_matrix(model_, workspace_, s.q, M_); });
    add("coriolis_matrix",
        [this](const State& s) { coriolis_matrix(model_, workspace_, s.q, s.qd, M_); });
    add("coriolis_matrix, christoffel", [this](const State& s) {
      coriolis_matrix(model_, workspace_, s.q, s.qd, M_, CoriolisKind::christoffel);
    });
    add("udut", [this](const State& s) { udut(model_, workspace_, s.q, M_, d_); });
    add("solve_inertia",
        [this](const State& s) { solve_inertia(model_, workspace_, s.q, s.qdd, out_); });
    add("inverse_inertia_matrix",
        [this](const State& s) { inverse_inertia_matrix(model_, workspace_, s.q, M_); });
    add("decompose_inertia, solve_inertia", [this](const State& s) {
      decompose_inertia(model_, factor_, s.q);
      M_.setIdentity();
      solve_inertia(model_, factor_, M_, M_);
      solve_inertia(model_, factor_, s.qdd, out_);
    });
    add("decompose_inertia, inverse_inertia_matrix", [this](const State& s) {
      decompose_inertia(model_, factor_, s.q);
      inverse_inertia_matrix(model_, factor_, M_);
    });
    add("inverse_dynamics_derivatives", [this](const State& s) {
      inverse_dynamics_derivatives(model_, derivatives_, s.q, s.qd, s.qdd, M_, A_,
                                   s.without_wrenches);
      scalars_[0] = A_.sum();
    });
    add("forward_dynamics_derivatives", [this](const State& s) {
      forward_dynamics_derivatives(model_, derivatives_, s.q, s.qd, s.qdd, M_, A_, B_,
                                   s.without_wrenches);
      scalars_[0] = A_.sum();
      scalars_[1] = B_.sum();
    });
    add("regressor", [this](const State& s) {
      regressor(model_, workspace_, s.q, s.qd, s.qdd, Y_, s.base);
      scalars_[0] = Y_.sum();
    });
    add("forward_kinematics", [this](const State& s) {
      forward_kinematics(model_, kinematics_, s.q, s.qd, s.qdd, s.base);
      keep(0, frame_pose(model_, kinematics_, s.frame));
      keep(4, frame_velocity(model_, kinematics_, s.frame, s.axes).linear);
      keep(5, frame_motion(model_, kinematics_, s.frame, s.axes).acceleration.linear);
      jacobian(model_, kinematics_, s.frame, s.axes, J_);
      jacobian_rate(model_, kinematics_, s.frame, s.axes, J_);
      center_of_mass_jacobian(model_, kinematics_, J3_);
      keep(6, center_of_mass(model_, kinematics_));
      keep(7, center_of_mass_velocity(model_, kinematics_));
    });
    add("center_of_mass_jacobian",
        [this](const State& s) { center_of_mass_jacobian(model_, workspace_, s.q, J3_); });
    if (!model_.has_massless_mimic()) {
      add("articulated_bodies", [this](const State& s) {
        articulated_bodies(model_, workspace_, s.q, articulated_);
        scalars_[0] = articulated_.front().pivot;
        scalars_[1] = articulated_.back().inertia.norm();
      });
    }
    add("frame_pose",
        [this](const State& s) { keep(0, frame_pose(model_, workspace_, s.q, s.frame, s.base)); });
    add("frame_poses", [this](const State& s) {
      frame_poses(model_, workspace_, s.q, poses_, s.base);
      keep(0, poses_.back());
    });
    add("frame_motion", [this](const State& s) {
      const FrameMotion motion =
          frame_motion(model_, workspace_, s.q, s.qd, s.qdd, s.frame, s.axes, s.base);
      keep(0, motion.pose);
      keep(4, motion.velocity.linear);
      keep(5, motion.velocity.angular);
      keep(6, motion.acceleration.linear);
      keep(7, motion.acceleration.angular);
    });
    add("jacobian",
        [this](const State& s) { jacobian(model_, workspace_, s.q, s.frame, s.axes, J_); });
    add("jacobian_rate", [this](const State& s) {
      jacobian_rate(model_, workspace_, s.q, s.qd, s.frame, s.axes, J_);
    });
    add("inverse_kinematics", [this](const State& s) {
      const Pose target = {s.base ? s.base->pose.rotation : Eigen::Matrix3d::Identity(),
                           {0.3, 0.2, 0.1}};
      const auto found =
          inverse_kinematics(model_, workspace_, s.frame, target, s.q, out_,
                             {.orientation = s.base.has_value(), .starts = 2, .iterations = 10});
      scalars_[0] = found.position_error;
      scalars_[1] = found.orientation_error;
    });
    add("energy", [this](const State& s) {
      const Energy result = energy(model_, workspace_, s.q, s.qd, s.base);
      scalars_[0] = result.kinetic;
      scalars_[1] = result.potential;
    });
    add("momentum", [this](const State& s) {
      const Momentum result = momentum(model_, workspace_, s.q, s.qd, s.base);
      keep(0, result.center);
      keep(1, result.center_velocity);
      keep(2, result.linear);
      keep(3, result.angular);
    });
    add("power", [this](const State& s) {
      const Power result = power(model_, workspace_, s.qd, s.qdd);
      scalars_[0] = result.actuators;
      scalars_[1] = result.friction;
    });
  }

  const Model& model_;
  Workspace workspace_;
  Kinematics kinematics_;
  InertiaFactor factor_;
  DerivativeWorkspace derivatives_;
  Eigen::Index n_;
  Eigen::MatrixXd M_, A_, B_, Y_, J_, J3_;
  Eigen::VectorXd out_, d_;
  std::vector<Pose> poses_;
  std::vector<Wrench> joint_wrenches_;
  std::vector<ArticulatedBody> articulated_;
  std::array<double, 24> scalars_{};
  std::vector<State> states_;
  std::vector<std::pair<std::string, std::function<void(const State&)>>> calls_;
};

/// Robots for every code path: a chain, a tree with mimic joints on a floating base, and a large
/// tree with many mimic joints, with and without a massless one.
inline std::vector<Model> entry_point_models() {
  RandomRobot random(77);
  std::vector<Model> models;
  models.emplace_back(random.robot({.joints = 6, .rotors = 0.5, .friction = 0.5}));
  RobotDescription flying = floating(
      random.robot({.joints = 9, .branching = 0.4, .fixed = 0.3, .rotors = 0.3, .friction = 0.5}));
  for (JointDescription& joint : flying.joints) {
    if (joint.name == "joint4" || joint.name == "joint7") joint.mimic = Mimic{"joint1", 0.5, 0.1};
  }
  models.emplace_back(flying);
  for (const bool massless : {false, true}) {
    RobotDescription large = random.robot({.joints = 90, .branching = 0.7, .friction = 0.2});
    std::size_t count = 0;
    for (JointDescription& joint : large.joints) {
      if (++count > 45) joint.mimic = Mimic{"joint" + std::to_string(count - 46), -0.5, 0.1};
    }
    if (massless) large.links.back().inertial.reset();
    models.emplace_back(large);
  }
  return models;
}

}  // namespace dynamics::test
