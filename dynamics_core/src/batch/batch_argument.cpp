// SPDX-License-Identifier: Apache-2.0
#include "batch/batch_argument.hpp"

#include <fmt/format.h>

namespace dynamics {

using Kind = view::BatchShape::Kind;

bool BatchArgument::has_right_shape() const noexcept {
  if (!vector_size.is_vector()) return false;
  if (shape.kind == Kind::vector) {
    if (states) return shape.cols == width * *states;
    return width == 0 ? shape.cols == 0 : shape.cols % width == 0;
  }
  if (shape.kind == Kind::strided || shape.stride < 0) return false;
  return shape.width() == width && (!states || shape.states() == *states);
}

bool BatchArgument::fits() const noexcept {
  return has_right_shape() && !(written && state_count() > 1 && stride() < width);
}

std::size_t BatchArgument::state_count() const noexcept {
  if (shape.kind != Kind::vector) return shape.states();
  return width == 0 ? 0 : shape.cols / width;
}

std::size_t BatchArgument::stride() const noexcept {
  return shape.kind == Kind::vector ? width : static_cast<std::size_t>(shape.stride);
}

std::string BatchArgument::message() const {
  if (!vector_size.is_vector()) return vector_size.problem(name, width * states.value_or(1));
  if (has_right_shape()) {
    return fmt::format("{} has overlapping states: {} entries of {} start {} apart in memory", name,
                       state_count(), width, stride());
  }
  if (shape.kind == Kind::vector && states) {
    return fmt::format("{} has {} entries; {} are needed, {} for each of {} states", name,
                       shape.cols, width * *states, width, *states);
  }
  if (shape.kind == Kind::vector) {
    return fmt::format("{} has {} entries; a multiple of {}, the coordinates of a state, is needed",
                       name, shape.cols, width);
  }
  if (shape.kind == Kind::strided || shape.stride < 0) {
    return fmt::format(
        "{} is {} x {} with a stride of {}: the entries of a state must be side by side in memory, "
        "in increasing order of states; copy it first",
        name, shape.rows, shape.cols, shape.stride);
  }
  const std::string count = states ? fmt::format("{}", *states) : "N";
  if (shape.kind == Kind::rows) {
    return fmt::format("{} is a row-major {} x {} matrix; {} x {} is needed, one row per state",
                       name, shape.rows, shape.cols, count, width);
  }
  return fmt::format("{} is {} x {}; {} x {} is needed, one column per state", name, shape.rows,
                     shape.cols, width, count);
}

}  // namespace dynamics
