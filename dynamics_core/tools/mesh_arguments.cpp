// SPDX-License-Identifier: Apache-2.0
#include "mesh_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "command.hpp"
#include "meshes/embedded_meshes.hpp"

namespace dynamics::tools {
namespace {

std::map<std::string, std::filesystem::path> package_folders(
    const std::vector<std::string>& given) {
  std::map<std::string, std::filesystem::path> folders;
  for (const std::string& text : given) {
    const std::size_t equal = text.find('=');
    if (equal == std::string::npos || equal == 0 || equal + 1 == text.size())
      throw InputError(fmt::format("--package {}: expected NAME=FOLDER", text));
    const std::string name = text.substr(0, equal), folder = text.substr(equal + 1);
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error))
      throw InputError(fmt::format("--package {}: the folder {} does not exist", name, folder));
    if (!folders.emplace(name, folder).second)
      throw InputError(fmt::format("--package {}: the package is given twice", name));
  }
  return folders;
}

Note mesh_warning(const meshes::MeshNote& about, const char* consequence) {
  return {Note::Severity::warning, "link '" + about.link + "'", about.message + consequence};
}

}  // namespace

std::vector<CLI::Option*> MeshArguments::add_to(CLI::App& command) {
  auto* embed = command.add_flag("--meshes", meshes,
                                 "draw the STL, OBJ and DAE meshes of the URDF in the page; reads "
                                 "files in packages only (--package, ROS package index)");
  auto* package =
      command
          .add_option("--package", packages, "NAME=FOLDER of package://NAME/...; may be repeated")
          ->take_all()
          ->needs(embed);
  return {embed, package};
}

std::string MeshArguments::load(Robot& robot, const std::vector<std::string>& outputs) const {
  if (!meshes) return "null";
  const bool page = std::any_of(outputs.begin(), outputs.end(),
                                [](const std::string& path) { return path.ends_with(".html"); });
  if (!page) throw InputError("--meshes: requires an --output that ends in .html");
  const meshes::PackageFolders packages_of_robot(
      package_folders(packages), meshes::ament_prefixes(),
      std::filesystem::absolute(robot.argument).parent_path());
  const auto embedded = meshes::embed_meshes(robot.model.description(), packages_of_robot);
  std::vector<Note> notes;
  for (const auto& problem : embedded.problems)
    notes.push_back(mesh_warning(problem, "; the page draws the link without it"));
  for (const auto& note : embedded.simplified) notes.push_back(mesh_warning(note, ""));
  if (embedded.meshes == 0 && embedded.problems.empty()) {
    notes.push_back({Note::Severity::warning, "robot '" + robot.model.name() + "'",
                     "has no meshes: --meshes has no effect"});
  }
  report_warnings(robot, notes);
  if (embedded.meshes > 0) {
    fmt::print(stderr, "{} mesh{} in the page: {:.2f} MB{}\n", embedded.meshes,
               embedded.meshes == 1 ? "" : "es", 1e-6 * static_cast<double>(embedded.page_bytes),
               embedded.rounded == 0 ? std::string()
                                     : fmt::format(", {} of them without normals and with rounded "
                                                   "coordinates",
                                                   embedded.rounded));
  }
  return embedded.json;
}

}  // namespace dynamics::tools
