// SPDX-License-Identifier: Apache-2.0
#include "robot.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "dynamics_core/error.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/simulate.hpp"

namespace dynamics::python {
namespace {

namespace fs = std::filesystem;

bool is_table_file(const std::string& path) {
  const std::string suffix = fs::path(path).extension().string();
  return suffix == ".yaml" || suffix == ".yml";
}

bool equal(const std::optional<Payload>& a, const std::optional<Payload>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->frame == b->frame && a->mass == b->mass && a->center == b->center &&
         a->inertia == b->inertia;
}

}  // namespace

bool operator==(const RobotSource& a, const RobotSource& b) {
  return a.text == b.text && a.is_table == b.is_table && a.rigid == b.rigid &&
         a.gravity == b.gravity && equal(a.payload, b.payload);
}

std::string read_file(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) throw ParseError(path, "is a folder, not a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw ParseError(path, "cannot be read: no such file, or permission denied");
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad()) throw ParseError(path, "read error before the end of the file");
  return text.str();
}

RobotSource find_source(const std::string& argument) {
  if (const auto table = built_in_table(argument))
    return {.text = std::string(*table), .is_table = true, .name = argument};
  const std::size_t first = argument.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && argument[first] == '<')
    return {.text = argument, .name = "URDF"};
  std::error_code error;
  if (!fs::exists(argument, error)) {
    throw ArgumentError(
        fmt::format("no robot '{}': neither a file nor one of {} nor the text of a URDF", argument,
                    fmt::join(built_in_robots(), ", ")));
  }
  return {.text = read_file(argument), .is_table = is_table_file(argument), .name = argument};
}

Robot::Robot(RobotSource source) : source_(std::move(source)) {
  RobotDescription description;
  std::optional<Eigen::Vector3d> gravity = source_.gravity;
  if (source_.is_table) {
    table_ = read_dh_table(source_.text, source_.name);
    description = describe(*table_);
    if (!gravity) gravity = table_->gravity;
  } else {
    description = read_urdf(source_.text, source_.name);
  }
  ModelOptions options;
  if (gravity) options.gravity = *gravity;
  if (description.constraints.empty()) {
    model_.emplace(std::move(description), options);
    if (source_.payload) model_ = model_->with_payload(*source_.payload);
    if (!source_.rigid && FlexibleModel::has_modes(*model_)) flexible_.emplace(*model_);
    size_ = flexible_ ? flexible_->size() : model_->size();
  } else {
    mechanism_.emplace(std::move(description), options);
    if (source_.payload) mechanism_ = mechanism_->with_payload(*source_.payload);
    model_ = mechanism_->tree();
    size_ = mechanism_->size();
  }
  zeros_.assign(std::max(size_, model_->size()), 0.0);
}

std::vector<std::string> Robot::names() const {
  if (flexible_) return flexible_->coordinate_names();
  std::vector<std::string> all = model_->coordinate_names();
  if (!mechanism_) return all;
  std::vector<std::string> names;
  for (const std::size_t joint : mechanism_->independent()) names.push_back(all[joint]);
  return names;
}

std::vector<double> Robot::start_position() const {
  std::vector<double> start;
  if (mechanism_) {
    for (const std::size_t joint : mechanism_->independent())
      start.push_back(mechanism_->start()[joint]);
    return start;
  }
  start = table_ && !table_->q0.empty() ? table_->q0 : default_start(*model_);
  start.resize(size_, 0.0);
  return start;
}

std::vector<double> Robot::start_velocity() const {
  std::vector<double> start;
  if (table_) start = table_->qd0;
  start.resize(size_, 0.0);
  return start;
}

std::vector<std::string> Robot::warnings() const {
  std::vector<std::string> texts;
  const auto add = [&](std::span<const Note> notes) {
    for (const Note& note : notes) {
      if (note.severity == Note::Severity::warning)
        texts.push_back(note.element + " " + note.message);
    }
  };
  add(model_->notes());
  if (flexible_) add(flexible_->notes());
  if (mechanism_) add(mechanism_->notes());
  return texts;
}

std::string Robot::urdf() const {
  if (!table_) return source_.text;
  try {
    return to_urdf(*table_);
  } catch (const ModelError&) {
    return "";
  }
}

// ---- scratch memory

Workspace& Scratch::workspace() {
  if (!workspace_) workspace_.emplace(robot_->model());
  return *workspace_;
}
DerivativeWorkspace& Scratch::derivatives() {
  if (!derivatives_) derivatives_.emplace(robot_->model());
  return *derivatives_;
}
Kinematics& Scratch::kinematics() {
  if (!kinematics_) kinematics_.emplace(robot_->model());
  return *kinematics_;
}
FlexibleWorkspace& Scratch::flexible() {
  if (!flexible_) flexible_.emplace(*robot_->flexible());
  return *flexible_;
}
MechanismWorkspace& Scratch::mechanism() {
  if (!mechanism_) mechanism_.emplace(*robot_->mechanism());
  return *mechanism_;
}

/// A child process has a copy of the memory, but not the threads: it cannot end them.
void Scratch::leave_threads_of_parent() {
  const int process = batches_.empty() ? process_ : getpid();
  if (process_ == process) return;
  for (Batch& batch : batches_) static_cast<void>(batch.workspace.release());
  batches_.clear();
}

BatchWorkspace& Scratch::batch(std::size_t threads) {
  leave_threads_of_parent();
  process_ = getpid();
  for (Batch& batch : batches_) {
    if (batch.threads == threads) return *batch.workspace;
  }
  batches_.push_back({threads, std::make_unique<BatchWorkspace>(robot_->model(),
                                                                BatchOptions{.threads = threads})});
  return *batches_.back().workspace;
}

Robot::Pool::~Pool() { delete last.load(); }

std::unique_ptr<Scratch> Robot::take() const {
  std::unique_ptr<Scratch> scratch(pool_->last.exchange(nullptr, std::memory_order_acquire));
  if (scratch) return scratch;
  {
    const std::lock_guard lock(pool_->mutex);
    if (!pool_->idle.empty()) {
      scratch = std::move(pool_->idle.back());
      pool_->idle.pop_back();
      return scratch;
    }
  }
  return std::make_unique<Scratch>(*this);
}

void Robot::give_back(std::unique_ptr<Scratch> scratch) const noexcept {
  Scratch* expected = nullptr;
  if (pool_->last.compare_exchange_strong(expected, scratch.get(), std::memory_order_release,
                                          std::memory_order_relaxed)) {
    static_cast<void>(scratch.release());
    return;
  }
  try {
    const std::lock_guard lock(pool_->mutex);
    pool_->idle.push_back(std::move(scratch));
  } catch (...) {
    // no memory for the list: this one is freed
  }
}

}  // namespace dynamics::python
