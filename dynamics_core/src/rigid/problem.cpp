// SPDX-License-Identifier: Apache-2.0
#include "rigid/problem.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "model/model_data.hpp"

namespace dynamics {

Status Problem::status() const noexcept {
  switch (kind) {
    case Kind::other_size:
    case Kind::other_mimics:
    case Kind::other_beams:
    case Kind::other_robot: return Status::wrong_workspace;
    case Kind::vector_size:
    case Kind::output_size:
    case Kind::matrix_size: return Status::wrong_size;
    case Kind::entry_not_finite:
    case Kind::matrix_entry:
    case Kind::not_finite:
    case Kind::wrench_not_finite: return Status::not_finite;
    case Kind::unknown_frame:
    case Kind::wrench_frame: return Status::unknown_frame;
    case Kind::not_a_rotation: return Status::not_a_rotation;
    case Kind::not_positive: return Status::out_of_range;
    case Kind::wrench_axes: return Status::wrong_axes;
    case Kind::shared_memory: return Status::shared_memory;
    case Kind::not_computed: return Status::not_computed;
    case Kind::loop_open:
    case Kind::loop_diverged: return Status::not_closed;
    case Kind::few_actuators:
    case Kind::loop_singular: return Status::singular_loop;
    case Kind::model_singular:
    case Kind::pitch:
    case Kind::pivot:
    case Kind::matrix_pivot:
    case Kind::massless: break;
  }
  return Status::singular;
}

namespace {

std::string argument_message(const Problem& problem, const Model& model) {
  using Kind = Problem::Kind;
  switch (problem.kind) {
    case Kind::other_size:
      return fmt::format(
          "the workspace was made for a model of {} coordinates and {} bodies, '{}' has "
          "{} and {}",
          problem.rows, problem.cols, model.name(), model.size(), model.body_count());
    case Kind::other_mimics:
      return fmt::format(
          "the workspace was made for a model with other mimic joints than those of '{}'",
          model.name());
    case Kind::other_beams:
      return fmt::format(
          "the workspace is for another robot ({} joints, {} amplitudes) than '{}', or one with "
          "its "
          "modes on other links: construct it from this model",
          problem.rows, problem.cols, model.name());
    case Kind::other_robot:
      return fmt::format("{} with another robot than '{}': call it with this model first",
                         problem.name, model.name());
    case Kind::vector_size:
      return problem.size.problem(problem.name, problem.needed) +
             (*problem.hint == '\0' ? "" : std::string(": ") + problem.hint);
    case Kind::output_size:
      return fmt::format("{} has room for {} entries; {} are needed", problem.name, problem.rows,
                         problem.needed);
    case Kind::matrix_size:
      return fmt::format("{} is {} x {}; {} x {} is needed", problem.name, problem.rows,
                         problem.cols, problem.needed, problem.needed_cols);
    case Kind::entry_not_finite:
      return fmt::format("{}[{}] is {}; finite numbers are needed", problem.name, problem.index,
                         problem.value);
    case Kind::matrix_entry:
      return fmt::format("{}({}, {}) is {}; finite numbers are needed", problem.name, problem.rows,
                         problem.cols, problem.value);
    case Kind::not_finite: return fmt::format("{} is not finite", problem.name);
    case Kind::not_a_rotation:
      return fmt::format("{}.rotation is not a rotation matrix", problem.name);
    case Kind::not_positive:
      return fmt::format("{} is {}; it must be above zero", problem.name, problem.value);
    case Kind::unknown_frame:
      return fmt::format("frame {} does not exist; '{}' has {} frames", problem.index, model.name(),
                         model.frames().size());
    case Kind::wrench_frame:
      return fmt::format("wrenches[{}] acts on frame {}; '{}' has {} frames", problem.index,
                         problem.needed, model.name(), model.frames().size());
    case Kind::wrench_not_finite: return fmt::format("wrenches[{}] is not finite", problem.index);
    case Kind::wrench_axes:
      return fmt::format("{} takes wrenches that turn with their links: give them in Axes::local",
                         problem.name);
    case Kind::shared_memory:
      return fmt::format("{} and {} share memory: give each memory of its own", problem.name,
                         problem.other);
    default: return "";
  }
}

}  // namespace

void raise(const Problem& problem, const Model& model) {
  using Kind = Problem::Kind;
  switch (problem.kind) {
    case Kind::not_computed:
      throw StateError(fmt::format("not computed yet: call {} first", problem.name));
    case Kind::model_singular: throw StateError(model.singular_reason());
    case Kind::pitch:
      throw StateError(
          "joint '" + model.coordinates()[problem.index].joint + "'",
          "its pitch is +-90 degrees, where roll and yaw are the same rotation: the inertia matrix "
          "is singular there; re-orient the base frame so that pitch stays away from +-90 degrees");
    case Kind::pivot:
      throw StateError(
          "joint '" + model.bodies()[problem.index].joint + "'",
          fmt::format("the inertia that it moves in this position is {:.3g}: no acceleration "
                      "can be computed",
                      problem.value));
    case Kind::matrix_pivot:
      throw StateError(
          "joint '" + model.coordinates()[problem.index].name + "'",
          fmt::format("the inertia matrix is singular: its pivot is {:.3g}", problem.value));
    case Kind::massless:
      throw StateError("robot '" + model.name() + "'",
                       "its inertia matrix is singular: a joint moves no mass");
    case Kind::loop_open:
      throw StateError(
          fmt::format("constraint '{}'", problem.name),
          fmt::format("the loop is open by {:.3g} of the mechanism's size in this position; 1e-6 "
                      "is allowed: close it with close_loops() or project_on_loops()",
                      problem.value));
    case Kind::loop_diverged:
      throw StateError(
          fmt::format("constraint '{}'", problem.name),
          fmt::format("the loop does not close: Newton's method leaves an error of {:.3g} of the "
                      "mechanism's size; give positions that can be reached",
                      problem.value));
    case Kind::loop_singular:
      throw StateError(
          "joint '" + model.coordinates()[problem.index].name + "'",
          fmt::format("the loop of constraint '{}' is singular in this position (condition number "
                      "{:.2g}): its motion does not follow from that of the independent joints",
                      problem.name, problem.value));
    case Kind::few_actuators:
      throw StateError("robot '" + model.name() + "'",
                       fmt::format("{} actuators cannot exert the torques of {} independent joints",
                                   problem.rows, problem.cols));
    default: throw ArgumentError(argument_message(problem, model));
  }
}

Checks& Checks::fail(Problem::Kind kind, const char* name, std::size_t index) noexcept {
  problem_.kind = kind;
  problem_.name = name;
  problem_.index = index;
  status_ = problem_.status();
  return *this;
}

Checks& Checks::made_for(const Model& model, std::size_t size, std::size_t body_count) noexcept {
  if (failed() || (size == model.size() && body_count == model.body_count())) return *this;
  problem_.rows = static_cast<Eigen::Index>(size);
  problem_.cols = static_cast<Eigen::Index>(body_count);
  return fail(Problem::Kind::other_size);
}

Checks& Checks::same_mimics(bool same) noexcept {
  return failed() || same ? *this : fail(Problem::Kind::other_mimics);
}

Checks& Checks::same_beams(bool same, std::size_t joints, std::size_t amplitudes) noexcept {
  if (failed() || same) return *this;
  problem_.rows = static_cast<Eigen::Index>(joints);
  problem_.cols = static_cast<Eigen::Index>(amplitudes);
  return fail(Problem::Kind::other_beams);
}

Checks& Checks::vector(const char* name, ConstVector vector, std::size_t size,
                       const char* hint) noexcept {
  if (failed()) return *this;
  if (!(vector.checked_size() == size)) {
    problem_.size = vector.checked_size();
    problem_.needed = size;
    problem_.hint = hint;
    return fail(Problem::Kind::vector_size, name);
  }
  // x - x is zero for every finite x and NaN for the others
  double sum = 0.0;
  for (const double x : vector) sum += x - x;
  if (sum == 0.0) return *this;
  std::size_t i = 0;
  while (std::isfinite(vector[i])) ++i;
  problem_.value = vector[i];
  return fail(Problem::Kind::entry_not_finite, name, i);
}

Checks& Checks::output(const char* name, MutableVector vector, std::size_t size) noexcept {
  if (failed()) return *this;
  if (!vector.checked_size().is_vector()) {
    problem_.size = vector.checked_size();
    problem_.needed = size;
    problem_.hint = "";
    return fail(Problem::Kind::vector_size, name);
  }
  return output(name, vector.size(), size);
}

Checks& Checks::output(const char* name, std::size_t room, std::size_t size) noexcept {
  if (failed() || room == size) return *this;
  problem_.rows = static_cast<Eigen::Index>(room);
  problem_.needed = size;
  return fail(Problem::Kind::output_size, name);
}

Checks& Checks::matrix(const char* name, Eigen::Index rows, Eigen::Index cols,
                       std::size_t needed_rows, std::size_t needed_cols) noexcept {
  if (failed() || (rows == static_cast<Eigen::Index>(needed_rows) &&
                   cols == static_cast<Eigen::Index>(needed_cols))) {
    return *this;
  }
  problem_.rows = rows;
  problem_.cols = cols;
  problem_.needed = needed_rows;
  problem_.needed_cols = needed_cols;
  return fail(Problem::Kind::matrix_size, name);
}

Checks& Checks::finite(const char* name, ConstMatrix matrix) noexcept {
  for (Eigen::Index j = 0; j < matrix.cols() && !failed(); ++j) {
    const double* column = matrix.column(j);
    for (Eigen::Index i = 0; i < matrix.rows() && !failed(); ++i) {
      if (std::isfinite(column[i])) continue;
      problem_.rows = i;
      problem_.cols = j;
      problem_.value = column[i];
      fail(Problem::Kind::matrix_entry, name);
    }
  }
  return *this;
}

Checks& Checks::separate(const char* name, const MemoryRows& rows, const char* other,
                         const MemoryRows& other_rows) noexcept {
  if (failed() || !overlap(rows, other_rows)) return *this;
  problem_.other = other;
  return fail(Problem::Kind::shared_memory, name);
}

Checks& Checks::frame(const Model& model, std::size_t frame) noexcept {
  if (failed() || frame < model.frames().size()) return *this;
  return fail(Problem::Kind::unknown_frame, "frame", frame);
}

Checks& Checks::pose(const char* name, const Pose& pose, bool rotation) noexcept {
  if (failed()) return *this;
  using Kind = Problem::Kind;
  if (!pose.translation.allFinite() || (rotation && !pose.rotation.allFinite()))
    return fail(Kind::not_finite, name);
  return !rotation || is_rotation(pose.rotation) ? *this : fail(Kind::not_a_rotation, name);
}

Checks& Checks::positive(const char* name, double value) noexcept {
  if (failed() || (value > 0.0 && std::isfinite(value))) return *this;
  problem_.value = value;
  return fail(Problem::Kind::not_positive, name);
}

Checks& Checks::base(const std::optional<BaseMotion>& base) noexcept {
  if (failed() || !base) return *this;
  using Kind = Problem::Kind;
  if (pose("the base's pose", base->pose).failed()) return *this;
  if (!base->velocity.angular.allFinite() || !base->velocity.linear.allFinite()) {
    return fail(Kind::not_finite, "the base's velocity");
  }
  if (!base->acceleration.angular.allFinite() || !base->acceleration.linear.allFinite()) {
    return fail(Kind::not_finite, "the base's acceleration");
  }
  return *this;
}

Checks& Checks::wrenches(const Model& model, std::span<const LinkWrench> wrenches) noexcept {
  for (std::size_t i = 0; i < wrenches.size() && !failed(); ++i) {
    if (wrenches[i].frame >= model.frames().size()) {
      problem_.needed = wrenches[i].frame;
      fail(Problem::Kind::wrench_frame, "wrenches", i);
    } else if (!wrenches[i].wrench.force.allFinite() || !wrenches[i].wrench.moment.allFinite()) {
      fail(Problem::Kind::wrench_not_finite, "wrenches", i);
    }
  }
  return *this;
}

Checks& Checks::local_axes(const char* who, std::span<const LinkWrench> wrenches) noexcept {
  for (std::size_t i = 0; i < wrenches.size() && !failed(); ++i) {
    if (wrenches[i].axes != Axes::local) fail(Problem::Kind::wrench_axes, who, i);
  }
  return *this;
}

Checks& Checks::computed(bool holds, const char* first) noexcept {
  if (failed() || holds) return *this;
  return fail(Problem::Kind::not_computed, first);
}

Checks& Checks::same_robot(bool same, const char* call) noexcept {
  return failed() || same ? *this : fail(Problem::Kind::other_robot, call);
}

Checks& Checks::regular(const Model& model) noexcept {
  if (failed() || model.data().singular_reason.empty()) return *this;
  return fail(Problem::Kind::model_singular);
}

Checks& Checks::regular(const Model& model, ConstVector q) noexcept {
  if (regular(model).failed()) return *this;
  for (const std::size_t pitch : model.data().pitch_coordinates) {
    if (std::abs(std::cos(q[pitch])) < 1e-7) return fail(Problem::Kind::pitch, "q", pitch);
  }
  return *this;
}

void check_vector(const Model& model, const char* name, ConstVector vector) {
  Problem problem;
  require(Checks(problem).vector(name, vector, model.size()).status(), problem, model);
}

void check_conditions(const Model& model, const ExternalInputs& external) {
  Problem problem;
  require(Checks(problem).external_inputs(model, external).status(), problem, model);
}

}  // namespace dynamics
