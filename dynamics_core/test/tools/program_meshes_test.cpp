// SPDX-License-Identifier: Apache-2.0
// The options --meshes and --package.

#include <fmt/format.h>

#include <regex>

#include "support/arm_urdf.hpp"
#include "support/broken_meshes.hpp"
#include "support/program.hpp"
#include "support/sample_meshes.hpp"

namespace dynamics::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class ProgramMeshes : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    std::filesystem::create_directories(folder / "arm");
    viewer = write("viewer.html", "[__DYNAMICS_RUN__,__DYNAMICS_COMPARE__,__DYNAMICS_MESHES__]");
  }
  /// The arm with a mesh on each link.
  void write_robot(const std::string& upper, const std::string& lower) const {
    const auto visual = [](const std::string& filename) {
      return "</inertial><visual><origin xyz=\"0 0 1\"/><geometry><mesh filename=\"" + filename +
             "\" scale=\"1 2 3\"/></geometry><material name=\"green\"><color rgba=\"0 1 0 1\"/>"
             "</material></visual>";
    };
    std::string text = replaced(arm_urdf(), "</inertial>", visual(upper));
    const std::size_t second = text.rfind("</inertial>");
    text = text.substr(0, second) + visual(lower) + text.substr(second + 11);
    write("robot.urdf", text);
  }
  static constexpr const char* simulate =
      "simulate robot.urdf --duration 0.1 --output run.html --json";
};

TEST_F(ProgramMeshes, EmbedsMeshesAndReportsTheOthers) {
  write("arm/upper.dae", tetrahedron_dae());
  write("arm/lower.stl", "solid broken\nfacet\n");
  write_robot("package://arm/upper.dae", "package://arm/lower.stl");
  const json result = run_json(std::string(simulate) + " --meshes --package arm=arm");
  ASSERT_EQ(result["warnings"].size(), 1);
  EXPECT_EQ(result["warnings"][0],
            "link 'lower' mesh 'package://arm/lower.stl': line 3: the file ends where 'normal' is "
            "expected; the page draws the link without it");
  EXPECT_THAT(read(folder / "err.txt"), HasSubstr("warning: link 'lower' mesh"));
  const json page = json::parse(read(folder / "run.html"));
  EXPECT_EQ(page[2]["files"].size(), 1);
  EXPECT_EQ(page[2]["files"]["package://arm/upper.dae"]["format"], "dae");
  ASSERT_EQ(page[2]["problems"].size(), 1);
  const json& visual = page[0]["model"]["links"][1]["visuals"][0];
  EXPECT_EQ(visual["geometry"]["filename"], "package://arm/upper.dae");
  EXPECT_EQ(visual["geometry"]["scale"], json({1.0, 2.0, 3.0}));
  EXPECT_EQ(visual["color"], json({0.0, 1.0, 0.0, 1.0}));
  EXPECT_EQ(visual["origin"]["xyz"], json({0.0, 0.0, 1.0}));
}

TEST_F(ProgramMeshes, BrokenFilesAreReportedWithLinkFileAndPosition) {
  const auto broken = broken_meshes();
  std::string text = "<robot name=\"broken\"><link name=\"base\"/>";
  for (std::size_t i = 0; i < broken.size(); ++i) {
    const std::string file = fmt::format("{}.{}", i, to_string(broken[i].format));
    write("arm/" + file, broken[i].bytes);
    text += fmt::format(
        "<link name=\"link{0}\"><visual><geometry><mesh filename=\"package://arm/{1}\"/></geometry>"
        "</visual></link><joint name=\"joint{0}\" type=\"fixed\"><parent link=\"base\"/><child "
        "link=\"link{0}\"/></joint>",
        i, file);
  }
  const std::string arm = arm_urdf();
  write("robot.urdf", text + arm.substr(arm.find("<link name=\"base\"/>") + 20));
  const json warnings = run_json(std::string(simulate) + " --meshes --package arm=arm")["warnings"];
  ASSERT_EQ(warnings.size(), broken.size());
  for (std::size_t i = 0; i < broken.size(); ++i) {
    const std::string expected = fmt::format("link 'link{0}' mesh 'package://arm/{0}.{1}': {2}", i,
                                             to_string(broken[i].format), broken[i].message);
    EXPECT_THAT(warnings[i].get<std::string>(), testing::StartsWith(expected)) << broken[i].what;
  }
  const json page = json::parse(read(folder / "run.html"));
  EXPECT_EQ(page[2]["files"].size(), 0);
  EXPECT_EQ(page[2]["problems"].size(), broken.size());
}

TEST_F(ProgramMeshes, WithoutTheOptionNothingIsEmbedded) {
  write("arm/upper.dae", tetrahedron_dae());
  write_robot("package://arm/upper.dae", "arm/upper.dae");
  EXPECT_EQ(run_json(simulate)["warnings"].size(), 0);
  EXPECT_EQ(json::parse(read(folder / "run.html"))[2], nullptr);
}

TEST_F(ProgramMeshes, FindsPackagesInTheRosIndex) {
  write_robot("package://described/upper.stl", "package://unknown/lower.stl");
  std::filesystem::create_directories(folder / "ros/share/described");
  std::filesystem::create_directories(folder / "ros/share/ament_index/resource_index/packages");
  write("ros/share/ament_index/resource_index/packages/described", "");
  write("ros/share/described/upper.stl", ascii_stl());
  viewer += " AMENT_PREFIX_PATH='/nowhere:" + (folder / "ros").string() + "'";
  const json result = run_json(std::string(simulate) + " --meshes");
  ASSERT_EQ(result["warnings"].size(), 1);
  EXPECT_THAT(
      result["warnings"][0].get<std::string>(),
      HasSubstr("package 'unknown' is neither given by --package NAME=FOLDER nor in the ROS "
                "package index"));
  EXPECT_EQ(json::parse(read(folder / "run.html"))[2]["files"].size(), 1);
}

TEST_F(ProgramMeshes, InverseDynamicsEmbedsMeshesToo) {
  write("arm/upper.obj", tetrahedron_obj());
  write("arm/colors.mtl", "newmtl red\nKd 1 0 0\n");
  write_robot("arm/upper.obj", "arm/upper.obj");
  const json result = run_json(
      "inverse robot.urdf --trajectory cycloid --q1 1,1 --duration 1 --output run.html --json "
      "--meshes --package here=.");
  EXPECT_EQ(result["warnings"].size(), 0);
  EXPECT_EQ(json::parse(read(folder / "run.html"))[2]["files"].size(), 1);
}

TEST_F(ProgramMeshes, RefusesWrongOptions) {
  write_robot("a.stl", "b.stl");
  const std::pair<const char*, const char*> cases[] = {
      {"--output run.csv --meshes", "--meshes: requires an --output that ends in .html"},
      {"--meshes", "--meshes: requires an --output that ends in .html"},
      {"--output run.html --package arm=arm", "--meshes"},
      {"--output run.html --meshes --package arm", "--package arm: expected NAME=FOLDER"},
      {"--output run.html --meshes --package =arm", "expected NAME=FOLDER"},
      {"--output run.html --meshes --package arm=", "expected NAME=FOLDER"},
      {"--output run.html --meshes --package arm=none", "the folder none does not exist"},
      {"--output run.html --meshes --package arm=robot.urdf", "does not exist"},
      {"--output run.html --meshes --package arm=arm --package arm=.", "is given twice"}};
  expect_all_refused("simulate robot.urdf --duration 0.1 ", cases);
  const json puma = run_json("simulate puma --duration 0.1 --json --output run.html --meshes");
  EXPECT_THAT(puma["warnings"].dump(), HasSubstr("has no meshes: --meshes has no effect"));
}

}  // namespace
}  // namespace dynamics::test
