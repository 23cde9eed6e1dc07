// SPDX-License-Identifier: Apache-2.0
#pragma once

// ImplicitInertia: the matrix M + c D + c^2 K of implicit steps, with the plant's linear damping D
// and stiffness K (Plant::linear_forces).
//
//   plant.inertia_matrix(t, q, implicit.inertia());    // M
//   implicit.decompose(c, free);                       // rows and columns `free` only
//   implicit.solve_stage(r_q, r_qd);                   // (1 - c J) k = r, in place
//
// Nothing allocates after construction.

#include <Eigen/Core>
#include <span>
#include <vector>

#include "dynamics_core/plant.hpp"

namespace dynamics {

class ImplicitInertia {
 public:
  explicit ImplicitInertia(const Plant& plant);

  bool has_linear_forces() const { return !damping_.empty() || !stiffness_.empty(); }
  /// M, to be set before the functions below.
  Eigen::MatrixXd& inertia() { return inertia_; }

  /// Decomposes the rows and columns `free`, in ascending order. Returns false if the matrix is not
  /// positive definite.
  [[nodiscard]] bool decompose(double c, std::span<const std::size_t> free);

  /// The solution k = [k_q; k_qd] of (1 - c J) k = [r_q; r_qd], in place, for the free coordinates:
  /// J = [0, 1; -M^-1 K, -M^-1 D], which gives
  ///   (M + c D + c^2 K) k_qd = M r_qd - c K r_q,     k_q = r_q + c k_qd.
  /// The other coordinates keep r.
  void solve_stage(std::span<double> r_q, std::span<double> r_qd);

  /// The terms of an implicit Euler step of length h: M + h D + h^2 K, and the impulse h^2 K qd.
  void add_linear_forces(double h, Eigen::Ref<Eigen::MatrixXd> matrix) const;
  void subtract_stiffness_impulse(double h, std::span<const double> qd,
                                  Eigen::Ref<Eigen::VectorXd> impulse) const;

  /// Fastest rate of vibration and of decay (1/s), estimated over sampled positions: sqrt(lambda)
  /// of K x = lambda M x, and lambda of D x = lambda M x. Constraints only lower them (Rayleigh's
  /// principle). Allocates.
  struct Rates {
    double vibration = 0.0, decay = 0.0;
  };
  Rates fastest_rates(Plant& plant);

 private:
  struct Entry {  // of a matrix; the others are zero
    std::size_t row, column;
    double value;
  };
  static std::vector<Entry> entries_of(const Eigen::MatrixXd& matrix);

  std::vector<Entry> damping_, stiffness_;
  Eigen::MatrixXd inertia_, matrix_;
  Eigen::VectorXd right_;
  std::vector<std::size_t> free_;
  std::vector<Eigen::Index> row_;  // by coordinate: its row in matrix_; -1 if it is not free
  double c_ = 0.0;
};

}  // namespace dynamics
