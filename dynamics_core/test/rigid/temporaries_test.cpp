// SPDX-License-Identifier: Apache-2.0
// Structs that refer to lists of the caller's: a temporary that owns its elements does not compile.
// And {} as the last argument: it means the default.

#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "dynamics_core/flexible_links.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "dynamics_core/simulate.hpp"
#include "ode/make_integrator.hpp"
#include "ode/solve.hpp"

namespace dynamics {
namespace {

using Eigen::VectorXd;
using Wrenches = std::vector<LinkWrench>;
using Events = std::vector<ode::Event<double>>;

template <class Member, class List>
constexpr bool assignable = std::is_assignable_v<Member&, List>;

using WrenchMember = decltype(ExternalInputs::wrenches);
static_assert(assignable<WrenchMember, Wrenches&> && assignable<WrenchMember, const Wrenches&>);
static_assert(assignable<WrenchMember, std::array<LinkWrench, 2>&>);
static_assert(assignable<WrenchMember, std::span<LinkWrench>>);
static_assert(assignable<WrenchMember, std::span<const LinkWrench>>);
static_assert(!assignable<WrenchMember, Wrenches>);
static_assert(!assignable<WrenchMember, const Wrenches>);
static_assert(!assignable<WrenchMember, std::array<LinkWrench, 2>>);
static_assert(!assignable<WrenchMember, std::initializer_list<LinkWrench>>);
template <class List>
concept InitializesConditions = requires(List&& list) {
  ExternalInputs{.base = {}, .wrenches = std::forward<List>(list)};
};
static_assert(InitializesConditions<Wrenches&> && !InitializesConditions<Wrenches>);

// references and views of a model: not of a temporary one
#define DYNAMICS_NOT_OF_A_TEMPORARY(accessor)           \
  template <class AnyModel>                             \
  concept accessor##_of = requires(AnyModel && model) { \
    std::forward<AnyModel>(model).accessor();           \
  };                                                    \
  DYNAMICS_NOT_OF_A_TEMPORARY_OF(Model, accessor)
// NOLINTBEGIN(bugprone-macro-parentheses): Robot is a type
#define DYNAMICS_NOT_OF_A_TEMPORARY_OF(Robot, accessor)                \
  static_assert(accessor##_of<const Robot&> && accessor##_of<Robot&>); \
  static_assert(!accessor##_of<Robot> && !accessor##_of<const Robot>)
// NOLINTEND(bugprone-macro-parentheses)
DYNAMICS_NOT_OF_A_TEMPORARY(name);
DYNAMICS_NOT_OF_A_TEMPORARY(coordinates);
DYNAMICS_NOT_OF_A_TEMPORARY(bodies);
DYNAMICS_NOT_OF_A_TEMPORARY(frames);
DYNAMICS_NOT_OF_A_TEMPORARY(notes);
DYNAMICS_NOT_OF_A_TEMPORARY(tree);
DYNAMICS_NOT_OF_A_TEMPORARY(base_link);
DYNAMICS_NOT_OF_A_TEMPORARY(gravity);
DYNAMICS_NOT_OF_A_TEMPORARY(payload);
DYNAMICS_NOT_OF_A_TEMPORARY(description);
DYNAMICS_NOT_OF_A_TEMPORARY(singular_reason);
DYNAMICS_NOT_OF_A_TEMPORARY(pitch_coordinates);
DYNAMICS_NOT_OF_A_TEMPORARY(data);
template <class AnyModel>
concept rigid_of = requires(AnyModel&& model) {
  std::forward<AnyModel>(model).rigid();
};
template <class AnyModel>
concept options_of = requires(AnyModel&& model) {
  std::forward<AnyModel>(model).options();
};
template <class AnyModel>
concept links_of = requires(AnyModel&& model) {
  std::forward<AnyModel>(model).links();
};
template <class AnyModel>
concept amplitude_names_of = requires(AnyModel&& model) {
  std::forward<AnyModel>(model).amplitude_names();
};
template <class AnyModel>
concept basis_of = requires(AnyModel&& model) {
  std::forward<AnyModel>(model).basis(0);
};
template <class AnyModel>
concept block_order_of = requires(AnyModel&& model) {
  std::forward<AnyModel>(model).block_order();
};
DYNAMICS_NOT_OF_A_TEMPORARY_OF(FlexibleModel, rigid);
DYNAMICS_NOT_OF_A_TEMPORARY_OF(FlexibleModel, options);
DYNAMICS_NOT_OF_A_TEMPORARY_OF(FlexibleModel, links);
DYNAMICS_NOT_OF_A_TEMPORARY_OF(FlexibleModel, notes);
DYNAMICS_NOT_OF_A_TEMPORARY_OF(FlexibleModel, tree);
DYNAMICS_NOT_OF_A_TEMPORARY_OF(FlexibleModel, amplitude_names);
DYNAMICS_NOT_OF_A_TEMPORARY_OF(FlexibleModel, basis);
DYNAMICS_NOT_OF_A_TEMPORARY_OF(FlexibleModel, block_order);
DYNAMICS_NOT_OF_A_TEMPORARY_OF(FlexibleModel, data);
#undef DYNAMICS_NOT_OF_A_TEMPORARY
#undef DYNAMICS_NOT_OF_A_TEMPORARY_OF
static_assert(requires(Model && model) { std::move(model).coordinate_names(); });  // a copy

using Plan = ode::RunPlan<double>;
static_assert(assignable<decltype(Plan::sample_times), std::vector<double>&>);
static_assert(!assignable<decltype(Plan::sample_times), std::vector<double>>);
static_assert(assignable<decltype(Plan::events), Events&>);
static_assert(assignable<decltype(Plan::events), std::span<const ode::Event<double>>>);
static_assert(!assignable<decltype(Plan::events), Events>);

// results that are written to: no temporaries
template <class Out>
concept WrenchesGoTo = requires(const Model& model, Workspace& workspace, VectorXd& v, Out&& out) {
  inverse_dynamics(model, workspace, v, v, v, v, std::forward<Out>(out));
};
static_assert(WrenchesGoTo<std::vector<Wrench>&> && WrenchesGoTo<std::span<Wrench>>);
static_assert(!WrenchesGoTo<std::vector<Wrench>> && !WrenchesGoTo<const std::vector<Wrench>&>);

// a wrench list that is used within the call only may be a temporary
static_assert(requires(const Model& model, Workspace& workspace, VectorXd& v) {
  wrenches_to_joint_torques(model, workspace, v, Wrenches(1), v);
  wrenches_to_joint_torques(model, workspace, v, {}, v);
});

// the joints' friction is a bool: no number, no pointer is taken for one
static_assert(std::is_convertible_v<bool, Friction> && !std::is_convertible_v<int, Friction>);
static_assert(!std::is_convertible_v<const char*, Friction> && Friction());

template <class Call>
concept Compiles = requires(const Model& model, Workspace& workspace, VectorXd& v, Call call) {
  call(model, workspace, v);
};
constexpr auto braces =
    [](const auto& model, auto& workspace,
       auto& v) -> decltype(inverse_dynamics(model, workspace, v, v, v, v, {})) {};
static_assert(Compiles<decltype(braces)>, "{} after tau is ambiguous");

// all of the above is checked by the compiler; this shows it in the list of tests
TEST(Temporaries, OfListsAndModelsDoNotCompile) {
  EXPECT_FALSE((assignable<WrenchMember, Wrenches>));
  EXPECT_TRUE((assignable<WrenchMember, Wrenches&>));
  EXPECT_FALSE(coordinates_of<Model>);
  EXPECT_TRUE(coordinates_of<const Model&>);
  EXPECT_FALSE(rigid_of<FlexibleModel>);
  EXPECT_TRUE(rigid_of<const FlexibleModel&>);
}

TEST(Braces, AfterTauMeanTheDefaultConditions) {
  const Model model = model_from_dh(built_in_robot("puma"));
  Workspace workspace(model);
  const VectorXd q = VectorXd::LinSpaced(6, 0.1, 0.6);
  VectorXd expected(6), tau(6);
  inverse_dynamics(model, workspace, q, q, q, expected);
  inverse_dynamics(model, workspace, q, q, q, tau, {});
  EXPECT_EQ(tau, expected);
  std::vector<Wrench> wrenches(6);
  inverse_dynamics(model, workspace, q, q, q, tau.setZero(), wrenches, {});
  EXPECT_EQ(tau, expected);
  inverse_dynamics(model, workspace, q, q, q, tau.setZero(),
                   {.base = std::nullopt, .wrenches = {}, .friction = false});
  EXPECT_EQ(tau, expected) << "the PUMA has no friction";
}

TEST(Braces, ForFrictionOfAFlexibleRobotMeanThatItActs) {
  const Model canadarm = model_from_dh(built_in_robot("canadarm"));
  RobotDescription robot = canadarm.description();
  for (JointDescription& joint : robot.joints) joint.damping = 3.0;
  const FlexibleModel model{Model(robot)};
  FlexibleWorkspace workspace(model);
  const VectorXd ones = VectorXd::Ones(static_cast<Eigen::Index>(model.size()));
  VectorXd by_default = ones, braces_given = ones, off = ones;
  bias_forces(model, workspace, VectorXd(0.1 * ones), ones, by_default);
  bias_forces(model, workspace, VectorXd(0.1 * ones), ones, braces_given, {});
  bias_forces(model, workspace, VectorXd(0.1 * ones), ones, off, false);
  EXPECT_EQ(braces_given, by_default);
  EXPECT_NE(off, by_default);
}

TEST(Outcome, NamesItsIntegratorWhenThatIsGone) {
  const auto still = [](const double&, std::span<const double>, std::span<const double>,
                        std::span<double> acceleration) { acceleration[0] = 0.0; };
  const auto system = ode::System<double>::second_order(1, still);
  ode::Outcome<double> outcome;
  {
    ode::Options<double> options;
    options.step = 0.5;
    const auto integrator = ode::make_integrator<double>("semi_implicit_euler", system, options);
    ode::RunPlan<double> plan;
    plan.end_time = 1.0;
    ode::Solver<double> solver(*integrator);
    outcome = solver.run(0.0, std::vector<double>{0.0, 0.0}, plan);
  }
  const std::string overwritten(19, '#');  // where the name was
  EXPECT_EQ(outcome.message(), "semi_implicit_euler: reached the end at t = 1") << overwritten;
}

}  // namespace
}  // namespace dynamics
