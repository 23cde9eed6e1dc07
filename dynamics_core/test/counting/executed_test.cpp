// SPDX-License-Identifier: Apache-2.0
// The counts of the papers' formulations equal the floating-point instructions that they execute
// with double, measured by single-stepping.

#include <gtest/gtest.h>

#include "counted_and_executed.hpp"
#include "model/tree.hpp"
#include "papers/counting/algorithms.hpp"
#include "papers/formulations/articulated_body.hpp"
#include "papers/formulations/linear_solve.hpp"
#include "papers/formulations/modified_newton_euler.hpp"
#include "papers/formulations/nasser.hpp"
#include "papers/formulations/newton_euler.hpp"
#include "papers/formulations/saha_2003.hpp"
#include "papers/formulations/walker_orin.hpp"

namespace dynamics {
namespace {

using counting::general_arm;
using counting::OperationCount;
using test::compare;
using test::executed;
using test::numbers;

template <class S>
formulations::DynamicsInput<S> dynamics_input(const Model& model) {
  formulations::DynamicsInput<S> input;
  input.tree = &model.tree();
  input.q = numbers<S>(model.body_count(), 0.3);
  input.qd = numbers<S>(model.body_count(), 0.9);
  const S zero(0.0);
  input.base.angular_velocity = input.base.angular_acceleration = {zero, zero, zero};
  input.base.acceleration = {zero, zero, S(9.81)};
  return input;
}

/// The input of an algorithm and the constants of the arm, prepared before the counting starts.
template <class S>
struct Prepared {
  explicit Prepared(const Model& model)
      : input(dynamics_input<S>(model)),
        arm(formulations::serial_arm(input)),
        qdd_or_tau(numbers<S>(model.body_count(), 1.5)),
        vector(static_cast<Eigen::Index>(qdd_or_tau.size())) {
    for (std::size_t i = 0; i < qdd_or_tau.size(); ++i)
      vector[static_cast<Eigen::Index>(i)] = qdd_or_tau[i];
  }
  formulations::DynamicsInput<S> input;
  formulations::SerialArm<S> arm;
  std::vector<S> qdd_or_tau;
  formulations::VectorX<S> vector;
};
template <class S>
struct NewtonEuler : Prepared<S> {
  using Prepared<S>::Prepared;
  void operator()() const {
    formulations::newton_euler(this->arm, this->input.qd, this->qdd_or_tau);
  }
};
template <class S>
struct ModifiedNewtonEuler : Prepared<S> {
  using Prepared<S>::Prepared;
  void operator()() const {
    formulations::modified_newton_euler(this->arm, this->input.qd, this->qdd_or_tau);
  }
};
template <class S>
struct ArticulatedBodies : Prepared<S> {
  using Prepared<S>::Prepared;
  void operator()() const { formulations::articulated_body(this->input, this->vector); }
};
template <class S>
struct Nasser : Prepared<S> {
  using Prepared<S>::Prepared;
  void operator()() const { formulations::nasser(this->input, this->vector); }
};
template <class S>
struct WalkerOrin : Prepared<S> {
  using Prepared<S>::Prepared;
  void operator()() const {
    formulations::VectorX<S> qdd;
    formulations::solve_by_cholesky<S>(formulations::walker_orin_inertia_matrix(this->input),
                                       this->vector, qdd);
  }
};

template <class S>
struct Saha1999 : Prepared<S> {
  using Prepared<S>::Prepared;
  void operator()() const { formulations::saha_1999(this->arm, this->input.qd, this->qdd_or_tau); }
};
template <class S>
struct Saha2003 : Prepared<S> {
  using Prepared<S>::Prepared;
  void operator()() const { formulations::saha_2003(this->arm, this->input.qd, this->vector); }
};

TEST(ExecutedInstructions, EqualHandCountOfExpression) {
  static volatile double x = 1.5, y = 2.5;
  const auto found = executed([] {
    x = x * y + x - y * x;
    x = std::sqrt(x / y) - y;
  });
  if (!found) GTEST_SKIP() << "single-stepping of a process (ptrace) is not available";
  EXPECT_EQ(*found, (OperationCount{
                        .multiplications = 2, .additions = 3, .divisions = 1, .square_roots = 1}));
}

TEST(ExecutedInstructions, EqualCountsOfFormulations) {
  const Model arm = general_arm(4);
  compare<NewtonEuler, double>("newton-euler", arm);
  compare<ModifiedNewtonEuler, double>("modified-newton-euler", arm);
  compare<WalkerOrin, double>("walker-orin", arm);
  compare<ArticulatedBodies, double>("articulated-body", arm);
  compare<Nasser, double>("nasser", arm);
  compare<Saha1999, double>("saha-1999", arm);
  compare<Saha2003, double>("saha-2003", arm);
}

}  // namespace
}  // namespace dynamics
