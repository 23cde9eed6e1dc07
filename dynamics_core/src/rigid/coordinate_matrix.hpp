// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "workspace_memory.hpp"

namespace dynamics {

/// Gathers entries of a matrix over bodies into the matrix over coordinates, G^T m G.
class CoordinateMatrix {
 public:
  CoordinateMatrix(const Model& model, Eigen::Ref<Eigen::MatrixXd>& matrix)
      : bodies_(model.bodies()), plain_(model.plain()), matrix_(matrix) {
    matrix_.setZero();
  }

  void add(std::size_t row, std::size_t col, double value) {
    if (plain_) {
      matrix_(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(col)) = value;
    } else {
      const Body &a = bodies_[row], &b = bodies_[col];
      matrix_(static_cast<Eigen::Index>(a.coordinate), static_cast<Eigen::Index>(b.coordinate)) +=
          a.multiplier * b.multiplier * value;
    }
  }

 private:
  std::span<const Body> bodies_;
  bool plain_;
  Eigen::Ref<Eigen::MatrixXd>& matrix_;
};

/// Fills a matrix over coordinates by fill(data, stride), which writes one over bodies.
template <class Fill>
void over_coordinates(const Model& model, Workspace::Memory& memory,
                      Eigen::Ref<Eigen::MatrixXd>& matrix, Fill&& fill) {
  if (model.plain()) {
    fill(matrix.data(), static_cast<std::size_t>(matrix.outerStride()));
    return;
  }
  Eigen::MatrixXd& bodies = memory.dense_bodies;
  fill(bodies.data(), static_cast<std::size_t>(bodies.outerStride()));
  CoordinateMatrix out(model, matrix);
  for (Eigen::Index j = 0; j < bodies.cols(); ++j) {
    for (Eigen::Index i = 0; i < bodies.rows(); ++i) {
      out.add(static_cast<std::size_t>(i), static_cast<std::size_t>(j), bodies(i, j));
    }
  }
}

/// M over coordinates for the joint positions of bodies.
void fill_inertia_matrix(const Model& model, Workspace::Memory& memory, const double* q,
                         Eigen::Ref<Eigen::MatrixXd> M);

}  // namespace dynamics
