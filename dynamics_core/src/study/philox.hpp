// SPDX-License-Identifier: Apache-2.0
#pragma once

// Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", SC 2011). The number of a counter needs no state: any case can be
// drawn first.

#include <array>
#include <cstdint>

namespace dynamics::study {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

/// Ten rounds.
constexpr PhiloxCounter philox(PhiloxCounter counter, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53U} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57U} * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32U) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32U) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
  return counter;
}

/// What a random number is for: independent numbers for the same case and parameter.
enum class Purpose : std::uint32_t { value, shift, permutation };

/// 64 random bits of (seed, case, parameter). `parameter` is below 2^24.
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t number,
                                    std::uint32_t parameter, Purpose purpose,
                                    std::uint32_t extra = 0) {
  const PhiloxCounter out =
      philox({static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32U),
              parameter | static_cast<std::uint32_t>(purpose) << 24U, extra},
             {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)});
  return std::uint64_t{out[1]} << 32U | out[0];
}

/// A number in (0, 1): the middle of one of 2^52 intervals, so that neither 0 nor 1 occurs.
constexpr double unit_number(std::uint64_t bits) {
  constexpr double interval = 1.0 / 4503599627370496.0;  // 2^-52
  return (static_cast<double>(bits >> 12U) + 0.5) * interval;
}

}  // namespace dynamics::study
