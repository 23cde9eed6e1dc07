// SPDX-License-Identifier: Apache-2.0
#pragma once

// Compression of the records of a chunk with zstd or LZ4 frames.
//
//   Compressor compressor(Compression::zstd);
//   std::string packed, unpacked;
//   compressor.compress(records, packed);
//   Decompressor().decompress("zstd", packed, records.size(), unpacked);

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace dynamics::mcap {

enum class Compression { none, lz4, zstd };

/// Name in the file: "", "lz4" or "zstd".
std::string_view name(Compression compression);

/// Keeps the memory of the compressor between chunks.
class Compressor {
 public:
  explicit Compressor(Compression compression);
  ~Compressor();
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  Compression kind() const { return kind_; }
  /// Replaces `packed`. Throws StateError if the library fails.
  void compress(std::string_view records, std::string& packed);

 private:
  struct Zstd;
  Compression kind_;
  std::unique_ptr<Zstd> zstd_;
};

/// Keeps the memory of the decompressor between chunks.
class Decompressor {
 public:
  Decompressor();
  ~Decompressor();
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  /// Unpacks into `records`, which then has `size` bytes. Returns what is wrong, or nothing: an
  /// unknown compression, damaged data, or data of another size. The memory needed is at most
  /// `size`, and the caller bounds it.
  std::optional<std::string> decompress(std::string_view compression, std::string_view packed,
                                        std::uint64_t size, std::string& records);

 private:
  struct Contexts;
  std::unique_ptr<Contexts> contexts_;
};

}  // namespace dynamics::mcap
