// SPDX-License-Identifier: Apache-2.0
// RealTimeSimulation: construction and states that are given from outside.

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/eigen_index.hpp"
#include "dynamics_core/error.hpp"
#include "plant/joint_resistance.hpp"
#include "simulation/real_time_implementation.hpp"
#include "spatial/decompositions.hpp"

namespace dynamics {
namespace {

std::unique_ptr<Plant> checked(std::unique_ptr<Plant> plant) {
  if (!plant) throw ArgumentError("plant is null");
  if (plant->joints() == 0)
    throw ArgumentError("robot '" + plant->model().name() + "' has no moving joint");
  return plant;
}

/// Fastest rate of decay by the damping of the joints (1/s), at the start position.
double loop_decay(Plant& plant, const Mechanism& mechanism) {
  const JointResistance resistance(plant.model());
  if (!resistance.damped) return 0.0;
  std::vector<std::size_t> joints(plant.joints());
  std::iota(joints.begin(), joints.end(), std::size_t{0});
  Eigen::MatrixXd responses(eigen_index(joints.size()), eigen_index(joints.size()));
  plant.impulse_responses(0.0, mechanism.start(), joints, responses);
  const Eigen::VectorXd root =
      Eigen::Map<const Eigen::VectorXd>(resistance.damping.data(), responses.rows()).cwiseSqrt();
  const Eigen::MatrixXd rates = root.asDiagonal() * responses * root.asDiagonal();
  return symmetric_eigenvalues(rates).maxCoeff();
}

}  // namespace

RealTimeSimulation::Implementation::Implementation(std::unique_ptr<Plant> given,
                                                   const RealTimeOptions& given_options)
    : options(given_options),
      plant(checked(std::move(given))),
      drives(*plant, options),
      y_(2 * plant->size(), 0.0),
      old_y_(y_),
      accelerations_(plant->size(), 0.0),
      efforts_(plant->joints(), 0.0),
      mechanism_(plant->mechanism()),
      constraints_(*plant, options.limits, options.restitution, free_,
                   {&drives, net_forces_, prescribed_motion_}),
      implicit_inertia_(*plant),
      impulse_step_(*plant),
      start_qdd_(plant->size(), 0.0),
      last_qdd_(start_qdd_),
      trial_{y_, start_qdd_},
      before_(trial_),
      after_(trial_),
      tau_(plant->size(), 0.0),
      no_forces_(plant->joints(), 0.0),
      fed_accelerations_(plant->size(), 0.0) {
  if (!(options.restitution >= 0.0 && options.restitution <= 1.0)) {
    throw ArgumentError(fmt::format("restitution is {}: must be from 0 to 1", options.restitution));
  }
  if (mechanism_ != nullptr) loops_.emplace(*mechanism_);
  free_coordinates_.reserve(plant->size());
  wrenches.reserve(max_wrenches);
  if (!options.force_torque.empty() || !options.imus.empty())
    sensors.emplace(*plant, options.force_torque, options.imus);
  names_ = plant->model().coordinate_names();
  for (const std::string& name : plant->amplitude_names()) names_.push_back(name);
  names_.resize(plant->size());
  select_integrator();
}

void RealTimeSimulation::Implementation::select_integrator() {
  ImplicitInertia::Rates rates;
  if (mechanism_ != nullptr) {
    rates.decay = loop_decay(*plant, *mechanism_);
  } else {
    rates = implicit_inertia_.fastest_rates(*plant);
  }
  const double required = std::ceil(options.step * std::max(rates.vibration, rates.decay) / 0.5);
  implicit = !(required <= static_cast<double>(options.substeps));
  if (implicit && mechanism_ != nullptr) {
    throw ArgumentError("robot '" + plant->model().name() + "'",
                        fmt::format("has closed loops and damping with a rate of {:.3g}/s, which "
                                    "needs {} substeps of {} s (maximum {}): use a smaller step",
                                    rates.decay, required, options.step, options.substeps));
  }
  substeps = implicit ? 1 : std::max<std::size_t>(1, static_cast<std::size_t>(required));
  ode::Options<double> numerics;
  numerics.step = options.step;
  auto system = ode::System<double>::second_order(size(), acceleration_);
  if (implicit) {
    using Rosenbrock = ode::Rosenbrock2<double>;
    system.with_implicit_solver({prepare_, solve_});
    // friction must not reverse the velocity of a joint
    const auto gamma =
        rates.decay > rates.vibration ? Rosenbrock::Gamma::larger : Rosenbrock::Gamma::smaller;
    integrator_ = std::make_unique<Rosenbrock>(system, numerics, gamma);
  } else {
    integrator_ = ode::make_fixed_step_integrator<double>("rk4", system, numerics);
  }
}

/// Sets trial_ to a state of all joints, or of the independent joints, of a mechanism.
void RealTimeSimulation::Implementation::close_loops_of(ConstVector given_q, ConstVector given_qd) {
  constexpr double tolerance = 1e-6;  // as for all functions of mechanisms
  const Output q_closed = q(trial_.y), qd_closed = qd(trial_.y);
  if (given_q.size() == size()) {
    std::copy(given_q.begin(), given_q.end(), q_closed.begin());
    constraints_.check_positions("q", q_closed);
  } else {
    close_loops(*mechanism_, *loops_, mechanism_->start(), given_q, q_closed);
    constraints_.check_positions("q", q_closed);
  }
  std::copy_n(given_qd.begin(), given_qd.size(), qd_closed.begin());
  if (given_qd.size() != size()) {
    std::fill(qd_closed.begin(), qd_closed.end(), 0.0);
    for (std::size_t k = 0; k < given_qd.size(); ++k)
      qd_closed[mechanism_->independent()[k]] = given_qd[k];
    close_velocities(*mechanism_, *loops_, q_closed, qd_closed);
  }
  const double moved = plant->project(q_closed, qd_closed);
  if (!(moved <= tolerance)) {
    throw ArgumentError(
        fmt::format("q and qd of all joints do not close the loops of '{}' (error {:.3g}): give "
                    "those of the {} independent joints",
                    plant->model().name(), moved, mechanism_->size()));
  }
}

void RealTimeSimulation::Implementation::reset(ConstVector given_q, ConstVector given_qd) {
  const std::size_t fewer = mechanism_ != nullptr ? mechanism_->size() : drives.size();
  for (const auto& [name, values] : {std::pair{"q", given_q}, std::pair{"qd", given_qd}}) {
    if (values.size() != drives.size() && values.size() != size() && values.size() != fewer) {
      throw ArgumentError(fmt::format(
          "{} has {} entries: {} are required{}", name, values.size(), drives.size(),
          size() > drives.size()  ? fmt::format(", or {} with amplitudes", size())
          : mechanism_ != nullptr ? fmt::format(", or {} of the independent joints", fewer)
                                  : ""));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isfinite(values[i])) continue;
      const bool all = mechanism_ == nullptr || values.size() == size();
      throw ArgumentError(fmt::format("{} of '{}' is not finite", name,
                                      name_of(all ? i : mechanism_->independent()[i])));
    }
  }
  std::fill(trial_.y.begin(), trial_.y.end(), 0.0);
  if (mechanism_ != nullptr) {
    close_loops_of(given_q, given_qd);
  } else {
    std::copy(given_q.begin(), given_q.end(), q(trial_.y).begin());
    std::copy(given_qd.begin(), given_qd.end(), qd(trial_.y).begin());
    constraints_.check_positions("q", q(trial_.y));
  }
  constraints_.prepare(0.0, q(trial_.y));
  y_ = trial_.y;
  drives.reset();
  wrenches.clear();
  evaluated_ = false;
  statistics = {};
  time = 0.0;
  fault.clear();
}

void RealTimeSimulation::Implementation::set_wrenches(std::span<const LinkWrench> given) {
  if (!given.empty()) plant->add_wrenches(time, q(y_), given, tau_);  // throws for invalid ones
  wrenches.assign(given.begin(), given.end());
  evaluated_ = false;
}

bool RealTimeSimulation::Implementation::continue_from(const Implementation& other) {
  if (other.size() != size() || other.drives.size() != drives.size()) return false;
  if (other.options.force_torque.size() != options.force_torque.size() ||
      other.options.imus.size() != options.imus.size())
    return false;
  trial_.y = other.y_;
  constraints_.prepare(other.time, q(trial_.y));
  y_ = trial_.y;
  accelerations_ = other.accelerations_;
  efforts_ = other.efforts_;
  drives.copy_from(other.drives);
  wrenches = other.wrenches;
  evaluated_ = false;
  statistics = other.statistics;
  time = other.time;
  return true;
}

}  // namespace dynamics
