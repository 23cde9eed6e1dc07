// SPDX-License-Identifier: Apache-2.0
#pragma once

// The exceptions of this library. All derive from dynamics::Error, so that one handler is enough:
//
//   try {
//     const dynamics::Model model = dynamics::model_from_urdf_file(path);
//     dynamics::forward_dynamics(model, workspace, q, qd, tau, qdd);
//   } catch (const dynamics::ParseError& error) {     // the file: show error.what() to its author
//   } catch (const dynamics::StateError& error) {     // no acceleration exists in this position
//   } catch (const dynamics::Error& error) {          // everything else that the library reports
//   }
//
// A function that throws has not written to its outputs. Only std::bad_alloc and exceptions of the
// caller's own callbacks pass through beside these.
//
// Control loops, which must not throw, call the variant try_NAME of a function NAME. It has the
// same arguments and returns a Status:
//
//   if (try_inverse_dynamics(model, workspace, q, qd, qdd, tau) != Status::ok) hold_position();
//
//   const Status status = try_forward_dynamics(model, workspace, q, qd, tau, qdd);
//   if (status != Status::ok) log(to_string(status));          // "singular inertia matrix"
//
// Every function that takes memory made beforehand (Workspace, DerivativeWorkspace,
// FlexibleWorkspace, MechanismWorkspace, BatchWorkspace, Kinematics, InertiaFactor) has one. Only
// effort_parts() and scale_time() have none, because they allocate their results.
//
// A result that NAME returns is the last output argument of try_NAME (before the base motion).
// All of them are noexcept, never allocate, and write no output unless they return Status::ok (two
// exceptions: batches, see batch.hpp, and large robots, see udut()). NAME calls try_NAME and
// throws: ArgumentError for the statuses from wrong_workspace to shared_memory, StateError for
// the others.

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#pragma GCC visibility push(default)
namespace dynamics {

/// Base of the four kinds below. `what()` is "element: message", or the message alone.
class Error : public std::runtime_error {
 public:
  /// An error that names no element.
  explicit Error(const std::string& message) : std::runtime_error(message) {}
  /// An error of `element`: a link, joint, argument or file.
  Error(std::string element, const std::string& message)
      : std::runtime_error(element.empty() ? message : element + ": " + message),
        element_(std::move(element)) {}

  /// The link, joint, argument, or file and line ("arm.urdf:12") at fault; may be empty.
  const std::string& element() const noexcept { return element_; }

 private:
  std::string element_;
};

/// A text or file that cannot be read: not there, malformed XML, YAML, CSV or URDF, an unknown key,
/// a value of the wrong kind.
class ParseError : public Error {
 public:
  using Error::Error;
};

/// A robot that cannot exist or is not supported: no root link, a negative mass, a loop of parents.
class ModelError : public Error {
 public:
  using Error::Error;
};

/// An argument of a call that cannot be used: wrong size, not finite, unknown name, wrong
/// workspace. The message names the argument and what would be right.
class ArgumentError : public Error {
 public:
  using Error::Error;
};

/// A state without an answer: a singular inertia matrix, a floating joint at pitch = +-90 degrees,
/// an integration that cannot go on, a file that cannot be written.
class StateError : public Error {
 public:
  using Error::Error;
};

/// The result of a function that does not throw.
// clang-format off
enum class [[nodiscard]] Status {
  ok,
  wrong_workspace,  ///< the workspace, Kinematics or InertiaFactor is that of another model
  wrong_size,       ///< a vector or matrix of the wrong size, or with a stride
  not_finite,       ///< an argument has a NaN or an infinity
  unknown_frame,    ///< an index outside of Model::frames()
  not_a_rotation,   ///< the rotation matrix of the base or of a target is not orthogonal
  out_of_range,     ///< an option that must be above zero is not
  wrong_axes,       ///< a wrench in other axes than the function takes
  shared_memory,    ///< two outputs have numbers in common
  not_computed,     ///< a query before the pass that computes its answer
  singular,         ///< the inertia matrix is singular in this position
  not_closed,       ///< the position does not close the loops of a mechanism
  singular_loop,    ///< the loops of a mechanism are singular in this position (a dead center)
};
// clang-format on

/// A few words, such as "not finite".
std::string_view to_string(Status status) noexcept;

}  // namespace dynamics
#pragma GCC visibility pop
