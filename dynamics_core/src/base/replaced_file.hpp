// SPDX-License-Identifier: Apache-2.0
#pragma once

// ReplacedFile: a file that is written under a temporary name in the same folder and takes its name
// when it is complete.
//
//   ReplacedFile file("run.csv");
//   write(file.path(), text);
//   file.commit();  // without it the destructor removes the temporary file

#include <string>

namespace dynamics {

class ReplacedFile {
 public:
  /// Throws ArgumentError for a path that cannot be a file, StateError if it may not be written.
  explicit ReplacedFile(const std::string& path);
  ~ReplacedFile();
  ReplacedFile(const ReplacedFile&) = delete;
  ReplacedFile& operator=(const ReplacedFile&) = delete;

  /// Where to write: NAME.partPID; the name itself for pipes and devices.
  const std::string& path() const { return temporary_; }
  /// Renames. Throws StateError.
  void commit();

 private:
  std::string given_, target_, temporary_;
  bool pending_ = true;
};

}  // namespace dynamics
