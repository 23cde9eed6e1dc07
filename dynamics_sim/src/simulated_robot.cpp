// SPDX-License-Identifier: Apache-2.0
// Blocks of a robot and their lifecycle. The control loop is in robot_cycle.cpp.
#include "dynamics_sim/simulated_robot.hpp"

#include <algorithm>
#include <cmath>
#include <dynamics_core/closed_loops.hpp>
#include <dynamics_core/error.hpp>
#include <dynamics_core/flexible_links.hpp>
#include <dynamics_core/readers.hpp>
#include <stdexcept>
#include <utility>

namespace dynamics_sim {
namespace {

std::unique_ptr<dynamics::Plant> make_plant(const std::string& urdf,
                                            const dynamics::ModelOptions& options) {
  dynamics::RobotDescription description = dynamics::read_urdf(urdf, "robot description");
  if (!description.constraints.empty())
    return dynamics::loop_plant(dynamics::Mechanism(std::move(description), options));
  const dynamics::Model model(std::move(description), options);
  if (!model.singular_reason().empty())
    throw dynamics::StateError("robot '" + model.name() + "'", model.singular_reason());
  if (dynamics::FlexibleModel::has_modes(model))
    return dynamics::flexible_plant(dynamics::FlexibleModel(model));
  return dynamics::rigid_plant(model);
}

/// The robots of this process.
struct Robots {
  std::mutex mutex;
  std::vector<std::weak_ptr<SimulatedRobot>> all;
};

Robots& robots() {
  static Robots instance;
  return instance;
}

}  // namespace

SimulatedRobot::SimulatedRobot(std::string description, ManagerIdentity manager)
    : description_(std::move(description)),
      manager_(std::move(manager)),
      clock_(SystemRegistry::instance().clock(manager_.executor)) {}

SimulatedRobot::~SimulatedRobot() {
  if (link_) link_->set_server(nullptr);
}

std::shared_ptr<SimulatedRobot> SimulatedRobot::join(const ManagerIdentity& manager,
                                                     const hardware_interface::HardwareInfo& info) {
  Robots& known = robots();
  const std::lock_guard guard(known.mutex);
  std::erase_if(known.all, [](const auto& one) { return one.expired(); });
  for (const auto& one : known.all) {
    auto robot = one.lock();
    if (!robot || robot->description_ != info.original_xml || robot->manager_ != manager) continue;
    const auto& members = robot->members_;
    const auto same = [&](const Member& member) { return member.name == info.name; };
    if (std::any_of(members.begin(), members.end(), same)) continue;
    robot->add(info);
    return robot;
  }
  std::shared_ptr<SimulatedRobot> made(new SimulatedRobot(info.original_xml, manager));
  made->add(info);
  known.all.push_back(made);
  return made;
}

void SimulatedRobot::add(const hardware_interface::HardwareInfo& info) {
  const Lock guard = lock();
  for (const Member& other : members_) {
    if (other.configured) {
      throw std::invalid_argument("block '" + other.name +
                                  "' of this robot is configured already: all its blocks must be "
                                  "loaded before");
    }
  }
  blocks_.push_back({info, {}, {}});
  const bool any_async = std::any_of(blocks_.begin(), blocks_.end(),
                                     [](const SystemBlock& one) { return one.info.is_async; });
  try {
    if (any_async && blocks_.size() > 1) {
      throw std::invalid_argument("block '" + info.name + "' shares the robot with block '" +
                                  blocks_.front().info.name +
                                  "': blocks with is_async must be the only one of a robot");
    }
    Member member;
    member.name = info.name;
    member.number = members_.empty() ? 0 : members_.back().number + 1;
    member.rate = static_cast<std::int64_t>(info.rw_rate);
    member.link = std::make_shared<BlockLink>();
    member.link->name = info.name;
    member.link->every_cycle = !info.is_async;
    member.link->read_period = member.rate == 0 ? 0 : 1'000'000'000 / member.rate;
    members_.push_back(std::move(member));
    build();
  } catch (...) {
    blocks_.pop_back();
    if (members_.size() > blocks_.size()) members_.pop_back();
    throw;
  }
}

/// Makes the simulation of all blocks so far.
void SimulatedRobot::build() {
  parameters_ = read_parameters(blocks_);
  plant_ = make_plant(description_, parameters_.model);
  read_joints(blocks_, *plant_, parameters_);
  for (SystemBlock& block : blocks_)
    block.sensors = read_sensors(block.info, plant_->model(), parameters_.simulation);
  simulation_ = std::make_unique<dynamics::RealTimeSimulation>(plant_->with_payload(std::nullopt),
                                                               parameters_.simulation);
  initial_ = read_initial_values(blocks_, *simulation_, parameters_);
  step_ = std::llround(parameters_.simulation.step * 1e9);
  period_ = step_;
  SystemLink::Blocks links;
  std::int64_t fastest = 0;
  for (const Member& member : members_) {
    fastest = std::max(fastest, member.rate);
    links.push_back(member.link);
  }
  if (fastest > 0) period_ = 1'000'000'000 / fastest;
  link_ = std::make_shared<SystemLink>(*simulation_, initial_, std::move(links), clock_);
  SystemRegistry::instance().add(link_);
}

void SimulatedRobot::leave(const std::string& block) {
  end(block);
  const std::lock_guard all(robots().mutex);
  const Lock guard = lock();
  std::erase_if(blocks_, [&](const SystemBlock& one) { return one.info.name == block; });
  std::erase_if(members_, [&](const Member& one) { return one.name == block; });
}

SimulatedRobot::Member& SimulatedRobot::member(const std::string& name) {
  return *std::find_if(members_.begin(), members_.end(),
                       [&](const Member& one) { return one.name == name; });
}

const SystemBlock& SimulatedRobot::block(const std::string& name) const {
  return *std::find_if(blocks_.begin(), blocks_.end(),
                       [&](const SystemBlock& one) { return one.info.name == name; });
}

bool SimulatedRobot::is_first(const std::string& block) const {
  return blocks_.front().info.name == block;
}

std::shared_ptr<BlockLink> SimulatedRobot::block_link(const std::string& block) const {
  for (const auto& link : link_->blocks()) {
    if (link->name == block) return link;
  }
  return nullptr;
}

void SimulatedRobot::configure(const std::string& block, std::function<void()> serve_block) {
  {
    const Lock guard = lock();
    Member& own = member(block);
    const bool others = std::any_of(members_.begin(), members_.end(), [&](const Member& one) {
      return &one != &own && one.configured;
    });
    if (!others || faulted_) restart();
    own.configured = true;
    own.was_read = false;
    own.serve = std::move(serve_block);
    link_->configured = true;
  }
  link_->set_server([this] { serve(); });
}

/// Starts from the initial state: not paused, without payload, wrenches and pending requests.
void SimulatedRobot::restart() {
  forget_requests();
  hold_.assign(simulation_->joints(), 0.0);
  before_ = initial_;
  simulation_->reset(initial_.q, initial_.qd);
  remainder_ = 0;
  late_ = unsolved_ = 0;
  has_stepper_ = faulted_ = false;
  ++restarts_;
  for (std::size_t i = 0; i < hold_.size(); ++i) release(i);
  if (!evaluate()) throw std::runtime_error(simulation_->fault());
}

void SimulatedRobot::forget_requests() {
  link_->paused = false;
  link_->steps = 0;
  link_->payload.withdraw();
  link_->reset.withdraw();
  wrenches_.clear(link_->wrenches);
  if (!simulation_->model().payload()) return;
  simulation_ = std::make_unique<dynamics::RealTimeSimulation>(
      simulation_->plant().with_payload(std::nullopt), parameters_.simulation);
}

void SimulatedRobot::activate(const std::string& block) {
  const Lock guard = lock();
  Member& own = member(block);
  if (!link_->active) {
    remainder_ = 0;
    link_->time = clock_->time.load();
  }
  own.link->time = clock_->time.load();
  own.link->active = true;
  link_->active = true;
}

void SimulatedRobot::deactivate(const std::string& block) {
  const Lock guard = lock();
  member(block).link->active = false;
  link_->active = std::any_of(members_.begin(), members_.end(),
                              [](const Member& one) { return one.link->active.load(); });
  if (!link_->active || hold_.empty()) return;
  for (const SystemJoint& joint : this->block(block).joints) {
    if (!joint.mimic) release(joint.coordinate);
  }
}

void SimulatedRobot::end(const std::string& block) {
  deactivate(block);
  bool last = false;
  {
    const Lock guard = lock();
    Member& own = member(block);
    own.configured = false;
    own.serve = nullptr;
    last = std::none_of(members_.begin(), members_.end(),
                        [](const Member& one) { return one.configured; });
    if (last) link_->configured = false;
  }
  if (last) link_->set_server(nullptr);
}

}  // namespace dynamics_sim
