// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "dynamics_core/export.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

/// A model that cannot be read or used. `element` names what is wrong with it: a link, a joint, or
/// a file with line and key; `what()` is the element and the message.
class ModelError : public std::runtime_error {
 public:
  /// `element` is the link, joint or file at fault.
  ModelError(std::string element, const std::string& message)
      : std::runtime_error(element.empty() ? message : element + ": " + message),
        element_(std::move(element)) {}

  /// The element that is at fault; may be empty.
  const std::string& element() const noexcept { return element_; }

 private:
  std::string element_;
};

}  // namespace dynamics
