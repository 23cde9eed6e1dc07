// SPDX-License-Identifier: Apache-2.0
// The counting scalar on expressions counted by hand; its values are those of double.

#include "papers/counting/counted.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>
#include <type_traits>
#include <vector>

#include "papers/counting/polynomial.hpp"
#include "spatial/vector3.hpp"

namespace dynamics::counting {
namespace {

template <class Work>
OperationCount counts_of(Work&& work) {
  const OperationCounter counter;
  work();
  return counter.count();
}

TEST(Counted, ExampleOfTheHeader) {
  Counted x = 2.0, y = 3.0;
  const OperationCounter counter;
  Counted z = 0.5 * x * x + y;
  EXPECT_EQ(counter.count(), (OperationCount{.multiplications = 2, .additions = 1}));
  z = -z / sqrt(y);
  EXPECT_EQ(counter.count(), (OperationCount{.multiplications = 2,
                                             .additions = 1,
                                             .divisions = 1,
                                             .square_roots = 1,
                                             .negations = 1}));
  EXPECT_EQ(z.value(), -(0.5 * 2.0 * 2.0 + 3.0) / std::sqrt(3.0));
}

TEST(Counted, EveryOperatorCountsOnce) {
  const Counted a = 1.25, b = 0.5;
  Counted c = 1.0;
  EXPECT_EQ(counts_of([&] { c = a + b; }), OperationCount{.additions = 1});
  EXPECT_EQ(counts_of([&] { c = a - b; }), OperationCount{.additions = 1});
  EXPECT_EQ(counts_of([&] { c = a * b; }), OperationCount{.multiplications = 1});
  EXPECT_EQ(counts_of([&] { c = a / b; }), OperationCount{.divisions = 1});
  EXPECT_EQ(counts_of([&] { c = -a; }), OperationCount{.negations = 1});
  EXPECT_EQ(counts_of([&] { c += a; }), OperationCount{.additions = 1});
  EXPECT_EQ(counts_of([&] { c -= a; }), OperationCount{.additions = 1});
  EXPECT_EQ(counts_of([&] { c *= a; }), OperationCount{.multiplications = 1});
  EXPECT_EQ(counts_of([&] { c /= a; }), OperationCount{.divisions = 1});
  EXPECT_EQ(counts_of([&] { c = sqrt(a); }), OperationCount{.square_roots = 1});
  EXPECT_EQ(counts_of([&] { c = sin(a); }), OperationCount{.sines = 1});
  EXPECT_EQ(counts_of([&] { c = cos(a); }), OperationCount{.cosines = 1});
}

TEST(Counted, OperationsWithConstantsAreCounted) {
  const Counted a = 1.25;
  Counted c = 1.0;
  EXPECT_EQ(counts_of([&] { c = 2.0 * a; }), OperationCount{.multiplications = 1});
  EXPECT_EQ(counts_of([&] { c = a * 2.0; }), OperationCount{.multiplications = 1});
  EXPECT_EQ(counts_of([&] { c = 1.0 / a; }), OperationCount{.divisions = 1});
  EXPECT_EQ(counts_of([&] { c = 0.0 + a; }), OperationCount{.additions = 1});
  EXPECT_EQ(counts_of([&] { c -= 1.0; }), OperationCount{.additions = 1});
}

TEST(Counted, CopiesAndComparisonsAreNotCounted) {
  const Counted a = 1.25;
  EXPECT_EQ(counts_of([&] {
              Counted b = a, c(2.0), d;
              d = 3.0;
              c = +b;
              const bool compared = a < b || a == 2.0 || 1.0 >= d || isnan(a) || !isfinite(c);
              d = abs(a);
              static_cast<void>(compared);
            }),
            OperationCount{});
}

TEST(Counted, VectorProductsAreCounted) {
  const spatial::Vec3<Counted> a = {1.0, 2.0, 3.0}, b = {4.0, 5.0, 6.0};
  const spatial::Vec3<double> k = {0.1, 0.2, 0.3};
  EXPECT_EQ(counts_of([&] { cross(a, b); }),
            (OperationCount{.multiplications = 6, .additions = 3}));
  EXPECT_EQ(counts_of([&] { cross(k, b); }),
            (OperationCount{.multiplications = 6, .additions = 3}));
  EXPECT_EQ(counts_of([&] { dot(a, k); }), (OperationCount{.multiplications = 3, .additions = 2}));
  EXPECT_EQ(counts_of([&] { 2.0 * a + b; }),
            (OperationCount{.multiplications = 3, .additions = 3}));
}

TEST(Counted, EigenProductsAreCounted) {
  const Eigen::Matrix<Counted, 4, 4> a = Eigen::Matrix<Counted, 4, 4>::Constant(Counted(1.5));
  Eigen::Matrix<Counted, 4, 4> b;
  EXPECT_EQ(counts_of([&] { b = a * a; }),
            (OperationCount{.multiplications = 64, .additions = 48}));
  EXPECT_EQ(counts_of([&] { b += a * Counted(2.0); }),
            (OperationCount{.multiplications = 16, .additions = 16}));
  EXPECT_EQ(counts_of([&] { a.cwiseProduct(a).sum(); }),
            (OperationCount{.multiplications = 16, .additions = 15}));
  const Eigen::Matrix<Counted, 6, 1> v = Eigen::Matrix<Counted, 6, 1>::Constant(Counted(0.5));
  EXPECT_EQ(counts_of([&] { v.dot(v); }), (OperationCount{.multiplications = 6, .additions = 5}));
}

TEST(Counted, HasTheValuesOfDouble) {
  static_assert(sizeof(Counted) == sizeof(double));
  static_assert(std::is_trivially_copyable_v<Counted>);
  const double infinity = std::numeric_limits<double>::infinity();
  const Counted x = 0.7, y = -0.3;
  EXPECT_EQ((sin(x) * y - cos(y) / x).value(), std::sin(0.7) * -0.3 - std::cos(-0.3) / 0.7);
  EXPECT_EQ((Counted(1.0) / Counted(0.0)).value(), infinity);
  EXPECT_TRUE(isnan(Counted(infinity) - Counted(infinity)));
  EXPECT_FALSE(Counted(std::nan("")) < x);
  EXPECT_FALSE(Counted(std::nan("")) == Counted(std::nan("")));
}

TEST(OperationCounter, CanBeNested) {
  Counted a = 1.0;
  const OperationCounter outer;
  a = a * a;
  const OperationCounter inner;
  a = a + a;
  EXPECT_EQ(inner.count(), OperationCount{.additions = 1});
  EXPECT_EQ(outer.count(), (OperationCount{.multiplications = 1, .additions = 1}));
}

TEST(OperationCounter, IsSeparatePerThread) {
  constexpr int threads = 4, each = 2000;
  std::vector<OperationCount> counted(threads);
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) {
    running.emplace_back([&counted, t] {
      const OperationCounter counter;
      Counted a = 1.0;
      for (int i = 0; i < each * (t + 1); ++i) a = a * Counted(1.0);
      counted[static_cast<std::size_t>(t)] = counter.count();
    });
  }
  const OperationCounter here;
  for (std::thread& thread : running) thread.join();
  for (int t = 0; t < threads; ++t) {
    EXPECT_EQ(counted[static_cast<std::size_t>(t)],
              OperationCount{.multiplications = each * (t + 1)});
  }
  EXPECT_EQ(here.count(), OperationCount{});
}

TEST(LineCounter, CountsByLine) {
  using LineCounter = LineCounter<Counted>;
  Counted a = 1.5;
  LineCounter::reset();
  a = a * a;
  LineCounter::start_line("one");
  a = a + a;
  LineCounter::start_line("two");
  a = a / Counted(2.0);
  LineCounter::start_line("one");
  a = a - Counted(1.0);
  const CountsByLine lines = LineCounter::lines();
  EXPECT_EQ(lines, (CountsByLine{{"", OperationCount{.multiplications = 1}},
                                 {"one", OperationCount{.additions = 2}},
                                 {"two", OperationCount{.divisions = 1}}}));
  LineCounter::reset();
  EXPECT_EQ(LineCounter::lines(), (CountsByLine{{"", OperationCount{}}}));
}

TEST(Polynomial, InterpolatesItsValues) {
  // the row of Walker and Orin: rational coefficients, integer values
  const Polynomial row = Polynomial::sixths({1, 69, 230, -282});
  EXPECT_EQ(row.text(), "1/6 n^3 + 23/2 n^2 + 115/3 n - 47");
  std::vector<std::int64_t> values;
  for (std::int64_t n = 3; n <= 30; ++n) values.push_back(row(n));
  EXPECT_EQ(Polynomial::through(values, 3), row);
  ++values.back();
  EXPECT_EQ(Polynomial::through(values, 3), std::nullopt);
  EXPECT_EQ(Polynomial::linear(93, -69).text(), "93n - 69");
  EXPECT_EQ(Polynomial::linear(1, 0).text(), "n");
  EXPECT_EQ(Polynomial::linear(0, 0).text(), "0");
  EXPECT_EQ(Polynomial::linear(-2, 5).text(), "-2n + 5");
  EXPECT_EQ((row - row + Polynomial::linear(2, 1))(10), 21);
}

}  // namespace
}  // namespace dynamics::counting
