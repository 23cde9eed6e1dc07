// SPDX-License-Identifier: Apache-2.0
// --wrench, --base-motion and --reactions of `dynamics inverse` and `dynamics forward`, against
// balances of forces and moments by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "dynamics_core/readers.hpp"
#include "support/program.hpp"

namespace dynamics {
namespace {

using Eigen::Vector3d;
using nlohmann::json;
using test::option_value;
using test::Program;
using test::vector3;
using testing::HasSubstr;

// planar3: uniform rods in the plane x, y; gravity along -y
constexpr double lengths[] = {0.3, 0.25, 0.22}, masses[] = {0.5, 0.4, 0.3}, g = 9.81;

class ExternalProgram : public Program {
 protected:
  static std::vector<double> list(const json& numbers) {
    return numbers.get<std::vector<double>>();
  }
  /// Expects equal lists of numbers.
  static void expect_near(const json& found, const std::vector<double>& expected, double bar) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], bar) << i;
  }
};

const std::string state = "planar3 --q 0.1,0.2,0.3 --qd 1,-2,0.5 ";

TEST_F(ExternalProgram, TipForceActsByTheTransposedJacobian) {
  const double angles[] = {0.1, 0.3, 0.6};
  Vector3d tip = Vector3d::Zero(), joints[3];
  for (std::size_t i = 0; i < 3; ++i) {
    joints[i] = tip;
    tip += lengths[i] * Vector3d(std::cos(angles[i]), std::sin(angles[i]), 0.0);
  }
  const Vector3d force(3.0, -4.0, 7.0);
  const double moment = 0.6;
  const std::string wrench = "--wrench tool0:0.1,0.2,0.6,3,-4,7 ";
  const json still = run_json("inverse " + state + "--qdd 1,2,3 --json");
  for (const char* algorithm :
       {"denoc", "denoc-explicit", "newton-euler", "modified-newton-euler", "strobing"}) {
    const json pushed =
        run_json("inverse " + state + "--qdd 1,2,3 --json " + wrench + "--algorithm " + algorithm);
    for (std::size_t i = 0; i < 3; ++i) {
      const Vector3d column = Vector3d::UnitZ().cross(tip - joints[i]);
      EXPECT_NEAR(pushed["tau"][i], still["tau"][i].get<double>() - column.dot(force) - moment,
                  1e-13)
          << algorithm;
    }
    for (const char* forward :
         {"udut", "articulated-body", "walker-orin", "nasser", "denoc-explicit", "strobing"}) {
      const json back = run_json("forward " + state + "--json " + wrench + "--tau " +
                                 option_value(pushed["tau"]) + " --algorithm " + forward);
      expect_near(back["qdd"], {1, 2, 3}, 1e-9);
    }
  }
  expect_refused("inverse " + state + wrench + "--algorithm lagrange",
                 "formulation lagrange does not support wrenches on links");
  expect_refused("forward " + state + wrench + "--algorithm lagrange",
                 "formulation lagrange does not support wrenches on links");
}

TEST_F(ExternalProgram, WrenchesAdd) {
  const json once = run_json("inverse puma --wrench link5:1,2,3,4,5,6 --json");
  const json parts = run_json(
      "inverse --wrench link5:1,2,3,0,0,0 --wrench link5:0,0,0,4,5,0 puma --wrench "
      "link5:0,0,0,0,0,6 --json");
  expect_near(parts["tau"], list(once["tau"]), 1e-13);
}

TEST_F(ExternalProgram, AccelerationOfTheBaseActsAsGravity) {
  // y = 0.1 sin(2 pi 2 t) at t = 1/8: the acceleration is -0.1 (4 pi)^2
  const double a = -0.1 * 16.0 * std::numbers::pi * std::numbers::pi;
  const std::string gravity = "--gravity 0," + json(-g - a).dump() + ",0 --json";
  const std::string base = "--base-motion y:0.1:2 --time 0.125 --json";
  for (const char* algorithm : {"denoc", "lagrange", "newton-euler", "strobing"}) {
    const json moved = run_json("inverse " + state + base + " --algorithm " + algorithm);
    const json heavier = run_json("inverse " + state + gravity);
    expect_near(moved["tau"], list(heavier["tau"]), 1e-12);
  }
  expect_near(run_json("forward " + state + base)["qdd"],
              list(run_json("forward " + state + gravity)["qdd"]), 1e-9);
  // a cubic spline from rest to rest: y = 0.2 (3 s^2 - 2 s^3), acceleration 0.2 (6 - 12 s)
  write("deck.csv", "t,y\n0,0\n1,0.2\n");
  const json spline = run_json("inverse " + state + "--base-motion deck.csv --time 0.25 --json");
  const json heavier = run_json("inverse " + state + "--gravity 0,-10.41,0 --json");
  expect_near(spline["tau"], list(heavier["tau"]), 1e-12);
}

TEST_F(ExternalProgram, BaseThatRotatesAboutTheFirstAxisIsAFasterFirstJoint) {
  const double rate = 0.5 * 2.0 * std::numbers::pi;  // of 0.5 sin(2 pi t) at t = 0
  const std::string base = "--base-motion yaw:0.5:1 --time 0 ";
  const json joint =
      run_json("inverse planar3 --q 0,0.2,0.3 --qd " + json(1.0 + rate).dump() + ",-2,0.5 --json");
  const json moved = run_json("inverse planar3 --q 0,0.2,0.3 --qd 1,-2,0.5 --json " + base);
  expect_near(moved["tau"], list(joint["tau"]), 1e-13);
  expect_refused("inverse " + state + base + "--algorithm lagrange",
                 "formulation lagrange does not support a rotating base");
}

TEST_F(ExternalProgram, ReactionsOfTheArmAtRestCarryItsWeight) {
  // stretched out: each joint carries the rods beyond it and their moments
  const json result = run_json("inverse planar3 --reactions --json");
  ASSERT_EQ(result["reactions"].size(), 3U);
  double start = 0.0, starts[3];
  for (std::size_t i = 0; i < 3; ++i) {
    starts[i] = start;
    start += lengths[i];
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const json& reaction = result["reactions"][i];
    EXPECT_EQ(reaction["joint"], "joint" + std::to_string(i + 1));
    EXPECT_EQ(reaction["link"], "link" + std::to_string(i + 1));
    double weight = 0.0, moment = 0.0;
    for (std::size_t k = i; k < 3; ++k) {
      weight += masses[k] * g;
      moment += masses[k] * g * (starts[k] + 0.5 * lengths[k] - starts[i]);
    }
    EXPECT_LT((vector3(reaction["force"]) - Vector3d(0, weight, 0)).norm(), 1e-13);
    EXPECT_LT((vector3(reaction["moment"]) - Vector3d(0, 0, moment)).norm(), 1e-13);
    EXPECT_NEAR(result["tau"][i], moment, 1e-13);
  }
}

TEST_F(ExternalProgram, BaseReactionIsTheWeightInAnyPosition) {
  for (const char* robot : {"puma", "stanford"}) {
    const Model model = model_from_dh(built_in_robot(robot));
    double mass = 0.0;
    for (const LinkDescription& link : model.description().links) {
      if (link.name != model.base_link() && link.inertial) mass += link.inertial->mass;
    }
    for (const char* q : {"0,0,0,0,0,0", "0.5,-1,0.4,0.3,-0.2,0.1"}) {
      const json result = run_json(std::string("inverse ") + robot + " --q " + q +
                                   " --reactions --wrench link6:1,2,3,30,40,50 --json");
      const Vector3d force = vector3(result["reactions"][0]["force"]);
      EXPECT_LT((force - Vector3d(-30, -40, mass * g - 50)).norm(), 1e-11) << robot;
    }
  }
}

TEST_F(ExternalProgram, ReactionsOfForwardAreThoseOfTheMotion) {
  // free fall from the stretched position: rods accelerate along y by the joints' accelerations
  const json result = run_json("forward planar3 --reactions --json");
  const std::vector<double> qdd = list(result["qdd"]);
  double force = 0.0, start = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double center = start + 0.5 * lengths[k];
    double acceleration = 0.0, joint = 0.0;
    for (std::size_t i = 0; i <= k; ++i) {
      acceleration += qdd[i] * (center - joint);
      joint += lengths[i];
    }
    force += masses[k] * (acceleration + g);
    start += lengths[k];
  }
  EXPECT_NEAR(result["reactions"][0]["force"][1], force, 1e-12);
  EXPECT_GT(std::abs(force - 1.2 * g), 1.0);  // it falls
  for (const json& reaction : result["reactions"]) EXPECT_NEAR(reaction["moment"][2], 0.0, 1e-13);
  EXPECT_FALSE(run_json("forward planar3 --json").contains("reactions"));
  EXPECT_THAT(run("forward planar3 --reactions").out, HasSubstr("wrenches from parent to child"));
}

TEST_F(ExternalProgram, ReactionsFollowTheRotationOfTheBase) {
  // a base that has turned by 0.5 rad: the weight still points along -y of the world
  write("turned.csv", "t,yaw\n0,0.5\n1,0.5\n");
  const json turned =
      run_json("inverse planar3 --base-motion turned.csv --time 0 --reactions --json");
  const json joint = run_json("inverse planar3 --q 0.5,0,0 --reactions --json");
  for (std::size_t i = 0; i < 3; ++i) {
    for (const char* part : {"moment", "force"}) {
      expect_near(turned["reactions"][i][part], list(joint["reactions"][i][part]), 1e-13);
    }
  }
}

TEST_F(ExternalProgram, FloatingJointHasOneReaction) {
  write("box.urdf", R"(<robot name="box"><link name="world"/><link name="box"><inertial>
    <mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="drive" type="floating"><parent link="world"/><child link="box"/></joint></robot>)");
  const json result = run_json(
      "inverse box.urdf --q 1,2,3,0.4,0.5,0.6 --wrench box:0,0,5,0,3,0 --reactions --json");
  ASSERT_EQ(result["reactions"].size(), 1U);
  EXPECT_EQ(result["reactions"][0]["joint"], "drive");
  expect_near(result["reactions"][0]["force"], {0.0, -3.0, 2.0 * g}, 1e-13);
  expect_near(result["reactions"][0]["moment"], {0.0, 0.0, -5.0}, 1e-13);
}

TEST_F(ExternalProgram, RefusesBadInput) {
  const std::pair<const char*, const char*> cases[] = {
      {"planar3 --wrench nosuch:0,0,0,1,0,0",
       "'planar3' has no frame 'nosuch'; its frames are base_link, link1, link2, link3, tool0"},
      {"planar3 --wrench tool0", "'tool0' is not LINK:mx,my,mz,fx,fy,fz"},
      {"planar3 --wrench :0,0,0,1,0,0", "is not LINK:mx,my,mz,fx,fy,fz"},
      {"planar3 --wrench tool0:1,2,3",
       "--wrench tool0: 3 numbers given, 6 required (moment x,y,z in N m, then force x,y,z in N)"},
      {"planar3 --wrench tool0:0,0,0,inf,0,0", "--wrench tool0: entry 4 is 'inf'"},
      {"planar3 --wrench base_link:0,0,0,1,0,0", "has no effect on the joints"},
      {"planar3 --base-motion y:0.1:2", "--base-motion requires --time"},
      {"planar3 --time 2", "--time requires --base-motion"},
      {"planar3 --base-motion y:0.1:2 --time nan", "--time: nan is not a finite number"},
      {"planar3 --base-motion up:0.1:2 --time 0", "'up'"},
      {"planar3 --base-motion y:0.1 --time 0", "'y:0.1' is neither AXIS:AMPLITUDE:HZ"},
      {"canadarm --base-motion y:0.1:2 --time 0", "--base-motion requires rigid links"},
      {"canadarm --reactions", "--reactions requires rigid links"},
  };
  expect_all_refused("inverse ", cases);
  expect_all_refused("forward ", cases);
  const std::pair<const char*, const char*> along[] = {
      {"--wrench tool0:0,0,0,1,0,0", "--wrench takes one state (--q)"},
      {"--base-motion y:0.1:2 --time 0", "--base-motion takes one state (--q)"},
      {"--reactions", "--reactions takes one state (--q)"},
  };
  expect_all_refused("inverse planar3 --trajectory cycloid --duration 1 ", along);
  EXPECT_EQ(run("inverse canadarm --rigid --reactions").code, 0);
}

}  // namespace
}  // namespace dynamics
