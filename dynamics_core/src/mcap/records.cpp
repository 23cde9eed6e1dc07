// SPDX-License-Identifier: Apache-2.0
#include "mcap/records.hpp"

#include <fmt/format.h>

#include "dynamics_core/error.hpp"
#include "mcap/crc32.hpp"

namespace dynamics::mcap {
namespace {

/// Appends a record whose content is written by `write(ByteWriter)`.
template <class Write>
void append_record(std::string& out, Opcode opcode, Write&& write) {
  ByteWriter(out).u8(static_cast<std::uint8_t>(opcode)).u64(0);
  const std::size_t start = out.size();
  write(ByteWriter(out));
  const std::uint64_t length = out.size() - start;
  std::memcpy(out.data() + start - sizeof(length), &length, sizeof(length));
}

/// A map of channels to numbers.
void write_numbers(ByteWriter& writer, const std::map<std::uint16_t, std::uint64_t>& entries) {
  constexpr std::size_t entry = sizeof(std::uint16_t) + sizeof(std::uint64_t);
  writer.u32(static_cast<std::uint32_t>(entries.size() * entry));
  for (const auto& [channel, value] : entries) writer.u16(channel).u64(value);
}

}  // namespace

std::string name(Opcode opcode) {
  constexpr std::string_view names[] = {
      "Header",     "Footer",        "Schema",         "Channel",        "Message",
      "Chunk",      "Message Index", "Chunk Index",    "Attachment",     "Attachment Index",
      "Statistics", "Metadata",      "Metadata Index", "Summary Offset", "Data End"};
  const auto index = static_cast<std::size_t>(opcode) - 1;
  if (index < std::size(names)) return std::string(names[index]);
  return fmt::format("record 0x{:02X}", static_cast<unsigned>(opcode));
}

void append(std::string& out, const Header& header) {
  append_record(out, Opcode::header,
                [&](ByteWriter w) { w.text(header.profile).text(header.library); });
}

void append(std::string& out, const Footer& footer) {
  append_record(out, Opcode::footer, [&](ByteWriter w) {
    w.u64(footer.summary_start).u64(footer.summary_offset_start).u32(footer.summary_crc);
  });
}

void append(std::string& out, const Schema& schema) {
  append_record(out, Opcode::schema, [&](ByteWriter w) {
    w.u16(schema.id).text(schema.name).text(schema.encoding).text(schema.data);
  });
}

void append(std::string& out, const Channel& channel) {
  append_record(out, Opcode::channel, [&](ByteWriter w) {
    w.u16(channel.id)
        .u16(channel.schema)
        .text(channel.topic)
        .text(channel.message_encoding)
        .map(channel.metadata);
  });
}

void append(std::string& out, const Message& message) {
  append_record(out, Opcode::message, [&](ByteWriter w) {
    w.u16(message.channel)
        .u32(message.sequence)
        .u64(message.log_time)
        .u64(message.publish_time)
        .bytes(message.data);
  });
}

void append(std::string& out, const Chunk& chunk) {
  append_record(out, Opcode::chunk, [&](ByteWriter w) {
    w.u64(chunk.start_time)
        .u64(chunk.end_time)
        .u64(chunk.uncompressed_size)
        .u32(chunk.uncompressed_crc)
        .text(chunk.compression)
        .u64(chunk.records.size())
        .bytes(chunk.records);
  });
}

void append(std::string& out, const MessageIndex& index) {
  append_record(out, Opcode::message_index, [&](ByteWriter w) {
    w.u16(index.channel)
        .u32(static_cast<std::uint32_t>(index.entries.size() * 2 * sizeof(std::uint64_t)));
    for (const auto& [time, offset] : index.entries) w.u64(time).u64(offset);
  });
}

void append(std::string& out, const ChunkIndex& index) {
  append_record(out, Opcode::chunk_index, [&](ByteWriter w) {
    w.u64(index.start_time).u64(index.end_time).u64(index.offset).u64(index.length);
    write_numbers(w, index.message_indexes);
    w.u64(index.message_index_length)
        .text(index.compression)
        .u64(index.compressed_size)
        .u64(index.uncompressed_size);
  });
}

void append(std::string& out, const Attachment& attachment) {
  append_record(out, Opcode::attachment, [&](ByteWriter w) {
    const std::size_t start = out.size();
    w.u64(attachment.log_time)
        .u64(attachment.create_time)
        .text(attachment.name)
        .text(attachment.media_type)
        .u64(attachment.data.size())
        .bytes(attachment.data);
    w.u32(crc32(std::string_view(out).substr(start)));
  });
}

void append(std::string& out, const AttachmentIndex& index) {
  append_record(out, Opcode::attachment_index, [&](ByteWriter w) {
    w.u64(index.offset)
        .u64(index.length)
        .u64(index.log_time)
        .u64(index.create_time)
        .u64(index.data_size)
        .text(index.name)
        .text(index.media_type);
  });
}

void append(std::string& out, const Metadata& metadata) {
  append_record(out, Opcode::metadata,
                [&](ByteWriter w) { w.text(metadata.name).map(metadata.entries); });
}

void append(std::string& out, const MetadataIndex& index) {
  append_record(out, Opcode::metadata_index,
                [&](ByteWriter w) { w.u64(index.offset).u64(index.length).text(index.name); });
}

void append(std::string& out, const Statistics& statistics) {
  append_record(out, Opcode::statistics, [&](ByteWriter w) {
    w.u64(statistics.messages)
        .u16(statistics.schemas)
        .u32(statistics.channels)
        .u32(statistics.attachments)
        .u32(statistics.metadata)
        .u32(statistics.chunks)
        .u64(statistics.start_time)
        .u64(statistics.end_time);
    write_numbers(w, statistics.channel_messages);
  });
}

void append(std::string& out, const SummaryOffset& offset) {
  append_record(out, Opcode::summary_offset, [&](ByteWriter w) {
    w.u8(static_cast<std::uint8_t>(offset.group)).u64(offset.start).u64(offset.length);
  });
}

void append(std::string& out, const DataEnd& end) {
  append_record(out, Opcode::data_end, [&](ByteWriter w) { w.u32(end.crc); });
}

Header read_header(ByteReader content) {
  Header header;
  header.profile = content.text();
  header.library = content.text();
  return header;
}

Footer read_footer(ByteReader content) {
  Footer footer;
  footer.summary_start = content.u64();
  footer.summary_offset_start = content.u64();
  footer.summary_crc = content.u32();
  return footer;
}

Schema read_schema(ByteReader content) {
  Schema schema;
  schema.id = content.u16();
  schema.name = content.text();
  schema.encoding = content.text();
  schema.data = content.text();
  return schema;
}

Channel read_channel(ByteReader content) {
  Channel channel;
  channel.id = content.u16();
  channel.schema = content.u16();
  channel.topic = content.text();
  channel.message_encoding = content.text();
  channel.metadata = content.map();
  return channel;
}

Message read_message(ByteReader content) {
  Message message;
  message.channel = content.u16();
  message.sequence = content.u32();
  message.log_time = content.u64();
  message.publish_time = content.u64();
  message.data = content.rest();
  return message;
}

Chunk read_chunk(ByteReader content) {
  Chunk chunk;
  chunk.start_time = content.u64();
  chunk.end_time = content.u64();
  chunk.uncompressed_size = content.u64();
  chunk.uncompressed_crc = content.u32();
  chunk.compression = content.text();
  chunk.records = content.bytes(content.u64());
  return chunk;
}

Attachment read_attachment(ByteReader content) {
  ByteReader all = content;
  const std::uint64_t start = content.offset();
  Attachment attachment;
  attachment.log_time = content.u64();
  attachment.create_time = content.u64();
  attachment.name = content.text();
  attachment.media_type = content.text();
  attachment.data = content.bytes(content.u64());
  const std::uint32_t actual = crc32(all.bytes(content.offset() - start));
  const std::uint32_t expected = content.u32();
  if (expected != 0 && expected != actual) {
    all.fail(fmt::format("the checksum of attachment '{}' is {:08x}; its content has {:08x}",
                         attachment.name, expected, actual));
  }
  return attachment;
}

Metadata read_metadata(ByteReader content) {
  Metadata metadata;
  metadata.name = content.text();
  metadata.entries = content.map();
  return metadata;
}

DataEnd read_data_end(ByteReader content) { return {content.u32()}; }

}  // namespace dynamics::mcap
