// SPDX-License-Identifier: Apache-2.0
// Wavefront OBJ: "v x y z", "f v/vt/vn ...", "usemtl NAME", "mtllib FILE". Other lines are skipped.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "meshes/decimals.hpp"
#include "meshes/text_scanner.hpp"

namespace dynamics::meshes {
namespace {

class ObjReader {
 public:
  explicit ObjReader(std::string_view text) : scanner_(text, 0, text.size()) {}

  Mesh read() {
    mesh_.surfaces.emplace_back();
    while (!scanner_.at_end()) {
      if (const auto keyword = scanner_.next_in_line()) read_line(*keyword);
      scanner_.rest_of_line();
    }
    if (triangle_count(mesh_) == 0) scanner_.fail("the file has no faces");
    return std::move(mesh_);
  }

 private:
  Surface& surface() { return mesh_.surfaces[0]; }

  void read_line(std::string_view keyword) {
    if (keyword == "v") {
      read_point();
    } else if (keyword == "vt") {
      ++texture_points_;
    } else if (keyword == "vn") {
      ++normals_;
    } else if (keyword == "f") {
      read_face();
    } else if (keyword == "usemtl") {
      surface().parts.push_back({std::string(scanner_.peek_line()), {}});
    } else if (keyword == "mtllib") {
      mesh_.material_files.emplace_back(scanner_.peek_line());
    } else if (!keyword.starts_with('#') && !is_letter(keyword.front())) {
      scanner_.fail(in_quotes(keyword) + " is no keyword of OBJ");
    }
  }

  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

  void read_point() {
    Point point;
    for (double& x : point) {
      const auto word = scanner_.next_in_line();
      if (!word) scanner_.fail("'v' needs three coordinates");
      x = scanner_.number(*word);
    }
    surface().points.push_back(point);
  }

  /// Index into a list of `size` entries: from 1, or negative from the end.
  std::size_t index(std::string_view word, std::size_t size, const char* what) const {
    const std::int64_t given = scanner_.integer(word);
    const auto count = static_cast<std::int64_t>(size);
    const std::int64_t value = given < 0 ? count + given : given - 1;
    if (value < 0 || value >= count) {
      scanner_.fail(
          fmt::format("{} {} does not exist: {} are defined before this line", what, given, count));
    }
    return static_cast<std::size_t>(value);
  }

  std::uint32_t corner(std::string_view word) const {
    const std::size_t slash = word.find('/');
    const auto point =
        static_cast<std::uint32_t>(index(word.substr(0, slash), point_count(), "vertex"));
    if (slash == word.npos) return point;
    const std::string_view rest = word.substr(slash + 1);
    const std::size_t second = rest.find('/');
    if (const auto texture = rest.substr(0, second); !texture.empty())
      index(texture, texture_points_, "texture point");
    if (second != rest.npos && second + 1 < rest.size())
      index(rest.substr(second + 1), normals_, "normal");
    return point;
  }
  std::size_t point_count() const { return mesh_.surfaces[0].points.size(); }

  void read_face() {
    if (surface().parts.empty()) surface().parts.emplace_back();
    std::vector<std::uint32_t> corners;
    while (const auto word = scanner_.next_in_line()) {
      if (word->starts_with('#')) break;
      if (*word == "\\") {  // the line continues
        scanner_.rest_of_line();
        continue;
      }
      corners.push_back(corner(*word));
    }
    if (corners.size() < 3)
      scanner_.fail(fmt::format("'f' has {} vertices; a face needs three", corners.size()));
    for (std::size_t i = 2; i < corners.size(); ++i)
      surface().parts.back().triangles.push_back({corners[0], corners[i - 1], corners[i]});
  }

  TextScanner scanner_;
  Mesh mesh_;
  std::size_t texture_points_ = 0, normals_ = 0;
};

}  // namespace

Mesh read_obj(std::string_view text) {
  if (text.empty()) fail_at(text, 0, "the file is empty");
  if (const auto zero = text.find('\0'); zero != text.npos)
    fail_at(text, zero, "zero byte in the text: this is no OBJ file");
  return ObjReader(text).read();
}

std::string write_obj(const Mesh& mesh, double step) {
  fmt::memory_buffer out;
  const Decimals decimals(step);
  std::size_t first = 1;
  for (const Surface& surface : mesh.surfaces) {
    for (const Point& point : surface.points) {
      out.push_back('v');
      for (const double x : point) {
        out.push_back(' ');
        decimals.append(out, x);
      }
      out.push_back('\n');
    }
    for (const Part& part : surface.parts) {
      if (!part.material.empty())
        fmt::format_to(std::back_inserter(out), "usemtl {}\n", part.material);
      for (const Triangle& t : part.triangles) {
        fmt::format_to(std::back_inserter(out), "f {} {} {}\n", first + t[0], first + t[1],
                       first + t[2]);
      }
    }
    first += surface.points.size();
  }
  return fmt::to_string(out);
}

std::string colors_of_materials(std::string_view text) {
  std::string kept;
  TextScanner scanner(text, 0, text.size());
  while (!scanner.at_end()) {
    const auto keyword = scanner.next_in_line();
    const std::string_view rest = scanner.rest_of_line();
    if (!keyword) continue;
    if (*keyword == "newmtl" || *keyword == "Kd" || *keyword == "d" || *keyword == "Tr")
      kept += fmt::format("{} {}\n", *keyword, rest);
  }
  return kept;
}

}  // namespace dynamics::meshes
