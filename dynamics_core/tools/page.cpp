// SPDX-License-Identifier: Apache-2.0
#include "page.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "defer_signals.hpp"
#include "robot.hpp"

namespace dynamics::tools {
namespace {

namespace fs = std::filesystem;

/// Candidate paths of viewer.html of the package dynamics_viewer: DYNAMICS_VIEWER alone if it is
/// set.
std::vector<fs::path> template_paths() {
  std::vector<fs::path> paths;
  if (const char* given = std::getenv("DYNAMICS_VIEWER")) return {fs::path(given)};
  const fs::path inside = fs::path("share") / "dynamics_viewer" / "viewer.html";
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    const fs::path prefix = program.parent_path().parent_path();
    paths.push_back(prefix / inside);                                    // merged install
    paths.push_back(prefix.parent_path() / "dynamics_viewer" / inside);  // isolated install
  }
  if (const char* prefixes = std::getenv("AMENT_PREFIX_PATH")) {
    std::string_view rest = prefixes;
    while (!rest.empty()) {
      const auto colon = rest.find(':');
      paths.push_back(fs::path(rest.substr(0, colon)) / inside);
      rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
    }
  }
  return paths;
}

std::string load_template(const std::string& path) {
  for (const fs::path& candidate : template_paths()) {
    std::error_code error;
    if (fs::is_regular_file(candidate, error)) return read_file(candidate.string());
  }
  throw InputError(path +
                   ": the template viewer.html is not installed: build the package dynamics_viewer "
                   "(it needs Node.js with npm), or choose .csv, .json or .mcap");
}

/// The extension; "/" for a folder with an MCAP file.
std::string suffix(const std::string& path) {
  return path.ends_with('/') ? "/" : fs::path(path).extension().string();
}

/// The folder that must exist.
fs::path folder_of(const std::string& path) {
  fs::path folder = fs::path(path).parent_path();
  if (path.ends_with('/')) folder = folder.parent_path();
  return folder.empty() ? fs::path(path.starts_with('/') ? "/" : ".") : folder;
}

}  // namespace

RunOutputs::RunOutputs(std::vector<std::string> paths, const std::string& compare,
                       std::string meshes)
    : paths_(std::move(paths)), compare_("null"), meshes_(std::move(meshes)) {
  for (const std::string& path : paths_) {
    const std::string kind = suffix(path);
    if (kind != ".csv" && kind != ".json" && kind != ".html" && kind != ".mcap" && kind != "/") {
      throw InputError(fmt::format(
          "--output {}: the name must end in .csv, .json, .mcap, .html or / (a folder with an MCAP "
          "file and metadata.yaml)",
          path));
    }
    const fs::path folder = folder_of(path);
    std::error_code error;
    if (kind == "/" && fs::exists(path, error)) {
      throw InputError(
          fmt::format("--output {}: exists already: remove it or choose another name", path));
    }
    if (!fs::is_directory(folder, error)) {
      throw InputError(
          fmt::format("--output {}: the folder {} does not exist", path, folder.string()));
    }
    if (kind == ".html" && template_.empty()) template_ = load_template(path);
  }
  if (compare.empty()) return;
  if (template_.empty()) throw InputError("--compare: requires an --output that ends in .html");
  compare_ = read_file(compare);
  const auto other = nlohmann::json::parse(compare_, nullptr, false);
  if (other.is_discarded() || !other.is_object() || other.value("format", "") != "dynamics-run") {
    throw InputError(
        fmt::format("--compare {}: is not a run written with --output F.json", compare));
  }
}

void RunOutputs::write(const Recording& recording) const {
  const DeferSignals defer_signals;
  for (const std::string& path : paths_) {
    const std::string kind = suffix(path);
    if (kind == ".csv") {
      write_file(path, to_csv(recording));
    } else if (kind == ".json") {
      write_file(path, to_json(recording) + "\n");
    } else if (kind == ".mcap" || kind == "/") {
      write_mcap(path, recording);
    } else {
      write_file(path, to_page(recording, template_, {compare_, meshes_}));
    }
  }
}

void RunOutputs::write_pages(const std::string& run, const std::string& compare) const {
  const DeferSignals defer_signals;
  for (const std::string& path : paths_)
    write_file(path, to_page(run, template_, {compare, meshes_}));
}

}  // namespace dynamics::tools
