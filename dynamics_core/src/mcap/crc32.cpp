// SPDX-License-Identifier: Apache-2.0
#include "mcap/crc32.hpp"

#include <array>
#include <cstddef>
#include <cstring>

namespace dynamics::mcap {
namespace {

constexpr std::size_t stride = 16;
using CrcTables = std::array<std::array<std::uint32_t, 256>, stride>;

/// Table k: the CRC of a byte that is followed by k zero bytes (slicing, Kounavis and Berry 2005).
constexpr CrcTables make_crc_tables() {
  CrcTables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320u : 0u);
    tables[0][byte] = crc;
  }
  for (std::size_t k = 1; k < stride; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 255];
    }
  }
  return tables;
}

constexpr CrcTables crc_tables = make_crc_tables();

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) {
  std::uint32_t crc = ~before;
  const char* data = bytes.data();
  std::size_t count = bytes.size();
  for (; count >= stride; data += stride, count -= stride) {
    std::array<unsigned char, stride> block;
    std::memcpy(block.data(), data, stride);
    for (std::size_t i = 0; i < sizeof(crc); ++i)
      block[i] = static_cast<unsigned char>(block[i] ^ (crc >> (8 * i) & 255));
    crc = 0;
    for (std::size_t i = 0; i < stride; ++i) crc ^= crc_tables[stride - 1 - i][block[i]];
  }
  for (; count > 0; ++data, --count)
    crc = (crc >> 8) ^ crc_tables[0][(crc ^ static_cast<unsigned char>(*data)) & 255];
  return ~crc;
}

}  // namespace dynamics::mcap
