// SPDX-License-Identifier: Apache-2.0
#include "meshes/mesh.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace dynamics::meshes {
namespace {

/// Lower corner and diagonal of the bounding box.
struct Extent {
  Point low;
  double diagonal;
};

Extent extent_of(const Mesh& mesh) {
  const double infinity = std::numeric_limits<double>::infinity();
  Point low = {infinity, infinity, infinity}, high = {-infinity, -infinity, -infinity};
  for (const Surface& surface : mesh.surfaces) {
    for (const Point& point : surface.points) {
      for (std::size_t k = 0; k < 3; ++k) {
        low[k] = std::min(low[k], point[k]);
        high[k] = std::max(high[k], point[k]);
      }
    }
  }
  if (low[0] > high[0]) return {{0.0, 0.0, 0.0}, 0.0};
  return {low, std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2])};
}

using Cube = std::array<std::int64_t, 3>;

struct CubeHash {
  std::size_t operator()(const Cube& cube) const {
    std::uint64_t hash = 0;
    for (const std::int64_t index : cube) {
      hash = (hash ^ static_cast<std::uint64_t>(index)) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 32;
    }
    return hash;
  }
};

Surface simplified_surface(const Surface& surface, const Point& low, double cell) {
  Surface result;
  result.begin = surface.begin;
  result.end = surface.end;
  std::unordered_map<Cube, std::uint32_t, CubeHash> cubes;
  std::vector<double> counts;
  std::vector<std::uint32_t> merged;
  merged.reserve(surface.points.size());
  for (const Point& point : surface.points) {
    Cube cube;
    for (std::size_t k = 0; k < 3; ++k) cube[k] = std::llround((point[k] - low[k]) / cell);
    const auto [entry, is_new] =
        cubes.emplace(cube, static_cast<std::uint32_t>(result.points.size()));
    const std::size_t index = entry->second;
    if (is_new) {
      result.points.push_back({0.0, 0.0, 0.0});
      counts.push_back(0.0);
    }
    // running mean
    counts[index] += 1.0;
    for (std::size_t k = 0; k < 3; ++k) {
      double& mean = result.points[index][k];
      mean += (point[k] - mean) / counts[index];
    }
    merged.push_back(entry->second);
  }
  for (const Part& part : surface.parts) {
    Part& kept = result.parts.emplace_back();
    kept.material = part.material;
    for (const Triangle& old : part.triangles) {
      const Triangle triangle = {merged[old[0]], merged[old[1]], merged[old[2]]};
      if (triangle[0] == triangle[1] || triangle[1] == triangle[2] || triangle[2] == triangle[0])
        continue;
      kept.triangles.push_back(triangle);
    }
  }
  return result;
}

}  // namespace

const char* to_string(Format format) {
  switch (format) {
    case Format::stl: return "stl";
    case Format::obj: return "obj";
    case Format::dae: break;
  }
  return "dae";
}

std::optional<Format> format_of(std::string_view filename) {
  std::string extension(filename.substr(filename.find_last_of('.') + 1));
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const Format format : {Format::stl, Format::obj, Format::dae}) {
    if (extension == to_string(format)) return format;
  }
  return std::nullopt;
}

std::size_t triangle_count(const Mesh& mesh) {
  std::size_t count = 0;
  for (const Surface& surface : mesh.surfaces) {
    for (const Part& part : surface.parts) count += part.triangles.size();
  }
  return count;
}

double diagonal(const Mesh& mesh) { return extent_of(mesh).diagonal; }

Mesh read_mesh(Format format, std::string_view bytes) {
  Mesh mesh = format == Format::stl   ? read_stl(bytes)
              : format == Format::obj ? read_obj(bytes)
                                      : read_collada(bytes);
  if (!(diagonal(mesh) > 0.0)) {
    throw MeshError(std::string(format == Format::stl ? "byte 84" : "line 1") +
                    ": all points of the mesh coincide");
  }
  return mesh;
}

std::string write_mesh(Format format, std::string_view original, const Mesh& mesh, double step) {
  switch (format) {
    case Format::stl: return write_stl(mesh, step);
    case Format::obj: return write_obj(mesh, step);
    case Format::dae: break;
  }
  return write_collada(original, mesh, step);
}

Mesh simplified(const Mesh& mesh, double cell) {
  Mesh result;
  result.material_files = mesh.material_files;
  result.must_be_rewritten = mesh.must_be_rewritten;
  const Point low = extent_of(mesh).low;
  for (const Surface& surface : mesh.surfaces)
    result.surfaces.push_back(simplified_surface(surface, low, cell));
  return result;
}

}  // namespace dynamics::meshes
