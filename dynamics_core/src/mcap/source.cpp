// SPDX-License-Identifier: Apache-2.0
#include "mcap/source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "dynamics_core/error.hpp"

namespace dynamics::mcap {
namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 20;

}  // namespace

FileSource::FileSource(std::string path)
    : path_(std::move(path)), file_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (file_ < 0) {
    throw ParseError(path_, "cannot be read: " + std::generic_category().message(errno));
  }
  struct stat status {};
  if (::fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(file_);
    throw ParseError(path_, "is not a regular file");
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

FileSource::~FileSource() { ::close(file_); }

std::string_view FileSource::view(std::uint64_t offset, std::size_t count) {
  if (offset < start_ || offset + count > start_ + filled_) {
    const std::size_t wanted = static_cast<std::size_t>(
        std::min<std::uint64_t>(std::max(count, buffer_size), size_ - offset));
    if (buffer_.size() < wanted) buffer_.resize(wanted);
    start_ = offset;
    filled_ = 0;
    while (filled_ < wanted) {
      const ssize_t got = ::pread(file_, buffer_.data() + filled_, wanted - filled_,
                                  static_cast<off_t>(offset + filled_));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) {
        throw ParseError(fmt::format("{}: offset {}", path_, offset + filled_),
                         "cannot be read: " + std::generic_category().message(errno));
      }
      if (got == 0) break;
      filled_ += static_cast<std::size_t>(got);
    }
    if (filled_ < count) {
      throw ParseError(fmt::format("{}: offset {}", path_, offset + filled_),
                       "the file became shorter while it was read");
    }
  }
  return std::string_view(buffer_).substr(static_cast<std::size_t>(offset - start_), count);
}

}  // namespace dynamics::mcap
