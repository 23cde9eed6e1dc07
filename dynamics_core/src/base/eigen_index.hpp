// SPDX-License-Identifier: Apache-2.0
#pragma once

// Indices of Eigen's matrices.

#include <Eigen/Core>
#include <cstddef>

namespace dynamics {

inline Eigen::Index eigen_index(std::size_t i) { return static_cast<Eigen::Index>(i); }

}  // namespace dynamics
