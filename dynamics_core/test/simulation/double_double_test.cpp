// SPDX-License-Identifier: Apache-2.0
// DoubleDouble compared with Boost.Multiprecision: arithmetic, and forward dynamics computed with
// it.

#include "papers/wide/double_double.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <random>
#include <vector>

#include "dynamics_core/readers.hpp"
#include "ode/scalar.hpp"
#include "rigid/recursions/forward_dynamics.hpp"

namespace dynamics {
namespace {

using Exact = boost::multiprecision::cpp_bin_float_50;

Exact exact(const DoubleDouble& x) { return Exact(x.high) + Exact(x.low); }

/// |x - y| / |y|
double error(const DoubleDouble& x, const Exact& y) {
  if (y == 0) return std::abs(static_cast<double>(x));
  return static_cast<double>(abs(Exact((exact(x) - y) / y)));
}

class Numbers {
 public:
  DoubleDouble next(double size = 1.0) {
    const double high = size * std::ldexp(uniform_(engine_), static_cast<int>(engine_() % 20) - 10);
    return DoubleDouble::sum(high, high * uniform_(engine_) * 0x1p-54);
  }

 private:
  std::mt19937_64 engine_{7};
  std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
};

TEST(DoubleDouble, ArithmeticHasThirtyOneDigits) {
  Numbers numbers;
  for (int i = 0; i < 20'000; ++i) {
    const DoubleDouble a = numbers.next(), b = numbers.next();
    ASSERT_LT(error(a + b, exact(a) + exact(b)), 5e-32);
    ASSERT_LT(error(a - b, exact(a) - exact(b)), 5e-32);
    ASSERT_LT(error(a * b, exact(a) * exact(b)), 1e-31);
    ASSERT_LT(error(a / b, exact(a) / exact(b)), 1e-31);
    const DoubleDouble root = sqrt(abs(a));
    ASSERT_LT(error(root, sqrt(Exact(abs(exact(a))))), 1e-31);
  }
}

TEST(DoubleDouble, SineAndCosineHaveThirtyOneDigits) {
  Numbers numbers;
  for (int i = 0; i < 5'000; ++i) {
    const DoubleDouble x = numbers.next(i % 2 == 0 ? 1.0 : 100.0);
    ASSERT_LT(static_cast<double>(abs(Exact(exact(sin(x)) - sin(exact(x))))), 1e-31);
    ASSERT_LT(static_cast<double>(abs(Exact(exact(cos(x)) - cos(exact(x))))), 1e-31);
  }
  const Exact pi = boost::math::constants::pi<Exact>();
  EXPECT_LT(error(pi_of<DoubleDouble>(), pi), 1e-32);
  EXPECT_EQ(static_cast<double>(sin(DoubleDouble(0.0))), 0.0);
}

TEST(DoubleDouble, ParsesDecimals) {
  for (const char* text : {"0.1", "-3.14159265358979323846264338327950288", "1e-20", "2.5E3", "7",
                           "+0.000123", "123456789012345678901234567890"}) {
    EXPECT_LT(error(DoubleDouble(std::string(text)), Exact(text)), 1e-31) << text;
  }
  for (const char* text : {"", "x", "1x", "-"}) {
    EXPECT_THROW(DoubleDouble{std::string(text)}, ArgumentError) << text;
  }
  EXPECT_LT(error(ode::constant<DoubleDouble>("-8263/15000"), Exact(-8263) / Exact(15000)), 1e-31);
}

TEST(DoubleDouble, ComparesBothParts) {
  const DoubleDouble one(1.0), more(1.0, 1e-20), less(1.0, -1e-20);
  EXPECT_TRUE(less < one && one < more && less < more && more > one);
  EXPECT_TRUE(one <= one && one >= one && !(one < one) && one == DoubleDouble(1));
  EXPECT_FALSE(isfinite(std::numeric_limits<DoubleDouble>::infinity()));
  EXPECT_TRUE(std::numeric_limits<DoubleDouble>::epsilon() > DoubleDouble(1e-32));
}

/// The forward dynamics recursion with any real type.
template <class Real>
std::vector<Real> accelerations(const Model& model, const std::vector<double>& q,
                                const std::vector<double>& qd, const std::vector<double>& tau) {
  std::vector<kernel::ForwardScratch<Real>> scratch(model.body_count());
  const std::vector<Real> q_(q.begin(), q.end()), qd_(qd.begin(), qd.end());
  const std::vector<Real> tau_(tau.begin(), tau.end());
  std::vector<Real> qdd(q.size());
  kernel::BaseState<Real> base;
  base.acceleration = {Real(0.0), Real(0.0), Real(9.81)};
  kernel::forward_dynamics<Real>(model.tree(), scratch.data(), base, nullptr, q_.data(), qd_.data(),
                                 tau_.data(), qdd.data());
  return qdd;
}

TEST(DoubleDouble, ForwardDynamicsMatchesQuadruplePrecision) {
  using Quad = boost::multiprecision::number<
      boost::multiprecision::cpp_bin_float<113, boost::multiprecision::backends::digit_base_2, void,
                                           std::int16_t, -16382, 16383>,
      boost::multiprecision::et_off>;
  for (const char* robot : {"puma", "stanford"}) {
    const Model model = model_from_dh(built_in_robot(robot));
    const std::vector<double> q = {0.3, -0.5, 0.9, 0.2, -0.7, 1.1}, qd = {1, -2, 0.5, 3, -1, 2},
                              tau = {3, -20, 7, 0.1, 0.3, -0.2};
    const auto ours = accelerations<DoubleDouble>(model, q, qd, tau);
    const auto theirs = accelerations<Quad>(model, q, qd, tau);
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_LT(error(ours[i], Exact(theirs[i])), 1e-27) << robot << i;
    }
  }
}

}  // namespace
}  // namespace dynamics
