// SPDX-License-Identifier: Apache-2.0
// Joint states and trajectories of logs: names in any order, several publishers, gaps, stamps.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dynamics_core/error.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/simulate.hpp"
#include "dynamics_core/trajectory.hpp"
#include "sample_log.hpp"

namespace dynamics::test {
namespace {

using mcap::JointState;
using mcap::JointTrajectory;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t epoch = 1'700'000'000 * second;

const Model& planar() {
  static const Model model = model_from_dh(built_in_robot("planar3"));
  return model;
}

class Log : public testing::Test {
 protected:
  Log() : file("log"), writer(file.path(), {.profile = "ros2", .chunk_size = 2000}) {}

  JointLog read(const JointLogOptions& options = {}) {
    writer.close();
    return read_joint_log(file.path(), planar(), options);
  }
  void expect_refused(const std::string& message, const JointLogOptions& options = {}) {
    try {
      read(options);
      ADD_FAILURE() << "is not refused";
    } catch (const ParseError& error) {
      EXPECT_THAT(error.what(), HasSubstr(message));
      EXPECT_THAT(error.what(), HasSubstr(file.path()));
    }
  }
  static JointState state(std::int64_t stamp, std::vector<std::string_view> names,
                          std::vector<double> position) {
    JointState message;
    message.stamp = stamp;
    message.names = std::move(names);
    message.position = std::move(position);
    return message;
  }

  TemporaryFile file;
  mcap::Writer writer;
};

TEST_F(Log, JointsAreFoundByNameInAnyOrder) {
  TopicWriter topic(writer, "/joint_states", JointState::type);
  for (int k = 0; k < 100; ++k) {
    JointState message = state(epoch + k * second / 100, {"gripper", "joint3", "joint1", "joint2"},
                               {9.0, 3.0 + k, 1.0 + k, 2.0 + k});
    message.velocity = {9.0, 30.0, 10.0, 20.0};
    message.effort = {9.0, -3.0, -1.0, -2.0};
    if (k % 2 == 0) {
      std::swap(message.names[1], message.names[2]);
      for (auto* values : {&message.position, &message.velocity, &message.effort})
        std::swap((*values)[1], (*values)[2]);
    }
    topic.write(message, epoch);
  }
  const JointLog log = read();
  EXPECT_EQ(log.topic, "/joint_states");
  EXPECT_EQ(log.start, epoch);
  ASSERT_EQ(log.t.size(), 100u);
  for (std::size_t k = 0; k < 100; ++k) {
    const auto x = static_cast<double>(k);
    EXPECT_NEAR(log.t[k], 0.01 * x, 1e-12);
    EXPECT_EQ(log.q[k], (std::vector{1.0 + x, 2.0 + x, 3.0 + x}));
    EXPECT_EQ(log.qd[k], (std::vector{10.0, 20.0, 30.0}));
    EXPECT_EQ(log.tau[k], (std::vector{-1.0, -2.0, -3.0}));
  }
  EXPECT_THAT(log.notes, Contains(HasSubstr("gripper")));
  EXPECT_EQ(log.torques().q, log.tau);
}

TEST_F(Log, SeveralPublishersAreInterpolatedAtCommonTimes) {
  // sines, of which joint3 comes from another publisher at another rate and begins later
  TopicWriter arm(writer, "/joint_states", JointState::type),
      hand(writer, "/joint_states", JointState::type);
  for (int k = 0; k <= 200; ++k) {
    const double t = 0.01 * k;
    arm.write(state(epoch + std::llround(t * 1e9), {"joint2", "joint1"},
                    {2.0 * std::sin(t), std::sin(t)}),
              0);
  }
  for (int k = 0; k <= 50; ++k) {
    const double t = 0.403 + 0.02 * k;
    hand.write(state(epoch + std::llround(t * 1e9), {"joint3"}, {3.0 * std::sin(t)}), 0);
  }
  const JointLog log = read();
  EXPECT_THAT(log.notes, Contains(HasSubstr("different times")));
  ASSERT_EQ(log.t.size(), 100u);  // 0.41 s to 1.40 s
  EXPECT_EQ(log.start, epoch + 410'000'000);
  for (std::size_t k = 0; k < log.t.size(); ++k) {
    const double t = 0.41 + log.t[k];
    EXPECT_NEAR(log.q[k][0], std::sin(t), 1e-9);
    EXPECT_NEAR(log.q[k][1], 2.0 * std::sin(t), 1e-9);
    // the spline is at rest at both ends
    if (k > 20 && k < 80) {
      EXPECT_NEAR(log.q[k][2], 3.0 * std::sin(t), 1e-6);
    }
  }
}

TEST_F(Log, SamplesAreSortedAndOfEqualTimesTheLastCounts) {
  TopicWriter topic(writer, "/joint_states", JointState::type);
  const std::vector<std::string_view> names = {"joint1", "joint2", "joint3"};
  for (const auto& [tenths, value] : std::vector<std::pair<int, double>>{
           {1, 1.0}, {3, 3.0}, {2, 2.0}, {3, 33.0}, {40, 4.0}, {41, 5.0}})
    topic.write(state(epoch + tenths * second / 10, names, {value, value, value}), 0);
  const JointLog log = read();
  ASSERT_EQ(log.t.size(), 5u);
  EXPECT_EQ(log.q[1][0], 2.0);
  EXPECT_EQ(log.q[2][0], 33.0);
  EXPECT_THAT(log.notes, Contains(HasSubstr("sorted")));
  EXPECT_THAT(log.notes, Contains(HasSubstr("1 samples")).Times(0));
  EXPECT_THAT(log.notes, Contains(HasSubstr("3 samples have the time of a later one")));
  EXPECT_THAT(log.notes, Contains(HasSubstr("no samples for 3.7 s from t = 0.2 s on")));
}

TEST_F(Log, ValuesThatAreNotFiniteAreNotGiven) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  TopicWriter topic(writer, "/joint_states", JointState::type);
  for (int k = 0; k < 10; ++k) {
    JointState message = state(k * second, {"joint1", "joint2", "joint3"}, {1.0, 2.0, 3.0});
    message.velocity = {1.0, 1.0, k == 5 ? nan : 1.0};
    message.effort = {1.0, 1.0, 1.0};
    if (k == 3) message.position = {nan, nan, nan};
    topic.write(message, 0);
  }
  const JointLog log = read();
  EXPECT_EQ(log.t.size(), 9u);
  EXPECT_THAT(log.qd, IsEmpty());
  EXPECT_EQ(log.tau.size(), 9u);
  EXPECT_THAT(log.notes, Contains(HasSubstr("3 samples without position")));
}

TEST_F(Log, WithoutStampsHasTheTimesOfTheRecorder) {
  TopicWriter topic(writer, "/joint_states", JointState::type);
  for (int k = 0; k < 3; ++k)
    topic.write(state(0, {"joint1", "joint2", "joint3"}, {0.0, 0.0, 0.0}), epoch + k * second);
  const JointLog log = read();
  EXPECT_EQ(log.start, epoch);
  EXPECT_EQ(log.t, (std::vector{0.0, 1.0, 2.0}));
}

TEST_F(Log, ANewTrajectoryReplacesTheRestOfTheOneBefore) {
  TopicWriter topic(writer, "/arm/joint_trajectory", JointTrajectory::type);
  const auto send = [&](std::int64_t start, double value) {
    JointTrajectory message;
    message.names = {"joint2", "joint1", "joint3"};
    for (int k = 0; k <= 4; ++k) {
      JointTrajectory::Point point;
      point.positions = {value, value + 0.1, value + 0.2};
      point.velocities = {0.0, 0.0, 0.0};
      point.accelerations = {1.0, 2.0, 3.0};
      point.time_from_start = k * second;
      message.points.push_back(point);
    }
    topic.write(message, start);  // stamp 0: now
  };
  send(epoch, 1.0);
  send(epoch + 2 * second + second / 2, 2.0);
  const JointLog log = read();
  EXPECT_EQ(log.type, JointTrajectory::type);
  EXPECT_EQ(log.t, (std::vector{0.0, 1.0, 2.0, 2.5, 3.5, 4.5, 5.5, 6.5}));
  EXPECT_EQ(log.q[2], (std::vector{1.1, 1.0, 1.2}));
  EXPECT_EQ(log.q[3], (std::vector{2.1, 2.0, 2.2}));
  EXPECT_EQ(log.qdd[3], (std::vector{2.0, 1.0, 3.0}));
}

TEST_F(Log, AmbiguousOrMissingTopicsAreRefusedWithTheirNames) {
  TopicWriter a(writer, "/a/joint_states", JointState::type),
      b(writer, "/b/joint_states", JointState::type);
  a.write(state(0, {"joint1", "joint2", "joint3"}, {1.0, 2.0, 3.0}), 0);
  b.write(state(0, {"joint1", "joint2"}, {1.0, 2.0}), 0);
  writer.add_channel(writer.add_schema("pkg/msg/Unknown", "ros2msg", "int8 x"), "/other", "cdr");
  writer.close();
  const auto what = [&](const std::string& topic) -> std::string {
    try {
      read_joint_log(file.path(), planar(), {.topic = topic});
      return "read";
    } catch (const ParseError& error) {
      return error.what();
    }
  };
  EXPECT_THAT(what(""), HasSubstr("several topics"));
  EXPECT_THAT(what(""), HasSubstr("/a/joint_states, /b/joint_states"));
  EXPECT_EQ(what("/a/joint_states"), "read");
  EXPECT_THAT(what("/b/joint_states"), HasSubstr("no position of joint 'joint3' of"));
  EXPECT_THAT(what("/other"), HasSubstr("pkg/msg/Unknown"));
  EXPECT_THAT(what("/none"), HasSubstr("there is no topic '/none'"));
}

TEST_F(Log, WithoutEffortsIsRefusedAsTorques) {
  TopicWriter topic(writer, "/joint_states", JointState::type);
  topic.write(state(0, {"joint1", "joint2", "joint3"}, {1.0, 2.0, 3.0}), 0);
  expect_refused("there is no effort of joint 'joint1'",
                 {.required = JointLogOptions::Required::efforts});
}

TEST_F(Log, CutOffIsReadUpToItsLastCompleteChunk) {
  TopicWriter topic(writer, "/joint_states", JointState::type);
  for (int k = 0; k < 200; ++k)
    topic.write(state(k * second, {"joint1", "joint2", "joint3"}, {1.0, 2.0, 3.0}), 0);
  // not closed: as after a kill of the writer
  const JointLog log = read_joint_log(file.path(), planar());
  EXPECT_GT(log.t.size(), 150u);
  EXPECT_LT(log.t.size(), 200u);
  EXPECT_THAT(log.notes, Contains(HasSubstr("ends without a footer")));
}

/// A run written as MCAP and read again, for a robot in several forms.
TEST(WriteMcap, ARunIsReadBackBitForBit) {
  SimulationOptions options;
  options.duration = 1.0;
  const Recording run = simulate(planar(), options);
  for (const char* compression : {"", "lz4", "zstd"}) {
    const TemporaryFile file("run");
    write_mcap(file.path(), run, {.compression = compression});
    const JointLog log = read_joint_log(file.path(), planar());
    EXPECT_THAT(log.notes, IsEmpty());
    ASSERT_EQ(log.t.size(), run.size());
    for (std::size_t k = 0; k < run.size(); ++k) {
      EXPECT_EQ(std::llround(log.t[k] * 1e9), std::llround(run.t[k] * 1e9));
      for (std::size_t i = 0; i < planar().size(); ++i) {
        EXPECT_EQ(log.q[k][i], run.q[i][k]);
        EXPECT_EQ(log.qd[k][i], run.qd[i][k]);
        EXPECT_EQ(log.tau[k][i], run.tau[i][k]);
      }
    }
    EXPECT_EQ(read_robot_description(file.path()), "");
  }
  EXPECT_THROW(write_mcap("run.mcap", run, {.compression = "gzip"}), ArgumentError);
  EXPECT_FALSE(std::filesystem::exists("run.mcap"));
}

TEST(WriteMcap, MakesAFolderOnceWithMetadata) {
  SimulationOptions options;
  options.duration = 0.1;
  Recording run = simulate(planar(), options);
  run.urdf = "<robot name='r'/>";
  const TemporaryFile folder("bag");
  write_mcap(folder.path() + "/", run);
  const std::string name = std::filesystem::path(folder.path()).filename().string();
  EXPECT_TRUE(std::filesystem::exists(folder.path() + "/metadata.yaml"));
  EXPECT_EQ(read_robot_description(folder.path() + "/" + name + "_0.mcap"), run.urdf);
  EXPECT_THROW(write_mcap(folder.path() + "/", run), ArgumentError);
}

TEST(TorquesAlongLog, AreThoseOfTheRun) {
  // torques of a forced motion: the motion of its log gives them back, up to the differences of
  // the velocities
  SimulationOptions options;
  options.duration = 1.0;
  options.sample = 0.001;
  options.scenario = Scenario::forced;
  options.trajectory = cycloid_trajectory({0.0, 0.0, 0.0}, {0.5, -0.4, 0.3}, 1.0);
  const Recording run = simulate(planar(), options);
  const TemporaryFile file("forced");
  write_mcap(file.path(), run);
  const JointLog log = read_joint_log(file.path(), planar());
  const Recording computed = torques_along(planar(), log, LogTorques::computed);
  const Recording measured = torques_along(planar(), log, LogTorques::measured);
  ASSERT_EQ(computed.size(), run.size());
  for (std::size_t i = 0; i < planar().size(); ++i) {
    EXPECT_EQ(measured.tau[i], run.tau[i]);
    double largest = 0.0;
    for (std::size_t k = 1; k + 1 < run.size(); ++k)
      largest = std::max(largest, std::abs(computed.tau[i][k] - run.tau[i][k]));
    EXPECT_LT(largest, 1e-4);
    EXPECT_GT(largest, 0.0);
  }
  EXPECT_LT(computed.statistics.energy_drift, 1e-4);
}

}  // namespace
}  // namespace dynamics::test
