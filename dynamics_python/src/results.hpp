// SPDX-License-Identifier: Apache-2.0
#pragma once

// Results of the library, written row by row.

#include <Eigen/Core>
#include <algorithm>

#include "dynamics_core/pose.hpp"
#include "robot.hpp"

namespace dynamics::python {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A column-major matrix in the scratch memory.
class ColumnMajor {
 public:
  ColumnMajor(Scratch& scratch, std::size_t index, std::size_t rows, std::size_t cols)
      : matrix_(scratch.matrices[index]) {
    matrix_.resize(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(cols));
  }
  Eigen::MatrixXd& operator*() const { return matrix_; }
  void write_rows(double* out) const {
    Eigen::Map<RowMajor>(out, matrix_.rows(), matrix_.cols()) = matrix_;
  }

 private:
  Eigen::MatrixXd& matrix_;
};

/// As a 4 x 4 matrix.
inline void write_pose(const Pose& pose, double* out) {
  Eigen::Map<Eigen::Matrix<double, 4, 4, Eigen::RowMajor>> matrix(out);
  matrix.setIdentity();
  matrix.topLeftCorner<3, 3>() = pose.rotation;
  matrix.topRightCorner<3, 1>() = pose.translation;
}

inline void write_vector(const Eigen::Vector3d& vector, double* out) {
  std::copy(vector.data(), vector.data() + 3, out);
}

/// Angular, then linear.
inline void write_twist(const Twist& twist, double* out) {
  write_vector(twist.angular, out);
  write_vector(twist.linear, out + 3);
}

}  // namespace dynamics::python
