// SPDX-License-Identifier: Apache-2.0
// The library's own recursions: exact operation counts, not above the best rows of the papers'
// tables for 3 to 30 links with general angles; the executed instructions equal the counts.

#include <gtest/gtest.h>

#include "counted_and_executed.hpp"
#include "dynamics_core/readers.hpp"
#include "papers/counting/algorithms.hpp"
#include "papers/counting/paper_tables.hpp"
#include "rigid/recursions/forward_dynamics.hpp"
#include "rigid/recursions/inverse_dynamics.hpp"
#include "rigid/recursions/udut.hpp"
#include "support/random_robot.hpp"

namespace dynamics {
namespace {

using counting::Computation;
using counting::general_arm;
using counting::OperationCount;
using counting::Polynomial;
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
    link.r = inertial.center;
    link.inertia = inertial.inertia;
    table.links.push_back(link);
  }
  table.q0 = table.qd0 = std::vector<double>(links, 0.0);
  return model_from_dh(table);
}

struct PublishedRow {
  Computation computation;
  const char *paper, *table, *algorithm;
};

TEST(OwnRecursions, DoNotExceedTheBestRowsOfThePapers) {
  for (const PublishedRow& best :
       {PublishedRow{Computation::inverse, "Saha 1999", "Table 1", "Balafoutis et al. (1988)"},
        PublishedRow{Computation::solve, "Saha 2003", "Table I", "Proposed"}}) {
    const counting::PaperRow* row = nullptr;
    for (const counting::PaperRow& one : counting::paper_rows()) {
      if (one.paper == best.paper && one.table == best.table && one.algorithm == best.algorithm) {
        row = &one;
      }
    }
    ASSERT_NE(row, nullptr);
    for (std::size_t links = first; links <= last; ++links) {
      const auto n = static_cast<std::int64_t>(links);
      for (const Model& arm : {general_arm(links), random_arm(links, 1), random_arm(links, 2)}) {
        const OperationCount ours = counting::count(best.computation, arm).counts;
        EXPECT_LE(ours.products(), row->multiplications(n)) << best.algorithm << " " << links;
        EXPECT_LE(ours.additions, row->additions(n)) << best.algorithm << " " << links;
      }
    }
  }
}

TEST(OwnRecursions, HaveExactCounts) {
  struct Exact {
    Computation computation;
    const char *M, *A;
  };
  for (const Exact& exact : {Exact{Computation::inverse, "84n - 92", "72n - 89"},
                             Exact{Computation::solve, "135n - 171", "132n - 191"},
                             Exact{Computation::forward, "220n - 261", "207n - 268"}}) {
    std::vector<std::int64_t> m, a;
    for (std::size_t links = first; links <= last; ++links) {
      const OperationCount counts = counting::count(exact.computation, general_arm(links)).counts;
      m.push_back(counts.products());
      a.push_back(counts.additions);
      EXPECT_EQ(counts.sines, static_cast<std::int64_t>(links));
      EXPECT_EQ(counts.cosines, static_cast<std::int64_t>(links));
      EXPECT_EQ(counts.square_roots, 0);
    }
    const auto products = Polynomial::through(m, first), additions = Polynomial::through(a, first);
    ASSERT_TRUE(products && additions) << counting::name(exact.computation);
    EXPECT_EQ(products->text(), exact.M) << counting::name(exact.computation);
    EXPECT_EQ(additions->text(), exact.A) << counting::name(exact.computation);
  }
}

TEST(OwnRecursions, AreReportedForTheirPapers) {
  const Model arm = general_arm(7);
  const auto denoc = counting::count(formulations::find("denoc"), formulations::Task::inverse, arm);
  EXPECT_EQ(denoc.counts, counting::count(Computation::inverse, arm).counts);
  const auto udut = counting::count(formulations::find("udut"), formulations::Task::forward, arm);
  EXPECT_EQ(udut.counts, counting::count(Computation::forward, arm).counts);
  EXPECT_EQ(udut.counts - udut.phi, counting::count(Computation::solve, arm).counts);
}

/// A double that selects the generic recursions: the kernels have special sines for double.
struct GenericDouble {
  double value;
  GenericDouble() = default;
  explicit GenericDouble(double number) : value(number) {}
  friend GenericDouble operator+(GenericDouble a, GenericDouble b) {
    return GenericDouble(a.value + b.value);
  }
  friend GenericDouble operator-(GenericDouble a, GenericDouble b) {
    return GenericDouble(a.value - b.value);
  }
  friend GenericDouble operator*(GenericDouble a, GenericDouble b) {
    return GenericDouble(a.value * b.value);
  }
  friend GenericDouble operator/(GenericDouble a, GenericDouble b) {
    return GenericDouble(a.value / b.value);
  }
  friend GenericDouble operator+(GenericDouble a, double b) { return GenericDouble(a.value + b); }
  friend GenericDouble operator-(GenericDouble a, double b) { return GenericDouble(a.value - b); }
  friend GenericDouble operator*(GenericDouble a, double b) { return GenericDouble(a.value * b); }
  friend GenericDouble operator*(double a, GenericDouble b) { return GenericDouble(a * b.value); }
  friend GenericDouble operator-(GenericDouble a) { return GenericDouble(-a.value); }
  friend GenericDouble sin(GenericDouble a) { return GenericDouble(std::sin(a.value)); }
  friend GenericDouble cos(GenericDouble a) { return GenericDouble(std::cos(a.value)); }
};

/// The library's own recursions.
template <class S>
struct Kernels {
  explicit Kernels(const Model& model)
      : tree(&model.tree()),
        q(numbers<S>(model.body_count(), 0.3)),
        qd(numbers<S>(model.body_count(), 0.9)),
        qdd_or_tau(numbers<S>(model.body_count(), 1.5)),
        result(qdd_or_tau),
        inverse(q.size()),
        forward(q.size()),
        udut(q.size()) {
    const S zero(0.0);
    base.acceleration = {zero, zero, S(9.81)};
  }
  const Tree* tree;
  std::vector<S> q, qd, qdd_or_tau;
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
                                this->q.data(), this->qd.data(), this->qdd_or_tau.data(),
                                this->result.data());
  }
};
template <class S>
struct Forward : Kernels<S> {
  using Kernels<S>::Kernels;
  void operator()() const {
    kernel::forward_dynamics<S>(*this->tree, this->forward.data(), this->base, nullptr,
                                this->q.data(), this->qd.data(), this->qdd_or_tau.data(),
                                this->result.data());
  }
};
template <class S>
struct Solve : Kernels<S> {
  using Kernels<S>::Kernels;
  void operator()() const {
    kernel::decompose<S>(*this->tree, this->udut.data(), this->q.data());
    kernel::solve<S>(*this->tree, this->udut.data(), this->qdd_or_tau.data(), this->result.data());
  }
};

TEST(OwnRecursions, ExecutedInstructionsEqualCounts) {
  const Model arm = general_arm(6);
  compare<Inverse, GenericDouble>("inverse", arm);
  compare<Forward, GenericDouble>("forward", arm);
  compare<Solve, GenericDouble>("solve", arm);
}

}  // namespace
}  // namespace dynamics
