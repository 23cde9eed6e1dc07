// SPDX-License-Identifier: Apache-2.0
// --algorithm, and `dynamics compare` on the papers' robots, random trees and real URDFs. If
// DYNAMICS_ROBOTS_DIR names a folder, its URDF files are compared too.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "dynamics_core/formulations.hpp"
#include "support/program.hpp"
#include "support/random_robot.hpp"

namespace dynamics {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::matrix;
using test::Result;
using testing::HasSubstr;

class Formulations : public test::Program {
 protected:
  /// Expects that all formulations that cover a case agree, and a reason for every other one.
  void expect_agreement(const std::string& robot, const std::string& samples) const {
    const json result = run_json("compare '" + robot + "' --samples " + samples + " --json");
    EXPECT_TRUE(result["agrees"].get<bool>()) << robot;
    EXPECT_EQ(result["comparisons"].size(), 6U);
    for (const json& comparison : result["comparisons"]) {
      const std::size_t others = comparison["not_covered"].size();
      const std::size_t covering = formulations::all().size() - others;
      EXPECT_GE(covering, 2U) << robot;
      EXPECT_EQ(comparison["pairs"].size(), covering * (covering - 1) / 2) << robot;
      const bool forward = comparison["task"] == "forward";
      for (const json& pair : comparison["pairs"]) {
        const double tolerance =
            forward ? std::max(1e-9, 1e-13 * comparison["condition"].get<double>()) : 1e-9;
        EXPECT_LE(pair["difference"].get<double>(), tolerance) << robot << pair;
      }
      for (const json& other : comparison["not_covered"]) EXPECT_NE(other["reason"], "");
    }
  }
};

const char* const state = "puma --q 0.1,-0.2,0.3,0.4,-0.5,0.6 --qd 1,2,3,-1,-2,-3 ";

TEST_F(Formulations, AlgorithmOptionSelectsTheFormulation) {
  const std::string inverse = std::string("inverse ") + state + "--qdd 1,0,-1,2,0.5,-2 --json";
  const std::string forward = std::string("forward ") + state + "--tau 1,0,-1,2,0.5,-2 --json";
  const auto tau = run_json(inverse)["tau"].get<std::vector<double>>();
  const auto qdd = run_json(forward)["qdd"].get<std::vector<double>>();
  std::size_t different = 0;  // in the last digits: another algorithm was used
  const auto expect_near = [&](const std::vector<double>& got, const std::vector<double>& expected,
                               double tolerance, const std::string& option) {
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(got[i], expected[i], tolerance) << option;
    if (got != expected) ++different;
  };
  for (const auto& formulation : formulations::all()) {
    const std::string option = " --algorithm " + std::string(formulation.name);
    if (formulation.inverse) {
      expect_near(run_json(inverse + option)["tau"], tau, 1e-11, option);
    } else {
      expect_refused(inverse + option, "supports only forward dynamics");
    }
    if (formulation.forward) {
      expect_near(run_json(forward + option)["qdd"], qdd, 1e-8, option);
    } else {
      expect_refused(forward + option, "supports only inverse dynamics");
    }
  }
  EXPECT_GE(different, 8U);
}

TEST_F(Formulations, UnknownAlgorithmIsRejected) {
  const Result refused = run(std::string("inverse ") + state + "--algorithm magic");
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err,
              HasSubstr("unknown formulation 'magic': it must be one of lagrange, newton-euler"));
  const Result path = run("inverse puma --trajectory cycloid --algorithm lagrange");
  EXPECT_EQ(path.code, 2);
  EXPECT_THAT(path.err, HasSubstr("trajectories are computed with denoc"));
}

TEST_F(Formulations, SimulateUsesTheChosenAlgorithm) {
  const std::string fall = "simulate stanford --duration 0.5 --json";
  const auto expected = run_json(fall);
  EXPECT_EQ(expected["algorithm"], "udut");
  for (const auto& formulation : formulations::all()) {
    const std::string option = " --algorithm " + std::string(formulation.name);
    if (!formulation.forward) {
      expect_refused(fall + option,
                     "has no forward dynamics: it must be one of lagrange, strobing");
      continue;
    }
    const auto run = run_json(fall + option);
    EXPECT_EQ(run["algorithm"], formulation.name);
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_NEAR(run["q"][i].get<double>(), expected["q"][i].get<double>(), 1e-8) << option;
    }
  }
  ASSERT_EQ(run("simulate puma --duration 0.1 --algorithm strobing --output run.json").code, 0);
  EXPECT_EQ(nlohmann::json::parse(read(folder / "run.json"))["settings"]["algorithm"], "strobing");
  EXPECT_THAT(run("simulate puma --duration 0.1 --algorithm nasser").out, HasSubstr(", nasser)"));
}

TEST_F(Formulations, SimulateRefusesAlgorithmsByName) {
  expect_refused("simulate puma --algorithm magic",
                 "unknown algorithm 'magic': it must be one of lagrange, strobing, walker-orin");
  expect_refused("simulate puma --algorithm cholesky", "unknown algorithm 'cholesky'");
  expect_refused("simulate canadarm --algorithm saha-2003",
                 "flexible links support udut (default) and cholesky");
  expect_refused("simulate puma --algorithm nasser --precision double-double",
                 "--precision double-double supports --algorithm udut only");
  expect_refused("simulate puma --algorithm lagrange --base-motion roll:0.1:1",
                 "formulation lagrange does not support a rotating base");
  EXPECT_EQ(run("simulate canadarm --rigid --algorithm saha-2003 --duration 0.1").code, 0);
}

TEST_F(Formulations, CompareAgreesForThePapersRobots) {
  for (const char* robot : {"planar3", "stanford", "puma", "canadarm"}) {
    expect_agreement(robot, "20");
  }
  const Result readable = run("compare stanford --samples 2");
  EXPECT_EQ(readable.code, 0) << readable.err;
  EXPECT_THAT(readable.out, HasSubstr("lagrange does not support wrenches on links"));
  EXPECT_THAT(readable.out, HasSubstr("condition number of M up to"));
}

/// A random robot as a URDF file.
std::string urdf_of(const RobotDescription& robot) {
  std::ostringstream text;
  text.precision(17);
  const auto three = [&](const char* name, const Eigen::Vector3d& v) {
    text << ' ' << name << "=\"" << v.x() << ' ' << v.y() << ' ' << v.z() << '"';
  };
  text << "<robot name=\"" << robot.name << "\">\n";
  for (const LinkDescription& link : robot.links) {
    const Inertial& own = *link.inertial;
    text << "<link name=\"" << link.name << "\"><inertial><origin";
    three("xyz", own.center);
    text << "/><mass value=\"" << own.mass << "\"/><inertia ixx=\"" << own.inertia(0, 0)
         << "\" ixy=\"" << own.inertia(0, 1) << "\" ixz=\"" << own.inertia(0, 2) << "\" iyy=\""
         << own.inertia(1, 1) << "\" iyz=\"" << own.inertia(1, 2) << "\" izz=\""
         << own.inertia(2, 2) << "\"/></inertial></link>\n";
  }
  for (const JointDescription& joint : robot.joints) {
    text << "<joint name=\"" << joint.name << "\" type=\"" << to_string(joint.type)
         << "\"><parent link=\"" << joint.parent << "\"/><child link=\"" << joint.child
         << "\"/><origin";
    three("xyz", joint.origin.translation);
    three("rpy", rpy_from_rotation(joint.origin.rotation));
    text << "/><axis";
    three("xyz", joint.axis);
    text << "/><dynamics damping=\"" << joint.damping << "\" friction=\"" << joint.friction
         << "\"/>";
    if (joint.limits) {
      text << "<limit lower=\"-1\" upper=\"1\" velocity=\"1\" effort=\"100\"/>";
    }
    text << "</joint>\n";
  }
  text << "</robot>\n";
  return text.str();
}

TEST_F(Formulations, CompareAgreesForRandomTrees) {
  unsigned seed = 40;
  for (const std::size_t joints : {3U, 12U, 30U, 60U}) {
    for (const double branching : {0.0, 0.4}) {
      test::RandomRobot random(seed++);
      const RobotDescription robot = random.robot({.joints = joints,
                                                   .branching = branching,
                                                   .prismatic = 0.3,
                                                   .fixed = 0.2,
                                                   .friction = 0.4});
      const fs::path file = folder / "random.urdf";
      std::ofstream(file) << urdf_of(robot);
      expect_agreement(file.string(), "2");
      if (branching > 0.0 && joints > 10) {
        EXPECT_THAT(run("compare random.urdf --samples 1").out,
                    HasSubstr("newton-euler supports only serial chains, but link '"));
      }
    }
  }
}

TEST_F(Formulations, CompareAgreesForRealRobots) {
  std::vector<fs::path> folders = {DYNAMICS_URDF_DIR};
  const char* given = std::getenv("DYNAMICS_ROBOTS_DIR");  // NOLINT(concurrency-mt-unsafe)
  if (given != nullptr) folders.emplace_back(given);
  for (const fs::path& robots : folders) {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(robots)) {
      if (entry.path().extension() != ".urdf") continue;
      expect_agreement(entry.path().string(), "3");
      ++count;
    }
    EXPECT_GT(count, 0U) << robots;
  }
}

TEST_F(Formulations, TermsPrintTheDenocMatrices) {
  const json terms = run_json(std::string("terms ") + state + "--denoc --json");
  const json& denoc = terms["denoc"];
  const Eigen::MatrixXd N = matrix(denoc["N_l"]) * matrix(denoc["N_d"]);
  Eigen::MatrixXd mass = Eigen::MatrixXd::Zero(36, 36);
  for (Eigen::Index i = 0; i < 6; ++i) {
    mass.block<6, 6>(6 * i, 6 * i) = matrix(denoc["M"][static_cast<std::size_t>(i)]);
  }
  EXPECT_LT((N.transpose() * mass * N - matrix(terms["M"])).norm(), 1e-12);
  EXPECT_EQ(denoc["B"].size(), 15U);
  EXPECT_EQ(denoc["M_composite"].size(), 6U);
  EXPECT_EQ(denoc["M_articulated"].size(), 6U);
  ASSERT_EQ(denoc["elimination"].size(), 5U);
  const Eigen::MatrixXd L = matrix(denoc["elimination"][4]["L"]);
  EXPECT_LT((matrix(terms["U"]) * L - matrix(terms["M"])).norm(), 1e-12);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(denoc["m"][i].get<double>(), terms["D"][i].get<double>(), 1e-12);
  }
  EXPECT_FALSE(run_json(std::string("terms ") + state + "--json").contains("denoc"));
  EXPECT_THAT(run("terms planar3 --denoc").out,
              testing::AllOf(HasSubstr("N_l: twist propagation"), HasSubstr("L_2 = E_2 L_3")));
}

TEST_F(Formulations, CompareReportsRobotWithoutForwardDynamics) {
  std::ofstream(folder / "massless.urdf")
      << "<robot name=\"m\"><link name=\"a\"/><link name=\"b\"/>"
         "<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/></joint>"
         "</robot>";
  const Result result = run("compare massless.urdf");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("nothing to compare: "));
}

}  // namespace
}  // namespace dynamics
