// SPDX-License-Identifier: Apache-2.0
#include "mcap/bytes.hpp"

#include <fmt/format.h>

#include <limits>

#include "dynamics_core/error.hpp"

namespace dynamics::mcap {

void Origin::fail(std::uint64_t offset, const std::string& message) const {
  if (!chunk) throw ParseError(fmt::format("{}: offset {}", file, offset), message);
  throw ParseError(fmt::format("{}: offset {} (byte {} of its records)", file, *chunk, offset),
                   message);
}

ByteWriter& ByteWriter::text(std::string_view data) {
  if (data.size() > std::numeric_limits<std::uint32_t>::max())
    throw ArgumentError("a text in an MCAP file has more than 4 GiB");
  return u32(static_cast<std::uint32_t>(data.size())).bytes(data);
}

ByteWriter& ByteWriter::map(const std::map<std::string, std::string>& entries) {
  std::string content;
  for (const auto& [key, value] : entries) ByteWriter(content).text(key).text(value);
  return text(content);
}

std::map<std::string, std::string> ByteReader::map() {
  const std::uint64_t start = offset() + sizeof(std::uint32_t);
  ByteReader entries(text(), *origin_, start);
  std::map<std::string, std::string> result;
  while (entries.remaining() > 0) {
    const std::string_view key = entries.text();
    if (!result.emplace(key, entries.text()).second)
      entries.fail(fmt::format("the map has the key '{}' twice", key));
  }
  return result;
}

void ByteReader::short_of(std::uint64_t count) const {
  fail(fmt::format("{} more bytes are needed; the record has {}", count, remaining()));
}

}  // namespace dynamics::mcap
