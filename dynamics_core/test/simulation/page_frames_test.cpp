// SPDX-License-Identifier: Apache-2.0
// The web page computes the poses of the links from the JSON of a recording.
// viewer/test/frames.json contains runs and the poses of frame_pose() for their samples; the page's
// tests compare the drawn poses with them. This test generates the file again and compares it, so
// that it stays up to date.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "dynamics_core/flexible_links.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/plant.hpp"
#include "flexible/sample_beams.hpp"
#include "simulation/sampling.hpp"

namespace dynamics::test {
namespace {

using nlohmann::json;

constexpr std::size_t states = 4;

/// x, y, z and the rotation matrix, row-major.
json twelve_numbers(const Pose& pose) {
  json numbers = json::array();
  for (const double x : pose.translation) numbers.push_back(x);
  for (const auto row : pose.rotation.rowwise()) {
    for (const double x : row) numbers.push_back(x);
  }
  return numbers;
}

/// A run of random states, as simulate() records it. The first state is zero.
class RandomRun {
 public:
  RandomRun(Plant& plant, std::string name) : plant_(plant), run_(plant.model()) {
    run_.settings.robot = std::move(name);
    prepare_columns(run_, plant);
  }

  void add(const Eigen::VectorXd& q) {
    const std::vector<double> zero(static_cast<std::size_t>(q.size()), 0.0);
    const double t = 0.5 * static_cast<double>(run_.size());
    record_sample(run_, plant_, t, {q.data(), zero.size()}, zero, zero, zero);
    for (Column* column : {&run_.work, &run_.energy_drift}) column->push_back(0.0);
  }

  json text() const { return json::parse(to_json(run_)); }

 private:
  Plant& plant_;
  Recording run_;
};

json flexible_case(const std::string& name, const RobotDescription& robot, double amplitude) {
  const FlexibleModel model((Model(robot)));
  FlexibleWorkspace workspace(model);
  const auto plant = flexible_plant(model, {});
  RandomRobot random(11);
  RandomRun run(*plant, name);
  json frames = json::object();
  for (std::size_t k = 0; k < states; ++k) {
    const Eigen::VectorXd q = (k == 0 ? 0.0 : 1.0) * random_state(model, random, amplitude);
    run.add(q);
    for (std::size_t i = 0; i < model.rigid().frames().size(); ++i) {
      frames[model.rigid().frames()[i].name].push_back(
          twelve_numbers(frame_pose(model, workspace, q, i)));
    }
  }
  return {{"name", name}, {"run", run.text()}, {"frames", frames}};
}

json rigid_case(const std::string& name, const RobotDescription& robot) {
  const Model model(robot);
  Workspace workspace(model);
  const auto plant = rigid_plant(model);
  RandomRobot random(12);
  RandomRun run(*plant, name);
  std::vector<Pose> poses(model.frames().size());
  json frames = json::object();
  for (std::size_t k = 0; k < states; ++k) {
    const Eigen::VectorXd q = (k == 0 ? 0.0 : 1.0) * random.vector(model.size(), 1.5);
    run.add(q);
    frame_poses(model, workspace, q, poses);
    for (std::size_t i = 0; i < poses.size(); ++i) {
      frames[model.frames()[i].name].push_back(twelve_numbers(poses[i]));
    }
  }
  return {{"name", name}, {"run", run.text()}, {"frames", frames}};
}

/// Joints of every type about oblique axes, children listed before their parents.
RobotDescription every_joint() {
  RandomRobot random(13);
  RobotBuilder robot("every_joint");
  const auto add = [&](JointType type, const char* name, const char* parent, const char* child,
                       const Eigen::Vector3d& axis) {
    robot.add(type, name, parent, child, axis, random.inertial(),
              {random.rotation(), random.vector3(0.5)});
  };
  add(JointType::floating, "drive", "base", "body", {0.0, 0.0, 1.0});
  add(JointType::planar, "table", "body", "plate", {0.4, -0.3, -0.7});
  add(JointType::planar, "upright", "body", "second_plate", {-0.4, 0.3, 0.7});
  add(JointType::planar, "reversed", "second_plate", "third_plate", {0.0, 0.0, -2.0});
  add(JointType::revolute, "hinge", "plate", "arm", {1.0, 2.0, -3.0});
  add(JointType::prismatic, "slide", "arm", "rod", {0.2, -0.6, 0.3});
  add(JointType::fixed, "weld", "rod", "block", {1.0, 0.0, 0.0});
  add(JointType::revolute, "finger", "block", "tip", {0.0, -1.0, 0.5});
  robot.joint().mimic = Mimic{"hinge", -0.5, 0.25};
  add(JointType::continuous, "wheel", "body", "rim", {0.0, 1.0, 0.0});
  RobotDescription result = robot;
  std::reverse(result.joints.begin(), result.joints.end());
  return result;
}

/// Beams with a polynomial basis, more modes along z than along y.
RobotDescription polynomial_chain() {
  BeamDescription given = beam(1.5, 2.0, 40.0, 1, 3);
  given.basis = "polynomial";
  given.stiffening = true;
  return beam_chain(3, given, 0.9);
}

json all_cases() {
  return {flexible_case("beams", mixed_tree(false), 0.25),
          flexible_case("beams that shorten", mixed_tree(true), 0.25),
          flexible_case("polynomial beams", polynomial_chain(), 0.3),
          rigid_case("joints of every type", every_joint())};
}

/// Path and values of the first difference of two documents; empty if they agree (numbers to 1e-9).
std::string difference(const json& a, const json& b, const std::string& path) {
  if (a.is_number() && b.is_number()) {
    const double x = a.get<double>(), y = b.get<double>();
    const bool equal = std::abs(x - y) <= 1e-9 * (1.0 + std::abs(y));
    return equal ? "" : path + ": " + a.dump() + " in the file, " + b.dump() + " computed";
  }
  if (a.type() != b.type() || a.size() != b.size()) return path + ": differs in type or size";
  if (!a.is_structured()) {
    return a == b ? "" : path + ": " + a.dump() + " in the file, " + b.dump() + " computed";
  }
  for (const auto& [key, value] : b.items()) {
    const std::string child = path + "/" + key;
    if (a.is_object() && !a.contains(key)) return child + ": not in the file";
    const json& mine = a.is_object() ? a.at(key) : a.at(std::stoul(key));
    if (std::string found = difference(mine, value, child); !found.empty()) return found;
  }
  return "";
}

TEST(PageFrames, StoredFileMatchesFramePoses) {
  const std::filesystem::path file = DYNAMICS_PAGE_FRAMES;
  if (!std::filesystem::exists(file.parent_path())) GTEST_SKIP() << "no " << file.parent_path();
  const json computed = all_cases();
  std::ofstream("frames.json") << computed.dump() << '\n';
  const std::string remedy = "; copy " + std::filesystem::absolute("frames.json").string() +
                             " to " + file.string() + " and run the page's tests";
  std::ifstream stream(file);
  const json stored = json::parse(stream, nullptr, false);
  ASSERT_FALSE(stored.is_discarded()) << file << " is missing or not JSON" << remedy;
  const std::string found = difference(stored, computed, "");
  EXPECT_EQ(found, "") << remedy;
}

}  // namespace
}  // namespace dynamics::test
