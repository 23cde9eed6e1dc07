// SPDX-License-Identifier: Apache-2.0
#pragma once

// Writer: an MCAP file with chunks, message indexes and a summary, written while messages arrive.
//
//   mcap::Writer writer("run.mcap", {.profile = "ros2"});
//   const auto schema = writer.add_schema("std_msgs/msg/Float64", "ros2msg", "float64 data\n");
//   const auto channel = writer.add_channel(schema, "/energy", "cdr");
//   writer.write(channel, time, data);
//   writer.close();
//
// A chunk is written to the file as soon as it is full. Memory: one chunk, and one entry per chunk
// for the summary. If the process ends without close(), the file has all chunks written before and
// no summary; readers recover them.
//
// Throws StateError if the file cannot be written, ArgumentError for too many schemas or channels.
// Not thread-safe.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mcap/compression.hpp"
#include "mcap/output_file.hpp"
#include "mcap/records.hpp"

namespace dynamics::mcap {

struct WriterOptions {
  std::string name = {};  ///< of the file in messages; empty: its path
  std::string profile = {};
  std::string library = "dynamics";
  Compression compression = Compression::zstd;
  std::size_t chunk_size = std::size_t{1} << 18;  ///< a chunk is written when it exceeds this
};

class Writer {
 public:
  Writer(const std::string& path, const WriterOptions& options);

  /// Returns the id for add_channel().
  std::uint16_t add_schema(std::string name, std::string encoding, std::string data);
  /// Returns the id for write(). `schema`: 0 for none.
  std::uint16_t add_channel(std::uint16_t schema, std::string topic, std::string message_encoding,
                            std::map<std::string, std::string> metadata = {});
  /// Appends a message; its sequence number counts the messages of the channel. Times in ns.
  void write(std::uint16_t channel, std::uint64_t time, std::string_view data);

  void attach(const Attachment& attachment);
  void add_metadata(const Metadata& metadata);

  /// Writes the last chunk and the summary. Call it once, last.
  void close();

  const Statistics& statistics() const { return statistics_; }
  const std::vector<Schema>& schemas() const { return schemas_; }
  const std::vector<Channel>& channels() const { return channels_; }

 private:
  void finish_chunk();
  /// Writes to the file and continues the checksum of the data section.
  void write_data(std::string_view bytes);
  void write_summary();

  OutputFile file_;
  Compressor compressor_;
  std::size_t chunk_size_;
  std::string records_, packed_, scratch_;  ///< of the chunk; reused
  std::vector<MessageIndex> indexes_;       ///< by channel
  std::uint64_t chunk_start_ = 0, chunk_end_ = 0, chunk_messages_ = 0;
  std::uint32_t data_crc_ = 0;
  std::vector<Schema> schemas_;
  std::vector<Channel> channels_;
  std::vector<ChunkIndex> chunks_;
  std::vector<AttachmentIndex> attachments_;
  std::vector<MetadataIndex> metadata_;
  Statistics statistics_;
};

}  // namespace dynamics::mcap
