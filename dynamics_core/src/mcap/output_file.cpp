// SPDX-License-Identifier: Apache-2.0
#include "mcap/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "dynamics_core/error.hpp"

namespace dynamics::mcap {

OutputFile::OutputFile(const std::string& path, std::string name)
    : name_(std::move(name)),
      file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (file_ < 0) fail(errno);
}

OutputFile::~OutputFile() {
  if (file_ >= 0) ::close(file_);
}

void OutputFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
    size_ += static_cast<std::uint64_t>(count);
  }
}

void OutputFile::close() {
  if (file_ < 0) return;
  if (::close(std::exchange(file_, -1)) != 0) fail(errno);
}

void OutputFile::fail(int error) const {
  throw StateError(name_, "cannot be written: " + std::generic_category().message(error));
}

}  // namespace dynamics::mcap
