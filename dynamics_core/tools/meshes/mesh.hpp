// SPDX-License-Identifier: Apache-2.0
#pragma once

// Triangle meshes of STL, OBJ and Collada files: reading with checks, simplifying, and writing in
// the same format. The page reads the written files with the loaders of three.js.
//
//   const Mesh mesh = read_mesh(Format::stl, bytes);             // throws MeshError
//   const std::string smaller = write_mesh(Format::stl, bytes, simplified(mesh, 0.001), 1e-5);
//
// Readers accept any bytes. They need memory and time in proportion to the file.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace dynamics::meshes {

/// A mesh cannot be used. The message begins with "byte N: " or "line N: " if it is about a
/// position in the file.
class MeshError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Format { stl, obj, dae };

/// "stl", "obj" or "dae".
const char* to_string(Format format);
/// The format by the extension of the name, in upper or lower case.
std::optional<Format> format_of(std::string_view filename);

/// Larger numbers are rejected: their differences and products would overflow in the page.
inline constexpr double largest_coordinate = 1e15;

using Point = std::array<double, 3>;
using Triangle = std::array<std::uint32_t, 3>;  ///< indices of points

/// Triangles of one material.
struct Part {
  std::string material;  ///< name in the file; may be empty
  std::vector<Triangle> triangles;
};

/// Points and the triangles between them.
struct Surface {
  std::vector<Point> points;
  std::vector<Part> parts;
  std::size_t begin = 0, end = 0;  ///< Collada: position of <mesh> in the text
};

struct Mesh {
  std::vector<Surface> surfaces;
  std::vector<std::string> material_files;  ///< OBJ: names after mtllib
  bool must_be_rewritten = false;           ///< the loaders of the page do not read this variant
};

std::size_t triangle_count(const Mesh& mesh);
/// Diagonal of the bounding box of all points, in the units of the file.
double diagonal(const Mesh& mesh);

/// Reads and checks a file. Throws MeshError with the position of the first error.
Mesh read_mesh(Format format, std::string_view bytes);
Mesh read_stl(std::string_view bytes);
Mesh read_obj(std::string_view text);
Mesh read_collada(std::string_view text);

/// The mesh in the same format, without normals and texture coordinates. `original` is the file
/// that `mesh` was read from. Coordinates are rounded to `step` or less; 0: not rounded.
std::string write_mesh(Format format, std::string_view original, const Mesh& mesh, double step);
std::string write_stl(const Mesh& mesh, double step);
std::string write_obj(const Mesh& mesh, double step);
std::string write_collada(std::string_view original, const Mesh& mesh, double step);

/// Merges all points of a surface that are in the same cube of a grid into their mean, and removes
/// triangles without area. No point moves by more than sqrt(3) `cell`.
Mesh simplified(const Mesh& mesh, double cell);

/// Lines of a material file (.mtl) with names, colors and opacities. Textures are left out.
std::string colors_of_materials(std::string_view text);

}  // namespace dynamics::meshes
