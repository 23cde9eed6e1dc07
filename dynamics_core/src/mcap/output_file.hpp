// SPDX-License-Identifier: Apache-2.0
#pragma once

// A file that is written from start to end, without a buffer: what append() got is in the hands of
// the operating system and survives the end of the process.

#include <cstdint>
#include <string>
#include <string_view>

namespace dynamics::mcap {

class OutputFile {
 public:
  /// Creates the file, or empties it. Throws StateError with the reason; `name`: in messages.
  OutputFile(const std::string& path, std::string name);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void append(std::string_view bytes);
  void close();
  std::uint64_t size() const { return size_; }

 private:
  [[noreturn]] void fail(int error) const;

  std::string name_;
  int file_;
  std::uint64_t size_ = 0;
};

}  // namespace dynamics::mcap
