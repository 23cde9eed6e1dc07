// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "entry_points.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dynamics::fuzz::mcap({reinterpret_cast<const char*>(data), size});
  return 0;
}
