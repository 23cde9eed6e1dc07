// SPDX-License-Identifier: Apache-2.0
#pragma once

// Source: the bytes of a file, read in pieces, or of a text in memory.

#include <cstdint>
#include <string>
#include <string_view>

namespace dynamics::mcap {

class Source {
 public:
  virtual ~Source() = default;
  virtual std::uint64_t size() const = 0;
  /// `count` bytes from `offset`, which must be within the file. Valid until the next call.
  virtual std::string_view view(std::uint64_t offset, std::size_t count) = 0;
};

/// Bytes in memory; they must outlive the source.
class MemorySource final : public Source {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  std::string_view view(std::uint64_t offset, std::size_t count) override {
    return bytes_.substr(static_cast<std::size_t>(offset), count);
  }

 private:
  std::string_view bytes_;
};

/// A regular file, read through a buffer of 1 MiB, or of the largest view.
class FileSource final : public Source {
 public:
  /// Throws ParseError if the file cannot be read.
  explicit FileSource(std::string path);
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  std::uint64_t size() const override { return size_; }
  std::string_view view(std::uint64_t offset, std::size_t count) override;

 private:
  std::string path_;
  int file_;
  std::uint64_t size_ = 0;
  std::string buffer_;
  std::uint64_t start_ = 0;  ///< offset of the buffer in the file
  std::size_t filled_ = 0;
};

}  // namespace dynamics::mcap
