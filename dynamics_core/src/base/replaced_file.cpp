// SPDX-License-Identifier: Apache-2.0
#include "base/replaced_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "dynamics_core/error.hpp"

namespace dynamics {

namespace fs = std::filesystem;

ReplacedFile::ReplacedFile(const std::string& path) : given_(path), target_(path) {
  std::error_code error;
  if (fs::is_directory(path, error)) throw ArgumentError(path, "is a folder; name a file");
  const fs::path name(path);
  const fs::path folder = name.has_parent_path() ? name.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error)) {
    throw ArgumentError(path, "the folder " + folder.string() + " does not exist");
  }
  if (fs::exists(path, error)) {
    if (!fs::is_regular_file(path, error)) {
      temporary_ = target_;
      pending_ = false;
      return;
    }
    if (::access(path.c_str(), W_OK) != 0) {
      throw StateError(path, "cannot be written: " + std::generic_category().message(errno));
    }
    target_ = fs::canonical(path, error).string();  // follow symbolic links
  }
  // unique per process: two processes may write the same file
  temporary_ = target_ + ".part" + std::to_string(::getpid());
}

ReplacedFile::~ReplacedFile() {
  std::error_code ignored;
  if (pending_) fs::remove(temporary_, ignored);
}

void ReplacedFile::commit() {
  if (!pending_) return;
  std::error_code error;
  fs::rename(temporary_, target_, error);
  if (error) throw StateError(given_, error.message());
  pending_ = false;
}

}  // namespace dynamics
