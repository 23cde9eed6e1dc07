// SPDX-License-Identifier: Apache-2.0
#pragma once

// The meshes of a robot for the page: read from packages, checked, reduced until they fit, and
// compressed.
//
//   const EmbeddedMeshes meshes = embed_meshes(model.description(), packages);
//   for (const MeshNote& note : meshes.problems) print(note.link, note.message);
//   page.insert(meshes.json);
//
// Each file is first embedded as it is. While the sum is larger than MeshBounds::page_bytes, the
// largest file is reduced by one step: normals and texture coordinates are left out and coordinates
// rounded, then points are merged on grids of 1/1024, 1/512, ... 1/64 of the mesh's size. A file
// that is still too large is left out.

#include <string>
#include <vector>

#include "dynamics_core/description.hpp"
#include "meshes/package_folders.hpp"

namespace dynamics::meshes {

struct MeshBounds {
  std::size_t file_bytes = 64u << 20;     ///< of one file
  std::size_t total_bytes = 256u << 20;   ///< of all files
  std::size_t material_bytes = 1u << 20;  ///< of one material file (.mtl)
  std::size_t page_bytes = 3'600'000;     ///< in the page, in base64
  double rounding = 1.0 / 65536.0;        ///< of coordinates, relative to the size of the mesh
};

/// A message about a mesh of a link.
struct MeshNote {
  std::string link;
  std::string message;  ///< begins with the file name
};

struct EmbeddedMeshes {
  /// {"files": {FILENAME: {"format", "data", "materials"}}, "problems": [text]}: `data` is the
  /// file, compressed (zlib) and in base64; `problems` the texts of `problems`.
  std::string json;
  std::vector<MeshNote> problems;    ///< meshes that are not embedded, one note per link and file
  std::vector<MeshNote> simplified;  ///< meshes with fewer triangles, or without their materials
  std::size_t meshes = 0;            ///< number of embedded files
  std::size_t rounded = 0;           ///< of them without normals and with rounded coordinates
  std::size_t page_bytes = 0;        ///< their size in the page
};

EmbeddedMeshes embed_meshes(const RobotDescription& robot, const PackageFolders& packages,
                            const MeshBounds& bounds = {});

}  // namespace dynamics::meshes
