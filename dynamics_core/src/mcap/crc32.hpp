// SPDX-License-Identifier: Apache-2.0
#pragma once

// CRC-32 of MCAP's checksums: polynomial 0xEDB88320, reflected, as in zlib.
//
//   std::uint32_t crc = crc32("12345");
//   crc = crc32("6789", crc);  // 0xCBF43926

#include <cstdint>
#include <string_view>

namespace dynamics::mcap {

/// CRC of `bytes`, or of the bytes before, which have the CRC `before`, and these.
std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0);

}  // namespace dynamics::mcap
