// SPDX-License-Identifier: Apache-2.0
#include "mcap/compression.hpp"

#include <fmt/format.h>
#include <lz4frame.h>
#include <zstd.h>

#include <new>

#include "dynamics_core/error.hpp"

namespace dynamics::mcap {
namespace {

constexpr int zstd_level = 1;  // fastest of the regular levels; numbers compress little anyway

}  // namespace

struct Compressor::Zstd {
  Zstd() : context(ZSTD_createCCtx()) {
    if (context == nullptr) throw std::bad_alloc();
  }
  ~Zstd() { ZSTD_freeCCtx(context); }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;
  ZSTD_CCtx* context;
};

struct Decompressor::Contexts {
  Contexts() : zstd(ZSTD_createDCtx()) {
    if (zstd == nullptr) throw std::bad_alloc();
    if (LZ4F_isError(LZ4F_createDecompressionContext(&lz4, LZ4F_VERSION)) != 0) {
      ZSTD_freeDCtx(zstd);
      throw std::bad_alloc();
    }
  }
  ~Contexts() {
    ZSTD_freeDCtx(zstd);
    LZ4F_freeDecompressionContext(lz4);
  }
  Contexts(const Contexts&) = delete;
  Contexts& operator=(const Contexts&) = delete;
  ZSTD_DCtx* zstd;
  LZ4F_dctx* lz4 = nullptr;
};

std::string_view name(Compression compression) {
  switch (compression) {
    case Compression::lz4: return "lz4";
    case Compression::zstd: return "zstd";
    default: return "";
  }
}

Compressor::Compressor(Compression compression) : kind_(compression) {
  if (kind_ == Compression::zstd) zstd_ = std::make_unique<Zstd>();
}

Compressor::~Compressor() = default;

void Compressor::compress(std::string_view records, std::string& packed) {
  if (kind_ == Compression::none) {
    packed.assign(records);
    return;
  }
  const bool zstd = kind_ == Compression::zstd;
  packed.resize(zstd ? ZSTD_compressBound(records.size())
                     : LZ4F_compressFrameBound(records.size(), nullptr));
  const std::size_t size = zstd ? ZSTD_compressCCtx(zstd_->context, packed.data(), packed.size(),
                                                    records.data(), records.size(), zstd_level)
                                : LZ4F_compressFrame(packed.data(), packed.size(), records.data(),
                                                     records.size(), nullptr);
  if (zstd && ZSTD_isError(size) != 0)
    throw StateError("zstd", std::string("cannot compress: ") + ZSTD_getErrorName(size));
  if (!zstd && LZ4F_isError(size) != 0)
    throw StateError("lz4", std::string("cannot compress: ") + LZ4F_getErrorName(size));
  packed.resize(size);
}

Decompressor::Decompressor() : contexts_(std::make_unique<Contexts>()) {}

Decompressor::~Decompressor() = default;

std::optional<std::string> Decompressor::decompress(std::string_view compression,
                                                    std::string_view packed, std::uint64_t size,
                                                    std::string& records) {
  const auto other_size = [&](std::uint64_t actual) {
    return fmt::format("the records have {} bytes; the chunk says {}", actual, size);
  };
  if (compression.empty()) {
    if (packed.size() != size) return other_size(packed.size());
    records.assign(packed);
    return std::nullopt;
  }
  records.resize(static_cast<std::size_t>(size));
  if (compression == "zstd") {
    const std::size_t done = ZSTD_decompressDCtx(contexts_->zstd, records.data(), records.size(),
                                                 packed.data(), packed.size());
    if (ZSTD_isError(done) != 0)
      return fmt::format("the zstd data is damaged: {}", ZSTD_getErrorName(done));
    if (done != size) return other_size(done);
    return std::nullopt;
  }
  if (compression == "lz4") {
    LZ4F_resetDecompressionContext(contexts_->lz4);
    std::size_t read = 0, written = 0, pending = 1;
    while (pending != 0) {
      std::size_t in = packed.size() - read, out = records.size() - written;
      pending = LZ4F_decompress(contexts_->lz4, records.data() + written, &out,
                                packed.data() + read, &in, nullptr);
      if (LZ4F_isError(pending) != 0)
        return fmt::format("the lz4 data is damaged: {}", LZ4F_getErrorName(pending));
      read += in;
      written += out;
      if (pending != 0 && in == 0 && out == 0) {
        return written == size ? "the lz4 data is longer than the chunk says"
                               : "the lz4 data ends early";
      }
    }
    if (written != size) return other_size(written);
    return std::nullopt;
  }
  return fmt::format("compression '{}' is not supported: zstd, lz4 or none", compression);
}

}  // namespace dynamics::mcap
