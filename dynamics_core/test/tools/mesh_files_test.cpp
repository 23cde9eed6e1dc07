// SPDX-License-Identifier: Apache-2.0
// Reading, writing and simplifying of mesh files, and the positions in the errors of broken ones.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cstring>
#include <random>
#include <regex>

#include "meshes/mesh.hpp"
#include "support/arm_urdf.hpp"
#include "support/broken_meshes.hpp"
#include "support/sample_meshes.hpp"

namespace dynamics::meshes {
namespace {

using test::broken_meshes;
using test::BrokenMesh;
using test::replaced;
using test::sphere_stl;

double area(const Mesh& mesh) {
  double sum = 0.0;
  for (const Surface& surface : mesh.surfaces) {
    for (const Part& part : surface.parts) {
      for (const Triangle& t : part.triangles) {
        const auto point = [&](std::size_t k) {
          return Eigen::Vector3d(surface.points[t[k]].data());
        };
        sum += 0.5 * (point(1) - point(0)).cross(point(2) - point(0)).norm();
      }
    }
  }
  return sum;
}

constexpr double tetrahedron_area = 1.5 + 0.8660254037844386;

TEST(MeshFiles, ReadsAllFormats) {
  for (const auto& [format, text] :
       {std::pair(Format::stl, test::ascii_stl()), std::pair(Format::obj, test::tetrahedron_obj()),
        std::pair(Format::dae, test::tetrahedron_dae())}) {
    const Mesh mesh = read_mesh(format, text);
    EXPECT_EQ(triangle_count(mesh), 4) << to_string(format);
    EXPECT_NEAR(area(mesh), tetrahedron_area, 1e-12) << to_string(format);
    EXPECT_NEAR(diagonal(mesh), std::sqrt(3.0), 1e-12) << to_string(format);
  }
  EXPECT_EQ(format_of("package://a/b.STL"), Format::stl);
  EXPECT_EQ(format_of("b.ply"), std::nullopt);
  EXPECT_EQ(format_of("stl"), Format::stl);
}

TEST(MeshFiles, KeepsMaterialsOfParts) {
  const Mesh mesh = read_obj(test::tetrahedron_obj());
  ASSERT_EQ(mesh.surfaces[0].parts.size(), 2);
  EXPECT_EQ(mesh.surfaces[0].parts[0].material, "red");
  EXPECT_EQ(mesh.surfaces[0].parts[1].material, "blue");
  EXPECT_EQ(mesh.material_files, std::vector<std::string>{"colors.mtl"});
  EXPECT_EQ(colors_of_materials("newmtl red\n map_Kd /etc/passwd\n Kd 1 0 0\nNs 3\n d 0.5\n"),
            "newmtl red\n"
            "Kd 1 0 0\n"
            "d 0.5\n");
}

TEST(MeshFiles, ReadsBinaryStlThatBeginsWithSolidAndThatHasMoreBytes) {
  std::string bytes = sphere_stl(4);
  std::memcpy(bytes.data(), "solid", 5);
  EXPECT_EQ(triangle_count(read_stl(bytes)), 64);
  EXPECT_FALSE(read_stl(bytes).must_be_rewritten);
  bytes = sphere_stl(4) + "trailer";
  EXPECT_EQ(triangle_count(read_stl(bytes)), 64);
  EXPECT_TRUE(read_stl(bytes).must_be_rewritten);
}

TEST(MeshFiles, ReadsPolygonsStripsAndFansOfCollada) {
  const std::string text = test::tetrahedron_dae();
  const std::size_t begin = text.find("<polylist"), end = text.find("</polylist>") + 11;
  const std::string input = R"(<input semantic="VERTEX" source="#v" offset="0"/>)";
  for (const std::string& primitive :
       {"<polygons count=\"2\">" + input + "<p>0 3 2</p><p>1 2 3</p></polygons>",
        "<tristrips count=\"1\">" + input + "<p>0 3 2 1</p></tristrips>",
        "<trifans count=\"2\">" + input + "<p>0 3 2</p><p>1 2 3</p></trifans>"}) {
    const std::string other = text.substr(0, begin) + primitive + text.substr(end);
    const Mesh mesh = read_collada(other);
    EXPECT_NEAR(area(mesh), tetrahedron_area, 1e-12) << primitive;
    EXPECT_TRUE(mesh.must_be_rewritten) << "the page reads only <triangles> and <polylist>";
    const Mesh again = read_collada(write_collada(other, mesh, 0.0));
    EXPECT_FALSE(again.must_be_rewritten);
    EXPECT_NEAR(area(again), tetrahedron_area, 1e-12);
  }
  // normals that are not numbers are left out
  const Mesh mesh = read_collada(replaced(text, ">0 0 1<", ">nan -nan(ind) 1<"));
  EXPECT_TRUE(mesh.must_be_rewritten);
}

TEST(MeshFiles, WritesWhatItReads) {
  const Mesh sphere = test::sphere_mesh(12);
  for (const double step : {0.0, 1e-6, 0.01}) {
    EXPECT_NEAR(area(read_stl(write_stl(sphere, step))), area(sphere), 10.0 * step + 1e-5);
    EXPECT_NEAR(area(read_obj(write_obj(sphere, step))), area(sphere), 10.0 * step + 1e-12);
  }
  for (const auto& [format, text] : {std::pair(Format::obj, test::tetrahedron_obj()),
                                     std::pair(Format::dae, test::tetrahedron_dae())}) {
    const Mesh mesh = read_mesh(format, text);
    const Mesh again = read_mesh(format, write_mesh(format, text, mesh, 1e-3));
    EXPECT_NEAR(area(again), tetrahedron_area, 1e-12);
    ASSERT_EQ(again.surfaces[0].parts.size(), 2);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(again.surfaces[0].parts[i].material, mesh.surfaces[0].parts[i].material);
      EXPECT_EQ(again.surfaces[0].parts[i].triangles, mesh.surfaces[0].parts[i].triangles);
    }
  }
  const std::string smaller =
      write_collada(test::tetrahedron_dae(), read_collada(test::tetrahedron_dae()), 0.0);
  EXPECT_EQ(smaller.find("NORMAL"), std::string::npos);
  EXPECT_NE(smaller.find("meter=\"0.001\""), std::string::npos);
}

TEST(MeshFiles, SimplifiesWithBoundedDisplacement) {
  const Mesh sphere = test::sphere_mesh(60);
  for (const double cell : {0.02, 0.1, 0.3}) {
    const Mesh coarse = simplified(sphere, cell);
    EXPECT_LT(triangle_count(coarse), triangle_count(sphere));
    EXPECT_GT(triangle_count(coarse), 20);
    for (const Point& p : coarse.surfaces[0].points)
      EXPECT_NEAR(std::hypot(p[0], p[1], p[2]), 1.0, 1.7321 * cell);
  }
  // without merging only triangles without area are removed: those at the poles
  EXPECT_EQ(triangle_count(simplified(sphere, 1e-9)), triangle_count(sphere) - 2 * 120);
}

TEST(MeshFiles, BrokenFilesAreRejectedWithTheirPosition) {
  const auto files = broken_meshes();
  EXPECT_GE(files.size(), 40);
  for (const BrokenMesh& file : files) {
    try {
      read_mesh(file.format, file.bytes);
      ADD_FAILURE() << file.what << " was accepted";
    } catch (const MeshError& error) {
      EXPECT_THAT(error.what(), testing::StartsWith(file.message)) << file.what;
      EXPECT_TRUE(std::regex_search(error.what(), std::regex("^(byte|line) [0-9]+: .{10,200}$")))
          << file.what << ": " << error.what();
    }
  }
}

TEST(MeshFiles, AnyPrefixAndAnyChangedByteIsAcceptedOrRejected) {
  std::mt19937 random(7);
  for (const auto& [format, text] :
       {std::pair(Format::stl, sphere_stl(3)), std::pair(Format::stl, test::ascii_stl()),
        std::pair(Format::obj, test::tetrahedron_obj()),
        std::pair(Format::dae, test::tetrahedron_dae())}) {
    int rejected = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      std::string changed = text;
      changed[i] = static_cast<char>(random());
      for (const std::string& bytes : {text.substr(0, i), changed}) {
        try {
          const Mesh mesh = read_mesh(format, bytes);
          const Mesh coarse = simplified(mesh, 0.1 * diagonal(mesh));
          write_mesh(format, bytes, coarse, 0.0);
        } catch (const MeshError&) {
          ++rejected;
        }
      }
    }
    EXPECT_GT(rejected, static_cast<int>(text.size()) / 2);
  }
}

}  // namespace
}  // namespace dynamics::meshes
