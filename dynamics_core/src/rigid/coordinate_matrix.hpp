// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <utility>

#include "rigid/workspace_memory.hpp"

namespace dynamics {

/// Adds entries over bodies into a matrix over coordinates: G^T m G, without m.
class Gather {
 public:
  Gather(const Model& model, Eigen::Ref<Eigen::MatrixXd>& matrix)
      : bodies_(model.bodies()), matrix_(matrix) {
    matrix.setZero();
  }
  void operator()(std::size_t i, std::size_t j, double value) const {
    const Body &row = bodies_[i], &column = bodies_[j];
    matrix_(static_cast<Eigen::Index>(row.coordinate),
            static_cast<Eigen::Index>(column.coordinate)) +=
        row.multiplier * column.multiplier * value;
  }

 private:
  std::span<const Body> bodies_;
  Eigen::Ref<Eigen::MatrixXd>& matrix_;
};

/// From the order of bodies to that of coordinates, where each body has one of its own: floating
/// joints exchange two of them.
inline void reorder(const Model& model, Eigen::Ref<Eigen::MatrixXd>& matrix) {
  for (std::size_t i = 0; i < model.body_count(); ++i) {
    const std::size_t other = model.bodies()[i].coordinate;
    if (other <= i) continue;
    matrix.row(static_cast<Eigen::Index>(i)).swap(matrix.row(static_cast<Eigen::Index>(other)));
    matrix.col(static_cast<Eigen::Index>(i)).swap(matrix.col(static_cast<Eigen::Index>(other)));
  }
}

/// Fills a matrix over coordinates: by fill(data, stride), which writes one over bodies, or with
/// mimic joints by visit(entry), which calls entry(i, j, value) for bodies.
template <class Fill, class Visit>
void over_coordinates(const Model& model, Eigen::Ref<Eigen::MatrixXd>& matrix, Fill&& fill,
                      Visit&& visit) {
  if (model.size() != model.body_count()) {
    visit(Gather(model, matrix));
    return;
  }
  fill(matrix.data(), static_cast<std::size_t>(matrix.outerStride()));
  if (!model.plain()) reorder(model, matrix);
}

/// M over coordinates for the joint positions of bodies.
void fill_inertia_matrix(const Model& model, Workspace::Memory& memory, const double* q,
                         Eigen::Ref<Eigen::MatrixXd> M);

}  // namespace dynamics
