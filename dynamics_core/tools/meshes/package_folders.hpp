// SPDX-License-Identifier: Apache-2.0
#pragma once

// Finds and reads the files that a URDF names. Only files inside packages are opened: those named
// by the user and those of the ROS package index.
//
//   const PackageFolders packages({{"arm_description", "/home/me/arm_description"}},
//                                 ament_prefixes(), "/home/me/arm_description/urdf");
//   const PackageFile file = packages.find("package://arm_description/meshes/base.stl");
//   const std::string bytes = read_inside(file, 64u << 20);
//
// A file outside, also by ".." or a symbolic link, is refused before it is opened.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace dynamics::meshes {

/// A file in a package.
struct PackageFile {
  std::filesystem::path root;      ///< folder of the package
  std::filesystem::path relative;  ///< path in this folder, as given; may leave it by ".."
};

/// Prefixes of the ROS package index, from AMENT_PREFIX_PATH.
std::vector<std::filesystem::path> ament_prefixes();

class PackageFolders {
 public:
  /// `folders`: by package name, they take precedence over the index. `relative_to`: folder for
  /// names without a scheme and a leading '/'.
  PackageFolders(std::map<std::string, std::filesystem::path> folders,
                 std::vector<std::filesystem::path> prefixes, std::filesystem::path relative_to);

  /// The file that a name in a URDF means: package://NAME/PATH, file:///PATH or a path. Throws
  /// MeshError for other schemes, an unknown package, and a path that is in no package.
  PackageFile find(const std::string& filename) const;

 private:
  std::filesystem::path folder_of(const std::string& package) const;
  PackageFile find_path(const std::filesystem::path& path) const;

  std::map<std::string, std::filesystem::path> folders_;
  std::vector<std::filesystem::path> prefixes_;
  std::filesystem::path relative_to_;
};

/// The bytes of a regular file inside the package. Throws MeshError if it does not exist, is
/// outside of the package, is not a regular file, cannot be read, or has more than `most_bytes`
/// bytes.
std::string read_inside(const PackageFile& file, std::size_t most_bytes);

}  // namespace dynamics::meshes
