// SPDX-License-Identifier: Apache-2.0
// What is counted is what is executed, no more and no fewer: the papers' formulations run with
// doubles, one machine instruction after the other, beside their counts.

#include <gtest/gtest.h>

#include "counted_and_executed.hpp"
#include "model/tree.hpp"
#include "papers/counting/algorithms.hpp"
#include "papers/formulations/articulated_body.hpp"
#include "papers/formulations/linear_solve.hpp"
#include "papers/formulations/modified_newton_euler.hpp"
#include "papers/formulations/nasser.hpp"
#include "papers/formulations/newton_euler.hpp"
#include "papers/formulations/walker_orin.hpp"

namespace dynamics {
namespace {

using counting::Counts;
using counting::general_arm;
using test::compare;
using test::executed;
using test::numbers;

template <class S>
formulations::Situation<S> situation(const Model& model) {
  formulations::Situation<S> given;
  given.tree = &model.tree();
  given.q = numbers<S>(model.body_count(), 0.3);
  given.qd = numbers<S>(model.body_count(), 0.9);
  const S zero(0.0);
  given.base.angular_velocity = given.base.angular_acceleration = {zero, zero, zero};
  given.base.acceleration = {zero, zero, S(9.81)};
  return given;
}

/// What an algorithm is given, prepared outside of what is counted: the constants of an arm too.
template <class S>
struct Prepared {
  explicit Prepared(const Model& model)
      : given(situation<S>(model)),
        arm(formulations::serial_arm(given)),
        third(numbers<S>(model.body_count(), 1.5)),
        vector(static_cast<Eigen::Index>(third.size())) {
    for (std::size_t i = 0; i < third.size(); ++i) vector[static_cast<Eigen::Index>(i)] = third[i];
  }
  formulations::Situation<S> given;
  formulations::SerialArm<S> arm;
  std::vector<S> third;
  formulations::VectorX<S> vector;
};
template <class S>
struct NewtonEuler : Prepared<S> {
  using Prepared<S>::Prepared;
  void operator()() const { formulations::newton_euler(this->arm, this->given.qd, this->third); }
};
template <class S>
struct ModifiedNewtonEuler : Prepared<S> {
  using Prepared<S>::Prepared;
  void operator()() const {
    formulations::modified_newton_euler(this->arm, this->given.qd, this->third);
  }
};
template <class S>
struct ArticulatedBodies : Prepared<S> {
  using Prepared<S>::Prepared;
  void operator()() const { formulations::articulated_body(this->given, this->vector); }
};
template <class S>
struct Nasser : Prepared<S> {
  using Prepared<S>::Prepared;
  void operator()() const { formulations::nasser(this->given, this->vector); }
};
template <class S>
struct WalkerOrin : Prepared<S> {
  using Prepared<S>::Prepared;
  void operator()() const {
    formulations::VectorX<S> qdd;
    formulations::solve_by_cholesky<S>(formulations::walker_orin_inertia_matrix(this->given),
                                       this->vector, qdd);
  }
};

TEST(Executed, AHandCountedExpression) {
  static volatile double x = 1.5, y = 2.5;
  const auto found = executed([] {
    x = x * y + x - y * x;
    x = std::sqrt(x / y) - y;
  });
  if (!found) GTEST_SKIP() << "no stepping through a process here";
  EXPECT_EQ(*found,
            (Counts{.multiplications = 2, .additions = 3, .divisions = 1, .square_roots = 1}));
}

TEST(Executed, Formulations) {
  const Model arm = general_arm(4);
  compare<NewtonEuler, double>("newton-euler", arm);
  compare<ModifiedNewtonEuler, double>("modified-newton-euler", arm);
  compare<WalkerOrin, double>("walker-orin", arm);
  compare<ArticulatedBodies, double>("articulated-body", arm);
  compare<Nasser, double>("nasser", arm);
}

}  // namespace
}  // namespace dynamics
