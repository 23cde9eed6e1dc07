// SPDX-License-Identifier: Apache-2.0
#pragma once

// Little-endian numbers and strings with a length in front, as MCAP stores them.
//
//   std::string record;
//   ByteWriter(record).u16(7).text("/joint_states");
//   const Origin origin{"run.mcap"};
//   ByteReader reader(record, origin, 0);
//   const std::uint16_t id = reader.u16();  // throws ParseError with file and offset at the end

#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace dynamics::mcap {

static_assert(std::endian::native == std::endian::little);

/// Where bytes come from, for messages.
struct Origin {
  std::string file;
  std::optional<std::uint64_t> chunk = {};  ///< offset of the chunk that the bytes were unpacked of

  /// Throws ParseError: "FILE: offset N: message", or "FILE: offset C (byte N of its records):
  /// ...".
  [[noreturn]] void fail(std::uint64_t offset, const std::string& message) const;
};

/// Appends to a string.
class ByteWriter {
 public:
  explicit ByteWriter(std::string& out) : out_(out) {}

  ByteWriter& u8(std::uint8_t value) { return number(value); }
  ByteWriter& u16(std::uint16_t value) { return number(value); }
  ByteWriter& u32(std::uint32_t value) { return number(value); }
  ByteWriter& u64(std::uint64_t value) { return number(value); }
  ByteWriter& bytes(std::string_view data) {
    out_.append(data);
    return *this;
  }
  /// u32 length, then the bytes. Throws ArgumentError for more than 4 GiB.
  ByteWriter& text(std::string_view data);
  /// u32 length in bytes, then keys and values.
  ByteWriter& map(const std::map<std::string, std::string>& entries);

 private:
  template <class Number>
  ByteWriter& number(Number value) {
    char raw[sizeof(Number)];
    std::memcpy(raw, &value, sizeof(Number));
    out_.append(raw, sizeof(Number));
    return *this;
  }

  std::string& out_;
};

/// Reads from a view. Every function throws ParseError at the end of the bytes.
class ByteReader {
 public:
  /// `offset`: position of the first byte in the file, or in the records of a chunk. The origin
  /// must outlive the reader.
  ByteReader(std::string_view bytes, const Origin& origin, std::uint64_t offset)
      : bytes_(bytes), origin_(&origin), offset_(offset) {}

  std::uint8_t u8() { return number<std::uint8_t>(); }
  std::uint16_t u16() { return number<std::uint16_t>(); }
  std::uint32_t u32() { return number<std::uint32_t>(); }
  std::uint64_t u64() { return number<std::uint64_t>(); }
  std::string_view bytes(std::uint64_t count) {
    if (count > bytes_.size() - at_) short_of(count);
    const std::string_view result = bytes_.substr(at_, static_cast<std::size_t>(count));
    at_ += static_cast<std::size_t>(count);
    return result;
  }
  /// u32 length, then the bytes.
  std::string_view text() { return bytes(u32()); }
  std::map<std::string, std::string> map();

  std::size_t remaining() const { return bytes_.size() - at_; }
  std::string_view rest() { return bytes(remaining()); }
  std::uint64_t offset() const { return offset_ + at_; }
  [[noreturn]] void fail(const std::string& message) const { origin_->fail(offset(), message); }

 private:
  template <class Number>
  Number number() {
    Number value;
    std::memcpy(&value, bytes(sizeof(Number)).data(), sizeof(Number));
    return value;
  }
  [[noreturn]] void short_of(std::uint64_t count) const;

  std::string_view bytes_;
  const Origin* origin_;
  std::uint64_t offset_;
  std::size_t at_ = 0;
};

}  // namespace dynamics::mcap
