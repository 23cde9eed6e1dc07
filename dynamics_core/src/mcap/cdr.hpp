// SPDX-License-Identifier: Apache-2.0
#pragma once

// CDR, the serialization of ROS 2 messages: a header of four bytes, then the fields, each aligned
// to its size from the end of the header.
//
//   CdrWriter cdr;
//   cdr.i32(stamp.sec).u32(stamp.nanosec).text("base").numbers(positions);
//   writer.write(channel, time, cdr.data());
//
// Written: little endian, XCDR1 (the default of ROS 2). Read: XCDR1 in both byte orders.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mcap/bytes.hpp"

namespace dynamics::mcap {

class CdrWriter {
 public:
  CdrWriter() { clear(); }

  /// Begins another message; keeps the memory.
  void clear();
  const std::string& data() const { return data_; }

  CdrWriter& u8(std::uint8_t value) { return number(value); }
  CdrWriter& i32(std::int32_t value) { return number(value); }
  CdrWriter& u32(std::uint32_t value) { return number(value); }
  CdrWriter& f64(double value) { return number(value); }
  CdrWriter& text(std::string_view value);
  CdrWriter& numbers(std::span<const double> values);
  /// builtin_interfaces/Time or Duration of nanoseconds.
  CdrWriter& time(std::int64_t nanoseconds);

 private:
  template <class Number>
  CdrWriter& number(Number value) {
    align(sizeof(Number));
    char raw[sizeof(Number)];
    std::memcpy(raw, &value, sizeof(Number));
    data_.append(raw, sizeof(Number));
    return *this;
  }
  void align(std::size_t size);

  std::string data_;
};

/// Throws ParseError with file and offset at the end of the message, and for lengths beyond it.
class CdrReader {
 public:
  /// `offset`: of the message's data in the file or in the records of its chunk. The origin must
  /// outlive the reader.
  CdrReader(std::string_view data, const Origin& origin, std::uint64_t offset);

  std::int32_t i32() { return number<std::int32_t>(); }
  std::uint32_t u32() { return number<std::uint32_t>(); }
  double f64() { return number<double>(); }
  /// A view of the message.
  std::string_view text();
  void numbers(std::vector<double>& values);
  void texts(std::vector<std::string_view>& values);
  /// Nanoseconds of a builtin_interfaces/Time or Duration.
  std::int64_t time();
  /// Number of entries of a sequence whose entries have at least `least` bytes.
  std::uint32_t count(std::size_t least);

  [[noreturn]] void fail(const std::string& message) const;

 private:
  template <class Number>
  Number number();
  void align(std::size_t size);
  std::string_view take(std::size_t size);

  std::string_view data_;
  const Origin* origin_;
  std::uint64_t offset_;
  std::size_t at_ = 4;
  bool swap_ = false;
};

}  // namespace dynamics::mcap
