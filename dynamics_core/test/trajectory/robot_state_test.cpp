// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "dynamics_core/flexible_links.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/marker_shapes.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/view.hpp"
#include "trajectory/robots.hpp"

namespace dynamics::test {
namespace {

using ::testing::HasSubstr;

const std::vector<double> bent = {0.3, -0.5, 0.8, 0.05, -0.004, 0.03, 0.002, -0.01, 0.001};

Model canadarm() { return model_from_urdf(to_urdf(built_in_robot("canadarm"))); }

void set_positions(RobotState& state, const std::vector<double>& q) {
  for (std::size_t i = 0; i < q.size(); ++i) state.set_position(i, q[i]);
}

double distance(const Pose& a, const Pose& b) {
  return max_propagating_nan(max_abs(a.rotation - b.rotation),
                             max_abs(a.translation - b.translation));
}

TEST(RobotState, HasPositionsWhenEveryJointIsKnown) {
  RobotState state(crane());
  state.set_position(2, 0.3);
  state.set_position(0, 1.0);
  EXPECT_FALSE(state.has_positions());
  state.set_position(1, -0.4);
  EXPECT_TRUE(state.has_positions());
  EXPECT_FALSE(state.has_velocities());
  EXPECT_TRUE(std::isnan(state.energy().kinetic));
  EXPECT_TRUE(std::isnan(state.efforts()[0]));
  EXPECT_THAT(std::vector<double>(state.positions().begin(), state.positions().end()),
              ::testing::ElementsAre(1.0, -0.4, 0.3));
}

TEST(RobotState, ComputesTheEnergyOfThePendulum) {
  RobotState state(pendulum());
  state.set_position(0, 0.4);
  state.set_velocity(0, 2.0);
  state.set_effort(0, 3.0);
  EXPECT_TRUE(state.has_velocities());
  EXPECT_EQ(state.efforts()[0], 3.0);
  // m (l w)^2/2 + I w^2/2 and the rotor's
  EXPECT_NEAR(state.energy().kinetic, 0.5 * (2.0 * 0.25 + 0.1 + 0.05) * 4.0, 1e-12);
  EXPECT_NEAR(state.energy().potential, -2.0 * 9.81 * 0.5 * std::cos(0.4), 1e-12);
  state.clear_velocity(0);
  state.clear_effort(0);
  EXPECT_FALSE(state.has_velocities());
  EXPECT_EQ(state.velocities()[0], 0.0);
  EXPECT_TRUE(std::isnan(state.energy().kinetic));
  EXPECT_TRUE(std::isnan(state.efforts()[0]));
}

TEST(RobotState, KeepsItsStateWhenThePayloadChanges) {
  RobotState state(pendulum());
  state.set_position(0, 0.0);
  Payload payload;
  payload.frame = "bob";
  payload.mass = 2.0;
  payload.center = {0.0, 0.0, -1.5};
  state.set_model(state.model().with_payload(payload));
  ASSERT_TRUE(state.has_positions());
  EXPECT_NEAR(state.center_of_mass().z(), -1.0, 1e-14);
  EXPECT_THROW(state.set_model(crane()), ArgumentError);
  EXPECT_EQ(state.model().name(), "pendulum");
}

TEST(RobotState, PosesOfARigidRobotAreThoseOfKinematics) {
  const Model model = crane();
  Workspace workspace(model);
  RobotState state(model);
  for (const std::vector<double>& q : {std::vector<double>{0.7, 0.4, 0.2}, {-0.1, 1.2, 0.5}}) {
    set_positions(state, q);
    for (std::size_t i = 0; i < model.frames().size(); ++i) {
      const Pose expected = frame_pose(model, workspace, q, i);
      EXPECT_LE(distance(state.pose(model.frames()[i].name), expected), 1e-14);
      EXPECT_LE(distance(state.poses()[i], expected), 1e-14);
    }
  }
}

TEST(RobotState, PosesOfABentRobotAreThoseOfTheFlexibleModel) {
  const FlexibleModel model(canadarm());
  FlexibleWorkspace workspace(model);
  RobotState state(canadarm());
  set_positions(state, bent);
  for (std::size_t i = 0; i < model.rigid().frames().size(); ++i) {
    EXPECT_LE(
        distance(state.pose(model.rigid().frames()[i].name), frame_pose(model, workspace, bent, i)),
        1e-14);
  }
  EXPECT_LE((state.center_of_mass() - center_of_mass(model, workspace, bent)).norm(), 1e-14);
  EXPECT_GT(state.energy().strain, 0.0);
}

TEST(RobotState, JointsThatMoveTheirLinkInTheParentsFrame) {
  const RobotState state(crane());
  for (const JointDescription& joint : state.model().description().joints) {
    EXPECT_EQ(state.moves_in_parent(joint), joint.name != "mount") << joint.name;
  }
  const RobotState flexible(canadarm());
  bool has_fixed_joint_on_beam = false;
  for (const JointDescription& joint : flexible.model().description().joints) {
    const bool on_beam = joint.parent.find("link") == 0;
    EXPECT_EQ(flexible.moves_in_parent(joint), joint.type != JointType::fixed || on_beam)
        << joint.name;
    has_fixed_joint_on_beam |= joint.type == JointType::fixed && on_beam;
  }
  EXPECT_TRUE(has_fixed_joint_on_beam);
}

TEST(RobotState, NamesWhatIsWrong) {
  RobotState state(pendulum());
  const auto message = [](const auto& call) {
    try {
      call();
    } catch (const ArgumentError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message([&] { state.set_position(1, 0.0); }), HasSubstr("coordinate is 1"));
  EXPECT_THAT(message([&] { state.set_velocity(1, 0.0); }), HasSubstr("coordinate is 1"));
  EXPECT_THAT(message([&] { state.set_effort(1, 0.0); }), HasSubstr("joint is 1"));
  EXPECT_THAT(message([&] { state.clear_velocity(1); }), HasSubstr("joint is 1"));
  EXPECT_THAT(message([&] { state.beam(0, 2); }), HasSubstr("link is 0"));
  RobotState flexible(canadarm());
  EXPECT_THAT(message([&] { flexible.beam(0, 1); }), HasSubstr("points is 1"));
}

/// The Canadarm with modes along z too, and massless links m1_0 to m3_8 along its beams.
std::string marked_canadarm(bool stiffening) {
  std::string urdf = to_urdf(built_in_robot("canadarm"));
  const auto replace = [&](const std::string& from, const std::string& to) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = urdf.find(from, at)) != std::string::npos; at += to.size()) {
      urdf.replace(at, from.size(), to);
      ++count;
    }
    return count;
  };
  EXPECT_EQ(replace("modes_z=\"0\"", "modes_z=\"1\""), 3U);
  if (stiffening) {
    EXPECT_EQ(replace("<flexible ", "<flexible stiffening=\"true\" "), 3U);
  }
  std::string links;
  const std::vector<double> lengths = {6.0, 7.0, 2.0};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k <= 8; ++k) {
      const std::string number = std::to_string(i + 1);
      const std::string name = "m" + number + "_" + std::to_string(k);
      const double x = lengths[i] * static_cast<double>(k) / 8.0;
      links += "<link name=\"" + name + "\"/><joint name=\"on_" + name +
               "\" type=\"fixed\"><parent link=\"link" + number + "\"/><child link=\"" + name +
               "\"/><origin xyz=\"" + std::to_string(x) + " 0 0\"/></joint>";
    }
  }
  replace("</robot>", links + "</robot>");
  return urdf;
}

TEST(RobotState, BeamsPassThroughTheFramesOnThem) {
  for (const bool stiffening : {false, true}) {
    RobotState state(model_from_urdf(marked_canadarm(stiffening)));
    for (std::size_t i = 0; i < 3; ++i) {
      state.set_position(i, bent[i]);
      const FlexibleLink& link = state.flexible()->links()[i];
      ASSERT_EQ(link.modes_y, 2U);
      ASSERT_EQ(link.modes_z, 1U);
      state.set_position(link.first, bent[3 + 2 * i]);
      state.set_position(link.first + 1, bent[4 + 2 * i]);
      state.set_position(link.first + 2, 0.2);
    }
    for (std::size_t i = 0; i < 3; ++i) {
      const auto points = state.beam(i, 9);
      ASSERT_EQ(points.size(), 9U);
      const Eigen::Vector3d chord = points.back() - points.front();
      EXPECT_GT(std::abs(chord.z()), 0.1);
      const double length = state.flexible()->links()[i].length;
      EXPECT_EQ(chord.norm() < length, stiffening);  // without it the bent line is longer
      for (std::size_t k = 0; k < 9; ++k) {
        const std::string mark = "m" + std::to_string(i + 1) + "_" + std::to_string(k);
        EXPECT_LE((points[k] - state.pose(mark).translation).norm(), 1e-12)
            << mark << ", stiffening " << stiffening;
      }
    }
  }
}

}  // namespace
}  // namespace dynamics::test
