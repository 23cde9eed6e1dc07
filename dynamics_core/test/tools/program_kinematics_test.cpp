// SPDX-License-Identifier: Apache-2.0
// `dynamics kinematics` and `dynamics inverse-kinematics`: closed forms of the planar arm, round
// trips, poses out of reach, refusals.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "dynamics_core/pose.hpp"
#include "support/arm_urdf.hpp"
#include "support/program.hpp"

namespace dynamics {
namespace {

using Eigen::Vector3d;
using nlohmann::json;
using test::matrix;
using test::option_value;
using test::Program;
using test::Result;
using test::vector3;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double a1 = 0.3, a2 = 0.25, a3 = 0.22;  // links of planar3 (m)

class KinematicsProgram : public Program {
 protected:
  static const json& frame(const json& result, const std::string& name) {
    for (const json& candidate : result["frames"]) {
      if (candidate["name"] == name) return candidate;
    }
    throw std::runtime_error("no frame " + name);
  }
};

TEST_F(KinematicsProgram, FramesOfThePlanarArmMatchTheClosedForm) {
  const json result = run_json("kinematics planar3 --q 0.1,0.2,0.3 --json");
  EXPECT_THAT(result["joints"], ElementsAre("joint1", "joint2", "joint3"));
  EXPECT_EQ(result["warnings"], json::array());
  EXPECT_FALSE(result.contains("jacobian"));
  std::vector<std::string> names;
  for (const json& one : result["frames"]) {
    names.push_back(one["name"]);
    EXPECT_FALSE(one.contains("velocity"));
  }
  EXPECT_THAT(names, ElementsAre("base_link", "link1", "link2", "link3", "tool0"));
  const json& elbow = frame(result, "link2");
  EXPECT_NEAR(elbow["xyz"][0], a1 * std::cos(0.1), 1e-15);
  EXPECT_NEAR(elbow["xyz"][1], a1 * std::sin(0.1), 1e-15);
  EXPECT_NEAR(elbow["rpy"][2], 0.3, 1e-15);
  const json& tool = frame(result, "tool0");
  EXPECT_NEAR(tool["xyz"][0], a1 * std::cos(0.1) + a2 * std::cos(0.3) + a3 * std::cos(0.6), 1e-15);
  EXPECT_NEAR(tool["xyz"][1], a1 * std::sin(0.1) + a2 * std::sin(0.3) + a3 * std::sin(0.6), 1e-15);
  EXPECT_NEAR(tool["quaternion"][2], std::sin(0.3), 1e-15);
  EXPECT_NEAR(tool["quaternion"][3], std::cos(0.3), 1e-15);
}

TEST_F(KinematicsProgram, QuaternionsAndAnglesAreTheSameRotation) {
  const json result = run_json("kinematics puma --q 0.5,-2,2,1.4,-0.5,3 --json");
  for (const json& one : result["frames"]) {
    const json& q = one["quaternion"];
    const Eigen::Quaterniond turn(q[3], q[0], q[1], q[2]);
    EXPECT_LT((turn.toRotationMatrix() - rotation_from_rpy(vector3(one["rpy"]))).norm(), 1e-14);
    EXPECT_GE(turn.w(), 0.0);
  }
}

TEST_F(KinematicsProgram, JacobianOfThePlanarArmMatchesTheClosedForm) {
  const std::string command = "kinematics planar3 --q 0.1,0.2,0.3 --qd 1,-2,0.5 --frame tool0";
  const json result = run_json(command + " --json");
  ASSERT_EQ(result["frames"].size(), 1U);
  EXPECT_EQ(result["axes"], "local_world_aligned");
  // angular rows first; a joint at p moves the tip by z x (tip - p)
  const Vector3d tip = vector3(result["frames"][0]["xyz"]);
  const Vector3d joints[] = {{0, 0, 0},
                             {a1 * std::cos(0.1), a1 * std::sin(0.1), 0},
                             {tip.x() - a3 * std::cos(0.6), tip.y() - a3 * std::sin(0.6), 0}};
  Eigen::MatrixXd J(6, 3);
  for (Eigen::Index i = 0; i < 3; ++i) {
    const Vector3d z = Vector3d::UnitZ();
    J.col(i) << z, z.cross(tip - joints[i]);
  }
  EXPECT_LT((matrix(result["jacobian"]) - J).norm(), 1e-15);
  const Vector3d qd(1.0, -2.0, 0.5);
  const auto velocity = [&](const json& object) {
    const auto numbers = object["velocity"].get<std::vector<double>>();
    return Eigen::Matrix<double, 6, 1>(numbers.data());
  };
  EXPECT_LT((velocity(result) - J * qd).norm(), 1e-15);

  // in the frame's axes, and at the world's origin
  const json local = run_json(command + " --axes local --json");
  const Eigen::Matrix3d to_frame = rotation_from_rpy({0, 0, 0.6}).transpose();
  EXPECT_LT((velocity(local).tail<3>() - to_frame * (J * qd).tail<3>()).norm(), 1e-15);
  EXPECT_LT((matrix(local["jacobian"]).bottomRows(3) - to_frame * J.bottomRows(3)).norm(), 1e-15);
  const json world = run_json(command + " --axes world --json");
  EXPECT_LT(
      (velocity(world).tail<3>() - ((J * qd).tail<3>() + tip.cross(Vector3d((J * qd).head<3>()))))
          .norm(),
      1e-15);

  // velocities of all frames
  const json all = run_json("kinematics planar3 --q 0.1,0.2,0.3 --qd 1,-2,0.5 --json");
  EXPECT_EQ(frame(all, "tool0")["velocity"], result["velocity"]);
  EXPECT_EQ(frame(all, "link1")["velocity"], json({0.0, 0.0, 1.0, 0.0, 0.0, 0.0}));
  const Result table = run(command);
  EXPECT_THAT(table.out, HasSubstr("tool0"));
  EXPECT_THAT(table.out, HasSubstr("Jacobian"));
  EXPECT_THAT(table.out, HasSubstr("velocities"));
}

TEST_F(KinematicsProgram, FramesOfFlexibleLinksBend) {
  const json straight = run_json("kinematics canadarm --q 0,0,0 --json");
  const json rigid = run_json("kinematics canadarm --q 0,0,0 --rigid --json");
  const json names = run_json("forward canadarm --json")["amplitudes"];
  std::string state = "0,0,0";
  for (std::size_t i = 0; i < names.size(); ++i) state += i == 0 ? ",0.1" : ",0";
  const json bent = run_json("kinematics canadarm --q " + state + " --json");
  EXPECT_LT(
      (vector3(frame(straight, "tool0")["xyz"]) - vector3(frame(rigid, "tool0")["xyz"])).norm(),
      1e-12);
  EXPECT_GT(
      (vector3(frame(straight, "tool0")["xyz"]) - vector3(frame(bent, "tool0")["xyz"])).norm(),
      0.01);
  expect_refused("kinematics canadarm --frame tool0", "require rigid links");
  expect_refused("kinematics canadarm --qd 1,0,0", "add --rigid");
  EXPECT_EQ(run_json("kinematics canadarm --rigid --frame tool0 --json")["jacobian"].size(), 6U);
}

TEST_F(KinematicsProgram, RefusesBadInput) {
  const std::pair<const char*, const char*> cases[] = {
      {"--frame nosuch",
       "'planar3' has no frame 'nosuch'; its frames are base_link, link1, link2, link3, tool0"},
      {"--frame tool0 --axes body", "unknown axes 'body': it must be one of local_world_aligned"},
      {"--axes world", "--axes has no effect without --frame (Jacobian) or --qd (velocities)"},
      {"--q 1,2", "--q: 2 numbers given, 3 required"},
      {"--q 1,2,nan", "--q: entry 3 is 'nan'"},
      {"--gravity 0,0,0", "--gravity"},
      {"--qd 1e308,1e308,1e308", "velocity: entry 3 is not finite"},
  };
  expect_all_refused("kinematics planar3 ", cases);
}

TEST_F(KinematicsProgram, InverseKinematicsGivesThePoseBack) {
  for (const char* pose : {"0.3,0.2,0.4,0.3,1.2,-0.5", "-0.5,0.1,0.2,0,3,0", "0.35,0.149,0.5"}) {
    const json found =
        run_json(std::string("inverse-kinematics puma --frame tool0 --pose ") + pose + " --json");
    EXPECT_EQ(found["reached"], true);
    EXPECT_LE(found["position_error"].get<double>(), 1e-10);
    const json back =
        run_json("kinematics puma --frame tool0 --q " + option_value(found["q"]) + " --json");
    const json numbers = json::parse(std::string("[") + pose + "]");
    EXPECT_LT((vector3(back["frames"][0]["xyz"]) - vector3(numbers)).norm(), 1.01e-10);
    EXPECT_EQ(back["frames"][0]["xyz"], found["pose"]["xyz"]);
    EXPECT_EQ(found.contains("orientation_error"), numbers.size() == 6);
    if (numbers.size() != 6) continue;
    const auto given = numbers.get<std::vector<double>>();
    EXPECT_LT((rotation_from_rpy(vector3(back["frames"][0]["rpy"])) -
               rotation_from_rpy({given[3], given[4], given[5]}))
                  .norm(),
              2e-10);
  }
}

TEST_F(KinematicsProgram, InverseKinematicsMatchesClosedFormOfThePlanarArm) {
  // the position of the last joint determines the elbow up to its sign, which the start chooses
  const double x = 0.4, y = 0.1, phi = 0.7;
  const double r2 = x * x + y * y;
  const double elbow = std::acos((r2 - a1 * a1 - a2 * a2) / (2.0 * a1 * a2));
  const std::string pose = json(x + a3 * std::cos(phi)).dump() + "," +
                           json(y + a3 * std::sin(phi)).dump() + ",0,0,0,0.7";
  for (const double sign : {1.0, -1.0}) {
    const json found = run_json("inverse-kinematics planar3 --frame tool0 --pose " + pose +
                                " --q0 0," + json(sign).dump() + ",0 --json");
    const double q2 = sign * elbow;
    const double q1 = std::atan2(y, x) - std::atan2(a2 * std::sin(q2), a1 + a2 * std::cos(q2));
    EXPECT_NEAR(found["q"][0], q1, 1e-8);
    EXPECT_NEAR(found["q"][1], q2, 1e-8);
    EXPECT_NEAR(found["q"][2], phi - q1 - q2, 1e-8);
  }
}

TEST_F(KinematicsProgram, InverseKinematicsReportsThatAPoseIsOutOfReach) {
  const Result json_run = run("inverse-kinematics planar3 --frame tool0 --pose 1.2,1.6,0 --json");
  EXPECT_EQ(json_run.code, 1);
  EXPECT_THAT(json_run.err, HasSubstr("out of reach"));
  const json found = json::parse(json_run.out);
  EXPECT_EQ(found["reached"], false);
  EXPECT_NEAR(found["position_error"], 2.0 - (a1 + a2 + a3), 1e-12);
  EXPECT_NEAR(found["pose"]["xyz"][0], 0.6 * (a1 + a2 + a3), 1e-6);
  EXPECT_NEAR(found["pose"]["xyz"][1], 0.8 * (a1 + a2 + a3), 1e-6);
  const Result table = run("inverse-kinematics planar3 --frame tool0 --pose 1.2,1.6,0,0,0,0");
  EXPECT_EQ(table.code, 1);
  EXPECT_THAT(table.out, HasSubstr("nearest pose of tool0: xyz "));
  EXPECT_THAT(table.err, HasSubstr(" m away, rotated by "));
  // a limit: the hand of this arm cannot be behind it
  write("arm.urdf", test::arm_urdf());
  const Result limited = run("inverse-kinematics arm.urdf --frame lower --pose 0,0,-0.9 --json");
  EXPECT_EQ(limited.code, 1);
  const json nearest = json::parse(limited.out);
  EXPECT_NEAR(std::abs(nearest["q"][0].get<double>()), 2.0, 1e-12);
  EXPECT_NEAR(nearest["position_error"], 2.0 * std::sin(0.5 * (std::numbers::pi - 2.0)), 1e-12);
}

TEST_F(KinematicsProgram, InverseKinematicsStartsWithinTheLimits) {
  std::string urdf = test::arm_urdf();
  urdf = test::replaced(urdf, R"(lower="-2" upper="2" effort="50")",
                        R"(lower="0.5" upper="2" effort="50")");
  write("arm.urdf", urdf);
  // 0 is not allowed: the start is 0, 0.5, where the hand already is
  const json found = run_json("inverse-kinematics arm.urdf --frame lower --pose 0,0,1.1 --json");
  EXPECT_THAT(found["q"], ElementsAre(0.0, 0.5));
  const Result warned =
      run("inverse-kinematics arm.urdf --frame lower --pose 0,0,1.1 --q0 0,30 --json");
  EXPECT_EQ(warned.code, 0);
  EXPECT_THAT(warned.err, HasSubstr("--q0: joint 'elbow' at 30 rad is outside of its limits"));
}

TEST_F(KinematicsProgram, InverseKinematicsRefusesBadInput) {
  const std::pair<const char*, const char*> cases[] = {
      {"planar3 --frame tool0 --pose 1,2,3,4",
       "--pose: 4 numbers given; required are 3 (x,y,z in m: the position alone) or 6"},
      {"planar3 --frame tool0 --pose 1,nan,3", "--pose: entry 2 is 'nan'"},
      {"planar3 --frame nosuch --pose 1,2,3", "its frames are base_link"},
      {"planar3 --frame tool0 --pose 1,2,3 --q0 1,2", "--q0: 2 numbers given, 3 required"},
      {"planar3 --frame tool0", "--pose is required"},
      {"planar3 --pose 1,2,3", "--frame is required"},
      {"canadarm --frame tool0 --pose 1,2,3", "has flexible links"},
  };
  expect_all_refused("inverse-kinematics ", cases);
  const json pose = run_json("kinematics canadarm --q 0.3,0.4,0.5 --json")["frames"].back();
  EXPECT_EQ(pose["name"], "tool0");
  run_json("inverse-kinematics canadarm --rigid --frame tool0 --json --pose " +
           option_value(pose["xyz"]));
}

}  // namespace
}  // namespace dynamics
