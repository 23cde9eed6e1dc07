// SPDX-License-Identifier: Apache-2.0
// Shapes of a link, for display and for the size of the link. The dynamics do not use them, so a
// shape that cannot be read is skipped with a warning.

#include <fmt/format.h>

#include <numbers>

#include "readers/urdf_element.hpp"

namespace dynamics::urdf_reader {
namespace {

using Eigen::Vector3d;
using Severity = Finding::Severity;

struct Shape {
  std::variant<Visual::Box, Visual::Cylinder, Visual::Sphere, Visual::Capsule> geometry;
  Vector3d half;
  double volume;
};

/// The first shape of a <geometry>, as in urdfdom; -1 if there is none.
int first_shape(const xml::Document& xml, int geometry) {
  return geometry < 0 ? -1 : xml.at(geometry).first_child;
}

class ShapeReader {
 public:
  ShapeReader(ElementReader& reader, ParsedLink& link)
      : reader_(reader), link_(link), owner_{Finding::Kind::link, link.name} {}

  void read(int link_element) {
    reader_.severity = Severity::warning;
    for (const char* kind : {"visual", "collision"}) {
      double volume = 0.0;
      for (const int element : reader_.xml().children(link_element, kind)) {
        const std::size_t findings = reader_.robot().findings.size();
        volume += read_one(element, std::string_view(kind) == "visual");
        if (reader_.robot().findings.size() > findings) remove_from_1_0(element);
      }
      if (volume > 0.0) link_.volume = volume;
    }
    reader_.severity = Severity::error;
  }

 private:
  void warn(int element, const char* code, std::string message, std::string repair) {
    reader_.robot()
        .report(Severity::warning, link_, code, std::move(message), std::move(repair))
        .line = reader_.line(element);
  }

  /// Removes the shape from the text for urdfdom, which would report it a second time.
  void remove_from_1_0(int element) {
    const xml::Element& e = reader_.xml().at(element);
    reader_.edits_to_1_0().push_back({e.begin, e.end, ""});
  }

  /// A required size; reported if it is missing.
  std::optional<double> size(int element, const char* attribute) {
    if (!reader_.has(element, attribute)) {
      missing(element, attribute);
      return std::nullopt;
    }
    return reader_.number(element, attribute, owner_);
  }
  void missing(int element, const char* attribute) {
    warn(element, "geometry-size",
         fmt::format("<{}> has no {}: the shape is skipped", reader_.xml().at(element).name,
                     attribute),
         "give sizes in meters");
  }

  std::optional<Shape> read_shape(int element) {
    constexpr double pi = std::numbers::pi;
    const std::string_view name = reader_.xml().at(element).name;
    if (name == "box") {
      if (!reader_.has(element, "size")) {
        missing(element, "size");
        return std::nullopt;
      }
      const auto edges = reader_.vector(element, "size", owner_);
      if (!edges) return std::nullopt;
      return Shape{Visual::Box{*edges}, 0.5 * *edges, edges->prod()};
    }
    if (name == "sphere") {
      const auto r = size(element, "radius");
      if (!r) return std::nullopt;
      return Shape{Visual::Sphere{*r}, Vector3d::Constant(*r), 4.0 / 3.0 * pi * *r * *r * *r};
    }
    if (name != "cylinder" && name != "capsule") return std::nullopt;
    const auto r = size(element, "radius"), length = size(element, "length");
    if (!r || !length) return std::nullopt;
    if (name == "cylinder") {
      return Shape{Visual::Cylinder{*r, *length}, {*r, *r, 0.5 * *length}, pi * *r * *r * *length};
    }
    const xml::Element& e = reader_.xml().at(element);
    reader_.needs_version(1, element, "<capsule>", owner_);
    reader_.edits_to_1_0().push_back(
        {e.begin, e.end,
         fmt::format("<cylinder radius=\"{}\" length=\"{}\"/>", reader_.text(element, "radius"),
                     reader_.text(element, "length"))});
    if (*length < 0.0) return Shape{Visual::Capsule{*r, *length}, {*r, *r, *length}, 0.0};
    return Shape{Visual::Capsule{*r, *length},
                 {*r, *r, 0.5 * *length + *r},
                 pi * *r * *r * (*length + 4.0 / 3.0 * *r)};
  }

  /// Adds the shape to the link. Returns its volume.
  double read_one(int element, bool is_visual) {
    const auto origin = reader_.origin(element, owner_);
    const int shape = first_shape(reader_.xml(), reader_.xml().child(element, "geometry"));
    if (shape < 0) {
      warn(element, "geometry-missing",
           fmt::format("<{}> has no shape", reader_.xml().at(element).name),
           "give <geometry> with a box, cylinder, sphere, capsule or mesh");
      return 0.0;
    }
    if (reader_.xml().at(shape).name == "mesh") {
      read_mesh(element, shape, origin, is_visual);
      return 0.0;
    }
    const auto given = read_shape(shape);
    if (!given) return 0.0;
    if (given->half.minCoeff() < 0.0) {
      warn(shape, "geometry-size", "size of a shape is negative: the shape is skipped",
           "give positive sizes");
      return 0.0;
    }
    const auto pose = origin.pose();
    if (!pose) return 0.0;
    const Vector3d half_extent = pose->rotation.cwiseAbs() * given->half;
    link_.geometry.add(pose->translation - half_extent);
    link_.geometry.add(pose->translation + half_extent);
    if (is_visual) {
      Visual visual;
      visual.geometry = given->geometry;
      visual.xyz = *origin.xyz;
      visual.rpy = origin.rpy;
      const int material = reader_.xml().child(element, "material");
      visual.color = reader_.text(material, "name");
      link_.visuals.push_back(std::move(visual));
    }
    return given->volume;
  }

  void read_mesh(int visual, int element, const ElementReader::Origin& origin, bool is_visual) {
    link_.has_meshes = true;
    MeshVisual mesh;
    mesh.filename = reader_.text(element, "filename");
    if (mesh.filename.empty()) {
      warn(element, "geometry-missing", "<mesh> has no filename: the mesh is skipped",
           "give the file name");
      return;
    }
    if (reader_.has(element, "scale")) {
      const auto scale = reader_.vector(element, "scale", owner_);
      if (!scale) return;
      mesh.scale = *scale;
    }
    if (!is_visual || !origin.xyz || !origin.rotation) return;
    mesh.xyz = *origin.xyz;
    mesh.rpy = origin.rpy;
    mesh.color = reader_.text(reader_.xml().child(visual, "material"), "name");
    link_.meshes.push_back(std::move(mesh));
  }

  ElementReader& reader_;
  ParsedLink& link_;
  Owner owner_;
};

}  // namespace

void read_shapes(ElementReader& reader, int link_element, ParsedLink& link) {
  ShapeReader(reader, link).read(link_element);
}

Colors read_materials(ElementReader& reader) {
  Colors colors;
  const xml::Document& xml = reader.xml();
  reader.severity = Severity::warning;
  const auto read = [&](int material) {
    const Owner owner = owner_of(xml, material, reader.robot());
    if (!reader.has(material, "name")) {
      reader.robot().report(Severity::warning, owner.kind, owner.name, "material",
                            "<material> has no name", "write <material name=\"...\">",
                            reader.line(material));
      reader.edits_to_1_0().push_back({xml.at(material).begin, xml.at(material).end, ""});
      return;
    }
    const int color = xml.child(material, "color");
    if (color < 0) return;
    if (!reader.has(color, "rgba")) {
      reader.robot().report(Severity::warning, owner.kind, owner.name, "material",
                            "<color> has no rgba", "write <color rgba=\"0.5 0.5 0.5 1\"/>",
                            reader.line(color));
      return;
    }
    const auto rgba = reader.numbers(color, "rgba", 4, owner);
    if (rgba) {
      colors.try_emplace(reader.text(material, "name"),
                         std::array{(*rgba)[0], (*rgba)[1], (*rgba)[2], (*rgba)[3]});
    }
  };
  // materials of the robot take precedence over those inside links
  for (const int material : xml.children(0, "material")) read(material);
  for (const int link : xml.children(0, "link")) {
    for (const int visual : xml.children(link, "visual")) {
      if (const int material = xml.child(visual, "material"); material >= 0) read(material);
    }
  }
  reader.severity = Severity::error;
  return colors;
}

void color_shapes(ParsedRobot& robot, const Colors& colors) {
  for (ParsedLink& link : robot.links) {
    for (Visual& visual : link.visuals) {
      if (const auto found = colors.find(visual.color); found != colors.end()) {
        visual.rgba = found->second;
      } else if (!visual.color.empty()) {
        robot.report(Severity::information, link, "material-unknown",
                     fmt::format("material '{}' has no color", shortened(visual.color)), "");
      }
    }
    for (MeshVisual& mesh : link.meshes) {
      if (const auto found = colors.find(mesh.color); found != colors.end())
        mesh.rgba = found->second;
    }
  }
}

}  // namespace dynamics::urdf_reader
