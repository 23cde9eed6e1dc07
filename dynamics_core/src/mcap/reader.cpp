// SPDX-License-Identifier: Apache-2.0
#include "mcap/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "dynamics_core/error.hpp"
#include "mcap/compression.hpp"
#include "mcap/crc32.hpp"

namespace dynamics::mcap {
namespace {

constexpr std::size_t footer_size = record_prefix + 20;

/// A channel of the file, and whether its messages are wanted.
struct KnownChannel {
  Channel channel;
  const Schema* schema = nullptr;
  bool wanted = false;
};

class FileReader {
 public:
  FileReader(Source& source, const std::string& file_name, Visitor& visitor,
             const ReadLimits& limits)
      : source_(source), origin_{file_name}, visitor_(visitor), limits_(limits) {}

  ReadReport read() {
    if (source_.size() < magic.size() || source_.view(0, magic.size()) != magic) {
      origin_.fail(0, "is not an MCAP file: it must begin with 89 4D 43 41 50 30 0D 0A");
    }
    report_.complete = has_end();
    offset_ = report_.end = magic.size();
    data_crc_ = crc32(magic);
    if (report_.complete) {
      while (next_record()) report_.end = offset_;
      report_.end = offset_;
      return report_;
    }
    try {
      while (next_record()) report_.end = offset_;
    } catch (const ParseError& error) {
      report_.problem = error.what();
    }
    return report_;
  }

 private:
  /// Whether the file ends with a footer and the magic bytes.
  bool has_end() {
    if (source_.size() < 2 * magic.size() + footer_size) return false;
    const std::string_view end =
        source_.view(source_.size() - magic.size() - footer_size, magic.size() + footer_size);
    ByteReader prefix(end, origin_, 0);
    return prefix.u8() == static_cast<std::uint8_t>(Opcode::footer) &&
           prefix.u64() == footer_size - record_prefix && end.ends_with(magic);
  }

  /// Reads one record of the file. False: behind the last one.
  bool next_record() {
    const std::uint64_t remaining = source_.size() - offset_;
    if (visitor_.done()) return false;
    if (remaining < record_prefix) {
      origin_.fail(offset_, remaining == 0 ? "the file ends without a footer: it is incomplete"
                                           : "the file ends inside the length of a record");
    }
    ByteReader prefix(source_.view(offset_, record_prefix), origin_, offset_);
    const auto opcode = static_cast<Opcode>(prefix.u8());
    const std::uint64_t length = prefix.u64();
    if (opcode == Opcode{0}) origin_.fail(offset_, "opcode 0 is not valid");
    if (length > remaining - record_prefix) {
      origin_.fail(offset_, fmt::format("the {} has {} bytes; the file ends after {}", name(opcode),
                                        length, remaining - record_prefix));
    }
    if (!header_read_ && opcode != Opcode::header)
      origin_.fail(offset_,
                   fmt::format("the first record is a {}; it must be a Header", name(opcode)));
    if (opcode == Opcode::footer) return end_of_file(length);
    const std::uint64_t size = record_prefix + length;
    if (needs_content(opcode)) {
      if (length > limits_.record) {
        origin_.fail(offset_, fmt::format("the {} has {} bytes; at most {} are supported",
                                          name(opcode), length, limits_.record));
      }
      const std::string_view record = source_.view(offset_, static_cast<std::size_t>(size));
      content(opcode, ByteReader(record.substr(record_prefix), origin_, offset_ + record_prefix));
    }
    if (!data_ended_) data_crc_ = checksum(offset_, offset_ + size, data_crc_);
    offset_ += size;
    return true;
  }

  /// CRC of a part of the file, read in pieces.
  std::uint32_t checksum(std::uint64_t from, std::uint64_t to, std::uint32_t before) {
    constexpr std::uint64_t piece = std::uint64_t{1} << 20;
    for (std::uint32_t crc = before;;) {
      const auto count = static_cast<std::size_t>(std::min(piece, to - from));
      if (count == 0) return crc;
      crc = crc32(source_.view(from, count), crc);
      from += count;
    }
  }

  bool needs_content(Opcode opcode) const {
    switch (opcode) {
      case Opcode::header:
      case Opcode::schema:
      case Opcode::channel:
      case Opcode::message:
      case Opcode::chunk:
      case Opcode::metadata:
      case Opcode::data_end: return true;
      case Opcode::attachment: return visitor_.wants_attachments() || data_ended_;
      default: return false;
    }
  }

  void content(Opcode opcode, ByteReader reader) {
    if (data_ended_ && opcode != Opcode::schema && opcode != Opcode::channel) {
      origin_.fail(offset_, fmt::format("a {} follows the Data End", name(opcode)));
    }
    switch (opcode) {
      case Opcode::header:
        if (header_read_) origin_.fail(offset_, "a second Header");
        read_header(reader);
        header_read_ = true;
        break;
      case Opcode::chunk: chunk(reader); break;
      case Opcode::attachment: visitor_.attachment(read_attachment(reader)); break;
      case Opcode::metadata: visitor_.metadata(read_metadata(reader)); break;
      case Opcode::data_end: data_end(read_data_end(reader)); break;
      default: definition_or_message(opcode, reader, origin_); break;
    }
  }

  void definition_or_message(Opcode opcode, ByteReader reader, const Origin& origin) {
    if (opcode == Opcode::schema) add(read_schema(reader), reader);
    if (opcode == Opcode::channel) add(read_channel(reader), reader);
    if (opcode == Opcode::message) message(reader, origin);
  }

  void add(Schema schema, const ByteReader& at) {
    if (schema.id == 0) at.fail("a Schema has the id 0");
    const auto [known, added] = schemas_.try_emplace(schema.id, schema);
    if (!added && !(known->second == schema)) {
      at.fail(fmt::format("schema {} is defined twice, as '{}' and as '{}'", schema.id,
                          known->second.name, schema.name));
    }
  }

  void add(Channel channel, const ByteReader& at) {
    const Schema* schema = nullptr;
    if (channel.schema != 0) {
      const auto found = schemas_.find(channel.schema);
      if (found == schemas_.end()) {
        at.fail(fmt::format("channel {} ('{}') has schema {}, which is not defined before it",
                            channel.id, channel.topic, channel.schema));
      }
      schema = &found->second;
    }
    const auto known = channels_.find(channel.id);
    if (known == channels_.end()) {
      KnownChannel& added = channels_[channel.id];
      added = {std::move(channel), schema, false};
      added.wanted = visitor_.wants(added.channel, schema);
    } else if (!(known->second.channel == channel)) {
      at.fail(fmt::format("channel {} is defined twice, as '{}' and as '{}'", channel.id,
                          known->second.channel.topic, channel.topic));
    }
  }

  void message(ByteReader reader, const Origin& origin) {
    const std::uint64_t offset = reader.offset() + message_prefix;
    const Message message = read_message(reader);
    const auto known = channels_.find(message.channel);
    if (known == channels_.end()) {
      reader.fail(
          fmt::format("a Message of channel {}, which is not defined before it", message.channel));
    }
    ++report_.messages;
    if (!known->second.wanted) return;
    visitor_.message({known->second.channel, known->second.schema, message, origin, offset});
  }

  void chunk(ByteReader reader) {
    const Chunk chunk = read_chunk(reader);
    if (chunk.uncompressed_size > limits_.chunk) {
      origin_.fail(offset_, fmt::format("the Chunk has {} unpacked bytes; at most {} are supported",
                                        chunk.uncompressed_size, limits_.chunk));
    }
    if (const auto problem = decompressor_.decompress(chunk.compression, chunk.records,
                                                      chunk.uncompressed_size, records_)) {
      origin_.fail(offset_, "the Chunk cannot be unpacked: " + *problem);
    }
    const std::uint32_t crc = chunk.uncompressed_crc != 0 ? crc32(records_) : 0;
    if (crc != chunk.uncompressed_crc) {
      origin_.fail(offset_, fmt::format("the checksum of the Chunk is {:08x}; its records have "
                                        "{:08x}",
                                        chunk.uncompressed_crc, crc));
    }
    const Origin inside{origin_.file, offset_};
    ByteReader records(records_, inside, 0);
    while (records.remaining() > 0 && !visitor_.done()) {
      const auto opcode = static_cast<Opcode>(records.u8());
      const std::uint64_t length = records.u64();
      const std::uint64_t at = records.offset();
      const std::string_view content = records.bytes(length);
      if (opcode == Opcode{0} || opcode == Opcode::header || opcode == Opcode::footer ||
          opcode == Opcode::chunk || opcode == Opcode::attachment || opcode == Opcode::data_end) {
        inside.fail(at - record_prefix,
                    fmt::format("a {} is not allowed in a Chunk", name(opcode)));
      }
      definition_or_message(opcode, ByteReader(content, inside, at), inside);
    }
  }

  void data_end(const DataEnd& end) {
    data_ended_ = true;
    summary_start_ = offset_ + record_prefix + sizeof(end.crc);
    if (end.crc != 0 && end.crc != data_crc_) {
      origin_.fail(offset_, fmt::format("the checksum of the file before the Data End is {:08x}; "
                                        "it should be {:08x}",
                                        data_crc_, end.crc));
    }
  }

  bool end_of_file(std::uint64_t length) {
    if (length != footer_size - record_prefix)
      origin_.fail(offset_, fmt::format("the Footer has {} bytes; it must have 20", length));
    const std::uint64_t behind = offset_ + footer_size + magic.size();
    if (behind > source_.size()) origin_.fail(offset_, "the file ends inside its last bytes");
    if (behind < source_.size()) {
      origin_.fail(offset_, fmt::format("a Footer, but {} bytes follow the end of the file",
                                        source_.size() - behind));
    }
    if (!data_ended_) origin_.fail(offset_, "a Footer without a Data End before it");
    const Footer footer = read_footer(
        ByteReader(source_.view(offset_ + record_prefix, static_cast<std::size_t>(length)), origin_,
                   offset_ + record_prefix));
    check_summary(footer);
    offset_ = behind;
    return false;
  }

  void check_summary(const Footer& footer) {
    const bool empty = summary_start_ == offset_;
    if (footer.summary_start != (empty ? 0 : summary_start_) &&
        !(empty && footer.summary_start == summary_start_)) {
      origin_.fail(offset_,
                   fmt::format("the Footer says that the summary starts at offset {}; it starts at "
                               "{}",
                               footer.summary_start, summary_start_));
    }
    if (footer.summary_offset_start != 0 &&
        (footer.summary_offset_start < summary_start_ || footer.summary_offset_start > offset_)) {
      origin_.fail(offset_, fmt::format("the Footer says that the summary offsets start at offset "
                                        "{}; that is outside of the summary",
                                        footer.summary_offset_start));
    }
    if (footer.summary_crc == 0) return;
    const std::uint32_t crc =
        checksum(summary_start_, offset_ + footer_size - sizeof(footer.summary_crc), 0);
    if (crc == footer.summary_crc) return;
    origin_.fail(summary_start_, fmt::format("the checksum of the summary is {:08x}; the Footer "
                                             "says {:08x}",
                                             crc, footer.summary_crc));
  }

  Source& source_;
  Origin origin_;
  Visitor& visitor_;
  ReadLimits limits_;
  ReadReport report_;
  Decompressor decompressor_;
  std::string records_;  ///< of the chunk
  std::uint64_t offset_ = 0;
  std::uint64_t summary_start_ = 0;
  std::uint32_t data_crc_ = 0;
  bool header_read_ = false, data_ended_ = false;
  std::unordered_map<std::uint16_t, Schema> schemas_;  ///< references stay valid
  std::unordered_map<std::uint16_t, KnownChannel> channels_;
};

}  // namespace

ReadReport read(Source& source, const std::string& file_name, Visitor& visitor,
                const ReadLimits& limits) {
  return FileReader(source, file_name, visitor, limits).read();
}

}  // namespace dynamics::mcap
