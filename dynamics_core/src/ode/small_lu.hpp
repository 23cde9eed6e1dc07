// SPDX-License-Identifier: Apache-2.0
//
// SmallLu: dense LU with partial pivoting in place, for any field (reals, duals, Complex below), no
// allocation after construction.
//
//   SmallLu<double> lu(2);
//   lu.matrix() = {4, 1, 2, 3};          // row-major
//   if (lu.decompose()) lu.solve(b);     // b becomes the solution
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "ode/scalar.hpp"

namespace dynamics::ode {

/// A complex number over any scalar (std::complex is unspecified except for floating-point types).
template <class Scalar>
struct Complex {
  Scalar re{0};
  Scalar im{0};

  friend Complex operator-(const Complex& a, const Complex& b) {
    return {Scalar(a.re - b.re), Scalar(a.im - b.im)};
  }
  friend Complex operator*(const Complex& a, const Complex& b) {
    return {Scalar(a.re * b.re - a.im * b.im), Scalar(a.re * b.im + a.im * b.re)};
  }
  friend Complex operator/(const Complex& a, const Complex& b) {
    const Scalar norm = b.re * b.re + b.im * b.im;
    return {Scalar((a.re * b.re + a.im * b.im) / norm), Scalar((a.im * b.re - a.re * b.im) / norm)};
  }
};

template <class Scalar>
RealOf<Scalar> pivot_size(const Scalar& x) {
  return magnitude(x);
}
template <class Scalar>
RealOf<Scalar> pivot_size(const Complex<Scalar>& x) {
  return magnitude(x.re) + magnitude(x.im);
}

template <class Field>
class SmallLu {
 public:
  explicit SmallLu(std::size_t size) : size_(size), lu_(size * size), pivots_(size) {}

  std::size_t size() const { return size_; }
  /// Row-major; to be filled before decompose().
  std::vector<Field>& matrix() { return lu_; }
  Field& operator()(std::size_t row, std::size_t column) { return lu_[row * size_ + column]; }

  /// False if the matrix is singular or not finite; then solve() must not be called.
  [[nodiscard]] bool decompose() {
    for (std::size_t k = 0; k < size_; ++k) {
      std::size_t pivot = k;
      auto largest = pivot_size(lu_[k * size_ + k]);
      for (std::size_t r = k + 1; r < size_; ++r) {
        const auto candidate = pivot_size(lu_[r * size_ + k]);
        if (candidate > largest) {
          largest = candidate;
          pivot = r;
        }
      }
      using Real = std::remove_cvref_t<decltype(largest)>;
      if (!(largest > Real(0)) || !finite(largest)) return false;
      pivots_[k] = pivot;
      if (pivot != k) {
        for (std::size_t j = 0; j < size_; ++j) {
          std::swap(lu_[k * size_ + j], lu_[pivot * size_ + j]);
        }
      }
      for (std::size_t r = k + 1; r < size_; ++r) {
        const Field factor = lu_[r * size_ + k] / lu_[k * size_ + k];
        lu_[r * size_ + k] = factor;
        for (std::size_t j = k + 1; j < size_; ++j) {
          lu_[r * size_ + j] = lu_[r * size_ + j] - factor * lu_[k * size_ + j];
        }
      }
    }
    return true;
  }

  void solve(std::span<Field> b) const {
    for (std::size_t k = 0; k < size_; ++k) {
      if (pivots_[k] != k) std::swap(b[k], b[pivots_[k]]);
    }
    for (std::size_t r = 1; r < size_; ++r) {
      for (std::size_t j = 0; j < r; ++j) b[r] = b[r] - lu_[r * size_ + j] * b[j];
    }
    for (std::size_t r = size_; r-- > 0;) {
      for (std::size_t j = r + 1; j < size_; ++j) b[r] = b[r] - lu_[r * size_ + j] * b[j];
      b[r] = b[r] / lu_[r * size_ + r];
    }
  }

 private:
  std::size_t size_;
  std::vector<Field> lu_;
  std::vector<std::size_t> pivots_;
};

}  // namespace dynamics::ode
