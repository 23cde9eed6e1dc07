// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "workspace_memory.hpp"

namespace dynamics {

/// A matrix over bodies gathered into the one over coordinates: G^T m G.
inline void gather(const Model& model, const Eigen::MatrixXd& bodies,
                   Eigen::Ref<Eigen::MatrixXd>& matrix) {
  matrix.setZero();
  const std::span<const Body> of = model.bodies();
  for (std::size_t j = 0; j < of.size(); ++j) {
    for (std::size_t i = 0; i < of.size(); ++i) {
      matrix(static_cast<Eigen::Index>(of[i].coordinate),
             static_cast<Eigen::Index>(of[j].coordinate)) +=
          of[i].multiplier * of[j].multiplier *
          bodies(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
    }
  }
}

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
  gather(model, bodies, matrix);
}

/// M over coordinates for the joint positions of bodies.
void fill_inertia_matrix(const Model& model, Workspace::Memory& memory, const double* q,
                         Eigen::Ref<Eigen::MatrixXd> M);

}  // namespace dynamics
