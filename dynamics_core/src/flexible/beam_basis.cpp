// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include "dynamics_core/flexible_links.hpp"
#include "dynamics_core/view.hpp"

namespace dynamics {
namespace {

class ClampedFreeBasis : public BeamBasis {
 public:
  std::string name() const override { return "clamped-free"; }

  BeamShape at(int mode, double x, double length) const override {
    const double root = clamped_free_root(mode);
    const double decay = std::exp(-root);
    const double sine = std::sin(root), cosine = std::cos(root);
    // 1/sigma of Eq. (43)
    const double ratio =
        (1.0 + decay * decay + 2.0 * cosine * decay) / (1.0 - decay * decay + 2.0 * sine * decay);
    // cosh z - cos z - (sinh z - sin z)/sigma with the growing exponential written as exp(z - root)
    const double growth = (sine - cosine - decay) / (1.0 - decay * decay + 2.0 * sine * decay);
    const double z = root * x / length;
    const double growing = growth * std::exp(z - root),
                 decaying = 0.5 * (1.0 + ratio) * std::exp(-z);
    const double c = std::cos(z), s = std::sin(z);
    const double k = root / length, sigma = 1.0 / ratio;
    return {sigma * (growing + decaying - c + ratio * s),
            sigma * k * (growing - decaying + s + ratio * c),
            sigma * k * k * (growing + decaying + c - ratio * s)};
  }
};

/// Jacobi polynomial P_n^(a,b)(t).
double jacobi(int n, double a, double b, double t) {
  if (n < 0) return 0.0;
  double previous = 1.0, value = 0.5 * (a - b + (a + b + 2.0) * t);
  if (n == 0) return previous;
  for (int k = 2; k <= n; ++k) {
    const double c = 2.0 * k + a + b;
    const double next = ((c - 1.0) * (c * (c - 2.0) * t + a * a - b * b) * value -
                         2.0 * (k + a - 1.0) * (k + b - 1.0) * c * previous) /
                        (2.0 * k * (k + a + b) * (c - 2.0));
    previous = value;
    value = next;
  }
  return value;
}

class PolynomialBasis : public BeamBasis {
 public:
  std::string name() const override { return "polynomial"; }

  BeamShape at(int mode, double x, double length) const override {
    const double xi = x / length, t = 2.0 * xi - 1.0;
    // d/dt P_n^(a,b) = (n+a+b+1)/2 P_{n-1}^(a+1,b+1), and d/dxi = 2 d/dt
    const double p = jacobi(mode, 0.0, 4.0, t);
    const double first = (mode + 5.0) * jacobi(mode - 1, 1.0, 5.0, t);
    const double second = (mode + 5.0) * (mode + 6.0) * jacobi(mode - 2, 2.0, 6.0, t);
    return {xi * xi * p, (2.0 * xi * p + xi * xi * first) / length,
            (2.0 * p + 4.0 * xi * first + xi * xi * second) / (length * length)};
  }
};

}  // namespace

double clamped_free_root(int mode) {
  // Newton's method on cos m + 1/cosh m = 0, starting at an odd multiple of pi/2
  double m = (mode + 0.5) * std::numbers::pi;
  for (int i = 0; i < 50; ++i) {
    const double sech = 1.0 / std::cosh(m);
    const double step = (std::cos(m) + sech) / (-std::sin(m) - sech * std::tanh(m));
    m -= step;
    if (std::abs(step) < 1e-16 * m) break;
  }
  return m;
}

std::shared_ptr<const BeamBasis> clamped_free_basis() {
  static const auto basis = std::make_shared<const ClampedFreeBasis>();
  return basis;
}

std::shared_ptr<const BeamBasis> polynomial_basis() {
  static const auto basis = std::make_shared<const PolynomialBasis>();
  return basis;
}

std::shared_ptr<const BeamBasis> beam_basis(const std::string& name) {
  if (name == "clamped-free") return clamped_free_basis();
  if (name == "polynomial") return polynomial_basis();
  throw ArgumentError("unknown beam basis '" + name + "': it must be clamped-free or polynomial");
}

}  // namespace dynamics
