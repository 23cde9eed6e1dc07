// SPDX-License-Identifier: Apache-2.0
#pragma once

// Logs of rows: a first line, then records of one row each. Case numbers increase within a log. A
// process that is killed while it appends leaves an incomplete last record, which is not read.
//
//   dynamics-study-rows 1 FINGERPRINT INSTRUCTION_SET VALUES\n
//   uint32 size | uint32 CRC-32 of what follows | uint64 case | double values[VALUES] | error text

#include <cstdio>
#include <memory>
#include <string>

#include "dynamics_core/study.hpp"

namespace dynamics::study {

/// The first line of a log.
std::string log_header(const Study& study);

/// Reads a log row by row.
class LogReader {
 public:
  /// Throws ArgumentError for a file that is not a log of this study, or of rows that another
  /// instruction set computed; StateError if it cannot be read.
  LogReader(std::string path, const Study& study);

  /// Reads the next row. False at the end.
  bool next();
  /// Reads the next case number only. False at the end.
  bool next_number();
  const StudyRow& row() const { return row_; }

 private:
  bool read_record();
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_, record_;
  std::unique_ptr<std::FILE, Close> file_;
  std::size_t width_;
  StudyRow row_;
};

}  // namespace dynamics::study
