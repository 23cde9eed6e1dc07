// SPDX-License-Identifier: Apache-2.0
#pragma once

// From matrices over bodies, which the kernels write, to matrices over coordinates: G^T m G, with
// the rates of bodies G qd.

#include <Eigen/Core>

#include "rigid/workspace_memory.hpp"

namespace dynamics {

/// Adds entries over bodies into a matrix over coordinates, without storing m.
class MimicAccumulator {
 public:
  MimicAccumulator(const Model& model, Eigen::Ref<Eigen::MatrixXd>& matrix)
      : bodies_(model.bodies()), matrix_(matrix) {
    matrix.setZero();
  }
  void operator()(std::size_t i, std::size_t j, double value) const {
    const Body &row = bodies_[i], &column = bodies_[j];
    matrix_(static_cast<Eigen::Index>(row.coordinate),
            static_cast<Eigen::Index>(column.coordinate)) +=
        row.multiplier * column.multiplier * value;
  }
  /// All entries of a matrix over bodies.
  void add(const Eigen::MatrixXd& over_bodies) const {
    for (Eigen::Index j = 0; j < over_bodies.cols(); ++j) {
      for (Eigen::Index i = 0; i < over_bodies.rows(); ++i) {
        (*this)(static_cast<std::size_t>(i), static_cast<std::size_t>(j), over_bodies(i, j));
      }
    }
  }

 private:
  std::span<const Body> bodies_;
  Eigen::Ref<Eigen::MatrixXd>& matrix_;
};

/// From the order of bodies to that of coordinates, where each body has a coordinate of its own:
/// floating joints exchange two of them.
inline void reorder(const Model& model, Eigen::Ref<Eigen::MatrixXd>& matrix) {
  for (std::size_t i = 0; i < model.body_count(); ++i) {
    const std::size_t other = model.bodies()[i].coordinate;
    if (other <= i) continue;
    matrix.row(static_cast<Eigen::Index>(i)).swap(matrix.row(static_cast<Eigen::Index>(other)));
    matrix.col(static_cast<Eigen::Index>(i)).swap(matrix.col(static_cast<Eigen::Index>(other)));
  }
}

inline std::size_t column_stride(const Eigen::Ref<Eigen::MatrixXd>& matrix) {
  return static_cast<std::size_t>(matrix.outerStride());
}

/// Fills a matrix over coordinates by fill(data, stride), which writes one over bodies. With mimic
/// joints the latter goes to `scratch` first; where they are too many for that (`scratch` is
/// empty), visit(entry) calls entry(i, j, value) for bodies.
template <class Fill, class Visit>
void over_coordinates(const Model& model, Eigen::MatrixXd& scratch,
                      Eigen::Ref<Eigen::MatrixXd>& matrix, Fill&& fill, Visit&& visit) {
  if (model.size() == model.body_count()) {
    fill(matrix.data(), column_stride(matrix));
    if (!model.coordinates_are_bodies()) reorder(model, matrix);
  } else if (scratch.size() > 0) {
    fill(scratch.data(), static_cast<std::size_t>(scratch.rows()));
    MimicAccumulator(model, matrix).add(scratch);
  } else {
    visit(MimicAccumulator(model, matrix));
  }
}

/// M over coordinates for the joint positions of bodies.
void fill_inertia_matrix(const Model& model, Workspace::Memory& memory, const double* q,
                         Eigen::Ref<Eigen::MatrixXd> M) noexcept;

}  // namespace dynamics
