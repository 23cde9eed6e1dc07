// SPDX-License-Identifier: Apache-2.0
// The four kinds of error: what each is thrown for, and that a caller can catch it by its kind, by
// the base class and as a std::runtime_error.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <type_traits>

#include "dynamics_core/batch.hpp"
#include "dynamics_core/error.hpp"
#include "dynamics_core/integrators.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/recording.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "dynamics_core/simulate.hpp"
#include "dynamics_core/trajectory.hpp"
#include "support/small_robots.hpp"

namespace dynamics {
namespace {

using testing::HasSubstr;

static_assert(std::is_base_of_v<std::runtime_error, Error>);
static_assert(std::is_base_of_v<Error, ParseError> && std::is_base_of_v<Error, ModelError>);
static_assert(std::is_base_of_v<Error, ArgumentError> && std::is_base_of_v<Error, StateError>);
static_assert(std::is_base_of_v<StateError, BatchError>);

enum class Kind { none, parse, model, argument, state, other };

/// The kind of a thrown error by the handlers that a caller would write.
Kind kind_of(const std::function<void()>& call, std::string& message) {
  try {
    call();
    return Kind::none;
  } catch (const ParseError& error) {
    message = error.what();
    return Kind::parse;
  } catch (const ModelError& error) {
    message = error.what();
    return Kind::model;
  } catch (const ArgumentError& error) {
    message = error.what();
    return Kind::argument;
  } catch (const StateError& error) {
    message = error.what();
    return Kind::state;
  } catch (const std::exception& error) {
    message = error.what();
    return Kind::other;
  }
}

void expect(Kind kind, const std::string& said, const std::function<void()>& call) {
  std::string message;
  EXPECT_EQ(kind_of(call, message), kind) << message;
  EXPECT_THAT(message, HasSubstr(said));
  EXPECT_THROW(call(), Error) << said;
  EXPECT_THROW(call(), std::runtime_error) << said;
}

const char* one_link = R"(<robot name="r"><link name="a"/></robot>)";

TEST(Errors, ParseErrorForTextThatCannotBeRead) {
  const Model model = model_from_dh(built_in_robot("planar3"));
  expect(Kind::parse, "no/such.urdf", [] { model_from_urdf_file("no/such.urdf"); });
  expect(Kind::parse, "x.urdf", [] { model_from_urdf("<robot", {}, "x.urdf"); });
  expect(Kind::parse, "joint 'j'", [] {
    model_from_urdf(R"(<robot name="r"><link name="a"/><joint name="j" type="hinge"/></robot>)");
  });
  expect(Kind::parse, "x.yaml:1", [] { read_dh_table("robot: [", "x.yaml"); });
  expect(Kind::parse, "x.csv", [&] { read_trajectory_csv("", "x.csv", model); });
  expect(Kind::parse, "x.csv", [] { read_base_trajectory_csv("t,nonsense\n0,1\n", "x.csv"); });
}

TEST(Errors, ModelErrorForARobotThatCannotExist) {
  expect(Kind::model, "link 'a'",
         [] { model_from_urdf(R"(<robot name="r"><link name="a"/><link name="a"/></robot>)"); });
  expect(Kind::model, "mass", [] {
    model_from_urdf(R"(<robot name="r"><link name="a"><inertial><mass value="-1"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>)");
  });
  RobotDescription robot;
  robot.name = "empty";
  expect(Kind::model, "link", [&] { Model{robot}; });
}

TEST(Errors, ArgumentErrorForArgumentsThatCannotBeUsed) {
  const Model model = model_from_dh(built_in_robot("puma"));
  Workspace workspace(model), other(model_from_urdf(one_link));
  BatchWorkspace batch(model);
  const std::vector<double> q(6), five(5), nan(6, std::nan(""));
  std::vector<double> out(6);
  expect(Kind::argument, "q has 5 entries",
         [&] { inverse_dynamics(model, workspace, five, q, q, out); });
  expect(Kind::argument, "qd[0] is nan",
         [&] { inverse_dynamics(model, workspace, q, nan, q, out); });
  expect(Kind::argument, "the workspace was made for",
         [&] { inverse_dynamics(model, other, q, q, q, out); });
  expect(Kind::argument, "no frame 'hand'", [&] { model.frame("hand"); });
  expect(Kind::argument, "is not a built-in robot", [] { built_in_robot("hal"); });
  expect(Kind::argument, "gravity", [&] { model.with_gravity({std::nan(""), 0.0, 0.0}); });
  expect(Kind::argument, "qd has 5 entries",
         [&] { batch::inverse_dynamics(model, batch, q, five, q, out); });
  SimulationOptions options;
  options.duration = -1.0;
  expect(Kind::argument, "duration", [&] { simulate(model, options); });
  expect(Kind::argument, "unknown integrator 'euler5'", [] { ode::find_integrator("euler5"); });
  expect(Kind::argument, "name a file", [] { write_file("/tmp", "x"); });
}

TEST(Errors, StateErrorForStatesWithoutAnAnswer) {
  const Model model(test::arm_with_massless_hand());
  Workspace workspace(model);
  const std::vector<double> q(2), many(20);
  std::vector<double> out(2), many_out(20);
  expect(Kind::state, "joint 'second'", [&] { forward_dynamics(model, workspace, q, q, q, out); });
  expect(Kind::state, "second", [&] { simulate(model, {}); });
  BatchWorkspace batch(model);
  expect(Kind::state, "second",
         [&] { batch::forward_dynamics(model, batch, many, many, many, many_out); });
  const Model puma = model_from_dh(built_in_robot("puma"));
  BatchWorkspace puma_batch(puma);
  std::vector<double> states(12, 0.0), results(12);
  states[7] = std::nan("");
  expect(Kind::state, "state 1",
         [&] { batch::inverse_dynamics(puma, puma_batch, states, states, states, results); });
  if (std::ifstream("/dev/full").good()) {
    expect(Kind::state, "/dev/full: cannot be written", [] { write_file("/dev/full", "x"); });
  }
}

TEST(Errors, NameTheElement) {
  try {
    model_from_urdf("<robot", {}, "x.urdf");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.element(), "x.urdf:1");
    EXPECT_THAT(error.what(), testing::StartsWith("x.urdf:1: "));
  }
}

}  // namespace
}  // namespace dynamics
