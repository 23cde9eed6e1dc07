// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shape functions of a beam that is clamped at its root: the deflection is the sum of shapes times
// amplitudes (Mohan and Saha, Eq. 1c).

#include <memory>
#include <string>

namespace dynamics {

struct BeamShape {
  double value;      ///< s
  double slope;      ///< ds/dx (1/m)
  double curvature;  ///< d2s/dx2 (1/m^2)
};

/// A basis of one's own: derive, and hand it over in FlexibleOptions::basis.
class BeamBasis {
 public:
  virtual ~BeamBasis() = default;
  virtual std::string name() const = 0;
  /// Shape number `mode` (from 0) at x from 0 to length. Value and slope must be zero at x = 0.
  virtual BeamShape at(int mode, double x, double length) const = 0;
};

/// The eigenfunctions of a uniform cantilever, s = sin z - sinh z - sigma (cos z - cosh z) with
/// z = m_j x/length and cos m_j cosh m_j = -1 (Mohan and Saha, Eq. 43), evaluated without the
/// cancellation that the formula has for high modes. Any number of modes.
std::shared_ptr<const BeamBasis> clamped_free_basis();

/// xi^2 times Jacobi polynomials, orthogonal over the length, 1 at the tip. Unlike the cantilever's
/// modes they can carry a moment at the tip: two of them hold the exact static shape of a beam
/// loaded at its end, so that robots with joints at the tip need fewer of them.
std::shared_ptr<const BeamBasis> polynomial_basis();

/// "clamped-free" or "polynomial"; throws ArgumentError listing them.
std::shared_ptr<const BeamBasis> beam_basis(const std::string& name);

/// Root number `mode` (from 0) of cos m cosh m = -1: 1.8751, 4.6941, ...
double clamped_free_root(int mode);

}  // namespace dynamics
