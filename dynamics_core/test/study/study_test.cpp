// SPDX-License-Identifier: Apache-2.0
// The cases of a study: which values they get, what these change, what is kept.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <thread>

#include "dynamics_core/flexible_links.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "dynamics_core/simulate.hpp"
#include "dynamics_core/trajectory.hpp"
#include "study/evaluate.hpp"
#include "study_samples.hpp"

namespace dynamics {
namespace {

using test::study_of;
using testing::ElementsAre;

TEST(Study, NumbersTheCombinationsOfListsWithTheLastFastest) {
  const Study study = study_of(R"(
robot: planar3
run: {terms: {}}
vary:
  - {parameter: q0, of: joint1, set: {list: [1, 2]}}
  - {parameter: q0, of: joint2, set: {grid: [0, 1, 3]}}
)");
  EXPECT_EQ(study.cases(), 6U);
  EXPECT_THAT(study.parameters(), ElementsAre("q0_joint1", "q0_joint2"));
  EXPECT_THAT(study.draw(0), ElementsAre(1.0, 0.0));
  EXPECT_THAT(study.draw(1), ElementsAre(1.0, 0.5));
  EXPECT_THAT(study.draw(5), ElementsAre(2.0, 1.0));
  EXPECT_THROW(study.draw(6), ArgumentError);
}

TEST(Study, DrawsSamplesForEachCombination) {
  const Study study = study_of(R"(
robot: planar3
run: {terms: {}}
vary:
  - {parameter: q0, of: joint1, set: {list: [1, 2]}}
  - {parameter: q0, of: joint2, set: {uniform: [0, 1]}}
samples: 3
)");
  EXPECT_EQ(study.cases(), 6U);
  EXPECT_EQ(study.draw(2)[0], 1.0);
  EXPECT_EQ(study.draw(3)[0], 2.0);
  EXPECT_NE(study.draw(0)[1], study.draw(3)[1]);
}

/// The result `name` of a row.
double result(const Study& study, const StudyRow& row, const std::string& name) {
  const auto& names = study.results();
  const auto found = std::find(names.begin(), names.end(), name);
  EXPECT_NE(found, names.end()) << name;
  return row.values.at(study.parameters().size() + static_cast<std::size_t>(found - names.begin()));
}

// the same numbers from the functions that a user would call
TEST(Study, SimulatesWhatADirectCallSimulates) {
  const Study study = study_of(test::falls);
  const DhTable table = built_in_robot("planar3");
  for (const std::uint64_t number : {0U, 7U, 19U}) {
    const StudyRow row = study.run(number);
    ASSERT_EQ(row.error, "");
    RobotDescription robot = describe(table);
    std::size_t k = 0;
    for (LinkDescription& link : robot.links) {
      if (!link.inertial || !(link.inertial->mass > 0.0)) continue;
      link.inertial->mass *= row.values[k];
      link.inertial->inertia *= row.values[k++];
    }
    ASSERT_EQ(k, study.parameters().size());
    const Model model(robot, {.gravity = table.gravity});
    SimulationOptions options;
    options.duration = 0.1;
    options.sample = 0.05;
    options.rtol = 1e-6;
    options.q0 = table.q0;
    options.qd0 = table.qd0;
    options.q0.resize(model.size());
    const Recording run = simulate(model, options);
    EXPECT_NEAR(result(study, row, "final_q_joint3"), run.q[2].back(), 1e-12);
    EXPECT_NEAR(result(study, row, "peak_kinetic"), run.kinetic.back(), 1e-10);
  }
}

TEST(Study, RowsDoNotDependOnTheThreadsThatComputeThem) {
  const Study study = study_of(test::falls);
  std::vector<StudyRow> rows(study.cases());
  std::vector<std::thread> threads;
  for (std::uint64_t first = 0; first < 3; ++first) {
    threads.emplace_back([&, first] {
      for (std::uint64_t k = first; k < study.cases(); k += 3) rows[k] = study.run(k);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const StudyRow& row : rows) EXPECT_EQ(row.values, study.run(row.number).values);
}

/// The inertia of a varied link.
Inertial varied_link(const std::string& variation, double value) {
  const std::string text = "robot: puma\nrun: {terms: {}}\nvary: [{parameter: " + variation +
                           ", of: link3, scale: {list: [1]}}]\n";
  const StudySources sources = test::built_in_sources();
  study::Inputs inputs(sources);
  const auto read = study::read_plan(text, "study.yaml", inputs);
  const double values[] = {value};
  const auto setup = study::apply_variations(read.plan, read.nominal, values);
  for (const LinkDescription& link : setup.model->description().links) {
    if (link.name == "link3") return *link.inertial;
  }
  throw std::logic_error("no link3");
}

TEST(Study, InertiasStayPhysical) {
  const Inertial nominal = varied_link("mass", 1.0);
  for (const char* variation : {"mass", "inertia", "stretch_x", "stretch_y", "stretch_z"}) {
    for (const double value : {0.01, 0.5, 3.0}) {
      const Inertial link = varied_link(variation, value);
      // a mass distribution exists if the principal moments obey the triangle inequality
      const Eigen::Vector3d moments =
          Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(link.inertia).eigenvalues();
      EXPECT_GT(moments[0], 0.0) << variation;
      EXPECT_LE(moments[2], moments[0] + moments[1] + 1e-12) << variation << value;
    }
  }
  // a body that is twice as long along x: its second moment about the center along x is 4 times
  const auto second_moment = [](const Inertial& link) {
    return 0.5 * link.inertia.trace() - link.inertia(0, 0);
  };
  const Inertial longer = varied_link("stretch_x", 2.0);
  EXPECT_NEAR(second_moment(longer), 4.0 * second_moment(nominal), 1e-12);
  EXPECT_EQ(longer.mass, nominal.mass);
  const Inertial heavier = varied_link("mass", 2.0);
  EXPECT_NEAR((heavier.inertia - 2.0 * nominal.inertia).norm(), 0.0, 1e-12);
}

TEST(Study, TermsAreThoseOfTheFunctions) {
  const Study study = study_of(R"(
robot: puma
run: {terms: {qd: [1, 0, 0.5, 0, 0, 0]}}
vary:
  - {parameter: q0, of: joint2, set: {list: [0.3]}}
  - {parameter: gravity, scale: {list: [0.5]}}
)");
  const StudyRow row = study.run(0);
  ASSERT_EQ(row.error, "");
  const Model model = model_from_dh(built_in_robot("puma")).with_gravity({0.0, 0.0, -9.81 / 2});
  Workspace workspace(model);
  const std::vector<double> q = {0.0, 0.3, 0.0, 0.0, 0.0, 0.0}, qd = {1.0, 0.0, 0.5, 0.0, 0.0, 0.0};
  Eigen::VectorXd g(6), bias(6);
  Eigen::MatrixXd M(6, 6);
  gravity_forces(model, workspace, q, g);
  bias_forces(model, workspace, q, qd, bias);
  inertia_matrix(model, workspace, q, M);
  EXPECT_NEAR(result(study, row, "gravity_joint2"), g[1], 1e-12);
  EXPECT_NEAR(result(study, row, "bias_joint1"), bias[0], 1e-12);
  EXPECT_NEAR(result(study, row, "inertia_joint3"), M(2, 2), 1e-12);
  const Eigen::VectorXd values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(M).eigenvalues();
  EXPECT_NEAR(result(study, row, "condition"), values[5] / values[0], 1e-6);
}

TEST(Study, InverseDynamicsFollowsTheCycloidFromTheStartOfTheCase) {
  const Study study = study_of(R"(
robot: planar3
run: {inverse: {q1: [1, 0, 0], period: 2, sample: 0.5}}
vary: [{parameter: q0, of: joint1, set: {list: [0.5]}}]
keep: [initial q_joint1, final q_joint1, time_of_peak qd_joint1]
)");
  const StudyRow row = study.run(0);
  EXPECT_NEAR(result(study, row, "initial_q_joint1"), 0.5, 1e-15);
  EXPECT_NEAR(result(study, row, "final_q_joint1"), 1.0, 1e-12);
  EXPECT_NEAR(result(study, row, "time_of_peak_qd_joint1"), 1.0, 1e-12);
}

TEST(Study, NaturalFrequenciesAreThoseOfTheModel) {
  const Study study = study_of(R"(
robot: canadarm
run: {natural_frequencies: {joints: clamped}}
vary: [{parameter: payload, set: {list: [0, 100]}}]
)");
  const FlexibleModel model(model_from_dh(built_in_robot("canadarm")));
  const std::vector<double> q(model.size(), 0.0);
  std::vector<double> start = built_in_robot("canadarm").q0;
  start.resize(model.size(), 0.0);
  const auto modes = natural_modes(model, start, Joints::clamped);
  const StudyRow free = study.run(0), loaded = study.run(1);
  EXPECT_NEAR(result(study, free, "frequency_1"), modes.frequencies[0] / (2.0 * M_PI), 1e-9);
  EXPECT_LT(result(study, loaded, "frequency_1"), result(study, free, "frequency_1"));
}

TEST(Study, GainsFrictionAndPayloadChangeTheRun) {
  const Study study = study_of(R"(
robot: planar3
run:
  simulate: {controller: pd-gravity, kp: 50, kd: 10, duration: 0.5, rtol: 1e-6, payload: 1,
             reference: cycloid, q1: [0.5, 0, 0], period: 0.4}
vary:
  - {parameter: kp, of: joint1, scale: {list: [1, 4]}}
  - {parameter: friction, of: joint2, set: {list: [0, 3]}}
  - {parameter: payload, scale: {list: [1, 2]}}
keep: [tracking_error, {settling_time: 0.2}, limit_violations, energy]
)");
  ASSERT_EQ(study.cases(), 8U);
  std::vector<std::vector<double>> kept;
  for (std::uint64_t k = 0; k < 8; ++k) {
    const StudyRow row = study.run(k);
    ASSERT_EQ(row.error, "");
    kept.emplace_back(row.values.begin() + 3, row.values.end());
    for (std::uint64_t other = 0; other < k; ++other) EXPECT_NE(kept[k], kept[other]);
  }
  EXPECT_LT(result(study, study.run(4), "tracking_error_joint1"),
            result(study, study.run(0), "tracking_error_joint1"));
  const Recording run = study.record(0);
  double error = 0.0;
  for (std::size_t i = 0; i < run.size(); ++i)
    error = std::max(error, std::abs(run.q[0][i] - run.desired[0][i]));
  EXPECT_EQ(result(study, study.run(0), "tracking_error_joint1"), error);
}

TEST(Study, FailedCaseIsARowWithItsReason) {
  const Study study = study_of(R"(
robot: planar3
run: {terms: {}}
vary: [{parameter: mass, of: link1, add: {list: [1, -100]}}]
)");
  EXPECT_EQ(study.run(0).error, "");
  const StudyRow failed = study.run(1);
  EXPECT_THAT(failed.error, testing::AllOf(testing::HasSubstr("link1"), testing::HasSubstr("mass"),
                                           testing::HasSubstr("positive")));
  EXPECT_EQ(failed.values[0], -100.0);
  for (std::size_t i = 1; i < failed.values.size(); ++i) EXPECT_TRUE(std::isnan(failed.values[i]));
  EXPECT_THROW(study.run(2), ArgumentError);
}

TEST(Study, FingerprintDependsOnTextAndRobot) {
  const Study study = study_of(test::falls);
  EXPECT_EQ(study.fingerprint(), study_of(test::falls).fingerprint());
  EXPECT_NE(study.fingerprint(), study_of(std::string(test::falls) + "\n").fingerprint());
  StudySources other = test::built_in_sources();
  other.load_robot = [](const std::string& name) {
    StudyRobot robot = test::built_in_sources().load_robot(name);
    robot.description.joints[0].damping = 1e-3;
    return robot;
  };
  EXPECT_NE(study.fingerprint(), Study(test::falls, "study.yaml", other).fingerprint());
}

TEST(Study, PartsCoverAllCasesOnce) {
  for (const std::uint64_t cases : {1U, 7U, 100U}) {
    for (const std::uint64_t parts : {1U, 3U, 8U}) {
      std::uint64_t next = 0;
      for (std::uint64_t k = 1; k <= parts; ++k) {
        const StudyRange range = study_part(cases, k, parts);
        EXPECT_EQ(range.first, next);
        EXPECT_LE(range.last - range.first, cases / parts + 1);
        next = range.last;
      }
      EXPECT_EQ(next, cases);
    }
  }
  EXPECT_THROW(study_part(10, 0, 3), ArgumentError);
  EXPECT_THROW(study_part(10, 4, 3), ArgumentError);
}

}  // namespace
}  // namespace dynamics
