// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/real_time_simulation.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "base/eigen_index.hpp"
#include "dynamics_core/error.hpp"
#include "ode/make_integrator.hpp"
#include "plant/joint_resistance.hpp"
#include "simulation/implicit_inertia.hpp"
#include "simulation/impulse_step.hpp"
#include "simulation/joint_constraints.hpp"
#include "simulation/joint_drives.hpp"
#include "spatial/decompositions.hpp"

namespace dynamics {
namespace {

using Input = std::span<const double>;
using Output = std::span<double>;

std::unique_ptr<Plant> plant_of(const Model& model) {
  if (!model.singular_reason().empty())
    throw StateError("robot '" + model.name() + "'", model.singular_reason());
  if (FlexibleModel::has_modes(model)) return flexible_plant(FlexibleModel(model));
  return rigid_plant(model);
}

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

class [[gnu::visibility("hidden")]] RealTimeSimulation::Implementation {
 public:
  Implementation(std::unique_ptr<Plant> given, const RealTimeOptions& given_options);

  void reset(ConstVector q, ConstVector qd);
  void set_wrenches(std::span<const LinkWrench> given);
  bool continue_from(const Implementation& other);
  void step();
  void evaluate();

  std::size_t size() const { return accelerations_.size(); }
  Output q(std::vector<double> & y) const { return Output(y).first(size()); }
  Output qd(std::vector<double> & y) const { return Output(y).last(size()); }

  // referenced by the integrator and the constraints, which need a callable of their own
  struct FreeAccelerations {
    Implementation* self;
    void operator()(const double& t, Input q, Input qd, Input forces, Output qdd) const;
  };
  struct NetForces {
    Implementation* self;
    void operator()(const double& t, Input q, Input qd, Input forces, Output h) const;
  };
  struct PrescribedMotion {
    Implementation* self;
    void operator()(const double& t, Input q, Input qd, Input joint_qdd, Output qdd,
                    Output forces) const;
  };
  struct Accelerations {
    Implementation* self;
    void operator()(const double& time, Input q, Input qd, Output qdd) const;
  };
  struct PrepareImplicit {
    Implementation* self;
    bool operator()(const double& time, Input y, const double& c) const;
  };
  struct SolveImplicit {
    Implementation* self;
    void operator()(Output r) const;
  };

  RealTimeOptions options;
  std::unique_ptr<Plant> plant;
  JointDrives drives;
  bool implicit = false;
  std::size_t substeps = 1;
  std::vector<double> y_, old_y_;  // [q; qd]
  std::vector<double> accelerations_, efforts_;
  std::vector<LinkWrench> wrenches;
  std::optional<Sensors> sensors;
  RealTimeStatistics statistics;
  double time = 0.0;
  std::string fault;

 private:
  void select_integrator();
  void close_loops_of(ConstVector given_q, ConstVector given_qd);
  void project_state(double t);
  void advance();
  void feed_forward(std::vector<double> & y);
  void compute_forces(double t, Input q, Input forces);
  void evaluate_accelerations(double at, Input q, Input qd, Output qdd);
  void try_step(double length);
  double locate_change(double length);
  void advance_with_impulses(double start);
  void require_finite() const;
  const std::string& name_of(std::size_t coordinate) const { return names_[coordinate]; }

  FreeAccelerations free_{this};
  NetForces net_forces_{this};
  PrescribedMotion prescribed_motion_{this};
  Accelerations acceleration_{this};
  PrepareImplicit prepare_{this};
  SolveImplicit solve_{this};
  const Mechanism* mechanism_;               // null: no closed loops
  std::optional<MechanismWorkspace> loops_;  // of its closure
  std::vector<std::string> names_;           // of the coordinates
  JointConstraints constraints_;
  ImplicitInertia implicit_inertia_;
  ImpulseStep impulse_step_;
  std::unique_ptr<ode::FixedStepIntegrator<double>> integrator_;
  bool evaluated_ = false;         // evaluate() was called in this state
  bool starts_evaluated_ = false;  // the step starts in such a state, with the same commands
  // current part of a step
  double start_ = 0.0;        // since the start of the step
  bool has_inertia_ = false;  // of its start
  double start_holding_margin_ = 1.0;
  std::vector<double> start_qdd_, last_qdd_;  // of the first and the last evaluation
  struct End {                                // of a part that was tried
    std::vector<double> y, qdd;
    double holding_margin = 1.0, margin = 1.0;
  };
  JointConstraints::StepEnd end_of(End & end) const {
    return {q(end.y), qd(end.y), end.qdd, end.holding_margin};
  }
  End trial_, before_, after_;
  std::vector<std::size_t> free_coordinates_;
  std::vector<double> tau_, no_forces_, fed_accelerations_;
};

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

void RealTimeSimulation::Implementation::FreeAccelerations::operator()(const double& t, Input q,
                                                                       Input qd, Input forces,
                                                                       Output qdd) const {
  self->compute_forces(t, q, forces);
  self->plant->accelerations(t, q, qd, self->tau_, qdd);
}

void RealTimeSimulation::Implementation::NetForces::operator()(const double& t, Input q, Input qd,
                                                               Input forces, Output h) const {
  self->compute_forces(t, q, forces);
  self->plant->bias_forces(t, q, qd, h);
  for (double& force : h) force = -force;
  for (std::size_t i = 0; i < h.size(); ++i) h[i] += self->tau_[i];
}

void RealTimeSimulation::Implementation::PrescribedMotion::operator()(const double& t, Input q,
                                                                      Input qd, Input joint_qdd,
                                                                      Output qdd,
                                                                      Output forces) const {
  self->compute_forces(t, q, self->no_forces_);
  self->plant->hybrid_dynamics(t, q, qd, joint_qdd, self->tau_, qdd, forces);
}

/// Sets tau_ to the efforts, the forces of the wrenches and `forces` (of the joints).
void RealTimeSimulation::Implementation::compute_forces(double t, Input q, Input forces) {
  const Input efforts = drives.efforts();
  std::fill(tau_.begin(), tau_.end(), 0.0);
  for (std::size_t i = 0; i < forces.size(); ++i) tau_[i] = efforts[i] + forces[i];
  if (!wrenches.empty()) plant->add_wrenches(t, q, wrenches, tau_);
}

/// `at`: time since the start of the step.
void RealTimeSimulation::Implementation::Accelerations::operator()(const double& at, Input q,
                                                                   Input qd, Output qdd) const {
  ++self->statistics.evaluations;
  self->evaluate_accelerations(at, q, qd, qdd);
  if (!self->constraints_.changes_modes()) return;
  std::copy(qdd.begin(), qdd.end(), self->last_qdd_.begin());
  if (at == self->start_) self->start_qdd_ = self->last_qdd_;
}

void RealTimeSimulation::Implementation::evaluate_accelerations(double at, Input q, Input qd,
                                                                Output qdd) {
  if (at == start_) {
    const bool evaluated = at == 0.0 && starts_evaluated_;
    if (evaluated || constraints_.has_initial_accelerations()) {
      const Input initial =
          evaluated ? Input(accelerations_) : constraints_.initial_accelerations();
      std::copy(initial.begin(), initial.end(), qdd.begin());
      return;
    }
  }
  constraints_.accelerations(time + at, at, q, qd, qdd);
}

bool RealTimeSimulation::Implementation::PrepareImplicit::operator()(const double& at, Input y,
                                                                     const double& c) const {
  if (!self->has_inertia_) {
    Eigen::MatrixXd& inertia = self->implicit_inertia_.inertia();
    if (const Eigen::MatrixXd* known = self->constraints_.initial_inertia()) {
      inertia = *known;
    } else {
      self->plant->inertia_matrix(self->time + at, y.first(self->size()), inertia);
    }
    self->has_inertia_ = true;
    self->free_coordinates_.clear();
    for (std::size_t i = 0; i < self->size(); ++i) {
      if (i >= self->drives.size() || !self->constraints_.prescribed(i))
        self->free_coordinates_.push_back(i);
    }
  }
  return self->implicit_inertia_.decompose(c, self->free_coordinates_);
}

void RealTimeSimulation::Implementation::SolveImplicit::operator()(Output r) const {
  self->implicit_inertia_.solve_stage(r.first(self->size()), r.last(self->size()));
}

/// One step of the integrator from y_, of this length, to trial_.
void RealTimeSimulation::Implementation::try_step(double length) {
  trial_.y = y_;
  if (integrator_->step(start_, length, trial_.y) != ode::Status::ok) {
    throw StateError("robot '" + plant->model().name() + "'",
                     "a joint moves no mass at this position");
  }
  if (!constraints_.changes_modes()) return;
  trial_.qdd = last_qdd_;
  trial_.holding_margin = constraints_.last_holding_margin();
  trial_.margin = constraints_.margin(end_of(trial_));
}

/// Locates the first mode change in the part of the step that ends with trial_, whose margin is
/// negative. Returns its time since start_; trial_ is the state there.
double RealTimeSimulation::Implementation::locate_change(double length) {
  constexpr double tolerance = 1e-9;  // of the margin
  constexpr int steps = 10;
  before_.y = y_;
  before_.qdd = start_qdd_;
  before_.holding_margin = start_holding_margin_;
  std::swap(trial_, after_);
  double from = 0.0, to = length;
  for (int i = 0; i < steps && after_.margin < -tolerance; ++i) {
    // bisection in between, should the interpolation not be accurate
    const double part =
        i % 4 == 3 ? 0.5 * (to - from)
                   : constraints_.estimate_change(to - from, end_of(before_), end_of(after_));
    const double middle = from + part;
    if (!(middle > from && middle < to)) break;
    try_step(middle);
    const bool before = trial_.margin > 0.0;
    std::swap(trial_, before ? before_ : after_);
    (before ? from : to) = middle;
  }
  std::swap(trial_, after_);
  return to;
}

void RealTimeSimulation::Implementation::advance() {
  std::size_t changes = 0;
  for (std::size_t k = 0; k < substeps; ++k) {
    const auto at = [&](std::size_t i) {
      return options.step * static_cast<double>(i) / static_cast<double>(substeps);
    };
    const double end = at(k + 1);
    for (start_ = at(k); start_ < end;) {
      const bool known = start_ == 0.0 && changes == 0 && starts_evaluated_;
      if (!known) constraints_.resume(time + start_, start_, q(y_), qd(y_));
      has_inertia_ = false;
      if (changes == max_mode_changes) {
        advance_with_impulses(start_);
        return;
      }
      start_holding_margin_ = constraints_.last_holding_margin();
      double next = end;
      try_step(end - start_);
      if (!(trial_.margin > 0.0)) {
        next = std::min(end, start_ + locate_change(end - start_));
        ++changes;
        ++statistics.mode_changes;
      }
      y_.swap(trial_.y);
      start_ = next;
      if (constraints_.changes_modes()) {
        constraints_.stop_sliding(qd(y_));
        constraints_.clamp_to_stops(q(y_));
      }
      if (mechanism_ != nullptr) project_state(time + start_);
    }
  }
}

/// Computes what the feed-forward efforts add to the drives for the next step.
void RealTimeSimulation::Implementation::feed_forward(std::vector<double>& y) {
  if (!drives.any_fed()) return;
  ++statistics.evaluations;
  drives.release_fed();
  start_ = 0.0;
  constraints_.resume(time, 0.0, q(y), qd(y));
  if (constraints_.has_initial_accelerations()) {
    const Input initial = constraints_.initial_accelerations();
    std::copy(initial.begin(), initial.end(), fed_accelerations_.begin());
  } else {
    constraints_.accelerations(time, 0.0, q(y), qd(y), fed_accelerations_);
  }
  drives.feed(fed_accelerations_);
}

/// The rest of a step with more mode changes than are located.
void RealTimeSimulation::Implementation::advance_with_impulses(double start) {
  ++statistics.impulse_steps;
  ++statistics.evaluations;
  compute_forces(time + start, q(y_), no_forces_);
  const Output acceleration = q(trial_.y);  // scratch
  plant->accelerations(time + start, q(y_), qd(y_), tau_, acceleration);
  impulse_step_.advance(*plant, drives, constraints_, implicit_inertia_, time + start, start,
                        options.step - start, acceleration, q(y_), qd(y_));
  if (mechanism_ != nullptr) plant->project(q(y_), qd(y_));
}

/// Moves y_ onto the loops, with the held joints where they are.
void RealTimeSimulation::Implementation::project_state(double t) {
  plant->project(q(y_), qd(y_));
  if (constraints_.changes_modes() && constraints_.restore_held(t, q(y_), qd(y_)))
    plant->project(q(y_), qd(y_));
}

void RealTimeSimulation::Implementation::require_finite() const {
  for (std::size_t i = 0; i < size(); ++i) {
    if (std::isfinite(y_[i]) && std::isfinite(y_[size() + i])) continue;
    throw StateError("", "the motion of '" + name_of(i) +
                             "' is not finite any more: use a smaller step or smaller commands");
  }
}

void RealTimeSimulation::Implementation::step() {
  const bool changed = drives.read_commands();
  starts_evaluated_ = std::exchange(evaluated_, false) && !changed && !drives.any_ideal();
  drives.begin_step(q(y_), qd(y_));
  if (!starts_evaluated_) feed_forward(y_);
  advance();
  drives.end_step(q(y_), qd(y_));
  require_finite();
  ++statistics.steps;
  statistics.unsolved += constraints_.take_unsolved() + impulse_step_.take_unsolved();
  time = static_cast<double>(statistics.steps) * options.step;
}

void RealTimeSimulation::Implementation::evaluate() {
  evaluated_ = false;
  drives.read_commands();
  trial_.y = y_;  // an impact changes the velocities
  feed_forward(trial_.y);
  constraints_.resume(time, 0.0, q(trial_.y), qd(trial_.y));
  if (constraints_.has_initial_accelerations()) {
    const Input initial = constraints_.initial_accelerations();
    std::copy(initial.begin(), initial.end(), accelerations_.begin());
  } else {
    constraints_.accelerations(time, 0.0, q(trial_.y), qd(trial_.y), accelerations_);
  }
  constraints_.drive_efforts(time, q(trial_.y), qd(trial_.y), efforts_);
  for (std::size_t i = 0; i < efforts_.size(); ++i) efforts_[i] += drives.efforts()[i];
  evaluated_ = !constraints_.changes_modes() || trial_.y == y_;  // no impact
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

RealTimeSimulation::RealTimeSimulation(const Model& model, const RealTimeOptions& options)
    : RealTimeSimulation(plant_of(model), options) {}

RealTimeSimulation::RealTimeSimulation(const Mechanism& mechanism, const RealTimeOptions& options)
    : RealTimeSimulation(loop_plant(mechanism), options) {}

RealTimeSimulation::RealTimeSimulation(std::unique_ptr<Plant> plant, const RealTimeOptions& options)
    : implementation_(std::make_unique<Implementation>(std::move(plant), options)) {}

RealTimeSimulation::~RealTimeSimulation() = default;
RealTimeSimulation::RealTimeSimulation(RealTimeSimulation&&) noexcept = default;
RealTimeSimulation& RealTimeSimulation::operator=(RealTimeSimulation&&) noexcept = default;

const Plant& RealTimeSimulation::plant() const { return *implementation_->plant; }
const Model& RealTimeSimulation::model() const { return plant().model(); }
const RealTimeOptions& RealTimeSimulation::options() const { return implementation_->options; }
std::size_t RealTimeSimulation::joints() const { return implementation_->drives.size(); }
std::size_t RealTimeSimulation::size() const { return implementation_->size(); }
std::size_t RealTimeSimulation::substeps() const { return implementation_->substeps; }
bool RealTimeSimulation::implicit() const { return implementation_->implicit; }

void RealTimeSimulation::reset(ConstVector q, ConstVector qd) { implementation_->reset(q, qd); }

bool RealTimeSimulation::continue_from(const RealTimeSimulation& other) noexcept {
  try {
    return implementation_->continue_from(*other.implementation_);
  } catch (const std::exception&) {
    return false;
  }
}

std::span<JointCommand> RealTimeSimulation::commands() {
  return implementation_->drives.commands();
}

void RealTimeSimulation::set_wrenches(std::span<const LinkWrench> wrenches) {
  implementation_->set_wrenches(wrenches);
}

std::span<const LinkWrench> RealTimeSimulation::wrenches() const {
  return implementation_->wrenches;
}

void RealTimeSimulation::begin(std::size_t steps) noexcept { implementation_->drives.begin(steps); }

bool RealTimeSimulation::step() noexcept {
  Implementation& own = *implementation_;
  own.old_y_ = own.y_;
  try {
    own.step();
    return true;
  } catch (const ArgumentError& error) {  // in an intermediate stage
    own.fault = fmt::format(
        "the motion is not finite any more ({}): use a smaller step or smaller commands",
        error.what());
  } catch (const std::exception& error) {
    own.fault = error.what();
  }
  own.y_ = own.old_y_;
  return false;
}

bool RealTimeSimulation::evaluate() noexcept {
  try {
    implementation_->evaluate();
    return true;
  } catch (const std::exception& error) {
    implementation_->fault = error.what();
    return false;
  }
}

bool RealTimeSimulation::measure() noexcept {
  Implementation& own = *implementation_;
  return !own.sensors ||
         own.sensors->measure(own.q(own.y_), own.qd(own.y_), own.accelerations_, own.wrenches,
                              own.plant->base_motion(own.time)) == Status::ok;
}

const Wrench& RealTimeSimulation::force_torque(std::size_t i) const {
  return implementation_->sensors.value().wrench(i);
}

const ImuReading& RealTimeSimulation::imu(std::size_t i) const {
  return implementation_->sensors.value().imu(i);
}

PlantEnergy RealTimeSimulation::energy() noexcept {
  Implementation& own = *implementation_;
  try {
    return own.plant->energy(own.time, own.q(own.y_), own.qd(own.y_));
  } catch (const std::exception&) {
    return {};
  }
}

const std::string& RealTimeSimulation::fault() const { return implementation_->fault; }
const RealTimeStatistics& RealTimeSimulation::statistics() const {
  return implementation_->statistics;
}
double RealTimeSimulation::time() const { return implementation_->time; }
std::span<const double> RealTimeSimulation::positions() const {
  return implementation_->q(implementation_->y_);
}
std::span<const double> RealTimeSimulation::velocities() const {
  return implementation_->qd(implementation_->y_);
}
std::span<const double> RealTimeSimulation::accelerations() const {
  return implementation_->accelerations_;
}
std::span<const double> RealTimeSimulation::efforts() const { return implementation_->efforts_; }

}  // namespace dynamics
