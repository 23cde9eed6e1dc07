// SPDX-License-Identifier: Apache-2.0
// Reading, writing and simplifying of mesh files, and the positions in the errors of broken ones.

#include <cstring>
#include <limits>
#include <random>
#include <regex>

#include "meshes/mesh.hpp"
#include "support/arm_urdf.hpp"
#include "support/sample_meshes.hpp"

namespace dynamics::meshes {
namespace {

using test::replaced;

std::string sphere_stl(unsigned rings) { return write_stl(test::sphere_mesh(rings), 0.0); }

/// Binary STL with four bytes replaced.
template <class Value>
std::string with_value(std::string bytes, std::size_t offset, Value value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
  return bytes;
}

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
  EXPECT_EQ(colors_of_materials("newmtl red\n map_Kd /etc/passwd\nKd 1 0 0\nNs 3\nd 0.5\n"),
            "newmtl red\nKd 1 0 0\nd 0.5\n");
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

struct BrokenFile {
  const char* what;
  Format format;
  std::string bytes;
  const char* message;  ///< complete, or its beginning
};

std::vector<BrokenFile> broken_files() {
  const std::string stl = sphere_stl(4), ascii = test::ascii_stl(), obj = test::tetrahedron_obj(),
                    dae = test::tetrahedron_dae();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const auto nested_nodes = [&](const char* inner) {
    std::string library = "<library_nodes>";
    for (int i = 0; i < 14; ++i) {
      library += fmt::format("<node id=\"n{}\">", i);
      for (int k = 0; k < 2; ++k) library += fmt::format("<instance_node url=\"#n{}\"/>", i + 1);
      library += "</node>";
    }
    library += fmt::format("<node id=\"n14\">{}</node></library_nodes>", inner);
    return replaced(replaced(dae, "<library_visual_scenes>", library + "<library_visual_scenes>"),
                    "<node id=\"node\">", "<node id=\"node\"><instance_node url=\"#n0\"/>");
  };
  return {
      {"empty STL", Format::stl, "", "byte 0: the file is empty"},
      {"STL header cut", Format::stl, stl.substr(0, 83),
       "byte 83: the file ends inside the header"},
      {"STL cut", Format::stl, stl.substr(0, 1000),
       "byte 1000: the file ends in triangle 19 of 64"},
      {"STL with one byte less", Format::stl, stl.substr(0, stl.size() - 1),
       "byte 3283: the file ends in triangle 64 of 64"},
      {"STL without triangles", Format::stl, with_value(stl.substr(0, 84), 80, 0u),
       "byte 80: the number of triangles is 0"},
      {"STL with the largest count", Format::stl, with_value(stl, 80, 0xFFFFFFFFu),
       "byte 3284: the file ends in triangle 65 of 4294967295"},
      {"STL with NaN", Format::stl, with_value(stl, 84 + 50 + 12 + 16, nan),
       "byte 162: a coordinate of triangle 2 is not a number up to 1e+15"},
      {"STL with infinity", Format::stl, with_value(stl, 84 + 12, infinity),
       "byte 96: a coordinate of triangle 1 is not a number up to 1e+15"},
      {"STL of one point", Format::stl, write_stl(test::sphere_mesh(4, 0.0), 0.0),
       "byte 84: all points of the mesh coincide"},
      {"HTML page named .stl", Format::stl, "<html><body>404</body></html>", "byte 29: "},
      {"text STL without vertex", Format::stl, replaced(ascii, "  vertex 1 0 0\n", ""),
       "line 6: expected 'vertex' instead of 'endloop'"},
      {"text STL with four vertices", Format::stl, replaced(ascii, " endloop", "vertex 1 1 1\n"),
       "line 7: expected 'endloop' instead of 'vertex'"},
      {"text STL with a word as number", Format::stl, replaced(ascii, "1 0 0", "1 zero 0"),
       "line 6: 'zero' is not a number up to 1e+15"},
      {"text STL with nan", Format::stl, replaced(ascii, "1 0 0", "1 nan 0"),
       "line 6: 'nan' is not a number up to 1e+15"},
      {"text STL with 1e300", Format::stl, replaced(ascii, "1 0 0", "1 1e300 0"),
       "line 6: '1e300' is not a number up to 1e+15"},
      {"text STL cut", Format::stl, ascii.substr(0, 200), "line 15: "},
      {"text STL without endsolid", Format::stl, replaced(ascii, "endsolid tetrahedron\n", ""),
       "line 30: the file ends where 'endsolid' is expected"},
      {"text STL without facets", Format::stl, "solid a\nendsolid a\n",
       "line 3: the file has no facets"},
      {"empty OBJ", Format::obj, "", "line 1: the file is empty"},
      {"OBJ without faces", Format::obj, "v 0 0 0\nv 1 0 0\n", "line 2: the file has no faces"},
      {"OBJ with vertex 5 of 4", Format::obj, replaced(obj, "f 1 2 4", "f 1 2 5"),
       "line 10: vertex 5 does not exist: 4 are defined before this line"},
      {"OBJ with vertex 0", Format::obj, replaced(obj, "f 1 2 4", "f 0 1 2"),
       "line 10: vertex 0 does not exist"},
      {"OBJ with vertex -5 of 4", Format::obj, replaced(obj, "f -3", "f -5"),
       "line 13: vertex -5 does not exist"},
      {"OBJ with normal 2 of 1", Format::obj, replaced(obj, "4//1", "4//2"),
       "line 12: normal 2 does not exist"},
      {"OBJ with a face of two vertices", Format::obj, replaced(obj, "f 1 2 4", "f 1 2"),
       "line 10: 'f' has 2 vertices; a face needs three"},
      {"OBJ with two coordinates", Format::obj, replaced(obj, "v 1 0 0", "v 1 0"),
       "line 4: 'v' needs three coordinates"},
      {"OBJ with a word as number", Format::obj, replaced(obj, "v 1 0 0", "v 1 0 x"),
       "line 4: 'x' is not a number up to 1e+15"},
      {"OBJ with an index that is no number", Format::obj, replaced(obj, "f 1 2 4", "f 1 2 a/b"),
       "line 10: 'a' is not an integer"},
      {"OBJ that is binary", Format::obj, stl, "line 1: zero byte in the text"},
      {"OBJ that is XML", Format::obj, dae, "line 1: '<?xml' is no keyword of OBJ"},
      {"empty DAE", Format::dae, "", "line 1: the file is empty"},
      {"DAE cut", Format::dae, dae.substr(0, 900), "line 12: "},
      {"DAE of another root", Format::dae, "<robot/>",
       "line 1: the root element is <robot> instead of <COLLADA>"},
      {"DAE with an entity", Format::dae, "<!DOCTYPE a [<!ENTITY b \"c\">]><COLLADA/>",
       "line 1: document type with declarations"},
      {"DAE with a wrong count", Format::dae, replaced(dae, "count=\"12\"", "count=\"13\""),
       "line 8: <float_array> has 12 numbers; its count is 13"},
      {"DAE with a word as number", Format::dae, replaced(dae, ">0 0 0 1", ">0 0 O 1"),
       "line 8: 'O' is not a number up to 1e+15"},
      {"DAE with an index that does not exist", Format::dae, replaced(dae, "0 3 2 1", "0 4 2 1"),
       "line 18: index 4 in <p> does not exist: the source has 4 entries"},
      {"DAE with a normal that does not exist", Format::dae, replaced(dae, "<p>0 0", "<p>0 1"),
       "line 15: index 1 in <p> does not exist: the source has 1 entries"},
      {"DAE with too few indices", Format::dae, replaced(dae, "1 0 3 0</p>", "1 0 3</p>"),
       "line 15: <p> ends inside a group of 2 indices"},
      {"DAE with two vertices in a triangle", Format::dae, replaced(dae, "1 0 3 0</p>", "1 0</p>"),
       "line 15: <p> has 5 vertices, not three per triangle"},
      {"DAE with a wrong vcount", Format::dae, replaced(dae, ">3 3<", ">3 4<"),
       "line 17: <vcount> needs more vertices than the 6 of <p>"},
      {"DAE with a negative vcount", Format::dae, replaced(dae, ">3 3<", ">3 -3<"),
       "line 17: a polygon has -3 vertices"},
      {"DAE without the source", Format::dae, replaced(dae, "source=\"#p\"", "source=\"#q\""),
       "line 12: <source> with the id 'q' does not exist"},
      {"DAE without triangles", Format::dae, "<COLLADA>\n</COLLADA>",
       "line 1: the file has no triangles"},
      {"DAE without a scene", Format::dae, replaced(dae, "<instance_visual_scene url=\"#s\"/>", ""),
       "line 2: the file has no <scene>"},
      {"DAE with a geometry that does not exist", Format::dae, replaced(dae, "\"#g\"", "\"#h\""),
       "line 20: <geometry> with the id 'h' does not exist"},
      {"DAE with 32768 instances", Format::dae, nested_nodes("<instance_geometry url=\"#g\"/>"),
       "line 20: the scene has more than 10000 instances"},
      {"DAE with a node that contains itself", Format::dae,
       replaced(replaced(dae, "<library_visual_scenes>",
                         "<library_nodes><node id=\"n\"><instance_node url=\"#n\"/></node>"
                         "</library_nodes><library_visual_scenes>"),
                "<node id=\"node\">", "<node id=\"node\"><instance_node url=\"#n\"/>"),
       "line 20: nodes are instanced deeper than 16 levels, or contain themselves"},
      {"DAE nested deeper than 64 elements", Format::dae,
       [] {
         std::string deep;
         for (int i = 0; i < 100; ++i) deep += "<a>";
         return deep;
       }(),
       "line 1: elements are nested deeper than 64 levels"},
  };
}

TEST(MeshFiles, BrokenFilesAreRejectedWithTheirPosition) {
  const auto files = broken_files();
  EXPECT_GE(files.size(), 40);
  for (const BrokenFile& file : files) {
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
