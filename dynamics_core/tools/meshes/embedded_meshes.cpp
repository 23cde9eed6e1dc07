// SPDX-License-Identifier: Apache-2.0
#include "meshes/embedded_meshes.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "base/base64.hpp"
#include "meshes/mesh.hpp"
#include "meshes/text_scanner.hpp"

namespace dynamics::meshes {
namespace {

/// Steps of reduction: 0 as it is, 1 rounded, then grids of so many cubes along the diagonal.
constexpr std::array grids = {0, 0, 1024, 512, 256, 128, 64};

std::string compressed(std::string_view bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string result(size, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(result.data()), &size,
                               reinterpret_cast<const Bytef*>(bytes.data()),
                               static_cast<uLong>(bytes.size()), Z_DEFAULT_COMPRESSION);
  if (status != Z_OK) throw MeshError("cannot be compressed");
  result.resize(size);
  return result;
}

/// A file of the URDF, and its state of reduction.
class EmbeddedFile {
 public:
  EmbeddedFile(std::string filename, const PackageFolders& packages, const MeshBounds& bounds,
               std::size_t& total_bytes)
      : name(std::move(filename)), rounding_(bounds.rounding) {
    const auto format = format_of(name);
    if (!format) throw MeshError("is not supported: the name must end in .stl, .obj or .dae");
    format_ = *format;
    const PackageFile file = packages.find(name);
    original_ = read_inside(file, bounds.file_bytes);
    total_bytes += original_.size();
    if (total_bytes > bounds.total_bytes) {
      throw MeshError(
          fmt::format("is too large: all meshes may have {} bytes together", bounds.total_bytes));
    }
    const Mesh mesh = read_mesh(format_, original_);
    triangles = all_triangles = triangle_count(mesh);
    for (const std::string& materials : mesh.material_files)
      read_materials(file, materials, bounds.material_bytes);
    const std::string bytes =
        mesh.must_be_rewritten ? write_mesh(format_, original_, mesh, 0.0) : original_;
    data_ = base64(compressed(bytes));
  }

  bool can_be_reduced() const { return step_ + 1 < grids.size(); }

  /// Makes the embedded file smaller, if the next step does.
  void reduce() {
    ++step_;
    const Mesh mesh = read_mesh(format_, original_);
    const double size = diagonal(mesh), rounding = size * rounding_;
    const double cell = grids[step_] == 0 ? rounding : size / grids[step_];
    const Mesh smaller = simplified(mesh, cell);
    if (triangle_count(smaller) == 0) return;
    std::string data = base64(compressed(write_mesh(format_, original_, smaller, rounding)));
    if (data.size() >= data_.size()) return;
    data_ = std::move(data);
    used_step_ = step_;
    triangles = triangle_count(smaller);
  }

  std::size_t page_bytes() const { return data_.size() + materials_.size(); }
  bool is_rounded() const { return used_step_ > 0; }
  /// Number of cubes along the diagonal of the grid on which points are merged; 0: not merged.
  int grid() const { return grids[used_step_]; }

  nlohmann::json json() const {
    nlohmann::json object = {{"format", to_string(format_)}, {"data", data_}};
    if (!materials_.empty()) object["materials"] = materials_;
    return object;
  }

  const std::string name;
  std::vector<std::string> links;
  std::string materials_problem;
  std::size_t triangles = 0, all_triangles = 0;

 private:
  void read_materials(const PackageFile& mesh, const std::string& materials,
                      std::size_t most_bytes) {
    try {
      const PackageFile file = {mesh.root, mesh.relative.parent_path() / materials};
      materials_ += colors_of_materials(read_inside(file, most_bytes));
    } catch (const MeshError& error) {
      materials_problem = fmt::format("material file {} {}; the mesh has the color of the URDF",
                                      in_quotes(materials), error.what());
    }
  }

  double rounding_;
  Format format_ = Format::stl;
  std::string original_, data_, materials_;
  std::size_t step_ = 0, used_step_ = 0;
};

std::string about(const std::string& filename, const std::string& what) {
  return fmt::format("mesh '{}': {}", filename, what);
}

class Embedding {
 public:
  explicit Embedding(const MeshBounds& bounds) : bounds_(bounds) {}

  void read(const RobotDescription& robot, const PackageFolders& packages) {
    std::size_t total_bytes = 0;
    std::set<std::pair<std::string, std::string>> known;  // a link may use a file several times
    for (const LinkDescription& link : robot.links) {
      for (const MeshVisual& visual : link.meshes) {
        if (!known.emplace(link.name, visual.filename).second) continue;
        if (const auto failed = failures_.find(visual.filename); failed != failures_.end()) {
          leave_out(link.name, visual.filename, failed->second);
          continue;
        }
        const auto used = std::find_if(files_.begin(), files_.end(), [&](const auto& file) {
          return file->name == visual.filename;
        });
        if (used != files_.end()) {
          (*used)->links.push_back(link.name);
          continue;
        }
        try {
          files_.push_back(
              std::make_unique<EmbeddedFile>(visual.filename, packages, bounds_, total_bytes));
          files_.back()->links.push_back(link.name);
        } catch (const MeshError& error) {
          failures_.emplace(visual.filename, error.what());
          leave_out(link.name, visual.filename, error.what());
        }
      }
    }
  }

  void reduce() {
    while (page_bytes() > bounds_.page_bytes) {
      const auto larger = [](const auto& a, const auto& b) {
        // a file that cannot be reduced comes last
        return std::pair(a->can_be_reduced(), a->page_bytes()) <
               std::pair(b->can_be_reduced(), b->page_bytes());
      };
      const auto largest = std::max_element(files_.begin(), files_.end(), larger);
      if ((*largest)->can_be_reduced()) {
        (*largest)->reduce();
        continue;
      }
      for (const std::string& link : (*largest)->links) {
        leave_out(link, (*largest)->name,
                  fmt::format("is too large: all meshes may have {} bytes in the page",
                              bounds_.page_bytes));
      }
      files_.erase(largest);
    }
  }

  EmbeddedMeshes finish() {
    nlohmann::json files = nlohmann::json::object(), problems = nlohmann::json::array();
    for (const auto& file : files_) {
      files[file->name] = file->json();
      if (file->is_rounded()) ++result_.rounded;
      for (const std::string& link : file->links) {
        if (file->grid() > 0) {
          note(link, file->name,
               fmt::format("simplified to {} of {} triangles; points moved by at most {:.2g} % of "
                           "its size",
                           file->triangles, file->all_triangles, 100.0 * 1.7321 / file->grid()));
        }
        if (!file->materials_problem.empty()) note(link, file->name, file->materials_problem);
      }
    }
    for (const MeshNote& problem : result_.problems)
      problems.push_back(fmt::format("link '{}': {}", problem.link, problem.message));
    result_.meshes = files_.size();
    result_.page_bytes = page_bytes();
    result_.json = nlohmann::json{{"files", files}, {"problems", problems}}.dump(
        -1, ' ', false, nlohmann::json::error_handler_t::replace);
    return std::move(result_);
  }

 private:
  std::size_t page_bytes() const {
    std::size_t sum = 0;
    for (const auto& file : files_) sum += file->page_bytes();
    return sum;
  }
  void leave_out(const std::string& link, const std::string& filename, const std::string& why) {
    result_.problems.push_back({link, about(filename, why)});
  }
  void note(const std::string& link, const std::string& filename, const std::string& what) {
    result_.simplified.push_back({link, about(filename, what)});
  }

  MeshBounds bounds_;
  std::vector<std::unique_ptr<EmbeddedFile>> files_;
  std::map<std::string, std::string> failures_;  ///< reasons by file name
  EmbeddedMeshes result_;
};

}  // namespace

EmbeddedMeshes embed_meshes(const RobotDescription& robot, const PackageFolders& packages,
                            const MeshBounds& bounds) {
  Embedding embedding(bounds);
  embedding.read(robot, packages);
  embedding.reduce();
  return embedding.finish();
}

}  // namespace dynamics::meshes
