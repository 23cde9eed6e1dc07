// SPDX-License-Identifier: Apache-2.0
//
// The Jacobian df/dy for the implicit methods: the user's, or forward differences.
//
//   JacobianWorkspace<double> work(system.size());
//   work.fill(system, t, y, f, statistics);
//   work.entry(row, column);
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "ode/options.hpp"
#include "ode/system.hpp"

namespace dynamics::ode {

template <class Scalar>
class JacobianWorkspace {
 public:
  using Real = RealOf<Scalar>;

  explicit JacobianWorkspace(std::size_t size)
      : size_(size), matrix_(size * size, Scalar(0)), point_(size), shifted_(size) {}

  const Scalar& entry(std::size_t row, std::size_t column) const {
    return matrix_[row * size_ + column];
  }

  /// f must be f(t, y). Increments sqrt(eps max(1e-5, |y_i|)) as in Hairer's RADAU5.
  void fill(const System<Scalar>& system, const Real& t, std::span<const Scalar> y,
            std::span<const Scalar> f, Statistics& statistics) {
    ++statistics.jacobians;
    if (system.has_jacobian()) {
      system.jacobian(t, y, matrix_);
      return;
    }
    std::copy(y.begin(), y.end(), point_.begin());
    for (std::size_t column = 0; column < size_; ++column) {
      const Real size = larger(Real(1e-5), magnitude(y[column]));
      point_[column] = y[column] + root(Real(epsilon<Real>() * size));
      const Scalar increment = point_[column] - y[column];
      system.derivative(t, point_, shifted_);
      ++statistics.evaluations;
      for (std::size_t row = 0; row < size_; ++row) {
        matrix_[row * size_ + column] = (shifted_[row] - f[row]) / increment;
      }
      point_[column] = y[column];
    }
  }

  /// Estimate of the spectral radius by power iteration, within about a factor of two.
  Real spectral_radius() {
    for (std::size_t i = 0; i < size_; ++i) point_[i] = Scalar(1.0 / static_cast<double>(i + 1));
    Real growth(1);
    for (int iteration = 0; iteration < 2 * averaged_iterations; ++iteration) {
      Real size(0);
      for (std::size_t row = 0; row < size_; ++row) {
        Scalar sum(0);
        for (std::size_t c = 0; c < size_; ++c) sum += entry(row, c) * point_[c];
        shifted_[row] = sum;
        size += magnitude(sum) * magnitude(sum);
      }
      size = root(size);
      if (!(size > Real(0)) || !finite(size)) return size;
      for (std::size_t i = 0; i < size_; ++i) point_[i] = shifted_[i] / Scalar(size);
      // complex pairs let the growth of single iterations vary: their geometric mean
      if (iteration >= averaged_iterations)
        growth *= power(size, Real(Real(1) / Real(averaged_iterations)));
    }
    return growth;
  }

 private:
  static constexpr int averaged_iterations = 8;

  std::size_t size_;
  std::vector<Scalar> matrix_;
  std::vector<Scalar> point_;
  std::vector<Scalar> shifted_;
};

}  // namespace dynamics::ode
