// SPDX-License-Identifier: Apache-2.0
// Collada: the triangles of <library_geometries>, and a check of everything that the scene refers
// to. Materials, nodes, units and the rest of the file are left to the page.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "meshes/decimals.hpp"
#include "meshes/text_scanner.hpp"
#include "readers/xml_tree.hpp"

namespace dynamics::meshes {
namespace {

constexpr std::size_t most_instances = 10'000, deepest_instance = 16, most_visits = 10'000'000;

class ColladaReader {
 public:
  explicit ColladaReader(std::string_view text) : text_(text), xml_(text) {}

  Mesh read() {
    if (!xml_.problems().empty()) {
      const xml::Problem& first = xml_.problems().front();
      throw MeshError(fmt::format("line {}: {}", first.line, first.message));
    }
    if (xml_.root() < 0) fail_at(text_, 0, "the file has no element");
    if (name(0) != "COLLADA")
      fail(0, fmt::format("the root element is <{}> instead of <COLLADA>", name(0)));
    for (const int library : xml_.children(0, "library_geometries")) {
      for (const int geometry : xml_.children(library, "geometry")) {
        ids_["geometry"].emplace(attribute(geometry, "id"), geometry);
        if (const int mesh = xml_.child(geometry, "mesh"); mesh >= 0) read_geometry(mesh);
      }
    }
    if (triangle_count(mesh_) == 0) fail(0, "the file has no triangles");
    check_scene();
    return std::move(mesh_);
  }

 private:
  /// The numbers of a <source>. They are kept only for points.
  struct Source {
    std::vector<double> values;
    std::size_t count = 0, stride = 1;
    bool finite = true;
    std::size_t size() const { return count / stride; }
  };
  /// An <input> of a primitive: each group of indices has one index into `source` at `offset`.
  struct Input {
    std::size_t offset;
    const Source* source;
    bool is_vertex;
  };

  std::string_view name(int element) const { return xml_.at(element).name; }
  [[noreturn]] void fail(int element, const std::string& message) const {
    throw MeshError(fmt::format("line {}: {}", xml_.at(element).line, message));
  }
  std::string attribute(int element, std::string_view key) const {
    const xml::Attribute* found = xml_.at(element).find(key);
    return found == nullptr ? std::string() : found->value;
  }
  /// The id that a URI "#id" refers to.
  std::string target(int element, std::string_view key) const {
    const std::string uri = attribute(element, key);
    if (!uri.starts_with('#'))
      fail(element,
           fmt::format("{} of <{}> is {}; expected #ID", key, name(element), in_quotes(uri)));
    return uri.substr(1);
  }
  std::optional<std::size_t> size_attribute(int element, std::string_view key) const {
    const xml::Attribute* found = xml_.at(element).find(key);
    if (found == nullptr) return std::nullopt;
    const TextScanner scanner(text_, found->begin, found->end);
    const std::int64_t value =
        scanner.integer(text_.substr(found->begin, found->end - found->begin));
    if (value < 0) fail(element, fmt::format("{} of <{}> is negative", key, name(element)));
    return static_cast<std::size_t>(value);
  }
  TextScanner scan(int element) const {
    const std::string_view content = xml_.content(element);
    const auto begin = static_cast<std::size_t>(content.data() - text_.data());
    return {text_, content.empty() ? 0 : begin, content.empty() ? 0 : begin + content.size()};
  }

  /// Numbers of a <float_array>. Only points must be finite: some programs write nan as normals.
  Source read_source(int element, bool is_points) {
    Source source;
    const int array = xml_.child(element, "float_array");
    if (array < 0) fail(element, "<source> has no <float_array>");
    TextScanner scanner = scan(array);
    for (auto word = scanner.next(); word; word = scanner.next()) {
      ++source.count;
      if (is_points) {
        source.values.push_back(scanner.number(*word));
      } else if (!TextScanner::finite_number(*word)) {
        source.finite = false;
      }
    }
    const auto count = size_attribute(array, "count");
    if (count && *count != source.count) {
      fail(array,
           fmt::format("<float_array> has {} numbers; its count is {}", source.count, *count));
    }
    const int technique = xml_.child(element, "technique_common");
    const int accessor = technique < 0 ? -1 : xml_.child(technique, "accessor");
    if (accessor >= 0) source.stride = size_attribute(accessor, "stride").value_or(1);
    if (source.stride == 0) fail(accessor, "stride of <accessor> is 0");
    return source;
  }

  const Source& find_source(int input, bool is_points) {
    const std::string id = target(input, "source");
    if (const auto known = sources_.find(id); known != sources_.end()) return known->second;
    const auto element = source_elements_.find(id);
    if (element == source_elements_.end())
      fail(input, fmt::format("<source> with the id {} does not exist", in_quotes(id)));
    return sources_.emplace(id, read_source(element->second, is_points)).first->second;
  }

  void read_geometry(int mesh) {
    source_elements_.clear();
    sources_.clear();
    for (const int source : xml_.children(mesh, "source"))
      source_elements_.emplace(attribute(source, "id"), source);
    Surface surface;
    surface.begin = xml_.at(mesh).begin;
    surface.end = xml_.at(mesh).end;
    const Source* points = nullptr;
    for (int child = xml_.at(mesh).first_child; child >= 0; child = xml_.at(child).next) {
      const std::string_view kind = name(child);
      const bool known = kind == "triangles" || kind == "polylist";
      if (!known && kind != "polygons" && kind != "tristrips" && kind != "trifans") continue;
      if (points == nullptr) points = &find_points(mesh);
      // the loader of the page reads only these two
      if (!known) mesh_.must_be_rewritten = true;
      read_primitive(mesh, child, surface);
    }
    if (points == nullptr) return;
    for (std::size_t i = 0; i < points->size(); ++i) {
      const double* const p = points->values.data() + i * points->stride;
      surface.points.push_back({p[0], p[1], p[2]});
    }
    mesh_.surfaces.push_back(std::move(surface));
  }

  /// The points of <vertices>.
  const Source& find_points(int mesh) {
    const int vertices = xml_.child(mesh, "vertices");
    if (vertices < 0) fail(mesh, "<mesh> has no <vertices>");
    for (const int input : xml_.children(vertices, "input")) {
      if (attribute(input, "semantic") != "POSITION") continue;
      const Source& points = find_source(input, true);
      if (points.stride < 3)
        fail(input, fmt::format("points have {} coordinates; expected 3", points.stride));
      return points;
    }
    fail(vertices, "<vertices> has no <input> with the semantic POSITION");
  }

  std::vector<Input> read_inputs(int mesh, int primitive) {
    std::vector<Input> inputs;
    for (const int input : xml_.children(primitive, "input")) {
      const std::size_t offset = size_attribute(input, "offset").value_or(0);
      if (offset > 32) fail(input, fmt::format("offset {} of <input> is larger than 32", offset));
      const bool is_vertex = attribute(input, "semantic") == "VERTEX";
      if (is_vertex) {
        const int vertices = xml_.child(mesh, "vertices");
        if (attribute(vertices, "id") != target(input, "source")) {
          fail(input, fmt::format("<vertices> with the id {} does not exist",
                                  in_quotes(target(input, "source"))));
        }
      }
      const Source& source = is_vertex ? find_points(mesh) : find_source(input, false);
      if (!source.finite) mesh_.must_be_rewritten = true;
      inputs.push_back({offset, &source, is_vertex});
    }
    if (std::none_of(inputs.begin(), inputs.end(), [](const Input& i) { return i.is_vertex; })) {
      fail(primitive, fmt::format("<{}> has no <input> with the semantic VERTEX", name(primitive)));
    }
    return inputs;
  }

  /// The vertices of a <p>: one per group of indices. All indices are checked.
  std::vector<std::uint32_t> read_indices(int p, const std::vector<Input>& inputs) const {
    std::size_t stride = 0;
    for (const Input& input : inputs) stride = std::max(stride, input.offset + 1);
    std::vector<std::uint32_t> vertices;
    TextScanner scanner = scan(p);
    std::size_t at = 0;
    while (const auto word = scanner.next()) {
      const std::int64_t value = scanner.integer(*word);
      for (const Input& input : inputs) {
        if (input.offset != at) continue;
        if (value < 0 || static_cast<std::size_t>(value) >= input.source->size()) {
          scanner.fail(fmt::format("index {} in <p> does not exist: the source has {} entries",
                                   value, input.source->size()));
        }
        if (input.is_vertex) vertices.push_back(static_cast<std::uint32_t>(value));
      }
      at = (at + 1) % stride;
    }
    if (at != 0) scanner.fail(fmt::format("<p> ends inside a group of {} indices", stride));
    return vertices;
  }

  void read_primitive(int mesh, int primitive, Surface& surface) {
    const auto inputs = read_inputs(mesh, primitive);
    Part& part = surface.parts.emplace_back();
    part.material = attribute(primitive, "material");
    const auto fan = [&](const std::vector<std::uint32_t>& v, std::size_t begin, std::size_t size) {
      for (std::size_t i = 2; i < size; ++i)
        part.triangles.push_back({v[begin], v[begin + i - 1], v[begin + i]});
    };
    const std::string_view kind = name(primitive);
    std::size_t elements = 0;
    for (const int p : xml_.children(primitive, "p")) {
      const auto vertices = read_indices(p, inputs);
      if (kind == "triangles") {
        if (vertices.size() % 3 != 0)
          fail(p, fmt::format("<p> has {} vertices, not three per triangle", vertices.size()));
        for (std::size_t i = 0; i < vertices.size(); i += 3) fan(vertices, i, 3);
        elements += vertices.size() / 3;
      } else if (kind == "polylist") {
        std::size_t begin = 0;
        const int counts = xml_.child(primitive, "vcount");
        if (counts < 0) fail(primitive, "<polylist> has no <vcount>");
        TextScanner scanner = scan(counts);
        while (const auto word = scanner.next()) {
          const std::int64_t size = scanner.integer(*word);
          if (size < 3) scanner.fail(fmt::format("a polygon has {} vertices", size));
          if (static_cast<std::size_t>(size) > vertices.size() - begin) {
            scanner.fail(
                fmt::format("<vcount> needs more vertices than the {} of <p>", vertices.size()));
          }
          fan(vertices, begin, static_cast<std::size_t>(size));
          begin += static_cast<std::size_t>(size);
          ++elements;
        }
        if (begin != vertices.size()) {
          fail(p, fmt::format("<p> has {} vertices; <vcount> has {}", vertices.size(), begin));
        }
      } else if (kind == "tristrips") {
        for (std::size_t i = 2; i < vertices.size(); ++i) {
          const std::size_t odd = i % 2;
          part.triangles.push_back({vertices[i - 2 + odd], vertices[i - 1 - odd], vertices[i]});
        }
        ++elements;
      } else {
        fan(vertices, 0, vertices.size());
        ++elements;
      }
    }
    const auto count = size_attribute(primitive, "count");
    if (count && *count != elements) {
      fail(primitive, fmt::format("<{}> has {} elements; its count is {}", kind, elements, *count));
    }
  }

  /// Checks that references in the scene exist, and that it is not too large: a few nodes that
  /// contain each other several times would fill any memory.
  void check_scene() {
    const int scene = xml_.child(0, "scene");
    if (scene < 0 || xml_.child(scene, "instance_visual_scene") < 0)
      fail(0, "the file has no <scene> with an <instance_visual_scene>");
    const auto& elements = xml_.elements();
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const auto element = static_cast<int>(i);
      for (const char* kind : {"node", "visual_scene", "controller"}) {
        if (elements[i].name == kind) ids_[kind].emplace(attribute(element, "id"), element);
      }
    }
    const int instance = xml_.child(scene, "instance_visual_scene");
    count_instances(referenced("visual_scene", instance), 0);
  }

  int referenced(const std::string& kind, int element) {
    const std::string id = target(element, "url");
    const auto found = ids_[kind].find(id);
    if (found == ids_[kind].end())
      fail(element, fmt::format("<{}> with the id {} does not exist", kind, in_quotes(id)));
    return found->second;
  }

  void count_instances(int node, std::size_t depth) {
    const std::size_t end = xml_.at(node).end;
    const auto& elements = xml_.elements();
    for (auto i = static_cast<std::size_t>(node) + 1; i < elements.size(); ++i) {
      if (elements[i].begin >= end) break;
      if (++visited_ > most_visits)
        fail(node, "the scene is too large: its nodes are instanced too often");
      const auto element = static_cast<int>(i);
      const std::string_view kind = name(element);
      if (!kind.starts_with("instance_")) continue;
      if (++instances_ > most_instances)
        fail(element, fmt::format("the scene has more than {} instances", most_instances));
      if (kind == "instance_geometry") referenced("geometry", element);
      if (kind == "instance_controller") referenced("controller", element);
      if (kind != "instance_node") continue;
      if (depth == deepest_instance) {
        fail(element,
             fmt::format("nodes are instanced deeper than {} levels, or contain themselves",
                         deepest_instance));
      }
      count_instances(referenced("node", element), depth + 1);
    }
  }

  std::string_view text_;
  xml::Document xml_;
  Mesh mesh_;
  std::map<std::string, int> source_elements_;  ///< of one <mesh>, by id
  std::map<std::string, Source> sources_;       ///< those of them that have been read
  std::map<std::string, std::map<std::string, int>> ids_;
  std::size_t instances_ = 0, visited_ = 0;
};

std::string attribute_text(std::string_view value) {
  std::string text;
  for (const char c : value) {
    switch (c) {
      case '&': text += "&amp;"; break;
      case '<': text += "&lt;"; break;
      case '"': text += "&quot;"; break;
      default: text += c;
    }
  }
  return text;
}

void append_mesh(fmt::memory_buffer& out, const Surface& surface, std::size_t number,
                 const Decimals& decimals) {
  const auto add = [&](std::string_view text) {
    out.append(text.data(), text.data() + text.size());
  };
  add(fmt::format("<mesh><source id=\"s{0}\"><float_array id=\"a{0}\" count=\"{1}\">", number,
                  3 * surface.points.size()));
  for (const Point& point : surface.points) {
    for (const double x : point) {
      decimals.append(out, x);
      out.push_back(' ');
    }
  }
  add(
      fmt::format("</float_array><technique_common><accessor source=\"#a{0}\" count=\"{1}\" "
                  "stride=\"3\"><param name=\"X\" type=\"float\"/><param name=\"Y\" "
                  "type=\"float\"/><param name=\"Z\" type=\"float\"/></accessor>"
                  "</technique_common></source><vertices id=\"v{0}\"><input semantic=\"POSITION\" "
                  "source=\"#s{0}\"/></vertices>",
                  number, surface.points.size()));
  for (const Part& part : surface.parts) {
    if (part.triangles.empty()) continue;
    add(
        fmt::format("<triangles material=\"{}\" count=\"{}\"><input semantic=\"VERTEX\" "
                    "source=\"#v{}\" offset=\"0\"/><p>",
                    attribute_text(part.material), part.triangles.size(), number));
    for (const Triangle& t : part.triangles)
      fmt::format_to(std::back_inserter(out), "{} {} {} ", t[0], t[1], t[2]);
    add("</p></triangles>");
  }
  add("</mesh>");
}

}  // namespace

Mesh read_collada(std::string_view text) {
  if (text.empty()) fail_at(text, 0, "the file is empty");
  return ColladaReader(text).read();
}

std::string write_collada(std::string_view original, const Mesh& mesh, double step) {
  fmt::memory_buffer out;
  const Decimals decimals(step);
  std::size_t at = 0, number = 0;
  for (const Surface& surface : mesh.surfaces) {
    out.append(original.data() + at, original.data() + surface.begin);
    append_mesh(out, surface, number++, decimals);
    at = surface.end;
  }
  out.append(original.data() + at, original.data() + original.size());
  return fmt::to_string(out);
}

}  // namespace dynamics::meshes
