// SPDX-License-Identifier: Apache-2.0
#include "meshes/package_folders.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "meshes/text_scanner.hpp"

namespace dynamics::meshes {
namespace {

namespace fs = std::filesystem;

std::string error_text() { return std::generic_category().message(errno); }

/// Path of `inside` relative to `folder`; empty if it is not inside. Both without links and "..".
fs::path path_below(const fs::path& folder, const fs::path& inside) {
  fs::path relative = inside.lexically_relative(folder);
  if (relative.empty() || relative == "." || *relative.begin() == "..") return {};
  return relative;
}

/// Decodes %20 and others, as in URIs.
std::string decoded(std::string_view uri) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  std::string text;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    const bool code =
        uri[i] == '%' && i + 2 < uri.size() && digit(uri[i + 1]) >= 0 && digit(uri[i + 2]) >= 0;
    text += code ? static_cast<char>(16 * digit(uri[i + 1]) + digit(uri[i + 2])) : uri[i];
    if (code) i += 2;
  }
  return text;
}

/// A file descriptor that is closed at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { reset(-1); }
  void reset(int number) {
    if (number_ >= 0) ::close(number_);
    number_ = number;
  }
  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_;
};

std::string read_all(const Descriptor& file, std::size_t most_bytes) {
  std::string bytes;
  std::size_t size = 0;
  while (true) {
    bytes.resize(size + (1u << 20));
    const ssize_t count = ::read(file.get(), bytes.data() + size, bytes.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw MeshError("cannot be read: " + error_text());
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
    if (size > most_bytes)
      throw MeshError(fmt::format("is too large: the maximum is {} bytes", most_bytes));
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

std::vector<fs::path> ament_prefixes() {
  std::vector<fs::path> prefixes;
  const char* given = std::getenv("AMENT_PREFIX_PATH");
  std::string_view rest = given == nullptr ? "" : given;
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    if (colon != 0) prefixes.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(colon == rest.npos ? rest.size() : colon + 1);
  }
  return prefixes;
}

PackageFolders::PackageFolders(std::map<std::string, fs::path> folders,
                               std::vector<fs::path> prefixes, fs::path relative_to)
    : folders_(std::move(folders)),
      prefixes_(std::move(prefixes)),
      relative_to_(std::move(relative_to)) {}

fs::path PackageFolders::folder_of(const std::string& package) const {
  if (const auto given = folders_.find(package); given != folders_.end()) return given->second;
  std::error_code error;
  for (const fs::path& prefix : prefixes_) {
    const fs::path share = prefix / "share";
    if (fs::exists(share / "ament_index/resource_index/packages" / package, error))
      return share / package;
  }
  return {};
}

PackageFile PackageFolders::find_path(const fs::path& path) const {
  // links in folders before the package must not matter: /tmp may be one
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  for (const auto& [name, folder] : folders_) {
    const fs::path root = fs::canonical(folder, error);
    if (error) continue;
    if (const fs::path relative = path_below(root, real); !relative.empty())
      return {root, relative};
  }
  for (const fs::path& prefix : prefixes_) {
    const fs::path share = fs::canonical(prefix / "share", error);
    const fs::path relative = error ? fs::path() : path_below(share, real);
    if (relative.empty()) continue;
    const fs::path root = folder_of(relative.begin()->string());
    if (root.empty()) continue;
    if (const fs::path inside = path_below(fs::canonical(root, error), real); !inside.empty())
      return {root, inside};
  }
  throw MeshError("is outside of all packages: name its folder by --package NAME=FOLDER");
}

PackageFile PackageFolders::find(const std::string& filename) const {
  constexpr std::string_view package_scheme = "package://", file_scheme = "file://";
  if (filename.find('\0') != filename.npos || filename.find("%00") != filename.npos)
    throw MeshError("has a zero byte in its name");
  if (filename.starts_with(package_scheme)) {
    const std::string rest = decoded(std::string_view(filename).substr(package_scheme.size()));
    const std::size_t slash = rest.find('/');
    const std::string name = rest.substr(0, slash);
    if (name.empty() || name == "." || name == ".." || slash == rest.npos)
      throw MeshError("names no package: expected package://NAME/PATH");
    const fs::path root = folder_of(name);
    if (root.empty()) {
      throw MeshError(fmt::format(
          "package {} is neither given by --package NAME=FOLDER nor in the ROS package index",
          in_quotes(name)));
    }
    // a second '/' must not make the path absolute
    return {root, fs::path(rest.substr(slash + 1)).relative_path()};
  }
  if (filename.starts_with(file_scheme)) {
    const std::string path = decoded(std::string_view(filename).substr(file_scheme.size()));
    if (!path.starts_with('/')) throw MeshError("names a host: expected file:///PATH");
    return find_path(path);
  }
  if (const std::size_t colon = filename.find("://"); colon != filename.npos) {
    throw MeshError(fmt::format("scheme {} is not supported: use package:// or file://",
                                in_quotes(filename.substr(0, colon))));
  }
  return find_path(relative_to_ / filename);
}

std::string read_inside(const PackageFile& file, std::size_t most_bytes) {
  std::error_code error;
  const fs::path root = fs::canonical(file.root, error);
  if (error) throw MeshError("the folder of its package cannot be read: " + error.message());
  const fs::path real = fs::canonical(root / file.relative, error);
  if (error) throw MeshError("cannot be read: " + error.message());
  const fs::path inside = path_below(root, real);
  if (inside.empty()) {
    throw MeshError(
        "is outside of its package, by '..' or a symbolic link: name the folder of the file by "
        "--package NAME=FOLDER");
  }
  // `inside` has no links. Should one appear meanwhile, O_NOFOLLOW refuses it.
  Descriptor folder(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (const fs::path& part : inside.parent_path()) {
    if (!folder) break;
    folder.reset(
        ::openat(folder.get(), part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  const std::string name = inside.filename().string();
  struct stat status {};
  if (!folder || ::fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    throw MeshError("cannot be read: " + error_text());
  // before it is opened: opening a device may have effects
  if (!S_ISREG(status.st_mode)) throw MeshError("is not a regular file");
  const Descriptor open(
      ::openat(folder.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!open || ::fstat(open.get(), &status) != 0)
    throw MeshError("cannot be read: " + error_text());
  if (!S_ISREG(status.st_mode)) throw MeshError("is not a regular file");
  if (static_cast<std::uint64_t>(status.st_size) > most_bytes) {
    throw MeshError(
        fmt::format("is too large: {} bytes, the maximum is {}", status.st_size, most_bytes));
  }
  return read_all(open, most_bytes);
}

}  // namespace dynamics::meshes
