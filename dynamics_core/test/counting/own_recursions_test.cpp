// SPDX-License-Identifier: Apache-2.0
// The library's own recursions: at or below the best rows of the papers' tables for 3 to 30 links
// with general angles; their exact counts; and that they execute what is counted.

#include <gtest/gtest.h>

#include "counted_and_executed.hpp"
#include "dynamics_core/dh_table.hpp"
#include "papers/counting/algorithms.hpp"
#include "papers/counting/paper_tables.hpp"
#include "rigid/recursions/forward_dynamics.hpp"
#include "support/random_robot.hpp"

namespace dynamics {
namespace {

using counting::Counts;
using counting::general_arm;
using counting::Polynomial;
using counting::Work;
using test::compare;
using test::numbers;

constexpr std::size_t first = 3, last = 30;

/// A DH arm with random parameters.
Model random_arm(std::size_t links, unsigned seed) {
  test::RandomRobot random(seed);
  DhTable table;
  table.name = "random arm";
  for (std::size_t i = 0; i < links; ++i) {
    const Inertial inertial = random.inertial();
    DhLink link;
    link.joint = "joint" + std::to_string(i);
    link.link = "link" + std::to_string(i);
    link.a = random.uniform(-0.5, 0.5);
    link.b = random.uniform(-0.5, 0.5);
    link.alpha = random.uniform(-3.0, 3.0);
    link.mass = inertial.mass;
    link.r = inertial.centre;
    link.inertia = inertial.inertia;
    table.links.push_back(link);
  }
  table.q0 = table.qd0 = std::vector<double>(links, 0.0);
  return model_from_dh(table);
}

struct Bar {
  Work work;
  const char *paper, *table, *algorithm;
};

TEST(OwnRecursions, AtOrBelowTheBestRows) {
  for (const Bar& bar : {Bar{Work::inverse, "Saha 1999", "Table 1", "Balafoutis et al. (1988)"},
                         Bar{Work::solve, "Saha 2003", "Table I", "Proposed"}}) {
    const counting::PaperRow* row = nullptr;
    for (const counting::PaperRow& one : counting::paper_rows()) {
      if (one.paper == bar.paper && one.table == bar.table && one.algorithm == bar.algorithm) {
        row = &one;
      }
    }
    ASSERT_NE(row, nullptr);
    for (std::size_t links = first; links <= last; ++links) {
      const auto n = static_cast<std::int64_t>(links);
      for (const Model& arm : {general_arm(links), random_arm(links, 1), random_arm(links, 2)}) {
        const Counts ours = counting::count(bar.work, arm).counts;
        EXPECT_LE(ours.products(), row->multiplications(n)) << bar.algorithm << " " << links;
        EXPECT_LE(ours.additions, row->additions(n)) << bar.algorithm << " " << links;
      }
    }
  }
}

TEST(OwnRecursions, ExactCounts) {
  struct Exact {
    Work work;
    const char *M, *A;
  };
  for (const Exact& exact : {Exact{Work::inverse, "84n - 92", "72n - 89"},
                             Exact{Work::solve, "135n - 171", "132n - 191"},
                             Exact{Work::forward, "220n - 261", "207n - 268"}}) {
    std::vector<std::int64_t> m, a;
    for (std::size_t links = first; links <= last; ++links) {
      const Counts counts = counting::count(exact.work, general_arm(links)).counts;
      m.push_back(counts.products());
      a.push_back(counts.additions);
      EXPECT_EQ(counts.sines, static_cast<std::int64_t>(links));
      EXPECT_EQ(counts.cosines, static_cast<std::int64_t>(links));
      EXPECT_EQ(counts.square_roots, 0);
    }
    const auto products = Polynomial::through(m, first), additions = Polynomial::through(a, first);
    ASSERT_TRUE(products && additions) << counting::name(exact.work);
    EXPECT_EQ(products->text(), exact.M) << counting::name(exact.work);
    EXPECT_EQ(additions->text(), exact.A) << counting::name(exact.work);
  }
}

TEST(OwnRecursions, ReportedForTheirPapersToo) {
  const Model arm = general_arm(7);
  const auto denoc = counting::count(formulations::find("denoc"), formulations::Task::inverse, arm);
  EXPECT_EQ(denoc.counts, counting::count(Work::inverse, arm).counts);
  const auto udut = counting::count(formulations::find("udut"), formulations::Task::forward, arm);
  EXPECT_EQ(udut.counts, counting::count(Work::forward, arm).counts);
  EXPECT_EQ(udut.counts - udut.phi, counting::count(Work::solve, arm).counts);
}

/// A double that takes the roads over any scalar: the kernels have their own sines for double.
struct Plain {
  double value;
  Plain() = default;
  explicit Plain(double number) : value(number) {}
  friend Plain operator+(Plain a, Plain b) { return Plain(a.value + b.value); }
  friend Plain operator-(Plain a, Plain b) { return Plain(a.value - b.value); }
  friend Plain operator*(Plain a, Plain b) { return Plain(a.value * b.value); }
  friend Plain operator/(Plain a, Plain b) { return Plain(a.value / b.value); }
  friend Plain operator+(Plain a, double b) { return Plain(a.value + b); }
  friend Plain operator-(Plain a, double b) { return Plain(a.value - b); }
  friend Plain operator*(Plain a, double b) { return Plain(a.value * b); }
  friend Plain operator*(double a, Plain b) { return Plain(a * b.value); }
  friend Plain operator-(Plain a) { return Plain(-a.value); }
  friend Plain sin(Plain a) { return Plain(std::sin(a.value)); }
  friend Plain cos(Plain a) { return Plain(std::cos(a.value)); }
};

/// The library's own recursions.
template <class S>
struct Kernels {
  explicit Kernels(const Model& model)
      : tree(&model.tree()),
        q(numbers<S>(model.body_count(), 0.3)),
        qd(numbers<S>(model.body_count(), 0.9)),
        third(numbers<S>(model.body_count(), 1.5)),
        result(third),
        inverse(q.size()),
        forward(q.size()),
        udut(q.size()) {
    const S zero(0.0);
    base.acceleration = {zero, zero, S(9.81)};
  }
  const Tree* tree;
  std::vector<S> q, qd, third;
  mutable std::vector<S> result;
  kernel::BaseState<S> base;
  mutable std::vector<kernel::InverseScratch<S>> inverse;
  mutable std::vector<kernel::ForwardScratch<S>> forward;
  mutable std::vector<kernel::UdutScratch<S>> udut;
};
template <class S>
struct Inverse : Kernels<S> {
  using Kernels<S>::Kernels;
  void operator()() const {
    kernel::inverse_dynamics<S>(*this->tree, this->inverse.data(), this->base, nullptr,
                                this->q.data(), this->qd.data(), this->third.data(),
                                this->result.data());
  }
};
template <class S>
struct Forward : Kernels<S> {
  using Kernels<S>::Kernels;
  void operator()() const {
    kernel::forward_dynamics<S>(*this->tree, this->forward.data(), this->base, nullptr,
                                this->q.data(), this->qd.data(), this->third.data(),
                                this->result.data());
  }
};
template <class S>
struct Solve : Kernels<S> {
  using Kernels<S>::Kernels;
  void operator()() const {
    kernel::decompose<S>(*this->tree, this->udut.data(), this->q.data());
    kernel::solve<S>(*this->tree, this->udut.data(), this->third.data(), this->result.data());
  }
};

TEST(OwnRecursions, ExecuteWhatIsCounted) {
  const Model arm = general_arm(6);
  compare<Inverse, Plain>("inverse", arm);
  compare<Forward, Plain>("forward", arm);
  compare<Solve, Plain>("solve", arm);
}

}  // namespace
}  // namespace dynamics
