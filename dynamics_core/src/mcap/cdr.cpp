// SPDX-License-Identifier: Apache-2.0
#include "mcap/cdr.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "dynamics_core/error.hpp"

namespace dynamics::mcap {
namespace {

constexpr std::size_t cdr_header = 4;
constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;

}  // namespace

void CdrWriter::clear() {
  constexpr std::string_view little_endian("\0\1\0\0", cdr_header);
  data_.assign(little_endian);
}

void CdrWriter::align(std::size_t size) {
  const std::size_t over = (data_.size() - cdr_header) % size;
  if (over > 0) data_.append(size - over, '\0');
}

CdrWriter& CdrWriter::text(std::string_view value) {
  u32(static_cast<std::uint32_t>(value.size() + 1));
  data_.append(value);
  data_.push_back('\0');
  return *this;
}

CdrWriter& CdrWriter::numbers(std::span<const double> values) {
  u32(static_cast<std::uint32_t>(values.size()));
  for (const double value : values) f64(value);
  return *this;
}

CdrWriter& CdrWriter::time(std::int64_t nanoseconds) {
  std::int64_t seconds = nanoseconds / nanoseconds_per_second;
  std::int64_t rest = nanoseconds % nanoseconds_per_second;
  if (rest < 0) {
    rest += nanoseconds_per_second;
    --seconds;
  }
  if (seconds < std::numeric_limits<std::int32_t>::min() ||
      seconds > std::numeric_limits<std::int32_t>::max()) {
    throw ArgumentError(fmt::format("time {} s does not fit in a ROS 2 message", seconds));
  }
  return i32(static_cast<std::int32_t>(seconds)).u32(static_cast<std::uint32_t>(rest));
}

CdrReader::CdrReader(std::string_view data, const Origin& origin, std::uint64_t offset)
    : data_(data), origin_(&origin), offset_(offset) {
  if (data.size() < cdr_header) {
    at_ = data.size();
    fail(fmt::format("the CDR message has {} bytes; its header alone has 4", data.size()));
  }
  const auto kind = static_cast<unsigned char>(data[1]);
  if (data[0] != 0 || kind > 1) {
    at_ = 0;
    fail(
        fmt::format("the encapsulation of the CDR message is {:02x} {:02x}; 00 00 (big endian) "
                    "and 00 01 (little endian) are supported",
                    static_cast<unsigned char>(data[0]), kind));
  }
  swap_ = kind == 0;
}

template <class Number>
Number CdrReader::number() {
  align(sizeof(Number));
  std::array<char, sizeof(Number)> raw;
  std::memcpy(raw.data(), take(sizeof(Number)).data(), sizeof(Number));
  if (swap_) std::reverse(raw.begin(), raw.end());
  return std::bit_cast<Number>(raw);
}

template std::int32_t CdrReader::number();
template std::uint32_t CdrReader::number();
template double CdrReader::number();

void CdrReader::align(std::size_t size) {
  const std::size_t over = (at_ - cdr_header) % size;
  if (over > 0) take(size - over);
}

std::string_view CdrReader::take(std::size_t size) {
  if (size > data_.size() - at_) {
    fail(fmt::format("the message ends: {} more bytes are needed, {} are left", size,
                     data_.size() - at_));
  }
  const std::string_view result = data_.substr(at_, size);
  at_ += size;
  return result;
}

std::uint32_t CdrReader::count(std::size_t least) {
  const std::uint32_t entries = u32();
  if (entries > (data_.size() - at_) / least) {
    fail(fmt::format("a sequence of {} entries does not fit in the {} bytes that are left", entries,
                     data_.size() - at_));
  }
  return entries;
}

std::string_view CdrReader::text() {
  const std::string_view bytes = take(count(1));
  if (bytes.empty()) return bytes;
  if (bytes.back() != '\0') fail("a string does not end with a zero byte");
  return bytes.substr(0, bytes.size() - 1);
}

void CdrReader::numbers(std::vector<double>& values) {
  const std::uint32_t entries = count(sizeof(double));
  values.clear();
  for (std::uint32_t i = 0; i < entries; ++i) values.push_back(f64());
}

void CdrReader::texts(std::vector<std::string_view>& values) {
  const std::uint32_t entries = count(sizeof(std::uint32_t));
  values.clear();
  for (std::uint32_t i = 0; i < entries; ++i) values.push_back(text());
}

std::int64_t CdrReader::time() {
  const std::int64_t seconds = i32();
  const std::int64_t nanoseconds = u32();
  return seconds * nanoseconds_per_second + nanoseconds;
}

void CdrReader::fail(const std::string& message) const { origin_->fail(offset_ + at_, message); }

}  // namespace dynamics::mcap
