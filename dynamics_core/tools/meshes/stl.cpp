// SPDX-License-Identifier: Apache-2.0
// STL: 80 bytes, the number of triangles, and 50 bytes per triangle; or text with "facet" and
// "vertex" lines.

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "meshes/text_scanner.hpp"

namespace dynamics::meshes {
namespace {

constexpr std::size_t header_bytes = 84, triangle_bytes = 50;
static_assert(std::endian::native == std::endian::little);

template <class Value>
Value value_at(std::string_view bytes, std::size_t offset) {
  Value value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <class Value>
void append_value(std::string& bytes, Value value) {
  const auto raw = std::bit_cast<std::array<char, sizeof(Value)>>(value);
  bytes.append(raw.data(), raw.size());
}

[[noreturn]] void fail_at_byte(std::size_t offset, const std::string& message) {
  throw MeshError(fmt::format("byte {}: {}", offset, message));
}

/// Adds a triangle with points of its own.
void add_triangle(Surface& surface, const std::array<Point, 3>& corners) {
  const auto first = static_cast<std::uint32_t>(surface.points.size());
  surface.points.insert(surface.points.end(), corners.begin(), corners.end());
  surface.parts[0].triangles.push_back({first, first + 1, first + 2});
}

Mesh read_binary(std::string_view bytes) {
  if (bytes.size() < header_bytes) {
    fail_at_byte(bytes.size(),
                 fmt::format("the file ends inside the header of {} bytes", header_bytes));
  }
  const auto count = value_at<std::uint32_t>(bytes, 80);
  if (count == 0) fail_at_byte(80, "the number of triangles is 0");
  if (bytes.size() < header_bytes + triangle_bytes * std::size_t{count}) {
    fail_at_byte(bytes.size(),
                 fmt::format("the file ends in triangle {} of {}",
                             (bytes.size() - header_bytes) / triangle_bytes + 1, count));
  }
  Mesh mesh;
  Surface& surface = mesh.surfaces.emplace_back();
  surface.parts.emplace_back();
  for (std::size_t i = 0; i < count; ++i) {
    std::array<Point, 3> corners;
    for (std::size_t k = 0; k < 9; ++k) {
      // 12 bytes of the normal come first
      const std::size_t offset = header_bytes + triangle_bytes * i + 12 + 4 * k;
      const auto value = value_at<float>(bytes, offset);
      if (!(std::abs(double{value}) <= largest_coordinate)) {
        fail_at_byte(offset, fmt::format("a coordinate of triangle {} is not a number up to {:g}",
                                         i + 1, largest_coordinate));
      }
      corners[k / 3][k % 3] = value;
    }
    add_triangle(surface, corners);
  }
  return mesh;
}

class AsciiStlReader {
 public:
  explicit AsciiStlReader(std::string_view text) : scanner_(text, 0, text.size()) {}

  Mesh read() {
    Mesh mesh;
    Surface& surface = mesh.surfaces.emplace_back();
    surface.parts.emplace_back();
    for (auto word = scanner_.next(); word; word = scanner_.next()) {
      if (!is_keyword(*word, "solid"))
        scanner_.fail("expected 'solid' instead of " + in_quotes(*word));
      scanner_.rest_of_line();  // name
      read_facets(surface);
    }
    if (surface.points.empty()) scanner_.fail("the file has no facets");
    return mesh;
  }

 private:
  static bool is_keyword(std::string_view word, std::string_view keyword) {
    return word.size() == keyword.size() &&
           std::equal(word.begin(), word.end(), keyword.begin(), [](char a, char b) {
             return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
           });
  }
  std::string_view word(std::string_view expected) {
    const auto next = scanner_.next();
    if (!next) scanner_.fail(fmt::format("the file ends where '{}' is expected", expected));
    return *next;
  }
  void expect(std::string_view keyword) {
    const auto next = word(keyword);
    if (!is_keyword(next, keyword))
      scanner_.fail(fmt::format("expected '{}' instead of {}", keyword, in_quotes(next)));
  }

  void read_facets(Surface& surface) {
    while (true) {
      const auto keyword = word("endsolid");
      if (is_keyword(keyword, "endsolid")) {
        scanner_.rest_of_line();
        return;
      }
      if (!is_keyword(keyword, "facet"))
        scanner_.fail("expected 'facet' or 'endsolid' instead of " + in_quotes(keyword));
      expect("normal");
      for (int k = 0; k < 3; ++k) word("a component of the normal");  // computed by the page
      expect("outer");
      expect("loop");
      std::array<Point, 3> corners;
      for (Point& corner : corners) {
        expect("vertex");
        for (double& x : corner) x = scanner_.number(word("a coordinate"));
      }
      expect("endloop");
      expect("endfacet");
      add_triangle(surface, corners);
    }
  }

  TextScanner scanner_;
};

}  // namespace

Mesh read_stl(std::string_view bytes) {
  if (bytes.empty()) fail_at_byte(0, "the file is empty");
  // a binary file may begin with "solid" too
  const bool exact =
      bytes.size() >= header_bytes &&
      bytes.size() ==
          header_bytes + triangle_bytes * std::size_t{value_at<std::uint32_t>(bytes, 80)};
  const std::size_t start = bytes.find_first_not_of(" \t\r\n");
  const bool text = !exact && start != bytes.npos && bytes.substr(start, 5) == "solid";
  Mesh mesh = text ? AsciiStlReader(bytes).read() : read_binary(bytes);
  // the page reads binary files of the exact size
  mesh.must_be_rewritten = !exact;
  return mesh;
}

std::string write_stl(const Mesh& mesh, double step) {
  // a power of two: the last bits of all numbers are zero, which compresses well
  const double grid = step > 0.0 ? std::exp2(std::floor(std::log2(step))) : 0.0;
  std::string bytes(80, '\0');
  append_value(bytes, static_cast<std::uint32_t>(triangle_count(mesh)));
  bytes.reserve(bytes.size() + triangle_bytes * triangle_count(mesh));
  for (const Surface& surface : mesh.surfaces) {
    for (const Part& part : surface.parts) {
      for (const Triangle& triangle : part.triangles) {
        bytes.append(12, '\0');  // normal
        for (const std::uint32_t index : triangle) {
          for (const double x : surface.points[index])
            append_value(bytes, static_cast<float>(grid > 0.0 ? grid * std::round(x / grid) : x));
        }
        bytes.append(2, '\0');
      }
    }
  }
  return bytes;
}

}  // namespace dynamics::meshes
