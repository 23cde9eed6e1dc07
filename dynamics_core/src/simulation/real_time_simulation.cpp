// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/real_time_simulation.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "dynamics_core/error.hpp"
#include "simulation/real_time_implementation.hpp"

namespace dynamics {
namespace {

std::unique_ptr<Plant> plant_of(const Model& model) {
  if (!model.singular_reason().empty())
    throw StateError("robot '" + model.name() + "'", model.singular_reason());
  if (FlexibleModel::has_modes(model)) return flexible_plant(FlexibleModel(model));
  return rigid_plant(model);
}

}  // namespace

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
