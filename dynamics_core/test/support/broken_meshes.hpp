// SPDX-License-Identifier: Apache-2.0
#pragma once

// Broken mesh files, each with the error that it must cause.

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "support/arm_urdf.hpp"
#include "support/sample_meshes.hpp"

namespace dynamics::test {

inline std::string sphere_stl(unsigned rings) { return meshes::write_stl(sphere_mesh(rings), 0.0); }

/// Binary STL with four bytes replaced.
template <class Value>
std::string with_value(std::string bytes, std::size_t offset, Value value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
  return bytes;
}

struct BrokenMesh {
  const char* what;
  meshes::Format format;
  std::string bytes;
  const char* message;  ///< complete, or its beginning
};

inline std::vector<BrokenMesh> broken_meshes() {
  const std::string stl = sphere_stl(4), ascii = ascii_stl(), obj = tetrahedron_obj(),
                    dae = tetrahedron_dae();
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
      {"empty STL", meshes::Format::stl, "", "byte 0: the file is empty"},
      {"STL header cut", meshes::Format::stl, stl.substr(0, 83),
       "byte 83: the file ends inside the header"},
      {"STL cut", meshes::Format::stl, stl.substr(0, 1000),
       "byte 1000: the file ends in triangle 19 of 64"},
      {"STL with one byte less", meshes::Format::stl, stl.substr(0, stl.size() - 1),
       "byte 3283: the file ends in triangle 64 of 64"},
      {"STL without triangles", meshes::Format::stl, with_value(stl.substr(0, 84), 80, 0u),
       "byte 80: the number of triangles is 0"},
      {"STL with the largest count", meshes::Format::stl, with_value(stl, 80, 0xFFFFFFFFu),
       "byte 3284: the file ends in triangle 65 of 4294967295"},
      {"STL with NaN", meshes::Format::stl, with_value(stl, 84 + 50 + 12 + 16, nan),
       "byte 162: a coordinate of triangle 2 is not a number up to 1e+15"},
      {"STL with infinity", meshes::Format::stl, with_value(stl, 84 + 12, infinity),
       "byte 96: a coordinate of triangle 1 is not a number up to 1e+15"},
      {"STL of one point", meshes::Format::stl, meshes::write_stl(sphere_mesh(4, 0.0), 0.0),
       "byte 84: all points of the mesh coincide"},
      {"HTML page named .stl", meshes::Format::stl, "<html><body>404</body></html>", "byte 29: "},
      {"text STL without vertex", meshes::Format::stl, replaced(ascii, "  vertex 1 0 0\n", ""),
       "line 6: expected 'vertex' instead of 'endloop'"},
      {"text STL with four vertices", meshes::Format::stl,
       replaced(ascii, " endloop", "vertex 1 1 1\n"),
       "line 7: expected 'endloop' instead of 'vertex'"},
      {"text STL with a word as number", meshes::Format::stl, replaced(ascii, "1 0 0", "1 zero 0"),
       "line 6: 'zero' is not a number up to 1e+15"},
      {"text STL with nan", meshes::Format::stl, replaced(ascii, "1 0 0", "1 nan 0"),
       "line 6: 'nan' is not a number up to 1e+15"},
      {"text STL with 1e300", meshes::Format::stl, replaced(ascii, "1 0 0", "1 1e300 0"),
       "line 6: '1e300' is not a number up to 1e+15"},
      {"text STL cut", meshes::Format::stl, ascii.substr(0, 200), "line 15: "},
      {"text STL without endsolid", meshes::Format::stl,
       replaced(ascii, "endsolid tetrahedron\n", ""),
       "line 30: the file ends where 'endsolid' is expected"},
      {"text STL without facets", meshes::Format::stl, "solid a\nendsolid a\n",
       "line 3: the file has no facets"},
      {"empty OBJ", meshes::Format::obj, "", "line 1: the file is empty"},
      {"OBJ without faces", meshes::Format::obj, "v 0 0 0\nv 1 0 0\n",
       "line 2: the file has no faces"},
      {"OBJ with vertex 5 of 4", meshes::Format::obj, replaced(obj, "f 1 2 4", "f 1 2 5"),
       "line 10: vertex 5 does not exist: 4 are defined before this line"},
      {"OBJ with vertex 0", meshes::Format::obj, replaced(obj, "f 1 2 4", "f 0 1 2"),
       "line 10: vertex 0 does not exist"},
      {"OBJ with vertex -5 of 4", meshes::Format::obj, replaced(obj, "f -3", "f -5"),
       "line 13: vertex -5 does not exist"},
      {"OBJ with normal 2 of 1", meshes::Format::obj, replaced(obj, "4//1", "4//2"),
       "line 12: normal 2 does not exist"},
      {"OBJ with a face of two vertices", meshes::Format::obj, replaced(obj, "f 1 2 4", "f 1 2"),
       "line 10: 'f' has 2 vertices; a face needs three"},
      {"OBJ with two coordinates", meshes::Format::obj, replaced(obj, "v 1 0 0", "v 1 0"),
       "line 4: 'v' needs three coordinates"},
      {"OBJ with a word as number", meshes::Format::obj, replaced(obj, "v 1 0 0", "v 1 0 x"),
       "line 4: 'x' is not a number up to 1e+15"},
      {"OBJ with an index that is no number", meshes::Format::obj,
       replaced(obj, "f 1 2 4", "f 1 2 a/b"), "line 10: 'a' is not an integer"},
      {"OBJ that is binary", meshes::Format::obj, stl, "line 1: zero byte in the text"},
      {"OBJ that is XML", meshes::Format::obj, dae, "line 1: '<?xml' is no keyword of OBJ"},
      {"empty DAE", meshes::Format::dae, "", "line 1: the file is empty"},
      {"DAE cut", meshes::Format::dae, dae.substr(0, 900), "line 12: "},
      {"DAE of another root", meshes::Format::dae, "<robot/>",
       "line 1: the root element is <robot> instead of <COLLADA>"},
      {"DAE with an entity", meshes::Format::dae, "<!DOCTYPE a [<!ENTITY b \"c\">]><COLLADA/>",
       "line 1: document type with declarations"},
      {"DAE with a wrong count", meshes::Format::dae, replaced(dae, "count=\"12\"", "count=\"13\""),
       "line 8: <float_array> has 12 numbers; its count is 13"},
      {"DAE with a word as number", meshes::Format::dae, replaced(dae, ">0 0 0 1", ">0 0 O 1"),
       "line 8: 'O' is not a number up to 1e+15"},
      {"DAE with an index that does not exist", meshes::Format::dae,
       replaced(dae, "0 3 2 1", "0 4 2 1"),
       "line 18: index 4 in <p> does not exist: the source has 4 entries"},
      {"DAE with a normal that does not exist", meshes::Format::dae,
       replaced(dae, "<p>0 0", "<p>0 1"),
       "line 15: index 1 in <p> does not exist: the source has 1 entries"},
      {"DAE with too few indices", meshes::Format::dae, replaced(dae, "1 0 3 0</p>", "1 0 3</p>"),
       "line 15: <p> ends inside a group of 2 indices"},
      {"DAE with two vertices in a triangle", meshes::Format::dae,
       replaced(dae, "1 0 3 0</p>", "1 0</p>"),
       "line 15: <p> has 5 vertices, not three per triangle"},
      {"DAE with a wrong vcount", meshes::Format::dae, replaced(dae, ">3 3<", ">3 4<"),
       "line 17: <vcount> needs more vertices than the 6 of <p>"},
      {"DAE with a negative vcount", meshes::Format::dae, replaced(dae, ">3 3<", ">3 -3<"),
       "line 17: a polygon has -3 vertices"},
      {"DAE without the source", meshes::Format::dae,
       replaced(dae, "source=\"#p\"", "source=\"#q\""),
       "line 12: <source> with the id 'q' does not exist"},
      {"DAE without triangles", meshes::Format::dae, "<COLLADA>\n</COLLADA>",
       "line 1: the file has no triangles"},
      {"DAE without a scene", meshes::Format::dae,
       replaced(dae, "<instance_visual_scene url=\"#s\"/>", ""), "line 2: the file has no <scene>"},
      {"DAE with a geometry that does not exist", meshes::Format::dae,
       replaced(dae, "\"#g\"", "\"#h\""), "line 20: <geometry> with the id 'h' does not exist"},
      {"DAE with 32768 instances", meshes::Format::dae,
       nested_nodes("<instance_geometry url=\"#g\"/>"),
       "line 20: the scene has more than 10000 instances"},
      {"DAE with a node that contains itself", meshes::Format::dae,
       replaced(replaced(dae, "<library_visual_scenes>",
                         "<library_nodes><node id=\"n\"><instance_node url=\"#n\"/></node>"
                         "</library_nodes><library_visual_scenes>"),
                "<node id=\"node\">", "<node id=\"node\"><instance_node url=\"#n\"/>"),
       "line 20: nodes are instanced deeper than 16 levels, or contain themselves"},
      {"DAE nested deeper than 64 elements", meshes::Format::dae,
       [] {
         std::string deep;
         for (int i = 0; i < 100; ++i) deep += "<a>";
         return deep;
       }(),
       "line 1: elements are nested deeper than 64 levels"},
  };
}

}  // namespace dynamics::test
