// SPDX-License-Identifier: Apache-2.0
//
// The three-stage Radau IIA method of order 5 and the transformation that splits its Newton system
// into a real and a complex one (Hairer, Wanner, Solving ODEs II, sections IV.5 and IV.8). Computed
// from closed forms in the scalar type.
//
//   const Radau5Coefficients<double> radau;
//   radau.c[0];      // (4 - sqrt(6)) / 10
//   radau.gamma;     // real eigenvalue of A^-1, 3.637834...
#pragma once

#include <array>
#include <cstddef>

#include "ode/scalar.hpp"
#include "ode/small_lu.hpp"

namespace dynamics::ode {

template <class Real>
struct Radau5Coefficients {
  using Matrix = std::array<std::array<Real, 3>, 3>;

  std::array<Real, 3> c;
  Matrix a;
  Real gamma;  ///< real eigenvalue of A^-1
  Real alpha;  ///< the complex pair alpha +- i beta
  Real beta;
  Matrix t;  ///< A^-1 T = T diag(gamma, [[alpha, beta], [-beta, alpha]])
  Matrix t_inverse;
  std::array<Real, 3> error;  ///< weights of the stages in the error estimate

  Radau5Coefficients() {
    const Real s = root(Real(6));
    const auto over = [](const Real& x, int denominator) { return Real(x / Real(denominator)); };
    c = {over(Real(Real(4) - s), 10), over(Real(Real(4) + s), 10), Real(1)};
    a[0] = {over(Real(Real(88) - Real(7) * s), 360), over(Real(Real(296) - Real(169) * s), 1800),
            over(Real(Real(-2) + Real(3) * s), 225)};
    a[1] = {over(Real(Real(296) + Real(169) * s), 1800), over(Real(Real(88) + Real(7) * s), 360),
            over(Real(Real(-2) - Real(3) * s), 225)};
    a[2] = {over(Real(Real(16) - s), 36), over(Real(Real(16) + s), 36), over(Real(1), 9)};
    error = {over(Real(Real(-13) - Real(7) * s), 3), over(Real(Real(-13) + Real(7) * s), 3),
             over(Real(-1), 3)};

    // Eigenvalues of A: det(A - x) = 0 is 60 x^3 - 36 x^2 + 9 x - 1 = 0, solved by Cardano.
    const Real third = Real(Real(1) / Real(3));
    const Real p = power(Real(81), third);
    const Real q = power(Real(9), third);
    const Real real_root = over(Real(Real(6) + p - q), 30);
    const Real re = over(Real(Real(12) - p + q), 60);
    const Real im = over(Real((p + q) * root(Real(3))), 60);
    const Real norm = Real(re * re + im * im);
    gamma = Real(Real(1) / real_root);
    alpha = Real(re / norm);
    beta = Real(im / norm);

    const Matrix inverse = inverted(a);
    using C = Complex<Real>;
    const auto eigenvector = [&inverse](const C& lambda) {
      const C m00{Real(inverse[0][0] - lambda.re), Real(-lambda.im)};
      const C m11{Real(inverse[1][1] - lambda.re), Real(-lambda.im)};
      const C m01{inverse[0][1], Real(0)};
      const C m10{inverse[1][0], Real(0)};
      const C r0{Real(-inverse[0][2]), Real(0)};
      const C r1{Real(-inverse[1][2]), Real(0)};
      const C determinant = m00 * m11 - m01 * m10;
      return std::array<C, 3>{(r0 * m11 - m01 * r1) / determinant,
                              (m00 * r1 - r0 * m10) / determinant, C{Real(1), Real(0)}};
    };
    const auto v = eigenvector({gamma, Real(0)});
    const auto w = eigenvector({alpha, beta});
    for (std::size_t i = 0; i < 3; ++i) t[i] = {v[i].re, w[i].re, w[i].im};
    t_inverse = inverted(t);
  }

  /// Weight of stage i in the collocation polynomial y(theta) = y0 + sum_i l_i(theta) z_i.
  Real interpolation_weight(std::size_t i, const Real& theta) const {
    Real weight = Real(theta / c[i]);
    for (std::size_t j = 0; j < 3; ++j) {
      if (j != i) weight *= Real((theta - c[j]) / (c[i] - c[j]));
    }
    return weight;
  }

 private:
  static Matrix inverted(const Matrix& m) {
    const auto cofactor = [&m](std::size_t r, std::size_t k) {
      const std::size_t r1 = (r + 1) % 3, r2 = (r + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
      return Real(m[r1][k1] * m[r2][k2] - m[r1][k2] * m[r2][k1]);
    };
    const Real determinant =
        Real(m[0][0] * cofactor(0, 0) + m[0][1] * cofactor(0, 1) + m[0][2] * cofactor(0, 2));
    Matrix out;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) out[i][j] = Real(cofactor(j, i) / determinant);
    }
    return out;
  }
};

}  // namespace dynamics::ode
