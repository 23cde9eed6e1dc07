// SPDX-License-Identifier: Apache-2.0
// Which files names in a URDF may open, and what of them is embedded in a page.

#include "meshes/package_folders.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "meshes/embedded_meshes.hpp"
#include "meshes/mesh.hpp"
#include "support/sample_meshes.hpp"

namespace dynamics::meshes {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Packages : public testing::Test {
 protected:
  void SetUp() override {
    folder = fs::canonical(testing::TempDir()) / fmt::format("dynamics_packages_{}", getpid());
    fs::remove_all(folder);
    for (const char* name : {"arm/meshes", "arm/urdf", "armor", "ros/share/gripper",
                             "ros/share/ament_index/resource_index/packages", "ros/share/hidden"})
      fs::create_directories(folder / name);
    for (const char* name : {"arm/meshes/a b.stl", "arm/meshes/base.stl", "armor/x.stl",
                             "secret.stl", "ros/share/gripper/finger.stl", "ros/share/hidden/x.stl",
                             "ros/share/ament_index/resource_index/packages/gripper"})
      write(name, name);
  }
  void TearDown() override { fs::remove_all(folder); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name, std::ios::binary) << text;
  }
  PackageFolders packages() const {
    return {{{"arm", folder / "arm"}}, {folder / "missing", folder / "ros"}, folder / "arm/urdf"};
  }
  /// The contents of the file that a name means, or the error.
  std::string text_of(const std::string& filename, std::size_t most_bytes = 1000) const {
    try {
      return read_inside(packages().find(filename), most_bytes);
    } catch (const MeshError& error) {
      return error.what();
    }
  }
  fs::path folder;
};

TEST_F(Packages, NamesMeanFilesInPackages) {
  EXPECT_EQ(text_of("package://arm/meshes/base.stl"), "arm/meshes/base.stl");
  EXPECT_EQ(text_of("package://arm/meshes/a%20b.stl"), "arm/meshes/a b.stl");
  EXPECT_EQ(text_of("package://arm/urdf/../meshes/base.stl"), "arm/meshes/base.stl");
  EXPECT_EQ(text_of("package://arm//meshes/base.stl"), "arm/meshes/base.stl");
  EXPECT_EQ(text_of("package://gripper/finger.stl"), "ros/share/gripper/finger.stl");
  EXPECT_EQ(text_of("../meshes/base.stl"), "arm/meshes/base.stl");
  EXPECT_EQ(text_of((folder / "arm/meshes/base.stl").string()), "arm/meshes/base.stl");
  EXPECT_EQ(text_of("file://" + (folder / "arm/meshes/base.stl").string()), "arm/meshes/base.stl");
  EXPECT_EQ(text_of("file://" + (folder / "ros/share/gripper/finger.stl").string()),
            "ros/share/gripper/finger.stl");
}

TEST_F(Packages, NamesOutsideOfPackagesAreRefused) {
  const std::string secret = (folder / "secret.stl").string();
  for (const std::string& name :
       {std::string("package://arm/../secret.stl"), std::string("package://arm/%2e%2e/secret.stl"),
        std::string("package://arm/meshes/../../secret.stl"),
        std::string("package://arm/../arm/../secret.stl"),
        std::string("package://arm/../armor/x.stl"), std::string("package://arm/"),
        std::string("package://arm/meshes/.."), std::string("../.."), "package://arm/" + secret,
        "file://" + secret, secret, std::string("../../secret.stl"),
        "file://" + (folder / "armor/x.stl").string(),
        "file://" + (folder / "ros/share/hidden/x.stl").string()}) {
    EXPECT_THAT(text_of(name),
                testing::AnyOf(HasSubstr("is outside of"), HasSubstr("No such file")))
        << name;
  }
  EXPECT_THAT(text_of("package://hidden/x.stl"), HasSubstr("package 'hidden' is neither given"));
  EXPECT_THAT(text_of("package://../secret.stl"), HasSubstr("names no package"));
  EXPECT_THAT(text_of("package://arm"), HasSubstr("names no package"));
  EXPECT_THAT(text_of("file://host/secret.stl"), HasSubstr("names a host"));
  EXPECT_THAT(text_of("http://127.0.0.1/x.stl"), HasSubstr("scheme 'http' is not supported"));
  EXPECT_THAT(text_of("package://arm/meshes/base.stl%00.stl"), HasSubstr("zero byte"));
  EXPECT_THAT(text_of("package://arm/meshes/none.stl"), HasSubstr("No such file"));
  EXPECT_THAT(text_of("package://arm/meshes"), HasSubstr("not a regular file"));
}

TEST_F(Packages, SymbolicLinksMustStayInThePackage) {
  const auto link = [&](const fs::path& target, const char* name) {
    fs::create_symlink(target, folder / "arm/meshes" / name);
  };
  link("base.stl", "inside.stl");
  link(folder / "arm/meshes/base.stl", "absolute.stl");
  link("../urdf", "urdf");
  EXPECT_EQ(text_of("package://arm/meshes/inside.stl"), "arm/meshes/base.stl");
  EXPECT_EQ(text_of("package://arm/meshes/absolute.stl"), "arm/meshes/base.stl");
  EXPECT_EQ(text_of("package://arm/meshes/urdf/../meshes/base.stl"), "arm/meshes/base.stl");
  link("../../secret.stl", "outside.stl");
  link(folder / "armor", "armor");
  link("loop.stl", "loop.stl");
  link("nowhere.stl", "dangling.stl");
  link("/dev/zero", "zero.stl");
  for (const char* name : {"outside.stl", "armor/x.stl", "zero.stl"})
    EXPECT_THAT(text_of(fmt::format("package://arm/meshes/{}", name)), HasSubstr("is outside of"));
  EXPECT_THAT(text_of("../meshes/outside.stl"), HasSubstr("is outside of"));
  EXPECT_THAT(text_of("package://arm/meshes/loop.stl"), HasSubstr("cannot be read"));
  EXPECT_THAT(text_of("package://arm/meshes/dangling.stl"), HasSubstr("cannot be read"));
  // a package that is a link itself
  fs::create_directory_symlink(folder / "arm", folder / "linked");
  const PackageFolders linked({{"arm", folder / "linked"}}, {}, folder / "linked/urdf");
  EXPECT_EQ(read_inside(linked.find("package://arm/meshes/base.stl"), 99), "arm/meshes/base.stl");
  EXPECT_EQ(read_inside(linked.find("../meshes/base.stl"), 99), "arm/meshes/base.stl");
}

TEST_F(Packages, HugeAndSpecialFilesAreNotRead) {
  write("arm/meshes/sparse.stl", "");
  fs::resize_file(folder / "arm/meshes/sparse.stl", std::uintmax_t{1} << 40);
  EXPECT_THAT(text_of("package://arm/meshes/sparse.stl"),
              HasSubstr("is too large: 1099511627776 bytes, the maximum is 1000"));
  write("arm/meshes/exact.stl", std::string(1000, 'x'));
  write("arm/meshes/more.stl", std::string(1001, 'x'));
  EXPECT_EQ(text_of("package://arm/meshes/exact.stl").size(), 1000);
  EXPECT_THAT(text_of("package://arm/meshes/more.stl"), HasSubstr("is too large: 1001 bytes"));
  // opening a FIFO blocks until there is a writer
  ASSERT_EQ(mkfifo((folder / "arm/meshes/pipe.stl").c_str(), 0600), 0);
  EXPECT_THAT(text_of("package://arm/meshes/pipe.stl"), HasSubstr("not a regular file"));
}

/// A robot with one link per mesh.
RobotDescription robot_with(const std::vector<std::string>& names) {
  RobotDescription robot;
  for (const std::string& name : names) {
    LinkDescription& link = robot.links.emplace_back();
    link.name = fmt::format("link{}", robot.links.size());
    MeshVisual mesh;
    mesh.filename = name;
    link.meshes.push_back(std::move(mesh));
  }
  return robot;
}

TEST_F(Packages, MeshesAreEmbeddedWithTheirMaterials) {
  write("arm/meshes/a.obj", test::tetrahedron_obj());
  write("arm/meshes/colors.mtl", "newmtl red\nKd 1 0 0\nmap_Kd ../../secret.png\n");
  write("arm/meshes/a.dae", test::tetrahedron_dae());
  write("arm/meshes/a.STL", test::ascii_stl());
  write("arm/meshes/a.ply", "ply");
  const std::string base = "package://arm/meshes/";
  const EmbeddedMeshes embedded =
      embed_meshes(robot_with({base + "a.obj", base + "a.dae", base + "a.STL", base + "a.STL",
                               base + "a.ply", base + "none.dae", base + "none.dae"}),
                   packages());
  EXPECT_EQ(embedded.meshes, 3);
  EXPECT_EQ(embedded.rounded, 0);
  ASSERT_EQ(embedded.problems.size(), 3) << "one per link";
  EXPECT_EQ(embedded.problems[0].link, "link5");
  EXPECT_EQ(
      embedded.problems[0].message,
      "mesh 'package://arm/meshes/a.ply': is not supported: the name must end in .stl, .obj or "
      ".dae");
  EXPECT_EQ(embedded.problems[2].link, "link7");
  const auto json = nlohmann::json::parse(embedded.json);
  EXPECT_EQ(json["problems"].size(), 3);
  EXPECT_EQ(json["files"].size(), 3);
  EXPECT_EQ(json["files"][base + "a.obj"]["format"], "obj");
  EXPECT_EQ(json["files"][base + "a.obj"]["materials"], "newmtl red\nKd 1 0 0\n");
  EXPECT_TRUE(embedded.simplified.empty());

  fs::remove(folder / "arm/meshes/colors.mtl");
  fs::create_symlink("../../secret.stl", folder / "arm/meshes/colors.mtl");
  const EmbeddedMeshes plain = embed_meshes(robot_with({base + "a.obj"}), packages());
  EXPECT_EQ(plain.meshes, 1);
  ASSERT_EQ(plain.simplified.size(), 1);
  EXPECT_THAT(plain.simplified[0].message, HasSubstr("material file 'colors.mtl' is outside of"));
}

TEST_F(Packages, LargeMeshesAreReducedUntilTheyFit) {
  write("arm/meshes/large.stl", write_stl(test::sphere_mesh(200), 0.0));
  write("arm/meshes/small.stl", write_stl(test::sphere_mesh(10), 0.0));
  const RobotDescription robot =
      robot_with({"package://arm/meshes/large.stl", "package://arm/meshes/small.stl"});
  std::size_t last = 0;
  for (const std::size_t page_bytes : {150'000u, 400'000u, 1'500'000u, 100'000'000u}) {
    MeshBounds bounds;
    bounds.page_bytes = page_bytes;
    const EmbeddedMeshes embedded = embed_meshes(robot, packages(), bounds);
    EXPECT_EQ(embedded.meshes, 2) << page_bytes;
    EXPECT_LE(embedded.page_bytes, page_bytes);
    EXPECT_GE(embedded.page_bytes, last);
    EXPECT_LT(embedded.json.size(), embedded.page_bytes + 1000);
    last = embedded.page_bytes;
    if (page_bytes == 150'000u) {
      ASSERT_GE(embedded.simplified.size(), 1);
      EXPECT_THAT(embedded.simplified[0].message,
                  testing::ContainsRegex("simplified to [0-9]+ of 160000 triangles"));
    }
    EXPECT_EQ(embedded.rounded == 0, page_bytes == 100'000'000u);
  }
  MeshBounds bounds;
  bounds.page_bytes = 2000;
  const EmbeddedMeshes none = embed_meshes(robot, packages(), bounds);
  ASSERT_GE(none.problems.size(), 1);
  EXPECT_THAT(none.problems[0].message, HasSubstr("is too large: all meshes may have 2000 bytes"));
  bounds = {};
  bounds.total_bytes = 1'000'000;
  const EmbeddedMeshes one = embed_meshes(robot, packages(), bounds);
  EXPECT_THAT(one.problems.at(0).message, HasSubstr("all meshes may have 1000000 bytes together"));
}

}  // namespace
}  // namespace dynamics::meshes
