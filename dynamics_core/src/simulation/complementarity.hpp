// SPDX-License-Identifier: Apache-2.0
#pragma once

// ForceLaw and ComplementarityProblem: forces that depend on accelerations by set-valued laws.
//
//   ComplementarityProblem problem(3);             // M w = h + lambda
//   problem.M << 2, 1, 0, 1, 2, 0, 0, 0, 1;        // inertia
//   problem.h << -9.81, 0.3, 1.0;                  // other forces
//   problem.clear();                               // no lambda
//   problem.laws[0].add_stop(0.0, -1);             // pushes up at w = 0, never pulls
//   problem.laws[1].add_force(0.0, 5.0);           // dry friction of 5 N
//   if (problem.solve()) use(problem.w, problem.lambda);

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace dynamics {

/// Limit of forces without limit.
inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// The forces that a joint's friction, drive and stops may exert together at its acceleration w (or
/// its impulses at its velocity w): a nonincreasing staircase. At a riser w is given and the force
/// lies within an interval; on a tread between two risers the force is given.
///
///   friction F and a drive of at most L that wants w = a > 0:
///
///     L + F  -----+                      force
///                 |  riser at 0: held by friction
///     L - F       +-----+
///                       |  riser at a: the drive has its acceleration
///    -L - F             +-----
///                 0     a                w
class ForceLaw {
 public:
  struct Riser {
    double at;            ///< w
    double lower, upper;  ///< interval of the force; may be infinite
  };
  static constexpr std::size_t max_risers = 4;

  /// No force at all.
  void clear();
  /// Adds a force of at most `limit` that drives w towards `at`: limit below, -limit above. With an
  /// infinite limit w is `at`, and all other forces have no effect.
  void add_force(double at, double limit);
  /// Adds a stop: a force of any size that keeps w >= at (side -1) or w <= at (side 1). No riser of
  /// the other forces may lie beyond it.
  void add_stop(double at, int side);

  /// The acceleration is given by a force without limit.
  bool is_rigid() const { return rigid_; }
  std::size_t count() const { return count_; }
  const Riser& riser(std::size_t k) const { return risers_[k]; }
  /// The force on tread k, which lies below riser k (k = 0: below all, k = count(): above all).
  double tread(std::size_t k) const;
  /// The riser at `at`; there must be one.
  std::size_t riser_at(double at) const;

 private:
  Riser& riser_for(double at);
  void update_intervals();

  std::array<Riser, max_risers> risers_{};   // in the order of `at`
  std::array<double, max_risers> limits_{};  // of the forces at each riser
  std::array<int, max_risers> stops_{};      // side of the stop at each riser; 0: none
  std::size_t count_ = 0;
  bool rigid_ = false;  // an infinite limit
};

/// Accelerations w and forces lambda with M w = h + lambda such that (w_i, lambda_i) lies on the
/// staircase laws[i] for each i. M is symmetric and positive definite: there is exactly one
/// solution. With one riser at zero per row this is a boxed linear complementarity problem.
///
/// Closed loops: w = h + M lambda with the responses M = N (N^T M N)^-1 N^T of the loops to unit
/// forces and the accelerations h without lambda. M is positive semidefinite: w is unique, lambda
/// need not be, where rows on risers hold each other through the loops. Such redundant rows keep
/// the force nearest to zero that they may have.
class ComplementarityProblem {
 public:
  /// Which of the two problems.
  enum class Form { inertia, responses };

  /// Allocates for `size` coordinates.
  explicit ComplementarityProblem(std::size_t size, Form form = Form::inertia);

  /// Form::responses: columns of rows without forces are not used.
  Eigen::MatrixXd M;
  Eigen::VectorXd h, w, lambda;
  std::vector<ForceLaw> laws;  ///< no risers: no force
  /// Position on each staircase: 2 k + 1 on riser k, 2 k on tread k. A guess before solve(), the
  /// result after it.
  std::vector<std::size_t> segments;

  /// Removes all forces.
  void clear();
  /// Returns false if M is not positive definite. Does not allocate.
  [[nodiscard]] bool solve();
  /// The search of solve() for the segments has converged, or ended within a relative 1e-9 of the
  /// laws. If not, w and lambda solve the linear problem of the last guess.
  bool converged() const { return converged_; }
  /// The linear problem: w is given where `given` is not zero, lambda elsewhere. Form::responses:
  /// lambda of all rows is read; redundant rows keep it, and w where it is within round-off.
  [[nodiscard]] bool solve_linear(std::span<const char> given);

  bool on_riser(std::size_t row) const { return segments[row] % 2 == 1; }
  /// The riser that the row is on.
  const ForceLaw::Riser& riser(std::size_t row) const { return laws[row].riser(segments[row] / 2); }

 private:
  std::size_t next_segment(std::size_t row, double force_tolerance, double motion_tolerance) const;
  bool decompose(std::size_t count);
  void substitute(std::size_t count);
  bool solve_by_responses(std::span<const char> given);
  std::size_t decompose_responses();
  double response(Eigen::Index row) const;
  bool redundant(std::size_t row) const { return form_ == Form::responses && redundant_[row] != 0; }

  Form form_;

  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> factor_;
  Eigen::VectorXd part_;
  std::vector<Eigen::Index> entries_;     // columns of the entries of each row of L, last row first
  std::vector<std::size_t> first_entry_;  // of each row
  std::vector<Eigen::Index> moving_, given_;
  std::vector<char> on_riser_, redundant_;
  bool converged_ = true;
};

}  // namespace dynamics
