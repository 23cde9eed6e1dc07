// SPDX-License-Identifier: Apache-2.0
#pragma once

// Meshes of a sphere and of a tetrahedron in the formats of mesh files.

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "meshes/mesh.hpp"

namespace dynamics::test {

/// A sphere of `rings` x 2 `rings` quadrilaterals, each of two triangles.
inline meshes::Mesh sphere_mesh(unsigned rings, double radius = 1.0) {
  meshes::Mesh mesh;
  meshes::Surface& surface = mesh.surfaces.emplace_back();
  surface.parts.emplace_back();
  const unsigned columns = 2 * rings;
  for (unsigned i = 0; i <= rings; ++i) {
    for (unsigned j = 0; j < columns; ++j) {
      const double polar = std::numbers::pi * i / rings, around = std::numbers::pi * j / rings;
      surface.points.push_back({radius * std::sin(polar) * std::cos(around),
                                radius * std::sin(polar) * std::sin(around),
                                radius * std::cos(polar)});
    }
  }
  for (unsigned i = 0; i < rings; ++i) {
    for (unsigned j = 0; j < columns; ++j) {
      const unsigned a = i * columns + j, b = i * columns + (j + 1) % columns;
      surface.parts[0].triangles.push_back({a, a + columns, b});
      surface.parts[0].triangles.push_back({b, a + columns, b + columns});
    }
  }
  return mesh;
}

inline std::string ascii_stl() {
  std::string text = "solid tetrahedron\n";
  const char* const points[] = {"0 0 0", "1 0 0", "0 1 0", "0 0 1"};
  const int corners[][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  for (const auto& face : corners) {
    text += "facet normal 0 0 0\n outer loop\n";
    for (const int corner : face) text += fmt::format("  vertex {}\n", points[corner]);
    text += " endloop\nendfacet\n";
  }
  return text + "endsolid tetrahedron\n";
}

inline std::string tetrahedron_obj() {
  return "# a tetrahedron\nmtllib colors.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\n"
         "usemtl red\nf 1 3 2\nf 1 2 4\nusemtl blue\nf 1//1 4//1 3//1\nf -3 -2 -1\n";
}

/// One red part of <triangles> and one part of <polylist>, in millimeters.
inline std::string tetrahedron_dae() {
  return R"(<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="millimeter" meter="0.001"/><up_axis>Z_UP</up_axis></asset>
<library_effects><effect id="e"><profile_COMMON><technique sid="common"><lambert>
<diffuse><color>1 0 0 1</color></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="red"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array>
<technique_common><accessor source="#pa" count="4" stride="3"/></technique_common></source>
<source id="n"><float_array id="na" count="3">0 0 1</float_array>
<technique_common><accessor source="#na" count="1" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles material="m" count="2"><input semantic="VERTEX" source="#v" offset="0"/>
<input semantic="NORMAL" source="#n" offset="1"/>
<p>0 0 2 0 1 0 0 0 1 0 3 0</p></triangles>
<polylist material="m" count="2"><input semantic="VERTEX" source="#v" offset="0"/>
<vcount>3 3</vcount>
<p>0 3 2 1 2 3</p></polylist>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="node"><instance_geometry url="#g">
<bind_material><technique_common><instance_material symbol="m" target="#red"/></technique_common>
</bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene>
</COLLADA>
)";
}

}  // namespace dynamics::test
