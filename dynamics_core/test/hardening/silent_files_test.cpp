// SPDX-License-Identifier: Apache-2.0
// Files and trajectories that could be read as something else than their author meant: other
// joints, other columns, values that would be dropped, angles in degrees, names that collide.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "dynamics_core/check.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/recording.hpp"
#include "dynamics_core/simulate.hpp"
#include "dynamics_core/trajectory.hpp"
#include "support/small_robots.hpp"

namespace dynamics {
namespace {

using testing::AllOf;
using testing::HasSubstr;

template <class Function>
std::string error_of(Function&& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

const double nan = std::numeric_limits<double>::quiet_NaN();

class TrajectoryFiles : public testing::Test {
 protected:
  std::string csv(const std::string& text) const {
    return error_of([&] { knot_trajectory(read_trajectory_csv(text, "f.csv", arm)); });
  }
  std::string yaml(const std::string& point) const {
    return error_of([&] {
      knot_trajectory(read_trajectory_yaml(
          "joint_names: [joint2, joint1, joint3]\npoints:\n- " + point, "f.yaml", arm));
    });
  }
  static std::string base(const std::string& text) {
    return error_of([&] { read_base_trajectory_csv(text, "base.csv"); });
  }
  const Model arm = model_from_dh(built_in_robot("planar3"));
};

TEST_F(TrajectoryFiles, ColumnsOfOtherJointsAreErrors) {
  EXPECT_EQ(csv("t,q_joint1,q_joint2,q_joint3\n0,1,2,3\n"), "accepted");
  EXPECT_EQ(csv("t,q_joint1,q_joint2,q_joint3,tau_joint4,kinetic\n0,1,2,3,4,5\n"), "accepted");
  EXPECT_THAT(csv("t,q_joint1,q_joint2,q_joint3,q_joint4\n0,1,2,3,4\n"),
              AllOf(HasSubstr("f.csv:1"), HasSubstr("column 'q_joint4'"),
                    HasSubstr("joint1, joint2, joint3")));
  EXPECT_THAT(csv("t,q_joint1,q_joint2,q_joint3,qd_elbow\n0,1,2,3,4\n"),
              HasSubstr("column 'qd_elbow'"));
  EXPECT_THAT(csv("t,q_joint1,q_joint2\n0,1,2\n"), HasSubstr("'q_joint3'"));
}

TEST_F(TrajectoryFiles, ColumnsMayBeInAnyOrderAndNotTwice) {
  const Knots knots = read_trajectory_csv("q_joint3,t,q_joint1,q_joint2\n3,0,1,2\n", "f", arm);
  EXPECT_EQ(knots.q[0], (std::vector<double>{1.0, 2.0, 3.0}));
  EXPECT_THAT(csv("t,q_joint1,q_joint1,q_joint2,q_joint3\n0,1,1,2,3\n"),
              HasSubstr("column 'q_joint1' appears twice"));
}

TEST_F(TrajectoryFiles, AccelerationsWithoutVelocitiesAreErrors) {
  EXPECT_THAT(csv("t,q_joint1,q_joint2,q_joint3,qdd_joint1,qdd_joint2,qdd_joint3\n0,1,2,3,4,5,6\n"),
              AllOf(HasSubstr("f.csv:1"), HasSubstr("qdd_"), HasSubstr("without qd_")));
  EXPECT_THAT(yaml("{positions: [1, 2, 3], accelerations: [1, 2, 3], time_from_start: 0}"),
              AllOf(HasSubstr("accelerations"), HasSubstr("without velocities")));
  EXPECT_EQ(yaml("{positions: [1, 2, 3], velocities: [1, 2, 3], accelerations: [1, 2, 3], "
                 "time_from_start: 0}"),
            "accepted");
}

TEST_F(TrajectoryFiles, TimesMustIncreaseAndBeComplete) {
  EXPECT_THAT(csv("t,q_joint1,q_joint2,q_joint3\n1,1,2,3\n1,1,2,3\n"), HasSubstr("not after"));
  EXPECT_THAT(csv("t,q_joint1,q_joint2,q_joint3\n-1,1,2,3\n"), HasSubstr("negative"));
  EXPECT_THAT(csv("t,q_joint1,q_joint2,q_joint3\nnan,1,2,3\n"), HasSubstr("not a finite number"));
  EXPECT_THAT(csv("t;q_joint1;q_joint2;q_joint3\n0,5;1;2;3\n"), HasSubstr("column 't'"));
  EXPECT_THAT(yaml("{positions: [1, 2, 3], time_from_start: {}}"), HasSubstr("sec"));
  EXPECT_THAT(yaml("{positions: [1, 2, 3], time_from_start: {sec: 1, nanosec: -5}}"),
              HasSubstr("nanosec"));
  EXPECT_THAT(yaml("{positions: [1, 2, 3], time_from_start: {secs: 1}}"), HasSubstr("secs"));
}

TEST_F(TrajectoryFiles, BaseMotionWithUnknownColumnsIsAnError) {
  EXPECT_EQ(base("t,x,yaw\n0,0,0\n1,1,1\n"), "accepted");
  EXPECT_THAT(base("t,x,rol\n0,0,0\n1,1,1\n"),
              AllOf(HasSubstr("base.csv:1"), HasSubstr("column 'rol'"),
                    HasSubstr("x, y, z, roll, pitch, yaw")));
  EXPECT_THAT(base("t,x,yaw_deg\n0,0,0\n1,1,90\n"), HasSubstr("column 'yaw_deg'"));
}

TEST_F(TrajectoryFiles, NamesWithCommasAreQuotedInCsv) {
  test::RobotBuilder builder;
  builder.add(JointType::revolute, "a,\"b\"", "base", "link", {0, 1, 0},
              test::body(1.0, {1, 0, 0}));
  const Model model(builder.robot());
  SimulationOptions options;
  options.duration = 0.02;
  const std::string text = to_csv(simulate(model, options));
  EXPECT_THAT(text, testing::StartsWith("t,\"q_a,\"\"b\"\"\","));
  const Knots knots = read_trajectory_csv(text, "run.csv", model);
  EXPECT_EQ(knots.t.size(), 3U);
  EXPECT_EQ(knots.qdd.size(), 3U);
}

TEST(Trajectories, NeedSpansOfTheirSize) {
  Knots knots;
  knots.t = {0.0, 1.0};
  knots.q = {{0.0, 0.0}, {1.0, 1.0}};
  const std::unique_ptr<Trajectory> all[] = {
      cycloid_trajectory({0.0, 0.0}, {1.0, 1.0}, 2.0),
      mohan_saha_trajectory({0.0, 0.0}, {1.0, 1.0}, {2.0, 2.0}), knot_trajectory(knots)};
  for (const auto& trajectory : all) {
    std::vector<double> two(2), one(1), three(3);
    EXPECT_EQ(error_of([&] { trajectory->at(0.5, two, two, two); }), "accepted");
    EXPECT_EQ(error_of([&] { trajectory->at(0.5, one, two, two); }),
              "q has room for 1 entries; 2 are needed");
    EXPECT_EQ(error_of([&] { trajectory->at(0.5, two, three, two); }),
              "qd has room for 3 entries; 2 are needed");
    EXPECT_EQ(error_of([&] { trajectory->at(0.5, two, two, one); }),
              "qdd has room for 1 entries; 2 are needed");
  }
}

TEST(Trajectories, RestBeforeTheirStartAndAfterTheirEnd) {
  Knots knots;
  knots.t = {1.0, 2.0};
  knots.q = {{3.0}, {5.0}};
  knots.qd = {{7.0}, {7.0}};
  const std::unique_ptr<Trajectory> all[] = {cycloid_trajectory({3.0}, {5.0}, 2.0),
                                             knot_trajectory(knots)};
  for (const auto& trajectory : all) {
    std::vector<double> q(1), qd(1), qdd(1);
    trajectory->at(-0.5, q, qd, qdd);
    EXPECT_EQ(q[0], 3.0);
    EXPECT_EQ(qd[0], 0.0);
    EXPECT_EQ(qdd[0], 0.0);
    trajectory->at(2.5, q, qd, qdd);
    EXPECT_EQ(q[0], 5.0);
    EXPECT_EQ(qd[0], 0.0);
    EXPECT_EQ(qdd[0], 0.0);
  }
}

TEST(Trajectories, RefuseNumbersThatAreNotFinite) {
  EXPECT_THAT(error_of([&] { cycloid_trajectory({0.0}, {nan}, 1.0); }), HasSubstr("q1[0] is nan"));
  EXPECT_THAT(error_of([&] { cycloid_trajectory({nan}, {1.0}, 1.0); }), HasSubstr("q0[0] is nan"));
  EXPECT_THAT(error_of([&] { cycloid_trajectory({0.0}, {1.0}, nan); }), HasSubstr("period is nan"));
  EXPECT_THAT(error_of([&] { mohan_saha_trajectory({0.0}, {nan}, {1.0}); }),
              HasSubstr("k[0] is nan"));
  EXPECT_THAT(error_of([&] { mohan_saha_trajectory({nan}, {1.0}, {1.0}); }),
              HasSubstr("q0[0] is nan"));
  Knots one;
  one.t = {0.0};
  one.q = {{nan}};
  EXPECT_THAT(error_of([&] { knot_trajectory(one); }), HasSubstr("nan"));
  one = {{nan}, {{1.0}}, {}, {}};
  EXPECT_THAT(error_of([&] { knot_trajectory(one); }), HasSubstr("nan"));
}

TEST(TimedPaths, RefuseMorePointsThanFit) {
  const TimedPath path = {{0, 1'000'000'000}, {0.0, 1.0}, {0.0, 0.0}, {}};
  EXPECT_THAT(
      error_of([&] { with_interior_points(path, std::numeric_limits<std::size_t>::max()); }),
      HasSubstr("interior_points is"));
}

std::string arm_with(const std::string& joint_origin, const std::string& inertial_origin,
                     const std::string& more = "") {
  return R"(<robot name="arm"><link name="base"/><link name="link"><inertial><origin )" +
         inertial_origin +
         R"(/><mass value="1"/><inertia ixx="0.011" iyy="0.012" izz="0.013" ixy="0" ixz="0" )"
         R"(iyz="0"/></inertial></link>
<joint name="joint" type="continuous"><parent link="base"/><child link="link"/>
<origin )" +
         joint_origin + R"(/><axis xyz="0 1 0"/></joint>)" + more + "</robot>";
}

TEST(UrdfUnits, AnglesThatLookLikeDegreesAreReported) {
  const auto notes = [](const std::string& text) {
    const Model model = model_from_urdf(text);
    std::string all;
    for (const Note& note : model.notes()) all += note.message + "\n";
    return all;
  };
  EXPECT_EQ(notes(arm_with(R"(rpy="3.1416 -1.5708 6.2832")", R"(rpy="0 0 -6.2832")")), "");
  EXPECT_THAT(
      notes(arm_with(R"(rpy="0 90 0")", R"(rpy="0 0 0")")),
      AllOf(HasSubstr("rpy=\"0 90 0\""), HasSubstr("looks like degrees"), HasSubstr("(URDF:3)")));
  EXPECT_THAT(notes(arm_with(R"(rpy="0 0 0")", R"(rpy="-180 0 0")")),
              HasSubstr("looks like degrees"));
  const CheckReport report = check_urdf(arm_with(R"(rpy="0 90 0")", R"(rpy="0 0 0")"));
  EXPECT_TRUE(std::any_of(report.findings.begin(), report.findings.end(),
                          [](const Finding& f) { return f.code == "origin-degrees"; }));
}

TEST(CoordinateNames, ThatCollideAreErrors) {
  test::RobotBuilder builder;
  builder.add(JointType::planar, "base", "base", "cart", {0, 0, 1},
              test::body(1.0, {0, 0, 0}, {1, 1, 1}));
  builder.add(JointType::continuous, "base/x", "cart", "arm", {0, 0, 1},
              test::body(1.0, {1, 0, 0}));
  EXPECT_THAT(error_of([&] { Model model(builder.robot()); }),
              AllOf(HasSubstr("joint 'base/x'"), HasSubstr("coordinate")));
}

TEST(MimicJoints, HaveNoEntryInVectors) {
  test::RobotBuilder builder;
  builder.add(JointType::continuous, "a", "base", "one", {0, 0, 1}, test::body(1.0, {1, 0, 0}));
  builder.add(JointType::continuous, "b", "one", "two", {0, 0, 1}, test::body(1.0, {1, 0, 0}));
  builder.joint().mimic = Mimic{"a", 2.0, 0.0};
  const Model model(builder.robot());
  EXPECT_EQ(model.size(), 1U);
  EXPECT_FALSE(model.find_coordinate("b").has_value());
  // a file that lists the mimic joint as well
  EXPECT_THAT(error_of([&] { read_trajectory_csv("t,q_a,q_b\n0,1,2\n", "f.csv", model); }),
              HasSubstr("column 'q_b'"));
}

}  // namespace
}  // namespace dynamics
