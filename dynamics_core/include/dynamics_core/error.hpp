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
// caller's own callbacks pass through beside these. Control loops that must not throw use the
// functions of status.hpp.

#include <stdexcept>
#include <string>
#include <utility>

#include "dynamics_core/export.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

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

}  // namespace dynamics
