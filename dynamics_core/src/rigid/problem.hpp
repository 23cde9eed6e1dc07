// SPDX-License-Identifier: Apache-2.0
#pragma once

// Problem: why a call has no answer, kept without allocating; its message is written only where an
// exception is thrown. Checks: the checks of arguments, in order, up to the first problem.

#include <Eigen/Core>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/overlap.hpp"
#include "dynamics_core/error.hpp"
#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/view.hpp"

namespace dynamics {

struct Problem {
  enum class Kind : std::uint8_t {
    other_size,         ///< a workspace of a model with `rows` coordinates and `cols` bodies
    other_mimics,       ///< a workspace of a model with other mimic joints
    other_beams,        ///< a workspace of a robot with `rows` joints and `cols` amplitudes
    other_robot,        ///< `name`: the call whose results are those of another robot
    vector_size,        ///< `size` instead of `needed`: `hint`
    output_size,        ///< `rows` instead of `needed`
    matrix_size,        ///< `rows` x `cols` instead of `needed` x `needed_cols`
    entry_not_finite,   ///< entry `index` is `value`
    matrix_entry,       ///< entry (`rows`, `cols`) is `value`
    not_finite,         ///< all of `name`
    not_a_rotation,     ///< `name`
    not_positive,       ///< option `name` is `value`
    unknown_frame,      ///< `index`
    wrench_frame,       ///< wrenches[index] acts on frame `needed`
    wrench_not_finite,  ///< wrenches[index]
    wrench_axes,        ///< `name`: who takes wrenches in Axes::local only
    shared_memory,      ///< `name` and `other`
    not_computed,       ///< `name`: what must be called before
    model_singular,     ///< Model::singular_reason()
    pitch,              ///< of the floating joint of coordinate `index`
    pivot,              ///< of body `index` is `value`
    matrix_pivot,       ///< of coordinate `index` is `value`
    massless,           ///< a joint moves no mass
    loop_open,          ///< constraint `name` has the relative error `value`
    loop_diverged,      ///< Newton's method leaves constraint `name` with the error `value`
    loop_singular,      ///< condition number `value` by coordinate `index`; `name`: a constraint
    few_actuators,      ///< `rows` actuators for `cols` independent joints
  };
  Kind kind;
  const char* name;
  const char* other;
  const char* hint;
  std::size_t index;
  double value;
  view::Size size;
  std::size_t needed, needed_cols;
  Eigen::Index rows, cols;

  Status status() const noexcept;
};

/// Whether a pivot of the inertia matrix can be divided by.
inline bool is_regular(double pivot) noexcept { return pivot > 0.0 && std::isfinite(pivot); }

/// Throws the ArgumentError or StateError of a problem, with its message.
[[noreturn]] void raise(const Problem& problem, const Model& model);

/// Throws where a status is not ok; `problem` then holds the reason.
inline void require(Status status, const Problem& problem, const Model& model) {
  if (status != Status::ok) [[unlikely]] {
    raise(problem, model);
  }
}

/// Checks one argument after the other; after the first problem the others are skipped. Never
/// throws or allocates.
///
///   const Status status = Checks(problem).vector("q", q, n).output("g", g, n).status();
class Checks {
 public:
  explicit Checks(Problem& problem) noexcept : problem_(problem) {}

  /// Memory made for a model of this many coordinates and bodies.
  Checks& made_for(const Model& model, std::size_t size, std::size_t body_count) noexcept;
  Checks& same_mimics(bool same) noexcept;
  /// That a workspace for flexible robots was made for one with the same coordinates per body.
  Checks& same_beams(bool same, std::size_t joints, std::size_t amplitudes) noexcept;
  /// `hint`: what the entries are, for the message; may be empty.
  Checks& vector(const char* name, ConstVector vector, std::size_t size,
                 const char* hint = "") noexcept;
  Checks& output(const char* name, MutableVector vector, std::size_t size) noexcept;
  Checks& output(const char* name, std::size_t room, std::size_t size) noexcept;
  template <class Matrix>
  Checks& matrix(const char* name, const Matrix& given, std::size_t rows,
                 std::size_t cols) noexcept {
    return matrix(name, given.rows(), given.cols(), rows, cols);
  }
  Checks& finite(const char* name, ConstMatrix matrix) noexcept;
  /// That two arguments have no number in common.
  Checks& separate(const char* name, const MemoryRows& rows, const char* other,
                   const MemoryRows& other_rows) noexcept;
  /// The same, or that both start at the same number and have the same stride.
  Checks& separate_or_same(const char* name, const MemoryRows& rows, const char* other,
                           const MemoryRows& other_rows) noexcept {
    return rows == other_rows ? *this : separate(name, rows, other, other_rows);
  }
  Checks& frame(const Model& model, std::size_t frame) noexcept;
  /// A pose; its rotation only where it is used.
  Checks& pose(const char* name, const Pose& pose, bool rotation = true) noexcept;
  /// An option that must be finite and above zero.
  Checks& positive(const char* name, double value) noexcept;
  Checks& base(const std::optional<BaseMotion>& base) noexcept;
  Checks& wrenches(const Model& model, std::span<const LinkWrench> wrenches) noexcept;
  Checks& external_inputs(const Model& model, const ExternalInputs& external) noexcept {
    return base(external.base).wrenches(model, external.wrenches);
  }
  /// That wrenches rotate with their links; `who` takes no others.
  Checks& local_axes(const char* who, std::span<const LinkWrench> wrenches) noexcept;
  /// That `holds`; otherwise `first` must be called before.
  Checks& computed(bool holds, const char* first) noexcept;
  /// That what `call` computed is that of the same robot.
  Checks& same_robot(bool same, const char* call) noexcept;
  /// That the model has no massless joint, which makes M singular in every position.
  Checks& regular(const Model& model) noexcept;
  /// That M is not singular by the model or by the orientation of a floating joint.
  Checks& regular(const Model& model, ConstVector q) noexcept;

  Status status() const noexcept { return status_; }

 private:
  bool failed() const noexcept { return status_ != Status::ok; }
  Checks& matrix(const char* name, Eigen::Index rows, Eigen::Index cols, std::size_t needed_rows,
                 std::size_t needed_cols) noexcept;
  Checks& fail(Problem::Kind kind, const char* name = "", std::size_t index = 0) noexcept;

  Problem& problem_;
  Status status_ = Status::ok;
};

/// Throws ArgumentError where an argument of Model::size() entries, or conditions, cannot be used.
void check_vector(const Model& model, const char* name, ConstVector vector);
void check_conditions(const Model& model, const ExternalInputs& external);

}  // namespace dynamics
