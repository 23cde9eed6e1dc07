// SPDX-License-Identifier: Apache-2.0
#include "mcap/writer.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "dynamics_core/error.hpp"
#include "mcap/crc32.hpp"

namespace dynamics::mcap {
namespace {

constexpr std::size_t largest_id = std::numeric_limits<std::uint16_t>::max();

}  // namespace

Writer::Writer(const std::string& path, const WriterOptions& options)
    : file_(path, options.name.empty() ? path : options.name),
      compressor_(options.compression),
      chunk_size_(options.chunk_size) {
  scratch_ = magic;
  append(scratch_, Header{options.profile, options.library});
  write_data(scratch_);
}

std::uint16_t Writer::add_schema(std::string name, std::string encoding, std::string data) {
  if (schemas_.size() >= largest_id) throw ArgumentError("an MCAP file has at most 65535 schemas");
  const auto id = static_cast<std::uint16_t>(schemas_.size() + 1);
  schemas_.push_back({id, std::move(name), std::move(encoding), std::move(data)});
  append(records_, schemas_.back());
  return id;
}

std::uint16_t Writer::add_channel(std::uint16_t schema, std::string topic,
                                  std::string message_encoding,
                                  std::map<std::string, std::string> metadata) {
  if (schema > schemas_.size()) throw ArgumentError("the schema of an MCAP channel is unknown");
  if (channels_.size() >= largest_id)
    throw ArgumentError("an MCAP file has at most 65535 channels");
  const auto id = static_cast<std::uint16_t>(channels_.size() + 1);
  channels_.push_back(
      {id, schema, std::move(topic), std::move(message_encoding), std::move(metadata)});
  append(records_, channels_.back());
  indexes_.push_back({id, {}});
  statistics_.channel_messages[id] = 0;
  return id;
}

void Writer::write(std::uint16_t channel, std::uint64_t time, std::string_view data) {
  if (channel == 0 || channel > channels_.size())
    throw ArgumentError("the channel of an MCAP message is unknown");
  std::uint64_t& count = statistics_.channel_messages[channel];
  indexes_[channel - 1].entries.emplace_back(time, records_.size());
  append(records_, Message{channel, static_cast<std::uint32_t>(count), time, time, data});
  ++count;
  chunk_start_ = chunk_messages_ == 0 ? time : std::min(chunk_start_, time);
  chunk_end_ = chunk_messages_ == 0 ? time : std::max(chunk_end_, time);
  ++chunk_messages_;
  if (records_.size() >= chunk_size_) finish_chunk();
}

void Writer::attach(const Attachment& attachment) {
  finish_chunk();
  scratch_.clear();
  append(scratch_, attachment);
  attachments_.push_back({file_.size(), scratch_.size(), attachment.log_time,
                          attachment.create_time, attachment.data.size(), attachment.name,
                          attachment.media_type});
  write_data(scratch_);
}

void Writer::add_metadata(const Metadata& metadata) {
  finish_chunk();
  scratch_.clear();
  append(scratch_, metadata);
  metadata_.push_back({file_.size(), scratch_.size(), metadata.name});
  write_data(scratch_);
}

void Writer::finish_chunk() {
  if (records_.empty()) return;
  compressor_.compress(records_, packed_);
  scratch_.clear();
  append(scratch_, Chunk{chunk_start_, chunk_end_, records_.size(), crc32(records_),
                         name(compressor_.kind()), packed_});
  ChunkIndex index;
  index.start_time = chunk_start_;
  index.end_time = chunk_end_;
  index.offset = file_.size();
  index.length = scratch_.size();
  index.compression = name(compressor_.kind());
  index.compressed_size = packed_.size();
  index.uncompressed_size = records_.size();
  for (MessageIndex& messages : indexes_) {
    if (messages.entries.empty()) continue;
    index.message_indexes[messages.channel] = file_.size() + scratch_.size();
    append(scratch_, messages);
    messages.entries.clear();
  }
  index.message_index_length = scratch_.size() - index.length;
  write_data(scratch_);
  if (chunk_messages_ > 0) {
    statistics_.start_time =
        statistics_.messages == 0 ? chunk_start_ : std::min(statistics_.start_time, chunk_start_);
    statistics_.end_time = std::max(statistics_.end_time, chunk_end_);
    statistics_.messages += chunk_messages_;
  }
  chunks_.push_back(std::move(index));
  records_.clear();
  chunk_start_ = chunk_end_ = chunk_messages_ = 0;
}

void Writer::close() {
  finish_chunk();
  scratch_.clear();
  append(scratch_, DataEnd{data_crc_});
  write_data(scratch_);
  write_summary();
  file_.close();
}

void Writer::write_summary() {
  statistics_.schemas = static_cast<std::uint16_t>(schemas_.size());
  statistics_.channels = static_cast<std::uint32_t>(channels_.size());
  statistics_.attachments = static_cast<std::uint32_t>(attachments_.size());
  statistics_.metadata = static_cast<std::uint32_t>(metadata_.size());
  statistics_.chunks = static_cast<std::uint32_t>(chunks_.size());
  const std::uint64_t start = file_.size();
  std::string summary, offsets;
  const auto group = [&](Opcode opcode, const auto& records) {
    const std::size_t before = summary.size();
    for (const auto& record : records) append(summary, record);
    if (summary.size() > before)
      append(offsets, SummaryOffset{opcode, start + before, summary.size() - before});
  };
  group(Opcode::schema, schemas_);
  group(Opcode::channel, channels_);
  group(Opcode::statistics, std::vector{statistics_});
  group(Opcode::chunk_index, chunks_);
  group(Opcode::attachment_index, attachments_);
  group(Opcode::metadata_index, metadata_);
  Footer footer{start, start + summary.size(), 0};
  summary += offsets;
  // the checksum covers the footer up to itself
  std::string ending;
  append(ending, footer);
  summary.append(ending, 0, ending.size() - sizeof(footer.summary_crc));
  const std::uint32_t crc = crc32(summary);
  ByteWriter(summary).u32(crc).bytes(magic);
  file_.append(summary);
}

void Writer::write_data(std::string_view bytes) {
  data_crc_ = crc32(bytes, data_crc_);
  file_.append(bytes);
}

}  // namespace dynamics::mcap
