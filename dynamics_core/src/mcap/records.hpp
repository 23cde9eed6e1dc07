// SPDX-License-Identifier: Apache-2.0
#pragma once

// The records of an MCAP file (https://mcap.dev/spec). A record is an opcode, the length of its
// content (u64) and the content.
//
//   std::string file(magic);
//   append(file, Header{"ros2", "dynamics"});
//   append(file, Footer{});
//   const auto header = read_header(ByteReader(content, origin, offset));
//
// append() writes a complete record. read_NAME() reads the content of a record; bytes behind the
// known fields are ignored, as the specification demands. It throws ParseError with file and
// offset. Times are in nanoseconds.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mcap/bytes.hpp"

namespace dynamics::mcap {

inline constexpr std::string_view magic = "\x89MCAP0\r\n";
/// Opcode and length.
inline constexpr std::size_t record_prefix = 9;
/// Of a message, before its data.
inline constexpr std::size_t message_prefix = 22;

enum class Opcode : std::uint8_t {
  header = 0x01,
  footer = 0x02,
  schema = 0x03,
  channel = 0x04,
  message = 0x05,
  chunk = 0x06,
  message_index = 0x07,
  chunk_index = 0x08,
  attachment = 0x09,
  attachment_index = 0x0A,
  statistics = 0x0B,
  metadata = 0x0C,
  metadata_index = 0x0D,
  summary_offset = 0x0E,
  data_end = 0x0F
};
/// "Chunk", "Message Index"; "record 0x85" for others.
std::string name(Opcode opcode);

struct Header {
  std::string profile, library;
};

struct Footer {
  std::uint64_t summary_start = 0, summary_offset_start = 0;
  std::uint32_t summary_crc = 0;
};

struct Schema {
  std::uint16_t id = 0;
  std::string name, encoding, data;
  bool operator==(const Schema&) const = default;
};

struct Channel {
  std::uint16_t id = 0, schema = 0;
  std::string topic, message_encoding;
  std::map<std::string, std::string> metadata = {};
  bool operator==(const Channel&) const = default;
};

/// The data is a view of the caller's bytes.
struct Message {
  std::uint16_t channel = 0;
  std::uint32_t sequence = 0;
  std::uint64_t log_time = 0, publish_time = 0;
  std::string_view data = {};
};

struct Chunk {
  std::uint64_t start_time = 0, end_time = 0, uncompressed_size = 0;
  std::uint32_t uncompressed_crc = 0;  ///< 0: not given
  std::string_view compression = {}, records = {};
};

/// Log times and offsets in the records of a chunk of the messages of one channel.
struct MessageIndex {
  std::uint16_t channel = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> entries;
};

struct ChunkIndex {
  std::uint64_t start_time = 0, end_time = 0, offset = 0, length = 0;
  std::map<std::uint16_t, std::uint64_t> message_indexes = {};  ///< offset by channel
  std::uint64_t message_index_length = 0;
  std::string compression = {};
  std::uint64_t compressed_size = 0, uncompressed_size = 0;
};

/// The data is a view of the caller's bytes.
struct Attachment {
  std::uint64_t log_time = 0, create_time = 0;
  std::string name, media_type;
  std::string_view data;
};

struct AttachmentIndex {
  std::uint64_t offset = 0, length = 0, log_time = 0, create_time = 0, data_size = 0;
  std::string name = {}, media_type = {};
};

struct Metadata {
  std::string name;
  std::map<std::string, std::string> entries;
};

struct MetadataIndex {
  std::uint64_t offset = 0, length = 0;
  std::string name = {};
};

struct Statistics {
  std::uint64_t messages = 0;
  std::uint16_t schemas = 0;
  std::uint32_t channels = 0, attachments = 0, metadata = 0, chunks = 0;
  std::uint64_t start_time = 0, end_time = 0;
  std::map<std::uint16_t, std::uint64_t> channel_messages = {};
};

struct SummaryOffset {
  Opcode group = Opcode::schema;
  std::uint64_t start = 0, length = 0;
};

struct DataEnd {
  std::uint32_t crc = 0;  ///< of the file before this record; 0: not given
};

void append(std::string& out, const Header& header);
void append(std::string& out, const Footer& footer);
void append(std::string& out, const Schema& schema);
void append(std::string& out, const Channel& channel);
void append(std::string& out, const Message& message);
void append(std::string& out, const Chunk& chunk);
void append(std::string& out, const MessageIndex& index);
void append(std::string& out, const ChunkIndex& index);
/// With the checksum of its content.
void append(std::string& out, const Attachment& attachment);
void append(std::string& out, const AttachmentIndex& index);
void append(std::string& out, const Metadata& metadata);
void append(std::string& out, const MetadataIndex& index);
void append(std::string& out, const Statistics& statistics);
void append(std::string& out, const SummaryOffset& offset);
void append(std::string& out, const DataEnd& end);

Header read_header(ByteReader content);
Footer read_footer(ByteReader content);
Schema read_schema(ByteReader content);
Channel read_channel(ByteReader content);
Message read_message(ByteReader content);
Chunk read_chunk(ByteReader content);
/// Checks the checksum.
Attachment read_attachment(ByteReader content);
Metadata read_metadata(ByteReader content);
DataEnd read_data_end(ByteReader content);

}  // namespace dynamics::mcap
